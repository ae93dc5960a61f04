package machine

import (
	"strconv"
	"strings"
)

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
