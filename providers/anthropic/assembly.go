package anthropic

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// assembly builds one message from the events of its stream.
//
// It replaces the SDK's Accumulate, which replaces a tool input that is not valid JSON with {} (a tool would
// run with arguments that the model did not write), drops deltas of unknown block types and copies the whole
// text for each delta.
//
// Blocks that are neither text nor tool_use (thinking, redacted_thinking and future types) become opaque
// blocks. They are sent back unchanged and in their place: a thinking block must precede the tool_use it led
// to.
type assembly struct {
	count  func(int) error // enforces the size limit of the answer
	onText func(string)

	blocks     []*part
	usage      usage
	stopReason string
	stopped    bool
}

// part is one content block under construction.
type part struct {
	kind string // the API's block type
	head struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	raw    json.RawMessage              // the block of the start event
	text   strings.Builder              // text of a text block
	input  strings.Builder              // streamed JSON of a block with an input
	deltas map[string]*strings.Builder  // streamed string fields of an opaque block
	items  map[string][]json.RawMessage // lists streamed into an opaque block
}

// usage counts tokens. Input counts neither tokens written to the cache nor tokens read from it (Anthropic API
// reference, "Usage").
type usage struct {
	Input         *int `json:"input_tokens"`
	CacheCreation *int `json:"cache_creation_input_tokens"`
	CacheRead     *int `json:"cache_read_input_tokens"`
	Output        *int `json:"output_tokens"`
}

// update copies the counts that v has. Each is a running total.
func (u *usage) update(v usage) {
	for _, pair := range [][2]**int{
		{&u.Input, &v.Input}, {&u.CacheCreation, &v.CacheCreation}, {&u.CacheRead, &v.CacheRead}, {&u.Output, &v.Output},
	} {
		if *pair[1] != nil {
			*pair[0] = *pair[1]
		}
	}
}

func (u usage) total() providers.Usage {
	n := func(p *int) int {
		if p == nil {
			return 0
		}
		return *p
	}
	return providers.Usage{
		InputTokens: n(u.Input) + n(u.CacheCreation) + n(u.CacheRead), OutputTokens: n(u.Output), CachedTokens: n(u.CacheRead),
	}
}

// add applies one event of the stream. It skips events and deltas of unknown type, as the API's versioning
// policy requires.
func (a *assembly) add(event *anthropic.MessageStreamEventUnion) error {
	switch event.Type {
	case "message_start", "message_delta":
		return a.readEnvelope(event.RawJSON())
	case "content_block_start":
		return a.startBlock(event.Index, json.RawMessage(event.ContentBlock.RawJSON()))
	case "content_block_delta":
		return a.applyDelta(event)
	case "message_stop":
		a.stopped = true
	}
	return nil
}

// readEnvelope reads usage and stop reason from the raw event, because the SDK's types do not distinguish a missing
// count from zero.
func (a *assembly) readEnvelope(raw string) error {
	var e struct {
		Message struct {
			Usage usage `json:"usage"`
		} `json:"message"`
		Delta struct {
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
		Usage usage `json:"usage"`
	}
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		return err
	}
	a.usage.update(e.Message.Usage)
	a.usage.update(e.Usage)
	if e.Delta.StopReason != "" {
		a.stopReason = e.Delta.StopReason
	}
	return nil
}

func (a *assembly) startBlock(index int64, raw json.RawMessage) error {
	if index != int64(len(a.blocks)) {
		return transport.ErrProtocol("content block %d instead of %d", index, len(a.blocks))
	}
	if err := a.count(len(raw)); err != nil {
		return err
	}
	p := &part{raw: raw}
	if err := json.Unmarshal(raw, &p.head); err != nil {
		return err
	}
	p.kind = p.head.Type
	a.blocks = append(a.blocks, p)
	if p.kind == "text" {
		a.appendText(p, p.head.Text)
	}
	return nil
}

func (a *assembly) appendText(p *part, piece string) {
	if piece != "" {
		p.text.WriteString(piece)
		a.onText(piece)
	}
}

