package report

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayNoFramework   = i18n.T("입력기가 설치되어 있지 않아서 %[1]s{을/를} 입력할 수 없어요.", "No input method is installed, so %[1]s cannot be typed.", "没有安装输入法，因此无法输入%[1]s。")
	sayNoEngine      = i18n.T("%[1]s{은/는} 있지만 %[3]s 입력 엔진(%[2]s)이 설치되어 있지 않아요.", "%[1]s is there, but its %[3]s engine (%[2]s) is not installed.", "有 %[1]s，但没有安装%[3]s引擎（%[2]s）。")
	sayNotRunning    = i18n.T("입력기 %[1]s{이/가} 설치되어 있지만 실행 중이 아니에요.", "The input method %[1]s is installed but not running.", "输入法 %[1]s 已安装但没有运行。")
	sayTwoFrameworks = i18n.T("입력기가 둘 이상 돌고 있어서(%[1]s) 서로 방해해요.", "Two input methods run at once (%[1]s) and get in each other's way.", "同时运行了多个输入法（%[1]s），互相干扰。")
	sayTwoMeans      = i18n.T("하나만 남기고 나머지는 자동 시작에서 빼세요.", "Keep one and take the other out of autostart.", "只保留一个，并将另一个从自动启动中移除。")
	sayNotInProfile  = i18n.T("%[1]s{이/가} 돌고 있지만 입력기 목록에 %[2]s{이/가} 없어요. 그래서 한/영 키를 눌러도 바뀌지 않아요.", "%[1]s runs, but its list of input methods has no %[2]s, so there is nothing to switch to.", "%[1]s 正在运行，但输入法列表中没有 %[2]s，因此无法切换。")
	sayAddInTool     = i18n.T("`fcitx5-configtool`을 열고 \"입력기 추가\"에서 %[1]s{을/를} 넣어 주세요.", "Open `fcitx5-configtool` and add %[1]s.", "请打开 `fcitx5-configtool` 并添加 %[1]s。")
	sayVariables     = i18n.T("입력기는 준비되어 있지만, 프로그램이 쓸 환경 변수가 설정 파일에 없어요: %[1]s.", "The input method is ready, but the variables that programs need are not in the files I can read: %[1]s.", "输入法已就绪，但我能读取的文件中没有程序所需的环境变量：%[1]s。")
	sayOtherVariable = i18n.T("돌고 있는 입력기는 %[1]s인데 환경 변수는 다른 것을 가리켜요: %[2]s.", "%[1]s runs, but the variables name another one: %[2]s.", "运行的是 %[1]s，但环境变量指向另一个：%[2]s。")
	sayVariablesFix  = i18n.T("`/etc/environment`에 이 줄들을 넣고 다시 로그인하세요: %[1]s", "Put these lines into `/etc/environment` and log in again: %[1]s", "请在 `/etc/environment` 中加入以下各行并重新登录：%[1]s")
	sayInputFine     = i18n.T("%[1]s{이/가} 돌고 있고 %[2]s 입력 준비가 되어 있어요.", "%[1]s runs and is set up for %[2]s.", "%[1]s 正在运行，并已设置好%[2]s输入。")
	sayInputUnseen   = i18n.T("어떤 입력기가 있고 돌고 있는지 알아보지 못했어요(`pgrep`, `pacman -Q`의 출력을 읽을 수 없어요).", "Which input method there is, and whether it runs, could not be seen (the output of `pgrep` or `pacman -Q` is not readable).", "无法得知有哪些输入法、是否在运行（`pgrep`、`pacman -Q` 的输出无法解析）。")
	sayInputRuns     = i18n.T("%[1]s{은/는} 돌고 있어요.", "%[1]s runs.", "%[1]s 正在运行。")
	sayInputSwitch   = i18n.T("한/영 키나 Ctrl+Space로 바꿔 보고, 그래도 안 되면 그 프로그램만 다시 열어 보세요.", "If it does not switch, try the Hangul key or Ctrl+Space, then restart that one program.", "如果无法切换，请尝试 Ctrl+Space，然后重新打开该程序。")
	sayWaylandKDE    = i18n.T("KDE Wayland에서는 시스템 설정의 \"가상 키보드\"에서 Fcitx 5를 골라야 해요.", "On KDE Wayland, Fcitx 5 must be chosen under \"Virtual Keyboard\" in the system settings.", "在 KDE Wayland 上，需要在系统设置的“虚拟键盘”中选择 Fcitx 5。")
	sayRuns          = i18n.T("실행 중: %[1]s(`pgrep`)", "Running: %[1]s (`pgrep`)", "正在运行：%[1]s（`pgrep`）")
	sayRunsNone      = i18n.T("실행 중인 입력기: 없음(`pgrep`)", "No input method is running (`pgrep`)", "没有正在运行的输入法（`pgrep`）")
	sayHas           = i18n.T("설치됨: %[1]s(`pacman -Q`)", "Installed: %[1]s (`pacman -Q`)", "已安装：%[1]s（`pacman -Q`）")
	saySession       = i18n.T("세션: %[1]s(`printenv`)", "Session: %[1]s (`printenv`)", "会话：%[1]s（`printenv`）")
	sayProfileHas    = i18n.T("입력기 목록: %[1]s(`~/.config/fcitx5/profile`)", "Input methods: %[1]s (`~/.config/fcitx5/profile`)", "输入法列表：%[1]s（`~/.config/fcitx5/profile`）")
	sayEnvUnseen     = i18n.T("지금 세션의 환경 변수와 `~/.config/environment.d`는 보지 못했어요.", "The variables of the running session and `~/.config/environment.d` are out of my sight.", "我无法看到当前会话的环境变量和 `~/.config/environment.d`。")
	askStartInput    = i18n.T("%[1]s{을/를} 시작할까요? (`%[2]s`)", "Shall I start %[1]s? (`%[2]s`)", "要启动 %[1]s 吗？（`%[2]s`）")
	sayAutostartNote = i18n.T("로그인할 때 저절로 켜지게 하려면 데스크톱의 자동 시작에도 넣어 두세요.", "To have it start by itself, add it to the desktop's autostart.", "若要登录时自动启动，请把它加入桌面的自动启动。")
	sayHangul        = i18n.T("한글", "Korean", "韩文")
	sayChinese       = i18n.T("중국어", "Chinese", "中文")
)

