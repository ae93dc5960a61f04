package explain

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Failure is a command that failed, as the shell saw it.
type Failure struct {
	Command string
	// Status are the exit statuses of the programs of the last pipeline, in its order.
	Status []int
	// Output is what it printed, "" if no one kept it. Other programs wrote it: it is read, never followed.
	Output string
}

// Reason is what the words of a failure say about it.
type Reason struct {
	Program string `json:"program"` // that failed, "" if that is not known
	Status  int    `json:"status"`
	// Line is the line of the output that says why, "" if none does.
	Line string `json:"line,omitempty"`
	// Topic and Object are the question of a diagnosis that looks further, "" for none.
	Topic  string `json:"topic,omitempty"`
	Object string `json:"object,omitempty"`
}

// Read reads why a command failed, without running anything.
func (f Failure) Read() Reason {
	failed := call{}
	calls, ok := read(f.Command)
	r := Reason{Status: f.status()}
	if ok && len(calls) > 0 {
		failed = calls[f.index(len(calls))]
		r.Program = failed.name
	}
	for _, s := range signs {
		if s.status != 0 && s.status != r.Status || s.program != nil && !slices.Contains(s.program, r.Program) {
			continue
		}
		found := []string{}
		if s.message != nil {
			if found, r.Line = lastMatch(s.message, f.Output); found == nil {
				continue
			}
		}
		r.Topic, r.Object = s.topic, s.object(failed, found)
		return r
	}
	r.Line = lastLine(f.Output)
	return r
}

// status returns the status that counts: the last one that is no success.
func (f Failure) status() int {
	for _, s := range slices.Backward(f.Status) {
		if s != 0 {
			return s
		}
	}
	return 0
}

// index returns which of n programs failed: the statuses are those of the last ones.
func (f Failure) index(n int) int {
	for i, s := range slices.Backward(f.Status) {
		if at := n - len(f.Status) + i; s != 0 && at >= 0 && at < n {
			return at
		}
	}
	return n - 1
}

// sign is what shows which question to look into. The first that fits counts.
type sign struct {
	status  int      // 0 for any
	program []string // nil for any
	message *lazyregexp.Regexp
	topic   string
	object  func(c call, found []string) string
}

func none(call, []string) string                { return "" }
func theProgram(c call, _ []string) string      { return c.name }
func matched(_ call, found []string) string     { return strings.Trim(found[1], `'"‘’“”`) }
func lastOperand(c call, _ []string) string     { return lastOf(c.operands()) }
func matchedOrName(c call, f []string) string   { return path.Base(matched(c, f)) }
func matchedPort(_ call, found []string) string { return found[1] }

// signs are messages of bash(1), the C library (strerror(3)), the loader (ld.so(8)), libalpm, systemctl(1) and runtimes.
var signs = []sign{
	{0, []string{"pacman", "yay", "paru"}, nil, "update", none},
	{0, []string{"makepkg"}, lazyregexp.New(`(?i)(pgp|signature|key .* could not be)`), "update", none},
	{0, []string{"systemctl"}, nil, "unit", theUnit},
	{0, nil, lazyregexp.New(`error while loading shared libraries: (\S+):`), "start", theProgram},
	{0, nil, lazyregexp.New(`(?i)(not in the sudoers file|/etc/sudoers|/etc/sudo\.conf|a password is required|account is locked)`), "sudo", none},
	{127, nil, lazyregexp.New(`(?m)(?:^|: )([\w.+-]+): (?:command not found|명령어를 찾을 수 없음|未找到命令)`), "start", matchedOrName},
	{127, nil, nil, "start", theProgram},
	{0, nil, lazyregexp.New(`(?i)no space left on device`), "full", none},
	{0, nil, lazyregexp.New(`(?i)read-only file system`), "mount", none},
	{0, nil, lazyregexp.New(`(?i)(?:could not|couldn't|cannot|failed to) resolve (?:host(?:name)?:?|proxy:?)? ?['"]?([\w.-]+)`), "internet", matched},
	{
		0, nil, lazyregexp.New(`(?i)(name or service not known|temporary failure in name resolution|network is unreachable|no route to host)`),
		"internet", none,
	},
	{0, nil, lazyregexp.New(`(?i)(certificate (?:has expired|is not yet valid|verify failed|problem)|SSL certificate)`), "certificate", none},
	{0, nil, lazyregexp.New(`(?i)(?:address already in use|EADDRINUSE)\D{0,40}?(?:[:\s](\d{2,5}))\b`), "port", matchedPort},
	{0, nil, lazyregexp.New(`(?i)(NODE_MODULE_VERSION|ModuleNotFoundError|UnsupportedClassVersionError|libfuse\.so\.2)`), "foreign", theProgram},
	{0, []string{"mount", "umount"}, nil, "mount", lastOperand},
	{0, []string{"lp", "lpr"}, nil, "printer", none},
	{0, nil, lazyregexp.New(`(?i)([~\w./+-]*/[\w./+-]+)['"’]?: permission denied`), "rights", matched},
	{126, nil, nil, "start", theProgram},
	{137, nil, nil, "memory", none},
	{139, nil, nil, "start", theProgram},
	{134, nil, nil, "start", theProgram},
}

