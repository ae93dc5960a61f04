package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/machine"
)

// setting is a value of this machine that one command shows and another one sets. A new one is a row of [settings],
// with its name in the catalogue.
type setting struct {
	verb, name string
	// personal reports that it belongs to the person who runs the command: with root's rights it would be another's.
	personal bool
	isTarget func(string) bool // what has the value; nil if it has no target
	// value returns a wanted value in its one form, if it can be one.
	value func(word string) (string, bool)
	same  func(is, wanted string) bool // nil if equal values have one form
	// resolve returns what a value that depends on the one before means: "10%+", "toggle".
	resolve func(value, before string) (string, bool)
	// back returns the value that takes a change back, if there is one. nil means the one before.
	back func(target, before, after string) (string, bool)
	// cutsOff reports whether a mistake in the value can cut off the person, or the connection over which they ask.
	cutsOff func(value string) bool
	settle  time.Duration // how long the value takes to show
	also    string        // another row whose value the command can change, shown by the same look
	setters []setter
}

// setter is a program that sets a value, and the look that shows what it sets. The first one that is installed is
// preferred.
type setter struct {
	forms   []form
	options []string // those that change nothing about the value
	root    bool     // it needs root's rights
	// isTarget and value are about this program's words; nil means those of the row.
	isTarget func(string) bool
	value    func(word string) (string, bool)
	// spell returns a value as this program expects it; nil means as it is.
	spell func(value string) (string, bool)
	look  func(target string) machine.Probe
	shown string // the look as a person would type it, with TARGET; "" means the look itself
	read  func(l Look, target string) (value string, ok bool)
	// matches reports whether a look shows a wanted value, where its text alone does not say so.
	matches func(l Look, wanted string) bool
	// onlyProves reports that a look that shows another value proves nothing.
	onlyProves bool
}

// form is a command line that sets a value. Its words are literal, with alternatives ("con|connection") of which the
// first is used, or TARGET, TARGETS, VALUE and VALUES: one word, or all the rest.
type form struct{ words, value string } // value is that of a form without VALUE

// findSetting returns a row by its name.
func findSetting(name string) (*setting, bool) {
	all := settings()
	i := slices.IndexFunc(all, func(s setting) bool { return s.name == name })
	if i < 0 {
		return nil, false
	}
	return &all[i], true
}

// SettingNames returns the names of the values that a verb of plans can set, none if it is not such a verb.
func SettingNames(verb string) []string {
	var names []string
	for _, s := range settings() {
		if s.verb == verb {
			names = append(names, s.name)
		}
	}
	return names
}

// accepts reports whether a setting can have a target, "" for none.
func (s *setting) accepts(target string) bool {
	if s.isTarget == nil {
		return target == ""
	}
	return s.isTarget(target)
}

// recognizeSetting returns the verb of a command that sets a value.
func recognizeSetting(words []string, elevated bool) (Verb, bool) {
	words = append([]string{programOf(words[0])}, words[1:]...)
	for _, s := range settings() {
		if s.personal && elevated {
			continue
		}
		for _, w := range s.setters {
			if targets, value, ok := w.parse(&s, words); ok {
				return Verb{Action: Set, Setting: s.name, Targets: targets, Value: value, Program: words[0]}, true
			}
		}
	}
	return Verb{}, false
}

// parse returns the targets and the value of a command line in one of the setter's forms.
func (w setter) parse(s *setting, words []string) (targets []string, value string, ok bool) {
	if !w.uses(words[0]) {
		return nil, "", false
	}
	words = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(w.options, word) })
	isTarget, parseValue := w.isTarget, w.value
	if isTarget == nil {
		isTarget = s.isTarget
	}
	if parseValue == nil {
		parseValue = s.value
	}
	for _, f := range w.forms {
		targets, value, ok = f.match(words)
		if !ok || slices.ContainsFunc(targets, func(t string) bool { return !isTarget(t) }) {
			continue
		}
		if f.value != "" {
			return targets, f.value, true
		}
		if value, ok = parseValue(value); ok {
			return targets, value, true
		}
	}
	return nil, "", false
}

// match returns the words at the places of a form.
func (f form) match(words []string) (targets []string, value string, ok bool) {
	for expected := range strings.FieldsSeq(f.words) {
		if len(words) == 0 {
			return nil, "", false
		}
		switch expected {
		case "TARGET":
			targets = append(targets, words[0])
		case "VALUE":
			value = words[0]
		case "TARGETS":
			return words, value, len(words) <= maxTargets
		case "VALUES":
			return targets, strings.Join(words, " "), true
		default:
			if !slices.Contains(strings.Split(expected, "|"), words[0]) {
				return nil, "", false
			}
		}
		words = words[1:]
	}
	return targets, value, len(words) == 0
}

