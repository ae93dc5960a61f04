package diagnose

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Report is what a diagnosis found, in one language. Programs and models read it as JSON.
type Report struct {
	Topic  string `json:"topic"`
	Object string `json:"object,omitempty"`
	About  string `json:"about"`
	Causes []Told `json:"causes"`
	// Sound is what is reported of a machine on which no cause was found, nil if the looks do not show it.
	Sound  *Told    `json:"sound,omitempty"`
	Looked []string `json:"looked_at"`
	// Unseen are the looks that show nothing, or only a part.
	Unseen []Unseen `json:"not_looked_at,omitempty"`
}

// Told is a [Finding] in words.
type Told struct {
	ID       string  `json:"cause,omitempty"`
	Certain  bool    `json:"proved"`
	Says     string  `json:"says"`
	Evidence []Shown `json:"evidence"`
	Advice   string  `json:"advice,omitempty"`
	Repair   *Plan   `json:"repair,omitempty"`
}

// Shown is what a command shows.
type Shown struct {
	Command string `json:"command"`
	Shows   string `json:"shows"`
}

// Line is the evidence in a line, with the command in short.
func (s Shown) Line() string { return s.Shows + " (`" + shorten(s.Command) + "`)" }

// Plan is a repair as the tool plan takes it.
type Plan struct {
	Goal  string     `json:"goal"`
	Steps []PlanStep `json:"steps"`
	Ask   string     `json:"ask,omitempty"`
}

// PlanStep is a step of a repair.
type PlanStep struct {
	Step plan.Step `json:"step"`
	// Lost reports that the step cannot be taken back here.
	Lost bool `json:"cannot_be_taken_back,omitempty"`
	// Program is the program that sets a value, "" for the usual one.
	Program string `json:"program,omitempty"`
}

// Unseen is a look that shows nothing, or only a part.
type Unseen struct {
	Command string `json:"command"`
	Reason  Gap    `json:"reason"`
	// Missing is the program that is not installed, "" for another reason.
	Missing string `json:"missing,omitempty"`
	// Message is what the program reports, "" if it reports nothing.
	Message string `json:"message,omitempty"`
}

const (
	// parallelLooks bounds how many looks of a topic run at the same time.
	parallelLooks = 4
	// lookTime bounds a look: some programs wait for a service that does not run (bluetoothctl).
	lookTime = 3 * time.Second
)

// Diagnose runs the looks of a topic and returns its causes. It ends early with ctx.
func (t Topic) Diagnose(ctx context.Context, f *Facts, run func(ctx context.Context, command string) Output) (found []Finding, err error) {
	if err = f.Gather(ctx, lookTime, run, func() { found = t.Conclude(f) }); err != nil {
		return nil, err
	}
	return found, nil
}

// Everything is the topic of a question about the whole machine: the faults that no one needs to complain about.
const Everything = "all"

// parallelTopics bounds how many topics are looked at together.
const parallelTopics = 3

// DiagnoseAll looks for the faults of the whole machine, and returns what is proved. A topic without a proved cause
// only counts with
// its looks.
func DiagnoseAll(ctx context.Context, text string, lang i18n.Lang, pins []string, run func(ctx context.Context, command string) Output) (Report, error) {
	run = shareLooks(run)
	var all []question
	for _, t := range grave() {
		all = append(all, question{t, ""})
	}
	failed, _ := machine.ParseUnits([]byte(run(ctx, machine.FailedUnitsProbe.String()).Stdout))
	for _, u := range failed[:min(len(failed), maxUnits)] {
		if plain(u.Name) == u.Name {
			all = append(all, question{Unit(), u.Name})
		}
	}
	reports, errs := make([]Report, len(all)), make([]error, len(all))
	var group sync.WaitGroup
	free := make(chan struct{}, parallelTopics)
	for i, q := range all {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			f := NewFacts(q.object)
			f.Text, f.Pins = text, pins
			found, err := q.topic.Diagnose(ctx, f, run)
			reports[i], errs[i] = q.topic.Tell(lang, found, f), err
		})
	}
	group.Wait()
	r := Report{Topic: Everything, About: i18n.DiagnoseAboutAll.In(lang), Causes: []Told{}}
	for i := range reports {
		r.add(reports[i])
		if about := all[i].topic.About.In(lang); !slices.Contains(r.Looked, about) {
			r.Looked = append(r.Looked, about)
		}
	}
	return r, errors.Join(errs...)
}

// question is a topic with what it is about.
type question struct {
	topic  Topic
	object string
}

// maxUnits bounds the failed units that a question about the whole machine looks into.
const maxUnits = 3

// shareLooks runs each look once: topics have looks in common.
func shareLooks(run func(context.Context, string) Output) func(context.Context, string) Output {
	var mu sync.Mutex
	looks := map[string]func() Output{}
	return func(ctx context.Context, command string) Output {
		mu.Lock()
		look, known := looks[command]
		if !known {
			look = sync.OnceValue(func() Output { return run(ctx, command) })
			looks[command] = look
		}
		mu.Unlock()
		return look()
	}
}

