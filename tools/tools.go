// Package tools is what the assistant can do on the machine: the tools a
// model may call, and the one door every execution goes through.
//
// A [Tool] turns its input into a [Plan], the commands it would run, and runs
// nothing itself. [Gate.Prepare] judges the plan (tools/safety) and
// [Gate.Run] asks a person where that is needed, records every command
// (tools/commandlog) before it starts, and only then starts it ([Executor]).
// No other package of the program starts system commands.
package tools

import (
	"encoding/json"
	"time"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Plan is what a tool would do: commands run one after the other.
type Plan struct {
	Tool     string
	Commands []Command
	// AtLeast raises the verdict: a tool that changes the machine asks even
	// where its command line alone would be found harmless.
	AtLeast safety.Class
	// Reason is the code of why the tool asks, before the checker's own.
	Reason  string
	Timeout time.Duration // of each command
	// ByHand is what a person would type in a terminal in place of commands that
	// take root's rights; nil for any other plan. Lacks is why nothing here gives
	// such rights: then the plan is told and not run.
	ByHand []string
	Lacks  []elevation.Step
	Dir    string // working directory; "" means the home directory
}

// Call is one tool call of a model.
type Call struct {
	ID    string
	Name  string
	Input json.RawMessage
	// Words are the person's own of this turn, without what was piped in.
	Words string `json:"-"`
	// Earlier are their own words before that in the conversation, as far as they
	// came alone.
	Earlier []string `json:"-"`
	// Untrusted reports that the turn has read text that is not the person's: a
	// grant for the session does not hold then. Mixed reports that the
	// conversation before it holds such text.
	Untrusted bool `json:"-"`
	Mixed     bool `json:"-"`
}

// Tool is one thing a model may ask for.
type Tool struct {
	Definition providers.ToolDefinition
	// Plan reads the input. Its error is told to the model, so that it can
	// mend the input.
	Plan func(Env, json.RawMessage) (Plan, error)
	// needs is what it is there with only: [byNotes] a [Notebook], [byTimetable] a
	// [Timetable], [byCourier] a [Courier]; "" for nothing.
	needs string
}

// Env is what a plan may depend on.
type Env struct {
	Home string
	Dir  string // working directory of the person who asks; "" means Home
	Root bool   // running as root already
	// Rights tells the way to root's rights; nil means that nobody knows, and a
	// plan is made for a sudo without a password.
	Rights func() elevation.Standing
	// Manages reports whether the person may manage the system's units (files:
	// enable and disable them) without root's rights; nil means no.
	Manages func(files bool) bool
	// Has reports whether a program is installed.
	Has    func(program string) bool
	Limits Timeouts
}

// Timeouts bounds commands.
type Timeouts struct {
	Command time.Duration // ordinary ones, 60 s
	Update  time.Duration // package changes, 300 s
}
