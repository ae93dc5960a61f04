package i18n

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/channel"
)

// Reason translates a reason code. For an unknown code it returns a general text.
func Reason(code string, lang Lang) string { return Reasons.orElse(code, ReasonElse).In(lang) }

// ReasonAbout says why a command needs confirmation, and names the part of it that the checker found.
func ReasonAbout(code, part string, lang Lang) string {
	program, rest, _ := strings.Cut(part, " ")
	switch code {
	case "missing-operand":
		if options := optionNames(rest, lang); program != "" && options != "" {
			return ReasonNeeds(program, options).In(lang)
		}
		part, rest = program, ""
	case "missing-value":
		if program != "" {
			return ReasonLacks(program).In(lang)
		}
	case "data-loss":
		return ReasonLoss(part).In(lang)
	case "user-rule":
		return ReasonRule(part).In(lang)
	case "unparsed", "empty", "too-long": // the part is a parser's text, or the whole command
		part, rest = "", ""
	}
	if rest != "" {
		part = program + " " + strings.TrimLeft(rest, " ")
	}
	if part = strings.TrimSpace(part); part == "" {
		return Reason(code, lang)
	}
	return ReasonPart(Reason(code, lang), part).In(lang)
}

// mostOptions limits how many options of a group are listed.
const mostOptions = 3

// optionNames formats a group of options, "p,print", as they are typed. It returns "" if there are none.
func optionNames(group string, lang Lang) string {
	var names []string
	for name := range strings.SplitSeq(group, ",") {
		switch {
		case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "":
			return ""
		case len(names) == mostOptions:
		case len(name) == 1:
			names = append(names, "-"+name)
		default:
			names = append(names, "--"+name)
		}
	}
	return strings.Join(names, ReasonList.In(lang))
}

// Rights says why a way to root rights is not available. An unknown code is returned unchanged.
func Rights(code string, lang Lang) string { return RightsReasons.In(code, lang) }

// RightsLacking translates a list of "way: reason code".
func RightsLacking(list []string, lang Lang) string {
	words := make([]string, len(list))
	for i, item := range list {
		way, code, _ := strings.Cut(item, ": ")
		words[i] = way + ": " + Rights(code, lang)
		if way == "none" {
			words[i] = Rights(code, lang)
		}
	}
	return strings.Join(words, "; ")
}

// Warning translates a warning of an approval ("CODE" or "CODE: DETAIL"). The detail is kept. An unknown code
// is returned unchanged.
func Warning(warning string, lang Lang) string {
	code, detail, detailed := strings.Cut(warning, ": ")
	switch code {
	case "own-files":
		return lossWords(detail, lang)
	case "aur-checked": // NAME WARNINGS NOTES
		if part := strings.Fields(detail); len(part) == 3 {
			warnings, _ := strconv.Atoi(part[1])
			notes, _ := strconv.Atoi(part[2])
			return AurPassed("AUR "+part[0], warnings, notes).In(lang)
		}
	case "aur-fact": // CODE DETAIL
		fact, about, more := strings.Cut(detail, " ")
		if text := AurFacts.In(fact, lang); more {
			return text + ": " + about
		} else {
			return text
		}
	}
	if _, ok := WarningsOf()[code]; ok && detailed {
		return WarningsOf.fill(lang, code, detail)
	}
	words := Warnings.In(code, lang)
	if !detailed {
		return words
	}
	if code == "automation-goes" || code == "automation-comes" {
		detail = ruleWords(detail, lang)
	}
	return words + ": " + detail
}

// lossWords says what of the person's own files is lost: "PATH", "FILES BYTES PATH", or "FILES BYTES+ PATH" for at least that.
func lossWords(detail string, lang Lang) string {
	count, rest, _ := strings.Cut(detail, " ")
	size, path, _ := strings.Cut(rest, " ")
	files, err := strconv.Atoi(count)
	bytes, badSize := strconv.ParseInt(strings.TrimSuffix(size, "+"), 10, 64)
	switch {
	case strings.HasPrefix(detail, "/") || err != nil || badSize != nil:
		return LossPath(detail).In(lang)
	case strings.HasSuffix(size, "+"):
		return LossAtLeast(path, files, Size(bytes)).In(lang)
	}
	return LossMeasured(path, files, Size(bytes)).In(lang)
}

// ruleParts are the labels of the parts of a rule that a tool writes on one line.
var ruleParts = []struct {
	begins string
	words  Text
}{
	{"on", RulePartsOn},
	{"paused", RulePartsPaused},
	{"silent until ", RulePartsSilentUntil},
	{"check ", RulePartsCheck},
	{"do ", RulePartsDo},
	{"tell ", RulePartsTell},
}

