package agent

import (
	"fmt"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// about returns the metadata common to all entries of the turn.
func (t *turn) about() *session.Metadata {
	return &session.Metadata{Task: t.Origin.Task, Channel: t.Origin.Channel}
}

// say stores a message.
func (t *turn) say(m providers.Message, about *session.Metadata) error {
	return t.keep(session.Said(m, about))
}

// keep appends an entry to the conversation. The lock serializes calls that end in parallel.
func (t *turn) keep(e session.Entry) error {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	if err := t.o.History.Append(t.Session, e); err != nil && !t.Origin.Unkept {
		return fmt.Errorf("cannot save the conversation: %w", err)
	}
	return nil
}

// leaveOpen stores a turn's failure in the conversation, with the user's explanation. It ignores errors, since
// a failure to store is already reported.
func (t *turn) leaveOpen(err error) {
	told := ""
	if t.Explain != nil {
		told = t.o.Redactor.Redact(t.Explain(err))
	}
	_ = t.keep(session.Failed(told, t.about()))
}