func (a *assembly) applyDelta(event *anthropic.MessageStreamEventUnion) error {
	if event.Index < 0 || event.Index >= int64(len(a.blocks)) {
		return transport.ErrProtocol("delta for content block %d of %d", event.Index, len(a.blocks))
	}
	p, d := a.blocks[event.Index], &event.Delta
	if err := a.count(len(d.Text) + len(d.PartialJSON) + len(d.Thinking) + len(d.Signature)); err != nil {
		return err
	}
	switch {
	case d.Type == "input_json_delta":
		p.input.WriteString(d.PartialJSON)
	case p.kind == "text" && d.Type == "text_delta":
		a.appendText(p, d.Text)
	case p.kind != "text" && p.kind != "tool_use":
		return p.applyDelta(event.RawJSON())
	}
	return nil
}

// applyDelta applies a delta to an opaque block. All known deltas follow one rule: a string is appended to the field
// of its name, and "citation" adds an item to "citations".
func (p *part) applyDelta(raw string) error {
	var e struct {
		Delta map[string]json.RawMessage `json:"delta"`
	}
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		return err
	}
	for name, value := range e.Delta {
		var s string
		switch {
		case name == "type":
		case name == "citation":
			p.items = appendTo(p.items, "citations", value)
		case json.Unmarshal(value, &s) == nil:
			p.appendField(name, s)
		}
	}
	return nil
}

func appendTo(m map[string][]json.RawMessage, name string, item json.RawMessage) map[string][]json.RawMessage {
	if m == nil {
		m = map[string][]json.RawMessage{}
	}
	m[name] = append(m[name], item)
	return m
}

func (p *part) appendField(name, piece string) {
	if p.deltas == nil {
		p.deltas = map[string]*strings.Builder{}
	}
	if p.deltas[name] == nil {
		p.deltas[name] = &strings.Builder{}
	}
	p.deltas[name].WriteString(piece)
}

// block returns the finished content block.
func (p *part) block() (providers.Block, error) {
	switch p.kind {
	case "text":
		return providers.Text(p.text.String()), nil
	case "tool_use":
		input := p.input.String()
		if input == "" {
			input = string(p.head.Input)
		}
		return providers.Block{
			Type: providers.BlockToolUse, ID: p.head.ID, Name: p.head.Name, Input: providers.ToolInput(input),
		}, nil
	}
	raw, err := p.opaque()
	return providers.Block{Type: providers.BlockOpaque, Provider: Package, Raw: raw}, err
}

// opaque returns the block's JSON including the streamed fields. A block without deltas keeps its JSON,
// compacted.
func (p *part) opaque() (json.RawMessage, error) {
	if len(p.deltas) == 0 && len(p.items) == 0 && p.input.Len() == 0 {
		var b bytes.Buffer
		err := json.Compact(&b, p.raw)
		return b.Bytes(), err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(p.raw, &fields); err != nil {
		return nil, err
	}
	for name, piece := range p.deltas {
		var before string
		_ = json.Unmarshal(fields[name], &before) // absent or not a string: starts empty
		fields[name] = encode(before + piece.String())
	}
	for name, items := range p.items {
		var before []json.RawMessage
		_ = json.Unmarshal(fields[name], &before) // absent or null: starts empty
		fields[name] = encode(append(before, items...))
	}
	if p.input.Len() > 0 {
		fields["input"] = providers.ToolInput(p.input.String())
	}
	return encode(fields), nil
}

// encode writes JSON as the server does, without escaping <, > and &.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // strings and valid raw JSON always encode
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// completion translates the finished message.
func (a *assembly) completion(call *transport.Call) (providers.Completion, error) {
	done := providers.Completion{Usage: a.usage.total()}
	said, ids := false, map[string]bool{}
	for i, p := range a.blocks {
		b, err := p.block()
		if err != nil {
			return done, fmt.Errorf("content block %d: %w", i, err)
		}
		if b.Type == providers.BlockText && b.Text == "" {
			continue
		}
		if b.Type == providers.BlockToolUse {
			if b.ID == "" || ids[b.ID] { // servers that only imitate the API
				b.ID = "toolu_" + rand.Text()[:16]
			}
			ids[b.ID] = true
		}
		said = said || b.Type != providers.BlockOpaque
		done.Content = append(done.Content, b)
	}
	done.Stop = stopReason(a.stopReason, len(done.ToolUses()) > 0)
	if !said && done.Stop != providers.StopRefusal {
		return done, call.Empty(emptyMessage(done.Stop))
	}
	return done, nil
}

func emptyMessage(stop providers.StopReason) string {
	if stop == providers.StopMaxTokens {
		return "the model used up max_tokens before it answered"
	}
	return "the model's answer is empty"
}
