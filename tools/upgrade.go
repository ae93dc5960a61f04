package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/upgrade"
)

// ownProgram is the name of this program in the checker's table, where only its commands that read are.
const ownProgram = "blunux-ai"

// previewWords are the words of our own command that finds out what an upgrade would do.
var previewWords = machine.PreviewProbe(false)[1:]

// asOwn returns the command that a command is judged as: our own program by its name for its commands that only read, which
// the file that runs is asked for.
func (d *judge) asOwn(c shell.Command) shell.Command {
	reads := []string{previewWords[0], machine.NextStartProbe[1], "aur"} // of these, the checker's table has what only reads
	if d.putter == "" || len(c.Argv) < 2 || c.Argv[0] != d.putter || !slices.Contains(reads, c.Argv[1]) {
		return c
	}
	return shell.Command{Argv: slices.Concat([]string{ownProgram}, c.Argv[1:])}
}

// previewAction shows what an upgrade would do, and what speaks against it now.
type previewAction struct {
	looking
	Lang string `json:"lang,omitempty"`
}

func planPreview(in struct{ Lang string }) (action.Action, error) {
	return previewAction{Lang: in.Lang}, checkLang(in.Lang)
}

// Argv returns the command line of the action.
func (previewAction) Argv() []string { return []string{"blunux-aictl", "upgrade", "--preview"} }

func (previewAction) Kind() string { return "preview" }

func (a previewAction) Pin(action.Services) (action.Action, string, error) { return a, "", nil }

// Do runs the looks, which are judged and recorded like other commands, and writes an [upgrade.Report] as JSON with its text.
func (a previewAction) Do(ctx context.Context, s action.Services, c action.Call, to io.Writer) (action.Result, error) {
	lang := langOf(a.Lang)
	p := readPreview(s.Previewer.Preview(ctx, "preview", c.Origin, c.Session))
	if ctx.Err() != nil {
		return action.Result{}, ctx.Err()
	}
	look := lookFor(s, c, "preview")
	r := upgrade.Gather(ctx, p, look)
	r.Complete(ctx, look, func(ctx context.Context) string { return s.Previewer.News(ctx, "preview.news", c.Origin, c.Session) })
	return action.Result{}, writeReport(to, struct {
		upgrade.Report
		Says string `json:"says"`
	}{r, r.Text(lang)})
}

// readPreview returns the preview that the command printed, or why there is none.
func readPreview(step providers.Step, err error) upgrade.Preview {
	problem := func(code upgrade.ProblemCode, subject, detail string) upgrade.Preview {
		return upgrade.Preview{Problem: &upgrade.Problem{Code: code, Subject: subject, Detail: detail}, Packages: []upgrade.Change{}}
	}
	switch {
	case err != nil:
		return problem(upgrade.Unreadable, "", err.Error())
	case step.MissingProgram != "":
		return problem(upgrade.NoProgram, step.MissingProgram, "")
	case step.TimedOut:
		return problem(upgrade.TimedOut, "", "")
	}
	p, err := upgrade.Read([]byte(step.Stdout))
	if err != nil {
		return problem(upgrade.Unreadable, "", err.Error())
	}
	p.Inputs = nil // they are only for the next preview
	return p
}

// Preview runs our own command that finds out what an upgrade would do, as a command that only reads. id names it in the
// command log.
func (g *Gate) Preview(ctx context.Context, id string, from Origin, session string) (providers.Step, error) {
	return g.lookByOwn(ctx, id, previewWords, from, session)
}

// archNews is the page with the news of Arch Linux, and newsTime how long a preview waits for it.
const (
	archNews = "https://archlinux.org/news/"
	newsTime = 5 * time.Second
)

// News returns the page with the news of Arch Linux, perhaps a kept one, as a tool that only reads writes it; "" if there is
// none. id names the call in the command log.
func (g *Gate) News(ctx context.Context, id string, from Origin, session string) string {
	ctx, cancel := context.WithTimeout(ctx, newsTime)
	defer cancel()
	input, err := json.Marshal(map[string]string{"url": archNews})
	if err != nil { // strings always marshal
		panic(err)
	}
	j, refused := g.Prepare(Call{ID: id, Name: "fetch_page", Input: input, Words: archNews}, session, g.env.Home)
	if refused != nil {
		return ""
	}
	from.Watched = false
	step, err := g.look(ctx, j, from)
	if err != nil {
		return ""
	}
	return step.Stdout
}

