package settings

import (
	"context"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
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
	Notes      *notes.Notes
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

// RemotePolicy holds the configuration's rules for messages over bridges.
type RemotePolicy struct {
	// RequirePrefix ignores messages that do not begin with one of [i18n.Prefixes].
	RequirePrefix bool
	// PerMinute is how many questions per minute a sender may ask. 0 means five.
	PerMinute int
	// Closed lists the channels that are switched off.
	Closed []string
}

func (a RemotePolicy) QuestionsPerMinute() int {
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

// Redact removes keys from text, if the runtime has a redactor.
func (rt *Runtime) Redact(text string) string {
	if rt == nil || rt.Redactor == nil {
		return text
	}
	return rt.Redactor.Redact(text)
}

// RedactNote removes secrets from a note, which may have been edited by hand.
func (rt *Runtime) RedactNote(text string) string {
	if rt.Redactor == nil {
		return text
	}
	return rt.Redactor.RedactStrict(text)
}

func (rt *Runtime) CheckEnabled() error {
	if rt == nil || rt.DisabledIn == "" {
		return nil
	}
	return offError{rt.DisabledIn}
}
