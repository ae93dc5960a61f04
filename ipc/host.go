package ipc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// relayed is the line that [Relay] writes first. The start files of a shell can print something before it.
	relayed = "blunux-ai relay\n"
	// maxGreeting bounds what a machine can print before that line, in bytes.
	maxGreeting = 64 << 10
)

// IsHost reports whether a text can name a machine for ssh: HOST, USER@HOST or a name of ssh_config(5), and no option.
func IsHost(text string) bool {
	strange := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_.@:-", r))
	}
	return text != "" && len(text) <= 255 && text[0] != '-' && !strings.ContainsFunc(text, strange)
}

// Relay connects r and w, which lead to another machine, with a daemon, until one of them ends. The client there runs ssh,
// which runs the client here (Dialer.Host).
func Relay(daemon *net.UnixConn, r io.Reader, w io.Writer) error {
	if _, err := io.WriteString(w, relayed); err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(daemon, r)
		ended <- err
	}()
	go func() {
		_, err := io.Copy(w, daemon)
		ended <- err
	}()
	return <-ended
}

// dialHost runs ssh, which runs [Relay] on the other machine with the rights of the person who logs in there. ssh's own
// questions and errors appear at the terminal.
func (d Dialer) dialHost(ctx context.Context) (*net.UnixConn, error) {
	if !IsHost(d.Host) {
		return nil, &UnreachableError{Tried: []string{"ssh: not the name of a machine"}}
	}
	argv := []string{"-T", "--", d.Host, "blunux-aictl", "relay"}
	if d.NoStart {
		argv = append(argv, "--no-start")
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("cannot make a connection for ssh: %w", err)
	}
	defer theirs.Close()
	// Ctrl-C at the terminal is for this program, which then still has to cancel the request over the connection.
	ssh := exec.Command("sh", append([]string{"-c", `trap "" INT; exec ssh "$@"`, "ssh"}, argv...)...)
	ssh.Stdin, ssh.Stdout, ssh.Stderr = theirs, theirs, os.Stderr
	if err := ssh.Start(); err != nil {
		ours.Close()
		return nil, &UnreachableError{Tried: []string{err.Error()}}
	}
	theirs.Close()
	stop := context.AfterFunc(ctx, func() { _ = ssh.Process.Kill() })
	defer stop()
	if err := awaitRelay(ours); err != nil {
		ours.Close()
		if ended := ssh.Wait(); ended != nil {
			err = ended
		}
		return nil, &UnreachableError{Tried: []string{"ssh " + d.Host + " blunux-aictl relay: " + err.Error()}}
	}
	go func() { _ = ssh.Wait() }() // it ends with the connection
	return ours, nil
}

// socketPair returns the two ends of a connection.
func socketPair() (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	end := os.NewFile(uintptr(fds[0]), "ssh")
	defer end.Close()
	theirs = os.NewFile(uintptr(fds[1]), "ssh")
	c, err := net.FileConn(end)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return c.(*net.UnixConn), theirs, nil
}

// awaitRelay reads up to the line of [Relay], and no byte more.
func awaitRelay(r io.Reader) error {
	var read []byte
	b := make([]byte, 1)
	for len(read) < maxGreeting {
		if _, err := io.ReadFull(r, b); err != nil {
			return errors.New("it ended without an answer")
		}
		if read = append(read, b[0]); bytes.HasSuffix(read, []byte(relayed)) {
			return nil
		}
	}
	return errors.New("it prints something else")
}
