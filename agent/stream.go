package agent

import "io"

// shown passes an answer's pieces on as they may be seen: as soon as it is sure
// that they are no part of a key.
type shown struct {
	turn *turn
	w    io.WriteCloser
}

func (t *turn) showing() *shown { return &shown{turn: t} }

// text returns where the pieces go; nil where nobody looks on.
func (s *shown) text() func(string) {
	if s.turn.OnText == nil {
		return nil
	}
	return func(text string) {
		if s.w == nil {
			s.w = s.turn.o.Redactor.Live(textFunc(s.turn.OnText))
		}
		_, _ = io.WriteString(s.w, text)
	}
}

// end passes on the last line. More may follow.
func (s *shown) end() {
	if s.w != nil {
		_ = s.w.Close()
		s.w = nil
	}
}

// textFunc is a writer made of a function that cannot fail.
type textFunc func(string)

func (f textFunc) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}
