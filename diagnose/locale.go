package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Locale is the question why letters are broken, or the language is wrong.
func Locale() Topic {
	return Topic{ID: "locale", About: i18n.DiagnoseAboutLocale, sound: localeSound, causes: []cause{
		{"not-utf8", notUTF8},
		{"not-generated", notGenerated},
		{"wrong-name", wrongLocaleName},
		{"not-set", localeNotSet},
		{"lc-all", overridden("LC_ALL")},
		{"language", overridden("LANGUAGE")},
		{"plasma", plasmaLocale},
		{"no-font", noFont},
		{"keyboard-layout", keyboardLayout},
		{"console-keymap", consoleKeymap},
		{"console-font", consoleFont},
	}}
}

// localeSound reports the language, the fonts and the keyboard, and what else can break letters.
func localeSound(f *Facts) *Finding {
	lang, names := f.confLang(), f.lines(machine.LocalesProbe)
	if lang == "" || len(names) == 0 {
		return nil
	}
	found := proved(i18n.LocaleFine(lang), seeLine(machine.LocaleConfProbe, "LANG="+lang),
		seeLine(machine.LocalesProbe, strings.Join(names[:min(6, len(names))], ", ")))
	all, _ := parse(f, machine.LocaleProbe, machine.ParseFields) // without it, the keyboard is not told
	if layout := plain(all["X11 Layout"]); layout != "" {
		found.Evidence = append(found.Evidence, seeLine(machine.LocaleProbe, "X11 Layout: "+layout))
	}
	return found.advise(i18n.LocaleElse)
}

// bareLocale returns a name as locale -a prints it: setlocale(3) ignores the case and the dashes of the character set.
func bareLocale(name string) string {
	lang, charset, _ := strings.Cut(name, ".")
	return lang + "." + strings.ToLower(strings.ReplaceAll(charset, "-", ""))
}

// locales returns the names that the C library has, "" for none that is known.
func (f *Facts) locales() (names []string) {
	for _, name := range f.lines(machine.LocalesProbe) {
		names = append(names, bareLocale(strings.TrimSpace(name)))
	}
	return names
}

// absentLocale returns the language of locale.conf that the C library does not have.
func (f *Facts) absentLocale() string {
	lang := f.confLang()
	have := f.locales()
	if lang == "" || lang == "C" || lang == "POSIX" || len(have) == 0 || slices.Contains(have, bareLocale(lang)) {
		return ""
	}
	return lang
}

// confLang returns the language of locale.conf.
func (f *Facts) confLang() string {
	return plain(machine.ParseAssignments([]byte(f.stdout(machine.LocaleConfProbe)))["LANG"])
}

// language returns the locale of the person's language.
func (f *Facts) language() string {
	switch f.Lang.Base() {
	case i18n.Korean:
		return "ko_KR.UTF-8"
	case i18n.Chinese:
		return "zh_CN.UTF-8"
	}
	return "en_US.UTF-8"
}

// generation returns the line of locale.gen(5) for a locale and the steps that generate it, none if there is no such
// line.
func (f *Facts) generation(lang string) (seen string, steps []Step) {
	look := machine.LocaleGenProbe(lang)
	for _, line := range f.lines(look) {
		file, number, text := numbered(line)
		w := strings.Fields(strings.TrimLeft(text, "# "))
		if file == "" || len(w) != 2 || w[0] != lang {
			continue
		}
		if strings.HasPrefix(text, "#") {
			args := map[string]string{"path": file, "old": strings.TrimRight(text, " \t"), "new": lang + " " + w[1]}
			steps = append(steps, Step{Step: plan.Step{Verb: "edit_file", Args: args}, About: i18n.LocaleLineGoal(number)})
		}
		made := bareLocale(lang)
		return line, append(steps, run(i18n.LocaleGenerateGoal(lang), "sudo -n locale-gen", machine.LocalesProbe.String(),
			made, "sudo -n localedef --delete-from-archive "+made))
	}
	return "", nil
}

// wanting offers to set a language, which is generated first if it is not there.
func (f *Facts) wanting(found *Finding, lang, was string) *Finding {
	var steps []Step
	if !slices.Contains(f.locales(), bareLocale(lang)) {
		if _, steps = f.generation(lang); steps == nil {
			return found.advise(i18n.LocaleNameAdvice)
		}
	}
	steps = append(steps, setLocale(lang, was))
	return found.offer(i18n.LocaleSetGoal(lang), steps...)
}

