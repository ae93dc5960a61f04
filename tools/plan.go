// Package tools has the tools that a model can call and the gate through which every command runs.
//
// A [Tool] turns its input into a [Plan], the commands it would run, and runs nothing itself. [Gate.Prepare]
// judges the plan (tools/safety). [Gate.Run] asks a person if necessary, records every command
// (tools/commandlog) and then starts it ([Executor]). No other package of this program starts system commands.
package tools

import (
	"encoding/json"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/upgrade"
)

// Plan is what a tool would do: the commands it would run, in order, or one action.
type Plan struct {
	Tool     string          `json:"tool"`
	Commands []shell.Command `json:"commands,omitempty"`
	// Typed is the plan whose steps the commands are, one for each; nil for other calls.
	Typed *plan.Plan `json:"typed,omitempty"`
	// Diffs show how the steps change files, by step; "" for other steps.
	Diffs []string `json:"diffs,omitempty"`
	// TakesBack is the id of the receipt whose change the plan takes back. Lost are the parts for which there is no way
	// back, and Later the receipts of later changes to the same things, and what is no longer as the change left it.
	TakesBack string        `json:"takes_back,omitempty"`
	Lost      []plan.Effect `json:"lost,omitempty"`
	Later     []string      `json:"later,omitempty"`
	// Uncached are the packages that the plan removes and whose files are not in the cache, so that they cannot be put back.
	Uncached []string `json:"uncached,omitempty"`
	// Preview is what the upgrade among the commands would do when the person was asked, nil for other plans.
	Preview *upgrade.Report `json:"preview,omitempty"`
	// Snapper is the configuration of snapper with which the upgrade takes snapshots of the root file system, "" for none.
	// SetBack is how many files a plan that takes an upgrade back takes from them.
	Snapper string `json:"snapper,omitempty"`
	SetBack int    `json:"set_back,omitempty"`
	// NextStart is what the next start needs, for a restart or a power-off among the commands, nil for other plans. BatteryLow
	// reports that the computer is only turned off, and its battery will not last.
	NextStart  *machine.NextStart `json:"next_start,omitempty"`
	BatteryLow bool               `json:"battery_low,omitempty"`
	// Action is done inside this program. Against is a digest of what it acts on, taken when it was planned: another
	// server's tool, a note. It is not done if that has changed. A plan with both an action and commands never runs.
	Action  action.Action `json:"-"`
	Against string        `json:"against,omitempty"`
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
	// Within is how long its question can be answered; 0 means as long as usual.
	Within time.Duration `json:"within,omitempty"`
}

// Origin is the source of a call.
type Origin = action.Origin

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
	// Pages are the hosts of the web pages that the conversation has read.
	Pages []string `json:"-"`
	// Attached are the paths of the files that came with the person's message, which may be read.
	Attached []string `json:"-"`
	// Lang is the language of the answer; "" means the configured one.
	Lang i18n.Lang `json:"-"`

	literal bool // the command runs exactly as it is written: a person has signed it
}

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
	// IsForbidden reports whether a command is blocked or cannot be checked; nil means that none is.
	IsForbidden func(command string) bool
	// IsSecret reports whether a file can hold a secret; nil means that none does.
	IsSecret func(path string) bool
	// Receipts are what earlier changes did; nil if nothing stores them. Session is the conversation.
	Receipts *receipt.Store
	Session  string
	Putter   string // the program that replaces files; "" if there is none
	Makepkg  string // the program that checks a recipe and becomes makepkg; "" if there is none
	// Literal plans run_command exactly as it is written.
	Literal bool
}

// Timeouts are the time limits of commands.
type Timeouts struct {
	Command time.Duration // ordinary commands, 60 s
	Update  time.Duration // package changes, 300 s
}

// argvPlan returns a plan of commands without a shell.
func argvPlan(commands ...[]string) Plan {
	var p Plan
	for _, c := range commands {
		p.Commands = append(p.Commands, shell.Command{Argv: c})
	}
	return p
}
