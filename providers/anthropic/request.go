package anthropic

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/nidoit/blunux-ai/providers"
)

// encoder translates one request. The SDK rewrites raw JSON while encoding it ("<" becomes "\u003c"), but
// opaque blocks must be sent back byte for byte. The encoder therefore inserts a placeholder for each opaque
// block and replaces it after the rest is encoded, and likewise for the list of tools, which is encoded before.
type encoder struct {
	placeholder string // placeholder prefix: random, so that no text contains it
	raws        []json.RawMessage
}

// encode returns the body of a request, without "stream". It omits empty text, which the API rejects, and
// messages that are empty as a result.
func (m *Model) encode(req providers.Request) ([]byte, error) {
	e := &encoder{placeholder: rand.Text()}
	p := m.params(req)
	for _, msg := range providers.WithImages(req.Messages, m.images) {
		if blocks := e.content(msg); len(blocks) > 0 {
			p.Messages = append(p.Messages, anthropic.MessageParam{
				Role: anthropic.MessageParamRole(msg.Role), Content: blocks,
			})
		}
	}
	var tools []byte
	if len(req.Tools) > 0 {
		var err error
		if tools, err = m.tools.Encode(req.Tools, encodeTools); err != nil {
			return nil, err
		}
		p.Tools = []anthropic.ToolUnionParam{param.Override[anthropic.ToolUnionParam](e.placeholder)}
	}
	body, err := p.MarshalJSON()
	if err != nil {
		return nil, err
	}
	if len(tools) > 0 {
		body = bytes.Replace(body, []byte("["+strconv.Quote(e.placeholder)+"]"), tools, 1)
	}
	for i, raw := range e.raws {
		if !json.Valid(raw) {
			return nil, fmt.Errorf("opaque block %d is not JSON", i)
		}
		body = bytes.Replace(body, []byte(strconv.Quote(e.placeholderOf(i))), raw, 1)
	}
	return body, nil
}

// params translates everything but the messages and the tools.
func (m *Model) params(req providers.Request) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{Model: anthropic.Model(m.model), MaxTokens: int64(m.maxTokens)}
	if req.MaxTokens > 0 {
		p.MaxTokens = int64(req.MaxTokens)
	}
	if m.temperature != nil {
		p.Temperature = anthropic.Float(*m.temperature)
	}
	if strings.TrimSpace(req.System) != "" {
		p.System = []anthropic.TextBlockParam{{Text: req.System}}
	}
	return p
}

// encodeTools encodes a list of tools as the SDK does in a request.
func encodeTools(defs []providers.ToolDefinition) ([]byte, error) {
	list := make([]anthropic.ToolUnionParam, 0, len(defs))
	for _, tool := range defs {
		list = append(list, toolParam(tool))
	}
	return json.Marshal(list)
}

// content translates the blocks of one message. Tool results come first, as the API requires in the message
// that answers a tool_use.
func (e *encoder) content(msg providers.Message) []anthropic.ContentBlockParamUnion {
	var results, rest []anthropic.ContentBlockParamUnion
	for _, b := range msg.Content {
		switch b.Type {
		case providers.BlockText:
			if strings.TrimSpace(b.Text) != "" {
				rest = append(rest, anthropic.NewTextBlock(b.Text))
			}
		case providers.BlockImage:
			rest = append(rest, anthropic.NewImageBlockBase64(b.MediaType, base64.StdEncoding.EncodeToString(b.Data)))
		case providers.BlockToolUse:
			rest = append(rest, anthropic.NewToolUseBlock(b.ID, providers.ToolInput(string(b.Input)), b.Name))
		case providers.BlockToolResult:
			results = append(results, toolResultParam(b))
		case providers.BlockOpaque:
			if b.Provider == Package && len(b.Raw) > 0 {
				rest = append(rest, param.Override[anthropic.ContentBlockParamUnion](e.placeholderOf(len(e.raws))))
				e.raws = append(e.raws, b.Raw)
			}
		}
	}
	return append(results, rest...)
}

func (e *encoder) placeholderOf(i int) string { return e.placeholder + strconv.Itoa(i) }

func toolResultParam(b providers.Block) anthropic.ContentBlockParamUnion {
	result := &anthropic.ToolResultBlockParam{ToolUseID: b.ToolUseID}
	if b.Content != "" {
		result.Content = []anthropic.ToolResultBlockParamContentUnion{
			{OfText: &anthropic.TextBlockParam{Text: b.Content}},
		}
	}
	if b.IsError {
		result.IsError = anthropic.Bool(true)
	}
	return anthropic.ContentBlockParamUnion{OfToolResult: result}
}

func toolParam(tool providers.ToolDefinition) anthropic.ToolUnionParam {
	schema := tool.InputSchema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	t := &anthropic.ToolParam{Name: tool.Name, InputSchema: param.Override[anthropic.ToolInputSchemaParam](schema)}
	if tool.Description != "" {
		t.Description = anthropic.String(tool.Description)
	}
	return anthropic.ToolUnionParam{OfTool: t}
}
