// Package failover asks a list of models in order: the one that the user chose, then those that answer if it
// cannot. It retries a request after a transient failure and pauses a provider that keeps failing. Then it asks
// the next model and reports the switch and its reason to the caller.
//
// A [Line] implements [Model] itself, so callers need not know about failover. It never repeats a request after
// tools were called in it ([providers.Error] Acted).
package failover

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/nidoit/blunux-ai/providers"
)

// Model answers one request. Each provider package implements it.
type Model interface {
	Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error)
	Name() string
	ModelID() string
}

// Member is one model in a line.
type Member struct {
	Model
	// Local reports that the model is reached without a network.
	Local bool
	// LastResort marks the engine that only knows this machine. Its answer counts only if it is based on
	// looking at the machine. It is the last member.
	LastResort bool
}

// The retry limits.
const (
	maxAttempts = 3 // requests to one provider, the first included
	// maxRetryTime is the longest duration of a failed attempt that is still retried, so that the user does not
	// wait too long.
	maxRetryTime = 20 * time.Second
	// maxPause is the longest pause between two attempts. A provider that asks for more is paused by
	// [Circuits].
	maxPause   = 10 * time.Second
	firstPause = 500 * time.Millisecond
	// maxSwitchPause is the longest pause if another model can answer.
	maxSwitchPause = 3 * time.Second
)

// Options configures a [Line].
type Options struct {
	Members  []Member // at least one, in the order they are asked
	Circuits *Circuits
	// Online reports whether this machine has a network connection. nil means always.
	Online func() bool
	// CheckBudget refuses a provider before the first request of a turn because the user's spending limit is reached.
	// nil allows all.
	CheckBudget func(ctx context.Context, m Model) error
}

// Line is a list of models in the order in which they are asked. It is safe for concurrent use.
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

// Complete returns the answer of the first model that can answer, starting with the one that answered the
// turn's earlier rounds. The completion names that model. If all fail, the error is that of the first one.
func (l *Line) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	w := &walk{Line: l, ctx: ctx, req: req, onText: onText}
	for _, m := range l.membersFrom(req.LastProvider) {
		if w.skipUnavailable(m) {
			continue
		}
		if done := w.askMember(m, false); done {
			return w.completion, w.err
		}
	}
	// No model answered: ask the skipped ones as well, now with retries.
	for _, m := range w.skipped {
		if done := w.askMember(m, true); done {
			return w.completion, w.err
		}
	}
	return providers.Completion{}, w.failure
}

// membersFrom returns the members starting with the named one. Those before it have failed in this turn.
func (l *Line) membersFrom(name string) []Member {
	for i, m := range l.o.Members {
		if name != "" && m.Name() == name {
			return l.o.Members[i:]
		}
	}
	return l.o.Members
}

// walk is the state of one request while the members are asked in turn.
type walk struct {
	*Line
	ctx    context.Context
	req    providers.Request
	onText func(string)

	skipped    []Member
	failure    error  // why the first member did not answer
	failedName string // name of the member that failed first
	textShown  bool   // text of a failed answer was passed on

	completion providers.Completion
	err        error
}

// skipUnavailable reports whether a member is skipped for now.
func (w *walk) skipUnavailable(m Member) bool {
	if w.o.CheckBudget != nil && w.req.LastProvider == "" {
		if err := w.o.CheckBudget(w.ctx, m.Model); err != nil {
			w.recordFailure(m, err)
			return true
		}
	}
	err := w.o.Circuits.PauseReason(m.Name())
	if err == nil && !m.Local && !w.o.Online() {
		err = &providers.Error{Kind: providers.KindNetwork, Provider: m.Name(), Message: "this computer has no network connection"}
	}
	if err == nil {
		return false
	}
	w.recordFailure(m, err)
	// A provider that said when to retry is not asked before that.
	var pe *providers.Error
	if !errors.As(err, &pe) || pe.Kind != providers.KindRateLimit || pe.RetryAfter == 0 {
		w.skipped = append(w.skipped, m)
	}
	return true
}

