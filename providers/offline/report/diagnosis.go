package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// inquiry is a diagnosis in progress: the results so far and the steps still needed. A diagnosis checks layer
// by layer and stops at the first broken one. All its steps only read.
type inquiry struct {
	Case
	first  intent.Step // the requested step
	needed []intent.Step
}

// diagnosis is a chain of steps, with those that it needs in any case in addition to the requested one.
type diagnosis struct {
	run   func(*inquiry) Reply
	needs []intent.Step
}

// diagnoses are the chains of steps, by the names in intent/data/diagnoses.tsv.
var diagnoses map[string]diagnosis

func init() { // an initialiser would be a cycle: chains report results, and results lead to chains
	diagnoses = map[string]diagnosis{
		"memory":                {stateOr("memory", "memory-hog"), nil},
		"wifi":                  {answerFrom("internet"), nil},
		"internet":              {answerOrLook("internet"), nil},
		"service":               {(*inquiry).service, nil},
		"failures":              {(*inquiry).failures, nil},
		"input":                 {answerFrom("input"), nil},
		"sound":                 {answerFrom("sound"), nil},
		"bluetooth":             {answerFrom("bluetooth"), nil},
		"printer":               {answerFrom("printer"), nil},
		"clock":                 {answerFrom("clock"), nil},
		"locale":                {answerFrom("locale"), nil},
		"usb":                   {answerOrLook("modules"), nil},
		"disk":                  {(*inquiry).disk, []intent.Step{diskStep}},
		"folder":                {(*inquiry).folder, nil},
		"health":                {(*inquiry).health, []intent.Step{diskList}},
		"slow":                  {answerFrom("slow"), nil},
		"updates":               {(*inquiry).updates, nil},
		"errors":                {(*inquiry).errors, nil},
		"crash":                 {(*inquiry).crash, nil},
		"boot":                  {(*inquiry).boot, nil},
		"busy":                  {(*inquiry).cpuNow, []intent.Step{topNow, coreCount}},
		"running":               {(*inquiry).programState, nil},
		"temperature":           {stateOr("heat", "fan-stopped", "critical", "no-tool"), nil},
		"battery":               {stateOr("battery"), nil},
		"forget":                {(*inquiry).forget, nil},
		"automation":            {(*inquiry).automation, nil},
		"cause":                 {(*inquiry).cause, nil},
		"ready":                 {(*inquiry).ready, nil},
		"orphans":               {(*inquiry).orphans, []intent.Step{orphanDetails}},
		"history":               {(*inquiry).history, nil},
		"did":                   {(*inquiry).did, nil},
		"timeline":              {(*inquiry).timeline, nil},
		"undo":                  {(*inquiry).undo, nil},
		"news":                  {(*inquiry).news, []intent.Step{fullUpgrades}},
		"hostname":              {(*inquiry).hostname, nil},
		"rootlook":              {(*inquiry).rootLook, nil},
		"wish":                  {(*inquiry).wish, nil},
		"pacnew":                {(*inquiry).pacnew, nil},
		"eject":                 {(*inquiry).eject, nil},
		"drive":                 {(*inquiry).namedSize, nil},
		intent.TroubleLock:      {answerFrom("update"), nil},
		intent.TroubleSignature: {answerFrom("update"), nil},
		intent.TroubleDatabase:  {answerFrom("update"), nil},
		intent.TroubleSudo:      {answerFrom("sudo"), nil},
	}
}

// chainTopics are the topics (package diagnose) whose causes are looked for besides the chain's own.
var chainTopics = map[string]string{
	"disk": "full", "boot": "boot",
	intent.TroubleSudo: "sudo",
}