// grave are the topics whose causes are faults although no one complains. Others need a complaint: that there is no
// printer, or no
// network, may be meant so.
func grave() []Topic {
	return []Topic{Boot(), Modules(), Full(), Mount(), Memory(), Heat(), Update(), Sudo()}
}

// choices are causes of these topics that may be meant so.
func choices() []string {
	return []string{
		"boot/text-mode", "boot/no-display-manager", "boot/job-waits", "boot/slow-unit", "memory/zram-off", "memory/no-swap",
		"heat/no-tool",
		"modules/blacklisted", "modules/radio-blocked", "sudo/relogin", "sudo/wheel-off", "sudo/not-wheel",
	}
}

// add adds the proved faults of a topic that are not there yet: some topics share causes.
func (r *Report) add(other Report) {
	for _, c := range other.Causes {
		if c.Certain && !slices.Contains(choices(), other.Topic+"/"+c.ID) &&
			!slices.ContainsFunc(r.Causes, func(have Told) bool { return have.Says == c.Says }) {
			c.ID = other.Topic + "/" + c.ID
			r.Causes = append(r.Causes, c)
		}
	}
}

// Tell returns the causes in words.
func (t Topic) Tell(lang i18n.Lang, found []Finding, f *Facts) Report {
	r := Report{
		Topic: t.ID, Object: f.Object, About: t.About.In(lang), Causes: []Told{}, Looked: f.Looked(),
		Unseen: f.Unseen(),
	}
	for _, c := range found {
		r.Causes = append(r.Causes, c.tell(lang))
	}
	if f.sound != nil {
		told := f.sound.tell(lang)
		r.Sound = &told
	}
	return r
}

func (f Finding) tell(lang i18n.Lang) Told {
	told := Told{ID: f.Cause, Certain: f.Certain, Says: f.Says.In(lang), Evidence: []Shown{}, Advice: f.Advice.In(lang)}
	for _, e := range f.Evidence {
		told.Evidence = append(told.Evidence, Shown{e.Look.String(), e.Text.In(lang)})
	}
	if f.Repair != nil {
		told.Repair = f.Repair.In(lang)
	}
	return told
}

// In returns the repair in a language.
func (r Repair) In(lang i18n.Lang) *Plan {
	p := &Plan{Goal: r.Goal.In(lang), Ask: r.Ask.In(lang)}
	for _, s := range r.Steps {
		s.Description = s.About.In(lang)
		p.Steps = append(p.Steps, PlanStep{s.Step, s.Lost, s.Program})
	}
	return p
}

// ByHand returns the command that a person would type for a step.
func (s PlanStep) ByHand() string {
	const root = "sudo "
	name, args := s.Step.Args["name"], s.Step.Args
	switch s.Step.Verb {
	case "run":
		return strings.Replace(args["command"], "sudo -n ", root, 1)
	case "install":
		if files := args["file"]; files != "" {
			return root + "pacman -U " + files
		}
		return root + "pacman -S --needed " + name
	case "upgrade":
		return root + "pacman -Syu"
	case "remove":
		if args["only"] == "true" {
			return root + "pacman -R " + name
		}
		return root + "pacman -Rns " + name
	case "unit":
		if args["user"] == "true" {
			return "systemctl --user " + args["action"] + " " + name
		}
		return root + "systemctl " + args["action"] + " " + name
	case "remove_file":
		return root + "rm " + args["path"]
	case "edit_file":
		return root + "sed -i 's/^" + args["old"] + "/" + args["new"] + "/' " + args["path"]
	}
	c, err := s.Step.Command(s.isProgram)
	switch {
	case err != nil:
		return ""
	case c.Root:
		return root + machine.Probe(c.Argv).String()
	}
	return machine.Probe(c.Argv).String()
}

// isProgram reports whether a step that sets a value can use a program: any, or the one that is known to be there.
func (s PlanStep) isProgram(name string) bool { return s.Program == "" || s.Program == name }

// Looks reports whether a step only looks: its command is also its check, which says what must be the case.
func (s PlanStep) Looks() bool {
	return s.Step.Verb == "run" && strings.TrimPrefix(s.Step.Check, "! ") == s.Step.Args["command"]
}

// way says whether a step can be taken back.
func (s PlanStep) way() i18n.Text {
	verb, known := plan.Recognize(strings.Fields(s.Step.Args["command"]))
	if s.Lost || s.Step.Verb == "run" && s.Step.Undo == "" && !(known && verb.Action == plan.Set) {
		return i18n.PlanNoBack
	}
	return i18n.PlanBack
}

// Rows describes the steps, a line each: what it does, its command, its check, and whether it can be taken back.
func (p Plan) Rows(lang i18n.Lang) (rows []string) {
	for i, s := range p.Steps {
		row := i18n.HelperRepairStep(i+1, s.Step.Description, s.ByHand()).In(lang)
		switch {
		case s.Looks():
			rows = append(rows, row+" · "+i18n.PlanLooks.In(lang))
			continue
		case s.Step.Check != "":
			row += " · " + i18n.PlanCheck(s.Step.Check).In(lang)
		}
		rows = append(rows, row+" · "+s.way().In(lang))
	}
	return rows
}

