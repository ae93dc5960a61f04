package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
)

// The reasons why the automation tools need a confirmation.
const (
	ReasonNewAutomation    = "new-automation"
	ReasonChangeAutomation = "change-automation"
	ReasonPauseAutomation  = "pause-automation" // its findings are no longer reported
	ReasonRemoveAutomation = "remove-automation"
)

// The warnings that show the old and the new automation, before ": " and the text.
const (
	warnOldAutomation = "automation-goes"
	warnNewAutomation = "automation-comes"
	warnNextRuns      = "automation-next"
	warnReadsOnly     = "automation-reads" // its changes will still need a confirmation
	warnSignedCommand = "automation-applies"
)

// automationRunner runs the commands about automations.
type automationRunner struct {
	AutomationStore
	redactor *secret.Redactor
	from     Origin
}

var errAutomationChanged = errors.New("the automation has changed since")

// errSecretAutomation refuses a secret in a file that every model is shown.
var errSecretAutomation = errors.New("not saved: it contains a password, a key or a token, and automations are plain text. Tell the person to use a password manager")

// pinAutomation binds a command to the current state of its automation. A command that cannot succeed is refused
// before the person is asked.
func (g *Gate) pinAutomation(p Plan) (Plan, error) {
	ctx, w := context.Background(), automationRunner{AutomationStore: g.timetable, redactor: g.redactor}
	r, _ := parseAutomationCall(p.Commands[0].Argv)
	if r.verb == "list" {
		return p, nil
	}
	if text := strings.Join(append(r.notify, r.name, r.schedule, r.task), "\n"); g.redactor.RedactStrict(text) != text {
		return p, errSecretAutomation
	}
	rules, err := w.List(ctx)
	if err != nil {
		return p, err
	}
	against := ""
	if r.verb == "add" {
		r.name, err = newName(rules, r)
	} else {
		var rule Automation
		rule, err = w.resolveName(rules, r.name)
		r.name, against = rule.Name, rule.digest()
	}
	if err == nil && (r.verb == "add" || r.verb == "edit" || r.verb == "enable" || r.verb == "disable") {
		_, err = w.Preview(ctx, r.change())
	}
	c := r.plan().Commands[0]
	c.Against = against
	p.Commands = []Command{c}
	return p, err
}

// newName returns the name of a new automation: the given one, or one made from its task or check.
func newName(rules []Automation, r automationCall) (string, error) {
	taken := func(name string) bool {
		return slices.ContainsFunc(rules, func(a Automation) bool { return sameName(a.Name, name) })
	}
	if r.name != "" {
		if taken(r.name) {
			return "", fmt.Errorf("there is an automation %q already: change_automation changes it", r.name)
		}
		return r.name, nil
	}
	name := memory.Slug(r.task)
	if r.check != "" || name == "" {
		name = memory.Slug("watch-" + r.check)
	}
	free := name
	for i := 2; taken(free); i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free, nil
}

// sameName reports whether two names only differ in case, blanks and punctuation.
func sameName(a, b string) bool { return bareName(a) == bareName(b) && bareName(a) != "" }

func bareName(name string) string { return strings.ReplaceAll(memory.Slug(name), "-", "") }

// resolveName returns the automation that a name refers to: the exact name, else the only one that differs in case
// and punctuation, else the only one with such a name in another language, else the only one with all of its words. The error lists the existing names.
func (w automationRunner) resolveName(rules []Automation, name string) (Automation, error) {
	words := strings.Split(memory.Slug(name), "-")
	for _, is := range []func(Automation) bool{
		func(a Automation) bool { return a.Name == name },
		func(a Automation) bool { return sameName(a.Name, name) },
		func(a Automation) bool {
			return slices.ContainsFunc(a.Translations, func(other string) bool { return sameName(other, name) })
		},
		func(a Automation) bool {
			text := memory.Slug(a.Name) + " " + strings.ToLower(a.Action+" "+a.Check)
			return !slices.ContainsFunc(words, func(word string) bool { return word == "" || !strings.Contains(text, word) })
		},
	} {
		found := slices.DeleteFunc(slices.Clone(rules), func(a Automation) bool { return !is(a) })
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return Automation{}, fmt.Errorf("%q matches several automations: %s. Ask the person which one", name, w.names(found))
		}
	}
	if len(rules) == 0 {
		return Automation{}, fmt.Errorf("there is no automation %q, and no other one exists", name)
	}
	return Automation{}, fmt.Errorf("there is no automation %q. There are: %s", name, w.names(rules))
}

// names returns the names on one line.
func (w automationRunner) names(rules []Automation) string {
	const most = 20
	var names []string
	for _, a := range rules[:min(len(rules), most)] {
		names = append(names, w.oneLine(a.Name))
	}
	return strings.Join(names, ", ")
}

