package machine

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// PSProbe lists the processes, those with most memory first.
var PSProbe = Probe{"ps", "aux", "--sort=-%mem"}

// Process is a row of ps aux.
type Process struct {
	User     string
	PID      int
	CPU, Mem float64 // percent
	RSS      float64 // bytes
	State    string
	CPUTime  string // minutes and seconds: "612:41"
	Command  []string
}

// ParsePS parses ps aux. Columns are those of ps(1), "u" format: USER PID %CPU %MEM VSZ RSS TTY STAT START TIME
// COMMAND. The command is everything from the eleventh field on.
func ParsePS(text []byte) ([]Process, error) {
	out := lineRows(text, func(line string) (p Process, ok bool) {
		f := strings.Fields(line)
		if len(f) < 11 {
			return p, false
		}
		pid, errPID := strconv.Atoi(f[1])
		cpu, okCPU := ParseNumber(f[2])
		mem, okMem := ParseNumber(f[3])
		rss, err := strconv.ParseFloat(f[5], 64)
		ok = okCPU && okMem && err == nil && rss >= 0 && errPID == nil
		return Process{f[0], pid, cpu, mem, rss * 1024, f[7], f[9], f[10:]}, ok
	})
	return readable(out, len(out) > 0, "ps")
}

// IsZombie reports whether the process has ended and was not reaped.
func (p Process) IsZombie() bool { return strings.HasPrefix(p.State, "Z") }

// Program returns the program of the command line: the script of an interpreter, or else the base of the path.
// "chrome --type=renderer" is chrome.
func (p Process) Program() string {
	name := strings.TrimSuffix(path.Base(p.Command[0]), ":")
	if strings.HasPrefix(p.Command[0], "[") {
		return strings.Join(p.Command, " ")
	}
	switch strings.TrimRight(name, "0123456789.") {
	case "python", "node", "bash", "sh", "perl", "ruby", "java", "electron":
		for _, arg := range p.Command[1:] {
			if !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") && len(arg) > 1 {
				return name + " " + path.Base(arg)
			}
		}
	}
	return name
}

// Usage adds up the processes of one program.
type Usage struct {
	Program  string
	CPU, Mem float64 // percent
	RSS      float64 // bytes
	Count    int
}

// UsageOf adds up processes by program, without ps itself and without zombies, which use nothing.
func UsageOf(all []Process) []Usage {
	var list []Usage
	for _, p := range all {
		if name := p.Program(); name != "ps" && !p.IsZombie() {
			list = append(list, Usage{name, p.CPU, p.Mem, p.RSS, 1})
		}
	}
	sorting.Stably(list, func(a, b Usage) int { return cmp.Compare(a.Program, b.Program) })
	return addUsage(list)
}

// addUsage adds up the figures of the same programs, in the order in which they first occur.
func addUsage(all []Usage) []Usage {
	var out []Usage
	at := map[string]int{}
	for _, u := range all {
		i, known := at[u.Program]
		if !known {
			at[u.Program], out = len(out), append(out, u)
			continue
		}
		o := &out[i]
		o.CPU, o.Mem, o.RSS, o.Count = o.CPU+u.CPU, o.Mem+u.Mem, o.RSS+u.RSS, o.Count+u.Count
	}
	return out
}

// FoundProcess is a row of pgrep -a or pgrep -l.
type FoundProcess struct {
	PID     int
	Command string
}

// ParsePgrep parses pgrep -a and pgrep -l (pgrep(1)): a process and its command line or name.
func ParsePgrep(text []byte) ([]FoundProcess, error) {
	return allRows(text, "pgrep", func(line string) (FoundProcess, bool) {
		id, command, ok := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(id)
		return FoundProcess{pid, command}, ok && err == nil
	})
}

// TopProbe shows the load of two seconds.
var TopProbe = Probe{"top", "-b", "-n", "2", "-d", "2", "-w", "120"}

// Task is one row of top(1).
type Task struct {
	Program  string
	PID      int
	State    string
	CPU      float64 // percent of one core
	Resident float64 // bytes
}

// Snapshot is one screen of top(1).
type Snapshot struct {
	Load          float64
	Busy, Waiting float64 // percent of all cores
	Measured      bool    // the line with busy and waiting was found
	Tasks         []Task
}

// ParseTop parses the last screen of top -b. The first one counts from the start of each process; only later
// ones show the current load.
func ParseTop(text []byte) (Snapshot, error) {
	var snap Snapshot
	inTasks, ok := false, false
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "top - "):
			snap, inTasks, ok = Snapshot{Load: firstLoad(line)}, false, true
		case ok && strings.HasPrefix(line, "%Cpu"):
			snap.Busy, snap.Waiting, snap.Measured = cpuShares(line)
		case ok && len(f) > 11 && f[0] == "PID":
			inTasks = true
		case inTasks:
			if t, isTask := parseTask(f); isTask {
				snap.Tasks = append(snap.Tasks, t)
			}
		}
	}
	return readable(snap, ok, "top")
}

