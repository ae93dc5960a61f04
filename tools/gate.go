package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/secret"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Recorder writes a command down before it runs, and how it ended.
type Recorder interface {
	Begin(e commandlog.Entry) (commandlog.Ref, error)
	End(ref commandlog.Ref, r commandlog.Result) error
	// Ended reports whether a command has its end already.
	Ended(ref commandlog.Ref) (bool, error)
}

// Action is what was decided about a command that needs a person.
type Action string

// The actions. Everything that is not one of the first three means no.
const (
	AllowOnce    Action = "allow_once"
	AllowSession Action = "allow_session"
	Edit         Action = "edit"
	Reject       Action = "reject"
)

// Decision is the answer to a confirmation.
type Decision struct {
	Action  Action
	Command string // the new text of an Edit
	// Reason says why a Reject came: denied, expired, cancelled, queued.
	Reason string
	// Code names the approval that waits when Reason is queued.
	Code string
	// By says who decided: a channel, or [ByAutonomy].
	By string
}

// Approver asks a person. It travels with the turn: the same tools serve a
// terminal, a phone and a schedule. It must return a Reject when ctx ends.
type Approver interface {
	Approve(ctx context.Context, j Judged) Decision
}

// The refusal codes of [providers.Output] that this package makes.
const (
	RefusedBlocked   = "blocked"       // the checker: never
	RefusedDenied    = "denied"        // a person: no
	RefusedExpired   = "expired"       // nobody answered in time
	RefusedCancelled = "cancelled"     // the turn was cancelled
	RefusedQueued    = "queued"        // nobody could be asked; it waits
	RefusedReadOnly  = "read_only"     // autonomy is read_only
	RefusedInput     = "bad_input"     // the call makes no sense
	RefusedUnknown   = "no_tool"       // there is no such tool
	RefusedUnparsed  = "unparsed"      // not valid bash, or too long to check
	RefusedMissing   = "missing"       // a program is not installed
	RefusedLeft      = "left"          // the program ends, the command goes on ([Gate.Left])
	RefusedLog       = "log"           // the command log cannot be written
	RefusedMismatch  = "mismatch"      // what would run is not what was approved
	RefusedRepeated  = "repeated"      // the same call again and again (agent)
	RefusedRounds    = "max_rounds"    // the turn is over (agent)
	RefusedRights    = "no_rights"     // nothing here gives root's rights
	RefusedPlanned   = "planned"       // a dry run: it was only judged (agent)
	RefusedAway      = "away"          // the server of a foreign tool does not answer
	RefusedSecret    = "secret-note"   // a note that holds a password or a key
	RefusedSelf      = "self_schedule" // an automation's own turn would change what happens by itself
)

// Why a command that was started did not come to its own end, in an [Event] that
// says done; also [RefusedMissing] and [RefusedRights].
const (
	EndedTimeout = "timeout" // it ran longer than it may
	EndedUnknown = "unknown" // it was cut short from outside
)

