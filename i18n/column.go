package i18n

import "github.com/clipperhouse/displaywidth"

// Column is the width of a column of names, in cells of a terminal: as wide as
// the widest of them needs in a language, and at least so wide.
func Column(lang Lang, least int, names ...Text) int {
	for _, name := range names {
		least = max(least, displaywidth.String(name.In(lang)))
	}
	return least
}
