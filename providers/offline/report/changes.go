package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayDoneInstall   = i18n.T("%[1]s{을/를} 설치했어요.", "Installed %[1]s.", "已安装 %[1]s。")
	sayAlreadyThere  = i18n.T("%[1]s{은/는} 이미 설치되어 있어서 다시 설치했어요.", "%[1]s was installed already and has been reinstalled.", "%[1]s 之前已安装，现已重新安装。")
	sayNothingToDo   = i18n.T("할 일이 없었어요: 이미 그 상태예요.", "There was nothing to do: it is that way already.", "无需操作：已经是这样了。")
	sayDoneRemove    = i18n.T("%[1]s{을/를} 삭제했어요. 필요 없어진 의존 패키지도 함께 정리됐어요.", "Removed %[1]s, together with dependencies nothing else needs.", "已卸载 %[1]s，并清理了不再需要的依赖。")
	sayNotThere      = i18n.T("%[1]s{은/는} 설치되어 있지 않아서 지울 것이 없어요.", "%[1]s is not installed, so there was nothing to remove.", "没有安装 %[1]s，无需卸载。")
	sayDoneUpdate    = i18n.T("시스템을 업데이트했어요.", "The system is updated.", "系统已更新。")
	sayDoneUpdateN   = i18n.T("시스템을 업데이트했어요(패키지 %[1]d개).", "The system is updated (packages changed: %[1]d).", "系统已更新（%[1]d 个软件包）。")
	sayAlreadyLatest = i18n.T("이미 최신 상태라 바뀐 것이 없어요.", "It was up to date already; nothing changed.", "系统已是最新，没有变化。")
	sayRebootAdvised = i18n.T("커널이 바뀌었어요. 재부팅하기 전에 \"재부팅해도 돼?\"라고 물어보시면 다시 켜질 수 있는지 확인해 드려요.", "The kernel changed. Before you reboot, ask \"can I reboot?\", and I check whether the machine will boot.", "内核已更新。重启前可以问我“可以重启吗”，我会检查能否正常启动。")
	sayPacnew        = i18n.T("새 설정 파일(.pacnew)이 생겼어요. 기존 설정과 비교해 보세요:", "New configuration files (.pacnew) appeared; compare them with yours:", "产生了新的配置文件（.pacnew），请与现有配置比较：")
	sayFailedInstall = i18n.T("%[1]s 설치에 실패했어요(%[2]s).", "Installing %[1]s failed (%[2]s).", "安装 %[1]s 失败（%[2]s）。")
	sayFailedRemove  = i18n.T("%[1]s 삭제에 실패했어요(%[2]s).", "Removing %[1]s failed (%[2]s).", "卸载 %[1]s 失败（%[2]s）。")
	sayFailedUpdate  = i18n.T("업데이트에 실패했어요(%[1]s).", "The update failed (%[1]s).", "更新失败（%[1]s）。")
	sayThenLogin     = i18n.T("로그아웃했다가 다시 로그인한 뒤 `fcitx5-configtool`에서 입력기를 추가하세요.", "Log out and in again, then add the input method in `fcitx5-configtool`.", "请注销并重新登录，然后在 `fcitx5-configtool` 中添加输入法。")
	sayThenFcitx     = i18n.T("fcitx5를 다시 시작하고 `fcitx5-configtool`에서 입력기를 추가하세요.", "Restart fcitx5, then add the input method in `fcitx5-configtool`.", "请重启 fcitx5，然后在 `fcitx5-configtool` 中添加输入法。")
	sayThenReboot    = i18n.T("재부팅해야 쓰이기 시작해요.", "It is used from the next reboot on.", "重启后才会生效。")
	sayThenReopen    = i18n.T("열어 둔 프로그램은 다시 열어야 새 글꼴로 보여요.", "Programs that are open show it once they are opened again.", "已打开的程序需重新打开才能使用新字体。")
	sayStarted       = i18n.T("%[1]s 서비스를 시작했어요.", "Started %[1]s.", "已启动 %[1]s。")
	sayStopped       = i18n.T("%[1]s 서비스를 껐어요.", "Stopped %[1]s.", "已停止 %[1]s。")
	sayRestarted     = i18n.T("%[1]s 서비스를 다시 시작했어요.", "Restarted %[1]s.", "已重启 %[1]s。")
	sayReloaded      = i18n.T("%[1]s 서비스가 설정을 다시 읽었어요.", "%[1]s reloaded its configuration.", "%[1]s 已重新加载配置。")
	sayEnabled       = i18n.T("이제 %[1]s{이/가} 부팅할 때 자동으로 시작돼요. 지금 켜려면 따로 시작해야 해요.", "%[1]s will start at boot from now on. It is not started by this; that is a step of its own.", "%[1]s 今后会开机自动启动。现在要启动需另外操作。")
	sayDisabled      = i18n.T("이제 %[1]s{은/는} 부팅할 때 자동으로 시작되지 않아요. 지금 켜져 있는 것은 그대로예요.", "%[1]s will no longer start at boot. If it is running now, it keeps running.", "%[1]s 今后不会开机自动启动。当前若在运行则保持运行。")
	sayFailedManage  = i18n.T("%[1]s 서비스 작업(%[2]s)에 실패했어요(%[3]s).", "The action %[2]s on %[1]s failed (%[3]s).", "对 %[1]s 执行 %[2]s 失败（%[3]s）。")
	askServiceLogs   = i18n.T("%[1]s 로그에서 이유를 찾아볼까요?", "Shall I look for the reason in the log of %[1]s?", "要在 %[1]s 的日志中查找原因吗？")
	askServiceStatus = i18n.T("%[1]s 상태를 확인해 볼까요?", "Shall I check how %[1]s is doing?", "要检查 %[1]s 的状态吗？")
	askStartNow      = i18n.T("지금 바로 시작할까요?", "Shall I start it now as well?", "现在也启动它吗？")
	askSearchInstead = i18n.T("비슷한 패키지를 검색해 볼까요?", "Shall I search for similar packages?", "要搜索类似的软件包吗？")
	sayOutput        = i18n.T("`%[1]s` 결과(%[2]s):", "Output of `%[1]s` (%[2]s):", "`%[1]s` 的输出（%[2]s）：")
	sayDoneQuietly   = i18n.T("`%[1]s`{을/를} 실행했어요. 출력은 없었어요(종료 코드 0).", "Ran `%[1]s`. It printed nothing (exit code 0).", "已运行 `%[1]s`，没有输出（退出码 0）。")
)

