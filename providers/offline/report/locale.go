package report

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	localeConf  = command(machine.LocaleConfProbe.String())
	localesMade = command("locale -a")
	localeState = command(machine.LocaleProbe.String())
)

// fontStep returns the step that lists the fonts of the user's script, and its name.
func (q *inquiry) fontStep() (fonts intent.Step, name string) {
	if q.Lang.Base() == i18n.Chinese {
		return command("fc-list :lang=zh-cn family"), q.say(i18n.HelperInputChinese)
	}
	return command("fc-list :lang=ko family"), q.say(i18n.HelperInputHangul)
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
	state := read(machine.ParseFields, q.stdout(localeState))
	if !l.hasConf && state["System Locale"] != "" {
		l.hasConf, l.lang = true, langOf(state["System Locale"])
	}
	l.keyboard = state["X11 Layout"]
	if l.keyboard == "" || l.keyboard == "(unset)" {
		l.keyboard = state["VC Keymap"]
	}
	for _, line := range machine.Lines(q.stdout(localesMade)) {
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
	return !slices.ContainsFunc(machine.Lines(text), func(line string) bool {
		key, _, ok := strings.Cut(strings.TrimSpace(line), "=")
		return !strings.HasPrefix(key, "#") && (!ok || quoteWord(key) != key)
	})
}

func langOf(text string) string { return cutRunes(machine.ParseAssignments([]byte(text))["LANG"], 40) }

// locale checks the configured language, whether its locale was generated, and the fonts.
func (q *inquiry) locale() Reply {
	fonts, name := q.fontStep()
	if !q.collect(q.first, localeConf, localesMade, localeState, fonts) {
		return Reply{}
	}
	l := q.readLocaleSetup()
	if !l.hasConf && len(l.generated) == 0 {
		return Reply{Text: q.say(i18n.HelperLocaleUnseen)}
	}
	return q.localeFinding(l, fonts, name).reply() // empty while looks are missing
}

func (q *inquiry) localeFinding(l localeSetup, fonts intent.Step, script string) *finding {
	f := &finding{evidence: q.localeFacts(l)}
	families, known := q.families(fonts)
	switch {
	case l.hasConf && slices.Contains([]string{"", "C", "POSIX"}, l.lang):
		f.verdict = q.say(i18n.HelperLocaleUnset)
		if !q.proposeLocale(f, l) {
			return nil
		}
	case l.hasConf && !strings.Contains(strings.ToLower(l.lang), "utf"):
		f.verdict = q.say(i18n.HelperLocaleNotUtf(l.lang))
		if !q.proposeLocale(f, l) {
			return nil
		}
	case l.hasConf && len(l.generated) > 0 && !l.isGenerated(l.lang):
		f.verdict = q.say(i18n.HelperLocaleNotMade(l.lang))
		if !q.proposeGeneration(f, l.lang) {
			return nil
		}
	case known && len(families) == 0:
		f.verdict = q.say(i18n.HelperLocaleNoFont(script))
		f.note(q.say(i18n.HelperLocaleFontsNone(script)))
		q.proposeInstall(f, "noto-fonts-cjk")
	default:
		q.localeFine(f, l, script, families)
	}
	return f
}

func (q *inquiry) localeFine(f *finding, l localeSetup, script string, families []string) {
	f.verdict = q.say(i18n.HelperLocaleUnseen)
	switch {
	case l.hasConf && len(families) > 0 && len(l.generated) > 0:
		f.verdict, f.meaning = q.say(i18n.HelperLocaleFine(l.lang)), q.say(i18n.HelperLocaleElse)
	case l.hasConf:
		f.verdict = q.say(i18n.HelperLocalePartly(l.lang))
	}
	f.note(q.sayIf(len(families) > 0, i18n.HelperLocaleFontsLine(script, firstOf(families, 3))))
}

// isGenerated compares "ko_KR.UTF-8" with "ko_KR.utf8" of locale -a.
func (l localeSetup) isGenerated(lang string) bool {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "utf-8", "utf8") }
	return slices.ContainsFunc(l.generated, func(g string) bool { return plain(g) == plain(lang) })
}

