package check

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
)

// phrase is the sentence of a code, with its arguments in the order of their numbers.
type phrase struct {
	text i18n.Text
	args func(i18n.Lang, Args) []any
}

func withName(_ i18n.Lang, a Args) []any  { return []any{a.Name} }
func withValue(_ i18n.Lang, a Args) []any { return []any{i18n.CheckPercent(a.Value)} }
func withShare(_ i18n.Lang, a Args) []any { return []any{a.Name, i18n.CheckPercent(a.Value)} }
func withRoom(_ i18n.Lang, a Args) []any {
	return []any{i18n.CheckPercent(a.Value), i18n.CheckSize(a.Bytes)}
}
func withDetail(_ i18n.Lang, a Args) []any { return []any{a.Name, a.Detail} }
func withNames(l i18n.Lang, a Args) []any  { return []any{a.count(), a.names(l)} }
func withDate(l i18n.Lang, a Args) []any {
	return []any{a.count(), a.names(l), i18n.CheckDate(l, a.At)}
}
func withCount(_ i18n.Lang, a Args) []any     { return []any{a.Name, a.count()} }
func withCountOnly(_ i18n.Lang, a Args) []any { return []any{a.count()} }
func withNothing(_ i18n.Lang, _ Args) []any   { return nil }
func untilEnd(l i18n.Lang, a Args) []any {
	return []any{a.Name, i18n.CheckDate(l, a.At), i18n.CheckSpan(l, a.For)}
}
func sinceEnd(l i18n.Lang, a Args) []any { return []any{a.Name, i18n.CheckDate(l, a.At)} }
func withSpan(l i18n.Lang, a Args) []any { return []any{a.Name, i18n.CheckSpan(l, a.For)} }

func withSpace(_ i18n.Lang, a Args) []any {
	return []any{a.Name, i18n.CheckPercent(a.Value), i18n.CheckSize(a.Bytes)}
}

func withRate(_ i18n.Lang, a Args) []any { return []any{a.count(), i18n.CheckNumber(a.Limit)} }

func withDegrees(_ i18n.Lang, a Args) []any { return []any{a.Name, degrees(a.Value), degrees(a.Limit)} }

func withQuote(_ i18n.Lang, a Args) []any { return []any{a.Name, a.Detail, a.count()} }

func withSources(l i18n.Lang, a Args) []any {
	return []any{a.count(), i18n.CheckSpan(l, a.For), strings.Join(a.Names, ", ")}
}

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
		return i18n.CheckMoreNames.In(lang, list, i18n.Count(more))
	}
	return list
}

// phrases returns the sentences of all codes.
func phrases() map[string]phrase {
	return map[string]phrase{
		"disk_full":           {i18n.CheckDisk, withSpace},
		"inodes_full":         {i18n.CheckInodes, withShare},
		"memory_full":         {i18n.CheckMemory, withRoom},
		"memory_pressure":     {i18n.CheckPressure, withValue},
		"swap_full":           {i18n.CheckSwap, withValue},
		"unit_failed":         {i18n.CheckUnitAbout, withDetail},
		"user_unit_failed":    {i18n.CheckUserUnitAbout, withDetail},
		"journal_rate":        {i18n.CheckErrorRate, withRate},
		"journal_new":         {i18n.CheckNewError, withQuote},
		"journal_more":        {i18n.CheckNewErrors, withCountOnly},
		"updates":             {i18n.CheckUpdates, withNames},
		"security_updates":    {i18n.CheckSecurity, withNames},
		"security_listed":     {i18n.CheckGuarded, withNames},
		"reboot_kernel":       {i18n.CheckRebootKernel, withDetail},
		"reboot_modules":      {i18n.CheckRebootModules, withName},
		"smart_failing":       {i18n.CheckSmartFailing, withName},
		"smart_warning":       {i18n.CheckSmartWarning, withName},
		"smart_sectors":       {i18n.CheckSmartSectors, withCount},
		"smart_worn":          {i18n.CheckSmartWorn, withShare},
		"hot":                 {i18n.CheckHot, withDegrees},
		"battery_worn":        {i18n.CheckBattery, withShare},
		"certificate_soon":    {i18n.CheckCertificate, untilEnd},
		"certificate_expired": {i18n.CheckExpired, sinceEnd},
		"backup_stale":        {i18n.CheckBackupStale, withSpan},
		"backup_missing":      {i18n.CheckBackupMissing, withName},
		"logins_failed":       {i18n.CheckLogins, withSources},
		"pacnew":              {i18n.CheckPacnew, withNames},
		"orphans":             {i18n.CheckOrphans, withNames},
		"network_none":        {i18n.CheckNetworkNone, withNothing},
		"network_gateway":     {i18n.CheckNetworkGateway, withName},
	}
}

