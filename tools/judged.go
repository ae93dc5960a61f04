package tools

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/binding"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// JudgedPlan is a plan with its verdict: exactly what would run, and whether that is allowed. Approvals are bound
// to its digest.
type JudgedPlan struct {
	Call    Call
	Plan    Plan // shell sources replaced by the checker's print of them
	Session string
	Digest  string
	// Origin is the source of the call, and By its approver, for the record.
	Origin Origin
	By     string
	Finding
	binding.Binding
	// Family is what the person can allow for the conversation together with this plan; nil if that is only the plan
	// itself.
	Family *Family
	// isByFamily reports that the plan was approved as one of its family.
	isByFamily bool
	// isVague reports that the plan names a place that decides what runs later, or names that are only known at
	// run time. It cannot be granted for a session.
	isVague bool
	// isUnparsed reports that there is no command, or a shell source that was not parsed. Such a plan never runs.
	isUnparsed bool
	// isWeb reports that the unnamed hosts are those of web addresses.
	isWeb bool
	// classes are the verdicts of the commands.
	classes []safety.Class
	// cells are the cells of each command of a SAFE plan. isMixed reports that some parts must not share one.
	cells   [][]executor.Cell
	isMixed bool
}

// Finding is why a plan needs a confirmation, or none.
type Finding struct {
	Class   safety.Class    // the highest class of all commands and Plan.AtLeast
	Reasons []string        // reason codes without duplicates
	Parts   []safety.Reason // the reasons, each with the part that caused it
	// Privileged reports whether any part gains root's rights.
	Privileged bool
	// UnnamedHosts are the contacted hosts that no one named ([ReasonUnnamedHost]).
	UnnamedHosts []string
	Programs     []string // found by the checker, including wrappers
	// Warnings are shown to the person in addition to the reasons.
	Warnings []string
}

// require makes a plan need a confirmation.
func (f *Finding) require(class safety.Class, reason safety.Reason) {
	f.Class = max(f.Class, class)
	f.Parts = append(slices.Clip(f.Parts), reason)
	f.addReason(reason.Code)
}

func (f *Finding) addReason(code string) {
	if !slices.Contains(f.Reasons, code) {
		f.Reasons = append(slices.Clip(f.Reasons), code)
	}
}

func (f *Finding) warn(warning string) {
	if !slices.Contains(f.Warnings, warning) {
		f.Warnings = append(slices.Clip(f.Warnings), warning)
	}
}

// IsReadOnly reports whether a plan changes nothing. Such a plan runs with every autonomy setting and concurrently
// with others.
func (j JudgedPlan) IsReadOnly() bool {
	return j.Class == safety.Safe && (j.Plan.Action == nil || !j.Plan.Action.Changes())
}

// entry returns the command log entry of a command of the plan.
func (j JudgedPlan) entry(class commandlog.Class, command string) commandlog.Entry {
	e := commandlog.Entry{
		Class: class, Command: command, Tool: j.Plan.Tool, Dir: j.Plan.Dir, Session: j.Session,
		Task: j.Origin.Task, Channel: j.Origin.Channel, Automation: j.Origin.Automation, Approver: j.By,
	}
	if class == commandlog.Confirmed {
		e.Digest = j.Digest
	}
	return e
}

// Lines returns the commands, or the action's command line, as they are logged and shown, one per line.
func (j JudgedPlan) Lines() []string {
	if j.Plan.Action != nil {
		return []string{shell.CommandLine(j.Plan.Action.Argv())}
	}
	lines := make([]string, len(j.Plan.Commands))
	for i, c := range j.Plan.Commands {
		lines[i] = c.String()
	}
	return lines
}

// Command returns all commands as one text.
func (j JudgedPlan) Command() string { return strings.Join(j.Lines(), "\n") }

// Argv returns the argument vector if the plan is an action or one command without a shell, else nil.
func (j JudgedPlan) Argv() []string {
	switch {
	case j.Plan.Action != nil:
		return j.Plan.Action.Argv()
	case len(j.Plan.Commands) == 1:
		return j.Plan.Commands[0].Argv
	}
	return nil
}

// StepNote is what a person needs to know about a step of a plan before they decide.
type StepNote struct {
	ID      string
	Command string
	Looks   bool // it only reads
	Check   string
	Back    plan.WayBack
	Needs   []int // numbers of the steps that must be done before, from 1; nil if they are all changes above
	Detail  string
}

