package diagnose

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Input is the question why Korean or Chinese cannot be typed. The object is the program in which it cannot; without one, all
// programs are meant.
func Input() Topic {
	return Topic{ID: "input", Object: AProgram, About: i18n.DiagnoseAboutInput, sound: inputSound, causes: []cause{
		{"not-installed", inputAbsent},
		{"two-frameworks", twoFrameworks},
		{"engine-missing", engineMissing},
		{"not-running", inputStopped},
		{"not-in-list", notInList},
		{"not-in-gnome", notInGNOME},
		{"variables", wrongVariables},
		{"no-variables", noVariables},
		{"started-before", startedBefore},
		{"no-kwin-keyboard", noKWinKeyboard},
		{"toggle-taken", toggleTaken},
	}}
}

// framework is a program that input methods belong to, by its process: its package, its value in variables, and what
// starts and
// ends it.
type framework struct{ pkg, module, start, stop string }

var frameworks = map[string]framework{
	"fcitx5":      {"fcitx5", "fcitx", "fcitx5 -d", "fcitx5-remote -e"},
	"ibus-daemon": {"ibus", "ibus", "ibus-daemon -drx", "ibus exit"},
	"kime":        {"kime", "kime", "kime", "pkill -x kime"},
	"nimf":        {"nimf", "nimf", "nimf", "pkill -x nimf"},
}

// isOf reports whether a package is the framework's own: kime has more than one.
func (w framework) isOf(name string) bool {
	return name == w.pkg || w.pkg == "kime" && strings.HasPrefix(name, "kime-")
}

// engine is an input method, with its package and others that have it too.
type engine struct {
	name, pkg, lang string
	others          []string
}

// engine returns the input method of fcitx5 that the person means.
func (f *Facts) engine() engine {
	language := f.stdout(machine.LanguageProbe)
	switch {
	case f.asks(i18n.DesktopWordsChinese), strings.HasPrefix(language, "zh") && !f.asks(i18n.DesktopWordsKorean):
		return engine{"pinyin", "fcitx5-chinese-addons", "zh", []string{"fcitx5-rime"}}
	case f.asks(i18n.DesktopWordsJapanese):
		return engine{"mozc", "fcitx5-mozc", "ja", nil}
	}
	return engine{"hangul", "fcitx5-hangul", "ko", nil}
}

// ibusEngine returns that of IBus.
func (f *Facts) ibusEngine() engine {
	if f.engine().lang == "zh" {
		return engine{"libpinyin", "ibus-libpinyin", "zh", []string{"ibus-rime"}}
	}
	return engine{"hangul", "ibus-hangul", "ko", nil}
}

func (e engine) isIn(have []string) bool {
	return slices.Contains(have, e.pkg) || slices.ContainsFunc(e.others,
		func(name string) bool { return slices.Contains(have, name) })
}

