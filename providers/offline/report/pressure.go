package report

import (
	"strings"
)

// pressure is one line of /proc/pressure: the percentage of the last 10, 60 and 300 seconds in which something
// waited (Linux Documentation/accounting/psi.rst).
type pressure struct{ avg10, avg60, avg300 float64 }

// parsePressure parses the "some" lines of one or several files of /proc/pressure in order.
func parsePressure(text string) []pressure {
	var out []pressure
	for _, line := range outputLines(text) {
		rest, ok := strings.CutPrefix(line, "some ")
		if !ok {
			continue
		}
		var p pressure
		for _, f := range strings.Fields(rest) {
			key, value, _ := strings.Cut(f, "=")
			n, ok := parseNumber(value)
			if !ok || n < 0 || n > 100 {
				continue
			}
			switch key {
			case "avg10":
				p.avg10 = n
			case "avg60":
				p.avg60 = n
			case "avg300":
				p.avg300 = n
			}
		}
		out = append(out, p)
	}
	return out
}
