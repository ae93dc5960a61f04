package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// lastStep returns the step that decides how a change ended.
func (r *result) lastStep() *providers.Step { return &r.steps[len(r.steps)-1] }

// failureDetails reports a failed change: its last meaningful output lines and their meaning.
func (r *result) failureDetails(head string, s *providers.Step) string {
	words := joinBlocks(machine.RefusalLines(s.Stdout), essentialLines(s.Stderr, 4))
	words = cmp.Or(words, essentialLines(s.Stdout, 4))
	return joinBlocks(head, quote(words), r.meaningOf(s.Stderr+"\n"+s.Stdout))
}

// whyRefused adds the look for the cause of what pacman refused, with the words that say so.
func (r *result) whyRefused(rep Reply, words string) Reply {
	if words != "" {
		rep.Next = append(rep.Next, intent.Call("diagnose", "topic", "update", "lang", string(r.lang.Base()), "text", words))
	}
	return rep
}

func (r *result) installReply() Reply {
	s, names := r.lastStep(), r.str("name")
	out := s.Stdout + s.Stderr
	if s.Exit != 0 {
		rep := Reply{Text: r.failureDetails(r.say(i18n.HelperChangesFailedInstall(names, r.how(s))), s)}
		if containsAny(out, "target not found", "No AUR package found", "could not find all required") {
			rep = rep.offering(intent.Call("search_packages", "query", strings.Fields(names + " ?")[0]),
				r.say(i18n.HelperChangesAskSearchInstead))
		}
		return r.whyRefused(rep, machine.RefusalLines(s.Stdout))
	}
	switch {
	case strings.Contains(out, "reinstalling"):
		return Reply{Text: r.say(i18n.HelperChangesAlreadyThere(names))}
	case strings.Contains(out, "there is nothing to do"):
		return Reply{Text: r.say(i18n.HelperChangesNothingToDo)}
	}
	return r.offerStart(joinBlocks(r.say(i18n.HelperChangesDoneInstall(names)), r.afterInstall(names)), names)
}

// afterInstalls tell what to do before a package works.
var afterInstalls = map[string]i18n.Text{
	"fcitx5-im": i18n.HelperChangesThenLogin, "fcitx5-hangul": i18n.HelperChangesThenFcitx,
	"fcitx5-chinese-addons": i18n.HelperChangesThenFcitx, "sof-firmware": i18n.HelperChangesThenReboot,
	"linux-firmware": i18n.HelperChangesThenReboot, "noto-fonts-cjk": i18n.HelperChangesThenReopen,
}

// afterInstall returns what the user must do before the packages work, "" for most.
func (r *result) afterInstall(names string) string {
	for _, name := range strings.Fields(names) {
		if text, ok := afterInstalls[name]; ok {
			return r.say(text)
		}
	}
	return ""
}

// offerStart offers to start the service of a newly installed package.
func (r *result) offerStart(text, names string) Reply {
	names, _, _ = strings.Cut(names, " ") // the first of several is the requested package
	n := intent.LookUpName(names)
	if n == nil || n.Package != names || n.Service == "" || n.Kind != "daemon" {
		return Reply{Text: text}
	}
	start := r.serviceStep("manage_service", n.Service, n.User, "action", "start")
	return Reply{Text: text}.offering(start, r.say(i18n.HelperChangesAskStartNow))
}

func (r *result) removeReply() Reply {
	s, names := r.lastStep(), r.str("name")
	if s.Exit == 0 {
		return Reply{Text: r.say(i18n.HelperChangesDoneRemove(names))}
	}
	if strings.Contains(s.Stderr+s.Stdout, "target not found") {
		return Reply{Text: joinBlocks(r.say(i18n.HelperChangesNotThere(names)), quote(essentialLines(s.Stderr+"\n"+s.Stdout, 2)))}
	}
	return Reply{Text: r.failureDetails(r.say(i18n.HelperChangesFailedRemove(names, r.how(s))), s)}
}

func (r *result) updateReply() Reply {
	s := r.lastStep()
	if s.Exit != 0 {
		rep := Reply{Text: r.failureDetails(r.say(i18n.HelperChangesFailedUpdate(r.how(s))), s)}
		return r.whyRefused(rep, machine.RefusalLines(s.Stdout))
	}
	out := s.Stdout + "\n" + s.Stderr
	if strings.Contains(out, "there is nothing to do") {
		return Reply{Text: r.say(i18n.HelperChangesAlreadyLatest)}
	}
	lines, done := machine.Lines(out), i18n.HelperChangesDoneUpdate
	changed := filter(lines, func(l string) bool {
		return hasAnyPrefix(strings.TrimSpace(l), "upgrading ", "installing ")
	})
	if len(changed) > 0 {
		done = i18n.HelperChangesDoneUpdateN(len(changed))
	}
	pacnew := filter(lines, func(l string) bool { return strings.Contains(l, ".pacnew") })
	kernel := containsAny(out, "upgrading linux...", "upgrading linux-lts...", "upgrading linux-zen...",
		"upgrading linux-hardened...", "vmlinuz")
	return r.offerRestarts(Reply{Text: joinBlocks(r.say(done), r.sayIf(kernel, i18n.HelperChangesRebootAdvised),
		r.sayIf(len(pacnew) > 0, i18n.HelperChangesPacnew), quote(strings.Join(pacnew[:min(5, len(pacnew))], "\n")))})
}

