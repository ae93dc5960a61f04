package safety

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wildcards in a path pattern. Judged text has no control characters, so a quoted star in a file name stays a
// star.
const (
	anyRun  = '\x01' // any characters except a slash
	anyChar = '\x02' // one character except a slash
	// anyDigits matches digits, or nothing.
	anyDigits = '\x04'
	// anyDepth as the last component matches everything below.
	anyDepth = '\x03'
)

// readable reports whether a program can show the contents of the operand.
func (s *scope) readable(f field) bool {
	s.j.touch()
	return s.eachPath(f, func(p string) bool {
		switch p {
		case "/dev/null", "/dev/stdin", procSubstPath:
			return true
		}
		l := s.j.c.secrets
		if dir, all := strings.CutSuffix(p, "/"+string(rune(anyDepth))); all {
			return !l.holds(dir, false) && !l.below(dir) && dir != ""
		}
		return !l.holds(p, false) && !l.secretName(p) && !l.wholeHome(p)
	})
}

// readableTree reports whether a program can show the contents of everything below the operand.
func (s *scope) readableTree(f field) bool {
	return s.readable(f) && s.eachPath(f, func(p string) bool { return !s.j.c.secrets.below(p) })
}

// nameable reports whether a program can show attributes of the operand itself, including the names that a
// pattern matches, but nothing below it.
func (s *scope) nameable(f field) bool {
	s.j.touch()
	pattern, known := f.val.pattern()
	if known && !hasWildcard(pattern) {
		return !strings.Contains(pattern, "://")
	}
	return s.eachPath(f, func(p string) bool {
		return !s.j.c.secrets.holds(path.Dir(p), true)
	})
}

// listable reports whether a program can show names and attributes in the operand.
func (s *scope) listable(f field) bool {
	s.j.touch()
	return s.eachPath(f, func(p string) bool { return !s.j.c.secrets.holds(p, true) })
}

// eachPath reports whether ok returns true for every absolute path pattern that the field can mean, before and
// after resolving symbolic links. It returns false for a value that is no path pattern.
func (s *scope) eachPath(f field, ok func(string) bool) bool {
	if text, known := f.val.lit(); known && (text == "-" || text == "") {
		return true
	}
	pattern, known := f.val.pattern()
	if !known || strings.Contains(pattern, "://") {
		return false // some programs fetch operands that look like an address
	}
	dirs := s.dirs
	if strings.HasPrefix(pattern, "/") {
		dirs = []string{"/"}
	}
	for _, d := range dirs {
		p := pattern
		if d != "/" || !strings.HasPrefix(pattern, "/") {
			p = d + "/" + pattern
		}
		if climbsFromWildcard(p) {
			return false
		}
		written := p
		p = path.Clean(p)
		if !strings.Contains(written, "..") {
			written = p
		}
		if !ok(p) || !s.resolvedOK(written, ok) {
			return false
		}
	}
	return true
}

// maxMatches is the maximum number of matches of a pattern that are checked.
const maxMatches = 2000

// matchesOK checks the files that a pattern matches now, and their link targets.
func (s *scope) matchesOK(pattern string, ok func(string) bool) bool {
	if s.j.c.glob == nil || strings.ContainsRune(pattern, anyDepth) {
		return true
	}
	pattern = globOf(pattern)
	found, err := s.j.c.glob(pattern)
	if err != nil || len(found) > maxMatches {
		return false
	}
	for _, file := range found {
		if !hiddenMatch(pattern, file) && (!ok(file) || !s.resolvedOK(file, ok)) {
			return false
		}
	}
	return true
}

