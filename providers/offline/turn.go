package offline

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
	"github.com/nidoit/blunux-ai/providers/offline/report"
)

type turn struct {
	opts     Options
	lexicon  *intent.Lexicon
	messages []providers.Message
	tools    map[string]bool
	planOnly bool
	lang     i18n.Lang
	contexts map[int]intent.Context // by message; each depends on the previous one
}

// outcome is the result of a turn: text or tool calls, and the reason.
type outcome struct {
	text  string
	steps []intent.Step
	why   string
	stop  providers.StopReason // "" if the request was answered or tools are called
}

func newTurn(opts Options, lexicon *intent.Lexicon, req providers.Request) *turn {
	t := &turn{opts: opts, lexicon: lexicon, messages: req.Messages, planOnly: req.PlanOnly, tools: make(map[string]bool, len(req.Tools)), contexts: map[int]intent.Context{}}
	for _, d := range req.Tools {
		t.tools[d.Name] = true
	}
	t.lang = t.language(req.Lang)
	return t
}

// language returns the language of the request, or else of the question, or else of the options.
func (t *turn) language(requested string) i18n.Lang {
	if lang, ok := i18n.Parse(requested); ok {
		return lang
	}
	question, _ := t.question(len(t.messages) - 1)
	if lang, ok := i18n.Detect(question); ok && lang == i18n.Traditional {
		return lang
	}
	if lang, ok := intent.Language(question); ok {
		return i18n.Lang(lang)
	}
	return i18n.Choose(t.opts.Lang)
}

// question returns the last user text at or before message i and its index, or -1 if there is none.
func (t *turn) question(i int) (string, int) {
	for ; i >= 0; i-- {
		if m := t.messages[i]; m.Role == providers.RoleUser && m.Text() != "" && !hasResults(m) {
			return m.Text(), i
		}
	}
	return "", -1
}

func hasResults(m providers.Message) bool {
	return slices.ContainsFunc(m.Content, func(b providers.Block) bool { return b.Type == providers.BlockToolResult })
}

func (t *turn) answer() outcome {
	last := len(t.messages) - 1
	if hasResults(t.messages[last]) {
		return t.answerResults()
	}
	text, at := t.question(last)
	if at != last {
		text = ""
	}
	return t.execute(t.plan(text, last), text)
}

func (t *turn) plan(text string, at int) intent.Plan {
	return t.lexicon.Understand(text, t.context(at))
}

// context returns the context of message at. It is computed once.
func (t *turn) context(at int) intent.Context {
	c, known := t.contexts[at]
	if !known {
		c = t.readContext(at)
		t.contexts[at] = c
	}
	return c
}

func (t *turn) readContext(at int) intent.Context {
	c := intent.Context{Now: t.opts.Now()}
	c.Tool, c.Input = t.lastCall(at)
	if at < 1 || t.messages[at-1].Role != providers.RoleAssistant {
		return c
	}
	c.Answered = true
	question, from := t.question(at - 1)
	if from < 0 {
		return c
	}
	if p := t.plan(question, from); p.Kind != intent.KindCall {
		c.Choices = choicesIn(t.messages[at-1].Text(), p)
	}
	if from == at-2 {
		c.Previous = question
		if p := t.lexicon.Understand(question, intent.Context{}); p.Offer != nil && p.Kind != intent.KindCall {
			c.Offer = p.Offer
		}
		return c
	}
	c.IsRecent = true
	c.Offer = t.findOffer(t.caseOf(from, at), t.messages[at-1].Text())
	return c
}

