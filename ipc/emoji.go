package ipc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	joiner   = '\u200d' // zero width joiner
	asEmoji  = '\ufe0f' // variation selector 16: shown as an emoji
	mostEnds = 4        // characters before a place that decide whether a joiner there stays
)

// JoinsEmoji reports whether a zero width joiner between two texts makes one
// picture of the emoji on both sides (UTS 51, emoji ZWJ sequences). A joiner
// anywhere else hides in the text.
func JoinsEmoji(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return isEmoji(next) && EndsInEmoji(before)
}

// EndsInEmoji reports whether a text ends in an emoji, with the signs for its
// colour and skin tone.
func EndsInEmoji(text string) bool {
	r, size := utf8.DecodeLastRuneInString(text)
	for range 2 { // at most a skin tone and a variation selector
		if r != asEmoji && !isSkinTone(r) {
			break
		}
		text = text[:len(text)-size]
		r, size = utf8.DecodeLastRuneInString(text)
	}
	return isEmoji(r)
}

// isEmoji reports whether a character can be a part of a joined emoji: the
// pictographs of the supplementary plane, and the older symbols that joined
// emoji use (emoji-zwj-sequences.txt).
func isEmoji(r rune) bool {
	return r >= 0x1f300 && r <= 0x1faff && !isSkinTone(r) ||
		strings.ContainsRune("\u2194\u2195\u2620\u2640\u2642\u2695\u2696\u26a7\u26d3\u26f9\u2708\u270a\u270b\u270c\u270d\u2764\u27a1\u2b1b\u2b1c", r)
}

// takesColour reports whether a text ends in a character that variation selector 16 shows
// as an emoji (emoji-variation-sequences.txt, but for digits).
func takesColour(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return isEmoji(r) || r >= 0x203c && r <= 0x3299 && r != asEmoji && unicode.In(r, unicode.So, unicode.Sm, unicode.Po) && shows(r)
}

func isSkinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// Cleaner is [Clean] for a text that comes in pieces, of which one may end
// within a joined emoji. The zero value is at the beginning of a text.
type Cleaner struct {
	end string // the last characters of what came
}

// Next cleans the piece that comes next. All pieces cleaned are the whole text
// cleaned.
func (c *Cleaner) Next(piece string) string {
	clean := strings.TrimPrefix(Clean(c.end+piece), Clean(c.end))
	c.end += piece
	at := len(c.end)
	for range mostEnds {
		_, size := utf8.DecodeLastRuneInString(c.end[:at])
		at -= size
	}
	c.end = c.end[at:]
	return clean
}
