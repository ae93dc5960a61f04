package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/test/providertest"
)

// budget is budget.toml: a limit for each figure.
type budget map[string]struct {
	Limit  float64
	Unit   string
	Reason string
}

func readBudget(t *testing.T) budget {
	t.Helper()
	text, err := os.ReadFile("budget.toml")
	require.NoError(t, err)
	var b budget
	require.NoError(t, toml.Unmarshal(text, &b))
	for name, row := range b {
		require.NotZero(t, row.Limit, name)
		require.NotEmpty(t, row.Unit, name)
		require.NotEmpty(t, row.Reason, name)
	}
	return b
}

// TestBudget measures what a message costs in an empty home and in a full one, what is resident, and what the programs
// weigh. A message is "disk full?": two requests to a model, and df.
func TestBudget(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates itself")
	}
	if os.Getenv("BLUNUX_AI_TEST_PROGRAMS") != "" {
		t.Skip("the budget is for the programs of make build")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed; .ci/needs installs it")
	}
	limits := readBudget(t)
	measured := map[string]float64{}
	for name, size := range programSizes(t) {
		measured["size_"+name] = size
	}
	measured["packages"] = packages(t)
	for name, size := range requestSizes(t) {
		measured["request_"+name] = size
	}
	empty := costs(t, newWorld(t))
	for name, figure := range empty {
		measured[name] = figure
	}
	full := newWorld(t)
	fillHome(t, full)
	for name, figure := range costs(t, full) {
		measured["full_"+name] = figure
	}
	for _, name := range slices.Sorted(keysOf(measured)) {
		row, ok := limits[name]
		t.Logf("%-32s %10.1f of %10.1f %s", name, measured[name], row.Limit, row.Unit)
		if !ok {
			t.Errorf("budget.toml lacks %s", name)
			continue
		}
		if measured[name] > row.Limit {
			t.Errorf("%s is %.1f %s, the budget %.1f (%s)", name, measured[name], row.Unit, row.Limit, row.Reason)
		}
	}
	for name := range limits {
		if _, ok := measured[name]; !ok {
			t.Errorf("budget.toml has %s, which is not measured", name)
		}
	}
}

func keysOf(m map[string]float64) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range m {
			if !yield(name) {
				return
			}
		}
	}
}

// programSizes returns the sizes of the main package's programs in MB, and their sum.
func programSizes(t *testing.T) map[string]float64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(binaries, "blunux-ai*"))
	require.NoError(t, err)
	sizes := map[string]float64{}
	for _, file := range files {
		fi, err := os.Stat(file)
		require.NoError(t, err)
		sizes[filepath.Base(file)] = float64(fi.Size()) / 1e6
		sizes["all"] += float64(fi.Size()) / 1e6
	}
	return sizes
}

// packages returns how many packages the daemon's program links.
func packages(t *testing.T) float64 {
	t.Helper()
	out, err := exec.Command("go", "list", "-mod=readonly", "-deps", "../../cmd/blunux-ai").Output()
	require.NoError(t, err)
	return float64(strings.Count(string(out), "\n"))
}

// requestSizes returns the size of the first request for "disk full?" in a new home, in bytes, for each dialect.
func requestSizes(t *testing.T) map[string]float64 {
	t.Helper()
	answer := func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: []string{"There is room."}}
	}
	sizes := map[string]float64{}
	for name, handler := range map[string]http.Handler{
		"openai": providertest.NewChatCompletions(answer), "claude": providertest.NewAnthropic(answer), "gemini": providertest.NewGemini(answer),
	} {
		w := newWorld(t)
		url, stop, err := serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if sizes[name] == 0 {
				sizes[name] = float64(r.ContentLength)
			}
			handler.ServeHTTP(rw, r)
		}))
		require.NoError(t, err)
		t.Cleanup(stop)
		config := fmt.Sprintf("[ai_agent]\nprovider = %q\n[providers.%s]\nbase_url = %q\nmodel = \"m\"\n", name, name, url)
		require.NoError(t, os.WriteFile(filepath.Join(w.dir, "home/config.toml"), []byte(config), 0o600))
		w.env = append(w.env, "OPENAI_API_KEY=k1", "ANTHROPIC_API_KEY=k1", "GEMINI_API_KEY=k1", "GOOGLE_API_KEY=k1")
		out, _ := w.run(filepath.Join(binaries, "blunux-aictl"), "ask", "disk full?")
		require.Contains(t, out, "There is room.")
		stopDaemon(w.sock)
	}
	return sizes
}

// fillHome writes 1,000 conversations and a note of today with 3,000 lines.
func fillHome(t *testing.T, w *world) {
	t.Helper()
	dir := filepath.Join(w.dir, "home/sessions")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	now := time.Now().UnixMilli()
	for i := range 1000 {
		text := fmt.Sprintf(`{"type":"user","content":"question %d","timestamp":%d,"message":{"role":"user","content":[{"type":"text","text":"question %d"}]}}
{"type":"thought","content":"answer %d","timestamp":%d,"message":{"role":"assistant","content":[{"type":"text","text":"answer %d"}]}}
`, i, now, i, i, now, i)
		file := fmt.Sprintf("agent%%3Amain%%3Asession%%3Acli%%2Fold%d.jsonl", i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	daily := filepath.Join(w.dir, "home/memory/daily")
	require.NoError(t, os.MkdirAll(daily, 0o700))
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "- %02d:%02d · question %d · df -h · there is room\n", i/60%24, i%60, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(daily, time.Now().Format(time.DateOnly)+".md"), []byte(b.String()), 0o600))
}

