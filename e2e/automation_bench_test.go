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

// What automations cost a machine that does nothing else. Started by systemd, the
// daemon leaves when nothing is at work: between due times there is no process, and
// that costs nothing. These are of a daemon that stays, in the foreground, and of
// one that is started because a rule is due.

// idleFor is how long a daemon that has nothing to do is looked at: two looks at
// the clock, and what else may come once a minute. BLUNUX_AI_BENCH_IDLE is another
// time.
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

// automate has daemons of the world know these rules and no others.
func (w *world) automate(rules string) {
	w.b.Helper()
	for i, kv := range w.env {
		w.env[i] = strings.Replace(kv, "BLUNUX_AI_AUTOMATIONS=off", "BLUNUX_AI_AUTOMATIONS=on", 1)
	}
	check(w.b, os.WriteFile(filepath.Join(w.dir, "home/automations.toml"), []byte(rules), 0o600))
}

// notForHours are rules none of which is due in the next six hours.
func notForHours(n int) string {
	now := time.Now().UTC()
	var text strings.Builder
	for i := range n {
		at := now.Add(6*time.Hour + time.Duration(i)*10*time.Minute)
		fmt.Fprintf(&text, "[[automation]]\nname = \"rule %d\"\nschedule = \"CRON_TZ=UTC %d %d * * *\"\ncheck = \"disk\"\n", i, at.Minute(), at.Hour()%24)
	}
	return text.String()
}

// spent is what a process has had of the machine.
type spent struct {
	cpu   time.Duration
	wakes int // how often a thread of it was put on a processor
	at    time.Time
}

// spentBy reads what a process has had: the processor's time of all its threads to
// the nanosecond (schedstat), and how often each gave it up or lost it
// (ctxt_switches), which is how often it was given it.
//
// Source: proc_pid_status(5); Documentation/scheduler/sched-stats.rst of Linux.
func spentBy(b *testing.B, pid int) spent {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	check(b, err)
	s := spent{at: time.Now()}
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

// bus starts a message bus with nobody on it, for the world's daemons, which would
// look for one ever again. Where there is no dbus-daemon they do.
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

// idler is a daemon that is looked at while it has nothing to do.
type idler struct {
	name   string
	rules  int
	cmd    *exec.Cmd
	before spent
}

// BenchmarkIdle is what a daemon costs in an hour that has nothing to do, with 100
// rules and, beside it at the same time, with none: the floor. With rules there are
// 120 looks at the clock in an hour. How many wakeups one of them is swings by five
// times from run to run: Go's sysmon naps up to 50 times for 20 µs behind whatever
// runs, and each nap counts.
func BenchmarkIdle(b *testing.B) {
	long := idleFor(b)
	idlers := []*idler{{name: "floor"}, {name: "100-rules", rules: 100}}
	for _, i := range idlers {
		w := newWorld(b)
		w.bus()
		w.automate(notForHours(i.rules))
		i.cmd, _ = w.start()
		defer w.kill(i.cmd)
		dialWhenThere(b, w.sock).Close()
		if n := w.status().Automations; n != i.rules {
			b.Fatalf("%d rules are known, not %d", n, i.rules)
		}
	}
	<-time.After(5 * time.Second) // it gives memory back 2 s after it was asked
	for _, i := range idlers {
		i.before = spentBy(b, i.cmd.Process.Pid)
	}
	<-time.After(long)
	for _, i := range idlers {
		now := spentBy(b, i.cmd.Process.Pid)
		hours := now.at.Sub(i.before.at).Hours()
		b.ReportMetric(ms(now.cpu-i.before.cpu)/hours, i.name+"-cpu-ms/hour")
		b.ReportMetric(float64(now.wakes-i.before.wakes)/hours, i.name+"-wakeups/hour")
		b.ReportMetric(smaps(b, i.cmd.Process.Pid)["Rss"], i.name+"-rss-MiB")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWake is the processor's time of one start of the daemon because a rule
// is due: it looks at the disks, finds nothing to tell and leaves. The floor is the
// same start with no rules.
func BenchmarkWake(b *testing.B) {
	w := newWorld(b)
	const rule = "[[automation]]\nname = \"disk\"\nschedule = \"0 0 1 1 *\"\ncheck = \"disk\"\nover = 100\n"
	ledger := filepath.Join(w.dir, "home/automations/ledger.jsonl")
	w.automate(rule)
	w.wake() // it is new: due from now on
	seen, err := os.ReadFile(ledger)
	check(b, err)
	// As it would be had the machine been off since then.
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
		if i >= 2 { // the first ones warm the caches
			woken, bare = append(woken, took), append(bare, base)
		}
	}
	ratios(b, "wake-cpu", woken, bare)
}

// wake runs a daemon until it leaves and returns the processor's time of it and of
// what it started and waited for.
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
