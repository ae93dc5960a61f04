package agent

import "io"

// redactedStream passes on an answer's text as soon as it is certain not to be part of a secret.
type redactedStream struct {
	turn *turn
	w    io.WriteCloser
}

func (t *turn) newStream() *redactedStream { return &redactedStream{turn: t} }

// handler returns the function that receives the text, nil if there is no observer.
func (s *redactedStream) handler() func(string) {
	if s.turn.OnText == nil {
		return nil
	}
	return func(text string) {
		if s.w == nil {
			s.w = s.turn.o.Redactor.LiveWriter(textFunc(s.turn.OnText))
		}
		_, _ = io.WriteString(s.w, text)
	}
}

// end passes on the buffered rest. More text can follow.
func (s *redactedStream) end() {
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
