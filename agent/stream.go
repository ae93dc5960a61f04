package agent

import (
	"strings"

	"github.com/nidoit/blunux-ai/secret"
)

// stream passes an answer's pieces on as they may be seen. A key may come in
// several pieces, so that what could be the beginning of one waits for its end;
// the rest of the line is shown as soon as it is there.
type stream struct {
	redactor *secret.Redactor
	to       func(string)
	line     string // of the answer, since the last line feed
	shown    int    // bytes of it, redacted, that were passed on
}

// onText is what a model calls; nil where nobody looks on.
func (s *stream) onText() func(string) {
	if s.to == nil {
		return nil
	}
	return s.write
}

func (s *stream) write(text string) {
	for text != "" {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			s.line += text
			s.show(strings.TrimRight(s.line, keyLetters))
			return
		}
		s.line += text[:end]
		s.show(s.line)
		s.line, s.shown, text = "", 0, text[end:]
	}
}

// close passes on what waited.
func (s *stream) close() {
	if s.line != "" {
		s.show(s.line)
	}
	s.line, s.shown = "", 0
}

func (s *stream) show(text string) {
	clean := s.redactor.Redact(text)
	if len(clean) > s.shown {
		s.to(clean[s.shown:])
		s.shown = len(clean)
	}
}

// keyLetters are what keys are made of.
const keyLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.:~%"
