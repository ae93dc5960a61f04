package approval

import (
	"crypto/rand"
	"slices"
	"strings"
)

// crockford is the alphabet of codes a person types: no I, L, O, U
// (Crockford, Base32).
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// codeLength is how long an approval's code is.
const codeLength = 4

// NewCode returns n characters that are not taken, for people to read to each other.
func NewCode(n int, taken func(string) bool) string {
	b := make([]byte, n)
	for {
		_, _ = rand.Read(b) // never fails, crypto/rand
		for i := range b {
			b[i] = crockford[b[i]%32]
		}
		if code := string(b); !taken(code) {
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
