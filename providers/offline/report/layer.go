package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// firstBroken checks layer after layer, lowest first, and stops at the first that has a finding or needs
// another step.
func (q *inquiry) firstBroken(layers ...func() *finding) *finding {
	for _, broken := range layers {
		if f := broken(); f != nil || len(q.needed) > 0 {
			return f
		}
	}
	return nil
}

// conclude answers with a finding. If f is nil, the reply is empty: steps are still needed.
func conclude(f *finding) Reply {
	if f == nil {
		return Reply{}
	}
	return f.reply()
}

// propose sets the proposed step and its question.
func (f *finding) propose(step intent.Step, question string) {
	f.fix, f.question = &step, question
}

// note adds the non-empty lines as evidence.
func (f *finding) note(lines ...string) {
	f.evidence = append(f.evidence, nonEmpty(lines...)...)
}

// anyStdout returns the standard output of a step regardless of its exit status: "systemctl is-active" and "grep"
// use the status as part of the answer.
func (q *inquiry) anyStdout(s intent.Step) string {
	if step := q.output(s, ""); step != nil {
		return step.Stdout
	}
	return ""
}

// stderr returns the standard error of a step.
func (q *inquiry) stderr(s intent.Step) string {
	if step := q.output(s, ""); step != nil {
		return step.Stderr
	}
	return ""
}

// unitStateWords are the states of a unit (systemctl(1), is-active).
var unitStateWords = set("active", "inactive", "failed", "activating", "deactivating", "reloading", "refreshing", "maintenance", "unknown")

// unitStates parses systemctl is-active: one word per line, in the requested order (systemctl(1)). It returns
// nil for any other output.
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

// unitStateStep returns the step that queries the system's or the user's service manager for units.
func unitStateStep(user bool, names ...string) intent.Step {
	if user {
		return command("systemctl --user is-active " + strings.Join(names, " "))
	}
	return command("systemctl is-active " + strings.Join(names, " "))
}

// splitTerse splits a line of nmcli -t: fields are separated by colons, and a colon within a field is escaped
// (nmcli(1)).
func splitTerse(line string) []string {
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

// quoteWord quotes a name as one word of a command. It returns "" for a name with quotes or control characters,
// which is not proposed.
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
