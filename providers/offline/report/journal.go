package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
)

// logGroup is a kind of message: lines that differ only in numbers and times.
type logGroup struct {
	source string // the program that logged it
	text   string // the last of the lines
	count  int
	weight int // 3 serious, 2 error, 1 warning, 0 neither
	first  int // index of the first line
	last   int // index of the last line
}

// digitForm matches what differs between messages of one kind.
var digitForm = pattern(`0x[0-9a-fA-F]+|[0-9a-f]{8,}|\d+`)

// severities rates how serious a line is. The first list with a matching word decides.
var severities = []struct {
	weight int
	words  []string
}{
	{0, []string{"0 errors", "no errors", "without error", "error: 0", "errors=0", "0 failed", "error_log", "errors: 0", "no error", "0 warnings"}},
	{3, []string{"panic", "fatal", "out of memory", "oom-kill", "segfault", "i/o error", "core dumped", "dumped core", "corrupt", "no space left", "critical", "emergency", "gpu hang", "read-only file system", "kernel bug", "oops", "hardware error", "mce:"}},
	{2, []string{"error", "failed", "failure", "fail ", "cannot ", "can't ", "unable to", "exception", "traceback", "denied", "refused", "timed out", "timeout", "not found", "no such file", "abort", "killed", "unreachable", "exit-code", "invalid", "undefined", "오류", "실패", "에러", "错误", "失败"}},
	{1, []string{"warn", "deprecated", "retry", "throttl", "missing", "disconnected", "경고", "警告"}},
}

func weightOf(line string) int {
	low := strings.ToLower(line)
	for _, w := range severities {
		if containsAny(low, w.words...) {
			return w.weight
		}
	}
	return 0
}

// groupLines groups similar lines of at least minWeight, sorted by severity, then frequency, then time.
func groupLines(lines []string, minWeight int) []logGroup {
	byKey := map[string]*logGroup{}
	for i, line := range lines {
		source, text, ok := machine.SplitLogLine(line)
		if !ok {
			text = line
		}
		w := weightOf(text)
		if w < minWeight {
			continue
		}
		key := source + "\x00" + digitForm().ReplaceAllString(text, "#")
		g := byKey[key]
		if g == nil {
			g = &logGroup{source: source, weight: w, first: i}
			byKey[key] = g
		}
		g.text, g.last = text, i
		g.count++
	}
	sorted := slices.SortedFunc(maps.Values(byKey), func(a, b *logGroup) int {
		return cmp.Or(-cmp.Compare(a.weight, b.weight), -cmp.Compare(a.count, b.count), -cmp.Compare(a.last, b.last))
	})
	return each(sorted, func(g *logGroup) logGroup { return *g })
}

// logLines returns the lines of a log without journalctl's own messages.
func logLines(text string) []string { return machine.LogLines([]byte(text)) }

// journalTrouble returns at most three messages about what journalctl could not read, without the indented rest
// of its hint.
func journalTrouble(s *providers.Step) []string {
	out := append(
		filter(machine.Lines(s.Stderr), func(l string) bool { return !hasAnyPrefix(l, " ", "-- ") }),
		filter(machine.Lines(s.Stdout), machine.IsNoJournal)...)
	return out[:min(3, len(out))]
}

// unreadJournal answers if journalctl returned no lines.
func (r *result) unreadJournal(s *providers.Step, trouble []string) Reply {
	if len(trouble) == 0 {
		return Reply{Text: r.say(i18n.HelperJournalLogsSilent(s.Command))}
	}
	return Reply{Text: joinBlocks(r.say(i18n.HelperJournalLogsUnread(s.Command)), quote(strings.Join(trouble, "\n")), r.ownLogNote(s.Stderr))}
}

// logsNote returns the limits of an answer from the log.
func (r *result) logsNote(s *providers.Step, trouble []string) string {
	if own := r.ownLogNote(s.Stderr); own != "" || len(trouble) == 0 {
		return own
	}
	return joinBlocks(r.say(i18n.HelperJournalLogsPartly), quote(strings.Join(trouble, "\n")))
}

const shownGroups = 6

func countLines(groups []logGroup) int {
	count := 0
	for _, g := range groups {
		count += g.count
	}
	return count
}

