package secret

import "strings"

// maxPiece is how much of a line is examined together, in bytes.
const maxPiece = 16 << 10

// pieceAt returns the end of the line, or of the piece of a very long line, at an offset.
func (r *Redactor) pieceAt(text string, start int) int {
	end := len(text)
	if n := strings.IndexByte(text[start:min(len(text), start+maxPiece)], '\n'); n >= 0 {
		return start + n + 1
	}
	if end-start > maxPiece {
		return start + r.cut(text[start:start+maxPiece])
	}
	return end
}

// pieceAround returns the bounds of the line or piece that contains an offset. pos is the beginning of an
// earlier one.
func (r *Redactor) pieceAround(text string, pos, at int) (start, end int) {
	start = pos + strings.LastIndexByte(text[pos:at], '\n') + 1
	for {
		if end = r.pieceAt(text, start); end > at {
			return start, end
		}
		start = end
	}
}

// cut returns where to split a window of a very long line: in its last quarter, at a separator if possible,
// else at the end of a word, and never inside a known value.
func (r *Redactor) cut(window string) int {
	low, high := len(window)*3/4, len(window)-min(r.reach, len(window)/8)
	at := lastWhere(window, low, high, func(i int) bool { return isSeparator(window, i) })
	if at < 0 {
		at = lastWhere(window, low, high, func(i int) bool { return !isWord(window[i]) })
	}
	if at < 0 {
		at = low
	}
	return r.cutOutsideKnown(window, at)
}

func lastWhere(s string, low, high int, ok func(int) bool) int {
	for i := high - 1; i >= low; i-- {
		if ok(i) {
			return i + 1
		}
	}
	return -1
}

// isSeparator reports whether the texts before and after an offset are independent.
func isSeparator(s string, at int) bool {
	switch s[at] {
	case ',', ';', '&', '{', '}', '[', ']', '\r':
		return true
	case ' ', '\t':
		before, behind := strings.TrimRight(s[:at], " \t"), strings.TrimLeft(s[at:], " \t")
		if before == "" || behind == "" || strings.IndexByte("=:", before[len(before)-1]) >= 0 || strings.IndexByte("=:", behind[0]) >= 0 {
			return false
		}
		start, end := nameAround(before, len(before))
		name := before[start:end]
		return secretKindOf(name) == notSecret && !hasPrefixFold(name, "bearer") && !hasPrefixFold(name, "basic")
	}
	return false
}

// cutOutsideKnown moves a cut to the beginning of the known value that contains it.
func (r *Redactor) cutOutsideKnown(window string, at int) int {
	for _, form := range r.known {
		from := max(at-len(form)+1, len(window)/2+1)
		if from >= at {
			continue
		}
		if i := strings.Index(window[from:min(len(window), at+len(form)-1)], form); i >= 0 {
			return from + i
		}
	}
	return at
}
