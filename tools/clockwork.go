package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/secret"
)

// Why the tools of automations ask.
const (
	ReasonNewAutomation    = "new-automation"
	ReasonChangeAutomation = "change-automation"
	ReasonPauseAutomation  = "pause-automation" // what it watched for is no longer told
	ReasonRemoveAutomation = "remove-automation"
)

// The warnings that show a rule which goes or comes; the text stands behind.
const (
	warnRuleGoes    = "automation-goes"
	warnRuleComes   = "automation-comes"
	warnRuleNext    = "automation-next"
	warnRuleReads   = "automation-reads" // whatever it would change is asked about
	warnRuleApplies = "automation-applies"
)

// clockwork carries out the commands about automations.
type clockwork struct {
	Timetable
	redactor *secret.Redactor
	from     Origin
}

var errAutomationChanged = errors.New("the automation has changed since")

// errSecretAutomation refuses what would stand in a file that every model is shown.
var errSecretAutomation = errors.New("not kept: it holds a password, a key or a token, and automations are plain text. Tell the person to put it into a password manager")

// pinnedRule binds a command to the rule it acts on as that is now. What could
// not be done is refused before anybody is asked.
func (g *Gate) pinnedRule(p Plan) (Plan, error) {
	ctx, w := context.Background(), clockwork{Timetable: g.timetable, redactor: g.redactor}
	r, _ := ruleCallOf(p.Commands[0].Argv)
	if r.verb == "list" {
		return p, nil
	}
	if text := strings.Join(append(r.notify, r.name, r.schedule, r.task), "\n"); g.redactor.Confided(text) != text {
		return p, errSecretAutomation
	}
	rules, err := w.List(ctx)
	if err != nil {
		return p, err
	}
	against := ""
	if r.verb == "add" {
		r.name, err = freeName(rules, r)
	} else {
		var rule Automation
		rule, err = w.meant(rules, r.name)
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

// freeName is the name of a new rule: the one that was given, else one made of
// what it does.
func freeName(rules []Automation, r ruleCall) (string, error) {
	taken := func(name string) bool {
		return slices.ContainsFunc(rules, func(a Automation) bool { return same(a.Name, name) })
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

// same reports whether two names differ in capitals, blanks and signs only.
func same(a, b string) bool { return bare(a) == bare(b) && bare(a) != "" }

func bare(name string) string { return strings.ReplaceAll(memory.Slug(name), "-", "") }

// meant returns the one rule that a name stands for: the very name, else the only
// one that differs in capitals and signs, else the only one that has all its
// words. The error names what there is.
func (w clockwork) meant(rules []Automation, name string) (Automation, error) {
	words := strings.Split(memory.Slug(name), "-")
	for _, is := range []func(Automation) bool{
		func(a Automation) bool { return a.Name == name },
		func(a Automation) bool { return same(a.Name, name) },
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
			return Automation{}, fmt.Errorf("%q stands for several automations: %s. Ask the person which one", name, w.names(found))
		}
	}
	if len(rules) == 0 {
		return Automation{}, fmt.Errorf("there is no automation %q, nor any other", name)
	}
	return Automation{}, fmt.Errorf("there is no automation %q. There are: %s", name, w.names(rules))
}

// names lists names on one line.
func (w clockwork) names(rules []Automation) string {
	const most = 20
	var names []string
	for _, a := range rules[:min(len(rules), most)] {
		names = append(names, w.oneLine(a.Name))
	}
	return strings.Join(names, ", ")
}

// find returns the rule of that very name.
func (w clockwork) find(ctx context.Context, name string) (Automation, bool) {
	rules, err := w.List(ctx)
	i := slices.IndexFunc(rules, func(a Automation) bool { return a.Name == name })
	if err != nil || i < 0 {
		return Automation{}, false
	}
	return rules[i], true
}

// judge classes a command. Whatever begins, changes or silences a rule is asked
// about, but a short silence that the person asked for.
func (w clockwork) judge(j *Judged, c Command) {
	r, ok := ruleCallOf(c.Argv)
	if !ok {
		j.unparsed = true
		j.confirm("unparsed", c.String())
		return
	}
	rule, _ := w.find(context.Background(), r.name) // one that is gone is told by ready
	switch r.verb {
	case "list":
	case "add":
		w.comes(j, r)
		j.confirm(ReasonNewAutomation, r.name)
	case "edit", "enable":
		w.show(j, warnRuleGoes, w.says(rule))
		w.comes(j, r)
		j.confirm(ReasonChangeAutomation, r.name)
	case "disable":
		w.show(j, warnRuleGoes, w.says(rule))
		j.confirm(ReasonPauseAutomation, r.name)
	case "remove":
		w.show(j, warnRuleGoes, w.says(rule))
		j.confirm(ReasonRemoveAutomation, r.name)
	case "snooze":
		if !j.mayBeSilent(r) {
			w.show(j, warnRuleGoes, w.says(rule))
			j.confirm(ReasonPauseAutomation, r.name)
		}
	}
}

// mayBeSilent reports whether a rule may be snoozed unasked: for a day at most,
// and where nobody but the person can have asked for it: nothing of others was
// read, or the person named the rule and silence in this turn.
func (j *Judged) mayBeSilent(r ruleCall) bool {
	var in ruleInput
	long, ok := lasts(r.span)
	if !ok || long > freeSnooze || decode(j.Call.Input, &in) != nil {
		return false
	}
	return !j.Call.Untrusted && !j.Call.Mixed || ownWords(j.Call.Words, in.Name) && asksForSilence(j.Call.Words)
}

// silence are words of somebody who wants to hear nothing.
var silence = strings.Fields(`snooze mute silence quiet hush 조용 그만 멈춰 쉬게 꺼 끄 알리지 静音 安静 別響 别响 别提醒 不要提醒`)

func asksForSilence(words string) bool {
	words = strings.ToLower(words)
	return slices.ContainsFunc(silence, func(word string) bool { return strings.Contains(words, word) })
}

// comes shows what a rule would be, when it would be due and what it may do.
func (w clockwork) comes(j *Judged, r ruleCall) {
	rule, err := w.Preview(context.Background(), r.change())
	if err != nil { // which carrying it out tells too
		return
	}
	w.show(j, warnRuleComes, w.says(rule))
	var due []string
	for _, at := range rule.Next[:min(len(rule.Next), 2)] {
		due = append(due, moment(at))
	}
	w.show(j, warnRuleNext, strings.Join(due, ", "))
	if len(rule.Unasked) == 0 {
		j.warn(warnRuleReads)
		return
	}
	for _, argv := range rule.Unasked {
		w.show(j, warnRuleApplies, CommandLine(argv))
	}
}

func (w clockwork) show(j *Judged, warning, text string) {
	if text != "" {
		j.warn(warning + ": " + text)
	}
}

// ready reports whether the rule is what it was when its command was planned.
func (w clockwork) ready(ctx context.Context, c Command) error {
	r, _ := ruleCallOf(c.Argv)
	now := ""
	if rule, ok := w.find(ctx, r.name); ok {
		now = rule.digest()
	}
	if r.verb != "list" && now != c.Against {
		return errAutomationChanged
	}
	return nil
}

func (w clockwork) carry(ctx context.Context, c Command, to io.Writer) (carried, error) {
	r, _ := ruleCallOf(c.Argv)
	said, err := w.done(ctx, r)
	if err != nil {
		said = "not done: " + w.oneLine(err.Error())
	}
	fmt.Fprintln(to, said)
	return carried{failed: err != nil}, nil
}

// done does what a command says, and says so.
func (w clockwork) done(ctx context.Context, r ruleCall) (string, error) {
	var rule Automation
	var err error
	switch r.verb {
	case "list":
		return w.list(ctx)
	case "remove":
		return "removed: " + w.oneLine(r.name), w.Remove(ctx, r.name)
	case "snooze":
		return w.silenced(ctx, r)
	case "add":
		rule, err = w.Add(ctx, r.change(), w.from)
	default:
		rule, err = w.Change(ctx, r.change())
	}
	done := map[string]string{"add": "added", "edit": "changed", "enable": "goes on", "disable": "paused"}[r.verb]
	return done + ": " + w.line(rule), err
}

func (w clockwork) silenced(ctx context.Context, r ruleCall) (string, error) {
	long, _ := lasts(r.span)
	until, err := w.Snooze(ctx, r.name, long)
	if long == 0 {
		return "told again: " + w.oneLine(r.name), err
	}
	return "silent until " + moment(until) + ": " + w.oneLine(r.name), err
}

// list is every rule, one a line.
func (w clockwork) list(ctx context.Context) (string, error) {
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

// line is a rule on one line:
// NAME [SCHEDULE] WHEN · STATE · next TIME · last TIME ENDED · WHAT.
func (w clockwork) line(a Automation) string {
	parts := []string{w.says(a)}
	if len(a.Next) > 0 && a.Enabled {
		parts = append(parts, "next "+moment(a.Next[0]))
	}
	if !a.LastRun.IsZero() {
		parts = append(parts, "last "+moment(a.LastRun)+" "+w.oneLine(a.Ended))
	}
	return strings.Join(parts, separator+" ")
}

// separator stands between the parts of a rule; no part has it.
const separator = " ·"

// says is a rule without its times.
func (w clockwork) says(a Automation) string {
	if a.Name == "" {
		return ""
	}
	begins := w.oneLine(strings.Join(append(nonEmpty(a.Schedule), a.On...), ", "))
	parts := []string{fmt.Sprintf("%s [%s] %s", w.oneLine(a.Name), begins, w.oneLine(a.When)), state(a)}
	if a.Check != "" {
		parts = append(parts, strings.TrimSpace("check "+w.oneLine(a.Check)+" "+over(a.Over)))
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

func state(a Automation) string {
	switch {
	case !a.Enabled:
		return "paused"
	case !a.Snoozed.IsZero():
		return "silent until " + moment(a.Snoozed)
	}
	return "on"
}

// moment is a time as people read it in the zone it has.
func moment(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }

// oneLine is another's text on one line, without secrets, signs that would act,
// and the mark between parts.
func (w clockwork) oneLine(text string) string {
	text, err := noteText("text", w.redactor.Confided(text), 1<<20)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), separator, " -")
}

// editRule puts the person's own command line, or what is to be done in their
// words, in the place of a new rule's.
func (g *Gate) editRule(j Judged, command string) (e Judged, refusal string) {
	r, ok := ruleCallOf(j.Plan.Commands[0].Argv)
	if !ok || r.verb != "add" {
		return j, "what is changed of an automation cannot be edited; say no, and say what is wanted instead"
	}
	r.task = command
	if argv, literal := typed(command); literal && (argv[0] == "blunux-ai" || argv[0] == "blunux-aictl") {
		argv[0] = "blunux-ai"
		if r, ok = ruleCallOf(argv); !ok || r.verb != "add" {
			return j, "the question was what to do when; write what is to be done alone, or blunux-ai automations add --name NAME --schedule CRON -- TASK"
		}
	}
	task, err := noteText("task", r.task, maxTask)
	r.task = task
	plan := r.plan()
	if err == nil {
		plan, err = g.pinned(plan)
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
