package gateway

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/nidoit/blunux-ai/ipc"
)

// fakeLink is a daemon that answers each message with "heard: " and its text, and counts the messages of each id.
type fakeLink struct {
	events chan ipc.LinkEvent
	// hold keeps messages without an answer. silent drops requests.
	hold, silent bool

	// results are what queries are answered with, by their subject.
	results map[string]func() any

	sending sync.RWMutex
	stopped bool

	mu      sync.Mutex
	started int
	tasks   map[string]string // by session and id
	seen    []ipc.Message
}

func newFakeLink() *fakeLink {
	return &fakeLink{events: make(chan ipc.LinkEvent, 1000), tasks: map[string]string{}}
}

func (l *fakeLink) Start(context.Context) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started++
	l.events <- ipc.LinkEvent{Connected: &ipc.Hello{}}
	return func() {
		l.sending.Lock()
		defer l.sending.Unlock()
		l.stopped = true
		close(l.events)
	}
}

func (l *fakeLink) Events() <-chan ipc.LinkEvent { return l.events }

// emit sends a frame of the daemon, unless the link was stopped.
func (l *fakeLink) emit(m ipc.Message) {
	l.sending.RLock()
	defer l.sending.RUnlock()
	if !l.stopped {
		l.events <- ipc.LinkEvent{Frame: &m}
	}
}

func (l *fakeLink) starts() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.started
}

// messages returns the messages of a type that were sent.
func (l *fakeLink) messages(kind string) []ipc.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []ipc.Message
	for _, m := range l.seen {
		if m.Type == kind {
			all = append(all, m)
		}
	}
	return all
}

func (l *fakeLink) Send(m ipc.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, m)
	if l.silent {
		return nil
	}
	switch m.Type {
	case ipc.TypeMessage:
		var r ipc.GatewayRequest
		_ = json.Unmarshal(m.Data, &r)
		key := m.Session + "\x00" + r.MID
		task, known := l.tasks[key]
		if !known {
			task = "t" + r.MID
			l.tasks[key] = task
		}
		l.emit(ipc.Message{Type: ipc.TypeAccepted, Re: m.ID}.WithData(ipc.Accepted{Task: task, Duplicate: known}))
		if known {
			l.emit(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true}.WithData(ipc.Outcome{Task: task, Stop: ipc.StopDuplicate}))
		} else if !l.hold {
			l.emit(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "heard: " + m.Body}.WithData(ipc.Outcome{Task: task, Stop: "end_turn"}))
		}
	case ipc.TypeQuery:
		var q ipc.Query
		_ = json.Unmarshal(m.Data, &q)
		if result, ok := l.results[q.What]; ok {
			l.emit(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(result()))
			break
		}
		l.emit(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Data: json.RawMessage("null")})
	case ipc.TypeCall:
		if l.hold {
			return nil
		}
		l.emit(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(ipc.CallResult{Content: "called"}))
	case ipc.TypeAction, ipc.TypeCancel:
		l.emit(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true})
	}
	return nil
}
