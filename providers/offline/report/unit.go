package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

const unitProperties = "Id,LoadState,ActiveState,SubState,Result,ExecMainCode,ExecMainStatus,NRestarts,UnitFileState,InactiveEnterTimestamp,User,StateDirectory,CacheDirectory,LogsDirectory,RuntimeDirectory,WorkingDirectory"

// unitDetails queries the properties that systemctl status omits.
func unitDetails(user bool, units ...string) intent.Step {
	return command(systemctl(user) + " show --property=" + unitProperties + " -- " + strings.Join(units, " "))
}

// systemctl returns the program that manages units of the system or of the user.
func systemctl(user bool) string {
	if user {
		return "systemctl --user"
	}
	return "systemctl"
}

// subject is a service in a diagnosis, with the steps for its status and its log.
type subject struct {
	unit   string
	user   bool
	status intent.Step
	log    intent.Step
}

func newSubject(unit string, user bool) subject {
	s := subject{unit: strings.TrimSuffix(unit, ".service"), user: user}
	s.status = intent.Call("check_service", "name", unit)
	s.log = intent.Call("read_logs", "unit", unit, "since", "boot", "lines", 60)
	if user {
		s.status.Input["user"] = true
		s.log = command("journalctl --no-pager -b -n 60 --user-unit=" + unit)
	}
	return s
}

// service reports the state of one service, and if it failed, why.
func (q *inquiry) service() Reply {
	unit := q.input("name")
	if unit == "" {
		unit, _ = q.first.Input["unit"].(string)
	}
	user, _ := q.first.Input["user"].(bool)
	s := newSubject(unit, user)
	if q.first.Tool == "check_service" {
		s.status = q.first
	}
	if quoteWord(unit) != unit {
		q.collect(q.first)
		return q.toolReply(q.first)
	}
	if !q.collect(q.first, s.status, unitDetails(user, s.unit)) {
		return Reply{}
	}
	return q.serviceFindings(s)
}

func (q *inquiry) serviceFindings(s subject) Reply {
	details := read(machine.ParseUnitProperties, q.stdout(unitDetails(s.user, s.unit)))
	if len(details) != 1 {
		return q.plainService(s)
	}
	d := details[0]
	switch {
	case d["LoadState"] == "masked":
		return q.maskedReply(s)
	case d["ActiveState"] == "failed":
		return q.failedService(s, d, i18n.HelperUnitFailed)
	case d["ActiveState"] == "activating" && d["SubState"] == "auto-restart":
		return q.failedService(s, d, i18n.HelperUnitLooping)
	}
	return q.steadyService(s, d)
}

// plainService returns the first step's own answer if nothing more is known.
func (q *inquiry) plainService(s subject) Reply {
	if rep := q.toolReply(s.status); rep.Text != "" && q.first.Tool != "read_logs" {
		return rep
	}
	return q.toolReply(q.first)
}

// steadyService adds the number of restarts to the status of a service that has not failed. A question about
// its log is answered with the log.
func (q *inquiry) steadyService(s subject, d map[string]string) Reply {
	rep := q.toolReply(s.status)
	if rep.Text == "" {
		return q.toolReply(q.first)
	}
	if n, err := strconv.Atoi(d["NRestarts"]); err == nil && n > 0 && d["ActiveState"] == "active" {
		rep.Text = joinBlocks(rep.Text, bullets([]string{q.say(i18n.HelperUnitRestarted(n))}))
		if rep.Offer == nil && q.first.Tool != "read_logs" && !s.user {
			why := q.unitLog(s.unit)
			rep.Offer, rep.Text = &why, paragraphs(rep.Text, q.say(i18n.HelperChangesAskServiceLogs(s.unit)))
		}
	}
	if log := q.toolReply(q.first); q.first.Tool == "read_logs" && d["LoadState"] == "loaded" && log.Text != "" {
		head, question, _ := strings.Cut(rep.Text, "\n\n")
		rep.Text = paragraphs(joinBlocks(head, log.Text), question)
	}
	return rep
}

func (q *inquiry) maskedReply(s subject) Reply {
	unmask := systemctl(s.user) + " unmask " + s.unit
	if !s.user {
		unmask = "sudo -n " + unmask
	}
	return q.proposeCommand(q.found(i18n.HelperUnitMasked(s.unit)), unmask, i18n.HelperUnitAskUnmask).reply()
}