// framework is an input method: its process, its package, the packages of its language engines, and its value
// in the environment variables.
type framework struct {
	name, process, module string
	korean, chinese       []string
	start                 string
}

var frameworks = []framework{
	{"fcitx5", "fcitx5", "fcitx", []string{"fcitx5-hangul"}, []string{"fcitx5-chinese-addons", "fcitx5-rime"}, "fcitx5 -d"},
	{"ibus", "ibus-daemon", "ibus", []string{"ibus-hangul"}, []string{"ibus-libpinyin", "ibus-rime"}, "ibus-daemon -drx"},
	{"kime", "kime", "kime", []string{"kime", "kime-bin", "kime-git"}, nil, "kime"},
	{"nimf", "nimf", "nimf", []string{"nimf"}, nil, "nimf"},
}

var (
	inputRunning   = command(`pgrep -l "^(fcitx5|ibus-daemon|kime|nimf)$"`)
	inputInstalled = command("pacman -Q fcitx5 fcitx5-hangul fcitx5-chinese-addons fcitx5-rime fcitx5-gtk fcitx5-qt ibus ibus-hangul ibus-libpinyin ibus-rime kime kime-bin kime-git nimf")
	inputSession   = command("printenv XDG_SESSION_TYPE XDG_CURRENT_DESKTOP")
)

// variableFiles searches the files that may set the variables and are safe to read.
func (q *inquiry) variableFiles() intent.Step {
	home := q.Home
	if quoteWord(home) != home || home == "" {
		return command("grep -H -s -E \"IM_MODULE|XMODIFIERS\" /etc/environment")
	}
	return command("grep -H -s -E \"IM_MODULE|XMODIFIERS\" /etc/environment " + home + "/.xprofile " + home + "/.profile " + home + "/.bash_profile " + home + "/.zprofile")
}

