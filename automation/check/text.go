package check

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

func degrees(c float64) string { return i18n.CheckNumber(math.Round(c)) + "°C" }

func (a Args) count() string {
	if a.AtLeast {
		return "≥" + i18n.Count(a.Count)
	}
	return i18n.Count(a.Count)
}

// names returns the names of a finding, and the number of further ones.
func (a Args) names(lang i18n.Lang) string {
	list := strings.Join(a.Names, ", ")
	if more := a.Count - int64(len(a.Names)); more > 0 && len(a.Names) > 0 {
		return i18n.CheckMoreNames(list, i18n.Count(more)).In(lang)
	}
	return list
}

// need says what an update needs the person for, the gravest first.
func (a Args) need(lang i18n.Lang) string {
	switch {
	case a.Detail == "broken" && len(a.Names) == 3:
		return i18n.UpgradeBroken(a.Names[0], a.Names[1], a.Names[2]).In(lang)
	case a.Detail == "setting" && len(a.Names) == 1:
		return i18n.UpgradeSettingLikely(a.Names[0]).In(lang)
	}
	return i18n.UpgradeRefused.In(lang)
}

// phrase makes the sentence of a code.
type phrase func(l i18n.Lang, a Args) i18n.Text

func phrases() map[string]phrase {
	return map[string]phrase{
		"disk_full": func(_ i18n.Lang, a Args) i18n.Text {
			return i18n.CheckDisk(a.Name, i18n.CheckPercent(a.Value), i18n.CheckSize(a.Bytes))
		},
		"inodes_full": func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckInodes(a.Name, i18n.CheckPercent(a.Value)) },
		"memory_full": func(_ i18n.Lang, a Args) i18n.Text {
			return i18n.CheckMemory(i18n.CheckPercent(a.Value), i18n.CheckSize(a.Bytes))
		},
		"memory_pressure":  func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckPressure(i18n.CheckPercent(a.Value)) },
		"swap_full":        func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckSwap(i18n.CheckPercent(a.Value)) },
		"unit_failed":      func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckUnitAbout(a.Name, a.Detail) },
		"user_unit_failed": func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckUserUnitAbout(a.Name, a.Detail) },
		"journal_rate":     func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckErrorRate(a.count(), i18n.CheckNumber(a.Limit)) },
		"journal_new":      func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckNewError(a.Name, a.Detail, a.count()) },
		"journal_more":     func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckNewErrors(a.count()) },
		"updates":          func(l i18n.Lang, a Args) i18n.Text { return i18n.CheckUpdates(a.count(), a.names(l)) },
		"updates_need":     func(l i18n.Lang, a Args) i18n.Text { return i18n.CheckUpdatesNeed(a.count(), int(a.Value), a.need(l)) },
		"security_updates": func(l i18n.Lang, a Args) i18n.Text { return i18n.CheckSecurity(a.count(), a.names(l)) },
		"security_listed":  func(l i18n.Lang, a Args) i18n.Text { return i18n.CheckGuarded(a.count(), a.names(l)) },
		"reboot_kernel":    func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckRebootKernel(a.Name, a.Detail) },
		"reboot_modules":   func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckRebootModules(a.Name) },
		"smart_failing":    func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckSmartFailing(a.Name) },
		"smart_warning":    func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckSmartWarning(a.Name) },
		"smart_sectors":    func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckSmartSectors(a.Name, a.count()) },
		"smart_worn":       func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckSmartWorn(a.Name, i18n.CheckPercent(a.Value)) },
		"hot":              func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckHot(a.Name, degrees(a.Value), degrees(a.Limit)) },
		"battery_worn":     func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckBattery(a.Name, i18n.CheckPercent(a.Value)) },
		"certificate_soon": func(l i18n.Lang, a Args) i18n.Text {
			return i18n.CheckCertificate(a.Name, i18n.CheckDate(l, a.At), i18n.CheckSpan(l, a.For))
		},
		"certificate_expired": func(l i18n.Lang, a Args) i18n.Text { return i18n.CheckExpired(a.Name, i18n.CheckDate(l, a.At)) },
		"backup_stale":        func(l i18n.Lang, a Args) i18n.Text { return i18n.CheckBackupStale(a.Name, i18n.CheckSpan(l, a.For)) },
		"backup_missing":      func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckBackupMissing(a.Name) },
		"logins_failed": func(l i18n.Lang, a Args) i18n.Text {
			return i18n.CheckLogins(a.count(), i18n.CheckSpan(l, a.For), strings.Join(a.Names, ", "))
		},
		"pacnew":          func(l i18n.Lang, a Args) i18n.Text { return i18n.CheckPacnew(a.count(), a.names(l)) },
		"orphans":         func(l i18n.Lang, a Args) i18n.Text { return i18n.CheckOrphans(a.count(), a.names(l)) },
		"network_none":    func(_ i18n.Lang, _ Args) i18n.Text { return i18n.CheckNetworkNone },
		"network_gateway": func(_ i18n.Lang, a Args) i18n.Text { return i18n.CheckNetworkGateway(a.Name) },
	}
}

