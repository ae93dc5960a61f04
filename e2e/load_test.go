package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
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

// loadPlot answers "say N", looks for "look N", and says a lot for "much N".
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

// status is what a daemon tells of itself.
func (d *desk) status() ipc.Status {
	d.t.Helper()
	var status ipc.Status
	require.NoError(d.t, json.Unmarshal([]byte(d.client("status", "--json")), &status))
	return status
}

// figures is what it takes of the machine.
func (d *desk) figures() ipc.Process { return d.status().Process }

// dial opens a connection that the test closes.
func (d *desk) dial() net.Conn {
	d.t.Helper()
	c, err := net.DialTimeout("unix", d.sock(), 20*time.Second)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { c.Close() })
	return c
}

// needFiles skips a test that cannot have so many files open.
func needFiles(t *testing.T, n uint64) {
	t.Helper()
	var limit syscall.Rlimit // Go has raised it to the hard one, here and in the daemon
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if limit.Cur < n {
		skip(t, "%d files may be open, %d are needed", limit.Cur, n)
	}
}

// TestThreat25AThousandPeersAndAHundredQuestions: one floods, one sends a byte a
// second, one never reads what it is answered. The hundred get their answers,
// memory stays within bounds, nothing is lost, and when they have gone the
// daemon is what it was.
func TestThreat25AThousandPeersAndAHundredQuestions(t *testing.T) {
	needFiles(t, loadPeers+100)
	d := newDesk(t, loadPlot)
	pid := d.start()
	d.warm()
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
	const much = 40 // 8 KB each: more than a socket holds
	for i := range much {
		_, err := fmt.Fprintf(deaf, `{"type":"message","from":"821000000001","body":"much d%d"}`+"\n", i)
		require.NoError(t, err)
	}

	began := time.Now()
	wrong := make([]string, loadAsk)
	for i := range loadAsk {
		c := d.dial()
		peers = append(peers, c)
		asking.Go(func() { wrong[i] = asker(c, i) })
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
	d.nothingOfTheLoadIsLost(much)
	until(t, "the daemon is what it was", func() bool {
		now := d.figures()
		return now.Goroutines <= before.Goroutines && d.openFiles(pid) <= files
	})
}

// openFiles is how many files a daemon has open besides the index of notes, which
// is kept open for a minute by as many connections as looked into it at once.
func (d *desk) openFiles(pid int) int {
	d.t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	list, err := os.ReadDir(dir)
	require.NoError(d.t, err)
	return len(slices.DeleteFunc(list, func(fd os.DirEntry) bool {
		path, _ := os.Readlink(filepath.Join(dir, fd.Name())) // closed meanwhile: counted
		return strings.Contains(path, "/recall.db")
	}))
}

// warm has a daemon open what it keeps open: it answers each kind of peer, and
// one that does not stay to hear it.
func (d *desk) warm() {
	d.t.Helper()
	for i := range 2 {
		c := d.dial()
		require.Empty(d.t, asker(c, loadAsk+i))
		c.Close()
	}
	c := d.dial()
	_, err := io.WriteString(c, `{"type":"message","from":"821000000002","body":"say goodbye"}`+"\n")
	require.NoError(d.t, err)
	c.Close()
	until(d.t, "an answer nobody was there for", func() bool { return len(d.pollAll()) == 1 })
}

// pollAll polls until nothing comes any more.
func (d *desk) pollAll() []ipc.Notification {
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

// nothingOfTheLoadIsLost: what was answered is in its conversation, every task
// ended, and what the deaf peer did not read comes by poll, each once.
func (d *desk) nothingOfTheLoadIsLost(much int) {
	d.t.Helper()
	until(d.t, "every task to end", func() bool {
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

// conversations is what all files of conversations hold.
func (d *desk) conversations() string {
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