// firstLoad returns the one-minute average in the first line of top and uptime.
func firstLoad(line string) float64 {
	_, rest, _ := strings.Cut(line, "load average:")
	first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, ok := ParseNumber(strings.TrimSuffix(first, ","))
	if !ok || n < 0 || n > 1e6 {
		return 0
	}
	return n
}

// cpuShares parses "%Cpu(s):  3.1 us,  1.0 sy, … 95.7 id,  0.1 wa, …".
func cpuShares(line string) (busy, waiting float64, ok bool) {
	_, rest, _ := strings.Cut(line, ":")
	idle := -1.0
	for _, part := range strings.Split(strings.ReplaceAll(rest, ", ", ";"), ";") {
		f := strings.Fields(part)
		if len(f) != 2 {
			continue
		}
		n, ok := ParseNumber(f[0])
		switch {
		case !ok || n < 0 || n > 100:
		case f[1] == "id":
			idle = n
		case f[1] == "wa":
			waiting = n
		}
	}
	if idle < 0 {
		return 0, 0, false
	}
	return max(0, 100-idle-waiting), waiting, true
}

// parseTask parses PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND.
func parseTask(f []string) (Task, bool) {
	if len(f) < 12 {
		return Task{}, false
	}
	pid, err := strconv.Atoi(f[0])
	cpu, okCPU := ParseNumber(f[8])
	if err != nil || pid <= 0 || !okCPU || cpu < 0 || cpu > 1e5 {
		return Task{}, false
	}
	t := Task{Program: strings.Join(f[11:], " "), PID: pid, State: f[7], CPU: cpu}
	if n, ok := ParseNumber(f[5]); ok {
		t.Resident = n * 1024 // KiB without a unit
	} else if n, ok := ParseSize(f[5]); ok {
		t.Resident = n
	}
	return t, true
}

// Busiest adds up the tasks of each program, busiest first, without top itself.
func (snap Snapshot) Busiest() []Usage {
	var all []Usage
	for _, t := range snap.Tasks {
		if t.Program != "top" {
			all = append(all, Usage{Program: t.Program, CPU: t.CPU, RSS: t.Resident, Count: 1})
		}
	}
	return largestFirst(addUsage(all), func(u Usage) float64 { return u.CPU })
}

// WaitingPrograms returns the programs that wait for a disk.
func (snap Snapshot) WaitingPrograms() []string {
	var out []string
	for _, t := range snap.Tasks {
		if t.State == "D" && !slices.Contains(out, t.Program) && len(out) < 5 {
			out = append(out, t.Program)
		}
	}
	return out
}

// CrashesProbe lists the crashes of two weeks.
var CrashesProbe = Probe{"coredumpctl", "list", "--no-pager", "--since", "-14days"}

// CrashProbe describes the latest crash of a process.
func CrashProbe(pid string) Probe { return Probe{"coredumpctl", "info", "--no-pager", pid} }

// Crash is one row of coredumpctl list.
type Crash struct{ When, PID, Signal, Exe string }

// Program returns the name of the program.
func (c Crash) Program() string { return path.Base(c.Exe) }

var (
	crashRow   = pattern(`(\d{4}-\d\d-\d\d \d\d:\d\d):\d\d(?: \S+)?\s+(\d+)\s+\d+\s+\d+\s+(SIG\w+|\d+|-)\s+\S+\s+(/.*?|-)(?:\s+[\d.]+[BKMGT]|\s+-)?$`)
	crashFrame = pattern(`^\s*#\d+\s+0x[0-9a-f]+ (\S+) \(([^ )]+)`)
)

// ParseCrashes parses coredumpctl list (coredumpctl(1)), latest last.
func ParseCrashes(text []byte) ([]Crash, error) {
	return matchingRows(text, "coredumpctl list", crashRow,
		func(m []string) Crash { return Crash{m[1], m[2], m[3], m[4]} })
}

// ParseCrashSite returns the first function of coredumpctl info's stack trace that is not part of the C library's
// abort path.
func ParseCrashSite(text []byte) (string, error) {
	for _, line := range Lines(text) {
		m := crashFrame().FindStringSubmatch(line)
		switch {
		case m == nil || hasAnyPrefix(m[2], "libc.so", "libpthread", "ld-linux"),
			containsAny(m[1], "raise", "abort", "pthread_kill"):
		case m[1] == "n/a":
			return m[2], nil
		default:
			return m[1] + " (" + m[2] + ")", nil
		}
	}
	return "", &UnreadableError{Source: "coredumpctl info"}
}
