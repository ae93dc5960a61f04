package ipc

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatNamesAMachineForSSH(t *testing.T) {
	for _, name := range []string{"desk", "kim@desk.example", "10.0.0.7", "fe80::1", "class_room-12"} {
		require.True(t, IsHost(name), name)
	}
	for _, name := range []string{"", "-oProxyCommand=id", "desk;id", "desk id", "$(id)", "책상", strings.Repeat("a", 256)} {
		require.False(t, IsHost(name), name)
	}
	_, err := Dialer{Host: "-F/tmp/x"}.Dial(t.Context())
	require.ErrorIs(t, err, ErrUnreachable)
}

func TestTheRelaysLineIsFoundAfterOtherText(t *testing.T) {
	rest := strings.NewReader("welcome\nblunux-ai relays\n" + relayed + `{"type":"hello"}` + "\n")
	require.NoError(t, awaitRelay(rest))
	left, err := io.ReadAll(rest)
	require.NoError(t, err)
	require.Equal(t, `{"type":"hello"}`+"\n", string(left), "what follows belongs to the connection")
	require.ErrorContains(t, awaitRelay(strings.NewReader("welcome\n")), "without an answer")
	require.ErrorContains(t, awaitRelay(strings.NewReader(strings.Repeat("x", 2*maxGreeting))), "something else")
}

func TestARelayEndsWithEitherSide(t *testing.T) {
	for _, side := range []string{"daemon", "machine"} {
		ours, file, err := socketPair()
		require.NoError(t, err)
		end, err := net.FileConn(file)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		daemon := end.(*net.UnixConn)
		in, write, err := os.Pipe()
		require.NoError(t, err)
		read, out, err := os.Pipe()
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() { ended <- Relay(ours, in, out) }()
		require.NoError(t, awaitRelay(read))
		_, err = write.WriteString("question\n")
		require.NoError(t, err)
		got := make([]byte, 9)
		_, err = io.ReadFull(daemon, got)
		require.NoError(t, err)
		require.Equal(t, "question\n", string(got))
		if side == "daemon" {
			require.NoError(t, daemon.Close())
		} else {
			require.NoError(t, write.Close())
		}
		if err := <-ended; err != nil {
			require.True(t, errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed), "%v", err)
		}
		for _, c := range []io.Closer{ours, daemon, write, in, read, out} {
			_ = c.Close()
		}
	}
}