// ruleWords translates the labels of a rule on one line. The separator of the parts never occurs inside a part.
func ruleWords(line string, lang Lang) string {
	parts := strings.Split(line, " · ")
	for i, part := range parts[1:] {
		for _, p := range ruleParts {
			if rest, ok := strings.CutPrefix(part, p.begins); ok {
				parts[i+1] = p.words.In(lang) + rest
				break
			}
		}
	}
	return strings.Join(parts, " · ")
}

// AutomationReason translates the reason for the result of a run. It returns "" for "".
func AutomationReason(lang Lang, code string) string { return AutomationReasons.In(code, lang) }

// AutomationNames lists the existing automations.
func AutomationNames(lang Lang, names []string) string {
	if len(names) == 0 {
		return NamesNone.In(lang)
	}
	return NamesThere(strings.Join(names, ", ")).In(lang)
}

// defaultRules are the names of the automations that exist from the start (package automation, default/*.toml).
var defaultRules = []Text{RuleDefaultHealth, RuleDefaultUpdates, RuleDefaultSecurity, RuleDefaultDisk}

// RuleName returns the name of an automation in a language. Only those that exist from the start have more than one.
func RuleName(name string, lang Lang) string {
	for _, rule := range defaultRules {
		if slices.ContainsFunc(Languages, func(lang Lang) bool { return rule.In(lang) == name }) {
			return rule.In(lang)
		}
	}
	return name
}

// IsRuleName reports whether a person means an automation by a name in any language.
func IsRuleName(name, typed string) bool {
	return name == typed || RuleName(name, English) == RuleName(typed, English) && RuleName(name, Korean) == RuleName(typed, Korean)
}

// StatusNames are the row names of blunux-aictl status.
var StatusNames = []Text{
	StatusProvider, StatusLanguage, StatusFiles, StatusConfig, StatusTasks, StatusApprovals, StatusNotifications, StatusAutomations, StatusBridges,
	StatusSandbox, StatusPrivilege, StatusUsage, StatusToday, StatusBudget, StatusMemory, StatusIdle, StatusLogTo, StatusProblem,
}

// IdleBlocker translates what prevents an idle exit ("CODE NUMBER"). An unknown code is returned unchanged.
func IdleBlocker(hold string, lang Lang) string {
	code, number, _ := strings.Cut(hold, " ")
	count, err := strconv.Atoi(number)
	if _, ok := IdleBlockers()[code]; !ok || err != nil {
		return hold
	}
	return IdleBlockers.fill(lang, code, count)
}

// SettingName returns the name of a setting, and of what has it, "" if nothing does.
func SettingName(name, target string) Text {
	text, ok := SettingNames()[name]
	switch {
	case !ok:
		return Verbatim(strings.TrimSpace(name + " " + target))
	case target == "":
		return text
	}
	return Text{text.row, &[]any{target}}
}

// Refusal translates a refusal code. For an unknown code it returns a general text.
func Refusal(code string, lang Lang) string { return Refusals.orElse(code, RefusedOtherwise).In(lang) }

// ConnectionAttempts lists where the client looked for the daemon and what it tried, one per line.
func ConnectionAttempts(lang Lang, socket string, tried []string) string {
	var lines []string
	if socket != "" {
		lines = append(lines, TriedAt(socket).In(lang))
	}
	for _, attempt := range tried {
		lines = append(lines, "  "+AictlTried(PlainCause(attempt, lang)).In(lang))
	}
	return strings.Join(lines, "\n")
}

// MemoryHelp says how to repair a file of notes, by reason code. It returns "" if there is no advice.
func MemoryHelp(lang Lang, reason, command string) string {
	if reason == "busy" {
		return MemoryAgain.In(lang)
	}
	if _, ok := MemoryHelps()[reason]; !ok {
		return command
	}
	return MemoryHelps.fill(lang, reason, command)
}

// SearchLimitText says why the search of notes is limited, and which file is concerned. An unknown
// code is returned unchanged.
func SearchLimitText(lang Lang, code, file string) string {
	said := MemoryTroubles.In(code, lang)
	if file != "" {
		said += " (" + file + ")"
	}
	return said
}

// NoteFileError says that a file of notes cannot be used, and why: by reason code, or else with the system's error.
func NoteFileError(lang Lang, write bool, file, reason string, said error) string {
	text := MemoryUnread
	if write {
		text = MemoryUnwritten
	}
	if why, ok := MemoryReasons()[reason]; ok {
		return text(file, why.In(lang)).In(lang)
	}
	return text(file, fmt.Sprint(said)).In(lang)
}

