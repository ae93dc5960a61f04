package approval

import (
	"crypto/rand"
	"slices"
	"strings"
)

// crockford is the alphabet of codes a person types: no I, L, O, U
// (Crockford, Base32).
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// newCode returns four characters that are not taken.
func newCode(taken func(string) bool) string {
	for {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails, crypto/rand
		for i := range b {
			b[i] = crockford[b[i]%32]
		}
		if code := string(b[:]); !taken(code) {
			return code
		}
	}
}

// NormalCode reads a code as people type it.
func NormalCode(s string) string {
	return strings.NewReplacer("O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(strings.TrimSpace(s)))
}

// FindCode returns the first word of a text that is one of the codes.
func FindCode(text string, codes []string) (code string, ok bool) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r > 0x7f || !isWord(r) }) {
		if slices.Contains(codes, NormalCode(word)) {
			return NormalCode(word), true
		}
	}
	return "", false
}

func isWord(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
