package e2e

import (
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/nidoit/blunux-ai/ipc"
)

// inTerminal runs a program directly on a terminal and returns how long it took to show a text.
func inTerminal(b *testing.B, env []string, shows string, program string, args ...string) (took time.Duration, cmd *exec.Cmd, end func()) {
	b.Helper()
	control, tty, err := pty.Open()
	check(b, err)
	check(b, pty.Setsize(control, &pty.Winsize{Rows: 30, Cols: 100}))
	cmd = exec.Command(program, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	start := time.Now()
	check(b, cmd.Start())
	tty.Close()
	shown, all := make(chan time.Duration, 1), make(chan struct{})
	go func() {
		defer close(all)
		var text strings.Builder
		buf := make([]byte, 32<<10)
		for told := false; ; {
			n, err := control.Read(buf)
			text.Write(buf[:n])
			if !told && strings.Contains(text.String(), shows) {
				shown <- time.Since(start)
				told = true
			}
			if err != nil {
				return
			}
		}
	}()
	select {
	case took = <-shown:
	case <-time.After(eventTimeout):
		b.Fatalf("%s never showed %q", program, shows)
	}
	return took, cmd, func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // the exit status does not matter
		control.Close()
		<-all
	}
}

func chatEnv(w *world) []string {
	return append(slices.Clone(w.env), "TERM=xterm-256color", "BLUNUX_AI_LANG=en")
}

// BenchmarkChatFirstFrame measures the time from the start of the chat to its first frame with a running
// daemon. The floor for the full-screen chat is a program that shows one line. Both chats are also compared
// with the same program printing its version.
func BenchmarkChatFirstFrame(b *testing.B) {
	const starts = 20
	b.Run("screen", func(b *testing.B) {
		w := newWorld(b)
		w.run(binaries+"/blunux-aictl", "status") // start the daemon
		var took, floor, version []time.Duration
		for range starts {
			_, told := w.run(binaries+"/blunux-ai", "--version")
			bare, _, end := inTerminal(b, chatEnv(w), "nothing but a line", binaries+"/screen")
			end()
			first, _, end := inTerminal(b, chatEnv(w), "How can I help", binaries+"/blunux-ai", "chat")
			end()
			took, floor, version = append(took, first), append(floor, bare), append(version, told)
		}
		ratios(b, "chat-frame", took, floor)
		b.ReportMetric(ms(median(version)), "version-ms")
	})
	b.Run("plain", func(b *testing.B) {
		w := newWorld(b)
		w.run(binaries+"/blunux-aictl", "status")
		var took, floor []time.Duration
		for range starts {
			_, told := w.run(binaries+"/blunux-ai", "--version")
			first, _, end := inTerminal(b, chatEnv(w), "How can I help", binaries+"/blunux-ai", "chat", "--plain")
			end()
			took, floor = append(took, first), append(floor, told)
		}
		ratios(b, "plain-chat-frame", took, floor)
	})
}

// BenchmarkChatMemory measures the memory of a chat that shows nothing yet, and of one that shows 10,000
// messages.
func BenchmarkChatMemory(b *testing.B) {
	const messages = 10_000
	for name, n := range map[string]int{"empty": 1, "crowded": messages} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			shown := startNotifier(b, w.sock, n)
			_, cmd, end := inTerminal(b, chatEnv(w), "Enter send", binaries+"/blunux-ai", "chat")
			defer end()
			select {
			case <-shown:
			case <-time.After(eventTimeout):
				b.Fatal("the chat never showed them all")
			}
			b.ReportMetric(vmRSS(b, cmd.Process.Pid), "rss-MiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// startNotifier is a fake daemon with n notifications. It closes shown when the last one is acknowledged.
func startNotifier(b *testing.B, sock string, n int) (shown chan struct{}) {
	b.Helper()
	shown = make(chan struct{})
	l, err := net.Listen("unix", sock)
	check(b, err)
	check(b, os.Chmod(sock, 0o600))
	b.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go sendNotices(ipc.NewConn(c), n, shown)
		}
	}()
	return shown
}

func sendNotices(c *ipc.Conn, n int, shown chan<- struct{}) {
	defer c.Close()
	for {
		m, err := c.Read()
		if err != nil {
			return
		}
		switch m.Type {
		case ipc.TypeHello:
			err = c.Write(ipc.Message{Type: ipc.TypeHello, Re: m.ID, Done: true}.WithData(ipc.Hello{Server: "x/1", Lang: "en"}))
		case ipc.TypeSubscribe:
			for i := 1; i <= n && err == nil; i++ {
				err = c.Write(ipc.Message{Type: ipc.TypeEvent, Re: m.ID, Seq: int64(i)}.WithData(map[string]any{
					"topic": ipc.TopicNotifications,
					"what":  ipc.Notice{ID: strconv.Itoa(i), Channel: "cli", Body: strings.Repeat("words of a message, ", 10)},
				}))
			}
		case ipc.TypeAction:
			var all ipc.Acknowledgement
			if err = m.Decode(&all); slices.Contains(all.IDs, strconv.Itoa(n)) {
				close(shown)
			}
		}
		if err != nil {
			return
		}
	}
}

// BenchmarkChatIdle measures the cost of an idle chat: wakeups and CPU time in ten seconds, and memory.
func BenchmarkChatIdle(b *testing.B) {
	for name, args := range map[string][]string{"screen": {"chat"}, "plain": {"chat", "--plain"}} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			w.run(binaries+"/blunux-aictl", "status")
			_, cmd, end := inTerminal(b, chatEnv(w), "How can I help", binaries+"/blunux-ai", args...)
			defer end()
			<-time.After(3 * time.Second) // connected and drawn
			before := readUsage(b, cmd.Process.Pid)
			<-time.After(10 * time.Second)
			after := readUsage(b, cmd.Process.Pid)
			b.ReportMetric(float64(after.wakes-before.wakes), "wakes/10s")
			b.ReportMetric(ms(after.cpu-before.cpu), "cpu-ms/10s")
			b.ReportMetric(vmRSS(b, cmd.Process.Pid), "rss-MiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// vmRSS returns the resident memory of a process in MiB (proc_pid_status(5)).
func vmRSS(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	check(b, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			check(b, err)
			return float64(kib) / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
