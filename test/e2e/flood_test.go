package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// floodBound limits the daemon's memory in MiB under any load: an eighth of the unit's MemoryHigh. It
// is higher with the race detector, which keeps a shadow of all memory.
func floodBound() int {
	if raceDetector {
		return 512
	}
	return 128
}

// resident returns the present and the highest memory of a process in MiB.
func resident(t *testing.T, pid int) (now, highest int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	mib := func(field string) int {
		m := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(status)
		require.NotNil(t, m, field)
		kib, err := strconv.Atoi(string(m[1]))
		require.NoError(t, err)
		return kib >> 10
	}
	return mib("VmRSS"), mib("VmHWM")
}

// TestThreat25NobodyIsHeldUpByAFlood: endless lines, endless nesting, a thousand connections. Other clients are
// answered meanwhile, and the daemon's memory stays within bounds.
func TestThreat25NobodyIsHeldUpByAFlood(t *testing.T) {
	d := newMachine(t, "[[step]]\nuser = \"hello\"\ntext = \"hi there\"\nforever = true\n")
	require.Contains(t, d.run(nil, "ask", "hello"), "hi there")
	sock := d.home + "/run/blunux-ai.sock"
	pid := daemonPID(sock)
	require.NotZero(t, pid)
	dial := func() (net.Conn, *bufio.Reader) {
		c, err := net.DialTimeout("unix", sock, 20*time.Second)
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		require.NoError(t, c.SetDeadline(time.Now().Add(60*time.Second)))
		return c, bufio.NewReader(c)
	}
	answered := func(during string) {
		t.Helper()
		require.Contains(t, d.run(nil, "ask", "hello"), "hi there", during)
		require.Equal(t, pid, daemonPID(sock), "it is the same daemon")
		_, highest := resident(t, pid)
		require.Less(t, highest, floodBound(), "MiB, %s", during)
	}

	t.Run("a line of 10 MiB", func(t *testing.T) {
		c, r := dial()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_, _ = c.Write([]byte(strings.Repeat("x", 10<<20))) // fails when the daemon closes the connection
		}()
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, string(ipc.CodeTooLarge))
		_, err = r.ReadString('\n')
		require.Error(t, err, "and the connection is closed")
		<-sent
		answered("after a long line")
	})
	t.Run("nesting", func(t *testing.T) {
		c, r := dial()
		for _, line := range []string{
			strings.Repeat("[", 100_000), `{"type":"message","data":` + strings.Repeat("[", 100_000),
			`{"type":"message","data":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
			`{"type":"message","body":"hello","data":` + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_001),
		} {
			_, err := io.WriteString(c, line+"\n")
			require.NoError(t, err)
			got, err := r.ReadString('\n')
			require.NoError(t, err)
			require.Contains(t, got, string(ipc.CodeBadRequest))
		}
		_, err := io.WriteString(c, `{"type":"action","action":"ping","from":"x"}`+"\n")
		require.NoError(t, err)
		got, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, got, "pong", "the connection stays")
		answered("after deep nesting")
	})
	t.Run("a thousand connections", func(t *testing.T) {
		for i := range 1000 {
			c, _ := dial()
			_, err := io.WriteString(c, `{"type":"hello","id":"h","data":{"channel":"cli"}}`+"\n"+`{"type":"message","id":"m","body":"`+strings.Repeat("x", i%4096))
			require.NoError(t, err)
		}
		answered("during a thousand connections")
	})
	t.Run("a thousand lines that do not end", func(t *testing.T) {
		half, turnedAway := []byte(strings.Repeat("x", 1000<<10)), 0
		for range 1000 {
			c, _ := dial()
			if _, err := c.Write(half); err != nil {
				turnedAway++
			}
		}
		require.Greater(t, turnedAway, 900)
		answered("during unfinished lines")
	})
	t.Run("a thousand messages", func(t *testing.T) {
		c, r := dial()
		go func() {
			for i := range 1000 {
				_, _ = fmt.Fprintf(c, `{"type":"message","from":"821012345678","body":"hello %d"}`+"\n", i)
			}
		}()
		busy := 0
		for range 1000 {
			line, err := r.ReadString('\n')
			require.NoError(t, err, "each is answered")
			if !strings.Contains(line, "hi there") {
				busy++
			}
		}
		t.Logf("%d were turned away", busy)
		answered("after a thousand messages")
	})
	now, highest := resident(t, pid)
	t.Logf("resident %d MiB, at most %d MiB", now, highest)
}

// TestThreat25MoreConnectionsThanFilesDoNotEndTheDaemon: the daemon continues when they are closed.
func TestThreat25MoreConnectionsThanFilesDoNotEndTheDaemon(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "[[step]]\nuser = \"hello\"\ntext = \"hi there\"\nforever = true\n")
	cmd := exec.Command("sh", "-c", "ulimit -n 64; exec blunux-ai daemon 2>$SAID")
	said := d.home + "/said"
	cmd.Env = append(d.env, "SAID="+said)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() })
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
	sock := d.home + "/run/blunux-ai.sock"
	require.Eventually(t, func() bool { return daemonPID(sock) == cmd.Process.Pid }, time.Minute, 5*time.Millisecond)

	var open []net.Conn
	for range 150 {
		c, err := net.DialTimeout("unix", sock, 20*time.Second)
		require.NoError(t, err)
		open = append(open, c)
	}
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(said)
		return err == nil && strings.Contains(string(text), "no free connections")
	}, time.Minute, 5*time.Millisecond)
	for _, c := range open {
		require.NoError(t, c.Close())
	}
	require.Contains(t, d.run(nil, "ask", "hello"), "hi there")
	require.Equal(t, cmd.Process.Pid, daemonPID(sock))
}
