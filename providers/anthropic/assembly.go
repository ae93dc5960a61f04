package anthropic

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// assembly builds one message from the events of its stream.
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

func (a *assembly) startBlock(index int, raw json.RawMessage) error {
	if index != len(a.blocks) {
		return transport.ErrProtocol("content block %d instead of %d", index, len(a.blocks))
	}
	if err := a.count(len(raw)); err != nil {
		return err
	}
	p := &part{raw: raw}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &p.head); err != nil {
			return err
		}
	}
	if p.head.Type == "" {
		return transport.ErrProtocol("content block %d has no type", index)
	}
	a.blocks = append(a.blocks, p)
	if p.head.Type == "text" {
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

// addDelta applies one delta to its block. It skips deltas of unknown types to text and tool_use blocks.
func (a *assembly) addDelta(index int, raw json.RawMessage) error {
	if index < 0 || index >= len(a.blocks) {
		return transport.ErrProtocol("delta for content block %d of %d", index, len(a.blocks))
	}
	p := a.blocks[index]
	switch {
	case len(raw) == 0:
		return nil
	case p.head.Type != "text" && p.head.Type != "tool_use":
		return a.addOpaqueDelta(p, raw)
	}
	var d struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	if err := a.count(len(d.Text) + len(d.PartialJSON)); err != nil {
		return err
	}
	switch {
	case p.head.Type == "tool_use" && d.Type == "input_json_delta":
		p.input.WriteString(d.PartialJSON)
	case p.head.Type == "text" && d.Type == "text_delta":
		a.appendText(p, d.Text)
	}
	return nil
}

// addOpaqueDelta applies a delta to an opaque block. All known deltas follow one rule: a string is appended to the field
// of its name, but "citation" adds an item to "citations" and "partial_json" continues "input".
func (a *assembly) addOpaqueDelta(p *part, raw json.RawMessage) error {
	if err := a.count(len(raw)); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	for name, value := range fields {
		var s string
		switch {
		case name == "type":
		case name == "citation":
			p.items = appendTo(p.items, "citations", value)
		case json.Unmarshal(value, &s) != nil:
		case name == "partial_json":
			p.input.WriteString(s)
		default:
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
	switch p.head.Type {
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
		joined, err := transport.EncodeJSON(before + piece.String())
		if err != nil {
			return nil, err
		}
		fields[name] = joined
	}
	for name, items := range p.items {
		var before []json.RawMessage
		_ = json.Unmarshal(fields[name], &before) // absent or null: starts empty
		joined, err := transport.EncodeJSON(append(before, items...))
		if err != nil {
			return nil, err
		}
		fields[name] = joined
	}
	if p.input.Len() > 0 {
		fields["input"] = providers.ToolInput(p.input.String())
	}
	return transport.EncodeJSON(fields)
}

// Completion implements [transport.Answer]. It translates the finished message.
func (a *assembly) Completion(call *transport.Call) (providers.Completion, error) {
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
		return done, call.NoContent(done.Stop)
	}
	return done, nil
}
