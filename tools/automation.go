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

// automationAction lists or changes automations.
type automationAction struct {
	Verb     string   `json:"verb"` // list, add, edit, enable, disable, snooze, remove
	Name     string   `json:"name,omitempty"`
	Schedule string   `json:"schedule,omitempty"`
	Check    string   `json:"check,omitempty"`
	Over     string   `json:"over,omitempty"`
	Notify   []string `json:"notify,omitempty"`
	Task     string   `json:"task,omitempty"`
	Duration string   `json:"duration,omitempty"` // of a snooze: "1d"
}

// Argv returns the command line that a person would type. `blunux-aictl automations` takes the same arguments.
func (r automationAction) Argv() []string {
	argv := []string{"blunux-ai", "automations", r.Verb}
	if r.Verb == "add" {
		argv = flag(argv, "--name", r.Name)
	}
	argv = flag(argv, "--schedule", r.Schedule)
	argv = flag(argv, "--check", r.Check)
	argv = flag(argv, "--over", r.Over)
	for _, channel := range r.Notify {
		argv = flag(argv, "--notify", channel)
	}
	var operands []string
	if r.Verb != "add" && r.Verb != "list" {
		operands = append(operands, r.Name)
	}
	for _, text := range []string{r.Task, r.Duration} {
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

// parseAutomationAction parses a command line in the form of automationAction.Argv.
func parseAutomationAction(argv []string) (r automationAction, ok bool) {
	if len(argv) < 3 {
		return r, false
	}
	r.Verb = argv[2]
	end := slices.Index(argv[3:], "--") + 3
	if end < 3 {
		end = len(argv)
	}
	for i := 3; i+1 < end; i += 2 {
		if to := r.flag(argv[i]); to != nil {
			*to = argv[i+1]
		} else if argv[i] == "--notify" {
			r.Notify = append(r.Notify, argv[i+1])
		}
	}
	r.operands(argv[min(end+1, len(argv)):])
	return r, r.isValid() && slices.Equal(r.Argv(), argv)
}

// isValid reports whether the action can exist. Two valid actions have different command lines, because digests of
// approvals contain only these.
func (r automationAction) isValid() bool {
	known := slices.Contains([]string{"list", "add", "edit", "enable", "disable", "snooze", "remove"}, r.Verb)
	hidden := r.Verb == "list" && r.Name != "" || slices.Contains(r.Notify, "")
	mixed := r.Verb == "snooze" && r.Task != "" || r.Verb != "snooze" && r.Duration != ""
	return known && !hidden && !mixed && (r.Verb == "list" || r.Name != "" || r.Verb == "add")
}

func (automationAction) kind() string { return kindAutomation }

func (r automationAction) changes() bool { return r.Verb != "list" }

// flag returns the field for an option's value, or nil for an unknown option.
func (r *automationAction) flag(name string) *string {
	switch name {
	case "--name":
		return &r.Name
	case "--schedule":
		return &r.Schedule
	case "--check":
		return &r.Check
	case "--over":
		return &r.Over
	}
	return nil
}

func (r *automationAction) operands(words []string) {
	if r.Verb != "add" && len(words) > 0 {
		r.Name, words = words[0], words[1:]
	}
	if len(words) == 0 {
		return
	}
	if r.Verb == "snooze" {
		r.Duration = words[0]
	} else {
		r.Task = words[0]
	}
}

// change returns the action as a change of an automation.
func (r automationAction) change() AutomationChange {
	c := AutomationChange{Name: r.Name, Schedule: r.Schedule, Action: r.Task, Check: r.Check, Notify: r.Notify}
	if bound, err := strconv.ParseFloat(r.Over, 64); err == nil {
		c.Threshold = &bound
	}
	if on := r.Verb == "enable"; on || r.Verb == "disable" {
		c.Enabled = &on
	}
	return c
}

// changesAutomations reports whether a plan changes automations, with the tools or with this program's commands.
func (j JudgedPlan) changesAutomations() bool {
	ours := slices.ContainsFunc(j.Programs, func(p string) bool {
		return slices.Contains([]string{"blunux-ai", "blunux-aictl"}, filepath.Base(p))
	})
	action := j.Plan.Action
	return action != nil && action.kind() == kindAutomation && action.changes() || ours && strings.Contains(quoteStripper.Replace(j.Command()), "automation")
}

// automationInput is the combined input of the tools; each tool uses a part of it.
type automationInput struct {
	Cron, Schedule, Task, Name, Notify, Check, Snooze string
	Over                                              *float64
	Enabled                                           *bool
}

// action checks the input and returns it as an action.
func (in automationInput) action(verb string) (automationAction, error) {
	r := automationAction{Verb: verb}
	for _, word := range []struct {
		what, from string
		to         *string
	}{{"name", in.Name, &r.Name}, {"cron", in.Cron + in.Schedule, &r.Schedule}, {"check", in.Check, &r.Check}} {
		text, err := checkLine(word.what, word.from)
		if err != nil {
			return r, err
		}
		*word.to = text
	}
	for channel := range strings.FieldsFuncSeq(in.Notify, func(c rune) bool { return c == ',' || c == ' ' }) {
		text, err := checkLine("notify", channel)
		if err != nil || len(r.Notify) == maxNotify {
			return r, errors.Join(err, fmt.Errorf("notify takes at most %d channels", maxNotify))
		}
		r.Notify = append(r.Notify, text)
	}
	if in.Over != nil {
		if math.IsNaN(*in.Over) || math.Abs(*in.Over) > 1e12 {
			return r, errors.New("over must be a number from -1e12 to 1e12")
		}
		r.Over = formatThreshold(in.Over)
	}
	if strings.TrimSpace(in.Task) == "" {
		return r, nil
	}
	var err error
	r.Task, err = noteText("task", in.Task, maxTask)
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
	r, err := in.action("add")
	switch {
	case err != nil:
		return Plan{}, err
	case r.Schedule == "":
		return Plan{}, errors.New("cron is missing: when the automation runs")
	case r.Task == "" && r.Check == "":
		return Plan{}, errors.New("task is missing: what the automation does")
	case r.Check == "" && r.Over != "":
		return Plan{}, errors.New("over needs a check")
	}
	return actionPlan(r), nil
}

func planListAutomations(Env, json.RawMessage) (Plan, error) {
	return actionPlan(automationAction{Verb: "list"}), nil
}

func planChangeAutomation(_ Env, input json.RawMessage) (Plan, error) {
	var in automationInput
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	r, err := in.action("edit")
	if err != nil {
		return Plan{}, err
	}
	edits := r.Schedule+r.Task+r.Over != "" || len(r.Notify) > 0
	kinds := 0
	for _, kind := range []bool{edits, in.Enabled != nil, in.Snooze != ""} {
		if kind {
			kinds++
		}
	}
	switch {
	case r.Name == "":
		return Plan{}, errors.New("name is missing: which automation")
	case r.Check != "":
		return Plan{}, errors.New("the check cannot be changed: remove the automation and schedule another")
	case kinds != 1:
		return Plan{}, errors.New("one change per call: enabled, snooze, or new values for schedule, task, notify and over")
	case in.Enabled != nil:
		r.Verb = map[bool]string{true: "enable", false: "disable"}[*in.Enabled]
	case in.Snooze != "":
		r.Verb = "snooze"
		r.Duration, err = checkSnooze(in.Snooze)
	}
	return actionPlan(r), err
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
	return actionPlan(automationAction{Verb: "remove", Name: name}), err
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

// edit replaces a new automation by the person's own command line or task.
func (r automationAction) edit(command string) (Action, error) {
	if r.Verb != "add" {
		return nil, errors.New("a change of an automation cannot be edited: reject it and say what you want instead")
	}
	r.Task = command
	if argv, literal := parseLiteral(command); literal && (argv[0] == "blunux-ai" || argv[0] == "blunux-aictl") {
		argv[0] = "blunux-ai"
		var ok bool
		if r, ok = parseAutomationAction(argv); !ok || r.Verb != "add" {
			return nil, errors.New("write only the task, or blunux-ai automations add --name NAME --schedule CRON -- TASK")
		}
	}
	var err error
	r.Task, err = noteText("task", r.Task, maxTask)
	return r, err
}