// failedService searches for the cause in the log and in the core dump.
func (q *inquiry) failedService(s subject, d map[string]string, head func(unit, outcome string) i18n.Text) Reply {
	looks := []intent.Step{s.log}
	if d["Result"] == "core-dump" {
		looks = append(looks, s.dump())
	}
	if !q.collect(looks...) {
		return Reply{}
	}
	f := &finding{verdict: q.say(head(s.unit, q.outcome(d)))}
	if q.asksAbout("running", "@start") && !q.asksAbout("why", "cause", "crash") {
		f.verdict = q.say(i18n.HelperResultNo) + f.verdict
	}
	f.note(q.fact(i18n.HelperUnitSince, d["InactiveEnterTimestamp"]))
	if n, err := strconv.Atoi(d["NRestarts"]); err == nil && n > 0 {
		f.note(q.say(i18n.HelperUnitRestarts(n)))
	}
	f.note(q.fact(i18n.HelperUnitCoreDump, coreDumpText(q.stdout(s.dump()))))
	lines := q.ownLines(s)
	f.meaning = joinBlocks(q.lastLines(s, lines), q.meaningOf(lines))
	q.remedy(f, s, d, lines)
	return f.reply()
}

func (s subject) dump() intent.Step {
	key := "COREDUMP_UNIT="
	if s.user {
		key = "COREDUMP_USER_UNIT="
	}
	return command("coredumpctl --no-pager -1 info " + key + strings.TrimSuffix(s.unit, ".service") + ".service")
}

// coreDumpText returns program, signal and time from coredumpctl info (coredumpctl(1)).
func coreDumpText(text string) string {
	info := read(machine.ParseFields, text)
	return strings.Join(nonEmpty(cutRunes(info["Executable"], 80), cutRunes(info["Signal"], 80),
		cutRunes(info["Timestamp"], 80)), ", ")
}

// outcomes describe systemd's Result of a unit (systemd.service(5)), and exit codes of its own (systemd.exec(5)).
var outcomes = map[string]i18n.Text{
	"timeout": i18n.HelperUnitResultTimeout, "watchdog": i18n.HelperUnitResultWatchdog,
	"oom-kill": i18n.HelperUnitResultOom, "start-limit-hit": i18n.HelperUnitResultLimit,
	"exit-code": i18n.HelperUnitResultError, "exit-code 203": i18n.HelperUnitResultExec,
	"exit-code 217": i18n.HelperUnitResultUser, "exit-code 200": i18n.HelperUnitResultDir,
	"exit-code 226": i18n.HelperUnitResultSpace,
}

// outcome describes how a unit ended.
func (q *inquiry) outcome(d map[string]string) string {
	result, status := d["Result"], d["ExecMainStatus"]
	if result == "exit-code" && status != "" {
		result += " " + status
	}
	switch text, ok := outcomes[result]; {
	case ok:
		return q.say(text)
	case d["Result"] == "exit-code":
		return q.say(i18n.HelperUnitResultExit(status))
	case result == "signal":
		return q.say(i18n.HelperUnitResultSignal(status))
	case result == "core-dump":
		return q.say(i18n.HelperUnitResultCore(status))
	}
	return q.say(i18n.HelperUnitResultOther(result))
}

// ownLines returns the last three log lines that the service itself wrote, preferring those that report problems.
func (q *inquiry) ownLines(s subject) []string { return troubleLines(logLines(q.anyStdout(s.log))) }

func troubleLines(lines []string) []string {
	var own, bad []string
	for _, l := range lines {
		source, text, ok := machine.SplitLogLine(l)
		switch {
		case !ok || source == "systemd" || source == "audit":
		case weightOf(text) > 0:
			bad = append(bad, l)
			own = append(own, l)
		default:
			own = append(own, l)
		}
	}
	if len(bad) > 0 {
		own = bad
	}
	own = slices.Compact(own)
	return own[max(0, len(own)-3):]
}

