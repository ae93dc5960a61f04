package report

import (
	"slices"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayLocalePartly    = i18n.T("언어 설정은 %[1]s{이에요/예요}. 글꼴이나 만들어진 로케일은 다 보지 못해서 무엇이 문제인지 말할 수 없어요(`fc-list`, `locale -a`).", "The language is set to %[1]s. Fonts or generated locales could not all be seen, so I cannot tell what is wrong (`fc-list`, `locale -a`).", "语言设置为 %[1]s。字体或已生成的区域未能全部查看，无法判断问题所在（`fc-list`、`locale -a`）。")
	sayLocaleFine      = i18n.T("언어 설정(%[1]s)과 글꼴에는 문제가 보이지 않아요.", "The language setting (%[1]s) and the fonts look right.", "语言设置（%[1]s）和字体没有发现问题。")
	sayLocaleUnset     = i18n.T("시스템 언어(LANG)가 정해져 있지 않아요. 그래서 한글이 깨질 수 있어요.", "The system language (LANG) is not set, so other scripts can come out broken.", "没有设置系统语言（LANG），因此文字可能显示为乱码。")
	sayLocaleNotUTF    = i18n.T("시스템 언어가 %[1]s{이에요/예요}. UTF-8이 아니어서 한글이 깨져요.", "The system language is %[1]s, which is not UTF-8, so other scripts come out broken.", "系统语言为 %[1]s，不是 UTF-8，因此会显示乱码。")
	askSetLocale       = i18n.T("%[1]s{으로/로} 바꿀까요? 다시 로그인하면 적용돼요. (`%[2]s`)", "Shall I set it to %[1]s? It takes effect after logging in again. (`%[2]s`)", "要设为 %[1]s 吗？重新登录后生效。（`%[2]s`）")
	sayLocaleNotMade   = i18n.T("시스템 언어는 %[1]s인데 그 로케일이 만들어져 있지 않아요. 그래서 프로그램들이 영어로 나오거나 글자가 깨져요.", "The system language is %[1]s, but that locale was never generated, so programs fall back to English or break letters.", "系统语言为 %[1]s，但该区域没有生成，因此程序会回退到英文或出现乱码。")
	askMakeLocale      = i18n.T("만들까요? (`%[1]s`)", "Shall I generate it? (`%[1]s`)", "要生成它吗？（`%[1]s`）")
	sayNoFont          = i18n.T("%[1]s 글꼴이 하나도 없어서 글자가 네모로 나와요.", "There is no %[1]s font, so its letters show as boxes.", "没有%[1]s字体，因此文字显示为方框。")
	sayFontsNone       = i18n.T("%[1]s 글꼴: 0개(`fc-list`)", "Fonts with %[1]s: 0 (`fc-list`)", "%[1]s字体：0 个（`fc-list`）")
	sayFontsLine       = i18n.T("%[1]s 글꼴: %[2]s(`fc-list`)", "Fonts with %[1]s: %[2]s (`fc-list`)", "%[1]s字体：%[2]s（`fc-list`）")
	sayLocaleConf      = i18n.T("LANG=%[1]s(`/etc/locale.conf`)", "LANG=%[1]s (`/etc/locale.conf`)", "LANG=%[1]s（`/etc/locale.conf`）")
	sayLocalesMade     = i18n.T("만들어진 로케일: %[1]s(`locale -a`)", "Generated locales: %[1]s (`locale -a`)", "已生成的区域：%[1]s（`locale -a`）")
	sayKeyboardLine    = i18n.T("자판 배열: %[1]s(`localectl`)", "Keyboard layout: %[1]s (`localectl`)", "键盘布局：%[1]s（`localectl`）")
	sayLocaleElse      = i18n.T("그래도 깨지는 글자가 있으면 그 파일이나 프로그램의 인코딩(예: EUC-KR) 문제예요.", "If letters are still broken, it is the encoding of that file or program (EUC-KR, for example).", "如果仍有乱码，则是该文件或程序的编码问题（例如 GBK）。")
	sayLocaleConfBlank = i18n.T("LANG 없음(`/etc/locale.conf`)", "No LANG (`/etc/locale.conf`)", "没有 LANG（`/etc/locale.conf`）")
	sayLocaleUnseen    = i18n.T("언어 설정을 알아보지 못했어요(`/etc/locale.conf`, `localectl`).", "The language setting could not be read (`/etc/locale.conf`, `localectl`).", "无法读取语言设置（`/etc/locale.conf`、`localectl`）。")
)

