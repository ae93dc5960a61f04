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
	rep := r.verdict(unit, st)
	var facts []string
	if r.asksAbout("enabledq", "autostart") {
		rep.Text, facts = r.enabledVerdict(unit, st), []string{st.Active}
	} else if boot := r.bootFact(st); boot != "" {
		facts = append(facts, boot)
	}
	if st.MainPID != "" && strings.HasPrefix(st.Active, "active") {
		facts = append(facts, r.say(i18n.HelperServiceMainPid(st.MainPID)))
	}
	question := ""
	if rep.Offer != nil {
		if rep.Offer.Tool == "read_logs" {
			question = r.say(i18n.HelperChangesAskServiceLogs(unit))
		} else {
			question = r.say(i18n.HelperServiceAskStartService(unit))
		}
	}
	log := ""
	if strings.HasPrefix(st.Active, "failed") && len(st.Log) > 0 {
		log = joinBlocks(r.say(i18n.HelperServiceLastLog), quote(strings.Join(st.Log[max(0, len(st.Log)-3):], "\n")))
	}
	rep.Text = paragraphs(joinBlocks(rep.Text, bullets(facts), log), question)
	return rep
}

func (r *result) verdict(unit string, st machine.UnitStatus) Reply {
	switch state, _, _ := strings.Cut(st.Active, " "); {
	case strings.HasPrefix(st.Active, "active (exited)"):
		return Reply{Text: r.say(i18n.HelperServiceDone(unit, st.Active))}
	case state == "active" || state == "reloading":
		if r.asksRunning() {
			return Reply{Text: r.polar(true, r.say(i18n.HelperServiceUp(unit, st.Active)))}
		}
		return Reply{Text: r.say(i18n.HelperServiceIs(unit, st.Active))}
	case state == "failed":
		step := r.unitLog(unit, "since", "boot")
		text := r.say(i18n.HelperServiceFailed(unit, strings.Replace(strings.TrimPrefix(st.Active, "failed (Result: "), ")", ",", 1)))
		if r.asksRunning() {
			text = r.polar(false, text)
		}
		return Reply{Text: text, Offer: &step}
	case state == "activating" || state == "deactivating":
		return Reply{Text: r.say(i18n.HelperServiceBusy(unit, st.Active))}
	}
	rep := Reply{Text: r.say(i18n.HelperServiceDown(unit, st.Active))}
	if r.asksRunning() {
		rep.Text = r.polar(false, rep.Text)
	}
	if st.Enabled != "masked" {
		start := r.serviceStep("manage_service", unit, r.flag("user"), "action", "start")
		rep.Offer = &start
	}
	return rep
}

// asksRunning reports whether the question needs a yes or no about running.
func (r *result) asksRunning() bool { return r.asksAbout("running", "@start") }

func (r *result) enabledVerdict(unit string, st machine.UnitStatus) string {
	if st.Enabled == "enabled" {
		return r.say(i18n.HelperServiceEnabledYes(unit))
	}
	return r.say(i18n.HelperServiceEnabledNo(unit, st.Enabled))
}

func (r *result) bootFact(st machine.UnitStatus) string {
	switch st.Enabled {
	case "":
		return ""
	case "enabled":
		return r.say(i18n.HelperServiceBootYes)
	case "disabled":
		return r.say(i18n.HelperServiceBootNo)
	case "masked":
		return r.say(i18n.HelperServiceBootMasked)
	}
	return r.say(i18n.HelperServiceBootOther(st.Enabled))
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
	var lines []string
	units := read(machine.ParseUnits, s.Stdout)
	for _, u := range units {
		lines = append(lines, u.Name+" – "+u.Description)
	}
	if len(units) == 0 {
		if s.Exit != 0 || s.TimedOut || !strings.Contains(s.Stdout, "0 loaded") {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperServiceNoFailedUnits)}
	}
	unit := strings.TrimSuffix(units[0].Name, ".service")
	step := r.unitLog(unit, "since", "boot")
	text := joinBlocks(r.say(i18n.HelperServiceFailedUnits(len(units))), bullets(lines[:min(10, len(lines))]))
	return Reply{Text: paragraphs(text, r.say(i18n.HelperChangesAskServiceLogs(unit))), Offer: &step}
}

// unitNames returns the names of units in a state, or of all.
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
		if s.Exit != 0 || strings.TrimSpace(s.Stdout) != "" && !strings.Contains(s.Stdout, "0 loaded") {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperServiceServicesNone(s.Command))}
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
	text := r.say(i18n.HelperServiceServicesRunning(len(units), len(running)))
	if len(running) > 0 {
		shown := running[:min(20, len(running))]
		text = joinBlocks(text, bullets([]string{strings.Join(shown, ", ")}))
		if n := len(running) - len(shown); n > 0 {
			text += " … (+" + itoa(n) + ")"
		}
	}
	if len(failed) > 0 {
		text = joinBlocks(text, bullets([]string{r.say(i18n.HelperServiceServicesFailed(strings.Join(failed[:min(8, len(failed))], ", ")))}))
	}
	return Reply{Text: text}
}
