package ipc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	joiner       = '\u200d' // zero width joiner
	asEmoji      = '\ufe0f' // variation selector 16: display as an emoji
	emojiContext = 4        // how many preceding characters decide whether a joiner is kept
)

// JoinsEmoji reports whether a zero width joiner between two texts combines the emoji on both sides into one (UTS
// 51, emoji ZWJ sequences). A joiner anywhere else is invisible.
func JoinsEmoji(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return isEmoji(next) && EndsInEmoji(before)
}

// EndsInEmoji reports whether a text ends in an emoji, including its variation selector and skin tone.
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

// isEmoji reports whether a character can be part of a joined emoji: pictographs of the supplementary plane, and
// the older symbols in emoji-zwj-sequences.txt.
func isEmoji(r rune) bool {
	return r >= 0x1f300 && r <= 0x1faff && !isSkinTone(r) ||
		strings.ContainsRune("\u2194\u2195\u2620\u2640\u2642\u2695\u2696\u26a7\u26d3\u26f9\u2708\u270a\u270b\u270c\u270d\u2764\u27a1\u2b1b\u2b1c", r)
}

// takesColour reports whether a text ends in a character that variation selector 16 displays as an emoji
// (emoji-variation-sequences.txt, except digits).
func takesColour(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return isEmoji(r) || r >= 0x203c && r <= 0x3299 && r != asEmoji && unicode.In(r, unicode.So, unicode.Sm, unicode.Po) && isVisible(r)
}

func isSkinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// Cleaner is [Clean] for text that comes in pieces, even if a piece ends within a joined emoji. The zero value is
// ready to use.
type Cleaner struct {
	end string // the last characters so far
}

// Next cleans the next piece. The concatenated results equal the cleaned whole text.
func (c *Cleaner) Next(piece string) string {
	clean := strings.TrimPrefix(Clean(c.end+piece), Clean(c.end))
	c.end += piece
	at := len(c.end)
	for range emojiContext {
		_, size := utf8.DecodeLastRuneInString(c.end[:at])
		at -= size
	}
	c.end = c.end[at:]
	return clean
}
