package diagnose

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Input is the question why Korean or Chinese cannot be typed.
func Input() Topic {
	return Topic{ID: "input", About: i18n.DiagnoseAboutInput, causes: []cause{
		{"not-installed", inputAbsent},
		{"two-frameworks", twoFrameworks},
		{"engine-missing", engineMissing},
		{"not-running", inputStopped},
		{"not-in-list", notInList},
		{"not-in-gnome", notInGNOME},
		{"variables", wrongVariables},
		{"no-variables", noVariables},
		{"no-kwin-keyboard", noKWinKeyboard},
	}}
}

// engine is an input method of fcitx5, with its package.
type engine struct{ name, pkg, lang string }

// engine returns the input method that the person means.
func (f *Facts) engine() engine {
	language := f.stdout(machine.LanguageProbe)
	switch {
	case f.asks(i18n.DesktopWordsChinese), strings.HasPrefix(language, "zh") && !f.asks(i18n.DesktopWordsKorean):
		return engine{"pinyin", "fcitx5-chinese-addons", "zh"}
	case f.asks(i18n.DesktopWordsJapanese):
		return engine{"mozc", "fcitx5-mozc", "ja"}
	}
	return engine{"hangul", "fcitx5-hangul", "ko"}
}

// inputPackages returns the installed packages of input methods. ok is false if they are not known: pacman(8) always says which
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

// frameworks returns the frameworks that run. ps(1) exits with 1 if there are none.
func (f *Facts) frameworks() (names []string, ok bool) {
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
		offer(goal, install(goal, "fcitx5 fcitx5-configtool fcitx5-gtk fcitx5-qt "+e.pkg)).advise(i18n.InputInstallAdvice(e.name))
}

func twoFrameworks(f *Facts) *Finding {
	have, _ := f.frameworks()
	if !slices.Contains(have, "fcitx5") || !slices.Contains(have, "ibus-daemon") {
		return nil
	}
	return proved(i18n.InputTwo, seeLine(machine.InputMethodsProbe, strings.Join(have, ", "))).
		offer(i18n.InputTwoGoal, run(i18n.InputTwoGoal, "ibus exit", "", "", "ibus-daemon -drx")).advise(i18n.InputTwoAdvice)
}

// profile returns the input methods that fcitx5 offers.
func (f *Facts) profile() []string {
	list, _ := machine.ParseFcitxProfile([]byte(f.stdout(machine.FcitxProfileProbe))) // without a profile there are none
	return list
}

func engineMissing(f *Facts) *Finding {
	have, ok := f.inputPackages()
	e := f.engine()
	if !ok || !slices.Contains(have, "fcitx5") || slices.Contains(have, e.pkg) || slices.ContainsFunc(have, func(name string) bool { return name == "kime" || name == "nimf" || strings.HasPrefix(name, "ibus") }) {
		return nil
	}
	goal := i18n.InputInstallGoal(e.pkg)
	return proved(i18n.InputEngine(e.name, e.pkg), seeLine(machine.InputPackagesProbe, strings.Join(have, " "))).
		offer(goal, install(goal, e.pkg)).advise(i18n.InputInstallAdvice(e.name))
}

func inputStopped(f *Facts) *Finding {
	running, ok := f.frameworks()
	have, _ := f.inputPackages()
	if !ok || len(running) > 0 || len(have) == 0 {
		return nil
	}
	name, command, stop := "fcitx5", "fcitx5 -d", "fcitx5-remote -e"
	if !slices.Contains(have, name) {
		if !slices.Contains(have, "ibus") {
			return nil
		}
		name, command, stop = "ibus-daemon", "ibus-daemon -drx", "ibus exit"
	}
	return proved(i18n.InputStopped(name), see(machine.InputMethodsProbe, i18n.DesktopNone), seeLine(machine.InputPackagesProbe, strings.Join(have, " "))).
		offer(i18n.DesktopStart(name), run(i18n.DesktopStart(name), command, machine.InputMethodsProbe.String(), name, stop)).advise(i18n.InputAutostartAdvice(name))
}

// notInList finds an installed input method that fcitx5 does not offer. fcitx5 writes its profile when it ends, so it is stopped
// before the profile is changed.
func notInList(f *Facts) *Finding {
	have, _ := f.inputPackages()
	e, list := f.engine(), f.profile()
	if !slices.Contains(have, e.pkg) || len(list) == 0 || slices.Contains(list, e.name) || e.lang == "zh" && slices.ContainsFunc(list, func(s string) bool { return slices.Contains([]string{"shuangpin", "rime", "wbx"}, s) }) {
		return nil
	}
	found := proved(i18n.InputList(e.name), seeLine(machine.FcitxProfileProbe, strings.Join(list, ", ")), seeLine(machine.InputPackagesProbe, e.pkg))
	text := f.stdout(machine.FcitxProfileProbe)
	if strings.Contains(text, "[Groups/1]") || !strings.Contains(text, "[GroupOrder]") {
		return found.advise(i18n.InputInstallAdvice(e.name))
	}
	item := "[Groups/0/Items/" + strconv.Itoa(strings.Count(text, "[Groups/0/Items/")) + `]\nName=` + e.name + `\nLayout=\n\n`
	file, goal := "~/.config/fcitx5/profile", i18n.InputListGoal(e.name)
	return found.offer(goal,
		run(i18n.InputExit, "fcitx5-remote -e", "", "", "fcitx5 -d"),
		run(goal, "sed -i.before -e 's|^DefaultIM=.*|DefaultIM="+e.name+"|' -e 's|^\\[GroupOrder\\]|"+item+"[GroupOrder]|' "+file, "grep Name= "+file, "Name="+e.name, "mv "+file+".before "+file),
		run(i18n.DesktopStart("fcitx5"), "fcitx5 -d", machine.InputMethodsProbe.String(), "fcitx5", "fcitx5-remote -e"))
}

