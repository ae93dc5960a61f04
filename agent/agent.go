// Package agent runs turns: an [Agent] sends a user's message to a model, passes the model's tool calls to the
// gate and the results back, until the model answers (NARE TDD section 8.1).
//
// All dependencies are small interfaces, so that the same agent serves a terminal, a messenger and automations,
// with any model. It holds neither conversations nor configuration.
package agent

import (
	"context"
	"errors"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// Model answers one request. Each provider package implements it.
type Model interface {
	Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error)
	Name() string
	ModelID() string
}

// Toolbox plans and runs tool calls. [tools.Gate] implements it.
type Toolbox interface {
	Definitions() []providers.ToolDefinition
	// WorkingDir returns the directory in which commands run for a user in dir.
	WorkingDir(dir string) string
	Prepare(call tools.Call, session, dir string) (tools.JudgedPlan, *tools.Outcome)
	Run(ctx context.Context, j tools.JudgedPlan, approver tools.Approver, observe func(tools.Event)) tools.Outcome
}

// Notes are the notes about the machine and the user.
type Notes interface {
	// Context returns the notes' sections for the system prompt. With an error, it returns the sections that
	// could be read.
	Context(ctx context.Context, ask memory.ContextQuery) ([]memory.Section, error)
	// Append adds a line to today's note.
	Append(now time.Time, line string) error
}

// History stores conversations. [session.Store] implements it.
type History interface {
	// Load returns the part of a session to send to a model.
	Load(key string) (session.Past, error)
	// LoadRetried is Load for a retried task. It also reports whether the task's message is already stored.
	LoadRetried(key, task string) (past session.Past, kept bool, err error)
	// Append adds entries. When it returns, an answer and everything before it is on the disk.
	Append(key string, entries ...session.Entry) error
	// AppendUnsynced is Append without waiting for the disk, which sync does. sync must be called once.
	AppendUnsynced(key string, entries ...session.Entry) (sync func() error, err error)
	// Excess returns the part that no longer fits the window and should be summarized.
	Excess(key string) (session.Excess, error)
}

// ErrRounds reports a turn that used all its rounds without an answer.
var ErrRounds = errors.New("no answer within the allowed rounds")

// Options configures an [Agent].
type Options struct {
	Model   Model
	Tools   Toolbox
	Notes   Notes
	History History
	// Summariser summarizes the older part of long conversations. nil means by rules, which are also the
	// fallback.
	Summariser Model

	// Context returns the context size of a model in tokens, 0 if unknown. nil means unknown for all models.
	Context func(provider, model string) int

	Rounds    int // model requests in a turn, default 10
	MaxTokens int // limit of a reply, 0 means the provider's default
	SafeMode  bool
	OnlyAsked bool     // save notes only when asked to
	Autonomy  Autonomy // which commands run without approval, for the prompt
	// Instructions are the person's own for this agent, added to the system prompt. "" means none.
	Instructions string
	// Allows reports whether the agent may call a tool. nil means all. Tools refuses the others.
	Allows func(tool string) bool
	Now    func() time.Time
	// Redactor removes secrets from text to and from the model. nil means one without known values.
	Redactor *secret.Redactor
	// Warn is called if notes cannot be read. It may be nil.
	Warn func(error)
}

// Agent runs turns. It is safe for concurrent use, but turns of one session must not overlap.
type Agent struct {
	o          Options
	gauge      *tokenEstimator
	redactions redactionCache
}

// New returns an agent.
func New(o Options) *Agent {
	if o.Rounds == 0 {
		o.Rounds = 10
	}
	if o.Redactor == nil {
		o.Redactor = secret.NewRedactor(nil)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Autonomy = o.Autonomy.withDefault()
	if o.Context == nil {
		o.Context = func(string, string) int { return 0 }
	}
	return &Agent{o: o, gauge: newGauge()}
}

// Model returns the agent's model.
func (a *Agent) Model() Model { return a.o.Model }

// Request is the input of one turn.
type Request struct {
	Session     string
	Text        string       // the user's message
	IsRetry     bool         // retried turn that had run nothing; the message may already be stored
	Late        *LateCall    // the approved call of an earlier turn, whose request is Text; nil for a person's message
	Stdin       string       // piped input: data, not instructions
	Attachments []Attachment // attached files: data, not instructions
	Foreign     bool         // another program wrote Text, and the person sent it
	Dir         string       // the user's directory
	Lang        i18n.Lang    // language to answer in if the message does not determine it
	Approver    tools.Approver
	Origin      tools.Origin // for the command log
	// Extra are additional tools for this turn.
	Extra []providers.ToolDefinition
	// Accepted waits until the message is on the disk, and fails if that is not possible. It is called before the first
	// call runs. nil means that it is there.
	Accepted func() error
	// DryRun asks the model once and judges its calls, without running or storing anything.
	DryRun bool
	OnText func(text string) // receives answer text as it arrives, may be nil
	// OnSwitch is called when another model takes over, before its first text. It may be nil.
	OnSwitch func(change providers.Switch)
	OnEvent  func(event tools.Event) // receives the events of tool calls, one at a time, may be nil
	OnRound  func(round Round)       // called after each request to a model, may be nil
	// Explain returns a failure's explanation for the user, to be stored in the conversation. nil means none.
	Explain func(err error) string
}

// Round is one request to a model, for observers of a turn.
type Round struct {
	Number          int // from 1
	History         int // number of messages sent
	Calls           int // number of tool calls
	Stop            providers.StopReason
	Usage           providers.Usage
	Provider, Model string
	Took            time.Duration
	Err             error // the error, nil on success
}

// Reply is the result of one turn.
type Reply struct {
	Text   string // the answer
	Stop   providers.StopReason
	Rounds int
	Usage  providers.Usage
	Lang   i18n.Lang
	Why    string // reasons of an engine that explains its answers
	// Provider and Model name the model that answered last.
	Provider string
	Model    string
	Pending  []string // codes of pending approvals
	// Refusals are the refusal codes of calls that did not run.
	Refusals []string
	// Receipts are the ids of the changes that can be taken back, in order.
	Receipts []string
	// NoteChanges are the changes to the notes, in order.
	NoteChanges []memory.Change
	// Proofs are what the checks of the turn's changes show, in order.
	Proofs []plan.Proof
	// Planned are the judged calls of a dry run.
	Planned []PlannedCall
	// Stored waits until the conversation with the answer, or the failure, is on the disk. nil means that it stores none.
	Stored func() error
}

// PlannedCall is a call: judged, or with its outcome before that, which is a refusal in a dry run.
type PlannedCall struct {
	Judged  tools.JudgedPlan
	Refused *tools.Outcome
}
