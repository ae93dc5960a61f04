package machine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

var (
	// StartupProbe shows how long booting took.
	StartupProbe = Probe{"systemd-analyze", "time"}
	// BlameProbe lists how long each unit took to start.
	BlameProbe = Probe{"systemd-analyze", "blame", "--no-pager"}
	// ChainProbe lists the units for which booting waited.
	ChainProbe = Probe{"systemd-analyze", "critical-chain", "--no-pager"}
)

var bootTotal = pattern(`Startup finished in (.*?)(?: = (.*))?$`)

// parseSeconds parses systemd's durations: "1min 2.345s", "890ms".
func parseSeconds(s string) (float64, bool) {
	total, any := 0.0, false
	for _, f := range strings.Fields(s) {
		i := strings.IndexFunc(f, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if i <= 0 {
			return 0, false
		}
		n, err := strconv.ParseFloat(f[:i], 64)
		factor, known := map[string]float64{"h": 3600, "min": 60, "s": 1, "ms": 0.001, "us": 0.000001}[f[i:]]
		if err != nil || !known {
			return 0, false
		}
		total, any = total+n*factor, true
	}
	return total, any
}

// ParseBlame parses systemd-analyze blame (systemd-analyze(1)): a duration and a unit, slowest first.
func ParseBlame(text []byte) ([]StartupTime, error) {
	var out []StartupTime
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if secs, ok := parseSeconds(strings.Join(f[:len(f)-1], " ")); ok {
			out = append(out, StartupTime{f[len(f)-1], secs})
		}
	}
	return rows(out, text, "systemd-analyze blame")
}

// Startup is the output of systemd-analyze time.
type Startup struct {
	Total float64       // seconds
	Parts []StartupTime // firmware, loader, kernel, initrd, userspace
}

// ParseStartup parses "Startup finished in 1s (kernel) + 2s (userspace) = 3s" (systemd-analyze(1)), also without a sum.
func ParseStartup(text []byte) (Startup, error) {
	lines := Lines(text)
	if len(lines) == 0 {
		return Startup{}, &UnreadableError{Source: "systemd-analyze"}
	}
	m := bootTotal().FindStringSubmatch(lines[0])
	if m == nil {
		return Startup{}, &UnreadableError{"systemd-analyze", lines[0]}
	}
	sum := strings.TrimSpace(m[2])
	if sum == "" {
		sum = strings.TrimSpace(strings.SplitN(m[1], " (", 2)[0])
	}
	total, ok := parseSeconds(sum)
	s := Startup{Total: total}
	for _, p := range strings.Split(m[1], " + ") {
		span, name, named := strings.Cut(p, " (")
		took, known := parseSeconds(span)
		ok = ok && named && known
		s.Parts = append(s.Parts, StartupTime{strings.TrimSuffix(name, ")"), took})
	}
	return readable(s, ok, "systemd-analyze")
}

// StartupTime is a unit or a part of the boot with its own startup time.
type StartupTime struct {
	Unit string
	Took float64 // seconds
}

var chainRow = pattern(`([\w@.\\:-]+\.[a-z]+) @[^+]*\+(.+)$`)

// ParseChain parses systemd-analyze critical-chain (systemd-analyze(1)) and returns the units that took time,
// longest first.
func ParseChain(text []byte) ([]StartupTime, error) {
	var out []StartupTime
	for _, line := range Lines(text) {
		m := chainRow().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if secs, ok := parseSeconds(m[2]); ok {
			out = append(out, StartupTime{m[1], secs})
		}
	}
	slices.SortStableFunc(out, func(a, b StartupTime) int { return -cmp.Compare(a.Took, b.Took) })
	return rows(out, text, "systemd-analyze critical-chain")
}
