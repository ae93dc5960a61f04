package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// unitDetails queries the properties that systemctl status omits.
func unitDetails(user bool, units ...string) intent.Step {
	return command(systemctl(user) + " show --property=Id,LoadState,ActiveState,SubState,NRestarts,InactiveEnterTimestamp -- " + strings.Join(units, " "))
}

// systemctl returns the program that manages units of the system or of the user.
func systemctl(user bool) string {
	if user {
		return "systemctl --user"
	}
	return "systemctl"
}

// service reports the state of one service, and if it failed, why.
func (q *inquiry) service() Reply {
	unit := cmp.Or(q.input("name"), q.input("unit"))
	user, _ := q.first.Input["user"].(bool)
	status := q.first
	if status.Tool != "check_service" {
		status = intent.Call("check_service", "name", unit)
		if user {
			status.Input["user"] = true
		}
	}
	unit = strings.TrimSuffix(unit, ".service")
	details := unitDetails(user, unit)
	if quoteWord(unit) != unit || !q.collect(q.first, status, details) {
		return q.toolReply(q.first)
	}
	d := map[string]string{}
	if all := read(machine.ParseUnitProperties, q.stdout(details)); len(all) == 1 {
		d = all[0]
	}
	broken := d["LoadState"] == "masked" || d["ActiveState"] == "failed" || d["SubState"] == "auto-restart"
	state := q.steadyService(status, unit, d)
	if !broken && !q.complains() {
		return state
	}
	found, ok := q.diagnosis(q.diagnoseStep("unit", unit))
	switch {
	case !ok || len(found.Causes) == 0 || !broken && !found.Causes[0].Certain:
		return state
	case !broken:
		return state.withCause(q.causeReply(found))
	}
	first := &found.Causes[0]
	if q.asksAbout("running", "@start") && !q.asksAbout("why", "cause", "crash") {
		first.Says = q.say(i18n.HelperResultNo) + first.Says
	}
	for _, fact := range q.failureFacts(d) {
		first.Evidence = append(first.Evidence, diagnose.Shown{Command: systemctl(user) + " show", Shows: fact})
	}
	rep := q.causeReply(found)
	if first.Repair == nil && isWorthAnotherTry(first.ID) {
		rep = rep.offering(q.restart(unit, user))
	}
	return rep
}

// failureFacts reports since when a unit has failed, and how often systemd started it again.
func (q *inquiry) failureFacts(d map[string]string) []string {
	n, err := strconv.Atoi(d["NRestarts"])
	return nonEmpty(q.fact(i18n.HelperUnitSince, d["InactiveEnterTimestamp"]), q.sayIf(err == nil && n > 0, i18n.HelperUnitRestarts(n)))
}

// isWorthAnotherTry reports whether a service with a cause may run when it is started again.
func isWorthAnotherTry(cause string) bool {
	return slices.Contains([]string{"exit", "signal", "timeout", "watchdog", "memory", "dependency"}, cause)
}

// restart returns the step that starts a unit again, and the question for it.
func (q *inquiry) restart(unit string, user bool) (intent.Step, string) {
	step := q.result(Result{}).serviceStep("manage_service", unit, user, "action", "restart")
	return step, q.say(i18n.HelperUnitAskTryRestart(unit, systemctl(user)+" restart "+unit))
}

// steadyService adds the number of restarts to the status of a service. A question about its log is answered with the log.
func (q *inquiry) steadyService(status intent.Step, unit string, d map[string]string) Reply {
	rep := q.toolReply(status)
	if rep.Text == "" || len(d) == 0 && q.first.Tool == "read_logs" {
		return q.toolReply(q.first)
	}
	if n, err := strconv.Atoi(d["NRestarts"]); err == nil && n > 0 && d["ActiveState"] == "active" {
		rep.Text = joinBlocks(rep.Text, bullets([]string{q.say(i18n.HelperUnitRestarted(n))}))
		if user, _ := q.first.Input["user"].(bool); rep.Offer == nil && q.first.Tool != "read_logs" && !user {
			why := q.unitLog(unit)
			rep.Offer, rep.Text = &why, paragraphs(rep.Text, q.say(i18n.HelperChangesAskServiceLogs(unit)))
		}
	}
	if log := q.toolReply(q.first); q.first.Tool == "read_logs" && d["LoadState"] == "loaded" && log.Text != "" {
		head, question, _ := strings.Cut(rep.Text, "\n\n")
		rep.Text = paragraphs(joinBlocks(head, log.Text), question)
	}
	return rep
}

// shownFailures is the maximum number of failed units to examine.
const shownFailures = 3

// failures lists the failed units, with the cause of each.
func (q *inquiry) failures() Reply {
	user, _ := q.first.Input["user"].(bool)
	list, step := q.toolReply(q.first), q.output(q.first, "")
	if step == nil {
		return list
	}
	all := read(machine.ParseUnits, step.Stdout)
	if q.Request != nil && q.Request.TellsOfRestarts() && !user {
		looping := command(machine.LoopingUnitsProbe.String())
		if !q.collect(looping) {
			return Reply{}
		}
		all = append(all, read(machine.ParseUnits, q.stdout(looping))...)
	}
	shown := filter(all, func(u machine.Unit) bool { return quoteWord(u.Name) == u.Name })
	if len(shown) == 0 {
		return list
	}
	shown = shown[:min(shownFailures, len(shown))]
	details := unitDetails(user, each(shown, func(u machine.Unit) string { return u.Name })...)
	if !q.collect(append(each(shown, func(u machine.Unit) intent.Step { return q.diagnoseStep("unit", u.Name) }), details)...) {
		return Reply{}
	}
	return q.failuresReply(shown, len(all), user, read(machine.ParseUnitProperties, q.stdout(details)))
}

func (q *inquiry) failuresReply(shown []machine.Unit, count int, user bool, details []map[string]string) Reply {
	f, again, explained := &finding{}, "", false
	for _, u := range shown {
		var facts []string
		if i := slices.IndexFunc(details, func(d map[string]string) bool { return d["Id"] == u.Name }); i >= 0 {
			facts = q.failureFacts(details[i])
		}
		found, ok := q.diagnosis(q.diagnoseStep("unit", u.Name))
		if !ok || len(found.Causes) == 0 {
			f.note(joinBlocks(u.Name+" – "+u.Description, quote(strings.Join(facts, "\n"))))
			continue
		}
		first := found.Causes[0]
		explained = true
		for _, e := range first.Evidence {
			facts = append(facts, e.Shows)
		}
		for _, other := range found.Causes[1:] {
			facts = append(facts, other.Says)
		}
		f.note(joinBlocks(first.Says, quote(strings.Join(nonEmpty(append(facts, first.Advice)...), "\n"))))
		switch {
		case first.Repair != nil && f.fix == nil:
			q.proposePlan(f, *first.Repair)
		case again == "" && isWorthAnotherTry(first.ID):
			again = strings.TrimSuffix(u.Name, ".service")
		}
	}
	if !explained {
		return q.toolReply(q.first)
	}
	if f.fix == nil && again != "" {
		f.propose(q.restart(again, user))
	}
	f.verdict = q.say(i18n.HelperServiceFailedUnits(count))
	f.meaning = q.sayIf(count > len(shown), i18n.HelperFailuresFailureMore(count-len(shown)))
	return f.reply()
}

// unitLog returns the step that reads a unit's log since boot.
func (q *inquiry) unitLog(unit string) intent.Step {
	return intent.Call("read_logs", "unit", unit, "since", "boot")
}