// findOffer returns the step that an answer offered: the one whose report, in any of the languages, ends like the
// answer. Text from another provider offers none.
func (t *turn) findOffer(c report.Case, answer string) *intent.Step {
	for _, c.Lang = range append([]i18n.Lang{t.lang}, i18n.Languages...) {
		if rep := c.Answer(); rep.Offer != nil && strings.Contains(answer, lastLine(rep.Text)) {
			return rep.Offer
		}
	}
	return nil
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// lastCall returns the first tool call for the last question before message at that led to any. It is the
// subject of the conversation; later calls only add details.
func (t *turn) lastCall(at int) (string, map[string]any) {
	for i := at; i > 0; {
		_, from := t.question(i - 1)
		for _, m := range t.messages[max(from, 0):i] {
			for _, b := range m.Content {
				if b.Type == providers.BlockToolUse {
					return b.Name, inputOf(b)
				}
			}
		}
		i = from
	}
	return "", nil
}

// lastCase returns the last question before this one that led to calls.
func (t *turn) lastCase() report.Case {
	for i := len(t.messages) - 1; i > 0; {
		_, from := t.question(i - 1)
		if c := t.caseOf(from, i); len(c.Results) > 0 {
			return c
		}
		i = from
	}
	return report.Case{Lang: t.lang}
}

// inputOf parses a call's input. It returns nil if the input is invalid, because only names are read from it.
func inputOf(b providers.Block) map[string]any {
	var input map[string]any
	if json.Unmarshal(b.Input, &input) != nil {
		return nil
	}
	return input
}

// execute turns a plan into calls or text. It skips steps whose tool is unavailable. If none remains, the
// answer says so.
func (t *turn) execute(p intent.Plan, text string) outcome {
	why := p.Why()
	if t.mayBeInNotes(p, text) {
		return outcome{steps: []intent.Step{intent.Call("recall", "query", t.lexicon.Read(text).FactQuery())}, why: why + "; a note may answer"}
	}
	if p.Kind != intent.KindCall {
		if p.Kind == intent.KindFollow && p.Topic == "more" {
			return outcome{text: t.lastCase().RawOutput(), why: why}
		}
		_, data := intent.SplitData(text)
		return outcome{text: t.words(p, data), why: why, stop: stopReason(p)}
	}
	return t.call(p, why)
}

// call returns the calls of a plan whose tools are available.
func (t *turn) call(p intent.Plan, why string) outcome {
	var usable []intent.Step
	for _, s := range p.Steps {
		if t.tools[s.Tool] || t.planOnly {
			usable = append(usable, s)
		}
	}
	if len(usable) == 0 {
		return outcome{text: t.unavailable(p.Steps[0]), why: why + "; the tool is unavailable", stop: providers.StopNothingDone}
	}
	return outcome{steps: usable, why: why}
}

// stopReason returns the stop reason of a text answer for programs: refused for destructive requests, not
// understood for incomplete ones, nothing done for unsupported ones.
func stopReason(p intent.Plan) providers.StopReason {
	switch p.Kind {
	case intent.KindRefuse:
		return providers.StopRefusal
	case intent.KindAsk:
		return providers.StopNotUnderstood
	case intent.KindNone:
		if p.Topic != "unknown" {
			return providers.StopNothingDone
		}
		return providers.StopNotUnderstood
	case intent.KindFollow:
		if p.Topic != "declined" && p.Topic != "why" {
			return providers.StopNotUnderstood // the user answered an offer that was not made
		}
	}
	return ""
}

// mayBeInNotes reports whether a note may answer a request that no tool answers ("when is my sister's birthday?",
// "나스 주소"), or a personal question for which only the classifier guesses a tool. A plan-only request does not
// search for one.
func (t *turn) mayBeInNotes(p intent.Plan, text string) bool {
	if t.planOnly || !t.tools["recall"] || text == "" {
		return false
	}
	noTool := p.Kind == intent.KindNone && slices.Contains([]string{"offtopic", "unknown", "unsure", "device"}, p.Topic)
	guessed := p.Kind == intent.KindCall && p.IsUncertain
	if !noTool && !guessed {
		return false
	}
	read := t.lexicon.Read(text)
	return noTool && (read.IsQuestion() || read.IsOnlyNamed()) || guessed && read.IsQuestion() && read.IsPersonal()
}

// answerFromNotes answers with a note that clearly matches, or else as without a search.
func (t *turn) answerFromNotes(p intent.Plan, c report.Case, last int) outcome {
	if text, clear := c.AnswerFromNote(); clear {
		return outcome{text: text, why: "answered from the output of " + t.toolsOf(last)}
	}
	why := p.Why() + "; no note matches"
	if p.Kind == intent.KindCall {
		return t.call(p, why)
	}
	return outcome{text: t.words(p, ""), why: why, stop: stopReason(p)}
}

// answerResults reports the results of this turn's calls, or returns the next steps.
func (t *turn) answerResults() outcome {
	last := len(t.messages) - 1
	question, at := t.question(last)
	found := t.caseOf(at, last+1)
	if p := t.plan(question, at); t.mayBeInNotes(p, question) {
		if p.Kind != intent.KindCall || len(found.Results) == 1 && found.Results[0].Tool == "recall" {
			return t.answerFromNotes(p, found, last)
		}
		found.Results = slices.DeleteFunc(found.Results, func(r report.Result) bool { return r.Tool == "recall" })
	}
	rep := found.Answer()
	if len(rep.Next) > 0 {
		return outcome{steps: rep.Next, why: "next step after " + t.toolsOf(last)}
	}
	out := outcome{text: rep.Text, why: "answered from the output of " + t.toolsOf(last)}
	if read := t.lexicon.Read(question); read.RequestsUndo() && !read.AsksWhatToUndo() && !t.called("undo", at) && !t.called("remove_automation", at) {
		out.stop = providers.StopNothingDone // the answer shows recent changes but undoes none
	}
	return out
}

// called reports whether a tool was called since message at.
func (t *turn) called(tool string, at int) bool {
	return slices.ContainsFunc(t.messages[max(at, 0):], func(m providers.Message) bool {
		return slices.ContainsFunc(m.Content, func(b providers.Block) bool { return b.Type == providers.BlockToolUse && b.Name == tool })
	})
}

// caseOf returns the case for the question in message at (-1 if unknown), with the results up to message to.
func (t *turn) caseOf(at, to int) report.Case {
	c := report.Case{Lang: t.lang, Home: t.opts.Home, Now: t.opts.Now, NoRights: t.opts.NoRights, HasTool: func(tool string) bool { return t.tools[tool] }}
	if at >= 0 {
		text := t.messages[at].Text()
		plan := t.plan(text, at)
		c.IsUncertain = plan.IsUncertain || !plan.AcceptsOffer && t.lexicon.Read(text).ForbidsChange()
		c.Request, c.RequestedSteps, c.Diagnoses, c.FollowUps = t.lexicon.Read(text), plan.Steps, plan.Diagnoses, plan.FollowUps
		if plan.Picked != "" {
			c.Request = t.lexicon.Read(plan.Picked) // "2" does not name its subject
		}
		if before := t.context(at); plan.AcceptsOffer && before.Previous != "" {
			c.Request = t.lexicon.Read(before.Previous) // "yes" does not name its subject
		}
		if before, from := t.question(at - 1); from >= 0 && plan.AcceptsOffer {
			c.Before = t.lexicon.Read(before)
		}
	}
	for i := max(at, 0); i < to; i++ {
		for _, b := range t.messages[i].Content {
			if b.Type != providers.BlockToolResult {
				continue
			}
			use := t.findCall(b.ToolUseID, i)
			c.Results = append(c.Results, report.Result{Tool: use.Name, Input: inputOf(use), Output: b.Output, Content: b.Content, IsError: b.IsError})
		}
	}
	return c
}

// findCall returns the call that a result belongs to.
func (t *turn) findCall(id string, before int) providers.Block {
	for i := before; i >= 0; i-- {
		for _, b := range t.messages[i].Content {
			if b.Type == providers.BlockToolUse && b.ID == id {
				return b
			}
		}
	}
	return providers.Block{Type: providers.BlockToolUse, ID: id}
}

func (t *turn) toolsOf(i int) string {
	var names []string
	for _, b := range t.messages[i].Content {
		if b.Type == providers.BlockToolResult {
			names = append(names, t.findCall(b.ToolUseID, i).Name)
		}
	}
	return strings.Join(names, ", ")
}