// Input returns the steps as the input of the tool plan.
func (p Plan) Input() []any {
	var steps []any
	for _, s := range p.Steps {
		args := map[string]any{}
		for name, value := range s.Step.Args {
			args[name] = value
		}
		in := map[string]any{"verb": s.Step.Verb, "args": args}
		for name, value := range map[string]string{
			"id": s.Step.ID, "description": s.Step.Description, "check": s.Step.Check, "expect": s.Step.Expect,
			"undo": s.Step.Undo,
		} {
			if value != "" {
				in[name] = value
			}
		}
		if s.Step.DependsOn != nil {
			list := []any{}
			for _, id := range s.Step.DependsOn {
				list = append(list, id)
			}
			in["dependsOn"] = list
		}
		steps = append(steps, in)
	}
	return steps
}

// Text says what was found as a person reads it: the first cause with its evidence and what can be done, and the others
// by name. steps adds the steps of the repair.
func (r Report) Text(lang i18n.Lang, steps bool) string {
	all := r.Causes
	if len(all) == 0 && r.Sound != nil {
		all = []Told{*r.Sound}
	}
	if len(all) == 0 {
		about := r.About
		if r.Object != "" {
			about += ": " + r.Object
		}
		head := i18n.DiagnoseNothing(about)
		switch {
		case r.Topic == Everything:
			head = i18n.DiagnoseNothingWrong
		case r.LacksLog():
			head = i18n.DiagnoseNoLog(about)
		}
		return head.In(lang) + r.lookedText(lang) + r.UnseenText(lang)
	}
	first := all[0]
	parts := []string{first.Says}
	for _, e := range first.Evidence {
		parts = append(parts, "- "+e.Line())
	}
	for _, other := range all[1:] {
		parts = append(parts, "- "+other.Says)
	}
	text := strings.Join(parts, "\n")
	if !first.Certain {
		text += r.UnseenText(lang)
	}
	if first.Advice != "" {
		text += "\n" + first.Advice
	}
	if first.Repair != nil && steps {
		text += "\n\n" + i18n.HelperRepairSteps.In(lang) + "\n" + strings.Join(first.Repair.Rows(lang), "\n")
	}
	return text
}

// LacksLog reports whether a log that decides could not be understood, or there is none.
func (r Report) LacksLog() bool { return slices.ContainsFunc(r.Unseen, Unseen.lacksLog) }

// shownCommand bounds the length of a command that a person reads as evidence. The log and the JSON have all of it.
const shownCommand = 90

// shorten leaves out the middle of a long command: its options.
func shorten(command string) string {
	if len(command) <= shownCommand {
		return command
	}
	head, last := command[:shownCommand/2], command[strings.LastIndex(command, " ")+1:]
	head = head[:max(strings.LastIndexAny(head, " ,"), 1)] + " …"
	if strings.ContainsAny(last, `'"}+`) {
		return head
	}
	return head + " " + last
}

// lookedText says what was looked at, nothing if nothing was.
func (r Report) lookedText(lang i18n.Lang) string {
	switch {
	case len(r.Looked) == 0:
		return ""
	case r.Topic == Everything:
		return "\n- " + i18n.DiagnoseLooked(strings.Join(r.Looked, ", ")).In(lang)
	}
	return "\n- " + i18n.DiagnoseLooked(quoteAll(r.Looked)).In(lang)
}

// UnseenText says what could not be looked at, with what allows it, "" if all could.
func (r Report) UnseenText(lang i18n.Lang) string {
	if len(r.Unseen) == 0 {
		return ""
	}
	var commands, packages, asRoot []string
	for _, u := range r.Unseen {
		command := "`" + u.Command + "`"
		if why := u.why().In(lang); why != "" {
			command += " (" + why + ")"
		}
		commands = append(commands, command)
		if u.Reason == NeedsRights && !strings.HasPrefix(u.Command, "sudo ") {
			asRoot = append(asRoot, "sudo "+strings.Replace(u.Command, " -j /dev/", " /dev/", 1)) // a person reads no JSON
		}
		if name := machine.PackageOf(u.Missing); name != "" && !slices.Contains(packages, name) {
			packages = append(packages, name)
		}
	}
	text := "\n- " + i18n.DiagnoseUnseen(strings.Join(commands, ", ")).In(lang)
	if len(packages) > 0 {
		text += "\n- " + i18n.DiagnoseUnseenInstall("sudo pacman -S "+strings.Join(packages, " ")).In(lang)
	}
	if len(asRoot) > 0 {
		text += "\n- " + i18n.DiagnoseUnseenRights(quoteAll(asRoot[:min(2, len(asRoot))])).In(lang)
	}
	return text
}

func quoteAll(commands []string) string { return "`" + strings.Join(commands, "`, `") + "`" }