// notInGNOME finds an installed engine of IBus that is no input source of GNOME.
func notInGNOME(f *Facts) *Finding {
	have, _ := f.inputPackages()
	name, pkg := "hangul", "ibus-hangul"
	if f.engine().lang == "zh" {
		name, pkg = "libpinyin", "ibus-libpinyin"
	}
	if !slices.Contains(have, pkg) || !strings.Contains(f.stdout(machine.DesktopProbe), "GNOME") {
		return nil
	}
	sources := strings.TrimSpace(f.stdout(machine.InputSourcesProbe))
	list, ok := strings.CutSuffix(sources, "]")
	if !ok || strings.Contains(sources, "'"+name+"'") || strings.Trim(sources, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789[](),'+:_- ") != "" {
		return nil
	}
	goal, set := i18n.InputListGoal(name), "gsettings set org.gnome.desktop.input-sources sources "
	return proved(i18n.InputGnome(name), seeLine(machine.InputSourcesProbe, sources), seeLine(machine.InputPackagesProbe, pkg)).
		offer(goal, run(goal, set+`"`+list+", ('ibus', '"+name+`')]"`, machine.InputSourcesProbe.String(), name, set+`"`+sources+`"`))
}

// module is the value of the variables for a framework.
func module(framework string) string {
	return map[string]string{"fcitx5": "fcitx", "ibus-daemon": "ibus", "kime": "kime", "nimf": "nimf"}[framework]
}

// variableOf returns the name and the value of an assignment of a shell or of pam_env.
func variableOf(text string) (name, value string) {
	name, value, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "export "), "=")
	return strings.TrimSpace(name), strings.Trim(strings.TrimPrefix(value, "@im="), `"'`)
}

// wrongVariables finds a file that tells programs to use another framework than the one that runs.
func wrongVariables(f *Facts) *Finding {
	running, _ := f.frameworks()
	if len(running) != 1 || module(running[0]) == "" {
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
		if !slices.Contains([]string{"fcitx", "fcitx5", "ibus", "kime", "nimf", "xim", "scim", "uim"}, value) || value == module(running[0]) ||
			name != "GTK_IM_MODULE" && name != "QT_IM_MODULE" && name != "XMODIFIERS" || value == "fcitx5" && name == "QT_IM_MODULE" {
			continue
		}
		wanted := module(running[0])
		found := proved(i18n.InputVariable(name, value, p[0], p[1], running[0]), seeLine(machine.InputMethodsProbe, running[0]), seeLine(machine.InputVariablesProbe, line))
		edit := "sed -i '" + p[1] + "s/" + value + "/" + wanted + "/' "
		back := "sed -i '" + p[1] + "s/" + wanted + "/" + value + "/' "
		if !strings.HasPrefix(p[0], "/home/") {
			edit, back = "sudo -n "+edit, "sudo -n "+back
		}
		if plain(p[0]) != p[0] {
			return found.advise(i18n.InputVariableAdvice(name, wanted))
		}
		goal := i18n.InputVariableGoal(name, wanted)
		return found.offer(goal, run(goal, edit+p[0], "sed -n "+p[1]+"p "+p[0], wanted, back+p[0])).advise(i18n.InputVariableAdvice(name, wanted))
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
	running, _ := f.frameworks()
	if strings.TrimSpace(f.stdout(machine.SessionTypeProbe)) != "x11" || !slices.Equal(running, []string{"fcitx5"}) || !f.areVariablesUnset() {
		return nil
	}
	lines := `GTK_IM_MODULE=fcitx\nQT_IM_MODULE=fcitx\nXMODIFIERS=@im=fcitx\n`
	return proved(i18n.InputNoVariables, seeLine(machine.SessionTypeProbe, "x11"), see(machine.GTKModuleProbe, i18n.DesktopNone), see(machine.QtModuleProbe, i18n.DesktopNone), see(machine.XModifiersProbe, i18n.DesktopNone), see(machine.InputVariablesProbe, i18n.DesktopNone)).
		offer(i18n.InputVariablesGoal, run(i18n.InputVariablesGoal, "printf '"+lines+"' | sudo -n tee -a /etc/environment", "grep IM_MODULE /etc/environment", "GTK_IM_MODULE=fcitx",
			"sudo -n sed -i -e '/^GTK_IM_MODULE=fcitx$/d' -e '/^QT_IM_MODULE=fcitx$/d' -e '/^XMODIFIERS=@im=fcitx$/d' /etc/environment"))
}

// noKWinKeyboard finds a Plasma session on Wayland that starts no input method: with the variables it works partly.
func noKWinKeyboard(f *Facts) *Finding {
	have, _ := f.inputPackages()
	if strings.TrimSpace(f.stdout(machine.SessionTypeProbe)) != "wayland" || !strings.Contains(f.stdout(machine.DesktopProbe), "KDE") || !slices.Contains(have, "fcitx5") {
		return nil
	}
	lines, ok := f.shown(machine.KWinKeyboardProbe)
	if !ok || lineWith(lines, "fcitx") != "" {
		return nil
	}
	set := "kwriteconfig6 --file kwinrc --group Wayland --key InputMethod "
	found := likely(i18n.InputKwin, seeLine(machine.SessionTypeProbe, "wayland"), see(machine.KWinKeyboardProbe, i18n.DesktopNone))
	found.Certain = f.areVariablesUnset()
	return found.offer(i18n.InputKwinGoal, run(i18n.InputKwinGoal, set+"/usr/share/applications/org.fcitx.Fcitx5.desktop", machine.KWinKeyboardProbe.String(), "Fcitx5", set+"--delete"))
}
