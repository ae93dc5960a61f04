package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

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
	w := k.d.prompt.tty
	columns, rows := k.d.prompt.size()
	action, command, err := k.d.decide(ctx, k.d.notice(f.Body, ask, columns, rows), ask)
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

// decide shows all of a confirmation and asks until it has an answer. No
// answer is a no, never a yes; the error is why ctx ended.
func (d *display) decide(ctx context.Context, n notice, ask ipc.Ask) (action, command string, err error) {
	for i := range n.screens() {
		fmt.Fprint(d.prompt.tty, d.marked(n.screen(i)))
		if i == n.screens()-1 {
			break
		}
		if on, err := d.goOn(ctx, n, i); err != nil || !on {
			return ipc.ActionReject, "", err
		}
	}
	return d.choice(ctx, n, ask)
}

// goOn asks whether to show what comes after a screen. There is no yes before
// the whole command was shown.
func (d *display) goOn(ctx context.Context, n notice, screen int) (bool, error) {
	w := d.prompt.tty
	for {
		line, err := d.prompt.line(ctx, n.more(screen))
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if err != nil { // the end of input
			fmt.Fprintln(w)
			return false, nil
		}
		if strings.TrimSpace(line) == "" {
			return true, nil
		}
		switch i18n.ParseAnswer(line) {
		case i18n.No:
			return false, nil
		case i18n.Explain:
			fmt.Fprint(w, n.say(i18n.AskMoreHelp))
		default:
			fmt.Fprint(w, n.say(i18n.AskMoreFirst))
		}
	}
}

// choice asks, once everything was shown, until it has an answer.
func (d *display) choice(ctx context.Context, n notice, ask ipc.Ask) (action, command string, err error) {
	w := d.prompt.tty
	for {
		line, err := d.prompt.line(ctx, n.choices(ask))
		if ctx.Err() != nil {
			return "", "", context.Cause(ctx)
		}
		if err != nil { // the end of input
			fmt.Fprintln(w)
			return ipc.ActionReject, "", nil
		}
		switch i18n.ParseAnswer(line) {
		case i18n.Yes:
			return ipc.ActionAllowOnce, "", nil
		case i18n.No:
			return ipc.ActionReject, "", nil
		case i18n.Session:
			if ask.Covers != "" {
				return ipc.ActionAllowSession, "", nil
			}
			fmt.Fprint(w, n.say(i18n.AskHelpNoAll))
		case i18n.Edit:
			if !ask.Editable() {
				fmt.Fprint(w, n.say(i18n.AskHelpNoEdit))
				continue
			}
			edited, err := d.prompt.line(ctx, n.keys(strings.TrimSpace(i18n.AskEdit.In(d.lang))))
			if edited = strings.TrimSpace(edited); err == nil && edited != "" {
				return ipc.ActionEdit, edited, nil
			}
		case i18n.Explain:
			fmt.Fprint(w, n.help(ask))
		default:
			if strings.TrimSpace(line) == "" { // the default is no
				return ipc.ActionReject, "", nil
			}
			fmt.Fprint(w, n.say(i18n.AskAgain))
		}
	}
}