func (q *inquiry) profileFile() intent.Step {
	return command("cat " + q.Home + "/.config/fcitx5/profile")
}

// inputSetup is what is known about input methods.
type inputSetup struct {
	running      []framework
	installed    []string
	session      string
	desktop      string
	variables    map[string]string // variable to value
	chinese      bool
	hasProcesses bool // the list of processes could be read
	hasFiles     bool // the files with the variables could be searched
	hasPackages  bool // the list of packages could be read
}

// input finds the missing part of Korean or Chinese input.
func (q *inquiry) input() Reply {
	if !q.collect(q.first, inputRunning, inputInstalled, inputSession, q.variableFiles()) {
		return Reply{}
	}
	if q.output(inputRunning, "") == nil && q.output(inputInstalled, "") == nil {
		return q.toolReply(q.first)
	}
	t := q.readInputSetup()
	if f := q.inputMissing(t); f != nil {
		return f.reply()
	}
	if len(t.running) == 1 && t.running[0].name == "fcitx5" && !q.collect(q.profileFile()) {
		return Reply{}
	}
	return q.inputState(t).reply()
}

func (q *inquiry) readInputSetup() inputSetup {
	t := inputSetup{variables: parseVariables(q.anyStdout(q.variableFiles())), chinese: q.Lang == i18n.Chinese}
	running := q.output(inputRunning, "")
	t.hasProcesses = running != nil && running.Stderr == "" && !running.TimedOut && isProcessList(running)
	t.hasFiles = isSearchResult(q.output(q.variableFiles(), ""))
	for _, line := range outputLines(q.anyStdout(inputRunning)) {
		f := strings.Fields(line)
		for _, w := range frameworks {
			if len(f) == 2 && f[1] == w.process && !slices.ContainsFunc(t.running, func(o framework) bool { return o.name == w.name }) {
				t.running = append(t.running, w)
			}
		}
	}
	for _, line := range outputLines(q.anyStdout(inputInstalled)) {
		if f := strings.Fields(line); len(f) == 2 && hasAnyPrefix(f[0], "fcitx5", "ibus", "kime", "nimf") && len(f[0]) < 40 {
			t.installed = append(t.installed, f[0])
		}
	}
	t.hasPackages = len(t.installed) > 0 || strings.Contains(q.stderr(inputInstalled), "was not found")
	t.session, t.desktop = sessionOf(q.anyStdout(inputSession))
	return t
}

// sessionOf parses printenv of the session type and the desktop. A variable that is not set has no line.
func sessionOf(text string) (session, desktop string) {
	for _, line := range outputLines(text) {
		switch {
		case slices.Contains([]string{"x11", "wayland", "tty", "mir"}, line):
			session = line
		case quoteWord(line) == line && desktop == "":
			desktop = line
		}
	}
	return session, desktop
}

// isSearchResult reports whether grep -H -s searched the files: it exits 1 if nothing matches and 2 if some do not
// exist (grep(1)).
func isSearchResult(s *providers.Step) bool {
	if s == nil || s.TimedOut || s.Stderr != "" || s.Exit < 0 || s.Exit > 2 {
		return false
	}
	lines := outputLines(s.Stdout)
	return (s.Exit > 0 || len(lines) > 0) && !slices.ContainsFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "/") })
}

// isProcessList reports whether pgrep -l printed a number and a name per line, or exited 1 without output
// (pgrep(1)).
func isProcessList(s *providers.Step) bool {
	lines := outputLines(s.Stdout)
	if s.Exit != 0 && s.Exit != 1 || (len(lines) > 0) == (s.Exit == 1) {
		return false
	}
	for _, line := range lines {
		pid, _, ok := strings.Cut(line, " ")
		if _, err := strconv.Atoi(pid); !ok || err != nil {
			return false
		}
	}
	return true
}

