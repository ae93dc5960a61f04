package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Recorder records a command before it runs, and its result.
type Recorder interface {
	Begin(e commandlog.Entry) (commandlog.Ref, error)
	End(ref commandlog.Ref, r commandlog.Result) error
	// HasEnd reports whether a command's result is already recorded.
	HasEnd(ref commandlog.Ref) (bool, error)
}

// Answer is what a person decides about a command.
type Answer string

// The answers. Any other value means Reject.
const (
	AllowOnce    Answer = "allow_once"
	AllowSession Answer = "allow_session"
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
	// By is the approver: a channel, or [ByAutonomy].
	By string
}

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
	RefusedPlanned     = "planned"       // a dry run: only judged (agent)
	RefusedUnavailable = "away"          // the server of a foreign tool does not answer
	RefusedSecret      = "secret-note"   // a note with a password or a key
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
	Call     string
	Name     string
	Class    string
	Command  string
	State    string // running, done, refused
	Exit     int
	Took     time.Duration
	OutBytes int
	Reason   string // refusal code; for a finished call, why it ended early
	Reasons  []string
	Input    json.RawMessage
	// Output is the next piece of a running command's output for [Origin.Watched]. The other fields are
	// unchanged in such an event.
	Output string
	Cut    bool // some of the output was left out
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
}

// Gate is the only way to run a command: it plans, judges, asks, records and runs, in that order.
type Gate struct {
	tools    map[string]Tool
	order    []string
	checker  *safety.Checker
	executor *Executor
	records
	policy
	services  services
	env       Env
	inhibitor Inhibitor
	rights    Rights
	unitNames *unitNames
	savedRuns *savedRuns
}

// records is where a gate records commands.
type records struct {
	recorder      Recorder
	fallback      FallbackRecorder
	checkRecorder func() error
	redactor      *secret.Redactor
}

// policy is what a gate allows beside the checker's verdict.
type policy struct {
	readOnly      bool
	allowance     Allowance
	rules         Rules
	hosts         Hosts
	approvedHosts allowedHosts
}

// services are what actions act on.
type services struct {
	notes       noteKeeper
	automations automationKeeper
	files       fileKeeper
	foreign     Foreign
	redactor    *secret.Redactor
}

// Options configures a [Gate].
type Options struct {
	Tools    []Tool
	Checker  *safety.Checker
	Executor *Executor
	Recorder Recorder
	// FallbackRecorder takes the records of reading commands while Recorder cannot be written. If nil, no command runs
	// then.
	FallbackRecorder FallbackRecorder
	Home             string
	Timeouts         Timeouts
	ReadOnly         bool // autonomy read_only: refuse commands that are not SAFE without asking
	// Redactor removes secrets from records. If nil, one that only knows the patterns of secrets is used.
	Redactor *secret.Redactor
	// Full is what autonomy full runs without a confirmation. The zero value allows nothing, as with autonomy
	// supervised.
	Full Allowance
	// Rules raise verdicts and add warnings.
	Rules Rules
	// Hosts are the hosts in this machine's configuration; nil means none.
	Hosts Hosts
	// Ready reports whether Recorder could write now, without writing. If nil, only writing shows that.
	Ready func() error
	// Inhibitor keeps the machine awake while packages change. It can be nil.
	Inhibitor Inhibitor
	// Rights finds the way to root's rights. If nil, plans assume passwordless sudo, and no call is refused for
	// missing rights.
	Rights Rights
	// Foreign are the tools of MCP servers; nil means none.
	Foreign Foreign
	// Notebook stores the notes. If nil, there are no tools for notes.
	Notebook Notebook
	// Automations stores the automations. If nil, there are no tools for automations.
	Automations AutomationStore
	// FileSender sends files to people who write from a messenger. If nil, there is no tool for it.
	// [Gate.Definitions] never includes that tool: see [Gate.SendTools].
	FileSender FileSender
	// KeepRuns keeps the output of confirmed commands on disk until [Gate.ReleaseRuns] is called for their task, so
	// that [Gate.UnfinishedRuns] returns it again after a crash. Otherwise it is only kept until it is returned.
	KeepRuns bool
}

