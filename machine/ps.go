package machine

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
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
	var out []Process
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		if len(f) < 11 {
			continue
		}
		pid, errPID := strconv.Atoi(f[1])
		cpu, okCPU := ParseNumber(f[2])
		mem, okMem := ParseNumber(f[3])
		rss, err := strconv.ParseFloat(f[5], 64)
		if !okCPU || !okMem || err != nil || rss < 0 || errPID != nil {
			continue
		}
		out = append(out, Process{f[0], pid, cpu, mem, rss * 1024, f[7], f[9], f[10:]})
	}
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
	byName := map[string]*Usage{}
	for _, p := range all {
		name := p.Program()
		if name == "ps" || p.IsZombie() {
			continue
		}
		u := byName[name]
		if u == nil {
			u = &Usage{Program: name}
			byName[name] = u
		}
		u.CPU, u.Mem, u.RSS, u.Count = u.CPU+p.CPU, u.Mem+p.Mem, u.RSS+p.RSS, u.Count+1
	}
	var list []Usage
	for _, u := range byName {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b Usage) int { return cmp.Compare(a.Program, b.Program) })
	return list
}

// FoundProcess is a row of pgrep -a or pgrep -l.
type FoundProcess struct {
	PID     int
	Command string
}

// ParsePgrep parses pgrep -a and pgrep -l (pgrep(1)): a process and its command line or name.
func ParsePgrep(text []byte) ([]FoundProcess, error) {
	var out []FoundProcess
	var bad error
	for _, line := range Lines(text) {
		id, command, ok := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(id)
		if !ok || err != nil {
			bad = &UnreadableError{"pgrep", line}
			continue
		}
		out = append(out, FoundProcess{pid, command})
	}
	return out, bad
}