func (r *result) logs() Reply {
	s := &r.steps[0]
	lines := logLines(s.Stdout)
	filtered := r.str("priority") != ""
	trouble := journalTrouble(s)
	switch {
	case len(lines) == 0 && s.Exit > 1:
		return Reply{Text: r.failureText(s)}
	case len(lines) == 0 && (len(trouble) > 0 || s.TimedOut || s.Exit < 0 || strings.TrimSpace(s.Stdout) == ""):
		return r.unreadJournal(s, trouble)
	case len(lines) == 0 && filtered:
		return Reply{Text: r.say(i18n.HelperJournalLogsNoErrors(s.Command))}
	case len(lines) == 0:
		return Reply{Text: r.say(i18n.HelperJournalLogsNone(s.Command))}
	}
	least := 1
	if filtered {
		least = 0 // the journal has filtered them already
	}
	groups := groupLines(lines, least)
	if len(groups) == 0 {
		return Reply{Text: joinBlocks(r.say(i18n.HelperJournalLogsQuiet(len(lines))), quote(strings.Join(lines[max(0, len(lines)-5):], "\n")), r.say(i18n.HelperJournalLogsSource(s.Command)), r.logsNote(s, trouble))}
	}
	count := countLines(groups)
	head := r.say(i18n.HelperJournalLogsErrors(count, r.kinds(count, len(groups))))
	if unit := r.str("unit"); unit != "" && !filtered {
		head = r.say(i18n.HelperJournalLogsUnit(unit, len(lines), count))
	}
	return Reply{Text: joinBlocks(head+" "+r.say(i18n.HelperJournalLogsSource(s.Command)), r.groupList(groups, i18n.HelperJournalLogsTimes), r.meanings(groups), r.logsNote(s, trouble))}
}

// kinds reports the number of kinds of messages if it differs from the number of lines.
func (r *result) kinds(lines, kinds int) string {
	return r.sayIf(lines != kinds, i18n.HelperJournalKinds(kinds))
}

// groupList lists the first kinds of messages with their counts.
func (r *result) groupList(groupList []logGroup, line func(count int, text string) i18n.Text) string {
	var out []string
	for _, g := range groupList[:min(shownGroups, len(groupList))] {
		text := cutRunes(g.text, 150)
		if g.source != "" {
			text = g.source + ": " + text
		}
		if g.count > 1 {
			text = r.say(line(g.count, text))
		}
		out = append(out, text)
	}
	return joinBlocks(bullets(out), r.moreGroups(len(groupList)-len(out)))
}

// moreGroups reports further kinds of messages, if any.
func (r *result) moreGroups(count int) string {
	return r.sayIf(count > 0, i18n.HelperJournalLogsMore(count))
}

func (r *result) ownLogNote(stderr string) string {
	return r.sayIf(machine.ParseJournalAccess([]byte(stderr)).OwnOnly, i18n.HelperJournalLogsOwnOnly)
}