// lastStep returns the step that decides how a change ended.
func (r *result) lastStep() *providers.Step { return &r.steps[len(r.steps)-1] }

// failureDetails reports a failed change: its last meaningful output lines and their meaning.
func (r *result) failureDetails(head string, s *providers.Step) string {
	words := essentialLines(s.Stderr, 4)
	decisive := decisiveLines(s.Stdout)
	if words == "" && len(decisive) == 0 {
		words = essentialLines(s.Stdout, 4)
	}
	if words = joinBlocks(strings.Join(decisive, "\n"), words); words != "" {
		words = quote(words)
	}
	return joinBlocks(head, words, r.meaningOf(s.Stderr+"\n"+s.Stdout))
}

// decisiveLines returns at most four lines in which pacman names the conflicting files and packages. It prints
// them on standard output, and only the summary as an error.
func decisiveLines(stdout string) []string {
	var out []string
	for _, l := range outputLines(stdout) {
		if len(out) < 4 && containsAny(l, "exists in filesystem", "breaks dependency", "required by", "are in conflict") {
			out = append(out, l)
		}
	}
	return out
}

func (r *result) installReply() Reply {
	s, names := r.lastStep(), r.str("name")
	out := s.Stdout + s.Stderr
	if s.Exit != 0 {
		rep := Reply{Text: r.failureDetails(r.say(sayFailedInstall, names, r.how(s)), s)}
		if containsAny(out, "target not found", "No AUR package found", "could not find all required") {
			step := intent.Call("search_packages", "query", strings.Fields(names + " ?")[0])
			rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(askSearchInstead))
		}
		return rep
	}
	switch {
	case strings.Contains(out, "reinstalling"):
		return Reply{Text: r.say(sayAlreadyThere, names)}
	case strings.Contains(out, "there is nothing to do"):
		return Reply{Text: r.say(sayNothingToDo)}
	}
	return r.offerStart(joinBlocks(r.say(sayDoneInstall, names), r.afterInstall(names)), names)
}