var (
	localeConf  = command("cat /etc/locale.conf")
	localesMade = command("locale -a")
	localeState = command("localectl status")
)

// fontStep returns the step that lists the fonts of the user's script, and its name.
func (q *inquiry) fontStep() (fonts intent.Step, name string) {
	if q.Lang == i18n.Chinese {
		return command("fc-list :lang=zh-cn family"), q.say(sayChinese)
	}
	return command("fc-list :lang=ko family"), q.say(sayHangul)
}

// localeSetup is what is known about locales and fonts. The locale that commands print is not used, because they
// run in a fixed one.
type localeSetup struct {
	lang      string
	hasConf   bool
	generated []string
	keyboard  string
}

func (q *inquiry) readLocaleSetup() localeSetup {
	var l localeSetup
	if step := q.output(localeConf, ""); step != nil && (step.Exit == 0 || strings.Contains(step.Stderr, "No such file")) {
		l.hasConf, l.lang = isSettingsFile(step.Stdout), langOf(step.Stdout)
	}
	state := parseIndented(q.stdout(localeState))
	if !l.hasConf && state["System Locale"] != "" {
		l.hasConf, l.lang = true, langOf(state["System Locale"])
	}
	l.keyboard = state["X11 Layout"]
	if l.keyboard == "" || l.keyboard == "(unset)" {
		l.keyboard = state["VC Keymap"]
	}
	for _, line := range outputLines(q.stdout(localesMade)) {
		if name := strings.TrimSpace(line); !strings.Contains(name, " ") && len(l.generated) < 600 {
			l.generated = append(l.generated, name)
		}
	}
	if !slices.Contains(l.generated, "C") && !slices.Contains(l.generated, "POSIX") {
		l.generated = nil // every list has these, so this is not one
	}
	return l
}

// isSettingsFile reports whether a text contains only KEY=VALUE lines and comments.
func isSettingsFile(text string) bool {
	for _, line := range outputLines(text) {
		key, _, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !strings.HasPrefix(key, "#") && (!ok || quoteWord(key) != key) {
			return false
		}
	}
	return true
}

// langOf returns LANG from locale.conf(5).
func langOf(text string) string {
	for _, line := range outputLines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "LANG="); ok {
			return strings.Trim(cutRunes(v, 40), `"'`)
		}
	}
	return ""
}

// sameLocale compares "ko_KR.UTF-8" with "ko_KR.utf8" of locale -a.
func sameLocale(a, b string) bool {
	plainName := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "utf-8", "utf8") }
	return plainName(a) == plainName(b)
}

// locale checks the configured language, whether its locale was generated, and the fonts.
func (q *inquiry) locale() Reply {
	fonts, name := q.fontStep()
	if !q.collect(q.first, localeConf, localesMade, localeState, fonts) {
		return Reply{}
	}
	l := q.readLocaleSetup()
	if !l.hasConf && len(l.generated) == 0 {
		return Reply{Text: q.say(sayLocaleUnseen)}
	}
	return q.localeFinding(l, fonts, name).reply()
}

