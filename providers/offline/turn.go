package offline

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// turn is one request with what the conversation before it tells.
type turn struct {
	opts     Options
	messages []providers.Message
	tools    map[string]bool
	lang     string
}

// outcome is what a turn comes to: text, or tool calls, and why.
type outcome struct {
	text    string
	steps   []Step
	why     string
	refused bool // the request is destructive
}

func newTurn(opts Options, req providers.Request) *turn {
	t := &turn{opts: opts, messages: req.Messages, tools: make(map[string]bool, len(req.Tools))}
	for _, d := range req.Tools {
		t.tools[d.Name] = true
	}
	t.lang = t.language(req.Lang)
	return t
}

// language is the request's, else the question's, else the configured one.
func (t *turn) language(requested string) string {
	if known(requested) {
		return requested
	}
	question, _ := t.question(len(t.messages) - 1)
	request, _ := splitData(question)
	if lang := detectLang(request); lang != "en" || strings.ContainsAny(strings.ToLower(request), "abcdefghijklmnopqrstuvwxyz") {
		return lang
	}
	if known(t.opts.Lang) {
		return t.opts.Lang
	}
	return "en"
}

func known(lang string) bool { return lang == "ko" || lang == "en" || lang == "zh" }

// question finds the last user text at or before message i and its index; -1
// when there is none.
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
	if hasResults(t.messages[len(t.messages)-1]) {
		return t.answerResults()
	}
	text, at := t.question(len(t.messages) - 1)
	if at != len(t.messages)-1 {
		text = ""
	}
	u := newUtterance(text)
	p := t.plan(u, at)
	return t.carryOut(p, u)
}

// carryOut turns a plan into calls or words. Steps whose tool the request does
// not offer are left out; when none remains, that is what the answer says.
func (t *turn) carryOut(p Plan, u *utterance) outcome {
	why := p.Why()
	if p.Kind != KindCall {
		return outcome{text: t.words(p, u), why: why, refused: p.Kind == KindRefuse}
	}
	var usable []Step
	for _, s := range p.Steps {
		if t.tools[s.Tool] {
			usable = append(usable, s)
		}
	}
	if len(usable) == 0 {
		return outcome{text: t.unavailable(p.Steps[0]), why: why + "; the tool is not offered"}
	}
	return outcome{steps: usable, why: why}
}

// answerResults tells the results of this turn's calls, or takes the next
// read-only step that they suggest.
func (t *turn) answerResults() outcome {
	question, at := t.question(len(t.messages) - 1)
	var ask *reading
	if question != "" {
		ask = shared().read(newUtterance(question))
	}
	replies := t.replies(at+1, len(t.messages), ask)
	last := replies[len(replies)-1]
	if next := t.fresh(last.next, at+1); len(next) > 0 {
		return outcome{steps: next, why: "next read-only step after " + t.toolsOf(len(t.messages)-1)}
	}
	var parts []string
	for i, rep := range replies {
		if len(rep.next) == 0 || i == len(replies)-1 {
			parts = append(parts, rep.text)
		}
	}
	return outcome{text: paragraphs(parts...), why: "told from the output of " + t.toolsOf(len(t.messages)-1)}
}

// replies composes the results of messages [from, to), in order.
func (t *turn) replies(from, to int, ask *reading) []reply {
	var out []reply
	for i := max(from, 0); i < to; i++ {
		for _, b := range t.messages[i].Content {
			if b.Type != providers.BlockToolResult {
				continue
			}
			out = append(out, newResult(t.use(b.ToolUseID, i), b, t.lang, ask, t.opts.Home).compose())
		}
	}
	if len(out) == 0 {
		out = append(out, reply{text: sayNoOutput.in(t.lang)})
	}
	return out
}

// use finds the call that a result answers.
func (t *turn) use(id string, before int) providers.Block {
	for i := before; i >= 0; i-- {
		for _, b := range t.messages[i].Content {
			if b.Type == providers.BlockToolUse && b.ID == id {
				return b
			}
		}
	}
	return providers.Block{Type: providers.BlockToolUse, ID: id}
}

// fresh keeps the steps that are offered and were not run since message from:
// a chain never repeats itself.
func (t *turn) fresh(steps []Step, from int) []Step {
	var out []Step
	for _, s := range steps {
		if t.tools[s.Tool] && !t.wasRun(s, from) {
			out = append(out, s)
		}
	}
	return out
}

func (t *turn) wasRun(s Step, from int) bool {
	for i := max(from, 0); i < len(t.messages); i++ {
		for _, b := range t.messages[i].Content {
			if b.Type == providers.BlockToolUse && b.Name == s.Tool && sameInput(b.Input, s.Input) {
				return true
			}
		}
	}
	return false
}

func sameInput(raw json.RawMessage, input map[string]any) bool {
	var a map[string]any
	b, err := json.Marshal(input)
	if err != nil || json.Unmarshal(raw, &a) != nil {
		return false
	}
	var c map[string]any
	return json.Unmarshal(b, &c) == nil && reflect.DeepEqual(a, c)
}

func (t *turn) toolsOf(i int) string {
	var names []string
	for _, b := range t.messages[i].Content {
		if b.Type == providers.BlockToolResult {
			names = append(names, t.use(b.ToolUseID, i).Name)
		}
	}
	return strings.Join(names, ", ")
}