// afterInstall returns what the user must do before a package works, "" for most.
func (r *result) afterInstall(names string) string {
	for _, name := range strings.Fields(names) {
		if text, ok := map[string]i18n.Text{"fcitx5-im": sayThenLogin, "fcitx5-hangul": sayThenFcitx, "fcitx5-chinese-addons": sayThenFcitx, "sof-firmware": sayThenReboot, "linux-firmware": sayThenReboot, "noto-fonts-cjk": sayThenReopen}[name]; ok {
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
	step := intent.Call("manage_service", "action", "start", "name", n.Service)
	if n.User {
		step.Input["user"] = true
	}
	return Reply{Text: paragraphs(text, r.say(askStartNow)), Offer: &step}
}

func (r *result) removeReply() Reply {
	s, names := r.lastStep(), r.str("name")
	if s.Exit == 0 {
		return Reply{Text: r.say(sayDoneRemove, names)}
	}
	if strings.Contains(s.Stderr+s.Stdout, "target not found") {
		return Reply{Text: joinBlocks(r.say(sayNotThere, names), quote(essentialLines(s.Stderr+"\n"+s.Stdout, 2)))}
	}
	return Reply{Text: r.failureDetails(r.say(sayFailedRemove, names, r.how(s)), s)}
}

func (r *result) updateReply() Reply {
	s := r.lastStep()
	if s.Exit != 0 {
		return Reply{Text: r.failureDetails(r.say(sayFailedUpdate, r.how(s)), s)}
	}
	out := s.Stdout + "\n" + s.Stderr
	if strings.Contains(out, "there is nothing to do") {
		return Reply{Text: r.say(sayAlreadyLatest)}
	}
	text, count := r.say(sayDoneUpdate), 0
	var pacnew []string
	for _, l := range outputLines(out) {
		if low := strings.TrimSpace(l); strings.HasPrefix(low, "upgrading ") || strings.HasPrefix(low, "installing ") {
			count++
		}
		if strings.Contains(l, ".pacnew") && len(pacnew) < 5 {
			pacnew = append(pacnew, l)
		}
	}
	if count > 0 {
		text = r.say(sayDoneUpdateN, count)
	}
	if containsAny(out, "upgrading linux...", "upgrading linux-lts...", "upgrading linux-zen...", "upgrading linux-hardened...", "vmlinuz") {
		text = joinBlocks(text, r.say(sayRebootAdvised))
	}
	if len(pacnew) > 0 {
		text = joinBlocks(text, r.say(sayPacnew), quote(strings.Join(pacnew, "\n")))
	}
	return Reply{Text: text}
}

func (r *result) serviceChangeReply() Reply {
	s, unit, action := r.lastStep(), r.str("name"), r.str("action")
	if s.Exit != 0 {
		rep := Reply{Text: r.failureDetails(r.say(sayFailedManage, unit, action, r.how(s)), s)}
		if !strings.Contains(s.Stderr, "not found") && !strings.Contains(s.Stderr, "not loaded") && !strings.Contains(s.Stderr, "uthentication") && !strings.Contains(s.Stderr, "denied") {
			step := r.unitLog(unit, "lines", 50)
			rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(askServiceLogs, unit))
		}
		return rep
	}
	done := map[string]i18n.Text{"start": sayStarted, "stop": sayStopped, "restart": sayRestarted, "reload": sayReloaded, "enable": sayEnabled, "disable": sayDisabled}[action]
	if done == (i18n.Text{}) {
		return r.command()
	}
	rep := Reply{Text: r.say(done, unit)}
	user := r.flag("user")
	switch action {
	case "enable":
		rep.Offer, rep.Text = r.serviceStep("manage_service", unit, user, "action", "start"), paragraphs(rep.Text, r.say(askStartNow))
	case "start", "restart":
		rep.Offer, rep.Text = r.serviceStep("check_service", unit, user), paragraphs(rep.Text, r.say(askServiceStatus, unit))
	}
	return rep
}

func (r *result) serviceStep(tool, unit string, user bool, kv ...any) *intent.Step {
	s := intent.Call(tool, append(kv, "name", unit)...)
	if user {
		s.Input["user"] = true
	}
	return &s
}

// command shows a limited part of a literal command's output.
func (r *result) command() Reply {
	if s := r.lastStep(); isSmart(s.Command) && len(r.steps) == 1 {
		if rep := r.smart(s); rep.Text != "" {
			return rep
		}
	}
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
	if text := r.actionText(s); text != "" {
		return text
	}
	out := strings.TrimSpace(joinBlocks(excerpt(s.Stdout, 30), excerpt(s.Stderr, 10)))
	if s.TimedOut {
		if out != "" {
			out = quote(out)
		}
		return joinBlocks(r.say(sayNotInTime, s.Command), out)
	}
	if out == "" && s.Exit == 0 {
		return r.say(sayDoneQuietly, s.Command)
	}
	if out == "" {
		return r.say(sayFailedSilently, s.Command, r.how(s))
	}
	text := joinBlocks(r.say(sayOutput, s.Command, r.how(s)), quote(out))
	if s.Exit != 0 {
		text = joinBlocks(text, r.meaningOf(s.Stderr))
	}
	return text
}
