package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/test/providertest"
)

// commands returns the additional commands of scripts.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"model":  cmdModel,
		"pages":  cmdPages,
		"config": cmdConfig,
		"talk":   cmdTalk,
		"reload": cmdReload,
		"signal": cmdKill,
		"await":  cmdAwait,
		"fill":   cmdFill,
		"answer": cmdAnswer,
	}
}

// cmdModel starts a model server on loopback with one of the named plots and sets $MODEL_URL: model
// anthropic|chat|gemini PLOT.
func cmdModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: model anthropic|chat|gemini PLOT")
	}
	plot, ok := plots[args[1]]
	if !ok {
		ts.Fatalf("no plot %q", args[1])
	}
	handler := providertest.NewChatCompletions(plot)
	switch args[0] {
	case "anthropic":
		handler = providertest.NewAnthropic(plot)
	case "gemini":
		handler = providertest.NewGemini(plot)
	}
	url, stop, err := serve(handler)
	ts.Check(err)
	ts.Defer(stop)
	ts.Setenv("MODEL_URL", url)
}

// cmdPages serves a directory on loopback and sets $PAGES to the host and port; /away redirects to another port: pages DIR.
func cmdPages(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: pages DIR")
	}
	files := http.FileServerFS(os.DirFS(ts.MkAbs(args[0])))
	url, stop, err := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://127.0.0.2:1/?data=4711", http.StatusFound)
			return
		}
		files.ServeHTTP(w, r)
	}))
	ts.Check(err)
	ts.Defer(stop)
	ts.Setenv("PAGES", strings.TrimPrefix(url, "http://"))
}

// cmdConfig writes the user's configuration and expands $VARIABLES in it: config FILE.
func cmdConfig(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: config FILE")
	}
	dir := ts.Getenv("CONFIG")
	ts.Check(os.MkdirAll(dir, 0o700))
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600))
}

// cmdTalk sends the lines of a file to the daemon on one connection and prints the replies: talk FILE. A line
// "< N" waits for N lines, "< close" for the end of the connection. "< eof" closes the sending side and waits
// for the end.
func cmdTalk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: talk FILE")
	}
	c, err := net.DialTimeout("unix", ts.Getenv("SOCK"), 5*time.Second)
	ts.Check(err)
	defer c.Close()
	ts.Check(c.SetDeadline(time.Now().Add(60 * time.Second)))
	r := bufio.NewReader(c)
	for _, line := range lines(ts.ReadFile(args[0])) {
		wait, ok := strings.CutPrefix(line, "< ")
		if !ok {
			_, err := io.WriteString(c, strings.TrimPrefix(line, "> ")+"\n")
			ts.Check(err)
			continue
		}
		if wait == "eof" {
			ts.Check(c.(*net.UnixConn).CloseWrite())
		}
		if wait == "close" || wait == "eof" {
			rest, err := io.ReadAll(r)
			ts.Check(err)
			fmt.Fprint(ts.Stdout(), string(rest))
			continue
		}
		n, err := strconv.Atoi(wait)
		ts.Check(err)
		for range n {
			got, err := r.ReadString('\n')
			ts.Check(err)
			fmt.Fprint(ts.Stdout(), got)
		}
	}
}

// cmdReload makes the daemon reload its configuration and waits for it: reload.
func cmdReload(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: reload")
	}
	ts.Check(ts.Exec("blunux-aictl", "call", `{"type":"action","action":"reload"}`))
}

// cmdKill sends a signal to the daemon and waits until it has exited: signal KILL.
func cmdKill(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	if neg || len(args) != 1 || signals[args[0]] == 0 {
		ts.Fatalf("usage: signal KILL|TERM|HUP")
	}
	pid := daemonPID(ts.Getenv("SOCK"))
	if pid == 0 {
		ts.Fatalf("no daemon is running")
	}
	ts.Check(syscall.Kill(pid, signals[args[0]]))
	if signals[args[0]] != syscall.SIGHUP {
		awaitGone(pid)
	}
}

// cmdAwait waits until a file contains a text: await FILE TEXT.
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(text), args[1]) != neg {
			return
		}
	}
	ts.Fatalf("%s does not hold %q", args[0], args[1])
}

// cmdFill creates a file of the given size: fill FILE BYTES.
func cmdFill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill FILE BYTES")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat("x", n)), 0o600))
}

// daemonPID returns the process that listens on a socket, or 0.
func daemonPID(sock string) int {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: sock, Net: "unix"})
	if err != nil {
		return 0
	}
	defer c.Close()
	peer, err := ipc.PeerOf(c)
	if err != nil {
		return 0
	}
	return peer.PID
}

func stopDaemon(sock string) {
	if pid := daemonPID(sock); pid > 1 && pid != os.Getpid() {
		_ = syscall.Kill(pid, syscall.SIGTERM)
		awaitGone(pid)
	}
}

// awaitGone waits until a process has exited, at most 20 s.
func awaitGone(pid int) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); <-time.After(2 * time.Millisecond) {
		if syscall.Kill(pid, 0) != nil || isZombie(pid) {
			return
		}
	}
}

// isZombie reports whether a process has exited but is not reaped yet.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z")
}
