package e2e

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// modelServer answers the first request of a turn with a call of check_disk, and the second one, which contains
// the result, with a short text. It streams if the request asks for it.
func modelServer(b testing.TB) string {
	b.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		// The second request of the turn ends with the tool's result.
		second := strings.LastIndex(string(body), `"role":"tool"`) > strings.LastIndex(string(body), `"role":"user"`)
		if !strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"ok"}}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		delta, finish := `{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"check_disk","arguments":"{}"}}]}`, "tool_calls"
		if second {
			delta, finish = `{"content":"There is room."}`, "stop"
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n", finish)
	})
	url, stop, err := serve(handler)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(stop)
	return url
}

// world is a home directory with a configured model, for one benchmark.
type world struct {
	b    testing.TB
	dir  string
	sock string
	env  []string
	url  string
}

func newWorld(b testing.TB) *world {
	b.Helper()
	w := &world{b: b, dir: b.TempDir(), url: modelServer(b)}
	w.sock = filepath.Join(w.dir, "blunux-ai.sock")
	home := filepath.Join(w.dir, "home")
	check(b, os.MkdirAll(home, 0o700))
	config := fmt.Sprintf("[ai_agent]\nprovider = \"custom\"\n[providers.custom]\nbase_url = %q\nmodel = \"m\"\n", w.url)
	check(b, os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600))
	check(b, os.Mkdir(filepath.Join(home, "config.d"), 0o700))
	check(b, os.WriteFile(filepath.Join(home, "config.d/10-senders.toml"), []byte(senders()), 0o600))
	w.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "TZ=" + os.Getenv("TZ"), "LANG=C.UTF-8", "BLUNUX_AI_AUTOMATIONS=off", "BLUNUX_AI_HOME=" + home, "BLUNUX_AI_SOCK=" + w.sock}
	b.Cleanup(func() { stopDaemon(w.sock) })
	return w
}

func check(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// run runs a program and returns its output and duration.
func (w *world) run(name string, args ...string) (string, time.Duration) {
	w.b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = w.env
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		w.b.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out), took
}

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}

func quantile(d []time.Duration, q float64) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[min(int(float64(len(s))*q), len(s)-1)]
}

// ratios reports two paired series: their medians, and the median of the pairwise ratios, which is not affected
// by changes of the machine's speed.
func ratios(b *testing.B, unit string, a, floor []time.Duration) {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = float64(a[i]) / float64(floor[i])
	}
	slices.Sort(r)
	b.ReportMetric(ms(median(a)), unit+"-ms")
	b.ReportMetric(ms(median(floor)), "floor-ms")
	b.ReportMetric(r[len(r)/2], "x-floor")
	b.ReportMetric(0, "ns/op")
	report.add(unit, "%.1f ms", ms(median(a)), ms(median(floor)), r[len(r)/2])
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

const pairs = 60

// BenchmarkAsk measures the main job with a warm daemon: client, daemon, two model requests, one df, all files
// synced. Goal: 1.5 x floor.
func BenchmarkAsk(b *testing.B) {
	w := newWorld(b)
	client, floor := filepath.Join(binaries, "blunux-aictl"), filepath.Join(binaries, "floor")
	var ask, bare []time.Duration
	for i := range pairs + 3 {
		out, took := w.run(client, "ask", "--session", strconv.Itoa(i), "disk full?")
		if !strings.Contains(out, "There is room.") {
			b.Fatalf("no answer: %s", out)
		}
		_, base := w.run(floor, w.url)
		if i >= 3 { // the first ones start the daemon and warm up the caches
			ask, bare = append(ask, took), append(bare, base)
		}
	}
	ratios(b, "ask", ask, bare)
}

