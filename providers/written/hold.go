package written

import "strings"

// maxHeld bounds the text that is held back, in bytes. Longer text is never a valid call.
const maxHeld = 64 << 10

// Parsing a long text again from each brace with every new piece would let a malicious server use unlimited CPU
// time. In texts longer than costly bytes, only maxLong openings are examined.
const (
	costly  = 4 << 10
	maxLong = 64
)

// hold passes text on, except for a tail that may become a call.
type hold struct {
	grammar grammar
	pass    func(string)

	held  []byte
	begun bool // text other than blanks was passed on
}

// write adds a piece of the answer.
func (h *hold) write(piece string) {
	if h.confirmed() && settled(piece) && len(h.held)+len(piece) <= maxHeld {
		h.held = append(h.held, piece...) // inside a possible call: undecided
		return
	}
	text := string(h.held) + piece
	at := h.opening(text)
	h.held = append(h.held[:0], text[at:]...)
	h.say(text[:at])
}

// settled reports whether a piece can neither end nor begin a call.
func settled(piece string) bool { return !strings.ContainsAny(piece, "}>]`\n{<[") }

// confirmed reports whether more than the first few bytes are held back.
func (h *hold) confirmed() bool { return len(h.held) > 64 }

// opening returns the index where a possible call begins, or the length of the text.
func (h *hold) opening(text string) int {
	start, long := 0, 0
	if !h.begun && strings.TrimSpace(text) == "" {
		return 0 // hold back blanks before the first word
	}
	for start < len(text) {
		i := strings.IndexAny(text[start:], "{[<`")
		if i < 0 {
			return len(text)
		}
		start += i
		if len(text)-start > costly {
			long++
		}
		if len(text)-start <= maxHeld && long <= maxLong && h.grammar.may(text[start:]) {
			if !h.begun && strings.TrimSpace(text[:start]) == "" {
				return 0
			}
			return start
		}
		start = h.past(text, start)
	}
	return len(text)
}

// past returns the index after an opening character. A run of backquotes counts as one.
func (h *hold) past(text string, at int) int {
	if text[at] != '`' {
		return at + 1
	}
	for at < len(text) && text[at] == '`' {
		at++
	}
	return at
}

func (h *hold) say(s string) {
	if s != "" {
		h.begun = h.begun || strings.TrimSpace(s) != ""
		h.pass(s)
	}
}

// release passes on the held text, because it is not a call.
func (h *hold) release() {
	held := string(h.held)
	h.held = nil
	h.say(held)
}
