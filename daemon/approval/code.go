package approval

import (
	"crypto/rand"
	"slices"
	"strings"
)

// crockford is the alphabet of codes that people type: without I, L, O and U (Crockford, Base32).
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// codeLength is the length of an approval's code.
const codeLength = 4

// NewCode returns a code of n characters that is not taken, short enough to read aloud.
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

// NormalCode normalizes a code as people type it.
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
