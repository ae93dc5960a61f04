package recall

import "strings"

// isLookUp reports whether a line of a day's note only records that notes were
// asked for, or that one was kept ("09:12 · request · what ran · result"): the
// note itself tells more.
func isLookUp(line string) bool {
	for _, asks := range []string{"search", "remember"} {
		_, rest, ok := strings.Cut(line, " · blunux-ai memory "+asks+" -- ")
		if !ok {
			continue
		}
		ran, _, _ := strings.Cut(rest, " · ")
		return !strings.Contains(ran, "; ")
	}
	return false
}
