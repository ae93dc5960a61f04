package memory

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// hashKey returns the key for a note without one: a short hash of its text, independent of the note's place.
func hashKey(n Note) string {
	text := norm.NFC.String(n.Text)
	if n.Category == Daily {
		text = n.Created.Format("2006-01-02 15:04 ") + text
	}
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
}

// maxKey bounds a key, in bytes.
const maxKey = 64

// Slug converts a name to a key: its letters and digits of any script in lower case, with a hyphen for anything
// between them, at most 64 bytes. It is empty for a name without letters and digits.
func Slug(name string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToLower(name)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > maxKey+utf8.UTFMax {
			break
		}
	}
	return strings.Trim(truncate(b.String(), maxKey), "-")
}
