package page

import (
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

// Decode returns a text in UTF-8 and the name of its encoding: what the server, a byte order mark or the page says,
// otherwise UTF-8 if it is valid, otherwise a guess.
func Decode(data []byte, contentType string) (text, name string) {
	enc, name, certain := charset.DetermineEncoding(data[:min(len(data), 1024)], contentType)
	if !certain {
		if utf8.Valid(data) {
			return string(data), "utf-8"
		}
		enc, name = guess(data)
	}
	decoded, err := enc.NewDecoder().Bytes(data)
	if err != nil { // an encoding that browsers refuse
		return string([]rune(string(data))), name
	}
	return string(decoded), name
}

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
	return charmap.Windows1252, "windows-1252"
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
