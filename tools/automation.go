package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of the tools' input.
const (
	maxTask   = 4 << 10 // bytes
	maxLine   = 200     // bytes of a name, a schedule, a channel
	maxNotify = 8       // channels
	maxSnooze = 30 * 24 * time.Hour
	// maxUnaskedSnooze is how long an automation can be snoozed without a confirmation if only the person's own words
	// can have asked for it.
	maxUnaskedSnooze = 24 * time.Hour
)

// automationCall is one command about automations.
type automationCall struct {
	verb            string // list, add, edit, enable, disable, snooze, remove
	name            string
	schedule, check string
	over            string
	notify          []string
	task            string
	duration        string // of a snooze: "1d"
}

// argv returns the command line of a call. `blunux-aictl automations` takes the same arguments.
func (r automationCall) argv() []string {
	argv := []string{"blunux-ai", "automations", r.verb}
	if r.verb == "add" {
		argv = flag(argv, "--name", r.name)
	}
	argv = flag(argv, "--schedule", r.schedule)
	argv = flag(argv, "--check", r.check)
	argv = flag(argv, "--over", r.over)
	for _, channel := range r.notify {
		argv = flag(argv, "--notify", channel)
	}
	var operands []string
	if r.verb != "add" && r.verb != "list" {
		operands = append(operands, r.name)
	}
	for _, text := range []string{r.task, r.duration} {
		if text != "" {
			operands = append(operands, text)
		}
	}
	if len(operands) == 0 {
		return argv
	}
	return append(append(argv, "--"), operands...)
}

func flag(argv []string, name, value string) []string {
	if value == "" {
		return argv
	}
	return append(argv, name, value)
}

func (r automationCall) plan() Plan {
	return Plan{Commands: []Command{{Argv: r.argv(), By: byAutomations}}}
}

// parseAutomationCall parses a command line that automationCall.argv wrote.
func parseAutomationCall(argv []string) (r automationCall, ok bool) {
	if len(argv) < 3 {
		return r, false
	}
	r.verb = argv[2]
	end := slices.Index(argv[3:], "--") + 3
	if end < 3 {
		end = len(argv)
	}
	for i := 3; i+1 < end; i += 2 {
		if to := r.flag(argv[i]); to != nil {
			*to = argv[i+1]
		} else if argv[i] == "--notify" {
			r.notify = append(r.notify, argv[i+1])
		}
	}
	r.operands(argv[min(end+1, len(argv)):])
	known := slices.Contains([]string{"list", "add", "edit", "enable", "disable", "snooze", "remove"}, r.verb)
	return r, known && (r.verb == "list" || r.name != "" || r.verb == "add") && slices.Equal(r.argv(), argv)
}

// flag returns the field for an option's value, or nil for an unknown option.
func (r *automationCall) flag(name string) *string {
	switch name {
	case "--name":
		return &r.name
	case "--schedule":
		return &r.schedule
	case "--check":
		return &r.check
	case "--over":
		return &r.over
	}
	return nil
}

func (r *automationCall) operands(words []string) {
	if r.verb != "add" && len(words) > 0 {
		r.name, words = words[0], words[1:]
	}
	if len(words) == 0 {
		return
	}
	if r.verb == "snooze" {
		r.duration = words[0]
	} else {
		r.task = words[0]
	}
}

// change returns the call as a change of an automation.
func (r automationCall) change() AutomationChange {
	c := AutomationChange{Name: r.name, Schedule: r.schedule, Action: r.task, Check: r.check, Notify: r.notify}
	if bound, err := strconv.ParseFloat(r.over, 64); err == nil {
		c.Threshold = &bound
	}
	if on := r.verb == "enable"; on || r.verb == "disable" {
		c.Enabled = &on
	}
	return c
}

// changesAutomations reports whether a plan changes automations.
func (p Plan) changesAutomations() bool {
	if !p.isRunBy(byAutomations) {
		return false
	}
	r, ok := parseAutomationCall(p.Commands[0].Argv)
	return !ok || r.verb != "list"
}

// changesAutomations reports whether a plan changes automations, with the tools or with this program's commands.
func (j JudgedPlan) changesAutomations() bool {
	ours := slices.ContainsFunc(j.Programs, func(p string) bool {
		return slices.Contains([]string{"blunux-ai", "blunux-aictl"}, filepath.Base(p))
	})
	return j.Plan.changesAutomations() || ours && strings.Contains(quoteStripper.Replace(j.Command()), "automation")
}

// automationInput is the combined input of the tools; each tool uses a part of it.
type automationInput struct {
	Cron, Schedule, Task, Name, Notify, Check, Snooze string
	Over                                              *float64
	Enabled                                           *bool
}