// Language returns the language of the system, and the steps that set another one, which is generated first if it is not
// there. There are no steps if locale.gen(5) has no such language. known is false while it is looked up.
func (f *Facts) Language(to string) (now string, steps []Step, known bool) {
	if !f.Know(machine.LocaleConfProbe, machine.LocalesProbe) {
		return "", nil, false
	}
	now = f.confLang()
	if !slices.Contains(f.locales(), bareLocale(to)) {
		if !f.Know(machine.LocaleGenProbe(to)) {
			return "", nil, false
		}
		if _, steps = f.generation(to); steps == nil {
			return now, nil, true
		}
	}
	return now, append(steps, setLocale(to, now)), true
}

// notUTF8 finds a language with an older character set: programs write UTF-8.
func notUTF8(f *Facts) *Finding {
	lang := f.confLang()
	name, charset, ok := strings.Cut(lang, ".")
	if len(name) < 5 || !ok || strings.HasPrefix(bareLocale("."+charset), ".utf8") {
		return nil
	}
	return f.wanting(proved(i18n.LocaleNotUtf8(lang), seeLine(machine.LocaleConfProbe, "LANG="+lang)), name+".UTF-8", lang)
}

// notGenerated finds a language that is set and was not generated: locale.gen(5).
func notGenerated(f *Facts) *Finding {
	lang := f.absentLocale()
	if lang == "" {
		return nil
	}
	line, steps := f.generation(lang)
	if steps == nil {
		return nil
	}
	return proved(i18n.LocaleAbsent(lang), seeLine(machine.LocaleConfProbe, "LANG="+lang),
		seeLine(machine.LocalesProbe, strings.Join(f.lines(machine.LocalesProbe), ", ")),
		seeLine(machine.LocaleGenProbe(lang), line)).
		offer(i18n.LocaleGenerateGoal(lang), steps...)
}

// wrongLocaleName finds a name that no language has.
func wrongLocaleName(f *Facts) *Finding {
	lang := f.absentLocale()
	if lang == "" {
		return nil
	}
	look := machine.LocaleGenProbe(lang)
	lines, ok := f.shown(look)
	if !ok || slices.ContainsFunc(lines, func(line string) bool {
		_, _, text := numbered(line)
		w := strings.Fields(strings.TrimLeft(text, "# "))
		return len(w) == 2 && w[0] == lang
	}) {
		return nil
	}
	found := proved(i18n.LocaleName(lang), seeLine(machine.LocaleConfProbe, "LANG="+lang),
		seeLine(machine.LocalesProbe, strings.Join(f.lines(machine.LocalesProbe), ", ")), see(look, i18n.DesktopNone))
	for _, name := range f.lines(machine.LocalesProbe) {
		if short, _, ok := strings.Cut(name, ".utf8"); ok && len(lang) > 1 &&
			strings.HasPrefix(short, strings.ToLower(lang[:2])) && plain(short) == short {
			return found.offer(i18n.LocaleSetGoal(short+".UTF-8"), setLocale(short+".UTF-8", lang))
		}
	}
	return found.advise(i18n.LocaleNameAdvice)
}

func setLocale(lang, was string) Step {
	undo := ""
	if was != "" {
		undo = "sudo -n sed -i 's/^LANG=.*/LANG=" + was + "/' /etc/locale.conf"
	}
	return run(i18n.LocaleSetGoal(lang), "sudo -n localectl set-locale LANG="+lang, "cat /etc/locale.conf", "LANG="+lang,
		undo)
}

// localeNotSet finds a machine without a language: programs print ASCII only.
func localeNotSet(f *Facts) *Finding {
	out, known := f.output(machine.LocaleConfProbe)
	set := machine.ParseAssignments([]byte(out.Stdout))
	missing := out.Exit != 0 && strings.Contains(out.Stderr, "No such file")
	if !known || out.Cut || !slices.Contains([]string{"", "C", "POSIX"}, set["LANG"]) || !missing && out.Exit != 0 ||
		slices.Contains([]string{"C.UTF-8"}, set["LC_CTYPE"]) {
		return nil
	}
	found := proved(i18n.LocaleUnset, see(machine.LocaleConfProbe, i18n.DesktopNone))
	if set["LANG"] != "" {
		found = proved(i18n.LocaleUnset, seeLine(machine.LocaleConfProbe, "LANG="+set["LANG"]))
	}
	if f.Lang != "" {
		return f.wanting(found, f.language(), set["LANG"])
	}
	have := slices.DeleteFunc(f.locales(), func(name string) bool {
		return !strings.HasSuffix(name, ".utf8") || strings.HasPrefix(name, "C.") || plain(name) != name
	})
	if len(have) == 1 {
		return f.wanting(found, strings.Replace(have[0], ".utf8", ".UTF-8", 1), set["LANG"])
	}
	return found.advise(i18n.LocaleNameAdvice)
}

