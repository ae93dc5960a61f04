package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayUnitFailed     = i18n.T("%[1]s{이/가} 실패한 상태예요: %[2]s.", "%[1]s has failed: %[2]s.", "%[1]s 处于失败状态：%[2]s。")
	sayUnitLooping    = i18n.T("%[1]s{이/가} 시작하자마자 죽고 다시 시작되기를 되풀이하고 있어요: %[2]s.", "%[1]s keeps dying and being restarted: %[2]s.", "%[1]s 启动后反复退出并被重启：%[2]s。")
	sayUnitMasked     = i18n.T("%[1]s{은/는} 막혀 있어요(masked, `systemctl show`). 풀기 전에는 시작할 수 없어요.", "%[1]s is masked (`systemctl show`): it cannot be started until that is undone.", "%[1]s 已被屏蔽（masked，`systemctl show`），解除之前无法启动。")
	askUnmask         = i18n.T("막은 것을 풀까요? (`%[1]s`)", "Shall I unmask it? (`%[1]s`)", "要解除屏蔽吗？（`%[1]s`）")
	sayUnitSince      = i18n.T("%[1]s부터(`systemctl show`)", "Since %[1]s (`systemctl show`)", "自 %[1]s（`systemctl show`）")
	sayUnitRestarts   = i18n.T("자동 재시작: %[1]d번(`systemctl show`)", "Automatic restarts: %[1]d (`systemctl show`)", "自动重启：%[1]d 次（`systemctl show`）")
	sayUnitRestarted  = i18n.T("systemd가 %[1]d번 다시 시작시켰어요(`systemctl show`). 지금은 돌고 있지만 가끔 죽는다는 뜻이에요.", "It was restarted %[1]d× by itself (`systemctl show`): it runs now, but dies at times.", "它自动重启过 %[1]d 次（`systemctl show`）：现在在运行，但偶尔会退出。")
	sayUnitLines      = i18n.T("마지막 로그(`journalctl -u %[1]s`):", "Its last log lines (`journalctl -u %[1]s`):", "最近的日志（`journalctl -u %[1]s`）：")
	sayUnitLogUnseen  = i18n.T("로그를 읽지 못해서 원인은 알 수 없어요.", "Its log could not be read, so the cause is not known.", "无法读取日志，因此不知道原因。")
	sayUnitLogOwn     = i18n.T("로그에 %[1]s{이/가} 남긴 줄이 없어요(`journalctl -u %[1]s`).", "%[1]s itself left no line in the log (`journalctl -u %[1]s`).", "日志中没有 %[1]s 自己写的内容（`journalctl -u %[1]s`）。")
	askUnitFile       = i18n.T("유닛 파일에 무엇이 적혀 있는지 볼까요? (`%[1]s`)", "Shall I see what the unit file says? (`%[1]s`)", "要查看单元文件的内容吗？（`%[1]s`）")
	sayCoreDump       = i18n.T("충돌 기록: %[1]s(`coredumpctl info`)", "Crash record: %[1]s (`coredumpctl info`)", "崩溃记录：%[1]s（`coredumpctl info`）")
	askTryRestart     = i18n.T("%[1]s{을/를} 다시 시작해 볼까요? (`%[2]s`)", "Shall I try restarting %[1]s? (`%[2]s`)", "要尝试重启 %[1]s 吗？（`%[2]s`）")
	askWhoListens     = i18n.T("그 포트를 어떤 프로그램이 쓰고 있는지 볼까요?", "Shall I see which program uses that port?", "要查看哪个程序占用该端口吗？")
	askDiskSpace      = i18n.T("디스크 공간을 확인해 볼까요?", "Shall I check the disk space?", "要检查磁盘空间吗？")
	askMemoryState    = i18n.T("메모리를 확인해 볼까요?", "Shall I check the memory?", "要检查内存吗？")
	sayResultExit     = i18n.T("프로그램이 오류로 끝났어요(종료 코드 %[1]s)", "the program ended with an error (exit code %[1]s)", "程序出错退出（退出码 %[1]s）")
	sayResultError    = i18n.T("오류로 끝났어요", "it ended with an error", "出错退出")
	sayConfigWrong    = i18n.T("설정에 오류가 있어요. 위에 적힌 곳을 고친 뒤에 다시 시작해야 해요.", "Its configuration has an error: mend the place named above, then start it again.", "配置有错误：请先修正上面指出的位置，再重新启动。")
	askUpdates        = i18n.T("충돌은 업데이트로 고쳐질 때가 많아요. 업데이트가 있는지 볼까요?", "Crashes are often mended by an update. Shall I look for updates?", "崩溃常可通过更新修复。要查看是否有更新吗？")
	sayResultExec     = i18n.T("유닛에 적힌 프로그램을 실행할 수 없어요(203/EXEC)", "the program named in the unit cannot be executed (203/EXEC)", "无法执行单元中指定的程序（203/EXEC）")
	sayResultUser     = i18n.T("유닛에 적힌 사용자가 없어요(217/USER)", "the user named in the unit does not exist (217/USER)", "单元中指定的用户不存在（217/USER）")
	sayResultDir      = i18n.T("유닛에 적힌 작업 폴더로 갈 수 없어요(200/CHDIR)", "the working directory of the unit cannot be entered (200/CHDIR)", "无法进入单元指定的工作目录（200/CHDIR）")
	sayResultSpace    = i18n.T("유닛이 요구하는 폴더나 격리 환경을 만들지 못했어요(226/NAMESPACE)", "a directory or the isolation the unit wants cannot be set up (226/NAMESPACE)", "无法建立单元所需的目录或隔离环境（226/NAMESPACE）")
	sayResultSignal   = i18n.T("프로그램이 시그널 %[1]s{으로/로} 강제 종료됐어요", "the program was killed by signal %[1]s", "程序被信号 %[1]s 终止")
	sayResultCore     = i18n.T("프로그램이 충돌했어요(시그널 %[1]s, 코어 덤프)", "the program crashed (signal %[1]s, core dumped)", "程序崩溃（信号 %[1]s，已转储核心）")
	sayResultTimeout  = i18n.T("정해진 시간 안에 시작하거나 멈추지 못했어요(timeout)", "it did not start or stop in time (timeout)", "没有在规定时间内启动或停止（timeout）")
	sayResultWatchdog = i18n.T("응답이 없어 systemd가 멈췄어요(watchdog)", "it stopped answering and systemd ended it (watchdog)", "无响应，被 systemd 终止（watchdog）")
	sayResultOOM      = i18n.T("메모리가 모자라 커널이 종료했어요(oom-kill)", "memory ran out and the kernel killed it (oom-kill)", "内存不足，被内核终止（oom-kill）")
	sayResultLimit    = i18n.T("너무 자주 죽어서 systemd가 다시 시작하기를 포기했어요(start-limit-hit)", "it died too often and systemd gave up (start-limit-hit)", "退出过于频繁，systemd 已放弃（start-limit-hit）")
	sayResultOther    = i18n.T("systemd가 적은 이유: %[1]s", "systemd's reason: %[1]s", "systemd 给出的原因：%[1]s")
)

