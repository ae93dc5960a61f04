package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayServiceUp       = i18n.T("%[1]s{이/가} 실행 중이에요(%[2]s).", "%[1]s is running (%[2]s).", "%[1]s 正在运行（%[2]s）。")
	sayServiceIs       = i18n.T("%[1]s{은/는} 실행 중이에요(%[2]s).", "%[1]s is running (%[2]s).", "%[1]s 正在运行（%[2]s）。")
	sayServiceDone     = i18n.T("%[1]s{은/는} 할 일을 마치고 정상으로 끝난 상태예요(%[2]s).", "%[1]s has done its work and ended normally (%[2]s).", "%[1]s 已完成工作并正常结束（%[2]s）。")
	sayServiceDown     = i18n.T("%[1]s{은/는} 꺼져 있어요(%[2]s).", "%[1]s is not running (%[2]s).", "%[1]s 没有运行（%[2]s）。")
	sayServiceFailed   = i18n.T("%[1]s{이/가} 실패한 상태예요(%[2]s).", "%[1]s has failed (%[2]s).", "%[1]s 处于失败状态（%[2]s）。")
	sayServiceBusy     = i18n.T("%[1]s{은/는} 지금 상태가 바뀌는 중이에요(%[2]s).", "%[1]s is changing state right now (%[2]s).", "%[1]s 正在切换状态（%[2]s）。")
	sayServiceMissing  = i18n.T("%[1]s 서비스가 이 컴퓨터에 없어요. 패키지가 설치되지 않았을 수 있어요.", "There is no service %[1]s on this machine; its package may not be installed.", "这台电脑上没有 %[1]s 服务，可能没有安装对应的软件包。")
	sayBootYes         = i18n.T("부팅할 때 자동으로 시작돼요(enabled).", "It starts at boot (enabled).", "开机会自动启动（enabled）。")
	sayBootNo          = i18n.T("부팅할 때 자동으로 시작되지 않아요(disabled).", "It does not start at boot (disabled).", "开机不会自动启动（disabled）。")
	sayBootOther       = i18n.T("자동 시작 설정: %[1]s", "Start at boot: %[1]s", "开机启动设置：%[1]s")
	sayBootMasked      = i18n.T("시작이 막혀 있어요(masked).", "It is masked: it cannot be started.", "已被屏蔽（masked），无法启动。")
	sayEnabledYes      = i18n.T("네, %[1]s{은/는} 부팅할 때 자동으로 시작돼요(enabled).", "Yes, %[1]s starts at boot (enabled).", "是的，%[1]s 开机会自动启动（enabled）。")
	sayEnabledNo       = i18n.T("아니요, %[1]s{은/는} 부팅할 때 자동으로 시작되지 않아요(%[2]s).", "No, %[1]s does not start at boot (%[2]s).", "不会，%[1]s 开机不会自动启动（%[2]s）。")
	sayMainPID         = i18n.T("주 프로세스 %[1]s", "Main process %[1]s", "主进程 %[1]s")
	sayLastLog         = i18n.T("최근 로그:", "Latest log lines:", "最近的日志：")
	askStartService    = i18n.T("%[1]s{을/를} 시작할까요?", "Shall I start %[1]s?", "要启动 %[1]s 吗？")
	askIsInstalled     = i18n.T("%[1]s 패키지가 설치되어 있는지 확인해 볼까요?", "Shall I check whether the package %[1]s is installed?", "要检查是否安装了软件包 %[1]s 吗？")
	sayNoFailedUnits   = i18n.T("실패한 서비스가 없어요(`systemctl --failed`).", "No service has failed (`systemctl --failed`).", "没有失败的服务（`systemctl --failed`）。")
	sayFailedUnits     = i18n.T("실패한 서비스가 %[1]d개 있어요:", "Failed units: %[1]d.", "有 %[1]d 个失败的服务：")
	sayServicesRunning = i18n.T("서비스 %[1]d개 가운데 %[2]d개가 실행 중이에요.", "Running: %[2]d of %[1]d {service|services}.", "%[1]d 个服务中有 %[2]d 个正在运行。")
	sayServicesFailed  = i18n.T("실패한 것: %[1]s", "Failed: %[1]s", "失败的：%[1]s")
	sayServicesNone    = i18n.T("서비스가 하나도 보이지 않아요(`%[1]s`).", "No services are listed (`%[1]s`).", "没有列出任何服务（`%[1]s`）。")
	sayBusDown         = i18n.T("systemd에 연결할 수 없어요. 컨테이너 안이거나 세션 버스가 없을 수 있어요.", "systemd cannot be reached, which is usual in a container or without a session bus.", "无法连接 systemd，可能在容器内或没有会话总线。")
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
		return Reply{Text: joinBlocks(r.say(sayBusDown), quote(essentialLines(s.Stderr, 2)))}
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
		facts = append(facts, r.say(sayMainPID, st.mainPID))
	}
	question := ""
	if rep.Offer != nil {
		if rep.Offer.Tool == "read_logs" {
			question = r.say(askServiceLogs, unit)
		} else {
			question = r.say(askStartService, unit)
		}
	}
	log := ""
	if strings.HasPrefix(st.active, "failed") && len(st.log) > 0 {
		log = joinBlocks(r.say(sayLastLog), quote(strings.Join(st.log[max(0, len(st.log)-3):], "\n")))
	}
	rep.Text = paragraphs(joinBlocks(rep.Text, bullets(facts), log), question)
	return rep
}

