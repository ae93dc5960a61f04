package recall

import _ "embed"

//go:embed data/kinds.tsv
var kindsTable string

// weightKind is the weight of a thing for a question about its kind: a note that names Brave, asked for the
// browser.
const weightKind = 0.35

// addKind makes the words of a kind match its things, under all their names.
func (l *lexicon) addKind(kinds, things []string) {
	g := group{weight: weightKind, kind: true}
	for _, t := range things {
		key := compact(american(fold(t)))
		if of := l.byWord[key]; len(of) > 0 {
			g.members = append(g.members, l.groups[of[0]].members...)
		}
	}
	for _, k := range kinds {
		l.addKey(compact(american(fold(k))), len(l.groups))
	}
	l.groups = append(l.groups, g)
}
