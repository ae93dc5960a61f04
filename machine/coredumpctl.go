package machine

import "path"

// CrashesProbe lists the crashes of two weeks.
var CrashesProbe = Probe{"coredumpctl", "list", "--no-pager", "--since", "-14days"}

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
	var out []Crash
	for _, line := range Lines(text) {
		if m := crashRow().FindStringSubmatch(line); m != nil {
			out = append(out, Crash{m[1], m[2], m[3], m[4]})
		}
	}
	return rows(out, text, "coredumpctl list")
}

// ParseCrashSite returns the first function of coredumpctl info's stack trace that is not part of the C library's
// abort path.
func ParseCrashSite(text []byte) (string, error) {
	for _, line := range Lines(text) {
		m := crashFrame().FindStringSubmatch(line)
		if m == nil || hasAnyPrefix(m[2], "libc.so", "libpthread", "ld-linux") || containsAny(m[1], "raise", "abort", "pthread_kill") {
			continue
		}
		if m[1] == "n/a" {
			return m[2], nil
		}
		return m[1] + " (" + m[2] + ")", nil
	}
	return "", &UnreadableError{Source: "coredumpctl info"}
}
