package plan

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Expand returns the plan with the steps of each timer in its place: the files of a service and a timer of the user's
// manager, and the start of the timer. Their ids are "ID.1" and so on. Steps that depend on the timer depend on the
// last.
func (p Plan) Expand(home string) (Plan, error) {
	last := map[string]string{} // the last step of each timer
	out := Plan{Goal: p.Goal}
	for _, s := range p.Steps {
		if s.Verb != "timer" {
			out.Steps = append(out.Steps, s)
			continue
		}
		steps, err := s.expandTimer(home)
		if err != nil {
			return p, fmt.Errorf("step %q: %w", s.ID, err)
		}
		out.Steps = append(out.Steps, steps...)
		last[s.ID] = steps[len(steps)-1].ID
	}
	for i, s := range out.Steps {
		ids := slices.Clone(s.DependsOn)
		for k, id := range ids {
			if ours, ok := last[id]; ok {
				ids[k] = ours
			}
		}
		out.Steps[i].DependsOn = ids
	}
	return out.complete()
}

// expandTimer returns the steps that make a timer.
func (s Step) expandTimer(home string) ([]Step, error) {
	name, when, command := strings.TrimSuffix(s.Args["name"], ".timer"), s.Args["when"], s.Args["command"]
	switch {
	case !isTimerName(name):
		return nil, fmt.Errorf("%q cannot be the name of a timer", s.Args["name"])
	case !isCalendar(when):
		return nil, fmt.Errorf("%q is no time of systemd.time(7)", when)
	case !isCommandLine(command):
		return nil, errors.New("the command of a timer is one line of text")
	}
	file := func(n int, unit, content string) Step {
		return Step{
			ID: fmt.Sprintf("%s.%d", s.ID, n), Description: s.Description, Verb: "write_file",
			Args: map[string]string{"path": path.Join(home, ".config/systemd/user", unit), "content": content},
		}
	}
	steps := []Step{
		file(1, name+".service", fmt.Sprintf(serviceText, name, quoteExec(command))),
		file(2, name+".timer", fmt.Sprintf(timerText, name, when)),
		{
			ID: s.ID + ".3", Description: s.Description, Verb: "unit", Check: s.Check, Expect: s.Expect,
			Args: map[string]string{"action": "enable", "name": name + ".timer", "user": "true", "now": "true"},
		},
	}
	steps[0].DependsOn = s.DependsOn
	steps[1].DependsOn, steps[2].DependsOn = []string{steps[0].ID}, []string{steps[1].ID}
	return steps, nil
}

// The units of a timer: systemd.service(5), systemd.timer(5). A run that was missed is made up for.
const (
	serviceText = "[Unit]\nDescription=%s\n\n[Service]\nType=oneshot\nExecStart=/bin/sh -c %s\n"
	timerText   = "[Unit]\nDescription=%s\n\n[Timer]\nOnCalendar=%s\nPersistent=true\n\n" +
		"[Install]\nWantedBy=timers.target\n"
)

// isTimerName reports whether a word can name a timer and its service. It has no dot, because a unit's type follows, no
// instance, and is not one of our own.
func isTimerName(name string) bool {
	return isOf(name, "", "_-", 64) && IsUnitName(name+".timer") && !strings.HasPrefix(name, "blunux-ai")
}

// isCalendar reports whether a text has only characters of calendar events: systemd.time(7).
func isCalendar(text string) bool {
	return isOf(text, "*", " *:,./~_+-", 128) && strings.TrimSpace(text) == text
}

func isCommandLine(text string) bool {
	return strings.TrimSpace(text) != "" && len(text) <= 4096 && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

// quoteExec quotes an argument of ExecStart: systemd.service(5), "Command lines"; systemd.unit(5), "Specifiers".
func quoteExec(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(text) + `"`
}
