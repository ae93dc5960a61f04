package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// states returns the load and active states of units, with the look.
func (f *Facts) states(user bool, names ...string) ([]map[string]string, machine.Probe) {
	names = slices.DeleteFunc(names, func(n string) bool { return plain(n) == "" })
	if len(names) == 0 {
		return nil, nil
	}
	look := machine.UnitsProbe(user, names...)
	all, _ := parse(f, look, machine.ParseUnitProperties) // an error is no unit
	return all, look
}

// unitDependency finds a unit that must run first and does not.
func unitDependency(f *Facts, s service) *Finding {
	if s.Values["ActiveState"] == "active" || s.Values["LoadState"] != "loaded" {
		return nil
	}
	needed := slices.DeleteFunc(strings.Fields(s.Values["Requires"]+" "+s.Values["BindsTo"]+" "+s.Values["Requisite"]),
		func(n string) bool {
			return strings.HasSuffix(n, ".slice") || n == "sysinit.target" || n == "basic.target" || n == "-.mount"
		})
	all, look := f.states(s.user, needed...)
	line := f.managerSaid(s, "Dependency failed for")
	for _, u := range all {
		state := u["ActiveState"]
		if u["LoadState"] != "loaded" {
			state = u["LoadState"]
		} else if line == "" || state != "failed" {
			continue
		}
		found := proved(i18n.UnitDependency(s.name, u["Id"], state), s.shown("ActiveState"),
			seeLine(look, u["Id"]+": "+state))
		found.showing(s.log(), line)
		return found.advise(i18n.UnitDependencyAdvice(u["Id"], s.command("status "+u["Id"])))
	}
	return nil
}

var conditionForm = form(`\((Condition\w+)=(.*)\)`)

// unitCondition finds why systemd skipped the start.
func unitCondition(f *Facts, s service) *Finding {
	if s.Values["ActiveState"] != "inactive" || s.Values["ConditionResult"] != "no" || s.Values["LoadState"] != "loaded" {
		return nil
	}
	line, key, value := f.managerSaid(s, "condition check ("), "", ""
	if m := conditionForm().FindStringSubmatch(line); m != nil {
		key, value = m[1], m[2]
	} else if line = f.managerSaid(s, "asserts failed"); line != "" {
		for _, l := range f.settings(s, "AssertPathExists", "AssertPathIsDirectory", "AssertFileNotEmpty",
			"AssertFileIsExecutable") {
			if f.absent(l.Value) {
				key, value = l.Key, l.Value
			}
		}
	}
	if key == "" {
		return nil
	}
	found := proved(i18n.UnitCondition(s.name, machine.CleanLine(key+"="+value)), s.shown("ConditionResult"),
		seeLine(s.log(), line))
	if f.absent(value) {
		found.Says = i18n.UnitConditionPath(s.name, value, key)
		found.Evidence = append(found.Evidence, absentSeen(value))
	}
	return f.at(found, s, key, value)
}

// unitMemory finds that the service was ended for lack of memory.
func unitMemory(f *Facts, s service) *Finding {
	if s.Values["Result"] != "oom-kill" {
		return nil
	}
	if limit := s.Values["MemoryMax"]; limit != "infinity" && limit != "" {
		bytes, _ := machine.ParseSize(limit)
		return f.at(proved(i18n.UnitMemoryLimit(s.name, i18n.CheckSize(int64(bytes))), s.shown("Result", "MemoryMax")).
			advise(i18n.UnitMemoryLimitAdvice(s.command("edit "+s.name), s.command("restart "+s.name))), s, "MemoryMax", "")
	}
	return proved(i18n.UnitMemory(s.name), s.shown("Result", "MemoryMax")).advise(i18n.UnitMemoryAdvice)
}

// unitWatchdog finds a service that stopped to answer.
func unitWatchdog(_ *Facts, s service) *Finding {
	if s.Values["Result"] != "watchdog" {
		return nil
	}
	return proved(i18n.UnitWatchdog(s.name, s.Values["WatchdogUSec"]), s.shown("Result", "WatchdogUSec")).
		advise(i18n.UnitLogAdvice(logCommand(s)))
}

// logCommand is what shows a person the messages of a unit.
func logCommand(s service) string {
	if s.user {
		return "journalctl --user -b -u " + s.name
	}
	return "journalctl -b -u " + s.name
}

