package e2e

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// The capacity of one daemon, and the cost of large numbers of things. The model is a script inside the daemon,
// so it takes no time itself.

const sayPlot = "[[step]]\nuser_match = '^say (\\w+)$'\ntext = \"heard {{user.1}}\"\nforever = true\n"

// newScriptedWorld returns a home directory whose model follows a script.
func newScriptedWorld(b testing.TB, plot string) *world {
	b.Helper()
	w := newWorld(b)
	w.plot(plot)
	check(b, os.WriteFile(filepath.Join(w.dir, "home/config.toml"), []byte("[ai_agent]\nprovider = \"scripted:"+w.dir+"/plot.toml\"\n"), 0o600))
	return w
}

func (w *world) plot(text string) {
	check(w.b, os.WriteFile(filepath.Join(w.dir, "plot.toml"), []byte(text), 0o600))
}

// start starts a daemon and returns it with its start time.
func (w *world) start() (*exec.Cmd, time.Time) {
	w.b.Helper()
	cmd := exec.Command(filepath.Join(binaries, "blunux-ai"), "daemon")
	cmd.Env = w.env
	began := time.Now()
	check(w.b, cmd.Start())
	return cmd, began
}

func (w *world) kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	waitUntil(w.b, "nobody to listen", func() bool { return daemonPID(w.sock) == 0 }) // a child may hold the socket until its exec
}

// speaker is a client with its own conversation.
type speaker struct {
	conn    *ipc.Conn
	c       net.Conn
	session string
}

func (w *world) speaker(session string) *speaker {
	c := dialWhenThere(w.b, w.sock)
	s := &speaker{ipc.NewConn(c), c, session}
	check(w.b, s.conn.Write(ipc.Message{Type: ipc.TypeHello, V: 1, ID: "h"}.WithData(ipc.Hello{Channel: "cli"})))
	_, err := s.conn.Read()
	check(w.b, err)
	return s
}

// say asks once and returns an error if the answer is wrong.
func (s *speaker) say(word string) error {
	if err := s.conn.Write(ipc.Message{Type: ipc.TypeMessage, ID: "m", Session: s.session, Body: "say " + word}); err != nil {
		return err
	}
	for {
		m, err := s.conn.Read()
		if err != nil {
			return err
		}
		if m.Done && m.Body != "heard "+word {
			return fmt.Errorf("%w: %+v", errUnexpected, m)
		}
		if m.Done {
			return nil
		}
	}
}