func (r *result) verdict(unit string, st unitState) Reply {
	switch state, _, _ := strings.Cut(st.active, " "); {
	case strings.HasPrefix(st.active, "active (exited)"):
		return Reply{Text: r.say(sayServiceDone, unit, st.active)}
	case state == "active" || state == "reloading":
		if r.asksRunning() {
			return Reply{Text: r.polar(true, r.say(sayServiceUp, unit, st.active))}
		}
		return Reply{Text: r.say(sayServiceIs, unit, st.active)}
	case state == "failed":
		step := r.unitLog(unit, "since", "boot")
		text := r.say(sayServiceFailed, unit, strings.Replace(strings.TrimPrefix(st.active, "failed (Result: "), ")", ",", 1))
		if r.asksRunning() {
			text = r.polar(false, text)
		}
		return Reply{Text: text, Offer: &step}
	case state == "activating" || state == "deactivating":
		return Reply{Text: r.say(sayServiceBusy, unit, st.active)}
	}
	rep := Reply{Text: r.say(sayServiceDown, unit, st.active)}
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
		return r.say(sayEnabledYes, unit)
	}
	return r.say(sayEnabledNo, unit, st.enabled)
}

func (r *result) bootFact(st unitState) string {
	switch st.enabled {
	case "":
		return ""
	case "enabled":
		return r.say(sayBootYes)
	case "disabled":
		return r.say(sayBootNo)
	case "masked":
		return r.say(sayBootMasked)
	}
	return r.say(sayBootOther, st.enabled)
}

func (r *result) noSuchService(unit string) Reply {
	pkg := unit
	if n := intent.LookUpName(unit); n != nil {
		pkg = n.Package
	}
	step := intent.Call("package_info", "name", strings.ToLower(pkg))
	return Reply{Text: paragraphs(r.say(sayServiceMissing, unit), r.say(askIsInstalled, step.Input["name"])), Offer: &step}
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
		return Reply{Text: r.say(sayNoFailedUnits)}
	}
	unit := strings.TrimSuffix(units[0].unit, ".service")
	step := r.unitLog(unit, "since", "boot")
	text := joinBlocks(r.say(sayFailedUnits, len(units)), bullets(lines[:min(10, len(lines))]))
	return Reply{Text: paragraphs(text, r.say(askServiceLogs, unit)), Offer: &step}
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
		return Reply{Text: r.say(sayServicesNone, s.Command)}
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
	text := r.say(sayServicesRunning, len(units), len(running))
	if len(running) > 0 {
		shown := running[:min(20, len(running))]
		text = joinBlocks(text, bullets([]string{strings.Join(shown, ", ")}))
		if n := len(running) - len(shown); n > 0 {
			text += " … (+" + itoa(n) + ")"
		}
	}
	if len(failed) > 0 {
		text = joinBlocks(text, bullets([]string{r.say(sayServicesFailed, strings.Join(failed[:min(8, len(failed))], ", "))}))
	}
	return Reply{Text: text}
}
