package report

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
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
	files := "/etc/environment"
	if q.Home != "" && quoteWord(q.Home) == q.Home {
		for _, name := range []string{".xprofile", ".profile", ".bash_profile", ".zprofile"} {
			files += " " + q.Home + "/" + name
		}
	}
	return command(`grep -H -s -E "IM_MODULE|XMODIFIERS" ` + files)
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
func (q *inquiry) inputMethod() Reply {
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
	t := inputSetup{variables: read(machine.ParseVariables, q.anyStdout(q.variableFiles())), chinese: q.Lang.Base() == i18n.Chinese}
	running := q.output(inputRunning, "")
	t.hasProcesses = running != nil && running.Stderr == "" && !running.TimedOut && isProcessList(running)
	t.hasFiles = isSearchResult(q.output(q.variableFiles(), ""))
	for _, p := range read(machine.ParsePgrep, q.anyStdout(inputRunning)) {
		for _, w := range frameworks {
			if p.Command == w.process && !slices.ContainsFunc(t.running, func(o framework) bool { return o.name == w.name }) {
				t.running = append(t.running, w)
			}
		}
	}
	for _, p := range read(machine.ParsePackages, q.anyStdout(inputInstalled)) {
		if hasAnyPrefix(p.Name, "fcitx5", "ibus", "kime", "nimf") && len(p.Name) < 40 {
			t.installed = append(t.installed, p.Name)
		}
	}
	t.hasPackages = len(t.installed) > 0 || strings.Contains(q.stderr(inputInstalled), "was not found")
	t.session, t.desktop = sessionOf(q.anyStdout(inputSession))
	return t
}

// sessionOf parses printenv of the session type and the desktop. A variable that is not set has no line.
func sessionOf(text string) (session, desktop string) {
	for _, line := range machine.Lines(text) {
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
	lines := machine.Lines(s.Stdout)
	return (s.Exit > 0 || len(lines) > 0) && !slices.ContainsFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "/") })
}

// isProcessList reports whether pgrep -l printed a number and a name per line, or exited 1 without output (pgrep(1)).
func isProcessList(s *providers.Step) bool {
	list, ok := tryRead(machine.ParsePgrep, s.Stdout)
	return ok && (s.Exit == 0 || s.Exit == 1) && (len(list) > 0) == (s.Exit == 0)
}

func (t inputSetup) has(name string) bool { return slices.Contains(t.installed, name) }

func (t inputSetup) installedFramework() *framework {
	i := slices.IndexFunc(frameworks, func(w framework) bool {
		return t.has(w.name) || w.name == "kime" && (t.has("kime-bin") || t.has("kime-git"))
	})
	if i < 0 {
		return nil
	}
	return &frameworks[i]
}

// engines returns the packages of which one must be installed.
func (t inputSetup) engines(w framework) []string {
	if t.chinese {
		return w.chinese
	}
	return w.korean
}

// inputVariables are the variables that tell programs which input method to use.
var inputVariables = []string{"GTK_IM_MODULE", "QT_IM_MODULE", "XMODIFIERS"}

func (t inputSetup) assignment(name string) string { return name + "=" + t.variables[name] }

// wrongVariables returns the variables that name a framework other than the running one.
func (t inputSetup) wrongVariables(w framework) []string {
	wrong := filter(inputVariables, func(name string) bool {
		v := path.Base(strings.TrimPrefix(t.variables[name], "@im="))
		return v != w.module && slices.ContainsFunc(frameworks, func(other framework) bool { return other.module == v })
	})
	return each(wrong, t.assignment)
}

func (q *inquiry) languageName(t inputSetup) string {
	if t.chinese {
		return q.say(i18n.HelperInputChinese)
	}
	return q.say(i18n.HelperInputHangul)
}

func (q *inquiry) inputFacts(t inputSetup) []string {
	runs := q.fact(i18n.HelperInputRuns2, t.runningNames())
	if t.hasProcesses && runs == "" {
		runs = q.say(i18n.HelperInputRunsNone)
	}
	if !t.hasProcesses {
		runs = ""
	}
	session := strings.TrimSpace(cutRunes(t.session, 20) + " " + cutRunes(t.desktop, 30))
	return nonEmpty(runs, q.fact(i18n.HelperInputHas, firstOf(t.installed, 8)), q.fact(i18n.HelperInputSession, session))
}

