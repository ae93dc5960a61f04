package agent

import "io"

// shown passes on an answer's text as soon as it is certain not to be part of a secret.
type shown struct {
	turn *turn
	w    io.WriteCloser
}

func (t *turn) showing() *shown { return &shown{turn: t} }

// text returns the function that receives the text, nil if there is no observer.
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

// end passes on the buffered rest. More text can follow.
func (s *shown) end() {
	if s.w != nil {
		_ = s.w.Close()
		s.w = nil
	}
}

// textFunc is a writer that calls a function.
type textFunc func(string)

func (f textFunc) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}