// BenchmarkMessage measures the same on an open connection, against a resident floor. Goal: 2.0 x floor.
func BenchmarkMessage(b *testing.B) {
	w := newWorld(b)
	w.run(filepath.Join(binaries, "blunux-aictl"), "status")
	c, err := net.Dial("unix", w.sock)
	check(b, err)
	defer c.Close()
	ours := bufio.NewReader(c)
	say := func(line string) string {
		_, err := io.WriteString(c, line+"\n")
		check(b, err)
		for {
			got, err := ours.ReadString('\n')
			check(b, err)
			if strings.Contains(got, `"done":true`) {
				return got
			}
		}
	}
	say(`{"type":"hello","v":1,"id":"h","data":{"channel":"cli"}}`)

	sock := filepath.Join(w.dir, "floor.sock")
	resident := exec.Command(filepath.Join(binaries, "floor"), "-serve", sock, w.url)
	check(b, resident.Start())
	defer func() { _ = resident.Process.Kill(); _ = resident.Wait() }()
	f := dialWhenThere(b, sock)
	defer f.Close()
	theirs := bufio.NewReader(f)

	daemon := daemonPID(w.sock)
	var message, bare []time.Duration
	var ourCPU, floorCPU time.Duration
	for i := range 3*pairs + 5 {
		if i == 5 {
			ourCPU, floorCPU = cpuTime(b, daemon), cpuTime(b, resident.Process.Pid)
		}
		start := time.Now()
		got := say(`{"type":"message","id":"m","session":"b` + strconv.Itoa(i/8) + `","body":"disk full?"}`)
		took := time.Since(start)
		if !strings.Contains(got, "There is room.") {
			b.Fatalf("no answer: %s", got)
		}
		start = time.Now()
		_, err := io.WriteString(f, "disk full?\n")
		check(b, err)
		_, err = theirs.ReadString('\n')
		check(b, err)
		if i >= 5 {
			message, bare = append(message, took), append(bare, time.Since(start))
		}
	}
	b.ReportMetric(ms(quantile(message, 0.95)), "p95-ms")
	ratios(b, "message", message, bare)
	ourCPU, floorCPU = (cpuTime(b, daemon)-ourCPU)/(3*pairs), (cpuTime(b, resident.Process.Pid)-floorCPU)/(3*pairs)
	b.ReportMetric(ms(ourCPU), "cpu-ms")
	report.add("message, processor time", "%.1f ms", ms(ourCPU), ms(floorCPU), float64(ourCPU)/float64(floorCPU))
}

