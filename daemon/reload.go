package daemon

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/ipc"

	"github.com/nidoit/blunux-ai/i18n"
)

// Reload reads the configuration again because a person asked for it, and ends
// the pauses of the providers that failed. When the configuration cannot be used
// the last good one stays, with its pauses, and the error is kept for status.
// Turns that run keep theirs.
func (d *Daemon) Reload() error {
	err := d.readAgain()
	if rt := d.runtime.Load(); err == nil && rt.Circuits != nil {
		rt.Circuits.Reset()
	}
	return err
}

// readAgain reads the configuration and has everything follow it. Pauses of
// providers end only where the configuration of models has changed.
func (d *Daemon) readAgain() error {
	err := d.read()
	if err == nil {
		if d.automations != nil {
			d.automations.read()
		}
		d.recover() // where there was no configuration to do it with before
	}
	d.events.tell(topicConfig, ipc.ConfigReport{OK: err == nil, Problem: d.problem(err)})
	if d.o.Reloaded != nil {
		d.o.Reloaded(err)
	}
	return err
}

// read makes a runtime of the configuration. One reading at a time: a slower
// one must not put an older configuration over a newer.
func (d *Daemon) read() error {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	rt, err := d.o.Build()
	d.mu.Lock()
	before := d.configErr
	d.configErr = err
	d.mu.Unlock()
	if err != nil {
		if before == nil || before.Error() != err.Error() { // the same mistake is told once
			d.logMistake(err)
		}
		return err
	}
	d.runtime.Store(rt)
	if d.o.IdleConfigured {
		d.idle.set(d.idleNow())
	}
	d.o.Log.Debug().Strs("files", rt.ConfigFiles).Msg("configuration read")
	if before != nil {
		d.o.Log.Info().Msg("the configuration can be used again")
	}
	return nil
}

// idleFor is how long an idle daemon stays: as configured, but for a moment where
// nobody has come and it was started because something was due.
func (d *Daemon) idleFor(rt *Runtime) time.Duration {
	if d.automations != nil && !d.visited.Load() && rt.IdleExit > 0 {
		return min(rt.IdleExit, alone)
	}
	return rt.IdleExit
}

// visit notes that somebody has come.
func (d *Daemon) visit() {
	if rt := d.runtime.Load(); d.visited.CompareAndSwap(false, true) && d.o.IdleConfigured && rt != nil {
		d.idle.set(d.idleNow())
	}
}

func (d *Daemon) logMistake(err error) {
	p := d.problem(err)
	e := d.o.Log.Error()
	if p.File != "" {
		e = e.Str("file", p.File).Int("line", p.Line).Int("column", p.Column)
	}
	// In the message itself: a journal shows its fields only to who asks.
	e.Msg("cannot use the configuration, the last good one stays: " + ipc.VisibleLine(err.Error()))
}

// problem is an error of the configuration in parts, in the daemon's language; nil
// for nil.
func (d *Daemon) problem(err error) *ipc.ConfigProblem { return d.problemIn(err, d.lang()) }

// problemIn is an error of the configuration in parts; nil for nil.
func (d *Daemon) problemIn(err error, lang i18n.Lang) *ipc.ConfigProblem {
	var ce *config.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ce):
		return &ipc.ConfigProblem{File: ce.File, Line: ce.Line, Column: ce.Col, Problem: d.runtime.Load().redact(ce.ProblemIn(lang))}
	}
	return &ipc.ConfigProblem{Problem: d.runtime.Load().redact(i18n.Tell(err, lang))}
}

// How long a configuration must be left alone before it is read, so that an
// editor that writes in several steps is not caught in the middle, and how
// long it is waited for that at most.
const (
	settleFor  = 200 * time.Millisecond
	settleMost = 2 * time.Second
)

// ReloadOnChange reloads after each change of what the configuration is made
// of, until ctx ends. changes tells that there may have been one; fingerprint
// identifies what would be read, and read is the one of what was read last.
// While nothing changes nothing runs.
func (d *Daemon) ReloadOnChange(ctx context.Context, changes <-chan struct{}, fingerprint func() [sha256.Size]byte, read [sha256.Size]byte) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes:
		}
		settle(ctx, changes)
		now := fingerprint()
		if ctx.Err() != nil || now == read {
			continue
		}
		read = now
		d.o.Log.Debug().Msg("the configuration's files changed")
		_ = d.readAgain() // told and kept for status there
	}
}

// settle returns when no change came for a while.
func settle(ctx context.Context, changes <-chan struct{}) {
	most := time.NewTimer(settleMost)
	defer most.Stop()
	for {
		quiet := time.NewTimer(settleFor)
		select {
		case <-changes:
			quiet.Stop()
			continue
		case <-quiet.C:
		case <-most.C:
		case <-ctx.Done():
		}
		quiet.Stop()
		return
	}
}

// current returns the runtime for a new turn. Where there is none yet it
// tries to make one, so that a mended configuration counts at once.
func (d *Daemon) current() (*Runtime, error) {
	if rt := d.runtime.Load(); rt != nil {
		return rt, nil
	}
	if err := d.Reload(); err != nil {
		return nil, err
	}
	return d.runtime.Load(), nil
}

func (d *Daemon) lastConfigError() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.configErr
}
