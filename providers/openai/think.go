package openai

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinkFilter splits a streamed text into the reasoning between a leading <think> and </think> and the answer
// after it. Tags elsewhere are text.
type thinkFilter struct {
	state     thinkState
	pending   string // possible beginning of a tag
	reasoning strings.Builder
}

type thinkState int

const (
	thinkStart  thinkState = iota // only blanks so far
	thinkInside                   // after <think>
	thinkAfter                    // after </think>: blanks before the answer are dropped
	thinkText                     // the rest is the answer
)

// write adds a piece and returns the new answer text.
func (f *thinkFilter) write(piece string) string {
	if f.state == thinkText {
		return piece
	}
	s := f.pending + piece
	f.pending = ""
	if f.state == thinkStart {
		trimmed := strings.TrimLeft(s, " \t\r\n")
		switch {
		case strings.HasPrefix(trimmed, thinkOpen):
			f.state, s = thinkInside, trimmed[len(thinkOpen):]
		case strings.HasPrefix(thinkOpen, trimmed):
			f.pending = s
			return ""
		default:
			f.state = thinkText
			return s
		}
	}
	if f.state == thinkInside {
		before, after, closed := strings.Cut(s, thinkClose)
		if !closed {
			keep := tagPrefix(s, thinkClose)
			f.reasoning.WriteString(s[:len(s)-keep])
			f.pending = s[len(s)-keep:]
			return ""
		}
		f.reasoning.WriteString(before)
		f.state, s = thinkAfter, after
	}
	if s = strings.TrimLeft(s, " \t\r\n"); s != "" {
		f.state = thinkText
	}
	return s
}

// close ends the text and returns the answer text that was pending.
func (f *thinkFilter) close() string {
	s := f.pending
	f.pending = ""
	if f.state == thinkInside {
		f.reasoning.WriteString(s)
		return ""
	}
	return s
}

// tagPrefix returns the number of bytes at the end of s that can be the beginning of tag.
func tagPrefix(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
