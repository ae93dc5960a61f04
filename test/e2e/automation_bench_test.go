package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The cost of automations on an otherwise idle machine. Under systemd the daemon exits when it is idle, so
// there is no process and no cost between due times. These benchmarks measure a daemon that stays in the
// foreground, and one that is started for a due rule.

// idleFor returns how long to observe an idle daemon: long enough for two checks of the clock and other work
// that is done once a minute. BLUNUX_AI_BENCH_IDLE overrides it.
func idleFor(b *testing.B) time.Duration {
	b.Helper()
	text := os.Getenv("BLUNUX_AI_BENCH_IDLE")
	if text == "" {
		return 65 * time.Second
	}
	long, err := time.ParseDuration(text)
	check(b, err)
	return long
}

// automate replaces the rules of the world's daemons.
func (w *world) automate(rules string) {
	w.b.Helper()
	for i, kv := range w.env {
		w.env[i] = strings.Replace(kv, "BLUNUX_AI_AUTOMATIONS=off", "BLUNUX_AI_AUTOMATIONS=on", 1)
	}
	check(w.b, os.WriteFile(filepath.Join(w.dir, "home/automations.toml"), []byte(rules), 0o600))
}

// distantRules returns rules that are not due in the next six hours.
func distantRules(n int) string {
	now := time.Now().UTC()
	var text strings.Builder
	for i := range n {
		at := now.Add(6*time.Hour + time.Duration(i)*10*time.Minute)
		fmt.Fprintf(&text, "[[automation]]\nname = \"rule %d\"\nschedule = \"CRON_TZ=UTC %d %d * * *\"\ncheck = \"disk\"\n", i, at.Minute(), at.Hour()%24)
	}
	return text.String()
}

// resourceUsage is the resources that a process has used.
type resourceUsage struct {
	cpu   time.Duration
	wakes int // context switches of all threads
	at    time.Time
}

// readUsage reads the resources that a process has used: the CPU time of all its threads in nanoseconds
// (schedstat), and how often each gave up or lost the CPU (ctxt_switches), which is also how often it got it.
//
// Source: proc_pid_status(5); Documentation/scheduler/sched-stats.rst of Linux.
func readUsage(b *testing.B, pid int) resourceUsage {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	check(b, err)
	s := resourceUsage{at: time.Now()}
	for _, task := range tasks {
		status, err := os.ReadFile(task + "/status")
		check(b, err)
		for line := range strings.Lines(string(status)) {
			if name, n, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "voluntary_ctxt_switches") {
				count, err := strconv.Atoi(strings.TrimSpace(n))
				check(b, err)
				s.wakes += count
			}
		}
		stat, err := os.ReadFile(task + "/schedstat")
		check(b, err)
		ns, err := strconv.ParseInt(strings.Fields(string(stat))[0], 10, 64)
		check(b, err)
		s.cpu += time.Duration(ns)
	}
	return s
}

// bus starts an empty message bus for the world's daemons, which would otherwise retry to connect forever.
// Without dbus-daemon they do.
func (w *world) bus() {
	w.b.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		return
	}
	address, config := "unix:path="+w.dir+"/bus", w.dir+"/bus.conf"
	check(w.b, os.WriteFile(config, []byte("<busconfig><listen>"+address+"</listen><policy context=\"default\"><allow send_destination=\"*\"/><allow own=\"*\"/></policy></busconfig>"), 0o600))
	cmd := exec.Command("dbus-daemon", "--nofork", "--nopidfile", "--config-file="+config)
	check(w.b, cmd.Start())
	w.b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	dialWhenThere(w.b, w.dir+"/bus").Close()
	w.env = append(w.env, "DBUS_SYSTEM_BUS_ADDRESS="+address, "DBUS_SESSION_BUS_ADDRESS="+address)
}

// idleDaemon is an observed idle daemon.
type idleDaemon struct {
	name   string
	rules  int
	cmd    *exec.Cmd
	before resourceUsage
}

// BenchmarkIdle measures the cost of an idle hour of a daemon with 100 rules and, at the same time, of one
// without rules as the floor. With rules the daemon checks the clock 120 times an hour. The wakeups per check
// vary by a factor of five between runs: Go's sysmon naps up to 50 times for 20 µs after any activity, and each
// nap counts.
func BenchmarkIdle(b *testing.B) {
	long := idleFor(b)
	idlers := []*idleDaemon{{name: "floor"}, {name: "100-rules", rules: 100}}
	for _, i := range idlers {
		w := newWorld(b)
		w.bus()
		w.automate(distantRules(i.rules))
		i.cmd, _ = w.start()
		defer w.kill(i.cmd)
		dialWhenThere(b, w.sock).Close()
		if n := w.status().Automations; n != i.rules {
			b.Fatalf("%d rules are known, not %d", n, i.rules)
		}
	}
	<-time.After(5 * time.Second) // the daemon releases memory 2 s after a request
	for _, i := range idlers {
		i.before = readUsage(b, i.cmd.Process.Pid)
	}
	<-time.After(long)
	for _, i := range idlers {
		now := readUsage(b, i.cmd.Process.Pid)
		hours := now.at.Sub(i.before.at).Hours()
		b.ReportMetric(ms(now.cpu-i.before.cpu)/hours, i.name+"-cpu-ms/hour")
		b.ReportMetric(float64(now.wakes-i.before.wakes)/hours, i.name+"-wakeups/hour")
		b.ReportMetric(smaps(b, i.cmd.Process.Pid)["Rss"], i.name+"-rss-MiB")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWake measures the CPU time of a start for a due rule: the daemon checks the disks, finds nothing to
// report and exits. The floor is the same start without rules.
func BenchmarkWake(b *testing.B) {
	w := newWorld(b)
	const rule = "[[automation]]\nname = \"disk\"\nschedule = \"0 0 1 1 *\"\ncheck = \"disk\"\nover = 100\n"
	ledger := filepath.Join(w.dir, "home/automations/ledger.jsonl")
	w.automate(rule)
	w.wake() // the rule is new: due times count from now
	seen, err := os.ReadFile(ledger)
	check(b, err)
	// Pretend that the machine has been off since then.
	overslept := regexp.MustCompile(`"through":"[^"]*"`).ReplaceAll(seen, fmt.Appendf(nil, `"through":%q`, time.Now().AddDate(-1, 0, -1).Format(time.RFC3339)))
	var woken, bare []time.Duration
	for i := range 12 {
		w.automate("")
		base := w.wake()
		w.automate(rule)
		check(b, os.WriteFile(ledger, overslept, 0o600))
		took := w.wake()
		did, err := os.ReadFile(ledger)
		check(b, err)
		if !bytes.Contains(did, []byte(`"state":"LATE"`)) {
			b.Fatalf("nothing ran:\n%s", did)
		}
		if i >= 2 { // the first ones warm up the caches
			woken, bare = append(woken, took), append(bare, base)
		}
	}
	ratios(b, "wake-cpu", woken, bare)
}

// wake runs a daemon until it exits, and returns the CPU time of it and its reaped children.
func (w *world) wake() time.Duration {
	w.b.Helper()
	cmd := exec.Command(filepath.Join(binaries, "blunux-ai"), "daemon", "--idle-exit", "1s")
	cmd.Env = w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.b.Fatalf("%v\n%s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
