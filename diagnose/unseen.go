package diagnose

import (
	"maps"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Gap is why a look shows nothing, or only a part.
type Gap string

// The reasons. No gap means that the look ran and its output counts.
const (
	NoGap        Gap = ""
	NotInstalled Gap = "not-installed"
	NotAllowed   Gap = "not-allowed" // by the gate
	TookTooLong  Gap = "timeout"
	NeedsRights  Gap = "needs-rights"
	TooLong      Gap = "too-long"
	Unreadable   Gap = "unreadable"
	NoLog        Gap = "no-log" // there is no log, or it is empty
	NotAnswered  Gap = "failed" // the program reports an error
)

// isRefused reports whether a look failed, or saw only a part, because the account has too few rights: what strerror(3)
// says
// for EACCES and EPERM, what programs for root say, and journalctl's hint.
func (o Output) isRefused() bool {
	if o.Exit != 0 && strings.Contains(o.Stdout, "Smartctl open device: ") { // smartctl(8) reports it on standard output
		return strings.Contains(o.Stdout, "Permission denied")
	}
	if o.Exit == 0 && strings.TrimSpace(o.Stdout) != "" &&
		!strings.Contains(o.Stderr, "not seeing messages from other users") {
		return false
	}
	return lineWith([]string{o.Stderr}, "permission denied", "operation not permitted", "must be root", "are you root",
		"not seeing messages",
		"a password is required", "only root", "need to be root") != ""
}

// failure returns the message of a program that could not look, "" if it answered. An exit status alone can be an
// answer
// (grep(1), systemctl is-active), and so can a message that something is not there.
func (o Output) failure() string {
	if smart, err := machine.ParseSmartJSON([]byte(o.Stdout)); err == nil && o.Exit != 0 {
		return smart.Trouble()
	}
	if o.Exit == 0 || strings.TrimSpace(o.Stdout) != "" {
		return ""
	}
	return machine.CleanLine(strings.TrimSpace(lineWith(machine.Lines(o.Stderr),
		"failed to connect", "could not connect", "can't connect", "cannot connect", "unable to connect",
		"connection failure", "connection refused",
		"input/output error", "unrecognized option", "invalid option", "unknown option", "segmentation fault")))
}

// noLogWords are what journalctl(1) and coredumpctl(1) say if there is no log to read.
var noLogWords = []string{"no journal files were found", "no persistent journal was found", "data from the specified boot", "no such boot id"}

// isLogLook reports whether a look reads the journal.
func isLogLook(look string) bool {
	return strings.HasPrefix(look, "journalctl ") || strings.HasPrefix(look, "coredumpctl ")
}

// lacksLog reports whether a log could not be understood, or there is none.
func (u Unseen) lacksLog() bool {
	return isLogLook(u.Command) && (u.Reason == Unreadable || u.Reason == NoLog)
}

// gap returns why a look counts as not seen, with the program's own message if it reports one.
func (f *Facts) gap(look string) (gap Gap, message string) {
	out := f.seen[look]
	switch {
	case out.Missing != "":
		return NotInstalled, ""
	case out.TimedOut:
		return TookTooLong, ""
	case out.Unseen:
		return NotAllowed, ""
	case out.isRefused():
		return NeedsRights, ""
	case out.Cut:
		return TooLong, ""
	case f.unreadable[look] != NoGap:
		return f.unreadable[look], ""
	case isLogLook(look) && lineWith(machine.Lines(out.Stdout+"\n"+out.Stderr), noLogWords...) != "":
		return NoLog, ""
	}
	if message = out.failure(); message != "" {
		return NotAnswered, message
	}
	return NoGap, ""
}

// parse reads what a look printed if it succeeded and is complete. An output that the reader does not understand counts
// as not seen.
func parse[T any](f *Facts, look machine.Probe, read func([]byte) (T, error)) (T, error) {
	text := f.stdout(look)
	value, err := read([]byte(text))
	if err != nil && strings.TrimSpace(text) != "" {
		f.unreadable[look.String()] = Unreadable
	}
	return value, err
}

// Looked returns the commands that were run, in order.
func (f *Facts) Looked() (looked []string) {
	for _, look := range slices.Sorted(maps.Keys(f.seen)) {
		if gap, _ := f.gap(look); gap == NoGap {
			looked = append(looked, look)
		}
	}
	return looked
}

// Unseen returns the commands that show nothing or only a part, in order, with why.
func (f *Facts) Unseen() (unseen []Unseen) {
	for _, look := range slices.Sorted(maps.Keys(f.seen)) {
		if gap, message := f.gap(look); gap != NoGap {
			unseen = append(unseen, Unseen{Command: look, Reason: gap, Missing: f.seen[look].Missing, Message: message})
		}
	}
	return unseen
}

// why says why a look was not possible, the zero value where the report says it with what helps.
func (u Unseen) why() i18n.Text {
	return map[Gap]i18n.Text{
		TookTooLong: i18n.DiagnoseUnseenTimeout, TooLong: i18n.DiagnoseUnseenLong, Unreadable: i18n.DiagnoseUnseenUnreadable,
		NoLog:       i18n.DiagnoseUnseenNoLog,
		NotAnswered: i18n.DiagnoseUnseenFailed(u.Message),
	}[u.Reason]
}