// Text returns a finding as one sentence. For an unknown code it returns the code.
func (f Finding) Text(lang i18n.Lang) string {
	a := f.Args
	switch p, ok := phrases()[f.Code]; {
	case !ok:
		return display(f.Code, 60)
	case a.Detail == "" && f.Code == "unit_failed":
		return i18n.CheckUnit(a.Name).In(lang)
	case a.Detail == "" && f.Code == "user_unit_failed":
		return i18n.CheckUserUnit(a.Name).In(lang)
	case !a.At.IsZero() && f.Code == "updates":
		return i18n.CheckUpdatesOld(a.count(), a.names(lang), i18n.CheckDate(lang, a.At)).In(lang)
	default:
		return p(lang, a).In(lang)
	}
}

// labels returns the names of figures by the prefix of their keys.
func labels() map[string]i18n.Text {
	return map[string]i18n.Text{
		"memory": i18n.CheckFigureMemory, "swap": i18n.CheckFigureSwap, "failed_units": i18n.CheckFigureUnits,
		"journal_errors": i18n.CheckFigureErrors, "updates": i18n.CheckFigureUpdates,
		"security_updates": i18n.CheckFigureSecurity, "temperature": i18n.CheckFigureHeat,
		"logins": i18n.CheckFigureLogins, "pacnew": i18n.CheckFigurePacnew, "orphans": i18n.CheckFigureOrphans,
	}
}

// labelsOf returns the names of figures that belong to a named thing, by the prefix of their keys.
func labelsOf() map[string]func(name string) i18n.Text {
	return map[string]func(name string) i18n.Text{
		"disk": i18n.CheckFigureDisk, "inodes": i18n.CheckFigureInodes, "battery": i18n.CheckFigureBattery, "smart_wear": i18n.CheckFigureWear,
	}
}

func (f Figure) kind() string {
	kind, _, _ := strings.Cut(f.Key, ":")
	return kind
}

func (f Figure) label(lang i18n.Lang) string {
	if text, ok := labelsOf()[f.kind()]; ok {
		return text(f.Name).In(lang)
	}
	if text, ok := labels()[f.kind()]; ok {
		return text.In(lang)
	}
	return display(f.Key, 40)
}

// amount formats the figure's value, rounded like in comparisons.
func (f Figure) amount(lang i18n.Lang) string {
	s := ""
	switch f.Unit {
	case Percent:
		s = i18n.CheckPercent(f.Value)
	case Celsius:
		s = degrees(f.Value)
	default:
		s = i18n.CheckFigureCount(i18n.CheckNumber(f.Value)).In(lang)
	}
	if f.AtLeast {
		return "≥" + s
	}
	return s
}