func (q *inquiry) lastLines(s subject, lines []string) string {
	switch step := q.output(s.log, ""); {
	case len(lines) > 0:
		return joinBlocks(q.say(i18n.HelperUnitLines(s.unit)), quote(strings.Join(lines, "\n")))
	case step == nil || !isFullyRead(step):
		return q.say(i18n.HelperUnitLogUnseen)
	}
	return q.say(i18n.HelperUnitLogOwn(s.unit))
}

// meaningOf explains the last line with a known meaning.
func (q *inquiry) meaningOf(lines []string) string {
	r := q.result(Result{})
	for _, l := range slices.Backward(lines) {
		if text := r.meaningOf(l); text != "" {
			return text
		}
	}
	return ""
}

// remedy proposes the next step for the cause, or else a restart.
func (q *inquiry) remedy(f *finding, s subject, d map[string]string, lines []string) {
	low := strings.ToLower(strings.Join(lines, "\n"))
	switch {
	case q.proposeOwner(f, s, d):
	case containsAny(low, "address already in use", "bind() to"):
		f.propose(intent.Call("check_network", "scope", "ports"), q.say(i18n.HelperUnitAskWhoListens))
	case containsAny(low, "no space left on device"):
		f.propose(intent.Call("check_disk"), q.say(i18n.HelperUnitAskDiskSpace))
	case d["Result"] == "oom-kill" || containsAny(low, "out of memory", "cannot allocate memory"):
		f.propose(intent.Call("check_memory"), q.say(i18n.HelperUnitAskMemoryState))
	case d["Result"] == "core-dump":
		f.propose(intent.Call("check_updates"), q.say(i18n.HelperUnitAskUpdates))
	case brokenConfig(low):
		f.meaning = joinBlocks(f.meaning, q.say(i18n.HelperUnitConfigWrong))
	case d["ExecMainStatus"] == "203" || d["ExecMainStatus"] == "217":
		if show := "systemctl cat --no-pager " + s.unit; !s.user {
			f.propose(command(show), q.say(i18n.HelperUnitAskUnitFile(show)))
		}
	default:
		q.proposeRestart(f, s)
	}
}

// proposeOwner proposes to give a directory back that a service's user must own. ok is false for services without such a
// fault; it is true while looks are missing.
func (q *inquiry) proposeOwner(f *finding, s subject, d map[string]string) (ok bool) {
	log := q.anyStdout(s.log)
	denied := filter(machine.Lines(log), isDenied)
	user := d["User"]
	if s.user || user == "" || user == "root" || quoteWord(user) != user || strings.Contains(user, "/") || len(denied) == 0 {
		return false
	}
	chains := pathsOf(s.unit, d, denied)
	paths := slices.Concat(chains...)
	slices.Sort(paths)
	look := command(machine.OwnersProbe().String() + " " + strings.Join(each(slices.Compact(paths), quoteWord), " "))
	group := command("id -gn " + user)
	if !q.collect(look, group) {
		return true
	}
	wrong, found := firstWrong(chains, read(machine.ParseOwners, q.anyStdout(look)), user)
	if !found || wrong.User == user || quoteWord(wrong.User) != wrong.User || quoteWord(wrong.Group) != wrong.Group {
		return false
	}
	w := wrongOwner{Owner: wrong, unit: s.unit, user: user, group: strings.TrimSpace(q.stdout(group))}
	if quoteWord(w.group) != w.group {
		return false
	}
	w.limited = d["Result"] == "start-limit-hit" || strings.Contains(log, "Start request repeated too quickly")
	f.note(q.say(i18n.HelperUnitOwner(wrong.Path, wrong.User+":"+wrong.Group, wrong.Mode, user)))
	f.note(q.sayIf(w.limited, i18n.HelperUnitLimited))
	q.proposeRepair(f, w.giveBack())
	return true
}

// brokenConfig reports whether a service complains about its configuration, so that a restart fails the same way.
func brokenConfig(low string) bool {
	return containsAny(low, "syntax error", "unknown directive", "unknown key", "unexpected", "parse error", "parsing error", "bad configuration", "configuration error", "config error", "invalid configuration", "unable to configure", "directive")
}

func (q *inquiry) proposeRestart(f *finding, s subject) {
	step := q.result(Result{}).serviceStep("manage_service", s.unit, s.user, "action", "restart")
	f.propose(step, q.say(i18n.HelperUnitAskTryRestart(s.unit, systemctl(s.user)+" restart "+s.unit)))
}

