package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

const (
	loadPeers = 1000
	loadAsk   = 100 // of them
)

// loadPlot answers "say N", runs a read-only command for "look N", and writes a long answer for "much N".
var loadPlot = `
[[step]]
user_match = '^say (\w+)$'
text = "heard {{user.1}}"
forever = true

[[step]]
user_match = '^much (\w+)$'
text = "heard {{user.1}} ` + strings.Repeat("and so on ", 800) + `"
forever = true

[[step]]
user_match = '^look (\w+)$'
[[step.tool]]
name = "check_memory"
[[step]]
text = "looked {{user.1}}"
`

// status returns a daemon's status.
func (d *machine) status() ipc.Status {
	d.t.Helper()
	var status ipc.Status
	require.NoError(d.t, json.Unmarshal([]byte(d.client("status", "--json")), &status))
	return status
}

// figures returns the resources that the daemon uses.
func (d *machine) figures() ipc.Process { return d.status().Process }

// dial opens a connection that the test closes.
func (d *machine) dial() net.Conn {
	d.t.Helper()
	c, err := net.DialTimeout("unix", d.sock(), 20*time.Second)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { c.Close() })
	return c
}

// needFiles skips a test if the limit of open files is too low.
func needFiles(t *testing.T, n uint64) {
	t.Helper()
	var limit syscall.Rlimit // Go has raised the soft limit to it, here and in the daemon
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if limit.Cur < n {
		skip(t, "%d files may be open, %d are needed", limit.Cur, n)
	}
}

// TestThreat25AThousandPeersAndAHundredQuestions: one peer floods, one sends a byte per second, one never reads
// its answers. The hundred questions are answered, memory stays within bounds, nothing is lost, and after all
// have disconnected the daemon uses the same resources as before.
func TestThreat25AThousandPeersAndAHundredQuestions(t *testing.T) {
	needFiles(t, loadPeers+100)
	d := newMachine(t, loadPlot)
	pid := d.start()
	d.warmUp()
	before, files := d.figures(), d.openFiles(pid)

	var peers []net.Conn
	for range loadPeers - loadAsk - 3 {
		peers = append(peers, d.dial())
	}
	stop := make(chan struct{})
	var bad, asking sync.WaitGroup
	flooding, dripping, deaf := d.dial(), d.dial(), d.dial()
	peers = append(peers, flooding, dripping, deaf)
	var asked, refused int
	var failed error
	bad.Go(func() { asked, refused, failed = flood(flooding, stop) })
	dripped := ""
	bad.Go(func() { dripped = drip(dripping, stop) })
	const much = 40 // 8 KB each: more than a socket buffers
	for i := range much {
		_, err := fmt.Fprintf(deaf, `{"type":"message","from":"821000000001","body":"much d%d"}`+"\n", i)
		require.NoError(t, err)
	}

	began := time.Now()
	wrong := make([]string, loadAsk)
	for i := range loadAsk {
		c := d.dial()
		peers = append(peers, c)
		asking.Go(func() { wrong[i] = askThrice(c, i) })
	}
	asking.Wait()
	took := time.Since(began)
	for i, w := range wrong {
		require.Empty(t, w, "peer %d", i)
	}
	close(stop)
	bad.Wait()
	require.NoError(t, failed)
	require.Contains(t, dripped, "pong")
	_, highest := resident(t, pid)
	t.Logf("%d answers in %s; %d flooded, %d of them refused; at most %d MiB", 3*loadAsk, took.Round(time.Millisecond), asked, refused, highest)
	require.Less(t, highest, floodBound(), "MiB")
	require.Equal(t, pid, daemonPID(d.sock()))

	for _, c := range peers {
		c.Close()
	}
	d.requireNoLoss(much)
	waitUntil(t, "the daemon is what it was", func() bool {
		now := d.figures()
		return now.Goroutines <= before.Goroutines && d.openFiles(pid) <= files
	})
}

// openFiles counts a daemon's open files.
func (d *machine) openFiles(pid int) int {
	d.t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	require.NoError(d.t, err)
	return len(list)
}

// warmUp makes a daemon open the files that it keeps open. It answers each kind of peer, and one that disconnects
// early.
func (d *machine) warmUp() {
	d.t.Helper()
	for i := range 2 {
		c := d.dial()
		require.Empty(d.t, askThrice(c, loadAsk+i))
		c.Close()
	}
	c := d.dial()
	_, err := io.WriteString(c, `{"type":"message","from":"821000000002","body":"say goodbye"}`+"\n")
	require.NoError(d.t, err)
	c.Close()
	waitUntil(d.t, "an answer nobody was there for", func() bool { return len(d.pollAll()) == 1 })
}

// pollAll polls until there are no more notifications.
func (d *machine) pollAll() []ipc.Notification {
	d.t.Helper()
	c := d.dial()
	defer c.Close()
	poller := ipc.NewConn(c)
	for all := []ipc.Notification{}; ; {
		require.NoError(d.t, poller.Write(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"}))
		m, err := poller.Read()
		require.NoError(d.t, err)
		if all = append(all, m.Notifications...); len(m.Notifications) == 0 {
			return all
		}
	}
}

// requireNoLoss: every answer is in its conversation, every task has ended, and what the deaf peer did
// not read comes by poll, each once.
func (d *machine) requireNoLoss(much int) {
	d.t.Helper()
	waitUntil(d.t, "every task to end", func() bool {
		status := d.status()
		return status.Running+status.Waiting == 0 && status.Clients <= 1
	})
	conversations := d.conversations()
	for n := range loadAsk {
		for i, did := range []string{"heard", "looked", "heard"} {
			require.Equal(d.t, 1, strings.Count(conversations, fmt.Sprintf(`"content":"%s w%dx%d"`, did, n, i)))
		}
	}
	got := map[string]int{}
	for _, note := range d.pollAll() {
		require.Equal(d.t, "821000000001", note.To)
		got[strings.Fields(note.Body)[1]]++
	}
	for i := range much {
		require.Equal(d.t, 1, got[fmt.Sprintf("d%d", i)], "d%d", i)
	}
	require.Len(d.t, got, much)
}

// conversations returns the content of all conversation files.
func (d *machine) conversations() string {
	d.t.Helper()
	dir := d.home + "/.config/blunux-ai/sessions"
	files, err := os.ReadDir(dir)
	require.NoError(d.t, err)
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(dir + "/" + f.Name())
		require.NoError(d.t, err)
		all.Write(text)
	}
	return all.String()
}