// change formats the difference from a former figure, or returns "" if there is none.
func (f Figure) change(lang i18n.Lang, former Figure) string {
	by := math.Round(f.Value) - math.Round(former.Value)
	if by == 0 || math.IsNaN(by) {
		return ""
	}
	s := i18n.CheckNumber(by)
	if by > 0 {
		s = "+" + s
	}
	switch f.Unit {
	case Percent:
		return i18n.CheckPoints(s).In(lang)
	case Celsius:
		return s + "°C"
	}
	return s
}

// Text formats the figure and its change since the previous one, if there is one: "디스크 / 62% (지난번보다 +1%p)".
func (f Figure) Text(lang i18n.Lang, previous *Figure) string {
	s := f.label(lang) + " " + f.amount(lang)
	if previous == nil || previous.Unit != f.Unit {
		return s
	}
	if by := f.change(lang, *previous); by != "" {
		return s + " (" + i18n.CheckFigureSince(by).In(lang) + ")"
	}
	return s + " (" + i18n.CheckFigureSame.In(lang) + ")"
}

// reasonTexts returns the texts of the reasons that need only the subject.
func reasonTexts() map[Reason]func(what string) i18n.Text {
	return map[Reason]func(what string) i18n.Text{
		ReasonMissing: i18n.CheckMissingBare, ReasonRefused: i18n.CheckRefused, ReasonRights: i18n.CheckRights,
		ReasonUnreadable: i18n.CheckUnreadable, ReasonFailed: i18n.CheckFailed, ReasonAbsent: i18n.CheckAbsent,
		ReasonUnsupported: i18n.CheckUnsupported, ReasonPartial: i18n.CheckPartly, ReasonTruncated: i18n.CheckCut,
	}
}

// Text says in a few words what could not be checked, and why.
func (u Unknown) Text(lang i18n.Lang) string {
	what := u.Name
	if what == "" {
		what = display(u.Subject, 60)
	}
	if title, ok := i18n.CheckTitle(lang, strings.SplitN(u.Subject, ":", 2)[0]); ok && !strings.HasPrefix(what, "/") {
		what = title + " · " + what
	}
	text, ok := reasonTexts()[u.Reason]
	switch {
	case !ok:
		return i18n.CheckFailed(what).In(lang)
	case u.Reason == ReasonMissing && u.Package != "":
		return i18n.CheckMissing(what, u.Package).In(lang)
	}
	return text(what).In(lang)
}

// display prepares a text from the system for display: one line of limited length, without control, direction and
// invisible characters.
func display(s string, most int) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = n > 0
			continue
		case !isVisible(r):
			continue
		}
		if gap {
			b.WriteByte(' ')
			n++
		}
		if n >= most {
			return strings.TrimSpace(b.String()) + "…"
		}
		b.WriteRune(r)
		n, gap = n+1, false
	}
	return b.String()
}

// isVisible excludes Unicode's categories C (control, format, unassigned, private) and the replacement character
// for invalid UTF-8.
func isVisible(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }

// isDisplayable reports whether a text can be displayed unchanged on one line.
func isDisplayable(s string) bool {
	if s == "" || !utf8.ValidString(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && !isVisible(r) })
}

// wordForm matches words that can be part of a displayed command: no shell interprets them, and they are not options.
var wordForm = lazyregexp.New(`^[A-Za-z0-9/_][A-Za-z0-9/_.:@+-]*$`)

// appendName appends a name to a command. If a shell could misinterpret the name, it returns otherwise.
func appendName(command, name, otherwise string) string {
	if len(name) > 120 || !wordForm.MatchString(name) {
		return otherwise
	}
	return command + " " + name
}

// displayAll prepares a list for display, of at most that many names.
func displayAll(names []string, most int) []string {
	var out []string
	for _, n := range names {
		if len(out) == most {
			break
		}
		if n = display(n, 60); n != "" {
			out = append(out, n)
		}
	}
	return out
}
