package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// firstBroken asks layer after layer, lowest first, and stops at the first that
// has something to say or still wants a look.
func (q *inquiry) firstBroken(layers ...func() *finding) *finding {
	for _, broken := range layers {
		if f := broken(); f != nil || len(q.wanted) > 0 {
			return f
		}
	}
	return nil
}

// conclude answers with a finding, nil with nothing: looks are still wanted.
func conclude(f *finding) Reply {
	if f == nil {
		return Reply{}
	}
	return f.reply()
}

// propose sets the one step and the question that asks for it.
func (f *finding) propose(step intent.Step, question string) {
	f.fix, f.question = &step, question
}

// note adds evidence; empty lines are left out.
func (f *finding) note(lines ...string) {
	f.evidence = append(f.evidence, nonEmpty(lines...)...)
}

// lenient is what a look put out whatever its exit status: "systemctl
// is-active" and "grep" tell by it as well.
func (q *inquiry) lenient(s intent.Step) string {
	if step := q.output(s, ""); step != nil {
		return step.Stdout
	}
	return ""
}

// complaint is what a look put out as an error.
func (q *inquiry) complaint(s intent.Step) string {
	if step := q.output(s, ""); step != nil {
		return step.Stderr
	}
	return ""
}

// unitStateWords are the states a unit can be in (systemctl(1), is-active).
var unitStateWords = set("active", "inactive", "failed", "activating", "deactivating", "reloading", "refreshing", "maintenance", "unknown")

// unitStates reads systemctl is-active: one word a line, in the order asked
// (systemctl(1)). Another
// number of lines, or other words, tell nothing.
func unitStates(text string, names ...string) map[string]string {
	lines := outputLines(text)
	if len(lines) != len(names) {
		return nil
	}
	out := make(map[string]string, len(names))
	for i, n := range names {
		out[n] = strings.TrimSpace(lines[i])
		if !unitStateWords[out[n]] {
			return nil
		}
	}
	return out
}

// states asks the system's or the person's own manager about units.
func states(user bool, names ...string) intent.Step {
	if user {
		return command("systemctl --user is-active " + strings.Join(names, " "))
	}
	return command("systemctl is-active " + strings.Join(names, " "))
}

// terse splits a line of nmcli -t: fields are parted by colons, a colon within
// a field is escaped (nmcli(1)).
func terse(line string) []string {
	var out []string
	var field strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			field.WriteByte(line[i])
		case line[i] == ':':
			out = append(out, field.String())
			field.Reset()
		default:
			field.WriteByte(line[i])
		}
	}
	return append(out, field.String())
}

// quoteWord writes a name as one word of a command, "" when it cannot be: a
// name with quotes or controls in it is not proposed.
func quoteWord(s string) string {
	if s == "" || strings.ContainsAny(s, "'\"\\$`!\x00") || strings.HasPrefix(s, "-") || cleanLine(s) != s {
		return ""
	}
	if strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/:", r)
	}) < 0 {
		return s
	}
	return "'" + s + "'"
}