// build returns the command line of the first form that sets a value.
func (w setter) build(target, value string) (argv []string, ok bool) {
	i := slices.IndexFunc(w.forms, func(f form) bool { return f.value == value || f.value == "" })
	if i < 0 || w.isTarget != nil && !w.isTarget(target) {
		return nil, false
	}
	if w.spell != nil {
		if value, ok = w.spell(value); !ok {
			return nil, false
		}
	}
	for word := range strings.FieldsSeq(w.forms[i].words) {
		switch word {
		case "TARGET", "TARGETS":
			argv = append(argv, target)
		case "VALUE":
			argv = append(argv, value)
		case "VALUES":
			argv = append(argv, strings.Fields(value)...)
		default:
			literal, _, _ := strings.Cut(word, "|")
			argv = append(argv, literal)
		}
	}
	return argv, true
}

// Command is what a step of a plan runs.
type Command struct {
	Argv []string
	Root bool // it needs root's rights
	Verb Verb // how it is checked and taken back
}

// Command returns the command of a step that sets something on this machine, or restarts it. installed reports whether
// a program is there: some values can be set with several. The commands of packages, units and files depend on how
// this machine gets root's rights, and are made where that is known.
func (s Step) Command(installed func(program string) bool) (Command, error) {
	if s.Verb == "reboot" {
		return Command{Argv: slices.Clone(rebootCommand), Verb: Verb{Action: Reboot}}, nil
	}
	names := SettingNames(s.Verb)
	if len(names) == 0 {
		return Command{}, fmt.Errorf("%s has no command", s.Verb)
	}
	name, target := s.Args["name"], s.Args["target"]
	if name == "" {
		name = names[0]
	}
	if !slices.Contains(names, name) {
		return Command{}, fmt.Errorf("%s has no %q, only %s", s.Verb, name, strings.Join(names, ", "))
	}
	row, _ := findSetting(name)
	value, ok := row.value(s.Args["value"])
	switch {
	case !ok:
		return Command{}, fmt.Errorf("%s cannot be %q", name, s.Args["value"])
	case row.isTarget == nil && target != "":
		return Command{}, fmt.Errorf("%s has no target", name)
	case !row.accepts(target):
		return Command{}, fmt.Errorf("%s needs a target and cannot use %q", name, target)
	}
	return row.command(target, value, installed)
}

// command returns the command of the first setter that can set a value.
func (s *setting) command(target, value string, installed func(program string) bool) (Command, error) {
	var missing []string
	for _, w := range s.setters {
		argv, ok := w.build(target, value)
		if !ok {
			continue
		}
		if !installed(argv[0]) {
			missing = append(missing, argv[0])
			continue
		}
		v, ok := Recognize(argv)
		if !ok || v.Setting != s.name {
			return Command{}, fmt.Errorf("cannot set %s of %q to %q", s.name, target, value)
		}
		return Command{Argv: argv, Root: w.root, Verb: v}, nil
	}
	if len(missing) == 0 {
		return Command{}, fmt.Errorf("cannot set %s of %q to %q", s.name, target, value)
	}
	return Command{}, fmt.Errorf("cannot set %s: %s is not installed", s.name, strings.Join(missing, " or "))
}

// row returns the setting of a verb that sets one, and a setter by its program: those of one program have the same
// look. ok is false for a verb of another version.
func (v Verb) row() (s *setting, w setter, ok bool) {
	if s, ok = findSetting(v.Setting); !ok {
		return nil, setter{}, false
	}
	i := slices.IndexFunc(s.setters, func(w setter) bool { return w.uses(v.Program) })
	if i < 0 {
		return nil, setter{}, false
	}
	return s, s.setters[i], true
}

// uses reports whether a program has one of the forms.
func (w setter) uses(program string) bool {
	return slices.ContainsFunc(w.forms, func(f form) bool { return strings.HasPrefix(f.words, program+" ") })
}

// subjects returns the targets of a setting, one "" if it has none.
func (v Verb) subjects() []string {
	if len(v.Targets) == 0 {
		return []string{""}
	}
	return v.Targets
}

// settle returns how long a value takes to show.
func (v Verb) settle() time.Duration {
	s, _, ok := v.row()
	if !ok {
		return 0
	}
	return s.settle
}

// settingLooks returns the looks at the values.
func (v Verb) settingLooks() [][]string {
	_, w, ok := v.row()
	if !ok {
		return nil
	}
	var looks [][]string
	for _, target := range v.subjects() {
		looks = append(looks, w.look(target))
	}
	return looks
}