// New returns a gate.
func New(o Options) *Gate {
	g := &Gate{
		tools: map[string]Tool{}, checker: o.Checker, executor: o.Executor, unitNames: newUnitNames(), savedRuns: newSavedRuns(o.KeepRuns),
		env: Env{
			Home: o.Home, Root: os.Geteuid() == 0,
			Limits:     Timeouts{Command: cmp.Or(o.Timeouts.Command, 60*time.Second), Update: cmp.Or(o.Timeouts.Update, 300*time.Second)},
			HasProgram: func(program string) bool { _, err := o.Executor.FindProgram(program); return err == nil },
		},
	}
	if o.Rights != nil { // the ladder limits its own probing time
		g.env.Rights = func() elevation.Status { return o.Rights.Status(context.Background()) }
		g.env.CanManageUnits = func(files bool) bool { return o.Rights.CanManageUnits(context.Background(), files) }
	}
	for _, t := range o.Tools {
		if !o.meets(t.needs) {
			continue
		}
		g.tools[t.Definition.Name] = t
		if t.needs != needsFileSender {
			g.order = append(g.order, t.Definition.Name)
		}
	}
	o.fillAbsent(g.env.Root)
	g.inhibitor, g.rights = o.Inhibitor, o.Rights
	g.records = records{recorder: o.Recorder, fallback: o.FallbackRecorder, checkRecorder: o.Ready, redactor: o.Redactor}
	g.policy = policy{readOnly: o.ReadOnly, allowance: o.Full, rules: o.Rules, hosts: o.Hosts}
	g.services = services{
		notes:       noteKeeper{o.Notebook, o.Redactor},
		automations: automationKeeper{o.Automations, o.Redactor},
		files:       fileKeeper{o.FileSender, o.Checker, o.Full.Blocked},
		foreign:     o.Foreign,
		redactor:    o.Redactor,
	}
	return g
}

// meets reports whether there is what a tool acts on.
func (o *Options) meets(n need) bool {
	switch n {
	case needsNotebook:
		return o.Notebook != nil
	case needsAutomations:
		return o.Automations != nil
	case needsFileSender:
		return o.FileSender != nil
	}
	return true
}

// Definitions returns the tools for a model: ours, and those of MCP servers, whose first use can take a moment.
func (g *Gate) Definitions() []providers.ToolDefinition {
	defs := make([]providers.ToolDefinition, len(g.order))
	for i, name := range g.order {
		defs[i] = g.tools[name].Definition
	}
	for _, f := range g.services.foreign.Tools() {
		if _, ours := g.tools[f.Definition.Name]; !ours {
			defs = append(defs, f.Definition)
		}
	}
	return defs
}

// SendTools returns the tools for a turn whose person can receive files; none without a [FileSender].
func (g *Gate) SendTools() (defs []providers.ToolDefinition) {
	for _, t := range g.tools {
		if t.needs == needsFileSender {
			defs = append(defs, t.Definition)
		}
	}
	return defs
}

// findTool returns a tool by the name that models see.
func (g *Gate) findTool(name string) (Tool, bool) {
	if t, ok := g.tools[name]; ok {
		return t, ok
	}
	for _, f := range g.services.foreign.Tools() {
		if f.Definition.Name == name {
			return Tool{Definition: f.Definition, Plan: f.plan}, true
		}
	}
	return Tool{}, false
}

