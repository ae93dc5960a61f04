package recall

import "strings"

// base returns what forms of one English word have in common (printers, printing,
// printed; batteries, battery), so far that two forms can be compared. FTS5's
// porter brings candidates; this looks at them.
func base(w string) string {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "s'"), "'s")
	for _, suffix := range []struct{ from, to string }{
		{"ations", "ate"},
		{"ation", "ate"},
		{"ies", "y"},
		{"ied", "y"},
		{"sses", "ss"},
		{"xes", "x"},
		{"ches", "ch"},
		{"shes", "sh"},
		{"ments", "ment"},
		{"ingly", ""},
		{"edly", ""},
		{"ings", ""},
		{"ing", ""},
		{"ed", ""},
		{"ly", ""},
		{"ers", "er"},
		{"es", "e"},
		{"s", ""},
	} {
		rest, ok := strings.CutSuffix(w, suffix.from)
		if !ok || len(rest)+len(suffix.to) < 3 || suffix.from == "s" && strings.HasSuffix(rest, "s") {
			continue
		}
		w = rest + suffix.to
		break
	}
	return strings.TrimSuffix(single(w), "e")
}

// single takes back a doubled last consonant: stopp → stop.
func single(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}
