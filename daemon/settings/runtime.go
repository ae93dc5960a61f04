package settings

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/providers/offline"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// Runtime holds everything that depends on the configuration. A reload creates a new one. Running turns keep
// theirs.
type Runtime struct {
	Agent *agent.Agent
	// Agents are the others of the settings, by name.
	Agents     map[string]*agent.Agent
	Gate       Gate
	Sessions   *session.Store
	CommandLog *commandlog.Log
	Notes      *notes.Notes
	Redactor   *secret.Redactor // removes keys from errors, may be nil
	Language   Language
	Config     Config
	Limits     Limits
	Remote     RemotePolicy
	Models     Models
	Guards     Guards
	// Helper answers search fields. It records nothing. It may be nil.
	Helper *offline.Model
}

// AgentOf returns the agent of a conversation. The error names the known ones.
func (rt *Runtime) AgentOf(key string) (*agent.Agent, error) {
	name := session.AgentOf(key)
	if a, ok := rt.Agents[name]; ok {
		return a, nil
	}
	if name == post.AgentID {
		return rt.Agent, nil
	}
	return nil, unknownAgent{name, rt.AgentNames()}
}

// AgentNames returns the names of all agents, the default one first.
func (rt *Runtime) AgentNames() []string {
	return append([]string{post.AgentID}, slices.Sorted(maps.Keys(rt.Agents))...)
}

// unknownAgent reports a name without an agent, together with the existing names.
type unknownAgent struct {
	name  string
	known []string
}

func (u unknownAgent) Error() string { return fmt.Sprintf("no agent %q", u.name) }

// Failure implements userError.
func (u unknownAgent) Failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{
		Code: ipc.CodeBadRequest, Message: i18n.ErrUnknownAgent(ipc.VisibleLine(u.name), strings.Join(u.known, ", ")).In(lang),
	}
}

// Language is the daemon's language.
type Language struct {
	Lang i18n.Lang
	// Chosen reports that Lang was configured. Otherwise it is the daemon's locale, and a client's locale takes
	// precedence.
	Chosen bool
}

// Config is the configuration that a runtime was made of.
type Config struct {
	Home  string // the person's home directory
	Files []string
	// DisabledIn is the file in which the assistant can be switched on, "" while it is on.
	DisabledIn string
	// Automations reports whether automations are enabled.
	Automations bool
}

// Limits are the configured times.
type Limits struct {
	Approval time.Duration // for an answer to a question
	Session  time.Duration // idle time after which a new conversation starts
	Idle     time.Duration // limits.idle_exit
}

// Guards are what status says about commands. Each may be nil.
type Guards struct {
	Privilege  func(context.Context) string // describes how commands get root rights
	MCPServers *mcpclient.Servers           // other servers' tools
}

// Gate is the part of [tools.Gate] that the daemon uses for calls and plans outside a turn.
type Gate interface {
	// Anticipate prepares for a command that only reads, while the model thinks. release must be called.
	Anticipate() (release func())
	Definitions() []providers.ToolDefinition
	// SendTools returns the tools for senders who can receive files.
	SendTools() []providers.ToolDefinition
	Prepare(call tools.Call, session, dir string) (tools.JudgedPlan, *tools.Outcome)
	Run(ctx context.Context, j tools.JudgedPlan, approver tools.Approver, observe func(tools.Event)) tools.Outcome
	// Look runs a command that only reads for this program itself.
	Look(ctx context.Context, id, command string, from tools.Origin, session string) (providers.Step, error)
	Judge(j tools.JudgedPlan) tools.JudgedPlan
	JudgeEdit(j tools.JudgedPlan, command string) (e tools.JudgedPlan, refusal string)
	RunApproved(ctx context.Context, j tools.JudgedPlan, digest string, approver tools.Approver, observe func(tools.Event)) tools.Outcome
	Cancel(j tools.JudgedPlan, reason string) error
	// UnfinishedRuns returns the confirmed commands that an earlier daemon started. ReleaseRuns deletes the spooled output of a
	// task's commands.
	UnfinishedRuns(ctx context.Context) ([]steps.Unfinished, error)
	// CheckLeft checks what such a command changed, and describes the result for a model.
	CheckLeft(ctx context.Context, left steps.Note, ended providers.Step) ([]plan.Proof, string)
	ReleaseRuns(task string) error
	// Changes returns what approved changes did, oldest first, and KnowsChange whether an id, or without one the last
	// change of a conversation, can be taken back.
	Changes() ([]receipt.Receipt, error)
	KnowsChange(id, session string) bool
}

// RemotePolicy holds the configuration's rules for messages over bridges.
type RemotePolicy struct {
	// RequirePrefix ignores messages that do not begin with one of [i18n.Prefixes].
	RequirePrefix bool
	// PerMinute is how many questions per minute a sender may ask. 0 means five.
	PerMinute int
	// Closed lists the channels that are switched off.
	Closed []string
	// Owners holds the owner's addresses by channel.
	Owners map[string][]string
	// Rooms holds the rooms in which admitted senders may write, by channel.
	Rooms map[string][]string
}

func (a RemotePolicy) QuestionsPerMinute() int {
	if a.PerMinute <= 0 {
		return 5
	}
	return a.PerMinute
}

// Models are the models that can be chosen, and what they cost.
type Models struct {
	// Why is the reason for the choice of the current provider.
	Why catalog.Reason
	// Problem is why that provider cannot answer, or nil.
	Problem error
	Key     func(catalog.KeyNames) (string, error) // may be nil
	// CredentialHint is the file for the provider's key.
	CredentialHint string
	// Spec returns the configuration of a provider.
	Spec     func(provider string) catalog.Spec
	Circuits *failover.Circuits // paused providers, may be nil
	Tariff   catalog.Tariff     // the prices of requests
	Budget   *usage.Budget      // their limit, nil for none
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
	if rt == nil || rt.Config.DisabledIn == "" {
		return nil
	}
	return offError{rt.Config.DisabledIn}
}