// costs returns the figures of one home.
func costs(t *testing.T, w *world) map[string]float64 {
	t.Helper()
	d := newDialogue(t, w)
	pid := daemonPID(w.sock)
	w.awaitRelease(t, time.Now())
	idle := smaps(t, pid)
	d.ask(0, 10) // the first ones prove the sandbox and fill caches
	before := w.awaitRelease(t, time.Now())
	figures := map[string]float64{"idle_anonymous": idle["Anonymous"], "idle_resident": idle["Rss"]}
	// The lowest of some rounds counts: on a busy machine more of what happens by time falls into a round, and the
	// runtime starts threads that it does not need.
	lowest := func(name string, n float64) {
		if least, ok := figures[name]; !ok || n < least {
			figures[name] = n
		}
	}
	const messages = 50
	for round := range 4 {
		d.ask(10+round*messages, messages)
		after := w.awaitRelease(t, time.Now())
		lowest("objects", (after.objects-before.objects)/messages)
		lowest("allocated", (after.bytes-before.bytes)/messages/1e3)
		before = after
	}
	m := smaps(t, pid)
	figures["after_anonymous"], figures["after_resident"] = m["Anonymous"], m["Rss"]
	for round := range 3 {
		for call, n := range d.countCalls(pid, 400+8*round, 8) {
			lowest(call, n)
		}
	}
	return figures
}

// dialogue is a connection that asks the same question again and again, eight times in each conversation.
type dialogue struct {
	t     *testing.T
	w     *world
	conn  net.Conn
	lines *bufio.Reader
}

func newDialogue(t *testing.T, w *world) *dialogue {
	t.Helper()
	w.run(filepath.Join(binaries, "blunux-aictl"), "status")
	c, err := net.Dial("unix", w.sock)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	d := &dialogue{t, w, c, bufio.NewReader(c)}
	d.send(`{"type":"hello","v":1,"id":"h","data":{"channel":"cli"}}`)
	return d
}

// send sends a line and returns the last frame of its answer.
func (d *dialogue) send(line string) string {
	d.t.Helper()
	_, err := io.WriteString(d.conn, line+"\n")
	require.NoError(d.t, err)
	for {
		frame, err := d.lines.ReadString('\n')
		require.NoError(d.t, err)
		if strings.Contains(frame, `"done":true`) {
			return frame
		}
	}
}

// ask asks n times.
func (d *dialogue) ask(from, n int) {
	d.t.Helper()
	for i := from; i < from+n; i++ {
		frame := d.send(`{"type":"message","id":"m","session":"b` + strconv.Itoa(i/8) + `","body":"disk full?"}`)
		require.Contains(d.t, frame, "There is room.")
	}
}

// counted are the system calls with a budget. The names of one figure are added up.
var counted = map[string][]string{
	"execve": {"execve"}, "fsync": {"fsync", "fdatasync"}, "open": {"openat", "open"}, "clone": {"clone", "clone3", "vfork"},
}

// countCalls asks n times and returns the system calls of the daemon and its commands for each message.
func (d *dialogue) countCalls(pid, from, n int) map[string]float64 {
	d.t.Helper()
	file := filepath.Join(d.t.TempDir(), "calls")
	var names []string
	for _, all := range counted {
		names = append(names, all...)
	}
	trace := exec.Command("strace", "-f", "-qq", "-o", file, "-e", "trace="+strings.Join(slices.DeleteFunc(names, func(s string) bool { return s == "open" || s == "vfork" }), ","), "-p", strconv.Itoa(pid))
	require.NoError(d.t, trace.Start())
	d.t.Cleanup(func() { _ = trace.Process.Kill() })
	require.Eventually(d.t, func() bool { return isTraced(pid) }, time.Minute, time.Millisecond)
	d.ask(from, n)
	require.NoError(d.t, trace.Process.Signal(syscall.SIGINT))
	_ = trace.Wait() // of the signal
	text, err := os.ReadFile(file)
	require.NoError(d.t, err)
	calls := map[string]float64{}
	for figure, all := range counted {
		re := regexp.MustCompile(`(?m)^\d+ +(` + strings.Join(all, "|") + `)\(`)
		calls[figure] = float64(len(re.FindAll(text, -1))) / float64(n)
	}
	return calls
}

// isTraced reports whether each thread of a process is traced.
func isTraced(pid int) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), "TracerPid:\t0\n") {
			return false
		}
	}
	return len(files) > 0
}

// allocations are the counters of the daemon's log.
type allocations struct{ objects, bytes float64 }

var released = regexp.MustCompile(`(?m)^(\S+) DBG memory released bytes=(\d+) live_bytes=\d+ objects=(\d+)$`)

// awaitRelease waits until the daemon has released its memory since a time, and returns its counters then.
func (w *world) awaitRelease(t *testing.T, since time.Time) (a allocations) {
	t.Helper()
	require.Eventually(t, func() bool {
		files, _ := filepath.Glob(filepath.Join(w.dir, "home/logs/blunux-ai.log.*"))
		for _, file := range files {
			text, _ := os.ReadFile(file)
			for _, line := range released.FindAllStringSubmatch(string(text), -1) {
				at, err := time.Parse(time.RFC3339Nano, line[1])
				require.NoError(t, err)
				if at.After(since) {
					a.bytes, _ = strconv.ParseFloat(line[2], 64)
					a.objects, _ = strconv.ParseFloat(line[3], 64)
					return true
				}
			}
		}
		return false
	}, 2*time.Minute, 20*time.Millisecond)
	return a
}
