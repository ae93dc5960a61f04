package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// needNode skips a test without Node.js.
func needNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		skip(t, "node is not installed")
	}
	return node
}

// originalLine is a reply as an original peer parses it.
type originalLine struct {
	Type          string   `json:"type"`
	To            string   `json:"to"`
	Body          string   `json:"body"`
	Actions       []string `json:"actions"`
	Notifications []notice `json:"notifications"`
}

type notice struct{ To, Body string }

// nodeEvent is a report of the Node program: with a tag about a request, without a tag about an error.
type nodeEvent struct {
	Tag      int
	Response *originalLine
	Millis   int `json:"ms"`
	GaveUp   bool
	Closed   bool
	Failed   string
	Ended    bool
	Wrong    string
	Line     string
}

// originalPeer controls testdata/node/original.mjs.
type originalPeer struct {
	t      *testing.T
	orders io.Writer

	mu    sync.Mutex
	tags  int
	wait  map[int]chan nodeEvent
	wrong []nodeEvent
}

// newPeer starts a peer that is connected to the daemon.
func (d *machine) newPeer() *originalPeer {
	d.t.Helper()
	cmd := exec.Command(needNode(d.t), "testdata/node/original.mjs", d.sock())
	p := &originalPeer{t: d.t, wait: map[int]chan nodeEvent{}}
	cmd.Stderr = os.Stderr
	orders, err := cmd.StdinPipe()
	require.NoError(d.t, err)
	heard, err := cmd.StdoutPipe()
	require.NoError(d.t, err)
	p.orders = orders
	require.NoError(d.t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.listen(heard)
	}()
	d.t.Cleanup(func() {
		require.NoError(d.t, orders.Close())
		<-ended
		require.NoError(d.t, cmd.Wait())
		require.Empty(d.t, p.wrong, "lines that must not be")
	})
	p.connect()
	return p
}

// listen passes the program's reports to the waiting calls.
func (p *originalPeer) listen(heard io.Reader) {
	lines := bufio.NewScanner(heard)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var w nodeEvent
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			w = nodeEvent{Wrong: err.Error(), Line: lines.Text()}
		}
		p.mu.Lock()
		switch {
		case w.Tag != 0:
			p.wait[w.Tag] <- w
		case w.Wrong != "":
			p.wrong = append(p.wrong, w)
		}
		p.mu.Unlock()
	}
}

// order sends an instruction to the program and returns the channel for its result.
func (p *originalPeer) order(do string, message map[string]string) <-chan nodeEvent {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tags++
	outcome := make(chan nodeEvent, 1)
	p.wait[p.tags] = outcome
	line, err := json.Marshal(map[string]any{"tag": p.tags, "do": do, "message": message})
	require.NoError(p.t, err)
	_, err = p.orders.Write(append(line, '\n'))
	require.NoError(p.t, err)
	return outcome
}

// eventTimeout is how long a test waits for any event. It is long, because on a busy machine tests are slow.
const eventTimeout = 2 * time.Minute

// waitUntil waits until so returns true.
func waitUntil(t testing.TB, what string, so func() bool) {
	t.Helper()
	pause := 5 * time.Millisecond
	for end := time.Now().Add(eventTimeout); !so(); <-time.After(pause) {
		require.True(t, time.Now().Before(end), what)
		pause = min(2*pause, 100*time.Millisecond) // some conditions start a program
	}
}

func (p *originalPeer) await(outcome <-chan nodeEvent) nodeEvent {
	p.t.Helper()
	select {
	case w := <-outcome:
		return w
	case <-time.After(eventTimeout):
		require.FailNow(p.t, "nothing came")
	}
	return nodeEvent{}
}

// response returns the reply to a request.
func (p *originalPeer) response(outcome <-chan nodeEvent) originalLine {
	p.t.Helper()
	w := p.await(outcome)
	require.NotNil(p.t, w.Response, "%+v", w)
	return *w.Response
}

// connect connects as soon as a daemon listens.
func (p *originalPeer) connect() {
	p.t.Helper()
	waitUntil(p.t, "a connection", func() bool { return p.await(p.order("connect", nil)).Failed == "" })
}

func (p *originalPeer) hangUp() { p.await(p.order("hangup", nil)) }

// stopReading makes the peer stop reading.
func (p *originalPeer) stopReading() { p.await(p.order("deaf", nil)) }

// ask sends a sender's message and does not wait.
func (p *originalPeer) ask(from, body string) <-chan nodeEvent {
	p.t.Helper()
	return p.order("send", map[string]string{"type": "message", "from": from, "body": body})
}

// say sends a sender's message and returns the reply.
func (p *originalPeer) say(from, body string) originalLine {
	p.t.Helper()
	return p.response(p.ask(from, body))
}

// act sends an action.
func (p *originalPeer) act(from, action string) originalLine {
	p.t.Helper()
	return p.response(p.order("send", map[string]string{"type": "action", "from": from, "action": action}))
}

func (p *originalPeer) poll() []notice {
	p.t.Helper()
	return p.act("__poll__", "poll_notifications").Notifications
}

// pollExactly polls until n notifications have come, and once more to check that there are no others.
func (p *originalPeer) pollExactly(n int) []notice {
	p.t.Helper()
	var all []notice
	waitUntil(p.t, "notifications", func() bool {
		all = append(all, p.poll()...)
		return len(all) >= n
	})
	all = append(all, p.poll()...)
	require.Len(p.t, all, n)
	return all
}

func bodies(notes []notice) []string {
	var all []string
	for _, n := range notes {
		all = append(all, n.Body)
	}
	return all
}

// sock returns the path of the daemon's socket.
func (d *machine) sock() string { return d.home + "/run/blunux-ai.sock" }

// start starts a daemon and returns its process.
func (d *machine) start() int {
	d.t.Helper()
	d.client("status")
	pid := daemonPID(d.sock())
	require.NotZero(d.t, pid)
	return pid
}

// kill kills the daemon, as in a crash.
func (d *machine) kill() {
	d.t.Helper()
	pid := daemonPID(d.sock())
	require.NoError(d.t, syscall.Kill(pid, syscall.SIGKILL))
	awaitGone(pid)
	// A child may hold the socket until its exec. A chat may have started the next daemon already.
	waitUntil(d.t, "the killed daemon's socket to close", func() bool { return daemonPID(d.sock()) != pid })
}

// notices returns the number of pending notifications.
func (d *machine) notices() int {
	d.t.Helper()
	return d.status().Notifications
}

// journalLines returns the lines of a journal that contain a text, or none if the journal does not exist.
func (d *machine) journalLines(journal, text string) []string {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.home, ".config/blunux-ai", journal))
	if !os.IsNotExist(err) {
		require.NoError(d.t, err)
	}
	return slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool { return !strings.Contains(line, text) })
}
