// Package action has the tools that act inside this program instead of running commands: notes, automations, files for
// messengers, other servers' tools, the web and
// the browser. An action is a value that can be shown, stored with an approval, and done later.
package action

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Action is what a plan does inside this program. It is judged, confirmed and recorded like a command. What it acts on
// is in [Services].
type Action interface {
	// Argv is the command line that people see and the log records in place of the action. Nothing parses it.
	Argv() []string
	// Kind is the action's entry in the table of [Decode].
	Kind() string
	// Changes reports whether the action changes something, even if it needs no confirmation.
	Changes() bool
	// Pin binds the action to the current state of what it acts on, and returns a digest of that state. An action that
	// cannot succeed is refused before the person is asked.
	Pin(s Services) (pinned Action, against string, err error)
	// Judge classifies the action.
	Judge(s Services, c Call) Verdict
	// Ready returns nil if the action can be done now. An error for which [IsChanged] is true means that it would act on
	// something else than the person saw.
	Ready(ctx context.Context, s Services, c Call) error
	// Do does the action and writes its output. An error means that the result is unknown. The end of ctx ends it.
	Do(ctx context.Context, s Services, c Call, to io.Writer) (Result, error)
	// Edit returns the action with the person's own text, or why it cannot have one.
	Edit(text string) (Action, error)
}

// Call is the tool call that plans an action.
type Call struct {
	Origin  Origin
	Session string // the conversation
	Input   json.RawMessage
	Words   string // the person's own words in this turn
	Against string // the digest that the action was pinned to
	// Untrusted reports that the conversation has text that is not the person's.
	Untrusted bool
	// Attached are the paths of the files that came with the person's message.
	Attached []string
}

// Verdict is how an action is classified.
type Verdict struct {
	Class    safety.Class
	Reasons  []safety.Reason
	Warnings []string
	Unparsed bool // it never runs
	// WebHosts are the web servers that the action reaches. Each needs a confirmation unless the person named it.
	WebHosts []string
}

// confirm requires a confirmation.
func (v *Verdict) confirm(code, part string) {
	v.Class = max(v.Class, safety.Confirm)
	v.Reasons = append(v.Reasons, safety.Reason{Code: code, Part: part})
}

func (v *Verdict) warn(warning string) {
	if !slices.Contains(v.Warnings, warning) {
		v.Warnings = append(v.Warnings, warning)
	}
}

// Result is the result of an action.
type Result struct {
	Failed     bool
	NoteChange *memory.Change // of the notes, to show to the person
	// Picture is shown to the model and the person, nil for none. Data and Path are enough; the gate finds out what it is,
	// and leaves out one that no model takes.
	Picture *providers.Picture
}

// changedError reports that what an action acts on has changed since the person saw it.
type changedError string

func (e changedError) Error() string { return string(e) }

// IsChanged reports whether an error means that what an action acts on has changed since the person saw it.
func IsChanged(err error) bool { return errors.As(err, new(changedError)) }

// secretError refuses to store a secret.
type secretError string

func (e secretError) Error() string { return string(e) }

// IsSecret reports whether an error means that an action would store a secret.
func IsSecret(err error) bool { return errors.As(err, new(secretError)) }

// digestOf returns a digest of a state.
func digestOf(parts ...string) string {
	data, err := json.Marshal(parts)
	if err != nil { // strings always marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