// ProviderName returns a provider's name for a list of choices, or else its label.
func ProviderName(name, label string, lang Lang) string {
	return ProviderNames.orElse(name, Verbatim(label)).In(lang)
}

// ProviderLabel returns a provider's name for a list of providers. The name for choices says how to pay for Claude and
// which one to take, which says nothing of one that is set up.
func ProviderLabel(name, label string, lang Lang) string {
	if name == "claude" {
		return label
	}
	return ProviderName(name, label, lang)
}

// ModelName formats a provider and its model.
func ModelName(provider, model string, lang Lang) string {
	switch {
	case provider == "offline":
		return DaemonBuiltInHelper.In(lang)
	case provider == "" && model == "":
		return "blunux-ai"
	case model == "" || strings.HasPrefix(model, provider):
		return cmp.Or(model, provider)
	}
	return provider + " " + model
}

// NoRecipient says that no one gets what an automation sends over a channel, and which setting helps.
func NoRecipient(automation, name string) Text {
	c, _ := channel.ByName(name)
	return AutomationNoRecipient(automation, name, c.Key())
}

// SetupNotices are what people should know of a messenger before it is linked, by channel.
var SetupNotices = map[string]Text{"whatsapp": SetupNoticeWhatsApp, "telegram": SetupNoticeTelegram, "discord": SetupNoticeDiscord}

// Bridge is the state of a messenger bridge, for [Bridge.Lines].
type Bridge struct {
	Channel, Phase, Account string
	Since, Until            time.Time
	Unsent, Untaken         int
	// Do is the command that helps, or "". Problem is why the state is unknown.
	Do, Problem string
}

// BridgeTitle returns a messenger's name.
func BridgeTitle(name string) string {
	if c, ok := channel.ByName(name); ok {
		return c.Title
	}
	return name
}

// ChannelName returns the name of a channel for a reader.
func ChannelName(name string, lang Lang) string {
	switch name {
	case "cli", "tui":
		return ChannelCli.In(lang)
	case "desktop":
		return ChannelDesktop.In(lang)
	}
	return BridgeTitle(name)
}

// Lines describes a bridge in one line, and in a second one what to do.
func (b Bridge) Lines(l Lang, now time.Time) []string {
	title := BridgeTitle(b.Channel) + ": "
	if b.Problem != "" {
		return []string{title + BridgeUnknown(b.Problem).In(l)}
	}
	parts := []string{BridgePhases.In(b.Phase, l)}
	if b.Account != "" {
		parts = append(parts, BridgeAs(b.Account).In(l))
	}
	if b.Phase == "limited" && b.Until.After(now) {
		parts = append(parts, BridgeUntil(b.Until.Local().Format("15:04:05")).In(l))
	} else if !b.Since.IsZero() && b.Phase != "stopped" {
		parts = append(parts, BridgeSince(b.Since.Local().Format("2006-01-02 15:04:05")).In(l))
	}
	if b.Unsent > 0 {
		parts = append(parts, BridgeUnsent(b.Unsent).In(l))
	}
	if b.Untaken > 0 {
		parts = append(parts, BridgeNotHandedOver(b.Untaken).In(l))
	}
	lines := []string{title + strings.Join(parts, ", ")}
	if b.Do != "" {
		lines = append(lines, "! "+BridgeDo(b.Do).In(l))
	}
	return lines
}

// CommandResult is the result of a command.
type CommandResult struct {
	Code    string // "timeout", "missing", "unknown" or "cancelled"; "" if it exited
	Exit    int    // its exit status
	Program string // name of a missing program
	Limit   int    // timeout in seconds; 0 if unknown
}

// CommandEnd describes the result of a command.
func CommandEnd(lang Lang, e CommandResult) string {
	switch {
	case e.Code == "timeout" && e.Limit > 0:
		return EndedAfter(e.Limit).In(lang)
	case e.Code == "timeout":
		return EndedTimeout.In(lang)
	case e.Code == "missing" && e.Program != "":
		return EndedMissing(e.Program).In(lang)
	case e.Code == "missing":
		return Refusal(e.Code, lang)
	case e.Code == "cancelled":
		return EndedCancelled.In(lang)
	case e.Code == "unknown", e.Exit < 0:
		return EndedUnknown.In(lang)
	}
	return EndedExit(e.Exit).In(lang)
}
