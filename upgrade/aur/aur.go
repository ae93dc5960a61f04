// Package aur reads the build recipes of the Arch User Repository before they are built: the PKGBUILD, its scriptlets and
// the other files of the recipe. It reads shell by its grammar and reports facts with their lines. It runs and sources
// nothing.
package aur

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Severity says how much a fact weighs.
type Severity string

// The severities of facts. A fact that is Red holds the build.
const (
	Note Severity = "note"
	Warn Severity = "warn"
	Red  Severity = "red"
)

// rank orders severities, the heaviest first.
func (s Severity) rank() int { return slices.Index([]Severity{Red, Warn, Note}, s) }

// Fact is something that a recipe does or lacks.
type Fact struct {
	Code     Code     `json:"code"` // a row of the catalogue
	Severity Severity `json:"severity"`
	File     string   `json:"file,omitempty"`     // relative to the recipe; "" for facts of the AUR's own data
	Line     int      `json:"line,omitempty"`     // from 1; 0 if the fact has none
	Function string   `json:"function,omitempty"` // the function that it is in
	Detail   string   `json:"detail,omitempty"`   // text of the recipe: untrusted, at most maxDetail bytes
}

// Report is what a recipe does.
type Report struct {
	Package string `json:"package"` // pkgbase, or the first pkgname
	Version string `json:"version,omitempty"`
	Facts   []Fact `json:"facts"` // the heaviest first, then in the order of the files
}

// Held reports whether a fact holds the build.
func (r Report) Held() bool { return r.Count(Red) > 0 }

// Count returns how many facts have a severity.
func (r Report) Count(s Severity) (n int) {
	for _, f := range r.Facts {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Has reports whether a fact has a code.
func (r Report) Has(code Code) bool {
	return slices.ContainsFunc(r.Facts, func(f Fact) bool { return f.Code == code })
}

// Bounds of what is reported.
const (
	maxDetail = 160 // bytes of a detail
	maxFacts  = 400 // facts of a report; more than these are not needed to hold a build
)

// facts collects the facts of a recipe, each once.
type facts struct {
	list []Fact
	seen map[Fact]bool
}

func (f *facts) add(fact Fact) {
	fact.Detail = shorten(fact.Detail)
	if f.seen[fact] {
		return
	}
	if f.seen == nil {
		f.seen = map[Fact]bool{}
	}
	f.seen[fact] = true
	if len(f.list) < maxFacts || fact.Severity == Red && len(f.list) < 2*maxFacts {
		f.list = append(f.list, fact)
	}
}

// sorted returns the facts, the heaviest first.
func (f *facts) sorted() []Fact {
	list := slices.Clone(f.list)
	sorting.Stably(list, func(a, b Fact) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) })
	return append([]Fact{}, list...)
}

// shorten bounds a detail and writes it on one line.
func shorten(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "�")
	if len(text) <= maxDetail {
		return text
	}
	cut := maxDetail - len("…")
	for cut > 0 && text[cut]&0xc0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}

// Check reads a recipe. It never fails: what cannot be read is a fact that holds the build.
func Check(recipe Recipe) Report {
	c := newChecker(recipe)
	c.readBytes()
	c.readPKGBUILD()
	c.readOthers()
	c.readSources()
	c.readName()
	return Report{Package: c.name(), Version: c.version(), Facts: c.facts.sorted()}
}