// Steps describes the steps of a plan, none for other calls.
func (j JudgedPlan) Steps() []StepNote {
	if j.Plan.Typed == nil {
		return nil
	}
	numbers := map[string]int{}
	for i, s := range j.Plan.Typed.Steps {
		numbers[s.ID] = i + 1
	}
	notes := make([]StepNote, len(j.Plan.Typed.Steps))
	for i, s := range j.Plan.Typed.Steps {
		n := StepNote{ID: s.ID, Command: j.Plan.Commands[i].String(), Check: s.Check, Back: plan.NoWayBack}
		n.Looks = i < len(j.classes) && j.classes[i] == safety.Safe && s.Verb == "run"
		if v, ok := j.Plan.verbOf(i); ok {
			n.Back = v.WayBack()
			n.Check = cmp.Or(s.Check, v.ShownCheck())
		}
		switch {
		case s.Undo != "":
			n.Back = plan.CanGoBack
		case s.Verb == "remove_file" && unix.Access(s.Args["path"], unix.R_OK) != nil:
			n.Back = plan.NoWayBack // what cannot be read cannot be kept
		case s.Verb == "remove" && len(j.Plan.Uncached) > 0:
			n.Back = plan.NoWayBack
		case s.Verb == "remove" && s.Args["only"] == "true":
			n.Back = plan.CanGoBack // the files of all that it removes are in the cache
		}
		for _, id := range s.DependsOn {
			n.Needs = append(n.Needs, numbers[id])
		}
		if i < len(j.Plan.Diffs) {
			n.Detail = j.Plan.Diffs[i]
		}
		notes[i] = n
	}
	return notes
}

// commandCells returns the cells for a command of the plan. All commands that run without a confirmation have some.
func (j JudgedPlan) commandCells(index int, class commandlog.Class) []executor.Cell {
	if class != commandlog.Safe || index >= len(j.cells) {
		return nil
	}
	return j.cells[index]
}

// IsCoveredBy reports whether the person has already seen everything that needs a confirmation in this plan, because
// it was shown with another.
func (j JudgedPlan) IsCoveredBy(shown JudgedPlan) bool {
	return isSubset(j.Reasons, shown.Reasons) && isSubset(j.Warnings, shown.Warnings) && (shown.Privileged || !j.Privileged)
}

func isSubset(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(code string) bool { return !slices.Contains(whole, code) })
}

// warnUncovered warns that an approval does not cover everything that decides what runs. Its detail lists the
// programs that read more.
const warnUncovered = "not-covered"

// Notices returns the warnings of a question, including what an approval does not cover.
func (j JudgedPlan) Notices() []string {
	if len(j.Uncovered) == 0 {
		return j.Warnings
	}
	return append(slices.Clip(j.Warnings), warnUncovered+": "+strings.Join(j.Uncovered, ", "))
}

// actionCall returns what the plan's action knows about its call.
func (j JudgedPlan) actionCall() action.Call {
	return action.Call{
		Origin: j.Origin, Session: j.Session, Input: j.Call.Input, Words: j.Call.Words, Against: j.Plan.Against,
		Untrusted: j.Call.Untrusted || j.Call.Mixed, Attached: j.Call.Attached,
	}
}

// changesAutomations reports whether a plan changes automations, with the tools or with this program's commands.
func (j JudgedPlan) changesAutomations() bool {
	ours := slices.ContainsFunc(j.Programs, func(p string) bool {
		return slices.Contains([]string{"blunux-ai", "blunux-aictl"}, filepath.Base(p))
	})
	a := j.Plan.Action
	return a != nil && a.Kind() == action.KindAutomation && a.Changes() || ours && strings.Contains(shell.StripQuotes(j.Command()), "automation")
}

// packagePrograms are the programs that change installed packages: the machine might not boot again if it is shut down
// while they run.
var packagePrograms = []string{
	"pacman", "yay", "paru", "pikaur", "trizen", "pamac", "makepkg", "mkinitcpio", "dracut", "dkms", "grub-install", "grub-mkconfig",
	"bootctl", "flatpak", "snap", "fwupdmgr",
}

// inhibitReason returns why the machine must stay awake while a plan runs, as a reason code or a program's name, or
// "" if it need not.
func inhibitReason(j JudgedPlan) string {
	if slices.Contains([]string{reasonInstall, reasonRemove, reasonUpgrade}, j.Plan.Reason) {
		return j.Plan.Reason
	}
	for _, p := range j.Programs {
		if name := filepath.Base(p); slices.Contains(packagePrograms, name) {
			return name
		}
	}
	return ""
}
