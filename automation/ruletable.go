package automation

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Bounds of a rule.
const (
	maxName     = 64 // characters
	maxText     = 8 << 10
	maxSay      = 1 << 10
	maxCommands = 64
	maxWord     = 4 << 10
	maxList     = 32
)

// Channels are the channels of notifications.
var Channels = append(channel.Names(), "desktop", "cli", "none")

// oldSpellings maps keys of NARE and Moonbot to the keys here.
var oldSpellings = map[string]string{"cron": "schedule", "id": "name", "task": "action"}

// ruleReader parses a table into a [Rule].
type ruleReader struct {
	t        table
	r        Rule
	from     *Files
	problems []Problem
}

// setters parse the values of the known keys.
var setters = map[string]func(d *ruleReader, key string, value any){
	"name":       func(d *ruleReader, key string, v any) { d.r.Name = norm.NFC.String(d.string(key, v)) },
	"schedule":   (*ruleReader).schedule,
	"on":         (*ruleReader).events,
	"at":         (*ruleReader).moment,
	"once":       func(d *ruleReader, key string, v any) { d.r.Once = d.bool(key, v) },
	"say":        (*ruleReader).say,
	"action":     (*ruleReader).action,
	"check":      func(d *ruleReader, key string, v any) { d.r.Check = d.string(key, v) },
	"over":       (*ruleReader).over,
	"within":     func(d *ruleReader, key string, v any) { d.r.Within = d.duration(key, v, time.Second, 3660*day) },
	"paths":      (*ruleReader).paths,
	"notify":     (*ruleReader).notify,
	"auto_apply": func(d *ruleReader, key string, v any) { d.r.AutoApply = d.bool(key, v) },
	"commands":   (*ruleReader).commands,
	"enabled":    func(d *ruleReader, key string, v any) { d.r.Enabled = d.bool(key, v) },
	"catch_up": func(d *ruleReader, key string, v any) {
		d.r.CatchUp = CatchUp(d.choice(key, v, "none", "latest", "all"))
	},
	"jitter":   func(d *ruleReader, key string, v any) { d.r.Jitter = d.duration(key, v, 0, 12*time.Hour) },
	"timeout":  func(d *ruleReader, key string, v any) { d.r.Timeout = d.duration(key, v, time.Second, day) },
	"budget":   (*ruleReader).budget,
	"quiet":    (*ruleReader).quiet,
	"language": func(d *ruleReader, key string, v any) { d.r.Language = d.choice(key, v, "ko", "en", "zh", "zh-Hant") },
	"session":  func(d *ruleReader, key string, v any) { d.r.Session = d.line(key, d.string(key, v)) },
	"after":    (*ruleReader).after,
	"again":    func(d *ruleReader, key string, v any) { d.r.Again = d.duration(key, v, time.Minute, 366*day) },
}

var ruleKeys = slices.Sorted(maps.Keys(setters))

// readRule parses a table into a rule. The rule is valid if every problem has Used set.
func readRule(t table, file string, from *Files) (Rule, []Problem) {
	d := &ruleReader{t: t, from: from, r: Rule{
		Notify: []string{"desktop"}, Enabled: true, CatchUp: CatchLatest, Timeout: 10 * time.Minute,
		File: file, Line: t.line, Managed: file == from.Managed,
	}}
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		d.key(key, t.values[key])
	}
	d.validate()
	for i := range d.problems {
		d.problems[i].File = file
		if isValidName(d.r.Name) {
			d.problems[i].Rule = d.r.Name
		}
	}
	return d.r, d.problems
}

func (d *ruleReader) key(key string, value any) {
	name := key
	if now, old := oldSpellings[key]; old {
		if name = now; d.t.values[now] != nil {
			d.problem(key, "both", key, now)
		}
	}
	set, known := setters[name]
	switch {
	case known:
		set(d, key, value)
	case nearest(key, ruleKeys) != "":
		d.problem(key, "unknown_near", key, nearest(key, ruleKeys))
	default:
		d.problem(key, "unknown_key", key)
	}
}

func (d *ruleReader) problem(key, code string, args ...any) {
	at := d.t.at(key)
	d.problems = append(d.problems, Problem{Line: at.line, Column: at.column, Code: code, Args: args})
}

// managesAutomations matches a command that manages automations.
var managesAutomations = lazyregexp.New(`^\s*blunux-ai(ctl)?\s+automations?\b`)