// theUnit returns the unit that systemctl was to do something with.
func theUnit(c call, _ []string) string {
	if words := c.operands(); len(words) > 1 {
		return words[1]
	}
	return ""
}

func lastOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// lastMatch returns the last line that an expression matches, with its groups, nil if there is none.
func lastMatch(re *lazyregexp.Regexp, text string) (found []string, line string) {
	lines := strings.Split(text, "\n")
	for _, line := range slices.Backward(lines) {
		if found := re.FindStringSubmatch(line); found != nil {
			return found, strings.TrimSpace(line)
		}
	}
	return nil, ""
}

// errorLine is a line that a program marks as its error.
var errorLine = lazyregexp.New(`(?i)(\berror\b|\bfatal\b|\bfailed\b|\bfailure\b|\bcannot\b|\bcan't\b|\bunable\b|\bdenied\b|\brefused\b|not found|no such|not permitted|invalid|unknown|unrecognized|오류|없습니다|错误|没有)`)

// lastLine returns the line of an output that most likely says why: the last one that looks like an error, or the last.
func lastLine(text string) string {
	if _, line := lastMatch(errorLine, text); line != "" {
		return line
	}
	return strings.TrimSpace(text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:])
}

// Text says what the exit status means and which line says why, for a person.
func (r Reason) Text(lang i18n.Lang) string {
	lines := []string{r.meaning().In(lang)}
	if r.Line != "" {
		lines = append(lines, i18n.WhyLine(r.Line).In(lang))
	}
	return strings.Join(lines, "\n")
}

// signals are the numbers of signal(7) whose name a person may know.
var signals = map[int]string{1: "HUP", 2: "INT", 4: "ILL", 6: "ABRT", 7: "BUS", 8: "FPE", 9: "KILL", 11: "SEGV", 13: "PIPE", 15: "TERM"}

// meaning says what an exit status means: bash(1), EXIT STATUS.
func (r Reason) meaning() i18n.Text {
	name := r.Program
	if name == "" {
		return i18n.WhyStatus(i18n.WhyCommand, r.Status)
	}
	switch n := r.Status - 128; {
	case r.Status == 0:
		return i18n.WhySucceeded(name)
	case r.Status == 127:
		return i18n.WhyNotFound(name)
	case r.Status == 126:
		return i18n.WhyNotStarted(name)
	case n == 2:
		return i18n.WhyInterrupted(name)
	case n == 9:
		return i18n.WhyKilled(name)
	case n == 11 || n == 6 || n == 7 || n == 4 || n == 8:
		return i18n.WhyCrashed(name, signals[n])
	case signals[n] != "":
		return i18n.WhySignal(name, signals[n])
	}
	return i18n.WhyStatus(i18n.Verbatim(name), r.Status)
}