const unitProperties = "Id,LoadState,ActiveState,SubState,Result,ExecMainCode,ExecMainStatus,NRestarts,UnitFileState,InactiveEnterTimestamp"

// unitDetails queries the properties that systemctl status omits.
func unitDetails(user bool, units ...string) intent.Step {
	scope := ""
	if user {
		scope = "--user "
	}
	return command("systemctl " + scope + "show --property=" + unitProperties + " -- " + strings.Join(units, " "))
}

// parseUnitDetails parses systemctl show: KEY=VALUE lines, with a blank line between units.
func parseUnitDetails(text string) []map[string]string {
	var out []map[string]string
	for block := range strings.SplitSeq(text, "\n\n") {
		m := map[string]string{}
		for _, line := range outputLines(block) {
			if k, v, ok := strings.Cut(line, "="); ok {
				m[k] = v
			}
		}
		if m["LoadState"] != "" {
			out = append(out, m)
		}
	}
	return out
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
	unit, _ := q.first.Input["name"].(string)
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
	details := parseUnitDetails(q.stdout(unitDetails(s.user, s.unit)))
	if len(details) != 1 {
		return q.plainService(s)
	}
	d := details[0]
	switch {
	case d["LoadState"] == "masked":
		return q.maskedReply(s)
	case d["ActiveState"] == "failed":
		return q.failedService(s, d, sayUnitFailed)
	case d["ActiveState"] == "activating" && d["SubState"] == "auto-restart":
		return q.failedService(s, d, sayUnitLooping)
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
		rep.Text = joinBlocks(rep.Text, bullets([]string{q.say(sayUnitRestarted, n)}))
		if rep.Offer == nil && q.first.Tool != "read_logs" && !s.user {
			why := q.unitLog(s.unit)
			rep.Offer, rep.Text = &why, paragraphs(rep.Text, q.say(askServiceLogs, s.unit))
		}
	}
	if log := q.toolReply(q.first); q.first.Tool == "read_logs" && d["LoadState"] == "loaded" && log.Text != "" {
		head, question, _ := strings.Cut(rep.Text, "\n\n")
		rep.Text = paragraphs(joinBlocks(head, log.Text), question)
	}
	return rep
}

func (q *inquiry) maskedReply(s subject) Reply {
	f := finding{verdict: q.say(sayUnitMasked, s.unit)}
	unmask := "sudo -n systemctl unmask " + s.unit
	if s.user {
		unmask = "systemctl --user unmask " + s.unit
	}
	f.propose(command(unmask), q.say(askUnmask, unmask))
	return f.reply()
}

