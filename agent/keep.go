package agent

import (
	"fmt"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// about is what every entry of the turn carries.
func (t *turn) about() *session.Metadata {
	return &session.Metadata{Task: t.Origin.Task, Channel: t.Origin.Channel}
}

// say keeps a message.
func (t *turn) say(m providers.Message, about *session.Metadata) error {
	return t.keep(session.Said(m, about))
}

// keep adds an entry to the conversation, one at a time: calls that run side
// by side end when they do.
func (t *turn) keep(e session.Entry) error {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	if err := t.o.History.Append(t.Session, e); err != nil && !t.Origin.Unkept {
		return fmt.Errorf("cannot keep the conversation: %w", err)
	}
	return nil
}

// leaveOpen ends a turn without an answer in the conversation too, with what
// the person is told. A conversation that cannot be kept was told already.
func (t *turn) leaveOpen(err error) {
	told := ""
	if t.Explain != nil {
		told = t.o.Redactor.Redact(t.Explain(err))
	}
	_ = t.keep(session.Failed(told, t.about()))
}
