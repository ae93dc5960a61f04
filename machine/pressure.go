package machine

import "strings"

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
