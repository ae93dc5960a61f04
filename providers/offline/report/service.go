package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// unitState is the output of systemctl status for one unit.
type unitState struct {
	unit, description string
	load, enabled     string
	active            string // "active (running) since …"
	mainPID           string
	log               []string
}

// parseStatus parses systemctl status (systemctl(1)).
func parseStatus(text string) (st unitState, ok bool) {
	inLog := false
	for i, line := range outputLines(text) {
		t := strings.TrimSpace(line)
		key, value, found := strings.Cut(t, ": ")
		switch {
		case i == 0 && !found || i == 0 && strings.Contains(key, " - "):
			head := strings.TrimLeft(t, "●○×↻•* ")
			st.unit, st.description, _ = strings.Cut(head, " - ")
		case key == "Loaded" && st.load == "":
			st.load = value
			st.enabled = enabledOf(value)
		case key == "Active" && st.active == "":
			st.active, ok = value, true
		case key == "Main PID":
			st.mainPID = value
			inLog = false
		case journalRegexps().prefix.MatchString(t):
			inLog = true
			fallthrough
		case inLog:
			st.log = append(st.log, t)
		}
	}
	return st, ok
}

// enabledOf returns the second field between the brackets of Loaded: "loaded
// (/usr/lib/systemd/system/x.service; enabled; preset: disabled)".
func enabledOf(loaded string) string {
	_, rest, ok := strings.Cut(loaded, "(")
	if !ok {
		return ""
	}
	parts := strings.Split(strings.TrimSuffix(rest, ")"), ";")
	if strings.HasPrefix(loaded, "masked") {
		return "masked"
	}
	if len(parts) < 2 {
		return ""
	}
	return strings.TrimSpace(parts[1])
}

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
	st, ok := parseStatus(s.Stdout)
	if !ok {
		return r.unreadableReply(s)
	}
	rep := r.verdict(unit, st)
	var facts []string
	if r.asksAbout("enabledq", "autostart") {
		rep.Text, facts = r.enabledVerdict(unit, st), []string{st.active}
	} else if boot := r.bootFact(st); boot != "" {
		facts = append(facts, boot)
	}
	if st.mainPID != "" && strings.HasPrefix(st.active, "active") {
		facts = append(facts, r.say(i18n.HelperServiceMainPid(st.mainPID)))
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
	if strings.HasPrefix(st.active, "failed") && len(st.log) > 0 {
		log = joinBlocks(r.say(i18n.HelperServiceLastLog), quote(strings.Join(st.log[max(0, len(st.log)-3):], "\n")))
	}
	rep.Text = paragraphs(joinBlocks(rep.Text, bullets(facts), log), question)
	return rep
}

func (r *result) verdict(unit string, st unitState) Reply {
	switch state, _, _ := strings.Cut(st.active, " "); {
	case strings.HasPrefix(st.active, "active (exited)"):
		return Reply{Text: r.say(i18n.HelperServiceDone(unit, st.active))}
	case state == "active" || state == "reloading":
		if r.asksRunning() {
			return Reply{Text: r.polar(true, r.say(i18n.HelperServiceUp(unit, st.active)))}
		}
		return Reply{Text: r.say(i18n.HelperServiceIs(unit, st.active))}
	case state == "failed":
		step := r.unitLog(unit, "since", "boot")
		text := r.say(i18n.HelperServiceFailed(unit, strings.Replace(strings.TrimPrefix(st.active, "failed (Result: "), ")", ",", 1)))
		if r.asksRunning() {
			text = r.polar(false, text)
		}
		return Reply{Text: text, Offer: &step}
	case state == "activating" || state == "deactivating":
		return Reply{Text: r.say(i18n.HelperServiceBusy(unit, st.active))}
	}
	rep := Reply{Text: r.say(i18n.HelperServiceDown(unit, st.active))}
	if r.asksRunning() {
		rep.Text = r.polar(false, rep.Text)
	}
	if st.enabled != "masked" {
		rep.Offer = r.serviceStep("manage_service", unit, r.flag("user"), "action", "start")
	}
	return rep
}

// asksRunning reports whether the question needs a yes or no about running.
func (r *result) asksRunning() bool { return r.asksAbout("running", "@start") }

func (r *result) enabledVerdict(unit string, st unitState) string {
	if st.enabled == "enabled" {
		return r.say(i18n.HelperServiceEnabledYes(unit))
	}
	return r.say(i18n.HelperServiceEnabledNo(unit, st.enabled))
}

func (r *result) bootFact(st unitState) string {
	switch st.enabled {
	case "":
		return ""
	case "enabled":
		return r.say(i18n.HelperServiceBootYes)
	case "disabled":
		return r.say(i18n.HelperServiceBootNo)
	case "masked":
		return r.say(i18n.HelperServiceBootMasked)
	}
	return r.say(i18n.HelperServiceBootOther(st.enabled))
}

func (r *result) noSuchService(unit string) Reply {
	pkg := unit
	if n := intent.LookUpName(unit); n != nil {
		pkg = n.Package
	}
	step := intent.Call("package_info", "name", strings.ToLower(pkg))
	return Reply{Text: paragraphs(r.say(i18n.HelperServiceMissing(unit)), r.say(i18n.HelperServiceAskIsInstalled(step.Input["name"].(string)))), Offer: &step}
}

// unitRow is one row of systemctl list-units.
type unitRow struct{ unit, load, active, sub, description string }

// parseUnits parses list-units and --failed: UNIT LOAD ACTIVE SUB DESCRIPTION after an optional mark.
func parseUnits(text string) []unitRow {
	var out []unitRow
	for _, line := range outputLines(text) {
		f := strings.Fields(strings.TrimLeft(strings.TrimSpace(line), "●○×↻•* "))
		if len(f) < 4 || !strings.Contains(f[0], ".") || !slices.Contains([]string{"loaded", "not-found", "masked", "error", "bad-setting", "merged"}, f[1]) {
			continue
		}
		out = append(out, unitRow{f[0], f[1], f[2], f[3], strings.Join(f[4:], " ")})
	}
	return out
}

func (r *result) failedUnits(s *providers.Step) Reply {
	var lines []string
	units := parseUnits(s.Stdout)
	for _, u := range units {
		lines = append(lines, u.unit+" – "+u.description)
	}
	if len(units) == 0 {
		if s.Exit != 0 || s.TimedOut || !strings.Contains(s.Stdout, "0 loaded") {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperServiceNoFailedUnits)}
	}
	unit := strings.TrimSuffix(units[0].unit, ".service")
	step := r.unitLog(unit, "since", "boot")
	text := joinBlocks(r.say(i18n.HelperServiceFailedUnits(len(units))), bullets(lines[:min(10, len(lines))]))
	return Reply{Text: paragraphs(text, r.say(i18n.HelperChangesAskServiceLogs(unit))), Offer: &step}
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
	units := parseUnits(s.Stdout)
	if len(units) == 0 {
		if s.Exit != 0 || strings.TrimSpace(s.Stdout) != "" && !strings.Contains(s.Stdout, "0 loaded") {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperServiceServicesNone(s.Command))}
	}
	var running, failed []string
	for _, u := range units {
		name := strings.TrimSuffix(u.unit, ".service")
		switch {
		case u.sub == "running":
			running = append(running, name)
		case u.active == "failed":
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
