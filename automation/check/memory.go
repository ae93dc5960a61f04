package check

import (
	"strconv"
	"strings"
)

// parsePressure parses a file of /proc/pressure (Linux, Documentation/accounting/psi.rst): "some avg10=0.00
// avg60=0.00 avg300=0.00 total=0", and the same for "full". It returns the percentage of the last minute in which
// all tasks were stalled.
func parsePressure(text string) (full float64, ok bool) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) != 5 || words[0] != "full" {
			continue
		}
		value, found := strings.CutPrefix(words[2], "avg60=")
		n, err := strconv.ParseFloat(value, 64)
		return n, found && err == nil && n >= 0 && n <= 100
	}
	return 0, false
}

// parseMemory parses /proc/meminfo (proc_meminfo(5)): "MemTotal: 123 kB". The results are in bytes.
func parseMemory(text string) (m struct{ total, available, swap, swapFree float64 }, ok bool) {
	have := 0
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) != 3 || words[2] != "kB" || !digits(words[1]) {
			continue
		}
		n := number(words[1]) * 1024
		switch words[0] {
		case "MemTotal:":
			m.total, have = n, have|1
		case "MemAvailable:":
			m.available, have = n, have|2
		case "SwapTotal:":
			m.swap, have = n, have|4
		case "SwapFree:":
			m.swapFree, have = n, have|8
		}
	}
	return m, have == 15 && m.total > 0 && m.available <= m.total && m.swapFree <= m.swap
}

const memoryFix = "ps -eo rss,comm --sort=-rss"

func memory(l *look) {
	l.memoryUse()
	out, ok := l.run("memory:pressure", "cat", "/proc/pressure/memory")
	if !ok {
		return
	}
	full, ok := parsePressure(out.Stdout)
	if !ok {
		// Kernels without pressure information lack the file or refuse to read it. The used memory is known all
		// the same.
		l.unknown("memory:pressure", outputProblem(out), "/proc/pressure/memory")
		return
	}
	f := Finding{Key: "memory:pressure", Severity: Warning, Code: "memory_pressure", Fix: memoryFix, Args: Args{Value: full}}
	l.level(f, full, 10, 40, 5)
}

func (l *look) memoryUse() {
	out, ok := l.run("memory", "cat", "/proc/meminfo")
	if !ok {
		return
	}
	m, ok := parseMemory(out.Stdout)
	if !ok {
		l.unknown("memory", outputProblem(out), "/proc/meminfo")
		return
	}
	used := 100 * (m.total - m.available) / m.total
	f := Finding{Key: "memory:used", Severity: Warning, Code: "memory_full", Fix: memoryFix, Args: Args{Value: used, Bytes: int64(m.available)}}
	l.level(f, used, l.over(), 97, 5)
	l.figure(Figure{Key: "memory", Value: used, Unit: Percent})
	if m.swap == 0 {
		return
	}
	swap := 100 * (m.swap - m.swapFree) / m.swap
	l.figure(Figure{Key: "swap", Value: swap, Unit: Percent})
	// A full swap matters only if memory is scarce too, because the kernel swaps out idle programs in advance.
	f = Finding{Key: "memory:swap", Severity: Warning, Code: "swap_full", Fix: memoryFix, Args: Args{Value: swap}}
	if used >= 80 {
		l.level(f, swap, 90, 101, 5)
	} else if used >= 75 && swap >= 85 {
		l.near(f.Key)
	}
}
