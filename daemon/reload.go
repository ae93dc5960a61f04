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

// Reload reads the configuration again at a person's request, and ends the pauses of failed providers. If the
// configuration cannot be used, the last valid one stays, with its pauses, and status shows the error. Running
// turns keep theirs.
func (d *Daemon) Reload() error {
	err := d.reloadConfig()
	if rt := d.runtime.Load(); err == nil && rt.Circuits != nil {
		rt.Circuits.Reset()
	}
	return err
}

// reloadConfig reads the configuration and applies it. Pauses of providers only end if the configuration of models
// changed.
func (d *Daemon) reloadConfig() error {
	err := d.buildRuntime()
	if err == nil {
		if d.automations != nil {
			d.automations.loadRules()
		}
		d.resumeTasks() // possible now if there was no configuration before
	}
	d.events.publish(topicConfig, ipc.ConfigReport{OK: err == nil, Problem: d.configProblem(err)})
	if d.o.OnReload != nil {
		d.o.OnReload(err)
	}
	return err
}

// buildRuntime creates a runtime from the configuration. Reads are serialized, so that a slow one cannot replace a
// newer configuration.
func (d *Daemon) buildRuntime() error {
	d.reloading.Lock()
	defer d.reloading.Unlock()
	rt, err := d.o.Build()
	d.mu.Lock()
	before := d.configErr
	d.configErr = err
	d.mu.Unlock()
	if err != nil {
		if before == nil || before.Error() != err.Error() { // log the same error once
			d.logConfigError(err)
		}
		return err
	}
	d.runtime.Store(rt)
	if d.o.IdleConfigured {
		d.idle.setLimit(d.currentIdleLimit())
	}
	d.o.Log.Debug().Strs("files", rt.ConfigFiles).Msg("configuration read")
	if before != nil {
		d.o.Log.Info().Msg("configuration valid again")
	}
	return nil
}

// idleLimit returns the idle limit: the configured one, or a short one if the daemon was started for a due run and
// had no client.
func (d *Daemon) idleLimit(rt *Runtime) time.Duration {
	if d.automations != nil && !d.visited.Load() && rt.IdleExit > 0 {
		return min(rt.IdleExit, unvisitedExit)
	}
	return rt.IdleExit
}

// markVisited records that a client has connected.
func (d *Daemon) markVisited() {
	if rt := d.runtime.Load(); d.visited.CompareAndSwap(false, true) && d.o.IdleConfigured && rt != nil {
		d.idle.setLimit(d.currentIdleLimit())
	}
}

func (d *Daemon) logConfigError(err error) {
	p := d.configProblem(err)
	e := d.o.Log.Error()
	if p.File != "" {
		e = e.Str("file", p.File).Int("line", p.Line).Int("column", p.Column)
	}
	// In the message itself, because journalctl hides fields by default.
	e.Msg("cannot use the configuration: " + ipc.VisibleLine(err.Error()))
}

// configProblem returns the parts of a configuration error in the daemon's language, or nil.
func (d *Daemon) configProblem(err error) *ipc.ConfigProblem { return d.configProblemIn(err, d.lang()) }

// configProblemIn returns the parts of a configuration error, or nil.
func (d *Daemon) configProblemIn(err error, lang i18n.Lang) *ipc.ConfigProblem {
	var ce *config.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ce):
		return &ipc.ConfigProblem{File: ce.File, Line: ce.Line, Column: ce.Col, Problem: d.runtime.Load().redact(ce.ProblemIn(lang))}
	}
	return &ipc.ConfigProblem{Problem: d.runtime.Load().redact(i18n.ErrorText(err, lang))}
}

// quietTime is how long the configuration must be unchanged before it is read, because an editor may write in
// several steps. maxQuietWait bounds that wait.
const (
	quietTime    = 200 * time.Millisecond
	maxQuietWait = 2 * time.Second
)

// ReloadOnChange reloads after each change of the configuration's sources until ctx ends. changes signals a
// possible change, fingerprint identifies the current content, and read is the fingerprint of the last read. It is
// idle between changes.
func (d *Daemon) ReloadOnChange(ctx context.Context, changes <-chan struct{}, fingerprint func() [sha256.Size]byte, read [sha256.Size]byte) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes:
		}
		waitUntilQuiet(ctx, changes)
		now := fingerprint()
		if ctx.Err() != nil || now == read {
			continue
		}
		read = now
		d.o.Log.Debug().Msg("configuration files changed")
		_ = d.reloadConfig() // it logs the error and keeps it for status
	}
}

// waitUntilQuiet returns when there was no change for a while.
func waitUntilQuiet(ctx context.Context, changes <-chan struct{}) {
	most := time.NewTimer(maxQuietWait)
	defer most.Stop()
	for {
		quiet := time.NewTimer(quietTime)
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

// currentRuntime returns the runtime for a new turn. If there is none yet, it reads the configuration again, so
// that a fixed one takes effect at once.
func (d *Daemon) currentRuntime() (*Runtime, error) {
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