// Prepare plans and judges a call without running anything. dir is the working directory of the person. A call
// that cannot be planned returns a refused outcome. So does a call that panics, because the daemon must survive
// a bug in judging.
func (g *Gate) Prepare(call Call, session, dir string) (j JudgedPlan, out *Outcome) {
	defer func() {
		if fault := recover(); fault != nil {
			j, out = JudgedPlan{Call: call}, newRefusal(RefusedInput, fmt.Sprintf("the call cannot be judged: %v", fault))
		}
	}()
	tool, ok := g.findTool(call.Name)
	if !ok {
		return JudgedPlan{Call: call}, newRefusal(RefusedUnknown, fmt.Sprintf("there is no tool %q", call.Name))
	}
	if raw, malformed := providers.MalformedInput(call.Input); malformed {
		return JudgedPlan{Call: call}, newRefusal(RefusedInput, "the input is not a JSON object: "+raw)
	}
	_, ours := g.tools[call.Name]
	input, err := checkInput(tool.Definition, call.Input, ours)
	if err != nil {
		return JudgedPlan{Call: call}, newRefusal(RefusedInput, err.Error())
	}
	call.Input = input
	env := g.env
	env.Dir = g.WorkingDir(dir)
	plan, err := tool.Plan(env, call.Input)
	if err == nil {
		plan, err = g.pin(plan)
	}
	if err != nil {
		return JudgedPlan{Call: call}, newRefusal(planningRefusal(err), err.Error())
	}
	plan.Dir = env.Dir
	return g.judge(call, plan, session), nil
}

// WorkingDir returns dir if it is a directory, else the home directory, else the root. A relative path would
// mean different directories to checker and executor.
func (g *Gate) WorkingDir(dir string) string {
	for _, d := range []string{dir, g.env.Home} {
		if fi, err := os.Stat(d); err == nil && fi.IsDir() && filepath.IsAbs(d) {
			return filepath.Clean(d)
		}
	}
	return "/"
}

// Run asks about, records and runs a judged call. observe can be nil. A call that would be refused after a
// confirmation is refused before the person is asked.
func (g *Gate) Run(ctx context.Context, j JudgedPlan, approver Approver, observe func(Event)) Outcome {
	run := run{Gate: g, observe: observe}
	if out := run.refuseForbidden(j); out != nil {
		return *out
	}
	switch {
	case g.readOnly && !j.IsReadOnly():
		return run.refuse(j, commandlog.Cancelled, RefusedReadOnly, "not run: this assistant may only read (autonomy = read_only)")
	case j.Class == safety.Safe:
		return run.execute(ctx, j, commandlog.Safe)
	}
	if out := run.refusePowerless(j); out != nil {
		return *out
	}
	if j.Origin.Automation == "" && g.isAutonomous(j) { // automations have their own list
		approver = autonomyApprover{}
	}
	return run.ask(ctx, j, approver)
}

// RunApproved runs a plan whose pending approval was granted. The plan must still have the approved digest and
// must still not be blocked.
func (g *Gate) RunApproved(ctx context.Context, j JudgedPlan, digest string, observe func(Event)) Outcome {
	run := run{Gate: g, observe: observe}
	again := g.judge(j.Call, j.Plan, j.Session)
	again.Origin, again.By = j.Origin, j.By
	if out := run.refuseForbidden(again); out != nil {
		return *out
	}
	switch {
	case again.Digest != digest:
		return run.refuse(again, commandlog.Cancelled, RefusedMismatch, "not run: it is not what was approved")
	case g.readOnly:
		return run.refuse(again, commandlog.Cancelled, RefusedReadOnly, "not run: this assistant may only read (autonomy = read_only)")
	}
	if out := run.refusePowerless(again); out != nil {
		return *out
	}
	g.rememberHosts(again)
	return run.execute(ctx, again, commandlog.Confirmed)
}

// ElevationStatus returns the way to root's rights for the status.
func (g *Gate) ElevationStatus(ctx context.Context) elevation.Status { return g.rights.Status(ctx) }

// startedPrograms returns the programs that an argument vector of our own tools starts: the first word, and the
// program after a rung.
func startedPrograms(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	yay := argv[0] == "env" && len(argv) > 1 && strings.HasPrefix(argv[1], "PACMAN_AUTH=")
	if yay || slices.Contains([]string{"sudo", "pkexec", "run0"}, argv[0]) {
		for _, word := range argv[1:] {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				return []string{argv[0], word}
			}
		}
	}
	return argv[:1]
}

// containsAll reports whether a has every code of b.
func containsAll(b, a []string) bool {
	for _, code := range b {
		if !slices.Contains(a, code) {
			return false
		}
	}
	return true
}