func (w *walk) recordFailure(m Member, err error) {
	if w.failure == nil {
		w.failure, w.failedName = err, m.Name()
	}
}

// askMember sends the request to a member and reports whether the walk is over. Unless patient, it does not wait for
// an unreachable server while other members can answer.
func (w *walk) askMember(m Member, patient bool) (done bool) {
	patient = patient || m.Name() == w.o.Members[len(w.o.Members)-1].Name()
	c, err := w.tryMember(m, patient)
	switch {
	case err == nil && m.LastResort && w.failure != nil && !usesTools(c, w.req):
		return false
	case err == nil:
		w.completion = c
		w.completion.Provider, w.completion.Model = firstNonEmpty(c.Provider, m.Name()), firstNonEmpty(c.Model, m.ModelID())
		return true
	case w.ctx.Err() != nil || isFinal(err):
		w.err = err
		return true
	}
	w.recordFailure(m, err)
	if !patient && isUnreachable(err) {
		w.skipped = append(w.skipped, m)
	}
	return false
}

// isUnreachable reports whether connecting to the server failed.
func isUnreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

func firstNonEmpty(given, name string) string {
	if given != "" {
		return given
	}
	return name
}

// isFinal reports an error that no other member can fix: tools were called, or the conversation is too long and
// can be compacted.
func isFinal(err error) bool {
	var pe *providers.Error
	return errors.As(err, &pe) && (pe.ToolsCalled || pe.Kind == providers.KindContext)
}

// usesTools reports whether an answer is based on the machine: it calls tools, or reports tool results of this
// turn.
func usesTools(c providers.Completion, req providers.Request) bool {
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

// tryMember sends the request to a member and retries transient failures after a pause.
func (w *walk) tryMember(m Member, patient bool) (providers.Completion, error) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = firstPause, maxPause
	for attempt := 1; ; attempt++ {
		began := time.Now()
		c, err := w.send(m)
		if err == nil {
			w.o.Circuits.RecordSuccess(m.Name())
			return c, nil
		}
		if w.ctx.Err() != nil {
			return c, err
		}
		w.o.Circuits.RecordFailure(m.Name(), err)
		pause, ok := w.nextPause(m, err, pauses.NextBackOff())
		if !ok || attempt == maxAttempts || !patient && isUnreachable(err) || time.Since(began) > maxRetryTime || !sleep(w.ctx, pause) {
			return c, err
		}
		if w.textShown && w.failedName == "" { // the same member starts over: report that as a switch
			w.failure, w.failedName = err, m.Name()
		}
	}
}

// nextPause returns the time to wait before the next attempt, and whether to retry at all.
func (w *walk) nextPause(m Member, err error, usual time.Duration) (time.Duration, bool) {
	var pe *providers.Error
	if !errors.As(err, &pe) || !pe.Transient() {
		return 0, false
	}
	most := maxPause
	if !w.isLast(m) {
		most = maxSwitchPause
	}
	pause := max(usual, pe.RetryAfter)
	return pause, pause <= most
}

// isLast reports whether no other model follows a member, except the last resort.
func (w *walk) isLast(m Member) bool {
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

// send sends the request to a member and reports a switch before the first text.
func (w *walk) send(m Member) (providers.Completion, error) {
	tell := w.switchReporter(m)
	pass := w.onText
	if pass != nil {
		pass = func(text string) {
			tell()
			w.textShown = true
			w.onText(text)
		}
	}
	if m.LastResort && w.failure != nil { // text of the last resort counts only together with tool calls
		c, err := m.Complete(w.ctx, w.req, nil)
		if err == nil && usesTools(c, w.req) {
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

// switchReporter returns a function that reports the switch to a member, at most once.
func (w *walk) switchReporter(m Member) func() {
	change := providers.Switch{From: w.failedName, To: m.Name(), Err: w.failure, TextShown: w.textShown}
	told := w.req.OnSwitch == nil || change.From == "" || change.From == change.To && !change.TextShown
	return func() {
		if !told {
			told = true
			w.req.OnSwitch(change)
		}
	}
}