// offerRestarts offers to restart the services that go on with what an upgrade replaced. Those that hold a session are not
// among them.
func (r *result) offerRestarts(rep Reply) Reply {
	var steps []any
	restart := func(units []string, user string) {
		for _, unit := range units {
			args := map[string]any{"action": "restart", "name": unit}
			if user != "" {
				args["user"] = user
			}
			steps = append(steps, map[string]any{"verb": "unit", "args": args})
		}
	}
	restart(r.out.OldServices, "")
	restart(r.out.OldUserServices, "true")
	if len(steps) == 0 {
		return rep
	}
	names := strings.Join(slices.Concat(r.out.OldServices, r.out.OldUserServices), ", ")
	goal := r.say(i18n.HelperChangesRestartGoal)
	return rep.offering(intent.Call("plan", "goal", goal, "steps", steps), r.say(i18n.HelperChangesAskRestart(names)))
}

// unitDone says what was done to a service.
var unitDone = map[string]func(unit string) i18n.Text{
	"start": i18n.HelperChangesStarted, "stop": i18n.HelperChangesStopped, "restart": i18n.HelperChangesRestarted,
	"reload": i18n.HelperChangesReloaded, "enable": i18n.HelperChangesEnabled, "disable": i18n.HelperChangesDisabled,
}

func (r *result) serviceChangeReply() Reply {
	s, unit, action := r.lastStep(), r.str("name"), r.str("action")
	if s.Exit != 0 {
		rep := Reply{Text: r.failureDetails(r.say(i18n.HelperChangesFailedManage(unit, action, r.how(s))), s)}
		if !containsAny(s.Stderr, "not found", "not loaded", "uthentication", "denied") {
			rep = rep.offering(r.unitLog(unit, "lines", 50), r.say(i18n.HelperChangesAskServiceLogs(unit)))
		}
		return rep
	}
	done := unitDone[action]
	if done == nil {
		return r.command()
	}
	rep, user := Reply{Text: r.say(done(unit))}, r.flag("user")
	switch action {
	case "enable":
		return rep.offering(r.serviceStep("manage_service", unit, user, "action", "start"),
			r.say(i18n.HelperChangesAskStartNow))
	case "start", "restart":
		return rep.offering(r.serviceStep("check_service", unit, user), r.say(i18n.HelperChangesAskServiceStatus(unit)))
	}
	return rep
}

// isContradicted reports that the check of the call's change shows that it is not there.
func (r *result) isContradicted() bool { return r.out != nil && r.out.Contradicted }

// contradictedReply reports a change whose check shows that it is not there, although the command succeeded: only what
// ran. The daemon adds what the check shows.
func (r *result) contradictedReply() Reply {
	rep := r.command()
	if r.tool != "manage_service" {
		return rep
	}
	unit := r.str("name")
	return rep.offering(r.unitLog(unit, "lines", 50), r.say(i18n.HelperChangesAskServiceLogs(unit)))
}

func (r *result) serviceStep(tool, unit string, user bool, kv ...any) intent.Step {
	s := intent.Call(tool, append(kv, "name", unit)...)
	if user {
		s.Input["user"] = true
	}
	return s
}

// command shows a limited part of a literal command's output.
func (r *result) command() Reply {
	var parts []string
	for i := range r.steps {
		parts = append(parts, r.commandStep(&r.steps[i]))
	}
	return Reply{Text: paragraphs(parts...)}
}

func (r *result) commandStep(s *providers.Step) string {
	if s.MissingProgram != "" {
		return r.missingText(s.MissingProgram)
	}
	if text := r.actionText(s); text != "" && !r.isContradicted() {
		return text
	}
	if text := r.owner(s); text != "" {
		return text
	}
	out := strings.TrimSpace(joinBlocks(excerpt(s.Stdout, 30), excerpt(s.Stderr, 10)))
	switch {
	case s.TimedOut:
		return joinBlocks(r.say(i18n.HelperResultNotInTime(s.Command)), quote(out))
	case out == "" && s.Exit == 0:
		return r.say(i18n.HelperChangesDoneQuietly(s.Command))
	case out == "":
		return r.say(i18n.HelperResultFailedSilently(s.Command, r.how(s)))
	}
	text := joinBlocks(r.say(i18n.HelperChangesOutput(s.Command, r.how(s))), quote(out))
	if s.Exit != 0 {
		text = joinBlocks(text, r.meaningOf(s.Stderr))
	}
	return text
}
