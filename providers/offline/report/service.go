package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

func (r *result) service() Reply {
	s := &r.steps[0]
	if containsAny(s.Stderr, "System has not been booted with systemd", "Failed to connect to bus", "Failed to connect to system scope bus", "Failed to connect to user scope bus") {
		return Reply{Text: joinBlocks(r.say(i18n.HelperServiceBusDown), quote(essentialLines(s.Stderr, 2)))}
	}
	switch {
	case r.str("name") != "":
		return r.oneService(s)
	case r.flag("failed"):
		return r.failedUnits(s)
	}
	return r.allServices(s)
}

func (r *result) oneService(s *providers.Step) Reply {
	unit := strings.TrimSuffix(r.str("name"), ".service")
	if strings.Contains(s.Stderr+s.Stdout, "could not be found") || strings.Contains(s.Stdout, "Loaded: not-found") {
		return r.noSuchService(unit)
	}
	st, ok := tryRead(machine.ParseUnitStatus, s.Stdout)
	if !ok {
		return r.unreadableReply(s)
	}
	rep, facts := r.verdict(unit, st), nonEmpty(r.bootFact(st))
	if r.asksAbout("enabledq", "autostart") {
		rep.Text, facts = r.say(i18n.HelperServiceEnabledNo(unit, st.Enabled)), []string{st.Active}
		if st.Enabled == "enabled" {
			rep.Text = r.say(i18n.HelperServiceEnabledYes(unit))
		}
	}
	runs := st.MainPID != "" && strings.HasPrefix(st.Active, "active")
	facts = append(facts, nonEmpty(r.sayIf(runs, i18n.HelperServiceMainPid(st.MainPID)))...)
	question := ""
	switch {
	case rep.Offer == nil:
	case rep.Offer.Tool == "read_logs":
		question = r.say(i18n.HelperChangesAskServiceLogs(unit))
	default:
		question = r.say(i18n.HelperServiceAskStartService(unit))
	}
	log := ""
	if strings.HasPrefix(st.Active, "failed") && len(st.Log) > 0 {
		log = joinBlocks(r.say(i18n.HelperServiceLastLog), quote(strings.Join(st.Log[max(0, len(st.Log)-3):], "\n")))
	}
	rep.Text = paragraphs(joinBlocks(rep.Text, bullets(facts), log), question)
	return rep
}

// verdict reports the state of a unit. It offers a step without asking for it.
func (r *result) verdict(unit string, st machine.UnitStatus) Reply {
	var rep Reply
	text, polar, running := i18n.HelperServiceDown(unit, st.Active), r.asksAbout("running", "@start"), false
	switch state, _, _ := strings.Cut(st.Active, " "); {
	case strings.HasPrefix(st.Active, "active (exited)"):
		text, polar = i18n.HelperServiceDone(unit, st.Active), false
	case (state == "active" || state == "reloading") && polar:
		text, running = i18n.HelperServiceUp(unit, st.Active), true
	case state == "active" || state == "reloading":
		text = i18n.HelperServiceIs(unit, st.Active)
	case state == "failed":
		reason := strings.Replace(strings.TrimPrefix(st.Active, "failed (Result: "), ")", ",", 1)
		text, rep = i18n.HelperServiceFailed(unit, reason), rep.offering(r.unitLog(unit, "since", "boot"), "")
	case state == "activating" || state == "deactivating":
		text, polar = i18n.HelperServiceBusy(unit, st.Active), false
	case st.Enabled != "masked":
		rep = rep.offering(r.serviceStep("manage_service", unit, r.flag("user"), "action", "start"), "")
	}
	rep.Text = r.say(text)
	if polar {
		rep.Text = r.polar(running, rep.Text)
	}
	return rep
}

func (r *result) bootFact(st machine.UnitStatus) string {
	text, known := map[string]i18n.Text{
		"enabled": i18n.HelperServiceBootYes, "disabled": i18n.HelperServiceBootNo, "masked": i18n.HelperServiceBootMasked,
	}[st.Enabled]
	if known {
		return r.say(text)
	}
	return r.fact(i18n.HelperServiceBootOther, st.Enabled)
}

func (r *result) noSuchService(unit string) Reply {
	pkg := unit
	if n := intent.LookUpName(unit); n != nil {
		pkg = n.Package
	}
	pkg = strings.ToLower(pkg)
	ask := r.say(i18n.HelperServiceAskIsInstalled(pkg))
	return Reply{Text: r.say(i18n.HelperServiceMissing(unit))}.offering(intent.Call("package_info", "name", pkg), ask)
}

func (r *result) failedUnits(s *providers.Step) Reply {
	units := read(machine.ParseUnits, s.Stdout)
	if len(units) == 0 {
		return r.noneReply(s, s.Exit != 0 || s.TimedOut || !strings.Contains(s.Stdout, "0 loaded"),
			i18n.HelperServiceNoFailedUnits)
	}
	unit := strings.TrimSuffix(units[0].Name, ".service")
	lines := each(units[:min(10, len(units))], func(u machine.Unit) string { return u.Name + " – " + u.Description })
	rep := Reply{Text: joinBlocks(r.say(i18n.HelperServiceFailedUnits(len(units))), bullets(lines))}
	return rep.offering(r.unitLog(unit, "since", "boot"), r.say(i18n.HelperChangesAskServiceLogs(unit)))
}

func unitNames(units []machine.Unit, state string) []string {
	var out []string
	for _, u := range units {
		if state == "" || u.Active == state {
			out = append(out, u.Name)
		}
	}
	return out
}

// unitLog returns the step that reads a unit's log from the same service manager.
func (r *result) unitLog(unit string, kv ...any) intent.Step {
	s := intent.Call("read_logs", append(kv, "unit", unit)...)
	if r.flag("user") {
		s.Input["user"] = true
	}
	return s
}

func (r *result) allServices(s *providers.Step) Reply {
	units := read(machine.ParseUnits, s.Stdout)
	if len(units) == 0 {
		strange := strings.TrimSpace(s.Stdout) != "" && !strings.Contains(s.Stdout, "0 loaded")
		return r.noneReply(s, s.Exit != 0 || strange, i18n.HelperServiceServicesNone(s.Command))
	}
	var running, failed []string
	for _, u := range units {
		name := strings.TrimSuffix(u.Name, ".service")
		switch {
		case u.Sub == "running":
			running = append(running, name)
		case u.Active == "failed":
			failed = append(failed, name)
		}
	}
	list := firstOf(running, 20)
	if n := len(running) - 20; n > 0 {
		list += " … (+" + itoa(n) + ")"
	}
	failures := r.sayIf(len(failed) > 0, i18n.HelperServiceServicesFailed(firstOf(failed, 8)))
	head := r.say(i18n.HelperServiceServicesRunning(len(units), len(running)))
	return Reply{Text: joinBlocks(head, bullets(nonEmpty(list, failures)))}
}