// diagnose runs a chain: it returns the steps that are still needed, or the answer. A proved cause of the topic comes first, unless
// the chain has its own repair.
func (c Case) diagnose(name string, first intent.Step) Reply {
	q := &inquiry{Case: c, first: first}
	d, rep, steps := diagnoses[name], Reply{}, append([]intent.Step{first}, diagnoses[name].needs...)
	proof, proves := q.proofStep(name)
	if proves {
		steps = append(steps, proof)
	}
	if q.collect(steps...) {
		rep = d.run(q)
	}
	if len(q.needed) > 0 {
		return Reply{Next: q.needed}
	}
	if proves {
		found, ok := q.diagnosis(proof)
		repairs := rep.Offer != nil && !rep.Offer.IsReadOnly()
		if ok && len(found.Causes) > 0 && found.Causes[0].Certain && !repairs {
			return q.causeReply(found)
		}
	}
	if rep.Text == "" { // no step could be run
		if r := q.resultOf(first); r != nil {
			return r.compose()
		}
	}
	return rep
}

// withCause adds a cause to the state of a service, with what the person can do below it, unless the cause has a repair.
func (rep Reply) withCause(cause Reply) Reply {
	if cause.Offer == nil {
		return Reply{Text: paragraphs(cause.Text, rep.Text), Offer: rep.Offer}
	}
	if i := strings.LastIndex(rep.Text, "\n\n"); i >= 0 && rep.Offer != nil {
		rep.Text = rep.Text[:i] // without its question
	}
	return Reply{Text: paragraphs(rep.Text, cause.Text), Offer: cause.Offer}
}

// proofStep returns the call that looks for the causes of a chain's topic. ok is false if the request only asks for the state.
func (q *inquiry) proofStep(chain string) (s intent.Step, ok bool) {
	topic, known := chainTopics[chain]
	return q.diagnoseStep(topic, q.objectOf(topic)), known && q.complains()
}

// complains reports whether the request says that something is wrong, or asks why.
func (q *inquiry) complains() bool {
	return q.asksAbout("cause", "crash", "why", "error", "failed", "slow", "connect", "inputmethod", "clock", "locale", "nospace") ||
		q.asksAbout("full") && !q.asksAbout("@question")
}

// objectOf returns what the request is about if a question of the topic can be about it.
func (q *inquiry) objectOf(topic string) string {
	object := cmp.Or(q.input("name"), q.input("unit"))
	switch t, _ := diagnose.Lookup(topic); {
	case topic == "input": // the first step looks for the framework
		if object = ""; q.Request != nil && q.Request.Name() != nil {
			object = q.Request.Name().Package
		}
	case t.Object == diagnose.APath && q.Request != nil:
		object = q.Request.Path()
	case t.Object != diagnose.AUnit && t.Object != diagnose.AProgram:
		return ""
	}
	if quoteWord(object) != object {
		return ""
	}
	return object
}

// collect requests steps that were not run yet, all together, and reports whether every result that can be
// obtained is present. An unavailable tool does not block: it has no result.
func (q *inquiry) collect(steps ...intent.Step) bool {
	for _, s := range q.newSteps(steps) {
		if !slices.ContainsFunc(q.needed, func(w intent.Step) bool { return w.Tool == s.Tool && sameInput(w.Input, s.Input) }) {
			q.needed = append(q.needed, s)
		}
	}
	return len(q.needed) == 0
}

// toolReply returns the tool's own reply for a step. It is empty if the step was not run or was refused.
func (q *inquiry) toolReply(s intent.Step) Reply {
	if r := q.resultOf(s); r != nil && r.out != nil && r.out.Refusal == "" {
		return r.compose()
	}
	return Reply{}
}

// resultOf returns the result of a step, nil if it was not run.
func (q *inquiry) resultOf(s intent.Step) *result {
	if res := q.find(s); res != nil {
		return q.result(*res)
	}
	return nil
}

// output returns the command output of a step. It is nil if the step was not run or was refused, or if the
// program is not installed. If the step has several commands, it is the first one whose text contains part.
func (q *inquiry) output(s intent.Step, part string) *providers.Step {
	r := q.resultOf(s)
	if r == nil || r.out == nil || r.out.Refusal != "" {
		return nil
	}
	if step := r.step(part); step != nil && step.MissingProgram == "" {
		return step
	}
	return nil
}

