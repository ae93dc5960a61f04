// Package failover is the line of models that may answer: the one the person
// chose, and those that answer where it cannot. A request that failed for a
// reason that passes is sent again after a pause; a provider that keeps failing
// is left alone for a while; then the next one in the line answers, and whoever
// asked is told who and why.
//
// A line is a model itself, so that nobody else has to know. It never sends a
// request again after tools were called in it ([providers.Error] Acted).
package failover

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/nidoit/blunux-ai/providers"
)

// Model answers one request; every package below providers makes one.
type Model interface {
	Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error)
	Name() string
	ModelID() string
}

// Member is one model in a line.
type Member struct {
	Model
	// Local reports that it is reached without a network.
	Local bool
	// LastResort is the engine that only knows this machine: words of its own are
	// no help where it has nothing to look at. It comes last.
	LastResort bool
}

// The limits of trying again.
const (
	attempts = 3 // requests to one provider, the first included
	// patience is how long a failed attempt may have taken to be made again: a
	// person has waited enough.
	patience = 20 * time.Second
	// maxPause is the longest pause between two attempts. Who asks for more is
	// left alone for that long ([Circuits]).
	maxPause   = 10 * time.Second
	firstPause = 500 * time.Millisecond
	// briefPause is the longest that is waited where somebody else can answer.
	briefPause = 3 * time.Second
)

// Options makes a [Line].
type Options struct {
	Members  []Member // at least one, in the order they are asked
	Circuits *Circuits
	// Online reports whether this machine has a way to others; nil means that it
	// always has.
	Online func() bool
	// Spend refuses a provider before the first request of a turn: the person's
	// own limit is reached. nil refuses none.
	Spend func(ctx context.Context, m Model) error
}

// Line is models in the order they are asked. It is safe for concurrent use.
type Line struct{ o Options }

// New returns a line.
func New(o Options) *Line {
	if o.Circuits == nil {
		o.Circuits = NewCircuits(time.Now)
	}
	if o.Online == nil {
		o.Online = func() bool { return true }
	}
	return &Line{o}
}

// Name returns the name of the model that is asked first.
func (l *Line) Name() string { return l.o.Members[0].Name() }

// ModelID returns the id of the model that is asked first.
func (l *Line) ModelID() string { return l.o.Members[0].ModelID() }

// Models returns the line's models in order.
func (l *Line) Models() []Model {
	var models []Model
	for _, m := range l.o.Members {
		models = append(models, m.Model)
	}
	return models
}

// Complete lets the first model answer that can, beginning with whoever
// answered the turn's earlier rounds. The completion says who it was. Where
// nobody can the error is that of the first one.
func (l *Line) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	w := &walk{Line: l, ctx: ctx, req: req, onText: onText}
	for _, m := range l.from(req.Answering) {
		if w.passOver(m) {
			continue
		}
		if done := w.ask(m, false); done {
			return w.completion, w.err
		}
	}
	// Rather than nothing at all, whoever was left alone, and with patience.
	for _, m := range w.skipped {
		if done := w.ask(m, true); done {
			return w.completion, w.err
		}
	}
	return providers.Completion{}, w.failure
}

// from returns the members beginning with the one of a name; those before it
// have failed in this turn.
func (l *Line) from(name string) []Member {
	for i, m := range l.o.Members {
		if name != "" && m.Name() == name {
			return l.o.Members[i:]
		}
	}
	return l.o.Members
}

// walk is one request on its way along the line.
type walk struct {
	*Line
	ctx    context.Context
	req    providers.Request
	onText func(string)

	skipped []Member
	failure error // why the first one did not answer
	from    string
	shown   bool // some text of a failed answer was passed on

	completion providers.Completion
	err        error
}

// passOver reports whether a member is not asked for now.
func (w *walk) passOver(m Member) bool {
	if w.o.Spend != nil && w.req.Answering == "" {
		if err := w.o.Spend(w.ctx, m.Model); err != nil {
			w.failed(m, err)
			return true
		}
	}
	err := w.o.Circuits.Open(m.Name())
	if err == nil && !m.Local && !w.o.Online() {
		err = &providers.Error{Kind: providers.KindNetwork, Provider: m.Name(), Message: "this computer has no network connection"}
	}
	if err == nil {
		return false
	}
	w.failed(m, err)
	// Who said when to come back is not bothered before that.
	var pe *providers.Error
	if !errors.As(err, &pe) || pe.Kind != providers.KindRateLimit || pe.RetryAfter == 0 {
		w.skipped = append(w.skipped, m)
	}
	return true
}

