package diagnose

import (
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Timer is the question why something did not run at its time: a timer, or a job of cron. The object is the timer's
// name.
func Timer() Topic {
	return Topic{ID: "timer", Object: AUnit, About: i18n.DiagnoseAboutTimer, causes: []cause{
		{"not-found", timerNotFound},
		{"masked", eachTimer(unitMasked)},
		{"bad-file", eachTimer(unitBadFile)},
		{"service-missing", eachTimer(timerServiceMissing)},
		{"disabled", eachTimer(timerDisabled)},
		{"program-missing", eachJob(unitProgramMissing)},
		{"program-mode", eachJob(unitProgramMode)},
		{"configuration", eachJob(unitConfiguration)},
		{"permission", eachJob(unitPermission)},
		{"service-failed", eachJob(timerServiceFailed)},
		{"past", eachTimer(timerPast)},
		{"linger", eachTimer(timerLinger)},
		{"was-off", eachTimer(timerWasOff)},
		{"cron-stopped", cronStopped},
		{"cron-script", cronScript},
	}}
}

// jobWords are words for what timers do, with the part of their names.
func jobWords() map[string]i18n.Text {
	return map[string]i18n.Text{
		"backup": i18n.TimerWordBackup, "sync": i18n.TimerWordSync, "snap": i18n.TimerWordSnapshot,
		"clean": i18n.TimerWordClean,
	}
}

// isNamed reports whether the person's words name a timer, such as "my backup" backup.timer.
func (f *Facts) isNamed(timer string) bool {
	base := strings.ToLower(strings.TrimSuffix(timer, ".timer"))
	if f.quotes(base) {
		return true
	}
	for name, words := range jobWords() {
		if strings.Contains(base, name) && f.mentions(words) {
			return true
		}
	}
	return false
}

// timers returns the timers in question: without a name those that the words name, otherwise those of the user and of
// the
// administrator. What packages bring and no one enabled is none of them.
func (f *Facts) timers() (all []service) {
	if f.Object != "" {
		name := unitName(strings.TrimSuffix(f.Object, ".service"), ".timer")
		return f.unit(name)
	}
	own := machine.Probe{"ls", "/etc/systemd/system"}
	for i, list := range []machine.Probe{own, machine.UnitNamesProbe(true, "timer")} {
		for _, line := range f.lines(list) {
			name, _, _ := strings.Cut(line, " ")
			if s, ok := f.service(i == 1, plain(timerName(name))); ok && len(all) < 5 &&
				!strings.HasPrefix(s.Values["FragmentPath"], "/usr/lib/") {
				all = append(all, s)
			}
		}
	}
	if named := slices.DeleteFunc(slices.Clone(all), func(s service) bool { return !f.isNamed(s.name) }); len(named) > 0 {
		return named
	}
	return all
}

// timerName returns a name if it is that of a timer that exists as one.
func timerName(name string) string {
	if !strings.HasSuffix(name, ".timer") || strings.Contains(name, "@.") {
		return ""
	}
	return name
}

func eachTimer(find func(*Facts, service) *Finding) func(*Facts) *Finding {
	return func(f *Facts) *Finding {
		for _, s := range f.timers() {
			if found := find(f, s); found != nil {
				return found
			}
		}
		return nil
	}
}

// eachJob looks at the services that the timers start.
func eachJob(find func(*Facts, service) *Finding) func(*Facts) *Finding {
	return eachTimer(func(f *Facts, timer service) *Finding {
		s, ok := f.service(timer.user, plain(timer.Values["Triggers"]))
		if !ok {
			return nil
		}
		return find(f, s)
	})
}

// timerNotFound finds that no timer has the name.
func timerNotFound(f *Facts) *Finding {
	if f.Object == "" || !strings.HasSuffix(f.Object, ".timer") {
		return nil
	}
	return unitNotFound(f)
}

// timerDisabled finds a timer that was not started.
func timerDisabled(_ *Facts, s service) *Finding {
	if s.Values["ActiveState"] != "inactive" || s.Values["LoadState"] != "loaded" ||
		s.Values["UnitFileState"] == "static" {
		return nil
	}
	return proved(i18n.TimerDisabled(s.name), s.shown("ActiveState", "UnitFileState")).
		offer(i18n.TimerGoal(s.name), unitStates{s.name: s.Values}.start(s.name, s.user)...)
}

// timerServiceMissing finds a timer whose service does not exist, or may not start.
func timerServiceMissing(f *Facts, s service) *Finding {
	name := plain(s.Values["Triggers"])
	job, ok := f.service(s.user, name)
	if !ok || job.Values["LoadState"] != "not-found" && job.Values["LoadState"] != "masked" {
		return nil
	}
	if job.Values["LoadState"] == "masked" {
		return unitMasked(f, job)
	}
	return proved(i18n.TimerServiceMissing(s.name, name), s.shown("Triggers"), job.shown("LoadState")).
		advise(i18n.TimerServiceAdvice(name, s.edit("/etc/systemd/system/"+name), s.command("restart "+s.name)))
}

// timerServiceFailed finds that the timer ran and its service failed.
func timerServiceFailed(f *Facts, s service) *Finding {
	if !s.hasFailed() {
		return nil
	}
	found := proved(i18n.TimerServiceFailed(s.name, s.Values["Result"], s.Values["ExecMainStatus"]),
		s.shown("ActiveState", "Result", "ExecMainStatus"))
	found.showing(s.log(), f.lastWords(s))
	return found.advise(i18n.UnitLogAdvice(logCommand(s)))
}

// timerPast finds a timer that has no next time.
func timerPast(f *Facts, s service) *Finding {
	v := s.Values
	if v["ActiveState"] != "active" || v["NextElapseUSecRealtime"] != "" || v["NextElapseUSecMonotonic"] != "infinity" ||
		v["SubState"] != "elapsed" {
		return nil
	}
	return f.at(proved(i18n.TimerPast(s.name), s.shown("SubState", "TimersCalendar")), s, "OnCalendar", "")
}

// timerLinger finds a timer of a user who has to be logged in for it.
func timerLinger(f *Facts, s service) *Finding {
	if !s.user || s.Values["ActiveState"] != "active" {
		return nil
	}
	next := s.Values["NextElapseUSecRealtime"]
	return f.lingers(i18n.TimerLinger(s.name, next))
}

// systemdTime is how systemd shows a time: of the zone only the name.
const systemdTime = "Mon 2006-01-02 15:04:05 MST"

// timerWasOff finds a timer that does not make up for what it missed while the computer was off.
func timerWasOff(f *Facts, s service) *Finding {
	v := s.Values
	if v["ActiveState"] != "active" || v["Persistent"] != "no" || v["TimersCalendar"] == "" ||
		v["NextElapseUSecRealtime"] == "" {
		return nil
	}
	look := machine.Probe{"uptime", "-s"}
	booted, err := time.Parse("2006-01-02 15:04:05", strings.TrimSpace(f.stdout(look)))
	last, lastErr := time.Parse(systemdTime, v["LastTriggerUSec"])
	if err != nil || lastErr == nil && last.After(booted) || lastErr != nil && v["LastTriggerUSec"] != "" {
		return nil
	}
	return likely(i18n.TimerWasOff(s.name, v["NextElapseUSecRealtime"]), s.shown("Persistent", "LastTriggerUSec"),
		see(look, i18n.TimerBooted(booted.Format("2006-01-02 15:04")))).
		advise(i18n.TimerPersistentAdvice(s.command("edit " + s.name)))
}

var crontabProbe = machine.Probe{"crontab", "-l"}

// cronJobs returns the lines of the user's table that run something.
func (f *Facts) cronJobs() []string {
	return slices.DeleteFunc(f.lines(crontabProbe), func(line string) bool {
		first := strings.TrimSpace(line)[:1]
		return first == "#" || first != "*" && first != "@" && strings.Trim(first, "0123456789") != ""
	})
}

// cronStopped finds jobs of cron while cron does not run.
func cronStopped(f *Facts) *Finding {
	s, ok := f.service(false, "cronie.service")
	if !ok || s.Values["ActiveState"] == "active" || f.Object != "" {
		return nil
	}
	jobs := f.cronJobs()
	if len(jobs) == 0 {
		return nil
	}
	found := proved(i18n.TimerCronStopped(len(jobs)), seeLine(crontabProbe, jobs[0]),
		s.shown("LoadState", "ActiveState", "UnitFileState"))
	if s.Values["LoadState"] != "loaded" {
		return found.advise(i18n.TimerCronOther)
	}
	return found.offer(i18n.TimerGoal(s.name), unitStates{s.name: s.Values}.start(s.name, false)...)
}

// cronScript finds a job of cron whose program does not exist, or may not be executed.
func cronScript(f *Facts) *Finding {
	if f.Object != "" && !strings.HasPrefix(f.Object, "/") {
		return nil
	}
	for _, line := range f.cronJobs() {
		words, fields := strings.Fields(line), 5
		if strings.HasPrefix(line, "@") {
			fields = 1
		}
		if len(words) <= fields || !strings.HasPrefix(words[fields], "/") || plain(words[fields]) == "" {
			continue
		}
		file := words[fields]
		if f.absent(file) {
			return proved(i18n.TimerCronMissing(file), seeLine(crontabProbe, line), absentSeen(file)).
				advise(i18n.TimerCronMissingAdvice(file))
		}
		if o, kind, ok := f.owner(file); ok && strings.Contains(kind, "regular") &&
			!strings.ContainsAny(o.Mode[max(0, len(o.Mode)-3):], "1357") {
			return proved(i18n.TimerCronMode(file, o.Mode), seeLine(crontabProbe, line),
				see(machine.OwnersProbe(file), i18n.StartModeSeen(o.Mode, o.User))).
				offer(i18n.StartModeGoal(file), run(i18n.StartModeStep(file), "chmod u+x -- "+file, "stat -c %A -- "+file, "x",
					"chmod "+o.Mode+" -- "+file))
		}
	}
	return nil
}