// cpuTime returns the processor time of a process and of the children that it waited for (proc_pid_stat(5)), in steps of
// 10 ms.
func cpuTime(b testing.TB, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	check(b, err)
	_, rest, _ := strings.Cut(string(text), ") ")
	ticks := 0
	for _, field := range strings.Fields(rest)[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.Atoi(field)
		check(b, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func dialWhenThere(b testing.TB, sock string) net.Conn {
	b.Helper()
	for range 500 {
		if c, err := net.Dial("unix", sock); err == nil {
			return c
		}
		<-time.After(2 * time.Millisecond)
	}
	b.Fatalf("nobody listens at %s", sock)
	return nil
}

// BenchmarkVersion measures the start of the thin client. Goal: 3 x an empty Go program.
func BenchmarkVersion(b *testing.B) {
	w := newWorld(b)
	empty := filepath.Join(w.dir, "empty")
	source := filepath.Join(w.dir, "empty.go")
	check(b, os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600))
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", empty, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var version, bare []time.Duration
	for range pairs {
		_, took := w.run(filepath.Join(binaries, "blunux-aictl"), "--version")
		_, base := w.run(empty)
		version, bare = append(version, took), append(bare, base)
	}
	ratios(b, "version", version, bare)
}

// BenchmarkColdStart measures the time from the first connection to a socket-activated daemon to the first byte
// of the answer, and to its end.
func BenchmarkColdStart(b *testing.B) {
	if _, err := exec.LookPath("systemd-socket-activate"); err != nil {
		b.Skip("systemd-socket-activate is not installed")
	}
	var first, whole []time.Duration
	for range 15 {
		w := newWorld(b)
		activator := exec.Command("systemd-socket-activate", "-l", w.sock, filepath.Join(binaries, "blunux-ai"), "daemon")
		activator.Env = w.env
		check(b, activator.Start())
		awaitListening(b, w.sock)
		start := time.Now()
		c, err := net.Dial("unix", w.sock)
		check(b, err)
		_, err = io.WriteString(c, `{"type":"message","from":"821012345678","body":"disk full?"}`+"\n")
		check(b, err)
		r := bufio.NewReader(c)
		_, err = r.ReadByte()
		check(b, err)
		first = append(first, time.Since(start))
		_, err = r.ReadString('\n')
		check(b, err)
		whole = append(whole, time.Since(start))
		c.Close()
		stopDaemon(w.sock)
		_ = activator.Process.Kill()
		_ = activator.Wait()
	}
	b.ReportMetric(ms(median(first)), "first-byte-ms")
	b.ReportMetric(ms(median(whole)), "answer-ms")
	b.ReportMetric(0, "ns/op")
	report.add("answer of a stopped daemon", "%.0f ms", ms(median(whole)), 0, 0)
}

// awaitListening waits until a process listens on a socket. It does not connect, because that would start the
// daemon.
func awaitListening(b testing.TB, sock string) {
	b.Helper()
	for range 2000 {
		text, err := os.ReadFile("/proc/net/unix")
		check(b, err)
		for line := range strings.Lines(string(text)) {
			// Flags 00010000 mark a listening socket, proc(5).
			if strings.HasSuffix(strings.TrimSpace(line), sock) && strings.Contains(line, " 00010000 ") {
				return
			}
		}
		<-time.After(time.Millisecond)
	}
	b.Fatalf("nobody listens at %s", sock)
}

// BenchmarkMemory measures the memory of an idle daemon before and after 200 messages.
func BenchmarkMemory(b *testing.B) {
	w := newWorld(b)
	w.run(filepath.Join(binaries, "blunux-aictl"), "status")
	pid := daemonPID(w.sock)
	measure := func(when string) {
		m := smaps(b, pid)
		b.ReportMetric(m["Rss"], when+"-RSS-MB")
		b.ReportMetric(m["Pss"], when+"-PSS-MB")
		b.ReportMetric(m["Anonymous"], when+"-anon-MB")
		report.add("memory "+when+", resident", "%.1f MiB", m["Rss"], 0, 0)
		report.add("memory "+when+", anonymous", "%.1f MiB", m["Anonymous"], 0, 0)
	}
	<-time.After(4 * time.Second) // an idle daemon releases memory after 2 s
	measure("idle")
	c, err := net.Dial("unix", w.sock)
	check(b, err)
	defer c.Close()
	r := bufio.NewReader(c)
	for i := range 200 {
		_, err := fmt.Fprintf(c, "{\"type\":\"message\",\"from\":\"82100000000%d\",\"body\":\"disk full?\"}\n", i%10)
		check(b, err)
		_, err = r.ReadString('\n')
		check(b, err)
	}
	<-time.After(4 * time.Second)
	measure("after200")
	b.ReportMetric(0, "ns/op")
}

// smaps returns a process's memory in MB (2^20 bytes), proc_pid_smaps(5).
func smaps(b testing.TB, pid int) map[string]float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	check(b, err)
	m := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[2] == "kB" {
			kb, err := strconv.ParseFloat(f[1], 64)
			check(b, err)
			m[strings.TrimSuffix(f[0], ":")] = kb / 1024
		}
	}
	return m
}

// BenchmarkSizes reports the sizes of the programs, and the largest packages of the daemon's.
func BenchmarkSizes(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(binaries, "blunux-ai*"))
	check(b, err)
	var all float64
	for _, file := range files {
		fi, err := os.Stat(file)
		check(b, err)
		size := float64(fi.Size()) / 1e6
		all += size
		b.ReportMetric(size, filepath.Base(file)+"-MB")
		report.add("size of "+filepath.Base(file), "%.1f MB", size, 0, 0)
	}
	report.add("size of all", "%.1f MB", all, 0, 0)
	b.ReportMetric(0, "ns/op")
	for _, p := range largestPackages(b, 12) {
		b.Logf("%6.0f kB  %s", p.kB, p.name)
		report.add("of blunux-ai: "+p.name, "%.0f kB", p.kB, 0, 0)
	}
}

type packageSize struct {
	name string
	kB   float64
}