// inputPackages returns the installed packages of input methods. ok is false if they are not known: pacman(8) always
// says which
// ones it does not know.
func (f *Facts) inputPackages() (names []string, ok bool) {
	out, known := f.output(machine.InputPackagesProbe)
	if !known || out.Cut || out.Stdout == "" && !strings.Contains(out.Stderr, "was not found") {
		return nil, false
	}
	for _, line := range machine.Lines(out.Stdout) {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	return names, true
}

// running returns the frameworks that run. ps(1) exits with 1 if there are none.
func (f *Facts) running() (names []string, ok bool) {
	lines, ok := f.shown(machine.InputMethodsProbe)
	for _, line := range lines {
		if name := strings.TrimSpace(line); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, ok
}

func inputAbsent(f *Facts) *Finding {
	have, ok := f.inputPackages()
	if !ok || len(have) > 0 {
		return nil
	}
	e := f.engine()
	goal := i18n.InputInstallGoal(e.pkg)
	return proved(i18n.InputAbsent, see(machine.InputPackagesProbe, i18n.DesktopNone)).
		offer(goal, install(goal, "fcitx5 fcitx5-configtool fcitx5-gtk fcitx5-qt "+e.pkg)).
		advise(i18n.InputInstallAdvice(e.name))
}

func twoFrameworks(f *Facts) *Finding {
	have, _ := f.running()
	if len(have) < 2 {
		return nil
	}
	found := proved(i18n.InputTwo(strings.Join(have, ", ")), seeLine(machine.InputMethodsProbe, strings.Join(have, ", ")))
	if slices.Contains(have, "fcitx5") && slices.Contains(have, "ibus-daemon") {
		found.offer(i18n.InputTwoGoal, run(i18n.InputTwoGoal, "ibus exit", "", "", "ibus-daemon -drx"))
	}
	return found.advise(i18n.InputTwoAdvice)
}

// profile returns the input methods that fcitx5 offers.
func (f *Facts) profile() []string {
	list, _ := parse(f, machine.FcitxProfileProbe, machine.ParseFcitxProfile) // without a profile there are none
	return list
}

func engineMissing(f *Facts) *Finding {
	have, ok := f.inputPackages()
	running, _ := f.running()
	e, name := f.engine(), "fcitx5"
	isIBus := func(name string) bool { return strings.HasPrefix(name, "ibus") }
	switch fcitx := slices.Contains(have, name); {
	case slices.Equal(running, []string{"ibus-daemon"}), !fcitx && slices.Contains(have, "ibus"):
		e, name = f.ibusEngine(), "ibus"
	case !fcitx, !slices.Equal(running, []string{"fcitx5"}) && slices.ContainsFunc(have, isIBus):
		return nil
	}
	if !ok || e.isIn(have) || f.engine().lang == "ja" && name == "ibus" ||
		slices.ContainsFunc(have, func(name string) bool { return frameworks["kime"].isOf(name) || name == "nimf" }) {
		return nil
	}
	goal := i18n.InputInstallGoal(e.pkg)
	found := proved(i18n.InputEngine(name, e.name, e.pkg), seeLine(machine.InputPackagesProbe, strings.Join(have, " "))).
		offer(goal, install(goal, e.pkg))
	if name == "ibus" {
		return found
	}
	return found.advise(i18n.InputInstallAdvice(e.name))
}

func inputStopped(f *Facts) *Finding {
	running, ok := f.running()
	have, _ := f.inputPackages()
	if !ok || len(running) > 0 {
		return nil
	}
	for _, name := range []string{"fcitx5", "ibus-daemon", "kime", "nimf"} {
		w := frameworks[name]
		if !slices.ContainsFunc(have, w.isOf) {
			continue
		}
		found := proved(i18n.InputStopped(name), see(machine.InputMethodsProbe, i18n.DesktopNone),
			seeLine(machine.InputPackagesProbe, strings.Join(have, " "))).
			offer(i18n.DesktopStart(name), run(i18n.DesktopStart(name), w.start, machine.InputMethodsProbe.String(), name,
				w.stop))
		if name == "fcitx5" {
			return found.advise(i18n.InputAutostartAdvice(name))
		}
		return found
	}
	return nil
}

// chineseMethods are the input methods of fcitx5-chinese-addons and fcitx5-rime besides pinyin.
var chineseMethods = []string{"shuangpin", "rime", "wbx", "cangjie", "chewing", "wubi98"}

// notInList finds an installed input method that fcitx5 does not offer. fcitx5 writes its profile when it ends, so it
// is stopped
// before the profile is changed.
func notInList(f *Facts) *Finding {
	have, _ := f.inputPackages()
	e, list := f.engine(), f.profile()
	if !e.isIn(have) || len(list) == 0 || slices.Contains(list, e.name) || e.lang == "zh" &&
		slices.ContainsFunc(list, func(s string) bool { return slices.Contains(chineseMethods, s) }) {
		return nil
	}
	found := proved(i18n.InputList(e.name), seeLine(machine.FcitxProfileProbe, strings.Join(list, ", ")),
		seeLine(machine.InputPackagesProbe, e.pkg))
	text := f.stdout(machine.FcitxProfileProbe)
	if strings.Contains(text, "[Groups/1]") || !strings.Contains(text, "[GroupOrder]") {
		return found.advise(i18n.InputInstallAdvice(e.name))
	}
	item := "[Groups/0/Items/" + strconv.Itoa(strings.Count(text,
		"[Groups/0/Items/")) + `]\nName=` + e.name + `\nLayout=\n\n`
	file, goal := "~/.config/fcitx5/profile", i18n.InputListGoal(e.name)
	return found.offer(goal,
		run(i18n.InputExit, "fcitx5-remote -e", "", "", "fcitx5 -d"),
		run(goal, "sed -i.before -e 's|^DefaultIM=.*|DefaultIM="+e.name+"|' -e 's|^\\[GroupOrder\\]|"+item+"[GroupOrder]|' "+file, "grep -x Name="+e.name+" "+file, "Name="+e.name, "mv "+file+".before "+file),
		run(i18n.DesktopStart("fcitx5"), "fcitx5 -d", machine.InputMethodsProbe.String(), "fcitx5", "fcitx5-remote -e"))
}

// notInGNOME finds an installed engine of IBus that is no input source of GNOME.
func notInGNOME(f *Facts) *Finding {
	have, _ := f.inputPackages()
	name, pkg := f.ibusEngine().name, f.ibusEngine().pkg
	if !slices.Contains(have, pkg) || !strings.Contains(f.stdout(machine.DesktopProbe), "GNOME") {
		return nil
	}
	sources := strings.TrimSpace(f.stdout(machine.InputSourcesProbe))
	list, ok := strings.CutSuffix(sources, "]")
	if !ok || strings.Contains(sources, "'"+name+"'") ||
		strings.Trim(sources, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789[](),'+:_- ") != "" {
		return nil
	}
	goal, set := i18n.InputListGoal(name), "gsettings set org.gnome.desktop.input-sources sources "
	return proved(i18n.InputGnome(name), seeLine(machine.InputSourcesProbe, sources),
		seeLine(machine.InputPackagesProbe, pkg)).
		offer(goal, run(goal, set+`"`+list+", ('ibus', '"+name+`')]"`, machine.InputSourcesProbe.String(), name,
			set+`"`+sources+`"`))
}

// variableOf returns the name and the value of an assignment of a shell or of pam_env.
func variableOf(text string) (name, value string) {
	name, value, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "export "), "=")
	return strings.TrimSpace(name), strings.Trim(strings.TrimPrefix(value, "@im="), `"'`)
}

