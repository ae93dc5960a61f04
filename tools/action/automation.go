package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/tools/schema"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// Limits of the tools' input.
const (
	maxTask   = 4 << 10 // bytes
	maxSay    = 1 << 10 // bytes
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
	At       string   `json:"at,omitempty"`  // a single time
	Say      string   `json:"say,omitempty"` // the text of a reminder
	On       string   `json:"on,omitempty"`  // what a reminder waits for
	Check    string   `json:"check,omitempty"`
	Over     string   `json:"over,omitempty"`
	Notify   []string `json:"notify,omitempty"`
	Task     string   `json:"task,omitempty"`
	Duration string   `json:"duration,omitempty"` // of a snooze: "1d"
	Language string   `json:"language,omitempty"` // of a new automation's messages, if it is not the configured one
}

// flag is an option of an action's command line.
type flag struct {
	name  string
	value *string
}

func (r *automationAction) flags() []flag {
	return []flag{{"--name", &r.Name}, {"--schedule", &r.Schedule}, {"--at", &r.At}, {"--on", &r.On}, {"--say", &r.Say}, {"--check", &r.Check}, {"--over", &r.Over}, {"--language", &r.Language}}
}

// Argv returns the command line that a person would type. `blunux-aictl automations` takes the same arguments.
func (r automationAction) Argv() []string {
	argv := []string{"blunux-ai", "automations", r.Verb}
	for _, f := range r.flags() {
		if *f.value != "" && (f.name != "--name" || r.Verb == "add") {
			argv = append(argv, f.name, *f.value)
		}
	}
	for _, channel := range r.Notify {
		if channel != "" {
			argv = append(argv, "--notify", channel)
		}
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

// parseAutomationAction parses a command line in the form of automationAction.Argv.
func parseAutomationAction(argv []string) (r automationAction, ok bool) {
	if len(argv) < 3 {
		return r, false
	}
	r.Verb = argv[2]
	options, operands := argv[3:], []string(nil)
	if end := slices.Index(options, "--"); end >= 0 {
		options, operands = options[:end], options[end+1:]
	}
	for i := 0; i+1 < len(options); i += 2 {
		for _, f := range r.flags() {
			if f.name == options[i] {
				*f.value = options[i+1]
			}
		}
		if options[i] == "--notify" {
			r.Notify = append(r.Notify, options[i+1])
		}
	}
	if r.Verb != "add" && len(operands) > 0 {
		r.Name, operands = operands[0], operands[1:]
	}
	switch {
	case len(operands) == 0:
	case r.Verb == "snooze":
		r.Duration = operands[0]
	default:
		r.Task = operands[0]
	}
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

func (automationAction) Kind() string { return KindAutomation }

func (r automationAction) Changes() bool { return r.Verb != "list" }

// change returns the action as a change of an automation.
func (r automationAction) change() AutomationChange {
	c := AutomationChange{Name: r.Name, Schedule: r.Schedule, At: r.At, On: r.On, Say: r.Say, Action: r.Task, Check: r.Check, Notify: r.Notify, Language: r.Language}
	if bound, err := strconv.ParseFloat(r.Over, 64); err == nil {
		c.Threshold = &bound
	}
	if on := r.Verb == "enable"; on || r.Verb == "disable" {
		c.Enabled = &on
	}
	return c
}

// automationInput is the combined input of the tools; each tool uses a part of it.
type automationInput struct {
	Cron, Schedule, At, On, Say, Task, Name, Notify, Check, Snooze string
	Over                                                           *float64
	Enabled                                                        *bool
}

// action checks the input and returns it as an action.
func (in automationInput) action(verb string) (automationAction, error) {
	r := automationAction{Verb: verb}
	for _, word := range []struct {
		what, from string
		to         *string
	}{{"name", in.Name, &r.Name}, {"cron", in.Cron + in.Schedule, &r.Schedule}, {"at", in.At, &r.At}, {"on", in.On, &r.On}, {"check", in.Check, &r.Check}} {
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
	var err error
	if r.Say, err = checkLineOf("say", in.Say, maxSay); err != nil || strings.TrimSpace(in.Task) == "" {
		return r, err
	}
	r.Task, err = noteText("task", in.Task, maxTask)
	return r, err
}

// checkLine checks a short text: one line that does not start an option.
func checkLine(what, s string) (string, error) { return checkLineOf(what, s, maxLine) }

// checkLineOf is checkLine for another limit, in bytes.
func checkLineOf(what, s string, most int) (string, error) {
	if strings.TrimSpace(s) == "" {
		return "", nil
	}
	s, err := noteText(what, s, most)
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

// Schedule plans a new automation.
func Schedule(in automationInput) (Action, error) {
	r, err := in.action("add")
	switch {
	case err != nil:
		return nil, err
	case r.Schedule == "" && r.At == "" && r.On == "":
		return nil, errors.New("cron, at or on is missing: when the automation runs. Ask the person")
	case r.On != "" && r.Schedule+r.At+r.Task+r.Check != "":
		return nil, errors.New("on is for a reminder that waits: leave out cron, at, task and check")
	case r.Schedule != "" && r.At != "":
		return nil, errors.New("cron and at cannot be used together: cron is for what recurs, at for a single time")
	case r.Task == "" && r.Check == "" && r.Say == "" && r.At == "" && r.On == "": // with at or on, it is a reminder that only says that it is time
		return nil, errors.New("task or say is missing: what the automation does")
	case r.Say != "" && r.Task+r.Check != "":
		return nil, errors.New("say is a reminder, which does nothing else: leave out task and check")
	case r.Check == "" && r.Over != "":
		return nil, errors.New("over needs a check")
	}
	return r, nil
}

// ListAutomations plans to list the automations.
func ListAutomations(struct{}) (Action, error) {
	return automationAction{Verb: "list"}, nil
}

// ChangeAutomation plans a change of an automation.
func ChangeAutomation(in automationInput) (Action, error) {
	r, err := in.action("edit")
	if err != nil {
		return nil, err
	}
	edits := r.Schedule+r.At+r.Say+r.Task+r.Over != "" || len(r.Notify) > 0
	kinds := 0
	for _, kind := range []bool{edits, in.Enabled != nil, in.Snooze != ""} {
		if kind {
			kinds++
		}
	}
	switch {
	case r.Name == "":
		return nil, errors.New("name is missing: which automation")
	case r.Check != "":
		return nil, errors.New("the check cannot be changed: remove the automation and schedule another")
	case kinds != 1:
		return nil, errors.New("one change per call: enabled, snooze, or new values for schedule, task, notify and over")
	case in.Enabled != nil:
		r.Verb = map[bool]string{true: "enable", false: "disable"}[*in.Enabled]
	case in.Snooze != "":
		r.Verb = "snooze"
		r.Duration, err = checkSnooze(in.Snooze)
	}
	return r, err
}

// RemoveAutomation plans to remove an automation.
func RemoveAutomation(in automationInput) (Action, error) {
	name, err := checkLine("name", in.Name)
	if err == nil && name == "" {
		err = errors.New("name is missing: which automation")
	}
	return automationAction{Verb: "remove", Name: name}, err
}

// snoozePattern matches the length of a snooze: 30m, 12h, 1d, 2w. 0 ends a snooze.
var snoozePattern = lazyregexp.New(`^([1-9]\d{0,4})(m|h|d|w)$`)

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

// Edit replaces a new automation by the person's own command line or task.
func (r automationAction) Edit(command string) (Action, error) {
	if r.Verb != "add" {
		return nil, errors.New("a change of an automation cannot be edited: reject it and say what you want instead")
	}
	if r.Say != "" {
		var err error
		r.Say, err = checkLineOf("say", command, maxSay)
		return r, err
	}
	r.Task = command
	if argv, literal := shell.ParseLiteral(command); literal && (argv[0] == "blunux-ai" || argv[0] == "blunux-aictl") {
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

// formatThreshold formats a threshold; "" for none.
func formatThreshold(bound *float64) string {
	if bound == nil {
		return ""
	}
	return strconv.FormatFloat(*bound, 'f', -1, 64)
}

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

func (s Services) automations() automationKeeper { return automationKeeper{s.Automations, s.Redactor} }

const errAutomationChanged = changedError("the automation has changed since")

// errSecretAutomation refuses a secret in a file that every model is shown.
const errSecretAutomation = secretError("not saved: it contains a password, a key or a token, and automations are plain text. Tell the person to use a password manager")

// Pin refuses secrets, and a change that cannot succeed.
func (r automationAction) Pin(s Services) (Action, string, error) {
	if r.Verb == "list" {
		return r, "", nil
	}
	if text := strings.Join(append(r.Notify, r.Name, r.Schedule, r.At, r.On, r.Say, r.Task), "\n"); s.Redactor.RedactStrict(text) != text {
		return nil, "", errSecretAutomation
	}
	ctx := context.Background()
	rules, err := s.automations().List(ctx)
	if err != nil {
		return nil, "", err
	}
	against := ""
	if r.Verb == "add" {
		r.Language = cmp.Or(r.Language, string(s.Lang))
		r.Name, err = newName(rules, r)
	} else {
		var rule Automation
		rule, err = s.automations().resolveName(rules, r.Name)
		r.Name, against = rule.Name, rule.digest()
	}
	if err == nil && (r.Verb == "add" || r.Verb == "edit" || r.Verb == "enable" || r.Verb == "disable") {
		var rule Automation
		if rule, err = s.automations().Preview(ctx, r.change()); err == nil {
			if r.Verb == "add" {
				r.Language = rule.Language
			}
			if r.At != "" {
				r.At = rule.At // a span from now must not move while the person is asked
			}
			if r.On != "" { // nor another process of the same name be meant
				r.On, r.Say = rule.On[0], rule.Say
			}
		}
	}
	return r, against, err
}

// newName returns the name of a new automation: the given one, or one made from its task or check.
func newName(rules []Automation, r automationAction) (string, error) {
	taken := func(name string) bool {
		return slices.ContainsFunc(rules, func(a Automation) bool { return sameName(a.Name, name) })
	}
	if r.Name != "" && r.On == "" {
		if taken(r.Name) {
			return "", fmt.Errorf("there is an automation %q already: change_automation changes it", r.Name)
		}
		return r.Name, nil
	}
	name := memory.Slug(cmp.Or(r.Name, r.Task+r.Say))
	if name == "" && r.At != "" {
		name = anyReminder
	}
	if name == "" && r.On != "" {
		name = cmp.Or(memory.Slug(strings.TrimSuffix(path.Base(r.On[strings.LastIndexByte(r.On, ':')+1:]), ":")), anyReminder)
	}
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
// and punctuation, else the only one with such a name in another language, else the only one with all of its words.
// The error lists the existing names.
func (w automationKeeper) resolveName(rules []Automation, name string) (Automation, error) {
	words := strings.Split(memory.Slug(name), "-")
	for _, is := range []func(Automation) bool{
		func(a Automation) bool { return a.Name == name },
		func(a Automation) bool { return a.isDueAt(name) },
		func(a Automation) bool { return sameName(a.Name, name) },
		func(a Automation) bool {
			return slices.ContainsFunc(a.Translations, func(other string) bool { return sameName(other, name) })
		},
		func(a Automation) bool {
			text := memory.Slug(a.Name) + " " + strings.ToLower(a.Action+" "+a.Check)
			if a.Say != "" {
				text += strings.ToLower(a.Say) + " " + anyReminder
			}
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

// anyReminder is a name that matches all reminders.
const anyReminder = "reminder"

// isDueAt reports whether a reminder is due at a time of day: "18:00". "6:00", with one digit, is also 18:00.
func (a Automation) isDueAt(clock string) bool {
	if a.Say == "" || len(a.Next) == 0 {
		return false
	}
	at := a.Next[0].Format("15:04")
	return at == clock || len(clock) == len("6:00") && a.Next[0].Format("3:04") == clock
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

// Judge requires a confirmation for everything that adds, changes or silences an automation, except a short snooze
// that the person asked for.
func (r automationAction) Judge(s Services, c Call) (v Verdict) {
	w := s.automations()
	rule, _ := w.find(context.Background(), r.Name) // ready reports a missing automation
	switch r.Verb {
	case "list":
	case "add":
		if r.isHarmless(c) {
			return v
		}
		w.warnNew(&v, r)
		v.confirm(ReasonNewAutomation, r.Name)
	case "edit", "enable":
		w.addWarning(&v, warnOldAutomation, w.describe(rule))
		w.warnNew(&v, r)
		v.confirm(ReasonChangeAutomation, r.Name)
	case "disable":
		w.addWarning(&v, warnOldAutomation, w.describe(rule))
		v.confirm(ReasonPauseAutomation, r.Name)
	case "remove":
		if rule.Say != "" && (!c.Untrusted || asksToCancel(c.Words)) {
			return v
		}
		w.addWarning(&v, warnOldAutomation, w.describe(rule))
		v.confirm(ReasonRemoveAutomation, r.Name)
	case "snooze":
		if !r.canSnooze(c) {
			w.addWarning(&v, warnOldAutomation, w.describe(rule))
			v.confirm(ReasonPauseAutomation, r.Name)
		}
	}
	return v
}

// Words of a request to cancel a reminder.
var (
	cancelWords   = strings.Fields(`cancel delete remove scrap drop clear 취소 지워 삭제 없애 取消 删 刪 去掉 撤销`)
	reminderWords = strings.Fields(`reminder alarm timer 알림 알람 타이머 리마인더 提醒 闹钟 鬧鐘`)
)

func asksToCancel(words string) bool {
	words = strings.ToLower(words)
	contains := func(word string) bool { return strings.Contains(words, word) }
	return slices.ContainsFunc(cancelWords, contains) && slices.ContainsFunc(reminderWords, contains)
}

// isHarmless reports whether a new automation needs no confirmation: it only informs the person, where they asked
// for it, and the text must be theirs.
func (r automationAction) isHarmless(c Call) bool {
	reminds := r.Say+r.At+r.On != "" && r.Task == "" && r.Check == "" && len(r.Notify) == 0
	return reminds && (!c.Untrusted || r.On == "" && ownTask(c.Words, r.Say) || r.On != "" && waitsHarmlessly(c))
}

// waitsHarmlessly reports whether a reminder that waits can only come from the person's words, although the turn has read text of
// others: its text is made by this program or theirs, and they named the host that will be asked for an answer.
func waitsHarmlessly(c Call) bool {
	in, err := schema.Decode[automationInput](c.Input)
	host, contacts := strings.CutPrefix(in.On, "host:")
	return err == nil && (in.Say == "" || ownTask(c.Words, in.Say)) && (!contacts || ownWords(c.Words, host))
}

// quotedEnds end a Korean order that is quoted. A reminder names it by its noun: 빨래 꺼내라고, 빨래 꺼내기.
var quotedEnds = strings.Fields("라고 으라고 자고")

// ownTask reports whether what a reminder says is in the person's words.
func ownTask(words, say string) bool {
	stem, isNoun := strings.CutSuffix(say, "기")
	return ownWords(words, say) || isNoun && slices.ContainsFunc(quotedEnds, func(end string) bool { return ownWords(words, stem+end) })
}

// canSnooze reports whether an automation can be snoozed without a confirmation: for at most a day, and only
// if the request must be the person's: either the turn has read no text of others, or the person named the
// automation and a snooze in this turn.
func (r automationAction) canSnooze(c Call) bool {
	in, err := schema.Decode[automationInput](c.Input)
	long, ok := parseSnooze(r.Duration)
	return ok && long <= maxUnaskedSnooze && err == nil && (!c.Untrusted || ownWords(c.Words, in.Name) && asksForSilence(c.Words))
}

// silenceWords are words that ask for silence.
var silenceWords = strings.Fields(`snooze mute silence quiet hush 조용 그만 멈춰 쉬게 꺼 끄 알리지 静音 安静 別響 别响 别提醒 不要提醒`)

func asksForSilence(words string) bool {
	words = strings.ToLower(words)
	return slices.ContainsFunc(silenceWords, func(word string) bool { return strings.Contains(words, word) })
}

// warnNew adds warnings with the new automation, its next times and what it can do.
func (w automationKeeper) warnNew(v *Verdict, r automationAction) {
	rule, err := w.Preview(context.Background(), r.change())
	if err != nil { // running the command reports the error too
		return
	}
	w.addWarning(v, warnNewAutomation, w.describe(rule))
	var due []string
	for _, at := range rule.Next[:min(len(rule.Next), 2)] {
		due = append(due, formatTime(at))
	}
	w.addWarning(v, warnNextRuns, strings.Join(due, ", "))
	if rule.Say != "" {
		return
	}
	if len(rule.SignedCommands) == 0 {
		v.warn(warnReadsOnly)
		return
	}
	for _, argv := range rule.SignedCommands {
		w.addWarning(v, warnSignedCommand, shell.CommandLine(argv))
	}
}

func (w automationKeeper) addWarning(v *Verdict, warning, text string) {
	if text != "" {
		v.warn(warning + ": " + text)
	}
}

// Ready reports whether the automation is unchanged since the action was planned.
func (r automationAction) Ready(ctx context.Context, s Services, c Call) error {
	now := ""
	if rule, ok := s.automations().find(ctx, r.Name); ok {
		now = rule.digest()
	}
	if r.Verb != "list" && now != c.Against {
		return errAutomationChanged
	}
	return nil
}

func (r automationAction) Do(ctx context.Context, s Services, c Call, to io.Writer) (Result, error) {
	said, err := s.automations().apply(ctx, r, c.Origin)
	if err != nil {
		said = "not done: " + s.automations().oneLine(err.Error())
	}
	fmt.Fprintln(to, said)
	return Result{Failed: err != nil}, nil
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
		long, _ := parseSnooze(r.Duration)
		until, err := w.Snooze(ctx, r.Name, long)
		if long == 0 {
			return "told again: " + w.oneLine(r.Name), err
		}
		return "silent until " + formatTime(until) + ": " + w.oneLine(r.Name), err
	case "add":
		rule, err = w.Add(ctx, r.change(), from)
	default:
		rule, err = w.Change(ctx, r.change())
	}
	done := map[string]string{"add": "added", "edit": "changed", "enable": "goes on", "disable": "paused"}[r.Verb]
	return done + ": " + w.line(rule), err
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
	begins := strings.TrimPrefix(strings.Join(append([]string{a.Schedule + a.At}, a.On...), ", "), ", ")
	parts := []string{fmt.Sprintf("%s [%s] %s", w.oneLine(a.Name), w.oneLine(begins), w.oneLine(a.When)), stateText(a)}
	if a.Check != "" {
		parts = append(parts, strings.TrimSpace("check "+w.oneLine(a.Check)+" "+formatThreshold(a.Threshold)))
	}
	if a.Say != "" {
		parts = append(parts, "say "+w.oneLine(a.Say))
	}
	if a.Action != "" {
		parts = append(parts, "do "+w.oneLine(a.Action))
	}
	if len(a.Notify) > 0 {
		parts = append(parts, "tell "+w.oneLine(strings.Join(a.Notify, ", ")))
	}
	return strings.Join(parts, separator+" ")
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

// digest returns a digest of the automation's settings.
func (a Automation) digest() string {
	parts := []string{a.Name, a.Schedule, digestOf(a.On...), a.Action, a.Check, formatThreshold(a.Threshold), digestOf(a.Notify...), strconv.FormatBool(a.Enabled)}
	for _, argv := range a.SignedCommands {
		parts = append(parts, digestOf(argv...))
	}
	if a.At+a.Say != "" { // the digests of others stay as in stored approvals
		parts = append(parts, a.At, a.Say)
	}
	return digestOf(parts...)
}