// stdout returns the standard output of a step with one successful command, "" otherwise.
func (q *inquiry) stdout(s intent.Step) string {
	if step := q.output(s, ""); step != nil && step.Exit == 0 {
		return step.Stdout
	}
	return ""
}

// asksAbout reports whether the question contains one of the concepts.
func (q *inquiry) asksAbout(ids ...string) bool { return q.Request != nil && q.Request.Has(ids...) }

// input returns a text of the requested step's input, "" if it is not given.
func (q *inquiry) input(key string) string {
	s, _ := q.first.Input[key].(string)
	return s
}

func (q *inquiry) say(t i18n.Text) string { return t.In(q.Lang) }

// sayIf returns a text if it applies, "" otherwise.
func (q *inquiry) sayIf(applies bool, text i18n.Text) string {
	if !applies {
		return ""
	}
	return q.say(text)
}

// command returns a step that runs a command. The checker must class it SAFE, which a test verifies.
func command(text string) intent.Step { return intent.Call("run_command", "command", text) }

// finding is an answer in the order an administrator would give it.
type finding struct {
	verdict  string   // the finding, one or two sentences
	evidence []string // figures with units, and the command they come from
	meaning  string   // the conclusion
	// fix is the proposed step, and question asks to confirm it. If the step changes something, the question
	// contains the command.
	fix      *intent.Step
	question string
}

// reply answers with the finding. Without one, the reply is empty: steps are still needed.
func (f *finding) reply() Reply {
	if f == nil {
		return Reply{}
	}
	return Reply{Text: paragraphs(joinBlocks(f.verdict, bullets(f.evidence), f.meaning), f.question), Offer: f.fix}
}

func (q *inquiry) found(verdict i18n.Text, evidence ...string) *finding {
	return &finding{verdict: q.say(verdict), evidence: nonEmpty(evidence...)}
}

func (f *finding) propose(step intent.Step, question string) *finding {
	f.fix, f.question = &step, question
	return f
}

// proposeCommand proposes a command, which its question shows.
func (q *inquiry) proposeCommand(f *finding, text string, ask func(command string) i18n.Text) *finding {
	return f.propose(command(text), q.say(ask(text)))
}

// offering adds a step and the question that offers it.
func (rep Reply) offering(step intent.Step, question string) Reply {
	rep.Text, rep.Offer = paragraphs(rep.Text, question), &step
	return rep
}

func (f *finding) note(lines ...string) { f.evidence = append(f.evidence, nonEmpty(lines...)...) }

// fact returns a text with a value, "" if there is no value.
func (q *inquiry) fact(text func(string) i18n.Text, value string) string {
	return q.sayIf(value != "", text(value))
}

// anyStdout returns the standard output of a step regardless of its exit status: "systemctl is-active" and "grep"
// use the status as part of the answer.
func (q *inquiry) anyStdout(s intent.Step) string {
	if step := q.output(s, ""); step != nil {
		return step.Stdout
	}
	return ""
}

// quoteWord quotes a name as one word of a command. It returns "" for a name with quotes or control characters, which
// is not proposed.
func quoteWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/:"
	switch {
	case s == "", strings.ContainsAny(s, "'\"\\$`!\x00"), strings.HasPrefix(s, "-"), machine.CleanLine(s) != s:
		return ""
	case strings.Trim(s, plain) == "":
		return s
	}
	return "'" + s + "'"
}

var (
	topNow          = command(machine.TopProbe.String() + " | grep -A 20 '^top -'")
	topCPU          = intent.Call("check_processes", "sort", "cpu")
	coreCount       = command("nproc")
	memoryStep      = intent.Call("check_memory")
	heatStep        = intent.Call("check_hardware", "scope", "temperature")
	failedUnitsStep = intent.Call("check_service", "failed", true)
)
