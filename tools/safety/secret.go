package safety

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Wildcards in a path pattern. Judged text has no control characters, so a quoted star in a file name stays a star.
const (
	anyRun  = '\x01' // any characters except a slash
	anyChar = '\x02' // one character except a slash
	// anyDigits matches digits, or nothing.
	anyDigits = '\x04'
	// anyDepth as the last component matches everything below.
	anyDepth = '\x03'
)

// canRead reports whether a program can show the contents of the operand.
func (s *scope) canRead(f field) bool {
	s.j.recordPath()
	return s.allPaths(f, func(p string) bool {
		switch p {
		case "/dev/null", "/dev/stdin", procSubstPath:
			return true
		}
		l := s.j.c.secrets
		if dir, all := strings.CutSuffix(p, "/"+string(rune(anyDepth))); all {
			return !l.contains(dir, false) && !l.hasBelow(dir) && dir != ""
		}
		return !l.contains(p, false) && !l.isSecretName(p) && !l.isWholeHome(p)
	})
}

// canReadTree reports whether a program can show the contents of everything below the operand.
func (s *scope) canReadTree(f field) bool {
	return s.canRead(f) && s.allPaths(f, func(p string) bool { return !s.j.c.secrets.hasBelow(p) })
}

// canName reports whether a program can show attributes of the operand itself, including the names that a
// pattern matches, but nothing below it.
func (s *scope) canName(f field) bool {
	s.j.recordPath()
	pattern, known := f.val.pattern()
	if known && !hasWildcard(pattern) {
		return !strings.Contains(pattern, "://")
	}
	return s.allPaths(f, func(p string) bool {
		return !s.j.c.secrets.contains(path.Dir(p), true)
	})
}

// canList reports whether a program can show names and attributes in the operand.
func (s *scope) canList(f field) bool {
	s.j.recordPath()
	return s.allPaths(f, func(p string) bool { return !s.j.c.secrets.contains(p, true) })
}

// allPaths reports whether ok returns true for every absolute path pattern that the field can mean, before and
// after resolving symbolic links. It returns false for a value that is no path pattern.
func (s *scope) allPaths(f field, ok func(string) bool) bool {
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
		if hasParentOfWildcard(p) {
			return false
		}
		written := p
		p = path.Clean(p)
		if !strings.Contains(written, "..") {
			written = p
		}
		if !ok(p) || !s.checkResolved(written, ok) {
			return false
		}
	}
	return true
}

// maxMatches is the maximum number of matches of a pattern that are checked.
const maxMatches = 2000

// checkMatches checks the files that a pattern matches now, and their link targets.
func (s *scope) checkMatches(pattern string, ok func(string) bool) bool {
	if s.j.c.glob == nil || strings.ContainsRune(pattern, anyDepth) {
		return true
	}
	pattern = globOf(pattern)
	found, err := s.j.c.glob(pattern)
	if err != nil || len(found) > maxMatches {
		return false
	}
	for _, file := range found {
		if !isHiddenMatch(pattern, file) && (!ok(file) || !s.checkResolved(file, ok)) {
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

// isHiddenMatch reports whether a file is hidden but the pattern has no leading dot, so that the shell does not
// match it.
func isHiddenMatch(pattern, file string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(file, "/")
	for i := range min(len(want), len(have)) {
		if strings.HasPrefix(have[i], ".") && !strings.HasPrefix(want[i], ".") {
			return true
		}
	}
	return false
}

// checkResolved checks the targets of symbolic links. A path with .. is resolved as written, because the parent of
// a link's target is not the directory before it in the path.
func (s *scope) checkResolved(p string, ok func(string) bool) bool {
	if hasWildcard(p) {
		return s.checkMatches(p, ok)
	}
	if s.j.c.evalSymlinks == nil || strings.HasPrefix(p, "/dev/") {
		return true
	}
	real, err := s.j.c.evalSymlinks(p)
	return err != nil || real == p || ok(real)
}

// contains reports whether p can be in a secret place. With listing set, places that can be listed do not count.
func (l *secretList) contains(p string, listing bool) bool {
	parts := components(foldCase(p))
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

// hasBelow reports whether a secret place can be below p.
func (l *secretList) hasBelow(p string) bool {
	if p == "/" {
		return true
	}
	parts := components(foldCase(p))
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
var extension = lazyregexp.New(`\.[a-z0-9]+$`)

// isWholeHome reports whether p is a pattern for all files of a home.
func (l *secretList) isWholeHome(p string) bool {
	parts := components(foldCase(p))
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

// isSecretName reports whether the last component is the name of a secret file.
func (l *secretList) isSecretName(p string) bool {
	p = foldCase(p)
	base := p[strings.LastIndexByte(p, '/')+1:]
	for _, place := range documentationPlaces {
		if strings.HasPrefix(p, place) {
			return false
		}
	}
	if strings.HasSuffix(base, ".pub") {
		return false
	}
	return slices.ContainsFunc(l.names, func(n string) bool { return intersects(base, n, true) })
}

// foldCase normalises letters like a case-insensitive file system: every letter becomes the first one of its case
// folding (Unicode, simple case folding).
func foldCase(s string) string {
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