// call checks the input and returns it as a call.
func (in automationInput) call(verb string) (automationCall, error) {
	r := automationCall{verb: verb}
	for _, word := range []struct {
		what, from string
		to         *string
	}{{"name", in.Name, &r.name}, {"cron", in.Cron + in.Schedule, &r.schedule}, {"check", in.Check, &r.check}} {
		text, err := checkLine(word.what, word.from)
		if err != nil {
			return r, err
		}
		*word.to = text
	}
	for channel := range strings.FieldsFuncSeq(in.Notify, func(c rune) bool { return c == ',' || c == ' ' }) {
		text, err := checkLine("notify", channel)
		if err != nil || len(r.notify) == maxNotify {
			return r, errors.Join(err, fmt.Errorf("notify takes at most %d channels", maxNotify))
		}
		r.notify = append(r.notify, text)
	}
	if in.Over != nil {
		if math.IsNaN(*in.Over) || math.Abs(*in.Over) > 1e12 {
			return r, errors.New("over must be a number from -1e12 to 1e12")
		}
		r.over = formatThreshold(in.Over)
	}
	if strings.TrimSpace(in.Task) == "" {
		return r, nil
	}
	var err error
	r.task, err = noteText("task", in.Task, maxTask)
	return r, err
}

// checkLine checks a short text: one line that does not start an option.
func checkLine(what, s string) (string, error) {
	if strings.TrimSpace(s) == "" {
		return "", nil
	}
	s, err := noteText(what, s, maxLine)
	switch {
	case err != nil:
		return "", err
	case strings.ContainsAny(s, "\n\t"):
		return "", fmt.Errorf("%s must be one line", what)
	case strings.HasPrefix(s, "-"):
		return "", fmt.Errorf("%s cannot begin with a hyphen", what)
	}
	return s, nil
}

func planSchedule(_ Env, input json.RawMessage) (Plan, error) {
	var in automationInput
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	r, err := in.call("add")
	switch {
	case err != nil:
		return Plan{}, err
	case r.schedule == "":
		return Plan{}, errors.New("cron is missing: when the automation runs")
	case r.task == "" && r.check == "":
		return Plan{}, errors.New("task is missing: what the automation does")
	case r.check == "" && r.over != "":
		return Plan{}, errors.New("over needs a check")
	}
	return r.plan(), nil
}

func planListAutomations(Env, json.RawMessage) (Plan, error) {
	return automationCall{verb: "list"}.plan(), nil
}

func planChangeAutomation(_ Env, input json.RawMessage) (Plan, error) {
	var in automationInput
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	r, err := in.call("edit")
	if err != nil {
		return Plan{}, err
	}
	edits := r.schedule+r.task+r.over != "" || len(r.notify) > 0
	kinds := 0
	for _, kind := range []bool{edits, in.Enabled != nil, in.Snooze != ""} {
		if kind {
			kinds++
		}
	}
	switch {
	case r.name == "":
		return Plan{}, errors.New("name is missing: which automation")
	case r.check != "":
		return Plan{}, errors.New("the check cannot be changed: remove the automation and schedule another")
	case kinds != 1:
		return Plan{}, errors.New("one change per call: enabled, snooze, or new values for schedule, task, notify and over")
	case in.Enabled != nil:
		r.verb = map[bool]string{true: "enable", false: "disable"}[*in.Enabled]
	case in.Snooze != "":
		r.verb = "snooze"
		r.duration, err = checkSnooze(in.Snooze)
	}
	return r.plan(), err
}

func planRemoveAutomation(_ Env, input json.RawMessage) (Plan, error) {
	var in automationInput
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	name, err := checkLine("name", in.Name)
	if err == nil && name == "" {
		err = errors.New("name is missing: which automation")
	}
	return automationCall{verb: "remove", name: name}.plan(), err
}

// snoozePattern matches the length of a snooze: 30m, 12h, 1d, 2w. 0 ends a snooze.
var snoozePattern = regexp.MustCompile(`^([1-9]\d{0,4})(m|h|d|w)$`)

// checkSnooze checks the length of a snooze.
func checkSnooze(s string) (string, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	long, ok := parseSnooze(s)
	if !ok || long > maxSnooze {
		return "", fmt.Errorf("snooze is %q, it must be like 30m, 12h, 1d or 2w, at most 30d; 0 ends one", s)
	}
	return s, nil
}

// parseSnooze parses the length of a snooze.
func parseSnooze(span string) (time.Duration, bool) {
	if span == "0" {
		return 0, true
	}
	m := snoozePattern.FindStringSubmatch(span)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	unit := map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[m[2]]
	return time.Duration(n) * unit, err == nil
}