func (w *walk) failed(m Member, err error) {
	if w.failure == nil {
		w.failure, w.from = err, m.Name()
	}
}

// ask has a member answer, and reports whether the walk is over. Without patience
// nobody waits for a server that is not there while others can be asked.
func (w *walk) ask(m Member, patient bool) (done bool) {
	patient = patient || m.Name() == w.o.Members[len(w.o.Members)-1].Name()
	c, err := w.try(m, patient)
	switch {
	case err == nil && m.LastResort && w.failure != nil && !looked(c, w.req):
		return false
	case err == nil:
		w.completion = c
		w.completion.Provider, w.completion.Model = named(c.Provider, m.Name()), named(c.Model, m.ModelID())
		return true
	case w.ctx.Err() != nil || final(err):
		w.err = err
		return true
	}
	w.failed(m, err)
	if !patient && unreachable(err) {
		w.skipped = append(w.skipped, m)
	}
	return false
}

// unreachable reports a server that was not even connected to.
func unreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

func named(given, name string) string {
	if given != "" {
		return given
	}
	return name
}

// final reports an error that nobody else in the line can mend: tools were
// called, or the conversation is too long and can be made shorter.
func final(err error) bool {
	var pe *providers.Error
	return errors.As(err, &pe) && (pe.Acted || pe.Kind == providers.KindContext)
}

// looked reports whether an answer rests on something: it looks at the machine,
// or tells what the turn has seen already.
func looked(c providers.Completion, req providers.Request) bool {
	if len(c.ToolUses()) > 0 {
		return true
	}
	last := req.Messages[len(req.Messages)-1]
	for _, b := range last.Content {
		if b.Type == providers.BlockToolResult {
			return true
		}
	}
	return false
}

// try sends a member the request, and again after a pause where the failure may
// pass.
func (w *walk) try(m Member, patient bool) (providers.Completion, error) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = firstPause, maxPause
	for attempt := 1; ; attempt++ {
		began := time.Now()
		c, err := w.once(m)
		if err == nil {
			w.o.Circuits.Good(m.Name())
			return c, nil
		}
		if w.ctx.Err() != nil {
			return c, err
		}
		w.o.Circuits.Bad(m.Name(), err)
		pause, ok := w.pause(m, err, pauses.NextBackOff())
		if !ok || attempt == attempts || !patient && unreachable(err) || time.Since(began) > patience || !sleep(w.ctx, pause) {
			return c, err
		}
		if w.shown && w.from == "" { // the same one begins anew: that is told too
			w.failure, w.from = err, m.Name()
		}
	}
}

// pause is how long is waited before the next attempt, and whether there is
// one.
func (w *walk) pause(m Member, err error, usual time.Duration) (time.Duration, bool) {
	var pe *providers.Error
	if !errors.As(err, &pe) || !pe.Transient() {
		return 0, false
	}
	most := maxPause
	if !w.last(m) {
		most = briefPause
	}
	pause := max(usual, pe.RetryAfter)
	return pause, pause <= most
}

// last reports whether nobody stands behind a member who knows as much.
func (w *walk) last(m Member) bool {
	behind := false
	for _, other := range w.o.Members {
		if behind && !other.LastResort {
			return false
		}
		behind = behind || other.Name() == m.Name()
	}
	return true
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// once sends a member the request. Whoever asked is told of the change before
// the first words come.
func (w *walk) once(m Member) (providers.Completion, error) {
	tell := w.telling(m)
	pass := w.onText
	if pass != nil {
		pass = func(text string) {
			tell()
			w.shown = true
			w.onText(text)
		}
	}
	if m.LastResort && w.failure != nil { // its words count only with what it looks at
		c, err := m.Complete(w.ctx, w.req, nil)
		if err == nil && looked(c, w.req) {
			tell()
			if text := c.Text(); text != "" && pass != nil {
				pass(text)
			}
		}
		return c, err
	}
	c, err := m.Complete(w.ctx, w.req, pass)
	if err == nil {
		tell()
	}
	return c, err
}

// telling returns what tells of the change to a member, once.
func (w *walk) telling(m Member) func() {
	change := providers.Switch{From: w.from, To: m.Name(), Err: w.failure, Shown: w.shown}
	told := w.req.OnSwitch == nil || change.From == "" || change.From == change.To && !change.Shown
	return func() {
		if !told {
			told = true
			w.req.OnSwitch(change)
		}
	}
}
