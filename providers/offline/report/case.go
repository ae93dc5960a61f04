// Package report tells what tools put out as a good administrator would: the
// finding, the figures and where they are from, what they mean, and one next
// step. It states nothing that is not in the output.
package report

import (
	"encoding/json"
	"reflect"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// Result is one finished tool call.
type Result struct {
	Tool    string
	Input   map[string]any
	Output  *providers.Output // nil when the call put out words only
	Content string            // the words of a call without streams
	IsError bool
}

// Case is a request with what has been found out for it so far.
type Case struct {
	Ask       *intent.Reading // how it was asked; nil when unknown
	Lang      i18n.Lang
	Home      string // for telling paths as "~"; may be empty
	Diagnosis string // the chain of looks that answers it, "" for none
	Results   []Result
	// Offered reports whether a tool can be called; nil means any.
	Offered func(tool string) bool
}

// Reply is what a case comes to.
type Reply struct {
	Text  string
	Offer *intent.Step  // what the question at the end of Text offers
	Next  []intent.Step // looks to take before answering; Text is empty then
}

// Tell answers a case from its results, or says what to look at next. Nothing
// that was run or that is not offered is asked for again, so a chain ends.
func (c Case) Tell() Reply {
	if len(c.Results) == 0 {
		return Reply{Text: sayNoOutput.In(c.Lang)}
	}
	replies := make([]Reply, 0, len(c.Results))
	for _, res := range c.Results {
		replies = append(replies, c.result(res).compose())
	}
	last := replies[len(replies)-1]
	if next := c.fresh(last.Next); len(next) > 0 {
		return Reply{Next: next}
	}
	whole := Reply{Offer: last.Offer}
	for i, rep := range replies {
		if len(rep.Next) == 0 || i == len(replies)-1 {
			whole.Text = paragraphs(whole.Text, rep.Text)
		}
		if rep.Offer != nil {
			whole.Offer = rep.Offer
		}
	}
	return whole
}

// fresh keeps the steps that are offered and were not run yet.
func (c Case) fresh(steps []intent.Step) []intent.Step {
	var out []intent.Step
	for _, s := range steps {
		if (c.Offered == nil || c.Offered(s.Tool)) && c.find(s) == nil {
			out = append(out, s)
		}
	}
	return out
}

// find returns the result of a step, nil when it was not run.
func (c Case) find(s intent.Step) *Result {
	for i := range c.Results {
		if res := &c.Results[i]; res.Tool == s.Tool && sameInput(res.Input, s.Input) {
			return res
		}
	}
	return nil
}

// sameInput compares inputs as JSON does: an integer is a number.
func sameInput(a, b map[string]any) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(plain(a), plain(b))
}

func plain(m map[string]any) map[string]any {
	var out map[string]any
	text, err := json.Marshal(m)
	if err != nil || json.Unmarshal(text, &out) != nil {
		return nil // inputs are strings, numbers and booleans
	}
	return out
}

func (c Case) result(res Result) *result {
	r := &result{tool: res.Tool, input: res.Input, out: res.Output, raw: res.Content, isErr: res.IsError, lang: c.Lang, ask: c.Ask, home: c.Home}
	if r.input == nil {
		r.input = map[string]any{}
	}
	if res.Output != nil {
		r.steps = res.Output.Steps
	}
	return r
}
