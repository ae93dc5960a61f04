package daemon

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
)

// Runtime holds everything that depends on the configuration. A reload creates a new one. Running turns keep
// theirs.
type Runtime struct {
	Agent      *agent.Agent
	Gate       Gate
	Circuits   *failover.Circuits // paused providers, may be nil
	Sessions   *session.Store
	MCPServers *mcpclient.Servers // other servers' tools; may be nil
	CommandLog *commandlog.Log
	Notes      *Notes
	Lang       i18n.Lang
	// LangChosen reports that Lang was configured. Otherwise it is the daemon's locale, and a client's locale
	// takes precedence.
	LangChosen  bool
	Home        string
	ConfigFiles []string
	// DisabledIn is the file in which the assistant can be switched on, "" while it is on.
	DisabledIn      string
	ApprovalTimeout time.Duration
	// Privilege describes how commands get root rights. It may be nil.
	Privilege      func(context.Context) string
	SessionTimeout time.Duration    // idle time after which a new conversation starts
	Redactor       *secret.Redactor // removes keys from errors, may be nil
	// Automations reports whether automations are enabled.
	Automations bool
	// Owners holds the owner's addresses by channel, Remote the rules for messages over bridges.
	Owners map[string][]string
	Remote RemotePolicy
	// CredentialHint is the file for the provider's key.
	CredentialHint string
	// IdleExit is limits.idle_exit.
	IdleExit time.Duration
	// Tariff holds the prices of requests, Budget their limit (nil for none), Shelf the models that can be chosen.
	Tariff catalog.Tariff
	Budget *usage.Budget
	Models ModelRegistry
}

// Reload reads the configuration again at a person's request, and ends the pauses of failed providers. If the
// configuration cannot be used, the last valid one stays, with its pauses, and status shows the error. Running
// turns keep theirs.
func (s *Settings) Reload() error {
	err := s.reloadConfig()
	if rt := s.current(); err == nil && rt.Circuits != nil {
		rt.Circuits.Reset()
	}
	return err
}

// reloadConfig reads the configuration and applies it. Pauses of providers only end if the configuration of models
// changed.
func (s *Settings) reloadConfig() error {
	err := s.buildRuntime()
	if err == nil {
		s.applied()
	}
	s.reported(ipc.ConfigReport{OK: err == nil, Problem: s.configProblem(err)}, err)
	return err
}

// buildRuntime creates a runtime from the configuration. Reads are serialized, so that a slow one cannot replace a
// newer configuration.
func (s *Settings) buildRuntime() error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	rt, err := s.build()
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
	s.runtime.Store(rt)
	s.life.setIdleExit(rt.IdleExit)
	s.log.Debug().Strs("files", rt.ConfigFiles).Msg("configuration read")
	if before != nil {
		s.log.Info().Msg("configuration valid again")
	}
	return nil
}

func (s *Settings) logConfigError(err error) {
	p := s.configProblem(err)
	e := s.log.Error()
	if p.File != "" {
		e = e.Str("file", p.File).Int("line", p.Line).Int("column", p.Column)
	}
	// In the message itself, because journalctl hides fields by default.
	e.Msg("cannot use the configuration: " + ipc.VisibleLine(err.Error()))
}

// configProblem returns the parts of a configuration error in the daemon's language, or nil.
func (s *Settings) configProblem(err error) *ipc.ConfigProblem {
	return s.configProblemIn(err, s.lang())
}

// configProblemIn returns the parts of a configuration error, or nil.
func (s *Settings) configProblemIn(err error, lang i18n.Lang) *ipc.ConfigProblem {
	var ce *config.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ce):
		return &ipc.ConfigProblem{File: ce.File, Line: ce.Line, Column: ce.Col, Problem: s.current().redact(ce.ProblemIn(lang))}
	}
	return &ipc.ConfigProblem{Problem: s.current().redact(i18n.ErrorText(err, lang))}
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
func (s *Settings) ReloadOnChange(ctx context.Context, changes <-chan struct{}, fingerprint func() [sha256.Size]byte, read [sha256.Size]byte) {
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
		s.log.Debug().Msg("configuration files changed")
		_ = s.reloadConfig() // it logs the error and keeps it for status
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
func (s *Settings) currentRuntime() (*Runtime, error) {
	if rt := s.current(); rt != nil {
		return rt, nil
	}
	if err := s.Reload(); err != nil {
		return nil, err
	}
	return s.current(), nil
}

func (s *Settings) lastConfigError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.configErr
}

// current returns the current runtime. It is nil until a configuration could be used.
func (s *Settings) current() *Runtime { return s.runtime.Load() }

