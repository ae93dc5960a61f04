package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// task is one row of top(1).
type task struct {
	program  string
	pid      int
	state    string
	cpu      float64 // percent of one core
	resident float64 // bytes
}

// snapshot is one screen of top(1).
type snapshot struct {
	load          float64
	busy, waiting float64 // percent of all cores
	measured      bool    // the line with busy and waiting was found
	tasks         []task
}

// parseTop parses the last screen of top -b. The first one counts from the start of each process; only later
// ones show the current load.
func parseTop(text string) (snap snapshot, ok bool) {
	rows := false
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "top - "):
			snap, rows, ok = snapshot{load: firstLoad(line)}, false, true
		case ok && strings.HasPrefix(line, "%Cpu"):
			snap.busy, snap.waiting, snap.measured = cpuShares(line)
		case ok && len(f) > 11 && f[0] == "PID":
			rows = true
		case rows:
			if t, isTask := parseTask(f); isTask {
				snap.tasks = append(snap.tasks, t)
			}
		}
	}
	return snap, ok
}

// firstLoad returns the one-minute average in the first line of top and uptime.
func firstLoad(line string) float64 {
	_, rest, _ := strings.Cut(line, "load average:")
	first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, ok := parseNumber(strings.TrimSuffix(first, ","))
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
		n, isNumber := parseNumber(f[0])
		switch {
		case !isNumber || n < 0 || n > 100:
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
func parseTask(f []string) (task, bool) {
	if len(f) < 12 {
		return task{}, false
	}
	pid, err := strconv.Atoi(f[0])
	cpu, okCPU := parseNumber(f[8])
	if err != nil || pid <= 0 || !okCPU || cpu < 0 || cpu > 1e5 {
		return task{}, false
	}
	t := task{program: strings.Join(f[11:], " "), pid: pid, state: f[7], cpu: cpu}
	if n, ok := parseNumber(f[5]); ok {
		t.resident = n * 1024 // KiB without a unit
	} else if n, ok := parseSize(f[5]); ok {
		t.resident = n
	}
	return t, true
}

// busiest adds up the tasks of each program, busiest first, without top itself.
func (snap snapshot) busiest() []usage {
	byName := map[string]*usage{}
	var order []*usage
	for _, t := range snap.tasks {
		if t.program == "top" {
			continue
		}
		u := byName[t.program]
		if u == nil {
			u = &usage{program: t.program}
			byName[t.program], order = u, append(order, u)
		}
		u.cpu, u.rss, u.count = u.cpu+t.cpu, u.rss+t.resident, u.count+1
	}
	var out []usage
	for _, u := range order {
		out = append(out, *u)
	}
	slices.SortStableFunc(out, func(a, b usage) int { return -cmp.Compare(a.cpu, b.cpu) })
	return out
}

// waitingPrograms returns the programs that wait for a disk.
func (snap snapshot) waitingPrograms() []string {
	var out []string
	for _, t := range snap.tasks {
		if t.state == "D" && !slices.Contains(out, t.program) && len(out) < 5 {
			out = append(out, t.program)
		}
	}
	return out
}

var (
	topNow          = command("top -b -n 2 -d 2 -w 120 | grep -A 20 '^top -'")
	topCPU          = intent.Call("check_processes", "sort", "cpu")
	coreCount       = command("nproc")
	allPressure     = command("cat /proc/pressure/cpu /proc/pressure/io /proc/pressure/memory")
	memoryStep      = intent.Call("check_memory")
	heatStep        = intent.Call("check_hardware", "scope", "temperature")
	failedUnitsStep = intent.Call("check_service", "failed", true)
	throttleStep    = command("journalctl -k -b --no-pager -n 50 -g 'throttl|temperature above threshold'")
	diskErrors      = command("journalctl -k -b --no-pager -n 50 -p err -g 'I/O error|blk_update_request|ata[0-9]+.*error|nvme.*(timeout|error)'")
)
