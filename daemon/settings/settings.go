// Package settings holds the runtime of the last valid configuration and the texts about failures.
package settings

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
)

// Settings hold the runtime of the last valid configuration.
type Settings struct {
	Build    func() (*Runtime, error)
	Home     string
	Fallback i18n.Lang // until a configuration was read
	Log      zerolog.Logger
	Life     *life.Life
	// Applied is called after each successful reload, reported after every one.
	Applied  func()
	Reported func(ipc.ConfigReport, error)

	Runtime   atomic.Pointer[Runtime]
	reloading sync.Mutex
	mu        sync.Mutex
	configErr error
}

// Reload reads the configuration again at a person's request, and ends the pauses of failed providers. If the
// configuration cannot be used, the last valid one stays, with its pauses, and status shows the error. Running
// turns keep theirs.
func (s *Settings) Reload() error {
	err := s.reloadConfig()
	if rt := s.Current(); err == nil && rt.Models.Circuits != nil {
		rt.Models.Circuits.Reset()
	}
	return err
}

// reloadConfig reads the configuration and applies it. Pauses of providers only end if the configuration of models
// changed.
func (s *Settings) reloadConfig() error {
	err := s.BuildRuntime()
	if err == nil {
		s.Applied()
	}
	s.Reported(ipc.ConfigReport{OK: err == nil, Problem: s.ConfigProblem(err)}, err)
	return err
}

// BuildRuntime creates a runtime from the configuration. Reads are serialized, so that a slow one cannot replace a
// newer configuration.
func (s *Settings) BuildRuntime() error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	rt, err := s.Build()
	s.mu.Lock()
	before := s.configErr
	s.configErr = err
	s.mu.Unlock()
	if err != nil {
		if before == nil || before.Error() != err.Error() { // log the same error once
			s.logConfigError(err)
		}
		return err
	}
	s.Runtime.Store(rt)
	s.Life.SetIdleExit(rt.Limits.Idle)
	s.Log.Debug().Strs("files", rt.Config.Files).Msg("configuration read")
	if before != nil {
		s.Log.Info().Msg("configuration valid again")
	}
	return nil
}

func (s *Settings) logConfigError(err error) {
	p := s.ConfigProblem(err)
	e := s.Log.Error()
	if p.File != "" {
		e = e.Str("file", p.File).Int("line", p.Line).Int("column", p.Column)
	}
	// In the message itself, because journalctl hides fields by default.
	e.Msg("cannot use the configuration: " + ipc.VisibleLine(err.Error()))
}

// ConfigProblem returns the parts of a configuration error in the daemon's language, or nil.
func (s *Settings) ConfigProblem(err error) *ipc.ConfigProblem {
	return s.ConfigProblemIn(err, s.Lang())
}

// ConfigProblemIn returns the parts of a configuration error, or nil.
func (s *Settings) ConfigProblemIn(err error, lang i18n.Lang) *ipc.ConfigProblem {
	var ce *config.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ce):
		return &ipc.ConfigProblem{File: ce.File, Line: ce.Line, Column: ce.Col, Problem: s.Current().Redact(ce.ProblemIn(lang))}
	}
	return &ipc.ConfigProblem{Problem: s.Current().Redact(i18n.ErrorText(err, lang))}
}

// ReloadOnChange reloads after each change of the configuration's sources until ctx ends. changes signals a
// possible change, fingerprint identifies the current content, and read is the fingerprint of the last read. It is
// idle between changes.
func (s *Settings) ReloadOnChange(ctx context.Context, changes <-chan struct{}, fingerprint func() [sha256.Size]byte, read [sha256.Size]byte) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes:
		}
		life.WaitUntilQuiet(ctx, changes)
		now := fingerprint()
		if ctx.Err() != nil || now == read {
			continue
		}
		read = now
		s.Log.Debug().Msg("configuration files changed")
		_ = s.reloadConfig() // it logs the error and keeps it for status
	}
}

// CurrentRuntime returns the runtime for a new turn. If there is none yet, it reads the configuration again, so
// that a fixed one takes effect at once.
func (s *Settings) CurrentRuntime() (*Runtime, error) {
	if rt := s.Current(); rt != nil {
		return rt, nil
	}
	if err := s.Reload(); err != nil {
		return nil, err
	}
	return s.Current(), nil
}

func (s *Settings) LastConfigError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.configErr
}

// Current returns the current runtime. It is nil until a configuration could be used.
func (s *Settings) Current() *Runtime { return s.Runtime.Load() }

// defaultRedactor is the redactor without known keys, for the time before there is a runtime.
var defaultRedactor = sync.OnceValue(func() *secret.Redactor { return secret.NewRedactor(nil) })

// Redactor returns the redactor for stored text.
func (s *Settings) Redactor() *secret.Redactor {
	if rt := s.Current(); rt != nil && rt.Redactor != nil {
		return rt.Redactor
	}
	return defaultRedactor()
}

// Lang returns the daemon's own language.
func (s *Settings) Lang() i18n.Lang {
	if rt := s.Current(); rt != nil {
		return rt.Language.Lang
	}
	return s.Fallback
}

// EnabledRuntime is [Daemon.currentRuntime] for requests that run something. It fails while the assistant is
// switched off.
func (s *Settings) EnabledRuntime() (*Runtime, error) {
	rt, err := s.CurrentRuntime()
	if err == nil {
		err = rt.CheckEnabled()
	}
	return rt, err
}

// AdmissionRuntime returns the configuration with the allowed senders. Without one it returns an error, so a
// sender is neither admitted nor rejected. The error is not published, because bridges would then ask again at
// once.
func (s *Settings) AdmissionRuntime() (*Runtime, error) {
	if rt := s.Current(); rt != nil {
		return rt, nil
	}
	if err := s.BuildRuntime(); err != nil {
		return nil, err
	}
	return s.Current(), s.reloadConfig()
}