func (t inputSetup) runningNames() string {
	return names(t.running, len(frameworks), func(w framework) string { return w.name })
}

func (q *inquiry) inputMissing(t inputSetup) *finding {
	f := &finding{evidence: q.inputFacts(t)}
	here, known := t.installedFramework(), t.hasPackages
	switch {
	case len(t.running) > 1:
		f.verdict, f.meaning = q.say(i18n.HelperInputTwoFrameworks(t.runningNames())), q.say(i18n.HelperInputTwoMeans)
	case known && t.hasProcesses && here == nil && len(t.running) == 0:
		f.verdict = q.say(i18n.HelperInputNoFramework(q.languageName(t)))
		q.proposeInstall(f, "fcitx5-im "+t.engines(frameworks[0])[0])
	case known && q.engineMissing(f, t, here):
	case t.hasProcesses && len(t.running) == 0 && here != nil:
		f.verdict, f.meaning = q.say(i18n.HelperInputNotRunning(here.name)), q.say(i18n.HelperInputAutostartNote)
		f.propose(command(here.start), q.say(i18n.HelperInputAskStartInput(here.name, here.start)))
	default:
		return nil
	}
	return f
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
	f.verdict = q.say(i18n.HelperInputNoEngine(here.name, engines[0], q.languageName(t)))
	q.proposeInstall(f, engines[0])
	return true
}

// inputState reports on a running framework: its list of engines, then the variables.
func (q *inquiry) inputState(t inputSetup) *finding {
	f := &finding{evidence: q.inputFacts(t)}
	if len(t.running) == 0 {
		f.verdict = q.say(i18n.HelperInputUnseen)
		return f
	}
	w := t.running[0]
	if profile := q.stdout(q.profileFile()); w.name == "fcitx5" && profile != "" {
		list := read(machine.ParseFcitxProfile, profile)
		f.note(q.say(i18n.HelperInputProfileHas(firstOf(list, 6))))
		engines := []string{"hangul"}
		if t.chinese {
			engines = []string{"pinyin", "shuangpin", "rime", "wbx", "cangjie", "chewing", "wubi98"}
		}
		if len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return slices.Contains(engines, s) }) {
			f.verdict = q.say(i18n.HelperInputNotInProfile(w.name, engines[0]))
			f.meaning = q.say(i18n.HelperInputAddInTool(engines[0]))
			return f
		}
	}
	q.variables(f, t, w)
	return f
}

func (q *inquiry) profileFile() intent.Step {
	return command("cat " + q.Home + "/.config/fcitx5/profile")
}

// variables reports what the files set for programs. Wayland sessions of KDE and GNOME need no variables.
func (q *inquiry) variables(f *finding, t inputSetup, w framework) {
	wrong := t.wrongVariables(w)
	missing := filter(inputVariables, func(name string) bool { return t.variables[name] == "" })
	wayland := t.session == "wayland"
	switch {
	case len(wrong) > 0:
		f.verdict = q.say(i18n.HelperInputOtherVariable(w.name, strings.Join(wrong, ", ")))
		f.meaning = q.say(i18n.HelperInputVariablesFix(variableLines(w)))
		return
	case len(missing) > 0 && t.session == "x11" && t.hasFiles:
		f.verdict = q.say(i18n.HelperInputVariables(strings.Join(missing, ", ")))
		f.meaning = joinBlocks(q.say(i18n.HelperInputVariablesFix(variableLines(w))), q.say(i18n.HelperInputEnvUnseen))
		return
	}
	f.verdict = q.say(i18n.HelperInputRuns(w.name))
	if len(t.installed) > 0 && (len(missing) == 0 || wayland) {
		f.verdict = q.say(i18n.HelperInputFine(w.name, q.languageName(t)))
	}
	set := filter(inputVariables, func(name string) bool { return t.variables[name] != "" })
	f.note(names(set, len(set), t.assignment))
	if wayland && strings.Contains(t.desktop, "KDE") && w.name == "fcitx5" {
		f.meaning = q.say(i18n.HelperInputWaylandKde)
		return
	}
	f.meaning = q.say(i18n.HelperInputSwitch)
}

func variableLines(w framework) string {
	return "`GTK_IM_MODULE=" + w.module + "` `QT_IM_MODULE=" + w.module + "` `XMODIFIERS=@im=" + w.module + "`"
}
