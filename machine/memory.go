package machine

import (
	"strconv"
	"strings"
)

// FreeProbe shows the use of memory and swap.
var FreeProbe = Probe{"free", "-h"}

// Free is the output of free -h, in bytes.
type Free struct {
	Total, Available    float64
	SwapTotal, SwapUsed float64
}

// ParseFree parses free's table (procps-ng, free(1)): rows of numbers with units. The first with six is memory,
// the first with three is swap. Old versions have no "available" column: free plus cache is used instead.
func ParseFree(text []byte) (Free, error) {
	var st Free
	ok, swapSeen := false, false
	for _, line := range Lines(text) {
		sizes := sizesAfterLabel(line)
		switch {
		case len(sizes) >= 6 && st.Total == 0:
			st.Total, st.Available, ok = sizes[0], sizes[5], sizes[0] > 0
		case len(sizes) == 5 && st.Total == 0:
			st.Total, st.Available, ok = sizes[0], sizes[2]+sizes[4], sizes[0] > 0
		case len(sizes) >= 3 && ok && !swapSeen && !strings.HasPrefix(line, "-"):
			st.SwapTotal, st.SwapUsed, swapSeen = sizes[0], sizes[1], true
		}
	}
	return readable(st, ok && st.Available <= st.Total, "free")
}

// sizesAfterLabel parses the numbers of a row after its label.
func sizesAfterLabel(line string) []float64 {
	_, rest, found := strings.Cut(line, ":")
	if !found {
		return nil
	}
	var out []float64
	for _, f := range strings.Fields(rest) {
		n, ok := ParseSize(f)
		if !ok {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// MeminfoProbe shows the use of memory and swap.
var MeminfoProbe = Probe{"cat", "/proc/meminfo"}

// Meminfo is the content of /proc/meminfo, in bytes.
type Meminfo struct{ Total, Available, SwapTotal, SwapFree float64 }

// ParseMeminfo parses /proc/meminfo (proc_meminfo(5)): "MemTotal: 123 kB". With an error, it returns the lines that it
// could read.
func ParseMeminfo(text []byte) (Meminfo, error) {
	var m Meminfo
	fields := map[string]*float64{
		"MemTotal:": &m.Total, "MemAvailable:": &m.Available, "SwapTotal:": &m.SwapTotal, "SwapFree:": &m.SwapFree,
	}
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 || f[2] != "kB" || !isNumber(f[1]) || fields[f[0]] == nil {
			continue
		}
		n, _ := strconv.ParseFloat(f[1], 64)
		*fields[f[0]] = n * 1024
		delete(fields, f[0])
	}
	ok := len(fields) == 0 && m.Total > 0 && m.Available <= m.Total && m.SwapFree <= m.SwapTotal
	return readable(m, ok, "/proc/meminfo")
}

var (
	// PressureProbe shows how long tasks waited for the processor, the disks and memory.
	PressureProbe = Probe{"cat", "/proc/pressure/cpu", "/proc/pressure/io", "/proc/pressure/memory"}
	// MemoryPressureProbe shows how long tasks waited for memory.
	MemoryPressureProbe = Probe{"cat", "/proc/pressure/memory"}
)

// Pressure is a file of /proc/pressure: the percentage of time in which some tasks, or all, were stalled.
type Pressure struct {
	Some, Full Stall
	HasFull    bool // older kernels do not report it for the processor
}

// Stall are averages over the last 10, 60 and 300 seconds.
type Stall struct{ Avg10, Avg60, Avg300 float64 }

// ParsePressure parses one or several files of /proc/pressure (Linux, Documentation/accounting/psi.rst): "some
// avg10=0.00 avg60=0.00 avg300=0.00 total=0", and the same for "full".
func ParsePressure(text []byte) ([]Pressure, error) {
	var out []Pressure
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		s, ok := stall(f)
		switch {
		case !ok:
		case f[0] == "some":
			out = append(out, Pressure{Some: s})
		case f[0] == "full":
			if len(out) == 0 || out[len(out)-1].HasFull {
				out = append(out, Pressure{})
			}
			out[len(out)-1].Full, out[len(out)-1].HasFull = s, true
		}
	}
	return readable(out, len(out) > 0, "/proc/pressure")
}

func stall(f []string) (s Stall, ok bool) {
	if len(f) != 5 {
		return s, false
	}
	for i, to := range []*float64{&s.Avg10, &s.Avg60, &s.Avg300} {
		value, found := strings.CutPrefix(f[i+1], []string{"avg10=", "avg60=", "avg300="}[i])
		n, ok := ParseNumber(value)
		if !found || !ok || !(n >= 0 && n <= 100) {
			return s, false
		}
		*to = n
	}
	return s, true
}