// find returns the automation with exactly this name.
func (w automationRunner) find(ctx context.Context, name string) (Automation, bool) {
	rules, err := w.List(ctx)
	i := slices.IndexFunc(rules, func(a Automation) bool { return a.Name == name })
	if err != nil || i < 0 {
		return Automation{}, false
	}
	return rules[i], true
}

// judge classifies a command. Everything that adds, changes or silences an automation needs a confirmation,
// except a short snooze that the person asked for.
func (w automationRunner) judge(j *JudgedPlan, c Command) {
	r, ok := parseAutomationCall(c.Argv)
	if !ok {
		j.isUnparsed = true
		j.requireConfirmation("unparsed", c.String())
		return
	}
	rule, _ := w.find(context.Background(), r.name) // ready reports a missing automation
	switch r.verb {
	case "list":
	case "add":
		w.warnNew(j, r)
		j.requireConfirmation(ReasonNewAutomation, r.name)
	case "edit", "enable":
		w.addWarning(j, warnOldAutomation, w.describe(rule))
		w.warnNew(j, r)
		j.requireConfirmation(ReasonChangeAutomation, r.name)
	case "disable":
		w.addWarning(j, warnOldAutomation, w.describe(rule))
		j.requireConfirmation(ReasonPauseAutomation, r.name)
	case "remove":
		w.addWarning(j, warnOldAutomation, w.describe(rule))
		j.requireConfirmation(ReasonRemoveAutomation, r.name)
	case "snooze":
		if !j.canSnooze(r) {
			w.addWarning(j, warnOldAutomation, w.describe(rule))
			j.requireConfirmation(ReasonPauseAutomation, r.name)
		}
	}
}

// canSnooze reports whether an automation can be snoozed without a confirmation: for at most a day, and only
// if the request must be the person's: either the turn has read no text of others, or the person named the
// automation and a snooze in this turn.
func (j *JudgedPlan) canSnooze(r automationCall) bool {
	var in automationInput
	long, ok := parseSnooze(r.duration)
	if !ok || long > maxUnaskedSnooze || decode(j.Call.Input, &in) != nil {
		return false
	}
	return !j.Call.Untrusted && !j.Call.Mixed || ownWords(j.Call.Words, in.Name) && asksForSilence(j.Call.Words)
}

// silenceWords are words that ask for silence.
var silenceWords = strings.Fields(`snooze mute silence quiet hush 조용 그만 멈춰 쉬게 꺼 끄 알리지 静音 安静 別響 别响 别提醒 不要提醒`)

func asksForSilence(words string) bool {
	words = strings.ToLower(words)
	return slices.ContainsFunc(silenceWords, func(word string) bool { return strings.Contains(words, word) })
}

// warnNew adds warnings with the new automation, its next times and what it can do.
func (w automationRunner) warnNew(j *JudgedPlan, r automationCall) {
	rule, err := w.Preview(context.Background(), r.change())
	if err != nil { // running the command reports the error too
		return
	}
	w.addWarning(j, warnNewAutomation, w.describe(rule))
	var due []string
	for _, at := range rule.Next[:min(len(rule.Next), 2)] {
		due = append(due, formatTime(at))
	}
	w.addWarning(j, warnNextRuns, strings.Join(due, ", "))
	if len(rule.SignedCommands) == 0 {
		j.warn(warnReadsOnly)
		return
	}
	for _, argv := range rule.SignedCommands {
		w.addWarning(j, warnSignedCommand, CommandLine(argv))
	}
}

func (w automationRunner) addWarning(j *JudgedPlan, warning, text string) {
	if text != "" {
		j.warn(warning + ": " + text)
	}
}

// check reports whether the automation is unchanged since the command was planned.
func (w automationRunner) check(ctx context.Context, c Command) error {
	r, _ := parseAutomationCall(c.Argv)
	now := ""
	if rule, ok := w.find(ctx, r.name); ok {
		now = rule.digest()
	}
	if r.verb != "list" && now != c.Against {
		return errAutomationChanged
	}
	return nil
}

func (w automationRunner) execute(ctx context.Context, c Command, to io.Writer) (internalResult, error) {
	r, _ := parseAutomationCall(c.Argv)
	said, err := w.runCall(ctx, r)
	if err != nil {
		said = "not done: " + w.oneLine(err.Error())
	}
	fmt.Fprintln(to, said)
	return internalResult{failed: err != nil}, nil
}

