package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// JudgedPlan is a plan with its verdict: exactly what would run, and whether that is allowed. Approvals are bound
// to its digest.
type JudgedPlan struct {
	Call    Call
	Plan    Plan            // shell sources replaced by the checker's print of them
	Class   safety.Class    // the highest class of all commands and Plan.AtLeast
	Reasons []string        // reason codes without duplicates
	Parts   []safety.Reason // the reasons, each with the part that caused it
	// Privileged reports whether any part gains root's rights.
	Privileged bool
	// UnnamedHosts are the contacted hosts that no one named ([ReasonUnnamedHost]).
	UnnamedHosts []string
	Programs     []string // found by the checker, including wrappers
	Session      string
	Digest       string
	// ProgramFiles are the files of the programs, sorted.
	ProgramFiles []string
	// Files are the executed scripts with their current digests.
	Files []File
	// Dirs are the directories it works in, with device and inode.
	Dirs []string
	// Uncovered are the programs and scripts that read more than Files. An approval does not cover what they
	// read.
	Uncovered []string
	// Origin is the source of the call, and By its approver, for the record.
	Origin Origin
	By     string
	// Warnings are shown to the person in addition to the reasons.
	Warnings []string
	// isVague reports that the plan names a place that decides what runs later, or names that are only known at
	// run time. It cannot be granted for a session.
	isVague bool
	// isUnparsed reports that there is no command, or a shell source that was not parsed. Such a plan never runs.
	isUnparsed bool
	// cells are the cells of each command of a SAFE plan. isMixed reports that some parts must not share one.
	cells   [][]Cell
	isMixed bool
}

// IsReadOnly reports whether a plan changes nothing. Such a plan runs with every autonomy setting and concurrently
// with others.
func (j JudgedPlan) IsReadOnly() bool {
	return j.Class == safety.Safe && (j.Plan.Action == nil || !j.Plan.Action.changes())
}

// Origin is the source of a call.
type Origin struct {
	Task    string // the task's id
	Channel string // the channel of the message
	// Automation is the name of the automation whose turn it is, or "" for a person's turn. Such a turn cannot
	// change automations, and its commands are recorded under this name.
	Automation string
	// Unsaved reports a task that is not saved on disk. It only runs reading commands.
	Unsaved bool
	// Watched enables events with the output of running commands.
	Watched bool
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

// ReasonNoSandbox is the reason to confirm a reading command if no sandbox can confine it.
const ReasonNoSandbox = "no-sandbox"

// Lines returns the commands, or the action's command line, as they are logged and shown, one per line.
func (j JudgedPlan) Lines() []string {
	if j.Plan.Action != nil {
		return []string{CommandLine(j.Plan.Action.Argv())}
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

// String returns the command as a person would type it.
func (c Command) String() string {
	if c.Shell != "" {
		return c.Shell
	}
	return CommandLine(c.Argv)
}

// commandCells returns the cells for a command of the plan. All commands that run without a confirmation have some.
func (j JudgedPlan) commandCells(index int, class commandlog.Class) []Cell {
	if class != commandlog.Safe || index >= len(j.cells) {
		return nil
	}
	return j.cells[index]
}

// judge classifies a plan. It replaces shell sources by the canonical print of the parsed source. A reading
// plan that the sandbox cannot confine needs a confirmation.
func (g *Gate) judge(call Call, plan Plan, session string) JudgedPlan {
	j := JudgedPlan{Call: call, Plan: plan, Class: plan.AtLeast, Session: session}
	var hosts []string
	switch action := plan.Action; {
	case action != nil && len(plan.Commands) == 0:
		action.judge(g.services, &j)
	case action != nil || len(plan.Commands) == 0:
		j.isUnparsed, j.Class = true, max(j.Class, safety.Confirm)
	default:
		hosts = g.judgeCommands(&j)
	}
	j.Privileged = j.Privileged || plan.ByHand != nil // yay raises its own rights
	if plan.Reason != "" {
		j.Reasons = []string{plan.Reason}
	}
	for _, r := range j.Parts {
		if !slices.Contains(j.Reasons, r.Code) {
			j.Reasons = append(j.Reasons, r.Code)
		}
	}
	switch {
	case j.Class != safety.Safe || plan.Action != nil:
	case !g.canConfine(&j):
		j.Class, j.Reasons = safety.Confirm, []string{ReasonNoSandbox}
	case j.isMixed:
		j.Class, j.Reasons = safety.Confirm, []string{ReasonMixedCells}
	}
	g.checkHosts(&j, hosts)
	g.rules.apply(&j)
	if j.Class == safety.Confirm && plan.Action == nil {
		j.ProgramFiles = g.executor.resolvePrograms(j.Programs)
		j.bind(g.env.Home)
		j.checkPersistence(g.env.Home)
		j.warnLosses()
	}
	j.Digest = g.digest(j)
	return j
}

// judgeCommands classifies the plan's commands and returns the hosts that they contact.
func (g *Gate) judgeCommands(j *JudgedPlan) (hosts []string) {
	j.Plan.Commands = slices.Clone(j.Plan.Commands)
	for i, c := range j.Plan.Commands {
		var v safety.Verdict
		if c.Shell != "" {
			v = g.checker.JudgeIn(j.Plan.Dir, c.Shell)
			if v.Source == "" {
				j.isUnparsed = true
			} else {
				j.Plan.Commands[i].Shell = v.Source
			}
		} else {
			v = g.checker.JudgeArgv(j.Plan.Dir, c.Argv)
			j.isUnparsed = j.isUnparsed || len(c.Argv) == 0
		}
		j.Class = max(j.Class, v.Class)
		j.Privileged = j.Privileged || v.Privileged
		j.Programs = append(j.Programs, v.Programs...)
		j.Parts = append(j.Parts, v.Reasons...)
		hosts = append(hosts, v.Hosts...)
		j.confine(j.Plan.Commands[i], v)
	}
	return hosts
}

// digest covers everything that decides what runs: the tool, the commands, their program files and scripts, the
// working directories, the session and the environment.
func (g *Gate) digest(j JudgedPlan) string {
	data, err := json.Marshal(struct {
		Tool     string   `json:"tool"`
		Commands any      `json:"commands"`
		Programs []string `json:"programs"`
		Files    []File   `json:"files"`
		Dir      string   `json:"dir"`
		Dirs     []string `json:"dirs"`
		Session  string   `json:"session"`
		Env      []string `json:"env"`
	}{j.Plan.Tool, j.Plan.digested(), j.ProgramFiles, j.Files, j.Plan.Dir, j.Dirs, j.Session, g.executor.approvalEnv()})
	if err != nil { // strings always marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
