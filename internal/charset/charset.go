// Package charset recognises the encoding of a text file: UTF-8, or the ones in which older Korean and Chinese files are
// written, and converts in both directions without loss.
package charset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// Encoding is the name of an encoding.
type Encoding string

// The encodings. EUC-KR includes its extension CP949, GB18030 includes GBK and GB2312.
const (
	UTF8    Encoding = "UTF-8"
	EUCKR   Encoding = "EUC-KR"
	GB18030 Encoding = "GB18030"
)

// ErrNoText reports bytes that are text in none of the encodings.
var ErrNoText = errors.New("not a text")

// candidates are the encodings other than UTF-8, and the most frequent characters of their languages: about a third of
// any running text (frequency lists of the Sejong corpus and of Jun Da's Modern Chinese corpus).
var candidates = []struct {
	Encoding
	codec  encoding.Encoding
	common string
}{
	{EUCKR, korean.EUCKR, "이다는을의에고가를한하지은로서도기사자인해들시어과아대그있리나정것으일게라만부수니원상주면요전보스장음"},
	{GB18030, simplifiedchinese.GB18030, "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"},
}

// Decode returns the text of bytes and the encoding in which they are written. It is [ErrNoText] if they are in none,
// because then the text could not be written back.
func Decode(data []byte) (string, Encoding, error) {
	if bytes.IndexByte(data, 0) >= 0 {
		return "", "", ErrNoText
	}
	if utf8.Valid(data) {
		return string(data), UTF8, nil
	}
	var text string
	var found Encoding
	best := -1.0
	for _, c := range candidates {
		decoded, ok := decode(c.codec, data)
		if !ok {
			continue
		}
		if n := plausibility(decoded, c.common); n > best {
			text, found, best = decoded, c.Encoding, n
		}
	}
	if found == "" {
		return "", "", ErrNoText
	}
	return text, found, nil
}

// decode decodes bytes, and reports whether the text leads back to the same bytes.
func decode(codec encoding.Encoding, data []byte) (string, bool) {
	text, err := codec.NewDecoder().Bytes(data)
	if err != nil || bytes.ContainsRune(text, utf8.RuneError) || hasControls(text) {
		return "", false
	}
	back, err := codec.NewEncoder().Bytes(text)
	return string(text), err == nil && bytes.Equal(back, data)
}

// hasControls reports whether a text has characters that no text file has, as binary files do.
func hasControls(text []byte) bool {
	return bytes.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && !strings.ContainsRune("\t\n\v\f\r\x1b\b", r) || unicode.Is(unicode.Co, r)
	})
}

// maxSample bounds how many characters decide between the encodings.
const maxSample = 4096

// plausibility returns how large a part of the characters outside ASCII is frequent in a language. What is usual in any
// text of the language counts a little, so that a rare word is not taken for the other language.
func plausibility(text, common string) float64 {
	var all, score float64
	frequent := []rune(common)
	script := unicode.Hangul
	if !unicode.Is(unicode.Hangul, frequent[0]) {
		script = unicode.Han
	}
	for _, r := range text {
		if r < utf8.RuneSelf {
			continue
		}
		if all == maxSample {
			break
		}
		all++
		switch {
		case slices.Contains(frequent, r):
			score++
		case unicode.Is(script, r) && script == unicode.Hangul:
			score += 0.3 // Chinese characters read as Korean are Hangul only by half
		case unicode.Is(script, r):
			score += 0.1
		}
	}
	if all == 0 {
		return 0
	}
	return score / all
}

// Encode returns a text in an encoding. It fails if the encoding lacks a character.
func Encode(text string, in Encoding) ([]byte, error) {
	if in == UTF8 || in == "" {
		return []byte(text), nil
	}
	for _, c := range candidates {
		if c.Encoding != in {
			continue
		}
		data, err := c.codec.NewEncoder().Bytes([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("cannot write the text in %s: %w", in, err)
		}
		return data, nil
	}
	return nil, fmt.Errorf("cannot write the encoding %q", in)
}
