package openai

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// maxCalls bounds the tool calls of one answer. A model that makes more is malfunctioning.
const maxCalls = 128

// assembly builds one message from its pieces.
type assembly struct {
	vendor    string
	thinkTags bool
	count     func(int) error // enforces the size limit of the answer
	onText    func(string)

	think     thinkFilter
	text      strings.Builder
	refused   bool
	calls     callList
	extra     json.RawMessage
	reasoning map[string]*strings.Builder // text of reasoning_content and reasoning
	details   detailList
	usage     providers.Usage
	finish    string
	finished  bool
}

// add adds one piece.
func (a *assembly) add(p *piece) error {
	n := len(p.Content) + len(p.Refusal) + len(p.Extra) + len(p.ReasoningContent) + len(p.Reasoning)
	for _, d := range p.ReasoningDetails {
		n += len(d)
	}
	for _, f := range p.ToolCalls {
		n += len(f.ID) + len(f.Function.Name) + len(f.Function.Arguments) + len(f.Extra)
	}
	if err := a.count(n); err != nil {
		return err
	}
	a.appendReasoning("reasoning_content", p.ReasoningContent)
	a.appendReasoning("reasoning", p.Reasoning)
	a.details.add(p.ReasoningDetails)
	a.addContent(string(p.Content))
	if p.Refusal != "" {
		a.refused = true
		a.emit(p.Refusal)
	}
	if isPresent(p.Extra) {
		a.extra = p.Extra
	}
	for i := range p.ToolCalls {
		a.calls.add(&p.ToolCalls[i], i)
	}
	if len(a.calls) > maxCalls {
		return transport.ErrProtocol("more than %d tool calls in one answer", maxCalls)
	}
	return nil
}

func isPresent(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// appendReasoning appends to a reasoning field. The format has strings only.
func (a *assembly) appendReasoning(field string, raw json.RawMessage) {
	var s string
	if !isPresent(raw) || json.Unmarshal(raw, &s) != nil || s == "" {
		return
	}
	if a.reasoning == nil {
		a.reasoning = map[string]*strings.Builder{}
	}
	if a.reasoning[field] == nil {
		a.reasoning[field] = &strings.Builder{}
	}
	a.reasoning[field].WriteString(s)
}

// addContent adds a piece of content.
func (a *assembly) addContent(s string) {
	if a.thinkTags && s != "" {
		s = a.think.write(s)
	}
	a.emit(s)
}

func (a *assembly) emit(s string) {
	if s != "" {
		a.text.WriteString(s)
		a.onText(s)
	}
}

// Completion implements [transport.Answer]. It translates the finished message.
func (a *assembly) Completion(call *transport.Call) (providers.Completion, error) {
	if a.thinkTags {
		a.emit(a.think.close())
	}
	done := providers.Completion{Usage: a.usage}
	if isInterrupted(a.finish) {
		return done, call.Error(http.StatusServiceUnavailable, "the server interrupted the answer: "+a.finish)
	}
	opaque, err := a.opaque()
	if err != nil {
		return done, err
	}
	done.Content = opaque
	if a.text.Len() > 0 {
		done.Content = append(done.Content, providers.Text(a.text.String()))
	}
	uses, err := a.calls.blocks(a.vendor)
	if err != nil {
		return done, err
	}
	done.Content = append(done.Content, uses...)
	done.Stop = stopReason(a.finish, len(uses) > 0)
	if a.refused {
		done.Stop = providers.StopRefusal
	}
	if a.text.Len() == 0 && len(uses) == 0 && done.Stop != providers.StopRefusal {
		return done, call.NoContent(done.Stop)
	}
	return done, nil
}

// opaque returns the message's own opaque block, if it has data for one.
func (a *assembly) opaque() ([]providers.Block, error) {
	o := opaque{Vendor: a.vendor, Extra: a.extra, ReasoningDetails: a.details.raw(), Think: a.think.reasoning.String()}
	for field, target := range map[string]*json.RawMessage{
		"reasoning_content": &o.ReasoningContent, "reasoning": &o.Reasoning,
	} {
		if b := a.reasoning[field]; b != nil {
			raw, err := transport.EncodeJSON(b.String())
			if err != nil {
				return nil, err
			}
			*target = raw
		}
	}
	if o.Extra == nil && o.ReasoningContent == nil && o.Reasoning == nil && o.ReasoningDetails == nil && o.Think == "" {
		return nil, nil
	}
	b, err := o.block()
	return []providers.Block{b}, err
}

// detailList collects reasoning_details, a list of objects whose "text" is streamed (MiniMax and OpenRouter
// docs).
type detailList struct {
	items []map[string]json.RawMessage
	texts []string
}

func (l *detailList) add(raws []json.RawMessage) {
	for i, raw := range raws {
		var item map[string]json.RawMessage
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		at, s := i, ""
		_ = json.Unmarshal(item["index"], &at) // absent: its position in the list
		_ = json.Unmarshal(item["text"], &s)   // absent: no text to append
		if at < 0 || at > len(l.items) {
			at = len(l.items)
		}
		if at == len(l.items) {
			l.items, l.texts = append(l.items, item), append(l.texts, s)
			continue
		}
		for name, value := range item {
			l.items[at][name] = value
		}
		// Some servers send the whole text so far instead of the next piece.
		if old := l.texts[at]; old != "" && strings.HasPrefix(s, old) {
			l.texts[at] = s
		} else {
			l.texts[at] += s
		}
	}
}

func (l *detailList) raw() json.RawMessage {
	if len(l.items) == 0 {
		return nil
	}
	for i, s := range l.texts {
		if s != "" {
			if raw, err := transport.EncodeJSON(s); err == nil {
				l.items[i]["text"] = raw
			}
		}
	}
	raw, err := transport.EncodeJSON(l.items)
	if err != nil { // it was decoded from JSON
		return nil
	}
	return raw
}

// newCallID returns an id for a call without one.
func newCallID() string { return "call_" + rand.Text()[:16] }

// argumentsOf returns the text of an arguments field: a JSON string by the format, the object itself from some
// servers.
func argumentsOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(bytes.TrimSpace(raw))
}