// loopingUnits lists the services that wait for their next start: systemctl(1), --state=.
var loopingUnits = command("systemctl list-units --no-pager --type=service --state=auto-restart")

// shownFailures is the maximum number of failed units to examine.
const shownFailures = 3

// failures examines the failed units: since when, why, and their last log lines.
func (q *inquiry) failures() Reply {
	user, _ := q.first.Input["user"].(bool)
	step := q.output(q.first, "")
	if step == nil {
		return q.toolReply(q.first)
	}
	all := read(machine.ParseUnits, step.Stdout)
	if q.Request != nil && q.Request.TellsOfRestarts() && !user {
		if !q.collect(loopingUnits) {
			return Reply{}
		}
		all = append(all, read(machine.ParseUnits, q.stdout(loopingUnits))...)
	}
	shown := filter(all, func(u machine.Unit) bool { return quoteWord(u.Name) == u.Name })
	if len(shown) == 0 {
		return q.toolReply(q.first)
	}
	return q.examineUnits(shown[:min(shownFailures, len(shown))], len(all), user)
}

func (q *inquiry) examineUnits(shown []machine.Unit, count int, user bool) Reply {
	subjects := each(shown, func(u machine.Unit) subject { return newSubject(u.Name, user) })
	details := unitDetails(user, each(subjects, func(s subject) string { return s.fullName() })...)
	q.collect(details)
	for _, s := range subjects {
		q.collect(s.log)
	}
	if len(q.needed) > 0 {
		return Reply{}
	}
	if q.output(details, "") == nil {
		return q.toolReply(q.first)
	}
	return q.failedUnitsReply(subjects, shown, count, read(machine.ParseUnitProperties, q.stdout(details)))
}

// fullName returns the unit with its suffix, as in systemctl show's Id.
func (s subject) fullName() string {
	if strings.Contains(s.unit, ".") {
		return s.unit
	}
	return s.unit + ".service"
}

func (q *inquiry) failedUnitsReply(subjects []subject, shown []machine.Unit, count int, details []map[string]string) Reply {
	var blocks []string
	first := &finding{}
	known := each(subjects, func(s subject) map[string]string {
		if k := slices.IndexFunc(details, func(d map[string]string) bool { return d["Id"] == s.fullName() }); k >= 0 {
			return details[k]
		}
		return map[string]string{}
	})
	for i, s := range subjects { // a repair before a mere restart
		if first.fix == nil && q.proposeOwner(first, s, known[i]) && len(q.needed) > 0 {
			return Reply{}
		}
	}
	for i, s := range subjects {
		d, lines := known[i], q.ownLines(s)
		blocks = append(blocks, q.failedUnitText(shown[i], d, lines))
		if first.fix == nil {
			q.remedy(first, s, d, lines)
			first.meaning = ""
		}
	}
	if n := count - len(subjects); n > 0 {
		blocks = append(blocks, q.say(i18n.HelperFailuresFailureMore(n)))
	}
	first.verdict = joinBlocks(q.say(i18n.HelperServiceFailedUnits(count)), strings.Join(blocks, "\n"))
	return first.reply()
}

func (q *inquiry) failedUnitText(row machine.Unit, d map[string]string, lines []string) string {
	head := q.say(i18n.HelperFailuresFailureRow(row.Name, row.Description))
	if d["Result"] != "" && d["InactiveEnterTimestamp"] != "" {
		head = q.say(i18n.HelperFailuresFailureSince(row.Name, q.outcome(d), d["InactiveEnterTimestamp"]))
	}
	text, meaning := strings.Join(lines, "\n"), q.meaningOf(lines)
	if meaning == "" && brokenConfig(strings.ToLower(text)) {
		meaning = q.say(i18n.HelperUnitConfigWrong)
	}
	if meaning != "" {
		meaning = "  → " + meaning
	}
	return joinBlocks("- "+head, quote(text), meaning)
}

// unitLog returns the step that reads a unit's log since boot.
func (q *inquiry) unitLog(unit string) intent.Step {
	return intent.Call("read_logs", "unit", unit, "since", "boot")
}
