package machine

import "strings"

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