// runConcurrently calls do n times in each of several workers and returns the calls per second.
func runConcurrently(b *testing.B, workers, n int, do func(worker, i int) error) float64 {
	b.Helper()
	start := time.Now()
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for i := range n {
				if err := do(worker, i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return float64(workers*n) / time.Since(start).Seconds()
}

// BenchmarkThroughput measures messages per second from client to client with all files synced. The floor
// appends and syncs one line per message with the same number of writers, alternating with it.
func BenchmarkThroughput(b *testing.B) {
	w := newScriptedWorld(b, sayPlot)
	cmd, _ := w.start()
	defer w.kill(cmd)
	for _, c := range []struct {
		name          string
		speakers, say int
	}{{"1-client", 1, 300}, {"16-clients", 16, 60}, {"100-sessions", 100, 12}} {
		speakers, files := make([]*speaker, c.speakers), make([]*os.File, c.speakers)
		for i := range speakers {
			speakers[i] = w.speaker(fmt.Sprintf("%s%d", c.name, i))
			f, err := os.Create(filepath.Join(w.dir, fmt.Sprintf("floor-%s%d", c.name, i)))
			check(b, err)
			files[i] = f
		}
		line := append(bytes.Repeat([]byte("x"), 299), '\n')
		var rate, floor float64
		const turns = 3
		for range turns {
			rate += runConcurrently(b, c.speakers, c.say, func(n, i int) error { return speakers[n].say("w" + itoa(i)) }) / turns
			floor += runConcurrently(b, c.speakers, c.say, func(n, _ int) error {
				if _, err := files[n].Write(line); err != nil {
					return err
				}
				return syscall.Fdatasync(int(files[n].Fd()))
			}) / turns
		}
		b.ReportMetric(rate, c.name+"-msg/s")
		b.ReportMetric(floor, c.name+"-floor/s")
		for i := range speakers {
			speakers[i].c.Close()
			files[i].Close()
		}
	}
	b.ReportMetric(0, "ns/op")
}

func itoa(n int) string { return strconv.Itoa(n) }

// BenchmarkRecovery measures the time from the start of a daemon to its first answer: with an empty disk, with
// 10,000 conversations, and with 1,000 tasks of a killed daemon, which it also executes.
func BenchmarkRecovery(b *testing.B) {
	w := newScriptedWorld(b, sayPlot)
	first := func() time.Duration {
		cmd, began := w.start()
		defer w.kill(cmd)
		check(b, w.speaker("first").say("hello"))
		return time.Since(began)
	}
	several := func(name string) {
		var took []time.Duration
		for range 5 {
			took = append(took, first())
		}
		b.ReportMetric(ms(median(took)), name+"-ms")
	}
	first()
	several("empty")

	sessions := filepath.Join(w.dir, "home/sessions")
	files, err := os.ReadDir(sessions)
	check(b, err)
	text, err := os.ReadFile(filepath.Join(sessions, files[0].Name()))
	check(b, err)
	for i := range 10_000 {
		check(b, os.WriteFile(filepath.Join(sessions, strings.Replace(files[0].Name(), "first", fmt.Sprintf("s%d", i), 1)), text, 0o600))
	}
	several("10000-sessions")

	w.leaveTasks(1000)
	cmd, began := w.start()
	defer w.kill(cmd)
	check(b, w.speaker("first").say("hello"))
	b.ReportMetric(ms(time.Since(began)), "1000-tasks-ms")
	waitUntil(b, "all to be done", func() bool { return w.status().Running == 0 })
	b.ReportMetric(ms(time.Since(began)), "1000-tasks-done-ms")
	if n := w.status().Notifications; n != 1000 {
		b.Fatalf("%d answers wait to be polled", n)
	}
	b.ReportMetric(0, "ns/op")
}

// leaveTasks sends n questions to a daemon and kills it before it answers.
func (w *world) leaveTasks(n int) {
	w.b.Helper()
	w.plot("[[step]]\nuser = \"say\"\nwait = true\nforever = true\n")
	cmd, _ := w.start()
	const each = 100
	for i := range n / each {
		c := dialWhenThere(w.b, w.sock)
		for j := range each {
			_, err := fmt.Fprintf(c, `{"type":"message","from":"8210%08d","body":"say w%d"}`+"\n", i, j)
			check(w.b, err)
		}
		defer c.Close()
	}
	waitUntil(w.b, "all to be accepted", func() bool { s := w.status(); return s.Running+s.Waiting == n })
	w.kill(cmd)
	w.plot(sayPlot)
}

// status returns the daemon's status.
func (w *world) status() (s ipc.Status) {
	w.b.Helper()
	c := w.speaker("")
	defer c.c.Close()
	check(w.b, c.conn.Write(ipc.Message{Type: ipc.TypeQuery, ID: "q"}.WithData(ipc.Query{What: "status"})))
	m, err := c.conn.Read()
	check(w.b, err)
	check(w.b, m.Decode(&s))
	return s
}

// BenchmarkManySessions measures the cost of 1,000 conversations: while each has a connection that was just
// answered, and after all have disconnected.
func BenchmarkManySessions(b *testing.B) {
	w := newScriptedWorld(b, sayPlot)
	cmd, _ := w.start()
	defer w.kill(cmd)
	check(b, w.speaker("first").say("hello"))
	report := func(when string) {
		<-time.After(4 * time.Second) // memory is released after 2 s
		b.ReportMetric(smaps(b, cmd.Process.Pid)["Rss"], when+"-RSS-MB")
	}
	report("before")
	for range 3 {
		speakers := make([]*speaker, 1000)
		for i := range speakers {
			speakers[i] = w.speaker(fmt.Sprintf("%p%d", speakers, i))
		}
		runConcurrently(b, 100, 10, func(worker, i int) error { return speakers[10*worker+i].say("hello") })
		report("open")
		for _, s := range speakers {
			s.c.Close()
		}
		report("after")
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	check(b, err)
	highest, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s+(\d+)`).FindSubmatch(status)[1]))
	check(b, err)
	b.ReportMetric(float64(highest)/1024, "highest-RSS-MB")
	b.ReportMetric(0, "ns/op")
}