// validate validates combinations of keys.
func (d *ruleReader) validate() {
	r := &d.r
	if !isValidName(r.Name) {
		d.problem("name", "name")
	}
	if r.Action == "" && r.Check == "" && r.Say == "" && d.t.values["say"] == nil && d.t.values["action"] == nil && d.t.values["task"] == nil && len(r.Commands) == 0 {
		d.problem("", "no_deed")
	}
	if d.t.values["at"] == nil && d.t.values["schedule"] == nil && d.t.values["cron"] == nil && len(r.On) == 0 && d.t.values["on"] == nil {
		d.problem("", "no_begin")
	}
	if managesAutomations.MatchString(r.Action) {
		d.problem("action", "self")
	}
	d.refusePair("at", "schedule", "cron", "on")
	d.refusePair("say", "action", "task", "check", "commands")
	if _, has := d.t.values["once"]; has && (len(r.On) == 0 || r.Say == "") {
		d.problem("once", "once")
	}
	if len(r.Waits()) > 0 && r.Say == "" { // it could change something at a time that nobody chose
		d.problem("on", "waits")
	}
	d.validateCommands()
	d.checks()
}

// refusePair reports the first of the others that a rule has besides key.
func (d *ruleReader) refusePair(key string, others ...string) {
	if d.t.values[key] == nil {
		return
	}
	for _, other := range others {
		if d.t.values[other] != nil {
			d.problem(other, "pair", key, other)
			return
		}
	}
}

// validateCommands validates the keys for commands that run without approval. They are allowed only in the
// person's own file, which no command writes.
func (d *ruleReader) validateCommands() {
	for _, key := range []string{"commands", "auto_apply"} {
		if _, has := d.t.values[key]; has && d.r.File != d.from.Path {
			d.problem(key, "dropin", key)
		}
	}
	if d.r.AutoApply && len(d.r.Commands) == 0 && d.t.values["commands"] == nil {
		d.problem("auto_apply", "no_commands")
		d.problems[len(d.problems)-1].Used = true
	}
}

func (d *ruleReader) checks() {
	if d.r.Check == "" {
		if _, has := d.t.values["check"]; has {
			d.problem("check", "text", "check")
		}
		return
	}
	if d.from.Checks != nil && !d.from.Checks(d.r.Check) {
		d.problem("check", "check", d.r.Check)
		return
	}
	if d.from.Accepts == nil {
		return
	}
	if key, why := d.from.Accepts(d.r); why != nil {
		d.problem(key, "refused", localizedFunc(why))
	}
}

// isValidName reports whether a name can be displayed and typed anywhere.
func isValidName(name string) bool {
	n := utf8.RuneCountInString(name)
	return n >= 1 && n <= maxName && strings.TrimSpace(name) == name && !strings.ContainsFunc(name, func(r rune) bool {
		filler := r == 'ᅟ' || r == 'ᅠ' || r == 'ㅤ' || r == 'ﾠ' // invisible letters
		return filler || !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" -_", r)
	})
}

func (d *ruleReader) string(key string, v any) string {
	s, ok := v.(string)
	if !ok {
		d.problem(key, "type", key, `"text"`)
	}
	return s
}

func (d *ruleReader) bool(key string, v any) bool {
	b, ok := v.(bool)
	if !ok {
		d.problem(key, "type", key, "true, false")
	}
	return b
}

// strings parses a text or a list of texts.
func (d *ruleReader) strings(key string, v any) []string {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var out []string
	for _, x := range list {
		s, ok := x.(string)
		if !ok || len(list) > maxList {
			d.problem(key, "type", key, `"a", ["a", "b"]`)
			return nil
		}
		out = append(out, s)
	}
	return out
}

// line validates that a text is one short printable line.
func (d *ruleReader) line(key, s string) string {
	if strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > 128 || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		d.problem(key, "text", key)
	}
	return s
}

func (d *ruleReader) duration(key string, v any, least, most time.Duration) time.Duration {
	s, ok := v.(string)
	got, err := ParseDuration(s)
	switch {
	case !ok || err != nil:
		d.problem(key, "type", key, `"10m", "36h", "14d"`)
	case got < least || got > most:
		d.problem(key, "bounds", key, FormatDuration(least), FormatDuration(most))
	}
	return got
}

func (d *ruleReader) choice(key string, v any, of ...string) string {
	s := d.string(key, v)
	if !slices.Contains(of, s) {
		d.problem(key, "choice", key, s, strings.Join(of, ", "))
	}
	return s
}

func (d *ruleReader) number(key string, v any, least, most float64, bounds ...any) float64 {
	var n float64
	switch x := v.(type) {
	case int64:
		n = float64(x)
	case float64:
		n = x
	default:
		d.problem(key, "type", key, "90, 0.5")
		return 0
	}
	if math.IsNaN(n) || n < least || n > most {
		d.problem(key, "bounds", append([]any{key}, bounds...)...)
	}
	return n
}

