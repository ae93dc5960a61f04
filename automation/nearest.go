package automation

import "strings"

// nearest returns the word most similar to a misspelled one: at most two letters differ, and fewer than about a
// third. It returns "" if there is none.
func nearest(word string, of []string) string {
	best, at := "", min(3, len(word)/3+1)
	for _, candidate := range of {
		if d := editDistance(strings.ToLower(word), candidate, at); d < at {
			best, at = candidate, d
		}
	}
	return best
}

// editDistance is the number of bytes to insert, remove or replace to turn a into b (Levenshtein), limited to
// most.
func editDistance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := before
			if a[i] != b[j] {
				replaced++
			}
			before = row[j+1]
			row[j+1] = min(replaced, row[j]+1, before+1)
		}
	}
	return min(row[len(b)], most)
}
