package written

import "strings"

// maxPending bounds the text that is held back, in bytes. Longer text is never a valid call.
const maxPending = 64 << 10

// Parsing a long text again from each brace with every new piece would let a malicious server use unlimited CPU
// time. In texts longer than longText bytes, only maxOpenings openings are examined.
const (
	longText    = 4 << 10
	maxOpenings = 64
)

// callFilter passes text on, except for a tail that may become a call.
type callFilter struct {
	grammar grammar
	pass    func(string)

	pending []byte
	started bool // text other than blanks was passed on
}

// write adds a piece of the answer.
func (h *callFilter) write(piece string) {
	if h.isCommitted() && isInert(piece) && len(h.pending)+len(piece) <= maxPending {
		h.pending = append(h.pending, piece...) // inside a possible call: undecided
		return
	}
	text := string(h.pending) + piece
	at := h.findOpening(text)
	h.pending = append(h.pending[:0], text[at:]...)
	h.emit(text[:at])
}

// isInert reports whether a piece can neither end nor begin a call.
func isInert(piece string) bool { return !strings.ContainsAny(piece, "}>]`\n{<[") }

// isCommitted reports whether more than the first few bytes are held back.
func (h *callFilter) isCommitted() bool { return len(h.pending) > 64 }

// findOpening returns the index where a possible call begins, or the length of the text.
func (h *callFilter) findOpening(text string) int {
	start, long := 0, 0
	if !h.started && strings.TrimSpace(text) == "" {
		return 0 // hold back blanks before the first word
	}
	for start < len(text) {
		i := strings.IndexAny(text[start:], "{[<`")
		if i < 0 {
			return len(text)
		}
		start += i
		if len(text)-start > longText {
			long++
		}
		if len(text)-start <= maxPending && long <= maxOpenings && h.grammar.canBeCalls(text[start:]) {
			if !h.started && strings.TrimSpace(text[:start]) == "" {
				return 0
			}
			return start
		}
		start = h.skipOpening(text, start)
	}
	return len(text)
}

// skipOpening returns the index after an opening character. A run of backquotes counts as one.
func (h *callFilter) skipOpening(text string, at int) int {
	if text[at] != '`' {
		return at + 1
	}
	for at < len(text) && text[at] == '`' {
		at++
	}
	return at
}

func (h *callFilter) emit(s string) {
	if s != "" {
		h.started = h.started || strings.TrimSpace(s) != ""
		h.pass(s)
	}
}

// release passes on the held text, because it is not a call.
func (h *callFilter) release() {
	held := string(h.pending)
	h.pending = nil
	h.emit(held)
}