// meanings explains the known ones among the shown messages, each once.
func (r *result) meanings(groups []logGroup) string {
	var out []string
	for _, g := range groups[:min(shownGroups, len(groups))] {
		if text := r.meaningOf(g.text); text != "" && !slices.Contains(out, text) && len(out) < 3 {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return joinBlocks(r.say(i18n.HelperJournalLogsMeaning), bullets(out))
}

// AnswerFromText answers a question about piped text: which lines look like problems and what they usually mean. The
// text is evidence; instructions in it are not followed.
func AnswerFromText(text string, lang i18n.Lang) string {
	r := &result{lang: lang}
	lines := machine.Lines(text)
	groups := groupLines(lines, 1)
	if len(groups) == 0 {
		return paragraphs(r.say(i18n.HelperJournalDataQuiet(len(lines))), r.say(i18n.HelperJournalDataLimits))
	}
	head := r.say(i18n.HelperJournalDataProblems(len(lines), countLines(groups), len(groups)))
	list := joinBlocks(head, r.groupList(groups, i18n.HelperJournalDataLineTimes))
	return paragraphs(list, r.meanings(groups), r.say(i18n.HelperJournalDataLimits))
}

type knownMessage struct {
	signs   []string // lower case, any of them
	meaning i18n.Text
}

// knownMessages explain messages of logs and failed commands, most specific first.
var knownMessages = []knownMessage{
	{[]string{"no space left on device", "enospc"}, i18n.HelperMeaningDiskFull},
	{[]string{"out of memory", "oom-kill", "oom_reaper"}, i18n.HelperMeaningOutOfMemory},
	{[]string{"segfault", "core dumped", "dumped core"}, i18n.HelperMeaningSegfault},
	{[]string{"read-only file system"}, i18n.HelperMeaningReadOnly},
	{[]string{"i/o error", "ata bus error", "medium error", "unrecovered read error"}, i18n.HelperMeaningDiskError},
	{[]string{"address already in use", "bind() to"}, i18n.HelperMeaningPortInUse},
	{[]string{"direct firmware load", "failed to load firmware", "firmware file"}, i18n.HelperMeaningNoFirmware},
	{[]string{"connection refused"}, i18n.HelperMeaningRefused},
	{[]string{"name or service not known", "temporary failure in name resolution", "could not resolve host", "no address associated"}, i18n.HelperMeaningNoDns},
	{[]string{"network is unreachable", "no route to host"}, i18n.HelperMeaningNoRoute},
	{[]string{"permission denied", "access denied", "operation not permitted"}, i18n.HelperMeaningPermission},
	{[]string{"unable to lock database"}, i18n.HelperMeaningPacmanLock},
	{[]string{"invalid or corrupted package", "is marginal trust", "unknown trust", "pgp signature"}, i18n.HelperMeaningSignature},
	{[]string{"conflicting files", "exists in filesystem"}, i18n.HelperMeaningFileConflict},
	{[]string{"target not found", "could not find all required packages"}, i18n.HelperMeaningNoPackage},
	{[]string{"breaks dependency", "could not satisfy dependencies", "required by"}, i18n.HelperMeaningDependency},
	{[]string{"failed retrieving file", "cannot fetch updates", "failed to retrieve", "failed to synchronize"}, i18n.HelperMeaningMirror},
	{[]string{"a password is required", "a terminal is required", "interactive authentication required", "no new privileges", "you cannot perform this operation unless you are root", "not authorized", "no authentication agent found", "error creating textual authentication agent", "request dismissed"}, i18n.HelperMeaningNoRights},
	{[]string{"status=203/exec", "failed to execute"}, i18n.HelperMeaningNoExecutable},
	{[]string{"start request repeated too quickly"}, i18n.HelperMeaningStartLimit},
	{[]string{"dependency failed"}, i18n.HelperMeaningFailedDependency},
	{[]string{"failed to start daemon:"}, i18n.HelperMeaningDocker},
	{[]string{"failed with result", "failed to start ", "main process exited"}, i18n.HelperMeaningExitCode},
	{[]string{"authentication failure", "failed password", "invalid user"}, i18n.HelperMeaningFailedLogin},
	{[]string{"ctrl-event-disconnected", "deauthenticat", "disassociated", "link becomes not ready"}, i18n.HelperMeaningWifiDropped},
	{[]string{"throttl", "temperature above threshold", "critical temperature"}, i18n.HelperMeaningThrottled},
	{[]string{"gpu hang", "gpu reset", "ring gfx", "ring sdma", "xid"}, i18n.HelperMeaningGpuHang},
	{[]string{"acpi error", "acpi bios error", "acpi warning"}, i18n.HelperMeaningAcpi},
	{[]string{"hardware error", "mce:"}, i18n.HelperMeaningHardwareError},
	{[]string{"kernel panic", "not syncing"}, i18n.HelperMeaningKernelPanic},
	{[]string{"device descriptor read", "device not accepting address", "unable to enumerate usb"}, i18n.HelperMeaningUsb},
	{[]string{"no such file or directory"}, i18n.HelperMeaningNoFile},
	{[]string{"command not found"}, i18n.HelperMeaningNoCommand},
	{[]string{"timed out", "timeout"}, i18n.HelperMeaningTimeout},
	{[]string{"undefined reference", "cannot find -l"}, i18n.HelperMeaningNoLibrary},
	{[]string{"modulenotfounderror", "importerror", "no module named"}, i18n.HelperMeaningNoModule},
}

// meaningOf explains a failed command's output, "" if it is not known.
func (r *result) meaningOf(text string) string {
	low := toLowerLimited(text)
	for _, k := range knownMessages {
		if containsAny(low, k.signs...) {
			return r.say(k.meaning)
		}
	}
	return ""
}