func (q *inquiry) localeFinding(l localeSetup, fonts intent.Step, script string) finding {
	f := finding{evidence: q.localeFacts(l)}
	families, known := q.families(fonts)
	switch {
	case l.hasConf && (l.lang == "" || l.lang == "C" || l.lang == "POSIX"):
		f.verdict = q.say(sayLocaleUnset)
		q.proposeLocale(&f, l)
	case l.hasConf && !strings.Contains(strings.ToLower(l.lang), "utf"):
		f.verdict = q.say(sayLocaleNotUTF, l.lang)
		q.proposeLocale(&f, l)
	case l.hasConf && len(l.generated) > 0 && !l.isGenerated(l.lang):
		f.verdict = q.say(sayLocaleNotMade, l.lang)
		if quoteWord(l.lang) == l.lang {
			q.proposeGeneration(&f, l.lang)
		}
	case known && len(families) == 0:
		f.verdict = q.say(sayNoFont, script)
		f.note(q.say(sayFontsNone, script))
		f.propose(intent.Call("install_package", "name", "noto-fonts-cjk"), q.say(askInstallIt, "noto-fonts-cjk"))
	default:
		q.localeFine(&f, l, script, families)
	}
	return f
}

func (q *inquiry) localeFine(f *finding, l localeSetup, script string, families []string) {
	f.verdict = q.say(sayLocaleUnseen)
	switch {
	case l.hasConf && len(families) > 0 && len(l.generated) > 0:
		f.verdict, f.meaning = q.say(sayLocaleFine, l.lang), q.say(sayLocaleElse)
	case l.hasConf:
		f.verdict = q.say(sayLocalePartly, l.lang)
	}
	if len(families) > 0 {
		f.note(q.say(sayFontsLine, script, strings.Join(families[:min(3, len(families))], ", ")))
	}
}

func (l localeSetup) isGenerated(lang string) bool {
	return slices.ContainsFunc(l.generated, func(g string) bool { return sameLocale(g, lang) })
}

func (q *inquiry) localeFacts(l localeSetup) []string {
	var out []string
	switch {
	case l.hasConf && l.lang != "":
		out = append(out, q.say(sayLocaleConf, l.lang))
	case l.hasConf:
		out = append(out, q.say(sayLocaleConfBlank))
	}
	if n := len(l.generated); n > 0 {
		out = append(out, q.say(sayLocalesMade, strings.Join(l.generated[:min(6, n)], ", ")))
	}
	if l.keyboard != "" && l.keyboard != "(unset)" {
		out = append(out, q.say(sayKeyboardLine, cutRunes(l.keyboard, 40)))
	}
	return out
}

// families returns the fonts of fc-list. known reports whether it ran.
func (q *inquiry) families(fonts intent.Step) (list []string, known bool) {
	step := q.output(fonts, "")
	if step == nil || step.Exit != 0 || step.Stderr != "" {
		return nil, false
	}
	for _, line := range outputLines(step.Stdout) {
		name, _, _ := strings.Cut(line, ",")
		if name = cutRunes(strings.TrimSpace(name), 40); isName(name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, len(list) > 0 || strings.TrimSpace(step.Stdout) == ""
}

// isName reports whether a text has a letter and no broken character.
func isName(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) >= 0 && !strings.ContainsRune(s, unicode.ReplacementChar)
}

// wantedLocale returns the locale of the user's language.
func (q *inquiry) wantedLocale() string {
	switch q.Lang {
	case i18n.Korean:
		return "ko_KR.UTF-8"
	case i18n.Chinese:
		return "zh_CN.UTF-8"
	}
	return "en_US.UTF-8"
}

// proposeLocale offers to set the locale of the user's language, or to generate it first.
func (q *inquiry) proposeLocale(f *finding, l localeSetup) {
	want := q.wantedLocale()
	if !l.isGenerated(want) {
		q.proposeGeneration(f, want)
		return
	}
	to := "sudo -n localectl set-locale LANG=" + want
	f.propose(command(to), q.say(askSetLocale, want, to))
}

func (q *inquiry) proposeGeneration(f *finding, lang string) {
	generate := "sudo -n sed -i 's/^#" + lang + "/" + lang + "/' /etc/locale.gen && sudo -n locale-gen"
	f.propose(command(generate), q.say(askMakeLocale, generate))
}
