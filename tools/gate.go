// Package tools has the tools that a model can call and the gate through which every command runs.
//
// A [Tool] turns its input into a [Plan], the commands it would run, and runs nothing itself. [Gate.Prepare]
// judges the plan (tools/safety). [Gate.Run] asks a person if necessary, records every command
// (tools/commandlog) and then starts it (tools/executor). No other package of this program starts system commands.
package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/schema"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// Gate is the only way to run a command: it plans, judges, asks, records and runs, in that order.
type Gate struct {
	tools     map[string]Tool
	order     []string
	judge     *judge
	steps     *steps.Runner
	env       Env
	rights    Rights
	redactor  *secret.Redactor
	readOnly  bool
	allowance autonomy.Allowance
	// previewFile is the file of the last preview of an upgrade.
	previewFile string
}

// Options configures a [Gate].
type Options struct {
	Tools    []Tool
	Checker  *safety.Checker
	Executor *executor.Executor
	Records  steps.Records
	Home     string
	Timeouts Timeouts
	Policy
	// Inhibitor keeps the machine awake while packages change. It can be nil.
	Inhibitor steps.Inhibitor
	// Rights finds the way to root's rights. If nil, plans assume passwordless sudo, and no call is refused for
	// missing rights.
	Rights Rights
	// Services are what actions act on. There are no tools for those that are nil. [Gate.Definitions] never includes
	// the tool that sends files: see [Gate.SendTools].
	Services action.Services
	// Receipts store what approved changes did. If nil, nothing can be taken back.
	Receipts *receipt.Store
	// Putter is the program that replaces files: the absolute path of one that calls [file.Main]. If "", plans change no
	// files.
	Putter string
	// Makepkg is the program that yay and paru start in the place of makepkg: it checks the recipe first. If "", they start makepkg.
	Makepkg string
	// PreviewFile keeps the last preview of an upgrade, "" keeps none.
	PreviewFile string
	// KeepRuns keeps the output of confirmed commands on disk ([steps.Options]).
	KeepRuns bool
}

// Policy is what a gate allows besides the checker's verdict.
type Policy struct {
	ReadOnly bool // autonomy read_only: refuse commands that are not SAFE without asking
	// Full is what autonomy full runs without a confirmation. The zero value allows nothing, as with autonomy
	// supervised.
	Full autonomy.Allowance
	// Rules raise verdicts and add warnings.
	Rules Rules
	// Hosts are the hosts in this machine's configuration; nil means none.
	Hosts Hosts
	// Families offers to allow commands by family ([JudgedPlan.Family]). It must not be set if commands run as root.
	Families bool
	// Protected are this program's own files, which no command of a family may use.
	Protected []string
}

// New returns a gate.
func New(o Options) *Gate {
	g := &Gate{
		tools: map[string]Tool{}, readOnly: o.ReadOnly, allowance: o.Full, previewFile: o.PreviewFile,
		env: Env{
			Home: o.Home, Root: os.Geteuid() == 0,
			Limits:   Timeouts{Command: cmp.Or(o.Timeouts.Command, 60*time.Second), Update: cmp.Or(o.Timeouts.Update, 300*time.Second)},
			Receipts: o.Receipts, Putter: o.Putter, Makepkg: o.Makepkg,
			IsForbidden: func(command string) bool {
				v := o.Checker.JudgeIn(o.Home, command)
				return v.Class == safety.Blocked || v.Source == ""
			},
			HasProgram: func(program string) bool { _, err := o.Executor.FindProgram(program); return err == nil },
		},
	}
	if o.Rights != nil { // the ladder limits its own probing time
		g.env.Rights = func() elevation.Status { return o.Rights.Status(context.Background()) }
		g.env.CanManageUnits = func(files bool) bool { return o.Rights.CanManageUnits(context.Background(), files) }
	}
	o.Services.Looker, o.Services.Explainer, o.Services.Previewer = g, g, g
	if g.env.Receipts != nil {
		o.Services.Keeper = g.env.Receipts
	}
	for _, t := range o.Tools {
		if !o.Services.Has(t.needs) {
			continue
		}
		g.tools[t.Definition.Name] = t
		if t.needs != action.KindFile {
			g.order = append(g.order, t.Definition.Name)
		}
	}
	o.Records.Redactor = cmp.Or(o.Records.Redactor, secret.NewRedactor(nil))
	if o.Rights == nil {
		o.Rights = noRights{g.env.Root}
	}
	g.steps = steps.New(steps.Options{Records: o.Records, Executor: o.Executor, Inhibitor: o.Inhibitor, KeepRuns: o.KeepRuns})
	g.rights, g.redactor = o.Rights, o.Records.Redactor
	o.Services.Checker, o.Services.Blocked, o.Services.Redactor = o.Checker, o.Full.Blocked, o.Records.Redactor
	g.judge = &judge{
		checker: o.Checker, executor: o.Executor, services: o.Services,
		rules: o.Rules, hosts: &hostPolicy{configured: o.Hosts}, home: o.Home, putter: o.Putter,
		families: o.Families, protected: o.Protected,
	}
	g.env.IsSecret = g.judge.isSecret
	return g
}