// unitNotReady finds a service that never reports that it is ready, as its type promises.
func unitNotReady(f *Facts, s service) *Finding {
	late := s.Values["Result"] == "timeout" && f.managerSaid(s, "start operation timed out") != ""
	if !strings.HasPrefix(s.Values["Type"], "notify") || !late && s.Values["Result"] != "protocol" {
		return nil
	}
	found := proved(i18n.UnitNotReady(s.name, s.Values["Type"]), s.shown("Type", "Result"))
	if late {
		found.Evidence = append(found.Evidence, seeLine(s.log(), f.managerSaid(s, "start operation timed out")))
	}
	return f.at(found.advise(i18n.UnitNotReadyAdvice(s.command("edit "+s.name))), s, "Type", "")
}

// unitForking finds a service that stays in the foreground, or whose PID file does not appear.
func unitForking(f *Facts, s service) *Finding {
	line := f.managerSaid(s, "start operation timed out")
	if s.Values["Type"] != "forking" || line == "" || s.Values["Result"] != "timeout" {
		return nil
	}
	if file := f.managerSaid(s, "Can't open PID file "); file != "" {
		_, rest, _ := strings.Cut(file, "PID file ")
		name, _, _ := strings.Cut(rest, " ")
		return f.at(proved(i18n.UnitPidFile(s.name, name), s.shown("Type", "Result"), seeLine(s.log(), file)), s, "PIDFile",
			"")
	}
	return f.at(proved(i18n.UnitForking(s.name), s.shown("Type", "Result"), seeLine(s.log(), line)).
		advise(i18n.UnitForkingAdvice(s.command("edit "+s.name))), s, "Type", "forking")
}

// unitTimeout finds a start that took too long.
func unitTimeout(f *Facts, s service) *Finding {
	line := f.managerSaid(s, "start operation timed out")
	if s.Values["Result"] != "timeout" || line == "" || strings.HasPrefix(s.Values["Type"], "notify") ||
		s.Values["Type"] == "forking" {
		return nil
	}
	return proved(i18n.UnitTimeout(s.name, s.Values["TimeoutStartUSec"]), s.shown("Result", "TimeoutStartUSec"),
		seeLine(s.log(), line)).
		advise(i18n.UnitLogAdvice(logCommand(s)))
}

// unitSignal finds a service that a signal ended.
func unitSignal(_ *Facts, s service) *Finding {
	if r := s.Values["Result"]; !s.hasFailed() || r != "signal" && r != "core-dump" {
		return nil
	}
	for _, c := range s.Commands {
		if _, name, ok := strings.Cut(c.Status, "/"); ok && (c.Code == "killed" || c.Code == "dumped") &&
			plain(c.Path) != "" {
			return proved(i18n.UnitSignal(s.name, "SIG"+name),
				seeLine(s.look(), c.Setting+": code="+c.Code+", status="+c.Status)).advise(i18n.UnitSignalAdvice(c.Path))
		}
	}
	return nil
}

// unitReload finds files that changed since systemd read them.
func unitReload(_ *Facts, s service) *Finding {
	if s.Values["NeedDaemonReload"] != "yes" || s.Values["LoadState"] != "loaded" {
		return nil
	}
	reload, check := "sudo -n systemctl daemon-reload", "systemctl show -p NeedDaemonReload --value -- "+s.name
	if s.user {
		reload, check = "systemctl --user daemon-reload", "systemctl --user show -p NeedDaemonReload --value -- "+s.name
	}
	return proved(i18n.UnitReload(s.name), s.shown("NeedDaemonReload")).
		offer(i18n.UnitReloadGoal(s.name), s.again(run(i18n.UnitReloadStep, reload, check, "no", ""))...)
}

// unitUnknownSetting finds a misspelt line of the administrator that systemd ignores.
func unitUnknownSetting(f *Facts, s service) *Finding {
	lines, _ := parse(f, s.log(), machine.ParseLog)
	for _, l := range slices.Backward(lines) {
		file, rest, ok := strings.Cut(l.Text, ":")
		if ok && l.Sender == "systemd" && strings.Contains(rest, ": Unknown ") && !strings.HasPrefix(file, "/usr/") &&
			plain(file) == file && file != "" {
			number, _, _ := strings.Cut(rest, ":")
			return proved(i18n.UnitUnknownSetting(s.name, file, number), seeLine(s.log(), l.Text)).
				advise(i18n.UnitBadFileAdvice(file, s.edit(file), s.command("daemon-reload")))
		}
	}
	return nil
}

// unitConflict finds a running unit that excludes this one.
func unitConflict(f *Facts, s service) *Finding {
	if s.Values["ActiveState"] != "inactive" || !strings.HasPrefix(s.Values["UnitFileState"], "enabled") {
		return nil
	}
	others := slices.DeleteFunc(strings.Fields(s.Values["Conflicts"]),
		func(n string) bool { return strings.HasSuffix(n, ".target") })
	all, look := f.states(s.user, others...)
	for _, u := range all {
		if u["ActiveState"] == "active" {
			return proved(i18n.UnitConflict(s.name, u["Id"]), s.shown("ActiveState", "Conflicts"),
				seeLine(look, u["Id"]+": active")).
				advise(i18n.UnitConflictAdvice(s.command("disable --now "+u["Id"]), s.command("disable "+s.name)))
		}
	}
	return nil
}

