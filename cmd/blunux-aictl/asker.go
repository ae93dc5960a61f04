package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/nidoit/blunux-ai/confirm"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// asker puts confirmations to the person, one after the other, beside the
// frames that keep coming: an answer given elsewhere ends a question, and an
// answer given here never ends another.
type asker struct {
	d    *display
	last chan struct{} // closed when the latest question is over

	mu   sync.Mutex
	open map[string]context.CancelCauseFunc // by the ask's id: ends its question
	sent map[string]string                  // the ask's id, by the action's
	n    int
}

func newAsker(d *display) *asker {
	none := make(chan struct{})
	close(none)
	return &asker{d: d, last: none, open: map[string]context.CancelCauseFunc{}, sent: map[string]string{}}
}

// answeredBy is why a question ends that was answered elsewhere.
type answeredBy string

func (by answeredBy) Error() string { return "answered by " + string(by) }

// put shows an ask as soon as those before it are over.
func (k *asker) put(ctx context.Context, f ipc.Message) error {
	var ask ipc.Ask
	if err := f.Decode(&ask); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	k.mu.Lock()
	k.open[f.ID] = end
	k.mu.Unlock()
	before, over := k.last, make(chan struct{})
	k.last = over
	go func() {
		defer close(over)
		defer end(nil)
		<-before
		if ctx.Err() == nil {
			k.show(ctx, f, ask)
		}
	}()
	return nil
}

// show asks and sends the answer. When ctx ends nothing is sent: the request
// is cancelled, or the ask was answered already.
func (k *asker) show(ctx context.Context, f ipc.Message, ask ipc.Ask) {
	w := k.d.prompt
	columns, rows := k.d.prompt.Size()
	place := confirm.Terminal{Columns: columns, Rows: rows, Lang: k.d.lang, Root: k.d.root, Color: k.d.color}
	action, command, err := place.Notice(f.Body, ask).Decide(ctx, w, k.d.prompt.Line)
	var by answeredBy
	switch {
	case errors.As(err, &by) && by == "timeout":
		fmt.Fprintf(w, "\n%s\n", i18n.AskExpired.In(k.d.lang))
	case errors.As(err, &by):
		fmt.Fprintf(w, "\n%s\n", i18n.AnsweredAlready.In(k.d.lang, clean(string(by))))
	case ctx.Err() != nil:
		fmt.Fprintln(w)
	default:
		k.send(f.ID, action, ipc.Answer{Digest: ask.Digest, Command: command})
	}
}

// send answers an ask unless it is over. A connection that broke is found out
// by who reads it.
func (k *asker) send(ask, action string, data ipc.Answer) {
	k.mu.Lock()
	_, open := k.open[ask]
	delete(k.open, ask)
	k.n++
	id := "k" + strconv.Itoa(k.n)
	k.sent[id] = ask
	k.mu.Unlock()
	if open {
		_ = k.d.client.Conn.Write(ipc.Message{Type: ipc.TypeAction, ID: id, Re: ask, Action: action}.WithData(data))
	}
}

// resolved ends the question of an ask that was answered elsewhere.
func (k *asker) resolved(f ipc.Message) error {
	var r ipc.Resolved
	if err := f.Decode(&r); err != nil {
		return err
	}
	k.mu.Lock()
	end, open := k.open[f.ID]
	delete(k.open, f.ID)
	k.mu.Unlock()
	if open {
		end(answeredBy(r.By))
	}
	return nil
}

// acknowledged takes the frame that ends an action of ours and reports
// whether it was one. An answer the daemon did not take is told; if the ask
// still waits, nobody will answer it here any more, and that means no.
func (k *asker) acknowledged(f ipc.Message) bool {
	k.mu.Lock()
	ask, ours := k.sent[f.Re]
	delete(k.sent, f.Re)
	k.mu.Unlock()
	if ours && f.Error != nil {
		k.d.say(f.Error)
		if f.Error.Code != ipc.CodeExpired {
			_ = k.d.client.Conn.Write(ipc.Message{Type: ipc.TypeAction, Re: ask, Action: ipc.ActionReject})
		}
	}
	return ours
}

// asking reports whether a question is open. It is for the goroutine that
// calls put.
func (k *asker) asking() bool {
	select {
	case <-k.last:
		return false
	default:
		return true
	}
}

// close ends what is still asked, waits until nothing more is written, and
// shows what came meanwhile.
func (k *asker) close() {
	k.mu.Lock()
	for id, end := range k.open {
		end(context.Canceled)
		delete(k.open, id)
	}
	k.mu.Unlock()
	<-k.last
	_ = k.d.release() // the output remembers its own failure
}