// lookByOwn runs a command of our own program that only reads. It runs from this program's file, which need not be where the
// system's programs are.
func (g *Gate) lookByOwn(ctx context.Context, id string, words []string, from Origin, session string) (providers.Step, error) {
	if g.judge.putter == "" {
		return providers.Step{}, fmt.Errorf("%w: this program has no file", ErrNotLooked)
	}
	p := argvPlan(append([]string{g.judge.putter}, words...))
	p.Tool, p.Timeout, p.Dir = runCommand, g.env.Limits.Command, g.WorkingDir("")
	call := Call{ID: id, Name: runCommand, Input: inputOf(shell.CommandLine(p.Commands[0].Argv))}
	j := g.judge.classify(call, p, session)
	from.Watched = false
	step, err := g.look(ctx, j, from)
	if err == nil && slices.Equal(words, previewWords) {
		g.keepPreview(step)
	}
	return step, err
}

// keepPreview keeps what the command printed, which cannot write itself and shows it again while nothing has changed. It ignores
// errors: the preview is then computed again.
func (g *Gate) keepPreview(step providers.Step) {
	if g.previewFile == "" || step.Exit != 0 || step.Cut || os.MkdirAll(filepath.Dir(g.previewFile), 0o700) != nil {
		return
	}
	_ = renameio.WriteFile(g.previewFile, []byte(step.Stdout), 0o600)
}

// upgrades reports whether a command of a plan upgrades all packages by pacman.
func (p Plan) upgrades() bool {
	for i := range p.Commands {
		if v, ok := p.verbOf(i); ok && v.Action == plan.Upgrade && p.startsPacman(i) {
			return true
		}
	}
	return false
}

// startsPacman reports whether a command starts pacman, regardless of what raises its rights.
func (p Plan) startsPacman(i int) bool {
	argv, literal := p.Commands[i].Literal()
	return literal && slices.Contains(argv, "pacman")
}

// IsHeld reports whether something was found because of which only a person's answer starts the upgrade, the restart or the
// power-off. A power-off is not held while the battery is low: without one the computer goes off anyway, and loses more.
func (p Plan) IsHeld() bool {
	return p.Preview != nil && len(p.Preview.Worst(upgrade.Hold)) > 0 ||
		p.NextStart != nil && p.NextStart.Worst() != machine.BootNote && !p.BatteryLow
}

// foresee adds to a plan what its upgrade would do, or whether the computer starts again after its restart, before it is asked
// about. It refuses an upgrade of nothing, and one that cannot succeed. What cannot be known here leaves the plan as it is.
func (r run) foresee(ctx context.Context, j JudgedPlan) (JudgedPlan, *Outcome) {
	j = r.foreseeStart(ctx, j)
	if j.Plan.Preview != nil || !j.Plan.upgrades() {
		return j, nil
	}
	if j.Plan.Snapper = r.snapperConfig(ctx, j); j.Plan.Snapper != "" {
		j.Digest = r.judge.digest(j)
	}
	report, ok := r.previewUpgrade(ctx, j)
	if !ok {
		return j, nil
	}
	id := j.Call.ID + ".preview"
	report.Complete(ctx, lookFor(r.judge.services, action.Call{Origin: j.Origin, Session: j.Session}, id),
		func(ctx context.Context) string { return r.News(ctx, id+".news", j.Origin, j.Session) })
	switch {
	case report.IsEmpty() && len(j.Plan.Commands) == 1:
		return j, r.refuseUpgrade(j, report, "not run: all packages are up to date")
	case len(report.Worst(upgrade.Stop)) > 0, len(report.Refusals) > 0:
		return j, r.refuseUpgrade(j, report, "not run: "+report.Short(i18n.English))
	}
	return r.withPreview(j, report), nil
}

func (r run) withPreview(j JudgedPlan, report upgrade.Report) JudgedPlan {
	j.Plan.Preview = &report
	j.Digest = r.judge.digest(j)
	return j
}

