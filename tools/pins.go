package tools

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/tools/shell"
)

// WarnPins warns of a command that empties the package cache of files with which changes can be taken back. Its detail
// lists the packages.
const WarnPins = "pins"

// maxPins bounds how many pinned packages are named.
const maxPins = 40

// pinned returns the names of the packages whose files in the cache are needed to take changes back.
func (env Env) pinned() (names []string) {
	if env.Receipts == nil {
		return nil
	}
	pins, err := env.Receipts.Pins()
	if err != nil {
		return nil
	}
	for _, pin := range pins { // NAME-VERSION-RELEASE
		words := strings.Split(pin, "-")
		if n := len(words); n > 2 && !slices.Contains(names, strings.Join(words[:n-2], "-")) {
			names = append(names, strings.Join(words[:n-2], "-"))
		}
	}
	return names[:min(len(names), maxPins)]
}

// keepPinned returns a paccache command that removes files with the option to leave the pinned packages alone:
// paccache(8), --ignore. It returns false for any other command, and if nothing is pinned.
func (env Env) keepPinned(argv []string) ([]string, bool) {
	at := slices.Index(argv, "paccache")
	if at < 0 || at > 2 || !slices.ContainsFunc(argv[at+1:], func(w string) bool {
		return w == "--remove" || strings.HasPrefix(w, "-r")
	}) || slices.ContainsFunc(argv[at+1:], func(w string) bool { return strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--ignore") }) {
		return nil, false
	}
	names := env.pinned()
	if len(names) == 0 {
		return nil, false
	}
	return slices.Insert(slices.Clone(argv), at+1, "--ignore", strings.Join(names, ",")), true
}

// emptiesCache reports whether a command removes package files from the cache without a choice: pacman(8), --clean.
func emptiesCache(c shell.Command) bool {
	argv, literal := c.Literal()
	if !literal {
		return false
	}
	at := slices.IndexFunc(argv, func(w string) bool { return slices.Contains([]string{"pacman", "yay", "paru"}, w) })
	return at >= 0 && at <= 2 && slices.ContainsFunc(argv[at+1:], func(w string) bool {
		return strings.HasPrefix(w, "-S") && strings.Contains(w, "c") && !strings.HasPrefix(w, "--")
	})
}