// runCall runs a call and returns a message about it.
func (w automationRunner) runCall(ctx context.Context, r automationCall) (string, error) {
	var rule Automation
	var err error
	switch r.verb {
	case "list":
		return w.list(ctx)
	case "remove":
		return "removed: " + w.oneLine(r.name), w.Remove(ctx, r.name)
	case "snooze":
		return w.snooze(ctx, r)
	case "add":
		rule, err = w.Add(ctx, r.change(), w.from)
	default:
		rule, err = w.Change(ctx, r.change())
	}
	done := map[string]string{"add": "added", "edit": "changed", "enable": "goes on", "disable": "paused"}[r.verb]
	return done + ": " + w.line(rule), err
}

func (w automationRunner) snooze(ctx context.Context, r automationCall) (string, error) {
	long, _ := parseSnooze(r.duration)
	until, err := w.Snooze(ctx, r.name, long)
	if long == 0 {
		return "told again: " + w.oneLine(r.name), err
	}
	return "silent until " + formatTime(until) + ": " + w.oneLine(r.name), err
}

// list returns all automations, one per line.
func (w automationRunner) list(ctx context.Context) (string, error) {
	rules, err := w.List(ctx)
	if err != nil {
		return "", err
	}
	lines := make([]string, len(rules))
	for i, a := range rules {
		lines[i] = w.line(a)
	}
	if len(lines) == 0 {
		return "there are no automations", nil
	}
	return strings.Join(lines, "\n"), nil
}

// line returns an automation on one line: NAME [SCHEDULE] WHEN · STATE · next TIME · last TIME ENDED · WHAT.
func (w automationRunner) line(a Automation) string {
	parts := []string{w.describe(a)}
	if len(a.Next) > 0 && a.Enabled {
		parts = append(parts, "next "+formatTime(a.Next[0]))
	}
	if !a.LastRun.IsZero() {
		parts = append(parts, "last "+formatTime(a.LastRun)+" "+w.oneLine(a.LastResult))
	}
	return strings.Join(parts, separator+" ")
}

// separator separates the parts of an automation's line. oneLine removes it from the parts.
const separator = " ·"

// describe returns an automation on one line, without its times.
func (w automationRunner) describe(a Automation) string {
	if a.Name == "" {
		return ""
	}
	begins := w.oneLine(strings.Join(append(nonEmpty(a.Schedule), a.On...), ", "))
	parts := []string{fmt.Sprintf("%s [%s] %s", w.oneLine(a.Name), begins, w.oneLine(a.When)), stateText(a)}
	if a.Check != "" {
		parts = append(parts, strings.TrimSpace("check "+w.oneLine(a.Check)+" "+formatThreshold(a.Threshold)))
	}
	if a.Action != "" {
		parts = append(parts, "do "+w.oneLine(a.Action))
	}
	if len(a.Notify) > 0 {
		parts = append(parts, "tell "+w.oneLine(strings.Join(a.Notify, ", ")))
	}
	return strings.Join(parts, separator+" ")
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func stateText(a Automation) string {
	switch {
	case !a.Enabled:
		return "paused"
	case !a.Snoozed.IsZero():
		return "silent until " + formatTime(a.Snoozed)
	}
	return "on"
}

// formatTime formats a time for people, in its own zone.
func formatTime(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }

// oneLine returns text on one line, without secrets, control characters and the separator.
func (w automationRunner) oneLine(text string) string {
	text, err := noteText("text", w.redactor.RedactStrict(text), 1<<20)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), separator, " -")
}

// editAutomation replaces a new automation by the person's own command line or task.
func (g *Gate) editAutomation(j JudgedPlan, command string) (e JudgedPlan, refusal string) {
	r, ok := parseAutomationCall(j.Plan.Commands[0].Argv)
	if !ok || r.verb != "add" {
		return j, "a change of an automation cannot be edited: reject it and say what you want instead"
	}
	r.task = command
	if argv, literal := parseLiteral(command); literal && (argv[0] == "blunux-ai" || argv[0] == "blunux-aictl") {
		argv[0] = "blunux-ai"
		if r, ok = parseAutomationCall(argv); !ok || r.verb != "add" {
			return j, "write only the task, or blunux-ai automations add --name NAME --schedule CRON -- TASK"
		}
	}
	task, err := noteText("task", r.task, maxTask)
	r.task = task
	plan := r.plan()
	if err == nil {
		plan, err = g.pin(plan)
	}
	if err != nil {
		return j, err.Error()
	}
	plan.Tool, plan.Dir, plan.Timeout = j.Plan.Tool, j.Plan.Dir, j.Plan.Timeout
	call := j.Call
	call.Words, call.Untrusted, call.Mixed = command, false, false
	e = g.judge(call, plan, j.Session)
	e.Origin, e.By = j.Origin, j.By
	return e, ""
}
