package tools

import (
	"context"
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

// automationKeeper shows automations without secrets.
type automationKeeper struct {
	AutomationStore
	redactor *secret.Redactor
}

const errAutomationChanged = changedError("the automation has changed since")

// errSecretAutomation refuses a secret in a file that every model is shown.
const errSecretAutomation = secretError("not saved: it contains a password, a key or a token, and automations are plain text. Tell the person to use a password manager")

// pin refuses secrets, and a change that cannot succeed.
func (r automationAction) pin(s services, p *Plan) error {
	if r.Verb == "list" {
		return nil
	}
	if text := strings.Join(append(r.Notify, r.Name, r.Schedule, r.Task), "\n"); s.redactor.RedactStrict(text) != text {
		return errSecretAutomation
	}
	ctx := context.Background()
	rules, err := s.automations.List(ctx)
	if err != nil {
		return err
	}
	if r.Verb == "add" {
		r.Name, err = newName(rules, r)
	} else {
		var rule Automation
		rule, err = s.automations.resolveName(rules, r.Name)
		r.Name, p.Against = rule.Name, rule.digest()
	}
	if err == nil && (r.Verb == "add" || r.Verb == "edit" || r.Verb == "enable" || r.Verb == "disable") {
		_, err = s.automations.Preview(ctx, r.change())
	}
	p.Action = r
	return err
}

// newName returns the name of a new automation: the given one, or one made from its task or check.
func newName(rules []Automation, r automationAction) (string, error) {
	taken := func(name string) bool {
		return slices.ContainsFunc(rules, func(a Automation) bool { return sameName(a.Name, name) })
	}
	if r.Name != "" {
		if taken(r.Name) {
			return "", fmt.Errorf("there is an automation %q already: change_automation changes it", r.Name)
		}
		return r.Name, nil
	}
	name := memory.Slug(r.Task)
	if r.Check != "" || name == "" {
		name = memory.Slug("watch-" + r.Check)
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
func (w automationKeeper) resolveName(rules []Automation, name string) (Automation, error) {
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
func (w automationKeeper) names(rules []Automation) string {
	const most = 20
	var names []string
	for _, a := range rules[:min(len(rules), most)] {
		names = append(names, w.oneLine(a.Name))
	}
	return strings.Join(names, ", ")
}

// find returns the automation with exactly this name.
func (w automationKeeper) find(ctx context.Context, name string) (Automation, bool) {
	rules, err := w.List(ctx)
	i := slices.IndexFunc(rules, func(a Automation) bool { return a.Name == name })
	if err != nil || i < 0 {
		return Automation{}, false
	}
	return rules[i], true
}

// judge requires a confirmation for everything that adds, changes or silences an automation, except a short snooze
// that the person asked for.
func (r automationAction) judge(s services, j *JudgedPlan) {
	w := s.automations
	rule, _ := w.find(context.Background(), r.Name) // ready reports a missing automation
	switch r.Verb {
	case "list":
	case "add":
		w.warnNew(j, r)
		j.requireConfirmation(ReasonNewAutomation, r.Name)
	case "edit", "enable":
		w.addWarning(j, warnOldAutomation, w.describe(rule))
		w.warnNew(j, r)
		j.requireConfirmation(ReasonChangeAutomation, r.Name)
	case "disable":
		w.addWarning(j, warnOldAutomation, w.describe(rule))
		j.requireConfirmation(ReasonPauseAutomation, r.Name)
	case "remove":
		w.addWarning(j, warnOldAutomation, w.describe(rule))
		j.requireConfirmation(ReasonRemoveAutomation, r.Name)
	case "snooze":
		if !j.canSnooze(r) {
			w.addWarning(j, warnOldAutomation, w.describe(rule))
			j.requireConfirmation(ReasonPauseAutomation, r.Name)
		}
	}
}

// canSnooze reports whether an automation can be snoozed without a confirmation: for at most a day, and only
// if the request must be the person's: either the turn has read no text of others, or the person named the
// automation and a snooze in this turn.
func (j *JudgedPlan) canSnooze(r automationAction) bool {
	var in automationInput
	long, ok := parseSnooze(r.Duration)
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
func (w automationKeeper) warnNew(j *JudgedPlan, r automationAction) {
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

func (w automationKeeper) addWarning(j *JudgedPlan, warning, text string) {
	if text != "" {
		j.warn(warning + ": " + text)
	}
}

// ready reports whether the automation is unchanged since the action was planned.
func (r automationAction) ready(ctx context.Context, s services, c actionCall) error {
	now := ""
	if rule, ok := s.automations.find(ctx, r.Name); ok {
		now = rule.digest()
	}
	if r.Verb != "list" && now != c.against {
		return errAutomationChanged
	}
	return nil
}

func (r automationAction) do(ctx context.Context, s services, c actionCall, to io.Writer) (actionResult, error) {
	said, err := s.automations.apply(ctx, r, c.from)
	if err != nil {
		said = "not done: " + s.automations.oneLine(err.Error())
	}
	fmt.Fprintln(to, said)
	return actionResult{failed: err != nil}, nil
}

// apply does an action and returns a message about it.
func (w automationKeeper) apply(ctx context.Context, r automationAction, from Origin) (string, error) {
	var rule Automation
	var err error
	switch r.Verb {
	case "list":
		return w.list(ctx)
	case "remove":
		return "removed: " + w.oneLine(r.Name), w.Remove(ctx, r.Name)
	case "snooze":
		return w.snooze(ctx, r)
	case "add":
		rule, err = w.Add(ctx, r.change(), from)
	default:
		rule, err = w.Change(ctx, r.change())
	}
	done := map[string]string{"add": "added", "edit": "changed", "enable": "goes on", "disable": "paused"}[r.Verb]
	return done + ": " + w.line(rule), err
}

func (w automationKeeper) snooze(ctx context.Context, r automationAction) (string, error) {
	long, _ := parseSnooze(r.Duration)
	until, err := w.Snooze(ctx, r.Name, long)
	if long == 0 {
		return "told again: " + w.oneLine(r.Name), err
	}
	return "silent until " + formatTime(until) + ": " + w.oneLine(r.Name), err
}

// list returns all automations, one per line.
func (w automationKeeper) list(ctx context.Context) (string, error) {
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
func (w automationKeeper) line(a Automation) string {
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
func (w automationKeeper) describe(a Automation) string {
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
func (w automationKeeper) oneLine(text string) string {
	text, err := noteText("text", w.redactor.RedactStrict(text), 1<<20)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), separator, " -")
}