// Definitions returns the tools for a model: ours, and those of MCP servers, whose first use can take a moment.
func (g *Gate) Definitions() []providers.ToolDefinition {
	defs := make([]providers.ToolDefinition, len(g.order))
	for i, name := range g.order {
		defs[i] = g.tools[name].Definition
	}
	for _, f := range g.foreignTools() {
		if _, ours := g.tools[f.Definition.Name]; !ours {
			f.Definition.Deferred = true
			defs = append(defs, f.Definition)
		}
	}
	return defs
}

func (g *Gate) foreignTools() []action.ForeignTool {
	if f := g.judge.services.Foreign; f != nil {
		return f.Tools()
	}
	return nil
}

// SendTools returns the tools for a turn whose person can receive files; none without a [FileSender].
func (g *Gate) SendTools() (defs []providers.ToolDefinition) {
	for _, t := range g.tools {
		if t.needs == action.KindFile {
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
	for _, f := range g.foreignTools() {
		if f.Definition.Name == name {
			return Tool{Definition: f.Definition, Plan: planForeign(f)}, true
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
		call = asOurs(call)
		tool, ok = g.findTool(call.Name)
	}
	if !ok {
		return JudgedPlan{Call: call}, newRefusal(RefusedUnknown, fmt.Sprintf("there is no tool %q", call.Name))
	}
	if raw, malformed := providers.MalformedInput(call.Input); malformed {
		return JudgedPlan{Call: call}, newRefusal(RefusedInput, "the input is not a JSON object: "+raw)
	}
	_, ours := g.tools[call.Name]
	input, err := schema.Check(tool.Definition, call.Input, ours)
	if err != nil {
		return JudgedPlan{Call: call}, newRefusal(RefusedInput, err.Error())
	}
	call.Input = input
	env := g.env
	env.Dir, env.Literal, env.Session = g.WorkingDir(dir), call.literal, session
	plan, err := tool.Plan(env, call.Input)
	if err == nil {
		plan, err = g.judge.pin(plan, call.Lang)
	}
	switch {
	case action.IsSecret(err):
		return JudgedPlan{Call: call}, newRefusal(RefusedSecret, err.Error())
	case errors.Is(err, ErrNoReceipt):
		return JudgedPlan{Call: call}, newRefusal(RefusedNoChange, err.Error())
	case errors.Is(err, ErrNoWayBack):
		return JudgedPlan{Call: call}, newRefusal(RefusedNoWayBack, err.Error())
	case err != nil:
		return JudgedPlan{Call: call}, newRefusal(RefusedInput, err.Error())
	}
	plan.Dir = env.Dir
	j = g.judge.classify(call, plan, session)
	env.warnOfPins(&j)
	if err := g.judge.checkSteps(j.Plan); err != nil {
		return JudgedPlan{Call: call}, newRefusal(RefusedInput, err.Error())
	}
	return j, nil
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

// isAutonomous reports whether a plan that needs a confirmation is covered by full autonomy.
func (g *Gate) isAutonomous(j JudgedPlan) bool {
	env := autonomy.Env{Home: g.env.Home, FindProgram: g.judge.executor.FindProgram, IsSecret: g.judge.isSecret}
	if j.Plan.changedFiles() != nil {
		return g.changesFreely(j, env)
	}
	if j.needsPerson() {
		return false
	}
	plan := autonomy.Plan{Commands: j.Plan.Commands, Programs: j.Programs, Dir: j.Plan.Dir}
	for _, r := range j.Parts {
		if r.Code == "path-program" {
			plan.ByPath = append(plan.ByPath, r.Part)
		}
	}
	return g.allowance.Covers(plan, env)
}

// RunsUnasked reports whether a command typed in the home directory runs without a confirmation although it can
// change something.
func (g *Gate) RunsUnasked(command string) bool {
	j, refused := g.Prepare(Call{Name: runCommand, Input: inputOf(command)}, "", "")
	return refused == nil && g.isAutonomous(j)
}

// Obstacle returns what prevents a signed command from running without a confirmation, nil for nothing. It uses
// the same check as the actual run, with the machine's current state.
func (g *Gate) Obstacle(argv []string) *Obstacle {
	j, refused := g.Prepare(CommandCall("", argv), "", "")
	switch {
	case refused != nil:
		return &Obstacle{Reason: safety.Reason{Code: refused.Output.Refusal}}
	case j.Class == safety.Safe:
		return nil
	}
	return j.obstacle([][]string{argv})
}

// ElevationStatus returns the way to root's rights for the status.
func (g *Gate) ElevationStatus(ctx context.Context) elevation.Status { return g.rights.Status(ctx) }

// Anticipate prepares for a command that only reads, while the model thinks ([executor.Executor.Anticipate]).
func (g *Gate) Anticipate() (release func()) { return g.steps.Anticipate() }

// UnfinishedRuns returns the confirmed commands that an earlier process left ([steps.Runner.Unfinished]).
func (g *Gate) UnfinishedRuns(ctx context.Context) ([]steps.Unfinished, error) {
	return g.steps.Unfinished(ctx)
}

// ReleaseRuns removes the kept results of a task ([steps.Runner.Release]).
func (g *Gate) ReleaseRuns(task string) error { return g.steps.Release(task) }

// noRights is the way to root's rights if none was looked for.
type noRights struct{ root bool }

func (n noRights) Status(context.Context) elevation.Status {
	if n.root {
		return elevation.Status{Rung: elevation.Root}
	}
	return elevation.Status{Rung: elevation.None}
}
func (noRights) CanManageUnits(context.Context, bool) bool { return false }
func (noRights) Forget()                                   {}