// Text returns a finding as one sentence. For an unknown code it returns the code.
func (f Finding) Text(lang i18n.Lang) string {
	p, ok := phrases()[f.Code]
	switch {
	case !ok:
		return display(f.Code, 60)
	case f.Args.Detail == "" && f.Code == "unit_failed":
		p = phrase{i18n.CheckUnit, withName}
	case f.Args.Detail == "" && f.Code == "user_unit_failed":
		p = phrase{i18n.CheckUserUnit, withName}
	case !f.Args.At.IsZero() && f.Code == "updates":
		p = phrase{i18n.CheckUpdatesOld, withDate}
	}
	return p.text.In(lang, p.args(lang, f.Args)...)
}

// labels returns the names of figures by the prefix of their keys.
func labels() map[string]i18n.Text {
	return map[string]i18n.Text{
		"disk": i18n.CheckFigureDisk, "inodes": i18n.CheckFigureInodes, "memory": i18n.CheckFigureMemory, "swap": i18n.CheckFigureSwap,
		"failed_units": i18n.CheckFigureUnits, "journal_errors": i18n.CheckFigureErrors, "updates": i18n.CheckFigureUpdates,
		"security_updates": i18n.CheckFigureSecurity, "temperature": i18n.CheckFigureHeat, "battery": i18n.CheckFigureBattery,
		"logins": i18n.CheckFigureLogins, "pacnew": i18n.CheckFigurePacnew, "orphans": i18n.CheckFigureOrphans, "smart_wear": i18n.CheckFigureWear,
	}
}

func (f Figure) kind() string {
	kind, _, _ := strings.Cut(f.Key, ":")
	return kind
}

func (f Figure) label(lang i18n.Lang) string {
	text, ok := labels()[f.kind()]
	switch {
	case !ok:
		return display(f.Key, 40)
	case f.Name != "":
		return text.In(lang, f.Name)
	}
	return text.In(lang)
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
		s = i18n.CheckFigureCount.In(lang, i18n.CheckNumber(f.Value))
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
		return i18n.CheckPoints.In(lang, s)
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
		return s + " (" + i18n.CheckFigureSince.In(lang, by) + ")"
	}
	return s + " (" + i18n.CheckFigureSame.In(lang) + ")"
}

// reasonTexts returns the texts of the reasons.
func reasonTexts() map[Reason]i18n.Text {
	return map[Reason]i18n.Text{
		ReasonMissing: i18n.CheckMissing, ReasonRefused: i18n.CheckRefused, ReasonRights: i18n.CheckRights, ReasonUnreadable: i18n.CheckUnreadable,
		ReasonFailed: i18n.CheckFailed, ReasonAbsent: i18n.CheckAbsent, ReasonUnsupported: i18n.CheckUnsupported, ReasonPartial: i18n.CheckPartly, ReasonTruncated: i18n.CheckCut,
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
		text = i18n.CheckFailed
	case u.Reason == ReasonMissing && u.Package == "":
		return i18n.CheckMissingBare.In(lang, what)
	case u.Reason == ReasonMissing:
		return text.In(lang, what, u.Package)
	}
	return text.In(lang, what)
}

// moment formats a time relative to the look.
func (r Result) moment(lang i18n.Lang, at time.Time) string {
	return i18n.CheckMoment(lang, at.In(r.At.Location()), r.At)
}

// Codes returns the codes of findings.
func Codes() []string { return slices.Sorted(maps.Keys(phrases())) }
