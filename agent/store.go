package agent

import (
	"fmt"
	"sync"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// metadata returns the metadata common to all entries of the turn.
func (t *turn) metadata() *session.Metadata {
	return &session.Metadata{Task: t.Origin.Task, Channel: t.Origin.Channel}
}

// storeMessage stores a message.
func (t *turn) storeMessage(m providers.Message, about *session.Metadata) error {
	return t.storeEntry(session.NewEntry(m, about))
}

// storeEnd stores the answer or the failure that ends the turn. The disk is waited for in [Reply.Stored].
func (t *turn) storeEnd(e session.Entry) error {
	t.storeMu.Lock()
	defer t.storeMu.Unlock()
	flush, err := t.o.History.AppendUnsynced(t.Session, e)
	if err != nil {
		if t.Origin.Unsaved {
			return nil
		}
		return fmt.Errorf("cannot save the conversation: %w", err)
	}
	synced := make(chan error, 1)
	go func() { synced <- flush() }()
	t.reply.Stored = sync.OnceValue(func() error {
		if err := <-synced; err != nil && !t.Origin.Unsaved {
			return fmt.Errorf("cannot save the conversation: %w", err)
		}
		return nil
	})
	return nil
}

// storeEntry appends an entry to the conversation. The lock serializes calls that end in parallel.
func (t *turn) storeEntry(e session.Entry) error {
	t.storeMu.Lock()
	defer t.storeMu.Unlock()
	if err := t.o.History.Append(t.Session, e); err != nil && !t.Origin.Unsaved {
		return fmt.Errorf("cannot save the conversation: %w", err)
	}
	return nil
}

// storeFailure stores a turn's failure in the conversation, with the user's explanation. It ignores errors, since
// a failure to store is already reported.
func (t *turn) storeFailure(err error) {
	told := ""
	if t.Explain != nil {
		told = t.o.Redactor.Redact(t.Explain(err))
	}
	_ = t.storeEnd(session.NewFailure(told, t.metadata()))
}