// Event tells how a call is getting on.
type Event struct {
	Call     string
	Name     string
	Class    string
	Command  string
	State    string // running, done, refused
	Exit     int
	Took     time.Duration
	OutBytes int
	Reason   string // refusal code; of a call that is done, why it ended early
	Reasons  []string
	Input    json.RawMessage
	// Output is the next piece of what a running command prints, where somebody
	// looks on ([Origin.Watched]); nothing else has changed then.
	Output string
	Cut    bool // some of the output was left out
	// Ended is why the last command did not come to its own end: [EndedTimeout],
	// [EndedUnknown] or [RefusedMissing]. Program is then the one that is not
	// installed, Limit the seconds it was given.
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

// Outcome is how a call ended.
type Outcome struct {
	Output  providers.Output
	Text    string // for the model, not fenced yet
	IsError bool
	Pending string // code of the approval that waits, if any
	// Noted is what was changed in the notes, for the person to see; nil for
	// nothing. Its text is the program's own, not a stranger's.
	Noted *memory.Change
}

// Gate is the only door to an execution: it plans, judges, asks, records and
// runs, in that order.
type Gate struct {
	tools     map[string]Tool
	order     []string
	checker   *safety.Checker
	executor  *Executor
	recorder  Recorder
	spare     Spare
	redactor  *secret.Redactor
	rules     Rules
	env       Env
	readOnly  bool
	full      Allowance
	ready     func() error
	inhibit   Inhibitor
	rights    Rights
	foreign   Foreign
	notebook  Notebook
	timetable Timetable
	courier   Courier
	names     *names
	kept      *kept
	hosts     Hosts
	allowed   allowedHosts
}

// Options makes a [Gate].
type Options struct {
	Tools    []Tool
	Checker  *safety.Checker
	Executor *Executor
	Recorder Recorder
	// Spare keeps the records of reading commands while Recorder cannot be written;
	// nil means that nothing runs then.
	Spare    Spare
	Home     string
	Timeouts Timeouts
	ReadOnly bool // autonomy read_only: what is not SAFE is not even asked
	// Redactor takes secrets out of what is recorded; nil means one that knows
	// no values, only shapes.
	Redactor *secret.Redactor
	// Full is what autonomy full runs unasked; the zero value is nothing, as
	// with autonomy supervised.
	Full Allowance
	// Rules raise verdicts and add warnings.
	Rules Rules
	// Hosts are those that this machine's configuration names; nil for none.
	Hosts Hosts
	// Ready reports whether Recorder could write now, without writing; nil
	// means that only writing tells.
	Ready func() error
	// Inhibitor keeps the machine awake while packages change; nil does not.
	Inhibitor Inhibitor
	// Rights finds the way to root's rights; nil means that plans are made for a
	// sudo without a password, and nothing is refused beforehand.
	Rights Rights
	// Foreign are other servers' tools; nil for none.
	Foreign Foreign
	// Notebook is what is remembered; nil leaves out the tools for it.
	Notebook Notebook
	// Timetable is what happens by itself; nil leaves out the tools for it.
	Timetable Timetable
	// Courier takes files to who writes from afar; nil leaves out the tool for it,
	// which [Gate.Definitions] does not name in any case: see [Gate.Deliveries].
	Courier Courier
	// KeepRuns leaves what confirmed commands printed on the disk until
	// [Gate.Settled] is called for their task, so that [Gate.Left] tells it
	// again after a crash. Without it a result is kept until it is returned.
	KeepRuns bool
}

// New returns a gate.
func New(o Options) *Gate {
	if o.Timeouts.Command == 0 {
		o.Timeouts.Command = 60 * time.Second
	}
	if o.Timeouts.Update == 0 {
		o.Timeouts.Update = 300 * time.Second
	}
	if o.Redactor == nil {
		o.Redactor = secret.NewRedactor(nil)
	}
	g := &Gate{
		redactor: o.Redactor,
		tools:    map[string]Tool{}, checker: o.Checker, executor: o.Executor, recorder: o.Recorder, spare: o.Spare,
		readOnly: o.ReadOnly, full: o.Full, rules: o.Rules, ready: o.Ready, hosts: o.Hosts,
		inhibit: o.Inhibitor, rights: o.Rights, foreign: o.Foreign, notebook: o.Notebook, timetable: o.Timetable, courier: o.Courier, names: newNames(), kept: newKept(o.KeepRuns),
		env: Env{
			Home: o.Home, Root: os.Geteuid() == 0, Limits: o.Timeouts,
			Has: func(program string) bool { _, err := o.Executor.Look(program); return err == nil },
		},
	}
	if o.Rights != nil { // which bounds its look by itself
		g.env.Rights = func() elevation.Standing { return o.Rights.Standing(context.Background()) }
		g.env.Manages = func(files bool) bool { return o.Rights.MayManage(context.Background(), files) }
	}
	for _, t := range o.Tools {
		if t.needs == byNotes && o.Notebook == nil || t.needs == byTimetable && o.Timetable == nil || t.needs == byCourier && o.Courier == nil {
			continue
		}
		g.tools[t.Definition.Name] = t
		if t.needs != byCourier { // which is offered where it can be used
			g.order = append(g.order, t.Definition.Name)
		}
	}
	return g
}

// Definitions returns what a model is told of the tools: ours, and those of
// other servers, which may take a moment when they are asked for first.
func (g *Gate) Definitions() []providers.ToolDefinition {
	defs := make([]providers.ToolDefinition, len(g.order))
	for i, name := range g.order {
		defs[i] = g.tools[name].Definition
	}
	if g.foreign == nil {
		return defs
	}
	for _, f := range g.foreign.Tools() {
		if _, ours := g.tools[f.Definition.Name]; !ours {
			defs = append(defs, f.Definition)
		}
	}
	return defs
}

// Prepare plans and judges a call and runs nothing. dir is the working
// directory of the person who asks. A call that cannot be planned comes back
// as a refused outcome; so does one that a fault of ours keeps from being judged, of
// which the daemon must not die.
func (g *Gate) Prepare(call Call, session, dir string) (j Judged, out *Outcome) {
	defer func() {
		if fault := recover(); fault != nil {
			j, out = Judged{Call: call}, refused(RefusedInput, fmt.Sprintf("the call cannot be judged: %v", fault))
		}
	}()
	tool, ok := g.tool(call.Name)
	if !ok {
		return Judged{Call: call}, refused(RefusedUnknown, fmt.Sprintf("there is no tool %q", call.Name))
	}
	if raw, malformed := providers.MalformedInput(call.Input); malformed {
		return Judged{Call: call}, refused(RefusedInput, "the input is not a JSON object: "+raw)
	}
	_, ours := g.tools[call.Name]
	input, err := checkInput(tool.Definition, call.Input, ours)
	if err != nil {
		return Judged{Call: call}, refused(RefusedInput, err.Error())
	}
	call.Input = input
	env := g.env
	env.Dir = g.WorkingDir(dir)
	plan, err := tool.Plan(env, call.Input)
	if err == nil {
		plan, err = g.pinned(plan)
	}
	if err != nil {
		return Judged{Call: call}, refused(unplanned(err), err.Error())
	}
	plan.Dir = env.Dir
	return g.judge(call, plan, session), nil
}

// WorkingDir returns dir where it is a directory, else the home directory,
// else the root. A relative one would mean something else to the checker than
// to the executor.
func (g *Gate) WorkingDir(dir string) string {
	for _, d := range []string{dir, g.env.Home} {
		if fi, err := os.Stat(d); err == nil && fi.IsDir() && filepath.IsAbs(d) {
			return filepath.Clean(d)
		}
	}
	return "/"
}

// Run takes a judged call through the rest of the gate. observe may be nil.
// Whatever would be refused after a yes is refused before anybody is asked.
func (g *Gate) Run(ctx context.Context, j Judged, approver Approver, observe func(Event)) Outcome {
	run := run{Gate: g, observe: observe}
	if out := run.never(j); out != nil {
		return *out
	}
	switch {
	case g.readOnly && !j.Reads():
		return run.refuse(j, commandlog.Cancelled, RefusedReadOnly, "not run: this assistant may only read (autonomy = read_only)")
	case j.Class == safety.Safe:
		return run.execute(ctx, j, commandlog.Safe)
	}
	if out := run.powerless(j); out != nil {
		return *out
	}
	if j.Origin.Automation == "" && g.unasked(j) { // a rule has a list of its own
		approver = autonomy{}
	}
	return run.ask(ctx, j, approver)
}

// RunApproved runs a plan that waited for its approval and got it. What was
// approved must still be what would run, and still not be blocked.
func (g *Gate) RunApproved(ctx context.Context, j Judged, digest string, observe func(Event)) Outcome {
	run := run{Gate: g, observe: observe}
	again := g.judge(j.Call, j.Plan, j.Session)
	again.Origin, again.By = j.Origin, j.By
	if out := run.never(again); out != nil {
		return *out
	}
	switch {
	case again.Digest != digest:
		return run.refuse(again, commandlog.Cancelled, RefusedMismatch, "not run: it is not what was approved")
	case g.readOnly:
		return run.refuse(again, commandlog.Cancelled, RefusedReadOnly, "not run: this assistant may only read (autonomy = read_only)")
	}
	if out := run.powerless(again); out != nil {
		return *out
	}
	g.approved(again)
	return run.execute(ctx, again, commandlog.Confirmed)
}

// Standing tells the way to root's rights, as status shows it.
func (g *Gate) Standing(ctx context.Context) elevation.Standing {
	switch {
	case g.rights != nil:
		return g.rights.Standing(ctx)
	case g.env.Root:
		return elevation.Standing{Rung: elevation.Root}
	}
	return elevation.Standing{Rung: elevation.None}
}

// startedBy returns the programs an argument vector of our own tools starts:
// the first word, and the one behind a rung.
func startedBy(argv []string) []string {
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

// codesWithin reports whether every reason of b stands in a too.
func codesWithin(b, a []string) bool {
	for _, code := range b {
		if !slices.Contains(a, code) {
			return false
		}
	}
	return true
}