// cutsOff reports whether a mistake in the change can cut off the person, or the connection over which they ask.
func (v Verb) cutsOff() bool {
	s, _, ok := v.row()
	return ok && s.cutsOff != nil && s.cutsOff(v.Value)
}

// settingsBack returns the commands by which the same program sets back the values that looks before the change show.
func (v Verb) settingsBack(before []Look) (commands [][]string) {
	s, w, ok := v.row()
	if !ok {
		return nil
	}
	for i, target := range v.subjects() {
		if i >= len(before) {
			break
		}
		was, readable := w.read(before[i], target)
		if !readable || was == v.Value {
			continue
		}
		step, ok := restoreSetting(Effect{Kind: KindSetting, Name: nameOf(s.name, target), Before: was, After: v.Value})
		if !ok {
			continue
		}
		if c, err := step.Command(func(program string) bool { return program == v.Program }); err == nil {
			commands = append(commands, c.Argv)
		}
	}
	return commands
}

// nameOf returns how an effect or a proof names a setting of a target. Names of rows have no blanks.
func nameOf(name, target string) string { return strings.TrimSuffix(name+" "+target, " ") }

// CutSetting splits the subject of a proof or the name of an effect into a setting and its target.
func CutSetting(subject string) (name, target string) {
	name, target, _ = strings.Cut(subject, " ")
	return name, target
}

// inBetween are values that do not last.
var inBetween = []string{"activating", "deactivating"}

// judgeSetting judges the value of each target.
func (v Verb) judgeSetting(before, after []Look) []Proof {
	s, w, ok := v.row()
	if !ok {
		return nil
	}
	proofs := make([]Proof, 0, len(v.subjects()))
	for i, target := range v.subjects() {
		p := Proof{
			Subject: nameOf(s.name, target), Wanted: v.Value, Outcome: Unproved, Code: NoLook,
			Check: w.check(target),
		}
		if i < len(after) {
			earlier := ""
			if i < len(before) {
				earlier, _ = w.read(before[i], target)
			}
			s.judge(&p, w, after[i], target, earlier)
		}
		proofs = append(proofs, p)
	}
	return proofs
}

// judge completes the proof of a value.
func (s *setting) judge(p *Proof, w setter, after Look, target, earlier string) {
	is, ok := w.read(after, target)
	if !ok {
		return
	}
	p.State, p.Code = is, Silent
	known := true
	if s.resolve != nil {
		p.Wanted, known = s.resolve(p.Wanted, earlier)
	}
	if !known || slices.Contains(inBetween, is) {
		return
	}
	isSet := is == p.Wanted
	switch {
	case w.matches != nil:
		isSet = w.matches(after, p.Wanted)
	case s.same != nil:
		isSet = s.same(is, p.Wanted)
	}
	switch {
	case isSet:
		p.Outcome, p.Code = Done, IsSet
	case !w.onlyProves:
		p.Outcome, p.Code = Failed, NotSet
	}
}

// check is the look as a person would type it.
func (w setter) check(target string) string {
	if w.shown != "" {
		return strings.ReplaceAll(w.shown, "TARGET", target)
	}
	return w.look(target).String()
}

// settingEffects returns how the values before and after differ.
func (v Verb) settingEffects(before, after []Look) []Effect {
	s, w, ok := v.row()
	if !ok {
		return nil
	}
	var effects []Effect
	add := func(name, target string, w setter, was, is Look) {
		earlier, known := w.read(was, target)
		now, readable := w.read(is, target)
		if known && readable && earlier != now && !slices.Contains(inBetween, earlier) {
			e := Effect{Kind: KindSetting, Name: nameOf(name, target), Before: earlier, After: now}
			effects = append(effects, e)
		}
	}
	for i, target := range v.subjects() {
		if i >= len(before) || i >= len(after) {
			break
		}
		if other, ok := findSetting(s.also); ok {
			add(other.name, target, other.setters[0], before[i], after[i])
		}
		add(s.name, target, w, before[i], after[i])
	}
	return effects
}

// restoreSetting returns the step that sets a value back, if there is one.
func restoreSetting(e Effect) (Step, bool) {
	name, target := CutSetting(e.Name)
	s, ok := findSetting(name)
	if !ok {
		return Step{}, false
	}
	value := e.Before
	if s.back != nil {
		if value, ok = s.back(target, e.Before, e.After); !ok {
			return Step{}, false
		}
	}
	if _, ok = s.value(value); !ok || !s.accepts(target) {
		return Step{}, false
	}
	step := Step{Verb: s.verb, Args: map[string]string{"name": name, "value": value}}
	if target != "" {
		step.Args["target"] = target
	}
	return step, true
}