func (d *ruleReader) over(key string, v any) {
	n := d.number(key, v, -1e12, 1e12, "-1e12", "1e12")
	d.r.Over = &n
}

func (d *ruleReader) budget(key string, v any) {
	d.r.BudgetUSD = d.number(key, v, 0, 1000, "0", "1000")
}

func (d *ruleReader) after(key string, v any) {
	if _, whole := v.(int64); !whole {
		d.problem(key, "type", key, "3")
		return
	}
	d.r.After = int(d.number(key, v, 1, 1000, "1", "1000"))
}

func (d *ruleReader) schedule(key string, v any) {
	d.r.Schedule = d.string(key, v)
	_, err := ParseSchedule(d.r.Schedule)
	var why *ScheduleError
	if errors.As(err, &why) {
		d.problem(key, "schedule", why)
	}
}

// moment parses a single due time: a text, or one of TOML's own dates.
func (d *ruleReader) moment(key string, v any) {
	switch at := v.(type) {
	case time.Time:
		v = at.Format(time.RFC3339)
	case fmt.Stringer: // a date without an offset
		v = at.String()
	}
	d.r.At = d.string(key, v)
	_, err := ParseMoment(d.r.At)
	var why *ScheduleError
	if errors.As(err, &why) {
		d.problem(key, "schedule", why)
	}
}

// say parses the text of a reminder.
func (d *ruleReader) say(key string, v any) {
	d.r.Say = d.string(key, v)
	d.checkText(key, d.r.Say, maxSay)
}

func (d *ruleReader) events(key string, v any) {
	for _, text := range d.strings(key, v) {
		_, err := ParseEvent(text)
		var why *EventError
		if errors.As(err, &why) {
			d.problem(key, "event", why)
		}
		d.r.On = append(d.r.On, text)
	}
}

// action parses the action: a text, or Moonbot's table with one.
func (d *ruleReader) action(key string, v any) {
	if t, ok := v.(map[string]any); ok && key == "task" {
		for k := range t {
			if k != "text" {
				d.problem(key+"."+k, "unknown_key", key+"."+k)
			}
		}
		v = t["text"]
	}
	d.r.Action = d.string(key, v)
	d.checkText(key, d.r.Action, maxText)
}

// checkText validates that a text of at most so many bytes can be printed.
func (d *ruleReader) checkText(key, s string, most int) {
	bad := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if strings.TrimSpace(s) == "" || len(s) > most || strings.ContainsFunc(s, bad) {
		d.problem(key, "text", key)
	}
}

func (d *ruleReader) paths(key string, v any) {
	d.r.Paths = d.strings(key, v)
	for _, p := range d.r.Paths {
		if p != "/" && !isPath(p) {
			d.problem(key, "path", p)
		}
	}
}

func (d *ruleReader) notify(key string, v any) {
	d.r.Notify = d.strings(key, v)
	for _, n := range d.r.Notify {
		channel, address, has := strings.Cut(n, ":")
		if !slices.Contains(Channels, channel) {
			d.problem(key, "choice", key, n, strings.Join(Channels, ", "))
		} else if has {
			d.line(key, address)
		}
	}
	if len(d.r.Notify) == 0 {
		d.r.Notify = []string{"none"}
	}
	if len(d.r.Notify) > 1 && slices.Contains(d.r.Notify, "none") {
		d.problem(key, "none")
	}
}

func (d *ruleReader) quiet(key string, v any) {
	q, err := ParseQuiet(d.string(key, v))
	if err != nil {
		d.problem(key, "quiet")
	}
	d.r.Quiet = q
}

func (d *ruleReader) commands(key string, v any) {
	list, ok := v.([]any)
	if !ok || len(list) > maxCommands {
		d.problem(key, "commands")
		return
	}
	for _, x := range list {
		words, ok := argv(x)
		if !ok {
			d.problem(key, "commands")
			return
		}
		d.r.Commands = append(d.r.Commands, words)
	}
}

// argv parses one command: a list of arguments.
func argv(v any) ([]string, bool) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 || len(list) > 256 {
		return nil, false
	}
	var words []string
	for i, x := range list {
		word, ok := x.(string)
		if !ok || len(word) > maxWord || strings.ContainsRune(word, 0) || i == 0 && word == "" {
			return nil, false
		}
		words = append(words, word)
	}
	return words, true
}

// Lang returns the language of the rule's messages: its own, else the person's.
func (r Rule) Lang(person i18n.Lang) i18n.Lang {
	if lang, ok := i18n.Parse(r.Language); ok {
		return lang
	}
	return person
}

// Keys returns the keys of a rule, sorted by name.
func Keys() []string { return slices.Clone(ruleKeys) }
