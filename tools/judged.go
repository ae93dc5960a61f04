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

// Judged is a plan with its verdict: what would run, exactly, and whether it
// may. Approvals are bound to its digest.
type Judged struct {
	Call    Call
	Plan    Plan            // shell sources replaced by what was judged
	Class   safety.Class    // the worst of all commands, raised to Plan.AtLeast
	Reasons []string        // reason codes, without repeats
	Parts   []safety.Reason // the same with the piece that caused each
	// Privileged reports whether something in it gains root's rights.
	Privileged bool
	// Unnamed are the hosts it contacts that nobody named ([ReasonUnnamedHost]).
	Unnamed  []string
	Programs []string // that the checker found, wrappers included
	Session  string
	Digest   string
	// Resolved are the files the programs' names stand for, in order of name.
	Resolved []string
	// Files are the scripts among what is run, as they are now.
	Files []File
	// Dirs are the directories it works in, by device and inode.
	Dirs []string
	// Uncovered are the programs and scripts that read more than Files: a yes does
	// not cover what that is.
	Uncovered []string
	// Origin is where the call came from, and By who decided on it, for the record.
	Origin Origin
	By     string
	// Warnings are what a person should see besides the reasons.
	Warnings []string
	// vague reports that the plan names a place that decides what is run later, or
	// may name others when it runs: it is not granted for a session.
	vague bool
	// unparsed reports that there is no command, or a shell source that was
	// not parsed: it cannot be run as judged, so it is not run at all.
	unparsed bool
	// cells are those of each command of a SAFE plan, and mixed reports that some
	// of its parts may not share one.
	cells [][]Cell
	mixed bool
}

// Reads reports whether a plan changes nothing, and so runs in any autonomy and
// beside others.
func (j Judged) Reads() bool {
	return j.Class == safety.Safe && !j.Plan.writesNotes() && !j.Plan.writesTimetable()
}

// Origin is the message a call belongs to.
type Origin struct {
	Task    string // the task's id
	Channel string // where the message came from
	// Automation is the name of the rule whose turn it is; "" for a person's. Such
	// a turn changes no rules, and what it runs is recorded in the rule's name.
	Automation string
	// Unkept reports a task that is not on the disk: it runs only what reads.
	Unkept bool
	// Watched tells, by events, what commands print while they do.
	Watched bool
}

// entry is a command of the plan as it is recorded.
func (j Judged) entry(class commandlog.Class, command string) commandlog.Entry {
	e := commandlog.Entry{
		Class: class, Command: command, Tool: j.Plan.Tool, Dir: j.Plan.Dir, Session: j.Session,
		Task: j.Origin.Task, Channel: j.Origin.Channel, Automation: j.Origin.Automation, Approver: j.By,
	}
	if class == commandlog.Confirmed {
		e.Digest = j.Digest
	}
	return e
}

// ReasonNoSandbox is why a command that only reads is asked about where there is
// no sandbox to hold it to that.
const ReasonNoSandbox = "no-sandbox"

// Lines returns the commands as they are logged and shown, one a line.
func (j Judged) Lines() []string {
	lines := make([]string, len(j.Plan.Commands))
	for i, c := range j.Plan.Commands {
		lines[i] = c.String()
	}
	return lines
}

// Command returns all commands as one text.
func (j Judged) Command() string { return strings.Join(j.Lines(), "\n") }

// Argv returns the argument vector when the plan is one command without a
// shell, else nil.
func (j Judged) Argv() []string {
	if len(j.Plan.Commands) == 1 {
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

// confined returns the cells a command of the plan runs in: every command that runs
// unasked does.
func (j Judged) confined(index int, class commandlog.Class) []Cell {
	if class != commandlog.Safe || index >= len(j.cells) {
		return nil
	}
	return j.cells[index]
}

// judge classes a plan. Shell sources become the canonical print of what was
// parsed. What only reads but cannot be held to it by the kernel is asked about.
func (g *Gate) judge(call Call, plan Plan, session string) Judged {
	j := Judged{Call: call, Plan: plan, Class: plan.AtLeast, Session: session}
	if len(plan.Commands) == 0 {
		j.unparsed, j.Class = true, max(j.Class, safety.Confirm)
	}
	j.Plan.Commands = slices.Clone(plan.Commands)
	var hosts []string
	for i, c := range plan.Commands {
		if c.By != "" || plan.inside() {
			g.judgeInside(&j, c)
			continue
		}
		var v safety.Verdict
		if c.Shell != "" {
			v = g.checker.JudgeIn(plan.Dir, c.Shell)
			if v.Source == "" {
				j.unparsed = true
			} else {
				j.Plan.Commands[i].Shell = v.Source
			}
		} else {
			v = g.checker.JudgeArgv(plan.Dir, c.Argv)
			j.unparsed = j.unparsed || len(c.Argv) == 0
		}
		j.Class = max(j.Class, v.Class)
		j.Privileged = j.Privileged || v.Privileged
		j.Programs = append(j.Programs, v.Programs...)
		j.Parts = append(j.Parts, v.Reasons...)
		hosts = append(hosts, v.Hosts...)
		j.confine(j.Plan.Commands[i], v)
	}
	j.Privileged = j.Privileged || plan.ByHand != nil // yay takes rights by itself
	if plan.Reason != "" {
		j.Reasons = []string{plan.Reason}
	}
	for _, r := range j.Parts {
		if !slices.Contains(j.Reasons, r.Code) {
			j.Reasons = append(j.Reasons, r.Code)
		}
	}
	switch {
	case j.Class != safety.Safe || plan.inside():
	case !g.holdsAll(&j):
		j.Class, j.Reasons = safety.Confirm, []string{ReasonNoSandbox}
	case j.mixed:
		j.Class, j.Reasons = safety.Confirm, []string{ReasonMixedCells}
	}
	g.askHosts(&j, hosts)
	g.rules.apply(&j)
	if j.Class == safety.Confirm && !plan.inside() {
		j.Resolved = g.executor.resolve(j.Programs)
		j.bind(g.env.Home)
		j.lasting(g.env.Home)
		j.losses()
	}
	j.Digest = g.digest(j)
	return j
}

// digest binds an approval to everything that decides what runs: tool,
// commands, the programs and scripts they lead to, working directories, session,
// environment.
func (g *Gate) digest(j Judged) string {
	data, err := json.Marshal(struct {
		Tool     string    `json:"tool"`
		Commands []Command `json:"commands"`
		Programs []string  `json:"programs"`
		Files    []File    `json:"files"`
		Dir      string    `json:"dir"`
		Dirs     []string  `json:"dirs"`
		Session  string    `json:"session"`
		Env      []string  `json:"env"`
	}{j.Plan.Tool, j.Plan.Commands, j.Resolved, j.Files, j.Plan.Dir, j.Dirs, j.Session, g.executor.bound()})
	if err != nil { // strings always marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
