package tools

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// WarnPins warns of a command that empties the package cache of files with which changes can be taken back. Its detail
// lists the packages.
const WarnPins = "pins"

// shownPins bounds how many pinned packages a warning names.
const shownPins = 40

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
	return names
}

// keepPinned returns a paccache command that removes files with the option to leave the pinned packages alone:
// paccache(8), --ignore. It returns false for any other command, and if nothing is pinned.
func (env Env) keepPinned(argv []string) ([]string, bool) {
	at := slices.Index(argv, "paccache")
	chooses := func(w string) bool { return strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--ignore") }
	if !prunesCache(argv) || slices.ContainsFunc(argv[at+1:], chooses) {
		return nil, false
	}
	names := env.pinned()
	if len(names) == 0 {
		return nil, false
	}
	return slices.Insert(slices.Clone(argv), at+1, "--ignore", strings.Join(names, ",")), true
}

// warnOfPins warns of a plan that removes package files with which changes can be taken back.
func (env Env) warnOfPins(j *JudgedPlan) {
	for _, c := range j.Plan.Commands {
		lost := env.removedPins(c)
		if n := len(lost); n > shownPins {
			lost = append(lost[:shownPins:shownPins], "… "+strconv.Itoa(n))
		}
		if len(lost) > 0 {
			j.warn(WarnPins + ": " + strings.Join(lost, ", "))
		}
	}
}

// removedPins returns the pinned packages whose files a command removes from the cache: all, if it chooses none.
func (env Env) removedPins(c shell.Command) []string {
	argv, literal := c.Literal()
	if !literal {
		return nil
	}
	pinned := env.pinned()
	if emptiesCache(argv) || prunesCache(argv) && !slices.Contains(argv, strings.Join(pinned, ",")) {
		return pinned
	}
	if !slices.Contains(argv, "rm") {
		return nil
	}
	var names []string
	for _, word := range argv {
		if name, _ := machine.CachedPackage(path.Base(word)); name != "" {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(pinned, func(name string) bool { return !slices.Contains(names, name) })
}

// prunesCache reports whether a command is a paccache that removes files: paccache(8), --remove.
func prunesCache(argv []string) bool {
	at := slices.Index(argv, "paccache")
	return at >= 0 && at <= 2 && slices.ContainsFunc(argv[at+1:], func(w string) bool { return w == "--remove" || strings.HasPrefix(w, "-r") })
}

// emptiesCache reports whether a command removes package files from the cache without a choice: pacman(8), --clean.
func emptiesCache(argv []string) bool {
	at := slices.IndexFunc(argv, func(w string) bool { return slices.Contains([]string{"pacman", "yay", "paru"}, w) })
	return at >= 0 && at <= 2 && slices.ContainsFunc(argv[at+1:], func(w string) bool {
		return strings.HasPrefix(w, "-S") && strings.Contains(w, "c") && !strings.HasPrefix(w, "--")
	})
}