// previewUpgrade looks at what an upgrade would do now. ok is false if that cannot be known here at all.
func (r run) previewUpgrade(ctx context.Context, j JudgedPlan) (report upgrade.Report, ok bool) {
	id := j.Call.ID + ".preview"
	without, released, installs := j.Plan.clearsWay()
	step, err := r.lookByOwn(ctx, id, machine.PreviewAfterProbe(without, released)[1:], j.Origin, j.Session)
	p := readPreview(step, err)
	if err != nil || ctx.Err() != nil || p.Problem != nil && p.Problem.Code == upgrade.NoProgram {
		return report, false
	}
	if installs { // what that changes is only known afterwards
		p.Refusals = nil
	}
	if argv, _ := j.Plan.Commands[0].Literal(); slices.Contains(argv, plan.RemoveConflicting) {
		p.Replace()
	}
	look := lookFor(r.judge.services, action.Call{Origin: j.Origin, Session: j.Session}, id)
	return upgrade.Gather(ctx, p, look), true
}

// clearsWay returns the packages that a plan removes before its upgrade, the words that it takes out of IgnorePkg, and whether it
// installs something before.
func (p Plan) clearsWay() (without, released []string, installs bool) {
	for i := range p.Commands {
		switch v, _ := p.verbOf(i); {
		case v.Action == plan.Upgrade:
			return without, released, installs
		case v.Action == plan.Install:
			installs = true
		case v.Action == plan.Remove:
			without = append(without, v.Targets...)
		case v.Action == plan.Write && p.Typed != nil && slices.Equal(v.Targets, []string{machine.PacmanSettings}):
			args := p.Typed.Steps[i].Args
			kept := strings.Fields(args["new"])
			released = append(released, slices.DeleteFunc(strings.Fields(args["old"]), func(w string) bool { return slices.Contains(kept, w) })...)
		}
	}
	return without, released, installs
}

// isOther reports whether an upgrade or what speaks against a restart has changed since it was shown, and returns the plan with what
// is so now.
func (r run) isOther(ctx context.Context, j JudgedPlan) (other JudgedPlan, changed bool) {
	if j.Plan.NextStart != nil {
		now := r.foreseeStart(ctx, j)
		if now.Plan.NextStart.Worst() == machine.BootRed && now.Digest != j.Digest {
			return now, true
		}
	}
	if j.Plan.Preview == nil || !j.Plan.upgrades() {
		return j, false
	}
	now, ok := r.previewUpgrade(ctx, j)
	if !ok || now.Problem != nil || now.Digest == j.Plan.Preview.Digest && len(now.Worst(upgrade.Stop)) == 0 {
		return j, false
	}
	if len(now.Worst(upgrade.Stop)) > 0 || len(now.Refusals) > 0 || now.IsEmpty() {
		j.Plan.Preview = nil // it is refused when it is looked at again
		return j, true
	}
	return r.withPreview(j, now), true
}

// refuseUpgrade refuses an upgrade with the report that says why.
func (r run) refuseUpgrade(j JudgedPlan, report upgrade.Report, text string) *Outcome {
	out := r.refuse(j, commandlog.Cancelled, RefusedUpgrade, text)
	data, err := json.Marshal(report)
	if err == nil {
		out.Output.Preview = data
	}
	return out
}

// powersDown reports whether a command of a plan restarts the computer or turns it off, now or later. off reports that none
// restarts it.
func (p Plan) powersDown() (off, ok bool) {
	off = true
	for _, c := range p.Commands {
		argv, literal := c.Literal()
		if isOff, ends := plan.PowersDown(argv); literal && ends {
			off, ok = off && isOff, true
		}
	}
	return off && ok, ok
}

// foreseeStart adds to a plan with a restart or a power-off what the next start needs.
func (r run) foreseeStart(ctx context.Context, j JudgedPlan) JudgedPlan {
	off, ok := j.Plan.powersDown()
	if !ok {
		return j
	}
	id := j.Call.ID + ".boot"
	step, err := r.lookByOwn(ctx, id, machine.NextStartProbe[1:], j.Origin, j.Session)
	next, unread := machine.ParseNextStart([]byte(step.Stdout))
	if err != nil || unread != nil {
		return j
	}
	j.Plan.NextStart = &next
	if off && next.Worst() != machine.BootNote {
		look := lookFor(r.judge.services, action.Call{Origin: j.Origin, Session: j.Session}, id)
		j.Plan.BatteryLow = upgrade.IsBatteryLow(look(ctx, machine.UPowerProbe.String()))
	}
	j.Digest = r.judge.digest(j)
	return j
}