// failedService searches for the cause in the log and in the core dump.
func (q *inquiry) failedService(s subject, d map[string]string, head i18n.Text) Reply {
	looks := []intent.Step{s.log}
	if d["Result"] == "core-dump" {
		looks = append(looks, s.dump())
	}
	if !q.collect(looks...) {
		return Reply{}
	}
	f := finding{verdict: q.say(head, s.unit, q.outcome(d))}
	if q.asksAbout("running", "@start") && !q.asksAbout("why", "cause", "crash") {
		f.verdict = q.say(sayNo) + f.verdict
	}
	if at := d["InactiveEnterTimestamp"]; at != "" {
		f.note(q.say(sayUnitSince, at))
	}
	if n, err := strconv.Atoi(d["NRestarts"]); err == nil && n > 0 {
		f.note(q.say(sayUnitRestarts, n))
	}
	if crash := parseCoreDump(q.stdout(s.dump())); crash != "" {
		f.note(q.say(sayCoreDump, crash))
	}
	lines := q.ownLines(s)
	f.meaning = joinBlocks(q.lastLines(s, lines), q.meaningOf(lines))
	q.remedy(&f, s, d, lines)
	return f.reply()
}

func (s subject) dump() intent.Step {
	key := "COREDUMP_UNIT="
	if s.user {
		key = "COREDUMP_USER_UNIT="
	}
	return command("coredumpctl --no-pager -1 info " + key + strings.TrimSuffix(s.unit, ".service") + ".service")
}

// parseCoreDump returns program, signal and time from coredumpctl info (coredumpctl(1)).
func parseCoreDump(text string) string {
	info := parseIndented(text)
	var out []string
	for _, key := range []string{"Executable", "Signal", "Timestamp"} {
		if v := info[key]; v != "" {
			out = append(out, cutRunes(v, 80))
		}
	}
	return strings.Join(out, ", ")
}

// outcome describes systemd's Result of a unit (systemd.service(5)).
func (q *inquiry) outcome(d map[string]string) string {
	status := d["ExecMainStatus"]
	switch d["Result"] {
	case "exit-code":
		if status == "" {
			return q.say(sayResultError)
		}
		if special, ok := map[string]i18n.Text{"203": sayResultExec, "217": sayResultUser, "200": sayResultDir, "226": sayResultSpace}[status]; ok {
			return q.say(special)
		}
		return q.say(sayResultExit, status)
	case "signal":
		return q.say(sayResultSignal, status)
	case "core-dump":
		return q.say(sayResultCore, status)
	}
	if t, ok := map[string]i18n.Text{"timeout": sayResultTimeout, "watchdog": sayResultWatchdog, "oom-kill": sayResultOOM, "start-limit-hit": sayResultLimit}[d["Result"]]; ok {
		return q.say(t)
	}
	return q.say(sayResultOther, d["Result"])
}

// ownLines returns the last three log lines that the service itself wrote, preferring those that report
// problems.
func (q *inquiry) ownLines(s subject) []string {
	return troubleLines(journalLines(q.anyStdout(s.log)))
}

func troubleLines(lines []string) []string {
	var own, bad []string
	for _, l := range lines {
		m := journalRegexps().prefix.FindStringSubmatch(l)
		switch {
		case m == nil || m[1] == "systemd" || m[1] == "audit":
		case weightOf(m[2]) > 0:
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
		return joinBlocks(q.say(sayUnitLines, s.unit), quote(strings.Join(lines, "\n")))
	case step == nil || !isFullyRead(step):
		return q.say(sayUnitLogUnseen)
	}
	return q.say(sayUnitLogOwn, s.unit)
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
	case containsAny(low, "address already in use", "bind() to"):
		f.propose(intent.Call("check_network", "scope", "ports"), q.say(askWhoListens))
	case containsAny(low, "no space left on device"):
		f.propose(intent.Call("check_disk"), q.say(askDiskSpace))
	case d["Result"] == "oom-kill" || containsAny(low, "out of memory", "cannot allocate memory"):
		f.propose(intent.Call("check_memory"), q.say(askMemoryState))
	case d["Result"] == "core-dump":
		f.propose(intent.Call("check_updates"), q.say(askUpdates))
	case brokenConfig(low):
		f.meaning = joinBlocks(f.meaning, q.say(sayConfigWrong))
	case d["ExecMainStatus"] == "203" || d["ExecMainStatus"] == "217":
		show := "systemctl cat --no-pager " + s.unit
		if !s.user {
			f.propose(command(show), q.say(askUnitFile, show))
		}
	default:
		q.proposeRestart(f, s)
	}
}

// brokenConfig reports whether a service complains about its configuration, so that a restart fails the same
// way.
func brokenConfig(low string) bool {
	return containsAny(low, "syntax error", "unknown directive", "unknown key", "unexpected", "parse error", "parsing error", "bad configuration", "configuration error", "config error", "invalid configuration", "unable to configure", "directive")
}

func (q *inquiry) proposeRestart(f *finding, s subject) {
	step := intent.Call("manage_service", "action", "restart", "name", s.unit)
	shown := "systemctl restart " + s.unit
	if s.user {
		step.Input["user"] = true
		shown = "systemctl --user restart " + s.unit
	}
	f.propose(step, q.say(askTryRestart, s.unit, shown))
}