// wrongVariables finds a file that makes programs use another framework than the one that runs.
func wrongVariables(f *Facts) *Finding {
	running, _ := f.running()
	if len(running) != 1 {
		return nil
	}
	lines, _ := f.shown(machine.InputVariablesProbe)
	for _, line := range lines {
		p := strings.SplitN(line, ":", 3)
		if len(p) != 3 || !isWhole(p[1]) {
			continue
		}
		name, value := variableOf(p[2])
		value = strings.TrimPrefix(strings.Trim(value, `"'`), "@im=")
		if !slices.Contains([]string{"fcitx", "fcitx5", "ibus", "kime", "nimf", "xim", "scim", "uim"}, value) ||
			value == frameworks[running[0]].module ||
			name != "GTK_IM_MODULE" && name != "QT_IM_MODULE" && name != "XMODIFIERS" || value == "fcitx5" &&
			name == "QT_IM_MODULE" {
			continue
		}
		wanted := frameworks[running[0]].module
		found := proved(i18n.InputVariable(name, value, p[0], p[1], running[0]),
			seeLine(machine.InputMethodsProbe, running[0]), seeLine(machine.InputVariablesProbe, line))
		edit := "sed -i '" + p[1] + "s/" + value + "/" + wanted + "/' "
		back := "sed -i '" + p[1] + "s/" + wanted + "/" + value + "/' "
		if !strings.HasPrefix(p[0], "/home/") {
			edit, back = "sudo -n "+edit, "sudo -n "+back
		}
		if plain(p[0]) != p[0] {
			return found.advise(i18n.InputVariableAdvice(name, wanted))
		}
		goal := i18n.InputVariableGoal(name, wanted)
		return found.offer(goal, run(goal, edit+p[0], "sed -n "+p[1]+"p "+p[0], wanted, back+p[0])).
			advise(i18n.InputVariableAdvice(name, wanted))
	}
	return nil
}

// areVariablesUnset reports whether neither the session nor a file sets a variable of input methods.
func (f *Facts) areVariablesUnset() bool {
	for _, look := range []machine.Probe{machine.GTKModuleProbe, machine.QtModuleProbe, machine.XModifiersProbe} {
		if out, known := f.output(look); !known || strings.TrimSpace(out.Stdout) != "" {
			return false
		}
	}
	lines, ok := f.shown(machine.InputVariablesProbe)
	return ok && len(lines) == 0
}

func noVariables(f *Facts) *Finding {
	running, _ := f.running()
	if strings.TrimSpace(f.stdout(machine.SessionTypeProbe)) != "x11" || len(running) != 1 || !f.areVariablesUnset() {
		return nil
	}
	name := frameworks[running[0]].module
	lines, remove := "", "sudo -n sed -i"
	for _, line := range []string{"GTK_IM_MODULE=" + name, "QT_IM_MODULE=" + name, "XMODIFIERS=@im=" + name} {
		lines, remove = lines+line+`\n`, remove+" -e '/^"+line+"$/d'"
	}
	return proved(i18n.InputNoVariables(running[0]), seeLine(machine.InputMethodsProbe, running[0]),
		seeLine(machine.SessionTypeProbe, "x11"), see(machine.GTKModuleProbe, i18n.DesktopNone),
		see(machine.QtModuleProbe, i18n.DesktopNone), see(machine.XModifiersProbe, i18n.DesktopNone),
		see(machine.InputVariablesProbe, i18n.DesktopNone)).
		offer(i18n.InputVariablesGoal, run(i18n.InputVariablesGoal, "printf '"+lines+"' | sudo -n tee -a /etc/environment",
			"grep IM_MODULE /etc/environment", "GTK_IM_MODULE="+name, remove+" /etc/environment"))
}

