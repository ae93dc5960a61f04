package tools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
)

// Answer is what a person decides about a command.
type Answer string

// The answers. Any other value means Reject.
const (
	AllowOnce    Answer = "allow_once"
	AllowSession Answer = "allow_session"
	AllowFamily  Answer = "allow_family"
	Edit         Answer = "edit"
	Reject       Answer = "reject"
)

// Decision is the answer to a confirmation.
type Decision struct {
	Action  Answer
	Command string // the new text of an Edit
	// Reason is the cause of a Reject: denied, expired, cancelled, queued.
	Reason string
	// Code is the code of the pending approval if Reason is queued.
	Code string
	// By is the approver: a channel, or [byAutonomy].
	By string
}

// byAutonomy is the recorded approver of a command that ran without a confirmation.
const byAutonomy = "autonomy"

// Approver asks a person. It belongs to the turn, because the same tools serve a terminal, a phone and a
// schedule. It must return a Reject when ctx ends.
type Approver interface {
	Approve(ctx context.Context, j JudgedPlan) Decision
}

// The refusal codes of [providers.Output] from this package.
const (
	RefusedBlocked     = "blocked"       // the checker never allows it
	RefusedDenied      = "denied"        // the person said no
	RefusedExpired     = "expired"       // no answer in time
	RefusedCancelled   = "cancelled"     // the turn was cancelled
	RefusedQueued      = "queued"        // no one could be asked; the approval is pending
	RefusedReadOnly    = "read_only"     // autonomy is read_only
	RefusedInput       = "bad_input"     // the call is invalid
	RefusedUnknown     = "no_tool"       // there is no such tool
	RefusedUnparsed    = "unparsed"      // not valid bash, or too long to check
	RefusedMissing     = "missing"       // a program is not installed
	RefusedStopping    = "left"          // the program is stopping, the command keeps running ([Gate.UnfinishedRuns])
	RefusedLog         = "log"           // the command log is not writable
	RefusedMismatch    = "mismatch"      // the command differs from the approved one
	RefusedRepeated    = "repeated"      // the same call was repeated too often (agent)
	RefusedRounds      = "max_rounds"    // the turn is over (agent)
	RefusedRights      = "no_rights"     // no way to root's rights
	RefusedNoChange    = "no_change"     // nothing is known that could be taken back
	RefusedNoWayBack   = "no_way_back"   // what was done cannot be taken back
	RefusedUpgrade     = "no_upgrade"    // nothing to upgrade, or the preview or the guard speaks against it
	RefusedPlanned     = "planned"       // a dry run: only judged (agent)
	RefusedUnavailable = "away"          // the server of a foreign tool does not answer
	RefusedSecret      = "secret-note"   // a note with a password or a key
	RefusedHeld        = "held"          // a build recipe of the AUR does what should not be built
	RefusedSelfChange  = "self_schedule" // an automation's own turn would change automations
)

// The reasons of an [Event] with [StateDone] for a command that ended early, in addition to [RefusedMissing]
// and [RefusedRights].
const (
	EndedTimeout = "timeout" // it reached its timeout
	EndedUnknown = "unknown" // it was killed from outside
)

// Event reports the progress of a call.
type Event struct {
	Call    string
	Name    string
	Class   string
	Command string
	State   string // running, done, refused
	Reason  string // refusal code; for a finished call, why it ended early
	Reasons []string
	Input   json.RawMessage
	// Step is the step of a plan that has just begun or ended; nil in the other events.
	Step *StepEvent
	// Output is the next piece of a running command's output for [Origin.Watched]. The other fields are
	// unchanged in such an event.
	Output string
	Ending
}

// StepEvent is how far a step of a plan is.
type StepEvent struct {
	Index, Of   int
	ID, Command string
	State       plan.State
}

// Ending is how a call ended.
type Ending struct {
	Exit     int
	Took     time.Duration
	OutBytes int
	Cut      bool // some of the output was left out
	// Picture is the picture of the result, nil for none.
	Picture *providers.Picture
	// Ended is why the last command ended early: [EndedTimeout], [EndedUnknown] or [RefusedMissing]. Program is
	// the missing program, Limit the timeout in seconds.
	Ended   string
	Program string
	Limit   int
}

// The states of an [Event].
const (
	StateRunning = "running"
	StateDone    = "done"
	StateRefused = "refused"
)

// Outcome is the result of a call.
type Outcome struct {
	Output  providers.Output
	Text    string // for the model, not fenced yet
	IsError bool
	Pending string // code of the pending approval, if any
	// NoteChange is the change of the notes to show to the person, or nil. Its text comes from this program, not
	// from others.
	NoteChange *memory.Change
	// Picture is shown to the model with Text, which names it; nil for none.
	Picture *providers.Picture
	// Proofs are what the checks of the call's changes show.
	Proofs []plan.Proof
	// Receipt is the id of the change with which it can be taken back, "" if it left nothing different.
	Receipt string
}

func newRefusal(code, text string) *Outcome {
	return &Outcome{Output: providers.Output{Refusal: code}, Text: text, IsError: true}
}
