package database

import "strings"

// Compare compares two versions as pacman does: [epoch:]version[-release] (libalpm, lib/libalpm/version.c, alpm_pkg_vercmp). It
// returns a negative number if a is older than b. Releases only count if both have one.
func Compare(a, b string) int {
	if a == b {
		return 0
	}
	epochA, versionA, releaseA := splitVersion(a)
	epochB, versionB, releaseB := splitVersion(b)
	if c := compareParts(epochA, epochB); c != 0 {
		return c
	}
	if c := compareParts(versionA, versionB); c != 0 || releaseA == "" || releaseB == "" {
		return c
	}
	return compareParts(releaseA, releaseB)
}

func splitVersion(v string) (epoch, version, release string) {
	epoch = "0"
	if digits, rest, found := strings.Cut(v, ":"); found && strings.Trim(digits, "0123456789") == "" {
		v = rest
		if digits != "" {
			epoch = digits
		}
	}
	if i := strings.LastIndexByte(v, '-'); i >= 0 {
		return epoch, v[:i], v[i+1:]
	}
	return epoch, v, ""
}

// compareParts is rpmvercmp of version.c: segments of digits or letters, separated by other characters.
func compareParts(a, b string) int {
	if a == b {
		return 0
	}
	for a != "" && b != "" {
		var gapA, gapB int
		a, gapA = skipGap(a)
		b, gapB = skipGap(b)
		if a == "" || b == "" {
			break
		}
		if gapA != gapB {
			return sign(gapA - gapB)
		}
		isKind := isLetter
		if isDigit(a[0]) {
			isKind = isDigit
		}
		partA, restA := cutWhile(a, isKind)
		partB, restB := cutWhile(b, isKind)
		switch {
		case partA == "":
			return -1
		case partB == "" && isDigit(a[0]): // a number is newer than letters
			return 1
		case partB == "":
			return -1
		}
		if isDigit(partA[0]) {
			partA, partB = strings.TrimLeft(partA, "0"), strings.TrimLeft(partB, "0")
			if len(partA) != len(partB) {
				return sign(len(partA) - len(partB))
			}
		}
		if c := strings.Compare(partA, partB); c != 0 {
			return c
		}
		a, b = restA, restB
	}
	switch {
	case a == "" && b == "":
		return 0
	case a == "" && !isLetter(b[0]), a != "" && isLetter(a[0]): // what is left is older if it is letters: 1.0rc < 1.0
		return -1
	}
	return 1
}

func skipGap(s string) (rest string, gap int) {
	for gap < len(s) && !isDigit(s[gap]) && !isLetter(s[gap]) {
		gap++
	}
	return s[gap:], gap
}

func cutWhile(s string, is func(byte) bool) (head, rest string) {
	n := 0
	for n < len(s) && is(s[n]) {
		n++
	}
	return s[:n], s[n:]
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// dependency is a name with a demand on its version: NAME, NAME=1, NAME>=1 and so on (lib/libalpm/deps.c).
type dependency struct{ name, operator, version string }

func parseDependency(text string) dependency {
	text, _, _ = strings.Cut(text, ": ") // a description
	for _, operator := range []string{">=", "<=", "=", "<", ">"} {
		if name, version, found := strings.Cut(text, operator); found {
			return dependency{name, operator, version}
		}
	}
	return dependency{name: text}
}

// accepts reports whether a version meets the demand.
func (d dependency) accepts(version string) bool {
	if d.operator == "" {
		return true
	}
	c := Compare(version, d.version)
	switch d.operator {
	case "=":
		return c == 0
	case ">=":
		return c >= 0
	case "<=":
		return c <= 0
	case "<":
		return c < 0
	}
	return c > 0
}

// isLiterally reports whether a package has the name and a version that is demanded.
func (d dependency) isLiterally(p *Package) bool { return p.Name == d.name && d.accepts(p.Version) }

// isMetBy reports whether a package is what is demanded, or provides it. A provision without a version only meets a demand
// without one.
func (d dependency) isMetBy(p *Package) bool {
	if d.isLiterally(p) {
		return true
	}
	for _, text := range p.Provides {
		provision := parseDependency(text)
		if provision.name != d.name {
			continue
		}
		if d.operator == "" || provision.operator == "=" && d.accepts(provision.version) {
			return true
		}
	}
	return false
}
