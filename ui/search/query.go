package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/nidoit/blunux-ai/ipc"
)

// The limits of a query and of what is kept of answers.
const (
	askTime    = 10 * time.Second
	maxAnswers = 4
)

// query is the latest query of a caller.
type query struct {
	serial uint32
	cancel context.CancelFunc
}

// answered is an answer with its words.
type answered struct {
	words  string
	answer ipc.QuickAnswer
}

// rows returns the rows for the words of a search field. A newer query of the same caller ends it without rows: a search
// field asks again with each key press.
func (s *service) rows(msg dbus.Message, text string) []row {
	s.running.add(1)
	defer s.running.add(-1)
	words := clean(text)
	if !mayAsk(words) {
		s.cancelOlder(msg)
		return nil
	}
	ctx, end := s.begin(msg)
	defer end()
	return rowsOf(words, s.answer(ctx, words), s.o.Lang)
}

// answer returns the answer to words, from the daemon if it is none of the latest.
func (s *service) answer(ctx context.Context, words string) (a ipc.QuickAnswer) {
	if a, ok := s.latest(words); ok {
		return a
	}
	typing := time.NewTimer(s.o.Settle)
	defer typing.Stop()
	select {
	case <-ctx.Done():
		return a
	case <-typing.C:
	}
	a, err := s.o.Ask(ctx, words)
	switch {
	case ctx.Err() != nil:
		return ipc.QuickAnswer{}
	case err != nil:
		s.o.Warn(fmt.Errorf("cannot answer: %w", err))
		return ipc.QuickAnswer{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answered{words, a})
	s.answers = s.answers[max(0, len(s.answers)-maxAnswers):]
	return a
}

func (s *service) latest(words string) (a ipc.QuickAnswer, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.answers, func(a answered) bool { return a.words == words })
	if i < 0 {
		return a, false
	}
	return s.answers[i].answer, true
}

// forget drops the answers, so that the next search measures anew.
func (s *service) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = nil
}

// begin makes a query the latest of its caller, and ends the one before. Calls run side by side; their serials have the order
// in which they were sent (D-Bus Specification, "Message Format").
func (s *service) begin(msg dbus.Message) (ctx context.Context, end func()) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	q := &query{serial: msg.Serial(), cancel: cancel}
	sender := senderOf(msg)
	s.mu.Lock()
	defer s.mu.Unlock()
	if older := s.queries[sender]; older != nil && older.serial > q.serial {
		cancel()
		return ctx, cancel
	}
	s.cancel(sender)
	s.queries[sender] = q
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.queries[sender] == q {
			delete(s.queries, sender)
		}
	}
}

// cancelOlder ends the query of a caller whose newest words are no question.
func (s *service) cancelOlder(msg dbus.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if older := s.queries[senderOf(msg)]; older != nil && older.serial < msg.Serial() {
		s.cancel(senderOf(msg))
	}
}

// cancel ends the query of a caller. The caller holds the lock.
func (s *service) cancel(sender dbus.Sender) {
	if older := s.queries[sender]; older != nil {
		older.cancel()
		delete(s.queries, sender)
	}
}

func senderOf(msg dbus.Message) dbus.Sender {
	name, _ := msg.Headers[dbus.FieldSender].Value().(string)
	return dbus.Sender(name)
}
