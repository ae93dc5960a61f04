package written

import "strings"

// maxHeld is how many bytes of an answer are held back at most: more is no call
// that a person would be asked about.
const maxHeld = 64 << 10

// Reading a long text from each brace in it, again with every piece, would take
// as long as a malicious server likes: of what is longer than costly bytes only
// so many openings are looked at.
const (
	costly  = 4 << 10
	maxLong = 64
)

// hold passes text on, except for the end that may become a call.
type hold struct {
	grammar grammar
	pass    func(string)

	held  []byte
	begun bool // something but blanks was passed on
}

// write takes a piece of the answer.
func (h *hold) write(piece string) {
	if h.confirmed() && settled(piece) && len(h.held)+len(piece) <= maxHeld {
		h.held = append(h.held, piece...) // in the midst of it: nothing can be decided
		return
	}
	text := string(h.held) + piece
	at := h.opening(text)
	h.held = append(h.held[:0], text[at:]...)
	h.say(text[:at])
}

// settled reports whether a piece cannot end a call or begin one.
func settled(piece string) bool { return !strings.ContainsAny(piece, "}>]`\n{<[") }

// confirmed reports whether what is held is more than the first letters of
// something.
func (h *hold) confirmed() bool { return len(h.held) > 64 }

// opening returns where the text begins that may become a call, or its length.
func (h *hold) opening(text string) int {
	start, long := 0, 0
	if !h.begun && strings.TrimSpace(text) == "" {
		return 0 // blanks before the first word: nobody misses them
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

// past returns where the next opening may stand: a run of backquotes is one.
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

// release passes on what was held: it is text.
func (h *hold) release() {
	held := string(h.held)
	h.held = nil
	h.say(held)
}
