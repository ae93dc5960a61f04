package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// maxSample is how many bytes a guess looks at.
const maxSample = 64 << 10

const byteOrderMark = "\ufeff"

// sureUTF8 is how many characters beyond ASCII make valid UTF-8 no coincidence.
const sureUTF8 = 8

// Decode returns a text in UTF-8 and the name of its encoding: what the server, a byte order mark or the page says,
// otherwise UTF-8 if it is valid, otherwise a guess. What they say does not count if the text shows that it is wrong.
func Decode(data []byte, contentType string) (text, name string) {
	enc, name, certain := charset.DetermineEncoding(data[:min(len(data), 1024)], contentType)
	all, bad := countRunes(data)
	switch {
	case bad == 0 && (!certain || all >= sureUTF8):
		return strings.TrimPrefix(string(data), byteOrderMark), "utf-8"
	case !certain:
		enc, name = guess(data)
	case name == "utf-8" && 2*bad > all, name == windows1252: // which servers say of everything
		if other, its := guess(data); its != windows1252 {
			enc, name = other, its
		}
	}
	decoded, err := enc.NewDecoder().Bytes(data)
	if err != nil { // an encoding that browsers refuse
		return string([]rune(string(data))), name
	}
	return strings.TrimPrefix(string(decoded), byteOrderMark), name
}

// countRunes returns how many characters beyond ASCII a text in UTF-8 has, and how many of them are none.
func countRunes(data []byte) (all, bad int) {
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		data = data[size:]
		if r >= utf8.RuneSelf {
			all++
		}
		if r == utf8.RuneError && size == 1 {
			bad++
		}
	}
	return all, bad
}

// windows1252 is the name of the encoding that is left if no other fits.
const windows1252 = "windows-1252"

// guess returns the most likely encoding of a text that is not UTF-8.
func guess(data []byte) (encoding.Encoding, string) {
	data = data[:min(len(data), maxSample)]
	kana := func(r rune) bool { return 0x3041 <= r && r <= 0x30fe }
	hangul := func(r rune) bool { return 0xac00 <= r && r <= 0xd7a3 }
	han := func(r rune) bool {
		return unicode.Is(unicode.Han, r) || 0x3000 <= r && r <= 0x303f || 0xff01 <= r && r <= 0xff5e
	}
	for _, c := range []struct {
		enc   encoding.Encoding
		name  string
		is    func(rune) bool
		share float64 // of the characters beyond ASCII
	}{
		{japanese.ShiftJIS, "shift_jis", kana, 0.15},
		{japanese.EUCJP, "euc-jp", kana, 0.15},
		{korean.EUCKR, "euc-kr", hangul, 0.8}, // Chinese text in it is about half hangul, by chance
		{simplifiedchinese.GB18030, "gb18030", han, 0.7},
	} {
		if share(data, c.enc, c.is) >= c.share {
			return c.enc, c.name
		}
	}
	return charmap.Windows1252, windows1252
}

// share returns which part of a text's characters beyond ASCII is of a kind, or 0 if it is not in this encoding.
func share(data []byte, enc encoding.Encoding, is func(rune) bool) float64 {
	decoded, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return 0
	}
	all, wanted, bad := 0, 0, 0
	for _, r := range string(decoded) {
		if r < 0x80 {
			continue
		}
		all++
		switch {
		case r == utf8.RuneError || unicode.IsControl(r):
			bad++
		case is(r):
			wanted++
		}
	}
	if all == 0 || bad*50 > all { // a sample can end within a character
		return 0
	}
	return float64(wanted) / float64(all)
}