// parseVariables parses grep -H: "/etc/environment:GTK_IM_MODULE=fcitx". It skips comments.
func parseVariables(text string) map[string]string {
	out := map[string]string{}
	for _, line := range outputLines(text) {
		_, setting, ok := strings.Cut(line, ":")
		setting = strings.TrimPrefix(strings.TrimSpace(setting), "export ")
		key, value, assigned := strings.Cut(setting, "=")
		if !ok || !assigned || strings.HasPrefix(setting, "#") || strings.ContainsAny(key, " \t") || len(key) > 20 {
			continue
		}
		out[key] = strings.Trim(cutRunes(value, 40), `"'`)
	}
	return out
}

func (t inputSetup) has(name string) bool { return slices.Contains(t.installed, name) }

func (t inputSetup) installedFramework() *framework {
	for i, w := range frameworks {
		if t.has(w.name) || w.name == "kime" && (t.has("kime-bin") || t.has("kime-git")) {
			return &frameworks[i]
		}
	}
	return nil
}

// engines returns the packages of which one must be installed.
func (t inputSetup) engines(w framework) []string {
	if t.chinese {
		return w.chinese
	}
	return w.korean
}

func (q *inquiry) languageName(t inputSetup) string {
	if t.chinese {
		return q.say(sayChinese)
	}
	return q.say(sayHangul)
}

func (q *inquiry) inputFacts(t inputSetup) []string {
	var names []string
	for _, w := range t.running {
		names = append(names, w.name)
	}
	out := []string{q.say(sayRunsNone)}
	if len(names) > 0 {
		out[0] = q.say(sayRuns, strings.Join(names, ", "))
	}
	if !t.hasProcesses {
		out = nil
	}
	if len(t.installed) > 0 {
		out = append(out, q.say(sayHas, strings.Join(t.installed[:min(8, len(t.installed))], ", ")))
	}
	if t.session+t.desktop != "" {
		out = append(out, q.say(saySession, strings.TrimSpace(cutRunes(t.session, 20)+" "+cutRunes(t.desktop, 30))))
	}
	return out
}

// inputMissing reports a missing package or process.
func (q *inquiry) inputMissing(t inputSetup) *finding {
	f := &finding{evidence: q.inputFacts(t)}
	here, known := t.installedFramework(), t.hasPackages
	switch {
	case len(t.running) > 1:
		f.verdict, f.meaning = q.say(sayTwoFrameworks, runningNames(t)), q.say(sayTwoMeans)
	case known && t.hasProcesses && here == nil && len(t.running) == 0:
		f.verdict = q.say(sayNoFramework, q.languageName(t))
		packages := "fcitx5-im " + t.engines(frameworks[0])[0]
		f.propose(intent.Call("install_package", "name", packages), q.say(askInstallIt, packages))
	case known && q.engineMissing(f, t, here):
	case t.hasProcesses && len(t.running) == 0 && here != nil:
		f.verdict, f.meaning = q.say(sayNotRunning, here.name), q.say(sayAutostartNote)
		f.propose(command(here.start), q.say(askStartInput, here.name, here.start))
	default:
		return nil
	}
	return f
}

func runningNames(t inputSetup) string {
	var names []string
	for _, w := range t.running {
		names = append(names, w.name)
	}
	return strings.Join(names, ", ")
}

// engineMissing reports a framework without an engine for the language.
func (q *inquiry) engineMissing(f *finding, t inputSetup, here *framework) bool {
	if len(t.running) == 1 {
		here = &t.running[0]
	}
	if here == nil || len(t.installed) == 0 {
		return false
	}
	engines := t.engines(*here)
	if len(engines) == 0 || slices.ContainsFunc(engines, t.has) {
		return false
	}
	f.verdict = q.say(sayNoEngine, here.name, engines[0], q.languageName(t))
	f.propose(intent.Call("install_package", "name", engines[0]), q.say(askInstallIt, engines[0]))
	return true
}

