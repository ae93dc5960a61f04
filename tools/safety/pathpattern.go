package safety

import "strings"

// toWildcards replaces stars and question marks by wildcard characters.
func toWildcards(s string) string {
	return strings.NewReplacer("*", string(rune(anyRun)), "?", string(rune(anyChar))).Replace(s)
}

func components(p string) []string {
	return strings.Split(strings.Trim(p, "/"), "/")
}

// pattern returns a value as a path pattern.
func (v value) pattern() (string, bool) {
	var b strings.Builder
	for _, s := range v {
		switch s.kind {
		case segLit:
			if strings.ContainsFunc(s.text, func(r rune) bool { return r < ' ' }) {
				return "", false
			}
			b.WriteString(s.text)
		case segGlob:
			b.WriteString(toWildcards(s.displayText()))
		case segUint:
			b.WriteByte(anyDigits)
		case segTame, segInt, segWords, segNumbers:
			b.WriteByte(anyRun)
		case segPath:
			b.WriteString("/usr/bin/" + string(rune(anyRun)))
		case segBelow:
			b.WriteString("/" + string(rune(anyDepth)))
		default:
			return "", false
		}
	}
	return b.String(), true
}

// hasParentOfWildcard reports whether .. follows an unknown component.
func hasParentOfWildcard(p string) bool {
	wildcard := false
	for c := range strings.SplitSeq(p, "/") {
		if c == ".." && wildcard {
			return true
		}
		wildcard = wildcard || hasWildcard(c)
	}
	return false
}

func hasWildcard(s string) bool {
	for i := range len(s) {
		if s[i] <= anyDigits {
			return true
		}
	}
	return false
}

func prefixIntersects(a, b []string, n int) bool {
	for i := range n {
		if a[i] != b[i] && !intersects(a[i], b[i], false) {
			return false
		}
	}
	return true
}

// intersects reports whether some name matches both patterns. With specific set, a literal letter of a must
// meet one of b, so that "*" does not count as a spelling of "*.pem".
func intersects(a, b string, specific bool) bool {
	if !hasWildcard(a) && !hasWildcard(b) {
		return a == b
	}
	if hidden(b) && a != "" && (a[0] == anyRun || a[0] == anyChar) {
		return false // shell patterns do not match a leading dot
	}
	w := len(b) + 1
	reach := make([]uint8, (len(a)+1)*w) // bit 0: reached, bit 1: reached with a shared letter
	reach[0] = 1
	if !hasWildcard(a) {
		reach[0] = 2 // a complete name is specific enough
	}
	mark := func(i, j int, bits uint8) {
		if i <= len(a) && j <= len(b) {
			reach[i*w+j] |= bits
		}
	}
	for i := 0; i <= len(a); i++ {
		for j := 0; j <= len(b); j++ {
			if bits := reach[i*w+j]; bits != 0 {
				advance(a, b, i, j, bits, mark)
			}
		}
	}
	end := reach[len(a)*w+len(b)]
	return end&2 != 0 || end != 0 && !specific
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// advance marks every way in which both patterns can consume one more character.
func advance(a, b string, i, j int, bits uint8, mark func(int, int, uint8)) {
	aDigits := i < len(a) && a[i] == anyDigits
	aStar := aDigits || i < len(a) && a[i] == anyRun
	bStar := j < len(b) && b[j] == anyRun
	if aStar {
		mark(i+1, j, bits)
	}
	if bStar {
		mark(i, j+1, bits)
	}
	if i == len(a) || j == len(b) {
		return
	}
	switch {
	case aStar && bStar:
	case aDigits && b[j] != anyChar && !isDigits(b[j:j+1]):
	case aStar:
		mark(i, j+1, bits)
	case bStar:
		mark(i+1, j, bits)
	case a[i] == anyChar || b[j] == anyChar:
		mark(i+1, j+1, bits)
	case a[i] == b[j]:
		if letter := a[i] != '.' && a[i] != '_' && a[i] != '-' || i == 0; letter {
			bits = 2
		}
		mark(i+1, j+1, bits)
	}
}