// startedBefore finds that the running program in question was started without the variables that are set now. A program that
// draws on Wayland itself does not need them.
func startedBefore(f *Facts) *Finding {
	frameworks, _ := f.running()
	if plain(f.Object) != f.Object || f.Object == "" || len(frameworks) != 1 {
		return nil
	}
	look, display := machine.InputEnvironmentProbe(f.Object), false
	started, _ := parse(f, look, machine.ParseInputEnvironments) // without a running process there are none
	for _, s := range started {
		if s.Has("GTK_IM_MODULE") || s.Has("QT_IM_MODULE") || s.Has("QT_IM_MODULES") || s.Has("XMODIFIERS") {
			return nil
		}
		display = display || s.Has("WAYLAND_DISPLAY")
	}
	now, isSet := f.variableNow()
	if len(started) == 0 || !isSet {
		return nil
	}
	found := likely(i18n.InputStartedBefore(f.Object, frameworks[0]), see(look, i18n.InputStartedWithout(f.Object)), now,
		seeLine(machine.InputMethodsProbe, frameworks[0]))
	found.Certain = !display
	return found.advise(i18n.InputStartedBeforeAdvice(f.Object))
}

// variableNow returns the first variable of input methods that the session sets. ok is false if it sets none.
func (f *Facts) variableNow() (seen Evidence, ok bool) {
	for _, look := range []machine.Probe{machine.GTKModuleProbe, machine.QtModuleProbe, machine.XModifiersProbe} {
		if value := strings.TrimSpace(f.stdout(look)); value != "" {
			return seeLine(look, look[1]+"="+value), true
		}
	}
	return seen, false
}

// noKWinKeyboard finds a Plasma session on Wayland that starts no input method: with the variables it works partly.
func noKWinKeyboard(f *Facts) *Finding {
	have, _ := f.inputPackages()
	if strings.TrimSpace(f.stdout(machine.SessionTypeProbe)) != "wayland" ||
		!strings.Contains(f.stdout(machine.DesktopProbe), "KDE") || !slices.Contains(have, "fcitx5") {
		return nil
	}
	lines, ok := f.shown(machine.KWinKeyboardProbe)
	if !ok || lineWith(lines, "fcitx") != "" {
		return nil
	}
	set := "kwriteconfig6 --file kwinrc --group Wayland --key InputMethod "
	found := likely(i18n.InputKwin, seeLine(machine.SessionTypeProbe, "wayland"),
		see(machine.KWinKeyboardProbe, i18n.DesktopNone))
	found.Certain = f.areVariablesUnset()
	return found.offer(i18n.InputKwinGoal, run(i18n.InputKwinGoal, set+"/usr/share/applications/org.fcitx.Fcitx5.desktop",
		machine.KWinKeyboardProbe.String(), "Fcitx5", set+"--delete"))
}

// inputSound reports which framework runs, and what it offers.
func inputSound(f *Facts) *Finding {
	running, _ := f.running()
	if len(running) == 0 {
		return nil
	}
	found := proved(i18n.InputFine(running[0]), seeLine(machine.InputMethodsProbe, running[0]))
	if list := f.profile(); len(list) > 0 {
		found.Evidence = append(found.Evidence, seeLine(machine.FcitxProfileProbe, strings.Join(list, ", ")))
	}
	return found.advise(i18n.InputSwitch)
}

// toggleTaken finds a global shortcut of Plasma with the key that switches the input method: the desktop takes it
// first.
func toggleTaken(f *Facts) *Finding {
	running, _ := f.running()
	if !slices.Contains(running, "fcitx5") {
		return nil
	}
	keys, err := parse(f, machine.TriggerKeysProbe, machine.ParseTriggerKeys)
	if err != nil {
		keys = []string{"ctrl+space"} // fcitx5, src/lib/fcitx/globalconfig.cpp
	}
	lines, _ := f.shown(machine.PlasmaKeysProbe)
	taken, _ := machine.ParsePlasmaKeys([]byte(strings.Join(lines, "\n"))) // none is no shortcut
	for _, s := range taken {
		for _, key := range s.Keys {
			if !slices.Contains(keys, key) {
				continue
			}
			return proved(i18n.InputToggle(key, s.Name), seeLine(machine.PlasmaKeysProbe, s.Name+"="+key),
				seeLine(machine.InputMethodsProbe, "fcitx5")).advise(i18n.InputToggleAdvice(key))
		}
	}
	return nil
}