func (q *inquiry) localeFacts(l localeSetup) []string {
	conf := q.fact(i18n.HelperLocaleConf, l.lang)
	if l.hasConf && l.lang == "" {
		conf = q.say(i18n.HelperLocaleConfBlank)
	}
	keyboard := strings.TrimPrefix(cutRunes(l.keyboard, 40), "(unset)")
	return nonEmpty(conf, q.fact(i18n.HelperLocaleLocalesMade, firstOf(l.generated, 6)),
		q.fact(i18n.HelperLocaleKeyboardLine, keyboard))
}

// families returns the fonts of fc-list. known reports whether it ran.
func (q *inquiry) families(fonts intent.Step) (list []string, known bool) {
	step := q.output(fonts, "")
	if step == nil || step.Exit != 0 || step.Stderr != "" {
		return nil, false
	}
	for _, line := range machine.Lines(step.Stdout) {
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

func (q *inquiry) wantedLocale() string {
	locales := map[i18n.Lang]string{
		i18n.Korean: "ko_KR.UTF-8", i18n.Chinese: "zh_CN.UTF-8", i18n.Traditional: "zh_TW.UTF-8",
	}
	return cmp.Or(locales[q.Lang], "en_US.UTF-8")
}

// proposeLocale offers to set the locale of the user's language, or to generate it first. It returns false while looks are
// missing.
func (q *inquiry) proposeLocale(f *finding, l localeSetup) bool {
	want := q.wantedLocale()
	if !l.isGenerated(want) {
		return q.proposeGeneration(f, want)
	}
	to := "sudo -n localectl set-locale LANG=" + want
	f.propose(command(to), q.say(i18n.HelperLocaleAskSetLocale(want, to)))
	return true
}

// proposeGeneration proposes to generate a locale if locale.gen lists it exactly once. It returns false while looks are
// missing.
func (q *inquiry) proposeGeneration(f *finding, lang string) bool {
	if quoteWord(lang) != lang || !localeName().MatchString(lang) {
		return true
	}
	listed := command("grep -F " + lang + " " + localeGen)
	if !q.collect(listed) {
		return false
	}
	_, codeset, _ := strings.Cut(lang, ".")
	var off []string
	on := 0
	for line := range strings.Lines(q.anyStdout(listed)) {
		line = strings.TrimRight(line, "\r\n \t")
		switch name, commented := strings.CutPrefix(line, "#"); {
		case strings.Join(strings.Fields(name), " ") != lang+" "+codeset:
		case commented:
			off = append(off, line)
		default:
			on++
		}
	}
	switch {
	case on > 0:
		f.note(q.say(i18n.HelperLocaleListedOn(lang)))
		q.proposeRepair(f, generateLocale(lang, ""))
	case len(off) == 1:
		f.note(q.say(i18n.HelperLocaleListedOff(lang)))
		q.proposeRepair(f, generateLocale(lang, off[0]))
	default:
		f.meaning = q.say(i18n.HelperLocaleNotListed(lang + " " + codeset))
	}
	return true
}

// localeName matches the name of a locale with a codeset: setlocale(3).
var localeName = pattern(`^[a-z]{2,3}_[A-Z]{2}\.[A-Za-z0-9-]+$`)

var clockState = command(machine.ClockProbe.String())

// clock checks the synchronisation, the time zone, then the hardware clock.
func (q *inquiry) clock() Reply {
	step := q.output(clockState, "")
	switch {
	case step == nil && q.find(clockState) != nil:
		return Reply{Text: joinBlocks(q.say(i18n.HelperClockUnseen), q.resultOf(clockState).missing())}
	case step == nil:
		return q.toolReply(q.first)
	}
	c, ok := tryRead(machine.ParseClock, step.Stdout)
	if !ok {
		return Reply{Text: joinBlocks(q.say(i18n.HelperClockUnseen), quote(essentialLines(step.Stderr+step.Stdout, 2)))}
	}
	return q.clockFinding(c).reply()
}

func (q *inquiry) clockFinding(c machine.Clock) *finding {
	f := &finding{verdict: q.say(i18n.HelperClockPlain)}
	f.note(q.say(i18n.HelperClockNow(c.Local, c.Zone)), q.say(i18n.HelperClockLine(q.yesNoText(c.Synced), c.NTP)))
	f.note(q.sayIf(c.RTC != "" && c.RTC != "n/a", i18n.HelperClockRtcLine(c.RTC, q.yesNoText(c.RTCLocal))))
	switch {
	case c.NTP == "inactive" && c.Synced != "yes":
		on := "sudo -n timedatectl set-ntp true"
		f.verdict = q.say(i18n.HelperClockNoSync)
		f.propose(command(on), q.say(i18n.HelperClockAskSetNtp(on)))
	case c.NTP == "n/a" && c.Synced != "yes":
		f.verdict = q.say(i18n.HelperClockNoService)
	case c.NTP == "active" && c.Synced == "no":
		f.verdict = q.say(i18n.HelperClockWaiting)
		f.propose(q.unitLog("systemd-timesyncd"), q.say(i18n.HelperClockAskClockLog))
	default:
		q.checkZoneAndHardwareClock(f, c)
	}
	return f
}

// checkZoneAndHardwareClock reports a time zone that is unlikely to be the user's, and a hardware clock that
// another system sets.
func (q *inquiry) checkZoneAndHardwareClock(f *finding, c machine.Clock) {
	home := map[i18n.Lang]string{i18n.Korean: "Asia/Seoul", i18n.Chinese: "Asia/Shanghai", i18n.Traditional: "Asia/Taipei"}[q.Lang]
	switch {
	case home != "" && hasAnyPrefix(c.Zone, "UTC", "Etc/UTC"):
		to := "sudo -n timedatectl set-timezone " + home
		f.verdict = q.say(i18n.HelperClockZoneUtc)
		f.propose(command(to), q.say(i18n.HelperClockAskSetZone(to)))
	case c.RTCLocal == "yes":
		to := "sudo -n timedatectl set-local-rtc 0"
		f.verdict = q.say(i18n.HelperClockRtcLocal)
		f.propose(command(to), q.say(i18n.HelperClockAskRtcutc(to)))
	case c.Drift() >= 2*time.Minute:
		f.verdict = q.say(i18n.HelperClockRtcOff(q.durationText(c.Drift())))
		if c.Synced == "yes" {
			q.proposeCommand(f, "sudo -n hwclock --systohc", i18n.HelperClockAskRtcWrite)
		}
	case c.Synced == "":
		f.verdict = q.say(i18n.HelperClockPartly)
	case c.Synced == "yes":
		f.verdict = q.say(i18n.HelperClockFine)
		zone, _, _ := strings.Cut(c.Zone, " ")
		f.meaning = q.say(i18n.HelperClockZone(zone))
	}
}

func (q *inquiry) yesNoText(word string) string {
	if word == "yes" || word == "no" {
		return q.yesNo(word == "yes")
	}
	return word
}

// durationText formats hours and minutes.
func (q *inquiry) durationText(d time.Duration) string {
	hours, minutes := int(d.Hours()), int(d.Minutes())%60
	if hours == 0 {
		return q.say(i18n.HelperSystemMinutes(minutes))
	}
	if minutes == 0 {
		return q.say(i18n.HelperSystemHours(hours))
	}
	return q.say(i18n.HelperSystemHours(hours)) + " " + q.say(i18n.HelperSystemMinutes(minutes))
}

func (q *inquiry) yesNo(yes bool) string {
	if yes {
		return q.say(i18n.HelperRadioIs)
	}
	return q.say(i18n.HelperRadioIsNot)
}