// inputState reports on a running framework: its list of engines, then the variables.
func (q *inquiry) inputState(t inputSetup) finding {
	f := finding{evidence: q.inputFacts(t)}
	if len(t.running) == 0 {
		return finding{verdict: q.say(sayInputUnseen), evidence: f.evidence}
	}
	w := t.running[0]
	if w.name == "fcitx5" {
		list, seen := parseProfile(q.stdout(q.profileFile())), q.stdout(q.profileFile()) != ""
		if seen {
			f.note(q.say(sayProfileHas, strings.Join(list[:min(6, len(list))], ", ")))
		}
		if engine := profileEngines(t); seen && len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return slices.Contains(engine, s) }) {
			f.verdict, f.meaning = q.say(sayNotInProfile, w.name, engine[0]), q.say(sayAddInTool, engine[0])
			return f
		}
	}
	q.variables(&f, t, w)
	return f
}

// profileEngines returns the engine names in fcitx5's profile.
func profileEngines(t inputSetup) []string {
	if t.chinese {
		return []string{"pinyin", "shuangpin", "rime", "wbx", "cangjie", "chewing", "wubi98"}
	}
	return []string{"hangul"}
}

// parseProfile parses ~/.config/fcitx5/profile and returns the names of the input methods of all groups.
func parseProfile(text string) []string {
	var out []string
	inItem := false
	for _, line := range outputLines(text) {
		if strings.HasPrefix(line, "[") {
			inItem = strings.Contains(line, "/Items/")
			continue
		}
		if v, ok := strings.CutPrefix(line, "Name="); ok && inItem && v != "" && !slices.Contains(out, v) {
			out = append(out, cutRunes(v, 30))
		}
	}
	return out
}

// variables reports what the files set for programs. Wayland sessions of KDE and GNOME need no variables.
func (q *inquiry) variables(f *finding, t inputSetup, w framework) {
	wrong, missing := t.wrongVariables(w), t.missingVariables()
	wayland := t.session == "wayland"
	switch {
	case len(wrong) > 0:
		f.verdict = q.say(sayOtherVariable, w.name, strings.Join(wrong, ", "))
		f.meaning = q.say(sayVariablesFix, variableLines(w))
		return
	case len(missing) > 0 && t.session == "x11" && t.hasFiles:
		f.verdict = q.say(sayVariables, strings.Join(missing, ", "))
		f.meaning = joinBlocks(q.say(sayVariablesFix, variableLines(w)), q.say(sayEnvUnseen))
		return
	}
	f.verdict = q.say(sayInputRuns, w.name)
	if len(t.installed) > 0 && (len(missing) == 0 || wayland) {
		f.verdict = q.say(sayInputFine, w.name, q.languageName(t))
	}
	f.note(variableText(t)...)
	if wayland && strings.Contains(t.desktop, "KDE") && w.name == "fcitx5" {
		f.meaning = q.say(sayWaylandKDE)
		return
	}
	f.meaning = q.say(sayInputSwitch)
}

func variableText(t inputSetup) []string {
	var out []string
	for _, k := range []string{"GTK_IM_MODULE", "QT_IM_MODULE", "XMODIFIERS"} {
		if v := t.variables[k]; v != "" {
			out = append(out, k+"="+v)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return []string{strings.Join(out, ", ")}
}

func (t inputSetup) missingVariables() []string {
	var out []string
	for _, k := range []string{"GTK_IM_MODULE", "QT_IM_MODULE", "XMODIFIERS"} {
		if t.variables[k] == "" {
			out = append(out, k)
		}
	}
	return out
}

// wrongVariables returns the variables that name a framework other than the running one.
func (t inputSetup) wrongVariables(w framework) []string {
	var out []string
	for _, k := range []string{"GTK_IM_MODULE", "QT_IM_MODULE", "XMODIFIERS"} {
		v := path.Base(strings.TrimPrefix(t.variables[k], "@im="))
		for _, other := range frameworks {
			if v == other.module && other.module != w.module {
				out = append(out, k+"="+t.variables[k])
			}
		}
	}
	return out
}

func variableLines(w framework) string {
	return "`GTK_IM_MODULE=" + w.module + "` `QT_IM_MODULE=" + w.module + "` `XMODIFIERS=@im=" + w.module + "`"
}