// overridden finds a file that sets a variable which wins over LANG: locale(7), environment variables.
func overridden(variable string) func(*Facts) *Finding {
	return func(f *Facts) *Finding {
		lang := f.confLang()
		lines, _ := f.shown(machine.LanguageFilesProbe)
		for _, line := range lines {
			p := strings.SplitN(line, ":", 3)
			if len(p) != 3 || !isWhole(p[1]) {
				continue
			}
			name, value := variableOf(p[2])
			value = strings.Trim(value, `"'`)
			if name != variable || value == "" || plain(value) != value || bareLocale(value) == bareLocale(lang) || lang == "" ||
				strings.HasPrefix(value, lang[:2]) && variable == "LANGUAGE" {
				continue
			}
			found := proved(i18n.LocaleOverride(p[0], p[1], variable, value, lang), seeLine(machine.LanguageFilesProbe, line),
				seeLine(machine.LocaleConfProbe, "LANG="+lang))
			if plain(p[0]) == p[0] && strings.HasPrefix(p[0], "/etc/") {
				return found.offer(i18n.LocaleOverrideGoal(p[0], p[1]), commentOut(i18n.LocaleOverrideGoal(p[0], p[1]), p[0], p[1]))
			}
			return found.advise(i18n.LocaleOverrideAdvice(p[0], p[1]))
		}
		return nil
	}
}

// plasmaLocale finds another language in the settings of KDE Plasma: startplasma.cpp, setupPlasmaEnvironment.
func plasmaLocale(f *Facts) *Finding {
	lang := f.confLang()
	lines, _ := f.shown(machine.PlasmaLanguageProbe)
	for _, line := range lines {
		file, number, text := numbered(line)
		name, value := variableOf(text)
		if file == "" || len(lang) < 2 || name != "LANG" && name != "LANGUAGE" || plain(value) != value ||
			strings.HasPrefix(value, lang[:2]) {
			continue
		}
		aside := file + ".off"
		return proved(i18n.LocaleOverride(file, number, name, value, lang), seeLine(machine.PlasmaLanguageProbe, line),
			seeLine(machine.LocaleConfProbe, "LANG="+lang)).
			offer(i18n.DesktopAside(file, aside), run(i18n.DesktopAside(file, aside), "mv -n -- "+file+" "+aside,
				"stat -c %n -- "+aside, aside, "mv -n -- "+aside+" "+file))
	}
	return nil
}

// noFont finds that no font has the letters of the language.
func noFont(f *Facts) *Finding {
	lang := f.confLang()
	code := ""
	switch {
	case strings.HasPrefix(lang, "ko"), f.asks(i18n.DesktopWordsKorean):
		code = "ko"
	case strings.HasPrefix(lang, "zh"), f.asks(i18n.DesktopWordsChinese):
		code = "zh-cn"
	case strings.HasPrefix(lang, "ja"):
		code = "ja"
	default:
		return nil
	}
	look := machine.FontsProbe(code)
	out, known := f.output(look)
	if !known || out.Exit != 0 || strings.TrimSpace(out.Stdout) != "" {
		return nil
	}
	return proved(i18n.LocaleFont(code), see(look, i18n.DesktopNone)).
		offer(i18n.LocaleFontGoal, install(i18n.LocaleFontGoal, "noto-fonts-cjk"))
}

// keyboardLayout finds different keyboards on the console and on the desktop.
func keyboardLayout(f *Facts) *Finding {
	all, _ := parse(f, machine.LocaleProbe, machine.ParseFields) // without it nothing differs
	console, desktop := plain(all["VC Keymap"]), plain(all["X11 Layout"])
	if len(console) < 2 || len(desktop) < 2 || console == "n/a" || strings.HasPrefix(desktop, console[:2]) ||
		strings.Contains(desktop, "kr") && strings.HasPrefix(console, "us") {
		return nil
	}
	return likely(i18n.LocaleLayout(console, desktop),
		seeLine(machine.LocaleProbe, "VC Keymap: "+console+", X11 Layout: "+desktop)).advise(i18n.LocaleLayoutAdvice(console))
}
