package recall

import "strings"

// isLookUp reports whether a line of a day's note only records a search of the notes or the storing of one
// ("09:12 · request · commands · result"). The note itself is the better hit.
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
