package listing

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is one line of a .gitignore: gitignore(5).
type rule struct {
	pattern string // relative to the file's directory
	negated bool
	dirs    bool // it only matches directories
}

// ignores are the rules of one .gitignore.
type ignores struct {
	dir   string // its directory below the listed one, "." for that itself
	above string // the listed directory below its directory, if that is further up; else ""
	rules []rule
}

// parseIgnores reads a .gitignore.
func parseIgnores(text string) (rules []rule) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		var r rule
		line, r.negated = strings.CutPrefix(line, "!")
		line, r.dirs = strings.CutSuffix(line, "/")
		anchored := strings.Contains(line, "/")
		line = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(strings.TrimPrefix(line, "/"))
		if !anchored {
			line = "**/" + line
		}
		if r.pattern = line; doublestar.ValidatePattern(line) {
			rules = append(rules, r)
		}
	}
	return rules
}

// ignored reports whether a path is left out. The last rule that matches decides, and a deeper file comes later.
func ignored(all []ignores, name string, isDir bool) bool {
	out := false
	for _, file := range all {
		below := name
		switch {
		case file.above != "":
			below = path.Join(file.above, name)
		case file.dir != ".":
			rest, ok := strings.CutPrefix(name, file.dir+"/")
			if !ok {
				continue
			}
			below = rest
		}
		for _, r := range file.rules {
			if (isDir || !r.dirs) && doublestar.MatchUnvalidated(r.pattern, below) {
				out = !r.negated
			}
		}
	}
	return out
}
