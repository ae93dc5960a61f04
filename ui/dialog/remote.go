package dialog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/nidoit/blunux-ai/internal/peer"
)

// The methods of [Serve]. restored answers when no question is on the screen.
const (
	methodChoose   = "choose"
	methodType     = "type"
	methodRestored = "restored"
)

// methodCheck is the method of [Remote]. It checks an input, because that needs the asking program.
const methodCheck = "check"

// The codes of errors that both sides know.
const (
	codeAborted = "aborted"
	codeEscaped = "escaped"
)

// remoteQuestion is a question as it is sent.
type remoteQuestion struct {
	Question
	Checked bool `json:"checked,omitempty"` // inputs are checked
}

// Remote asks through another program, which shows the questions ([Serve]). It implements [Asker] for one question at a
// time.
type Remote struct {
	conn  *peer.Conn
	yesNo [2]string // labels of yes and no
	tell  func(string)

	mu    sync.Mutex
	check func(string) error // of the current question, or nil
}

// NewRemote connects to the program that reads from w and writes to r. yesNo are the labels of yes and no. tell shows a
// text between two questions.
func NewRemote(r io.Reader, w io.Writer, yesNo [2]string, tell func(string)) *Remote {
	a := &Remote{yesNo: yesNo, tell: tell}
	a.conn = peer.New(r, w, peer.Options{Handle: a.handle})
	return a
}

// Close ends the connection. The caller closes the pipes.
func (a *Remote) Close() { a.conn.Close() }

// handle checks an input of the current question. It answers with the problem, or "".
func (a *Remote) handle(_ context.Context, method string, params json.RawMessage) (any, error) {
	var text string
	if method != methodCheck {
		return nil, peer.UnknownMethod(method)
	}
	if err := json.Unmarshal(params, &text); err != nil {
		return nil, err
	}
	a.mu.Lock()
	check := a.check
	a.mu.Unlock()
	if check == nil {
		return "", nil
	}
	if err := check(text); err != nil {
		return err.Error(), nil
	}
	return "", nil
}

// ask asks a question. If ctx ends, it waits until the question is off the screen.
func (a *Remote) ask(ctx context.Context, method string, q Question) (value string, err error) {
	if ctx.Err() != nil {
		return "", ErrAborted
	}
	a.mu.Lock()
	a.check = q.Check
	a.mu.Unlock()
	err = a.conn.Call(ctx, method, remoteQuestion{q, q.Check != nil}, &value)
	if ctx.Err() != nil {
		_ = a.conn.Call(context.WithoutCancel(ctx), methodRestored, nil, nil) // fails if the program has ended
		return "", ErrAborted
	}
	var refused *peer.Error
	switch {
	case errors.As(err, &refused) && refused.Code == codeEscaped:
		return "", ErrEscaped
	case errors.As(err, &refused) && refused.Code == codeAborted:
		return "", ErrAborted
	case err != nil:
		return "", fmt.Errorf("cannot show the question: %w", err)
	}
	return value, nil
}

// Choose implements [Asker].
func (a *Remote) Choose(ctx context.Context, q Question) (string, error) {
	return a.ask(ctx, methodChoose, q)
}

// Confirm implements [Asker].
func (a *Remote) Confirm(ctx context.Context, q Question) (bool, error) {
	got, err := a.Choose(ctx, q.ofYesAndNo(a.yesNo))
	return got == Yes, err
}

// Type implements [Asker].
func (a *Remote) Type(ctx context.Context, q Question) (string, error) {
	return a.ask(ctx, methodType, q)
}

// Tell implements [Asker].
func (a *Remote) Tell(text string) { a.tell(text) }

// ofYesAndNo returns the question as a choice between yes and no.
func (q Question) ofYesAndNo(labels [2]string) Question {
	q.Options = []Option{{labels[0], Yes}, {labels[1], "no"}}
	if q.Value != Yes {
		q.Value = "no"
	}
	return q
}

// Screen shows the questions of a [Remote].
type Screen interface {
	Choose(ctx context.Context, q Question) (string, error)
	Type(ctx context.Context, q Question) (string, error)
}

// Serve shows the questions of a [Remote] that reads from w and writes to r, until the connection or ctx ends. The
// caller closes the pipes.
func Serve(ctx context.Context, r io.Reader, w io.Writer, s Screen) {
	v := &served{screen: s}
	ready := make(chan struct{})
	v.conn = peer.New(r, w, peer.Options{
		Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			<-ready // conn is set
			return v.show(ctx, method, params)
		},
	})
	close(ready)
	defer context.AfterFunc(ctx, v.conn.Close)()
	<-v.conn.Done()
	v.showing.Lock() // waits until the screen is restored
}

// served is one side of [Serve].
type served struct {
	conn    *peer.Conn
	screen  Screen
	showing sync.Mutex // held while a question is on the screen
}

// show shows a question and returns its answer.
func (v *served) show(ctx context.Context, method string, params json.RawMessage) (string, error) {
	v.showing.Lock()
	defer v.showing.Unlock()
	if method == methodRestored || ctx.Err() != nil {
		return "", ctx.Err()
	}
	var q remoteQuestion
	if err := json.Unmarshal(params, &q); err != nil {
		return "", err
	}
	if q.Checked {
		q.Check = func(text string) error { return v.check(ctx, text) }
	}
	var value string
	var err error
	switch method {
	case methodChoose:
		value, err = v.screen.Choose(ctx, q.Question)
	case methodType:
		value, err = v.screen.Type(ctx, q.Question)
	default:
		return "", peer.UnknownMethod(method)
	}
	switch {
	case errors.Is(err, ErrEscaped):
		err = &peer.Error{Code: codeEscaped, Message: err.Error()}
	case errors.Is(err, ErrAborted):
		err = &peer.Error{Code: codeAborted, Message: err.Error()}
	}
	return value, err
}

// check has an input checked.
func (v *served) check(ctx context.Context, text string) error {
	var problem string
	if err := v.conn.Call(ctx, methodCheck, text, &problem); err != nil {
		return err
	}
	if problem != "" {
		return errors.New(problem)
	}
	return nil
}