// Gate is the part of [tools.Gate] that the daemon uses for calls and plans outside a turn.
type Gate interface {
	Definitions() []providers.ToolDefinition
	// SendTools returns the tools for senders who can receive files.
	SendTools() []providers.ToolDefinition
	Prepare(call tools.Call, session, dir string) (tools.JudgedPlan, *tools.Outcome)
	Run(ctx context.Context, j tools.JudgedPlan, approver tools.Approver, observe func(tools.Event)) tools.Outcome
	Judge(j tools.JudgedPlan) tools.JudgedPlan
	JudgeEdit(j tools.JudgedPlan, command string) (e tools.JudgedPlan, refusal string)
	RunApproved(ctx context.Context, j tools.JudgedPlan, digest string, observe func(tools.Event)) tools.Outcome
	Cancel(j tools.JudgedPlan, reason string) error
	// UnfinishedRuns returns the confirmed commands that an earlier daemon started. ReleaseRuns deletes the spooled output of a
	// task's commands.
	UnfinishedRuns(ctx context.Context) ([]tools.UnfinishedRun, error)
	ReleaseRuns(task string) error
}

// redact removes keys from text, if the runtime has a redactor.
func (rt *Runtime) redact(text string) string {
	if rt == nil || rt.Redactor == nil {
		return text
	}
	return rt.Redactor.Redact(text)
}

// RemotePolicy holds the configuration's rules for messages over bridges.
type RemotePolicy struct {
	// RequirePrefix ignores messages that do not begin with one of [i18n.Prefixes].
	RequirePrefix bool
	// PerMinute is how many questions per minute a sender may ask. 0 means five.
	PerMinute int
	// Closed lists the channels that are switched off.
	Closed []string
}

func (a RemotePolicy) perMinute() int {
	if a.PerMinute <= 0 {
		return 5
	}
	return a.PerMinute
}

// ModelRegistry describes the models that can be chosen.
type ModelRegistry struct {
	// Why is the reason for the choice of the current provider.
	Why catalog.Reason
	// Problem is why that provider cannot answer, or nil.
	Problem error
	Key     func(catalog.KeyNames) (string, error) // may be nil
	// Spec returns the configuration of a provider.
	Spec func(provider string) catalog.Spec
}

// defaultRedactor is the redactor without known keys, for the time before there is a runtime.
var defaultRedactor = sync.OnceValue(func() *secret.Redactor { return secret.NewRedactor(nil) })

// redactor returns the redactor for stored text.
func (s *Settings) redactor() *secret.Redactor {
	if rt := s.current(); rt != nil && rt.Redactor != nil {
		return rt.Redactor
	}
	return defaultRedactor()
}

// lang returns the daemon's own language.
func (s *Settings) lang() i18n.Lang {
	if rt := s.current(); rt != nil {
		return rt.Lang
	}
	return s.fallback
}

// offError refuses work while the assistant is switched off. file is where it can be switched on.
type offError struct{ file string }

func (offError) Error() string { return "the assistant is switched off" }

func (e offError) failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeSwitchedOff, Message: i18n.ErrSwitchedOff.In(lang), Hint: i18n.ErrSwitchedOffFix(e.file).In(lang)}
}

// enabledRuntime is [Daemon.currentRuntime] for requests that run something. It fails while the assistant is
// switched off.
func (s *Settings) enabledRuntime() (*Runtime, error) {
	rt, err := s.currentRuntime()
	if err == nil {
		err = rt.checkEnabled()
	}
	return rt, err
}

func (rt *Runtime) checkEnabled() error {
	if rt == nil || rt.DisabledIn == "" {
		return nil
	}
	return offError{rt.DisabledIn}
}

// admissionRuntime returns the configuration with the allowed senders. Without one it returns an error, so a
// sender is neither admitted nor rejected. The error is not published, because bridges would then ask again at
// once.
func (s *Settings) admissionRuntime() (*Runtime, error) {
	if rt := s.current(); rt != nil {
		return rt, nil
	}
	if err := s.buildRuntime(); err != nil {
		return nil, err
	}
	return s.current(), s.reloadConfig()
}

// Settings hold the runtime of the last valid configuration.
type Settings struct {
	build    func() (*Runtime, error)
	home     string
	fallback i18n.Lang // until a configuration was read
	log      zerolog.Logger
	life     *Life
	// applied is called after each successful reload, reported after every one.
	applied  func()
	reported func(ipc.ConfigReport, error)

	runtime   atomic.Pointer[Runtime]
	reloading sync.Mutex
	mu        sync.Mutex
	configErr error
}
