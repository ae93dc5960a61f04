package machine

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// ticksPerSecond is USER_HZ, which is 100 on all architectures that Linux has now (proc_pid_stat(5), sysconf(3)).
const ticksPerSecond = 100

// ProcessStat is what the kernel reports about a process.
type ProcessStat struct {
	PID, Parent int
	Name        string // the first 15 bytes of the program's name
	State       string // one letter; Z and X are processes that have ended
	Start       uint64 // in ticks since boot
}

// ParseProcessStat parses /proc/PID/stat (proc_pid_stat(5)). The name is in parentheses and can contain them.
func ParseProcessStat(text []byte) (ProcessStat, error) {
	before, after := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	var p ProcessStat
	if before < 0 || after < before {
		return readable(p, false, "/proc/PID/stat")
	}
	fields := strings.Fields(string(text[after+1:])) // from the third on
	pid, errPID := strconv.Atoi(strings.TrimSpace(string(text[:before])))
	if len(fields) < 20 || errPID != nil {
		return readable(p, false, "/proc/PID/stat")
	}
	parent, errParent := strconv.Atoi(fields[1])
	start, err := strconv.ParseUint(fields[19], 10, 64)
	p = ProcessStat{PID: pid, Parent: parent, Name: string(text[before+1 : after]), State: fields[0], Start: start}
	return readable(p, errParent == nil && err == nil && pid > 0, "/proc/PID/stat")
}

// HasEnded reports whether the process has ended and only waits for its parent.
func (p ProcessStat) HasEnded() bool { return p.State == "Z" || p.State == "X" }

// StartedAt returns when the process was started. up is how long the machine has run at now.
func (p ProcessStat) StartedAt(now time.Time, up time.Duration) time.Time {
	return now.Add(time.Duration(p.Start)*time.Second/ticksPerSecond - up)
}
