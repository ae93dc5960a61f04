// Package agent is the turn: a person's words go to a model, the tools it
// asks for go through the gate, their results go back, until the model has an
// answer (NARE TDD section 8.1).
//
// The loop reads as a loop; everything it needs is a small interface, so that
// the same agent serves a terminal, a phone and a schedule, with any model.
// It holds no conversation and no configuration of its own.
package agent

import (
	"context"
	"errors"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/secret"
	"github.com/nidoit/blunux-ai/tools"
)

// Model answers one request; every package below providers makes one.
type Model interface {
	Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error)
	Name() string
	ModelID() string
}

// Toolbox plans and runs tool calls; [tools.Gate] is one.
type Toolbox interface {
	Definitions() []providers.ToolDefinition
	// WorkingDir returns where commands run for somebody who is in dir.
	WorkingDir(dir string) string
	Prepare(call tools.Call, session, dir string) (tools.Judged, *tools.Outcome)
	Run(ctx context.Context, j tools.Judged, approver tools.Approver, observe func(tools.Event)) tools.Outcome
}

// Notes is what is known of the machine and the person.
type Notes interface {
	// Context returns the notes' sections for the system prompt: all that can be
	// read, also beside an error.
	Context(ctx context.Context, ask memory.Ask) ([]memory.Section, error)
	// Append adds a line to today's note.
	Append(now time.Time, line string) error
}

// History keeps conversations; [session.Store] is one.
type History interface {
	// Load returns what a model should see of a session.
	Load(key string) (session.Past, error)
	// LoadRetried is Load for a task that is retried, and reports whether its words
	// are kept already.
	LoadRetried(key, task string) (past session.Past, kept bool, err error)
	// Append adds entries. An answer, and everything before it, is on the disk
	// when it returns.
	Append(key string, entries ...session.Entry) error
	// Excess returns what has outgrown the window and waits to be summarised.
	Excess(key string) (session.Excess, error)
}

// ErrRounds reports a turn that used up its rounds without an answer.
var ErrRounds = errors.New("the model did not come to an answer within the allowed rounds")

// Options makes an [Agent].
type Options struct {
	Model   Model
	Tools   Toolbox
	Notes   Notes
	History History
	// Summariser puts the older part of a long conversation in short; nil means
	// that it is done by rules, as it is where it fails.
	Summariser Model

	// Context returns how many tokens a model can be shown at once, 0 where that
	// is not known; nil knows of none.
	Context func(provider, model string) int

	Rounds    int // model requests of one turn, default 10
	MaxTokens int // of one reply; 0 for the provider's default
	SafeMode  bool
	OnlyAsked bool     // nothing is kept in the notes unasked
	Autonomy  Autonomy // what runs unasked, for the prompt
	Now       func() time.Time
	// Redactor takes secrets out of what is sent to the model and what it says;
	// nil means one that knows no values, only shapes.
	Redactor *secret.Redactor
	// Warn is told of notes that cannot be read; may be nil.
	Warn func(error)
}

// Agent runs turns. It is safe for concurrent use; turns of one session must
// not overlap.
type Agent struct {
	o     Options
	gauge *gauge
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
	return &Agent{o, newGauge()}
}

// Model returns the model that answers.
func (a *Agent) Model() Model { return a.o.Model }

// Request is one turn's input.
type Request struct {
	Session  string
	Text     string     // the person's words
	Again    bool       // the turn was begun before and had run nothing: the words may be kept already
	Stdin    string     // what was piped in with them: data, not instructions
	Attached []Attached // files that came with them: data, too
	Dir      string     // where the person is
	Lang     i18n.Lang  // to answer in when the words do not tell
	Approver tools.Approver
	Origin   tools.Origin // for the record of what runs
	// Extra are tools that are offered in this turn beside the others.
	Extra []providers.ToolDefinition
	// DryRun asks the model once and judges what it would call; nothing runs
	// and nothing is kept.
	DryRun bool
	OnText func(text string) // answer text as it arrives; may be nil
	// OnSwitch tells that another model answers from here on, and why, before its
	// first words; may be nil.
	OnSwitch func(change providers.Switch)
	OnEvent  func(event tools.Event) // tool calls as they go, one event at a time; may be nil
	OnRound  func(round Round)       // each request to a model when it has ended; may be nil
	// Explain puts a failure into the person's words, for the conversation; nil
	// leaves them out.
	Explain func(err error) string
}

// Round is one request to a model, for whoever watches a turn.
type Round struct {
	Number          int // from 1
	History         int // messages the model was shown
	Calls           int // tools it wants
	Stop            providers.StopReason
	Usage           providers.Usage
	Provider, Model string
	Took            time.Duration
	Err             error // why nobody answered, nil when somebody did
}

// Reply is one turn's end.
type Reply struct {
	Text   string // the answer
	Stop   providers.StopReason
	Rounds int
	Usage  providers.Usage
	Lang   i18n.Lang
	Why    string // an explainable engine's reasons
	// Provider and Model are who answered last.
	Provider string
	Model    string
	Pending  []string // codes of approvals that wait
	// Refusals are the refusal codes of calls that did not run.
	Refusals []string
	// Noted are the changes of the notes, in order.
	Noted []memory.Change
	// Planned are the judged calls of a dry run.
	Planned []Planned
}

// Planned is a call of a dry run: judged, or refused before that.
type Planned struct {
	Judged  tools.Judged
	Refused *tools.Outcome
}
