package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
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

// found returns a finding with its evidence.
func (q *inquiry) found(verdict i18n.Text, evidence ...string) *finding {
	return &finding{verdict: q.say(verdict), evidence: nonEmpty(evidence...)}
}

// propose sets the proposed step and its question.
func (f *finding) propose(step intent.Step, question string) *finding {
	f.fix, f.question = &step, question
	return f
}

// proposeCommand proposes a command, which its question shows.
func (q *inquiry) proposeCommand(f *finding, text string, ask func(command string) i18n.Text) *finding {
	return f.propose(command(text), q.say(ask(text)))
}

// offering adds a step and the question that offers it.
func (rep Reply) offering(step intent.Step, question string) Reply {
	rep.Text, rep.Offer = paragraphs(rep.Text, question), &step
	return rep
}

// note adds the non-empty lines as evidence.
func (f *finding) note(lines ...string) {
	f.evidence = append(f.evidence, nonEmpty(lines...)...)
}

// fact returns a text with a value, "" if there is no value.
func (q *inquiry) fact(text func(string) i18n.Text, value string) string {
	if value == "" {
		return ""
	}
	return q.say(text(value))
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

// unitStates reads systemctl is-active. It returns nil for any other output.
func unitStates(text string, names ...string) map[string]string {
	states, _ := machine.ParseUnitStates([]byte(text), names...) // nil if unreadable
	return states
}

// unitStateStep returns the step that queries the system's or the user's service manager for units.
func unitStateStep(user bool, names ...string) intent.Step {
	if user {
		return command("systemctl --user is-active " + strings.Join(names, " "))
	}
	return command("systemctl is-active " + strings.Join(names, " "))
}

// quoteWord quotes a name as one word of a command. It returns "" for a name with quotes or control characters,
// which is not proposed.
func quoteWord(s string) string {
	if s == "" || strings.ContainsAny(s, "'\"\\$`!\x00") || strings.HasPrefix(s, "-") || machine.CleanLine(s) != s {
		return ""
	}
	if strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/:", r)
	}) < 0 {
		return s
	}
	return "'" + s + "'"
}