// globOf converts a path pattern to one for [path/filepath.Match] that matches at least the same files: a class
// can become any character.
func globOf(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == anyRun, c == anyDigits:
			b.WriteByte('*')
		case c == anyChar, c == '*', c == '\\':
			b.WriteByte('?')
		case c == '[':
			b.WriteByte('?')
			if end := strings.IndexByte(pattern[i+1:], ']'); end > 0 {
				i += end + 1
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// hiddenMatch reports whether a file is hidden but the pattern has no leading dot, so that the shell does not
// match it.
func hiddenMatch(pattern, file string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(file, "/")
	for i := range min(len(want), len(have)) {
		if strings.HasPrefix(have[i], ".") && !strings.HasPrefix(want[i], ".") {
			return true
		}
	}
	return false
}

// resolvedOK checks the targets of symbolic links. A path with .. is resolved as written, because the parent of
// a link's target is not the directory before it in the path.
func (s *scope) resolvedOK(p string, ok func(string) bool) bool {
	if hasWildcard(p) {
		return s.matchesOK(p, ok)
	}
	if s.j.c.evalSymlinks == nil || strings.HasPrefix(p, "/dev/") {
		return true
	}
	real, err := s.j.c.evalSymlinks(p)
	return err != nil || real == p || ok(real)
}

// holds reports whether p can be in a secret place. With listing set, places that can be listed do not count.
func (l *secretList) holds(p string, listing bool) bool {
	parts := components(folded(p))
	for _, r := range l.rules {
		if !(listing && r.listable) && r.holds(parts) {
			return true
		}
	}
	return l.hiddenRules(parts, func(r secretRule, rest []string) bool {
		return !(listing && r.listable) && r.holds(rest)
	})
}

func (r *secretRule) holds(parts []string) bool {
	switch {
	case len(parts) < len(r.parts) || r.file && len(parts) > len(r.parts):
		return false
	case r.process && !mayBeProcess(parts[1]):
		return false
	}
	return prefixIntersects(parts, r.parts, len(r.parts))
}

// hiddenRules calls match with each rule of homes that can start at a hidden component, and the components from
// there on, until match returns true.
func (l *secretList) hiddenRules(parts []string, match func(secretRule, []string) bool) bool {
	for i, c := range parts {
		if !hidden(c) {
			continue
		}
		ok := func(r secretRule) bool { return match(r, parts[i:]) }
		if slices.ContainsFunc(l.wild, ok) || slices.ContainsFunc(l.hidden[c], ok) {
			return true
		}
		if !hasWildcard(c) {
			continue
		}
		for _, rules := range l.hidden {
			if slices.ContainsFunc(rules, ok) {
				return true
			}
		}
	}
	return false
}

// mayBeProcess reports whether a component of /proc can be a process.
func mayBeProcess(c string) bool {
	if intersects(c, "self", false) || intersects(c, "thread-self", false) {
		return true
	}
	return !strings.ContainsFunc(c, func(r rune) bool { return r > anyDigits && (r < '0' || r > '9') })
}

// below reports whether a secret place can be below p.
func (l *secretList) below(p string) bool {
	if p == "/" {
		return true
	}
	parts := components(folded(p))
	for _, h := range l.homes {
		if len(parts) <= len(h) && prefixIntersects(parts, h, len(parts)) {
			return true
		}
	}
	for _, r := range l.rules {
		if len(parts) < len(r.parts) && prefixIntersects(parts, r.parts, len(parts)) && (!r.process || len(parts) < 2 || mayBeProcess(parts[1])) {
			return true
		}
	}
	return l.hiddenRules(parts, func(r secretRule, rest []string) bool {
		return len(rest) < len(r.parts) && prefixIntersects(rest, r.parts, len(rest))
	})
}

// extension matches the end of a name that shows the type of a file.
var extension = regexp.MustCompile(`\.[a-z0-9]+$`)

// wholeHome reports whether p is a pattern for all files of a home.
func (l *secretList) wholeHome(p string) bool {
	parts := components(folded(p))
	last := parts[len(parts)-1]
	if last == "" || last[0] != anyRun && last[0] != anyChar || extension.MatchString(last) {
		return false
	}
	for _, h := range l.homes {
		if len(parts) == len(h)+1 && prefixIntersects(parts, h, len(h)) {
			return true
		}
	}
	return false
}

// secretName reports whether the last component is the name of a secret file.
func (l *secretList) secretName(p string) bool {
	p = folded(p)
	base := p[strings.LastIndexByte(p, '/')+1:]
	for _, place := range wordyPlaces {
		if strings.HasPrefix(p, place) {
			return false
		}
	}
	if strings.HasSuffix(base, ".pub") {
		return false
	}
	return slices.ContainsFunc(l.names, func(n string) bool { return intersects(base, n, true) })
}

// folded normalises letters like a case-insensitive file system: every letter becomes the first one of its case
// folding (Unicode, simple case folding).
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r < utf8.RuneSelf:
			return r
		}
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if f >= 'a' && f <= 'z' {
				return f
			}
		}
		return unicode.ToLower(r)
	}, s)
}
