// Package tools has the tools that a model can call and the gate through which every command runs.
//
// A [Tool] turns its input into a [Plan], the commands it would run, and runs nothing itself. [Gate.Prepare]
// judges the plan (tools/safety). [Gate.Run] asks a person if necessary, records every command
// (tools/commandlog) and then starts it ([Executor]). No other package of this program starts system commands.
package tools

import (
	"encoding/json"
	"time"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Plan is what a tool would do: the commands it would run, in order, or one action.
type Plan struct {
	Tool     string    `json:"tool"`
	Commands []Command `json:"commands,omitempty"`
	// Action is done inside this program. Against is a digest of what it acts on, taken when it was planned: another
	// server's tool, a note. It is not done if that has changed. A plan with both an action and commands never runs.
	Action  Action `json:"-"`
	Against string `json:"against,omitempty"`
	// AtLeast raises the verdict: a tool that changes the machine needs a confirmation even if its command line
	// alone looks harmless.
	AtLeast safety.Class `json:"at_least"`
	// Reason is the code of the tool's own reason to ask. It precedes the checker's reasons.
	Reason  string        `json:"reason,omitempty"`
	Timeout time.Duration `json:"timeout"` // of each command
	// ByHand is what a person would type in a terminal for a command that needs root's rights, else nil. Lacks
	// are the reasons why there is no way to such rights; such a plan is only shown.
	ByHand []string         `json:"by_hand,omitempty"`
	Lacks  []elevation.Step `json:"lacks,omitempty"`
	Dir    string           `json:"dir"` // working directory; "" means the home directory
}

// Call is one tool call of a model.
type Call struct {
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	// Words are the person's own words in this turn, without piped input.
	Words string `json:"-"`
	// Earlier are the person's own words in earlier turns of the conversation, if they came without other text.
	Earlier []string `json:"-"`
	// Untrusted reports that the turn has read text that is not the person's; grants for the session do not
	// apply then. Mixed reports that an earlier part of the conversation has such text.
	Untrusted bool `json:"-"`
	Mixed     bool `json:"-"`
}

// Tool is a tool that a model can call.
type Tool struct {
	Definition providers.ToolDefinition
	// Plan parses the input. The model sees its error and can correct the input.
	Plan func(Env, json.RawMessage) (Plan, error)
	// needs is what the tool acts on, if it is not the machine.
	needs need
	// saves reports that a model can call the tool by itself to save something.
	saves bool
}

// need is what a tool acts on.
type need int

const (
	needsNothing need = iota
	needsNotebook
	needsAutomations
	needsFileSender // offered by [Gate.SendTools] only
)

// Env is what a plan can depend on.
type Env struct {
	Home string
	Dir  string // working directory of the person; "" means Home
	Root bool   // already running as root
	// Rights returns the way to root's rights. If nil, plans assume passwordless sudo.
	Rights func() elevation.Status
	// CanManageUnits reports whether the person can manage the system's units, or with files enable and disable them,
	// without root's rights; nil means no.
	CanManageUnits func(files bool) bool
	// HasProgram reports whether a program is installed.
	HasProgram func(program string) bool
	Limits     Timeouts
}

// Timeouts are the time limits of commands.
type Timeouts struct {
	Command time.Duration // ordinary commands, 60 s
	Update  time.Duration // package changes, 300 s
}