// largestPackages returns the packages with the largest symbols of the daemon's program. Line tables, which are about a
// third of the file, are not counted.
func largestPackages(b *testing.B, n int) []packageSize {
	b.Helper()
	file := filepath.Join(b.TempDir(), "blunux-ai")
	build := exec.Command("go", "build", "-mod=readonly", "-trimpath", "-o", file, "../../cmd/blunux-ai")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	symbols, err := exec.Command("go", "tool", "nm", "-size", file).Output()
	check(b, err)
	sizes := map[string]float64{}
	for line := range strings.Lines(string(symbols)) {
		f := strings.Fields(line) // address, size, kind, name
		if len(f) < 4 || strings.ContainsAny(f[2], "bBdD") || strings.HasPrefix(f[3], "go:") {
			continue // data that is zero at first, which is not in the file, and the linker's own
		}
		size, err := strconv.ParseFloat(f[1], 64)
		check(b, err)
		dir, rest := filepath.Split(strings.TrimPrefix(f[3], "type:"))
		name, _, _ := strings.Cut(rest, ".")
		sizes[dir+name] += size / 1000
	}
	var all []packageSize
	for name, kB := range sizes {
		all = append(all, packageSize{name, kB})
	}
	slices.SortFunc(all, func(a, b packageSize) int { return cmp.Compare(b.kB, a.kB) })
	return all[:n]
}

// BenchmarkRoundTrip measures ping and pong: the latency with one client, and the throughput with 1, 10 and
// 100.
func BenchmarkRoundTrip(b *testing.B) {
	w := newWorld(b)
	w.run(filepath.Join(binaries, "blunux-aictl"), "status")
	var latency []time.Duration
	pings(b, w.sock, 5000, func(d time.Duration) { latency = append(latency, d) })
	b.ReportMetric(float64(quantile(latency, 0.5).Microseconds()), "p50-us")
	b.ReportMetric(float64(quantile(latency, 0.99).Microseconds()), "p99-us")
	for _, clients := range []int{1, 10, 100} {
		const total = 20_000
		start := time.Now()
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() { pings(b, w.sock, total/clients, nil) })
		}
		wg.Wait()
		b.ReportMetric(total/time.Since(start).Seconds(), fmt.Sprintf("msg/s-%d-clients", clients))
	}
	b.ReportMetric(0, "ns/op")
}

func pings(b *testing.B, sock string, n int, each func(time.Duration)) {
	c, err := net.Dial("unix", sock)
	if err != nil {
		b.Error(err)
		return
	}
	defer c.Close()
	conn := ipc.NewConn(c)
	for range n {
		start := time.Now()
		if err := conn.Write(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPing, From: "__ping__"}); err != nil {
			b.Error(err)
			return
		}
		if m, err := conn.Read(); err != nil || m.Body != "pong" {
			b.Error(m, err)
			return
		}
		if each != nil {
			each(time.Since(start))
		}
	}
}

// BenchmarkRequestSize measures what is sent to a model for one question.
func BenchmarkRequestSize(b *testing.B) {
	var sizes []int
	var mu sync.Mutex
	url, stop, err := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		sizes = append(sizes, len(body))
		mu.Unlock()
		message := `{"role":"assistant","content":"ok"}`
		if !strings.Contains(string(body), `"role":"tool"`) {
			message = `{"role":"assistant","tool_calls":[{"id":"t1","type":"function","function":{"name":"check_disk","arguments":"{}"}}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":%s,"finish_reason":"stop"}]}`, message)
	}))
	check(b, err)
	b.Cleanup(stop)
	w := newWorld(b)
	config, err := json.Marshal(url)
	check(b, err)
	check(b, os.WriteFile(filepath.Join(w.dir, "home/config.toml"), []byte("[ai_agent]\nprovider = \"custom\"\n[providers.custom]\nmodel = \"m\"\nbase_url = "+string(config)+"\n"), 0o600))
	w.run(filepath.Join(binaries, "blunux-aictl"), "ask", "disk full?")
	total := 0
	for _, s := range sizes {
		total += s
	}
	b.ReportMetric(float64(total)/1024, "KiB")
	b.ReportMetric(float64(len(sizes)), "requests")
	b.ReportMetric(0, "ns/op")
}