// unitDisabled finds a unit that nothing starts.
func unitDisabled(f *Facts, s service) *Finding {
	if s.Values["ActiveState"] != "inactive" || s.Values["UnitFileState"] != "disabled" ||
		s.Values["ActiveEnterTimestamp"] != "" || s.Values["Result"] != "success" {
		return nil
	}
	triggers, _ := f.states(s.user, strings.Fields(s.Values["TriggeredBy"])...)
	if slices.ContainsFunc(triggers, func(u map[string]string) bool { return u["ActiveState"] == "active" }) {
		return nil
	}
	return proved(i18n.UnitDisabled(s.name), s.shown("UnitFileState", "ActiveState")).offer(i18n.UnitEnableGoal(s.name),
		unitStates{s.name: s.Values}.start(s.name, s.user)...)
}

// unitLinger finds a unit of a user who has to be logged in for it.
func unitLinger(f *Facts, s service) *Finding {
	if !s.user || s.hasFailed() || s.Values["UnitFileState"] != "enabled" || !f.mentions(i18n.UnitWordsAbsence) {
		return nil
	}
	return f.lingers(i18n.UnitLinger(s.name))
}

// lingers returns that the units of the user end with the session, if they do.
func (f *Facts) lingers(says i18n.Text) *Finding {
	id, err := parse(f, machine.IDProbe, machine.ParseID)
	if err != nil || plain(id.User) == "" {
		return nil
	}
	look := machine.LingerProbe(id.User)
	if strings.TrimSpace(f.stdout(look)) != "no" {
		return nil
	}
	return proved(says, see(look, i18n.UnitLingerSeen)).offer(i18n.UnitLingerGoal, run(i18n.UnitLingerStep(id.User),
		"loginctl enable-linger "+id.User, look.String(), "yes", "loginctl disable-linger "+id.User))
}

// lastWords returns the last message of the program itself in the last start.
func (f *Facts) lastWords(s service) string {
	for _, l := range slices.Backward(f.runOf(s)) {
		if !l.IsOfManager() && strings.Trim(l.Text, " ^~") != "" && !instructs(l.Text) {
			return l.Text
		}
	}
	return ""
}

// instructs reports whether a message says to run something, which is not passed on.
func instructs(line string) bool {
	return slices.ContainsFunc([]string{"curl ", "wget ", "| sh", "|sh", "| bash", "sudo ", "rm -", "chmod "},
		func(word string) bool { return strings.Contains(line, word) })
}

// unitStartLimit finds a service that failed so often that systemd gave up.
func unitStartLimit(f *Facts, s service) *Finding {
	lines, _ := parse(f, s.log(), machine.ParseLog)
	at := slices.IndexFunc(lines, func(l machine.LogLine) bool {
		return l.Sender == "systemd" && strings.Contains(l.Text, "Start request repeated too quickly")
	})
	if at < 0 || s.Values["ActiveState"] != "failed" {
		return nil
	}
	found := proved(i18n.UnitStartLimit(s.name, s.Values["NRestarts"]),
		s.shown("ActiveState", "NRestarts", "ExecMainStatus"), seeLine(s.log(), lines[at].Text))
	found.showing(s.log(), f.lastWords(s))
	return found.advise(i18n.UnitStartLimitAdvice(s.command("reset-failed "+s.name), s.command("start "+s.name)))
}

// unitExit finds the status of a program that ended with an error, and its last words.
func unitExit(f *Facts, s service) *Finding {
	if !s.hasFailed() || s.Values["Result"] != "exit-code" || f.Object != "" && f.isExplained(s) {
		return nil
	}
	for _, c := range s.Commands {
		number, _, _ := strings.Cut(c.Status, "/")
		if c.Code != "exited" || number == "0" {
			continue
		}
		found := likely(i18n.UnitExit(s.name, c.Path, number), seeLine(s.look(), c.Setting+": status="+c.Status))
		found.showing(s.log(), f.lastWords(s))
		return found.advise(i18n.UnitLogAdvice(logCommand(s)))
	}
	return nil
}

// isExplained reports whether another cause is proved or likely for a unit that was asked about.
func (f *Facts) isExplained(s service) bool {
	all := f.services()
	return len(all) > 0 && all[0].user == s.user && slices.ContainsFunc(Unit().causes,
		func(c cause) bool { return c.id != "exit" && c.find(f) != nil })
}
