package machine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

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
	byName := map[string]*Usage{}
	var order []*Usage
	for _, t := range snap.Tasks {
		if t.Program == "top" {
			continue
		}
		u := byName[t.Program]
		if u == nil {
			u = &Usage{Program: t.Program}
			byName[t.Program], order = u, append(order, u)
		}
		u.CPU, u.RSS, u.Count = u.CPU+t.CPU, u.RSS+t.Resident, u.Count+1
	}
	var out []Usage
	for _, u := range order {
		out = append(out, *u)
	}
	slices.SortStableFunc(out, func(a, b Usage) int { return -cmp.Compare(a.CPU, b.CPU) })
	return out
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
