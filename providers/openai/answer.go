package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/sse"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// The answer's shapes. A streamed chunk has deltas, a whole answer has messages. Both are parsed alike.
type (
	chunk struct {
		Choices  []choice        `json:"choices"`
		Usage    *usage          `json:"usage"`
		Error    json.RawMessage `json:"error"`
		BaseResp *struct {
			Code int    `json:"status_code"`
			Text string `json:"status_msg"`
		} `json:"base_resp"` // MiniMax reports errors with HTTP status 200
	}
	choice struct {
		Index        int    `json:"index"`
		Delta        piece  `json:"delta"`
		Message      *piece `json:"message"`
		FinishReason string `json:"finish_reason"`
	}
	piece struct {
		Content   text            `json:"content"`
		Refusal   string          `json:"refusal"`
		ToolCalls []fragment      `json:"tool_calls"`
		Extra     json.RawMessage `json:"extra_content"`

		ReasoningContent json.RawMessage   `json:"reasoning_content"`
		Reasoning        json.RawMessage   `json:"reasoning"`
		ReasoningDetails []json.RawMessage `json:"reasoning_details"`
	}
	usage struct {
		Prompt     int `json:"prompt_tokens"` // including cached tokens
		Completion int `json:"completion_tokens"`
		Details    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CacheHit int     `json:"prompt_cache_hit_tokens"` // DeepSeek
		Cached   int     `json:"cached_tokens"`           // Moonshot and older GLM servers
		Cost     float64 `json:"cost"`                    // OpenRouter, in US dollars
	}
)

func (u usage) total() providers.Usage {
	return providers.Usage{
		InputTokens: u.Prompt, OutputTokens: u.Completion,
		CachedTokens: min(max(u.Details.Cached, u.CacheHit, u.Cached), u.Prompt), CostUSD: max(u.Cost, 0),
	}
}

// text is a content field: a string, null, or a list of text parts.
type text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *text) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(t))
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*t += text(p.Text)
	}
	return nil
}

// Whole implements [transport.Answer] for a server that does not stream.
func (a *assembly) Whole(data []byte) error {
	if err := a.addChunk(data); err != nil {
		return err
	}
	if !a.finished && len(a.calls) == 0 && a.text.Len() == 0 {
		return transport.ErrProtocol("no choices in the answer")
	}
	return nil
}

// Stream implements [transport.Answer]. It reads events up to [DONE], or to the end of the stream after a
// finish reason, because some servers omit [DONE].
func (a *assembly) Stream(body io.Reader, limit int) error {
	events := sse.NewReader(body, limit)
	for {
		data, err := events.Next()
		switch {
		case err != nil && a.finished && !errors.Is(err, transport.ErrTooLong):
			return nil // the answer is complete, without the end marker or usage
		case errors.Is(err, io.EOF):
			return transport.ErrCutOff
		case err != nil:
			return err
		case string(bytes.TrimSpace(data)) == "[DONE]":
			return nil
		}
		if err = transport.AsCutOff(a.addChunk(data)); a.finished && errors.Is(err, transport.ErrCutOff) {
			return nil // only the part after the finish reason, such as usage, was cut
		} else if err != nil {
			return err
		}
	}
}

// addChunk adds one chunk or a whole answer to the message.
func (a *assembly) addChunk(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if err := c.failure(data); err != nil {
		return err
	}
	if c.Usage != nil {
		a.usage = c.Usage.total()
	}
	for _, ch := range c.Choices {
		if ch.Index != 0 {
			continue
		}
		p := &ch.Delta
		if ch.Message != nil {
			p = ch.Message
		}
		if err := a.add(p); err != nil {
			return err
		}
		if ch.FinishReason != "" {
			a.finish, a.finished = ch.FinishReason, true
		}
	}
	return nil
}

// failure returns the error that a chunk reports, or nil.
func (c *chunk) failure(data []byte) error {
	if c.BaseResp != nil && c.BaseResp.Code != 0 {
		return &transport.EmbeddedError{Status: miniMaxStatus(c.BaseResp.Code), Message: c.BaseResp.Text}
	}
	if len(c.Error) == 0 || string(c.Error) == "null" {
		return nil
	}
	return &transport.EmbeddedError{Status: embeddedStatus(c.Error), Message: transport.Message(data)}
}

// embeddedStatus returns the HTTP status of an error object: its code if that is a status (OpenRouter, Gemini),
// else 500.
func embeddedStatus(raw json.RawMessage) int {
	var e struct {
		Code json.RawMessage `json:"code"`
	}
	var status int
	if json.Unmarshal(raw, &e) == nil && json.Unmarshal(bytes.Trim(e.Code, `"`), &status) == nil &&
		status >= 400 && status <= 599 {
		return status
	}
	return http.StatusInternalServerError
}

// miniMaxStatus maps MiniMax's error codes (MiniMax API docs, "Error codes").
func miniMaxStatus(code int) int {
	switch code {
	case 1004, 2049:
		return http.StatusUnauthorized
	case 1002, 1039, 2045, 2056:
		return http.StatusTooManyRequests
	case 1008:
		return http.StatusPaymentRequired
	case 1013, 2013:
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// stopReason translates a finish_reason of OpenAI, GLM ("sensitive") or DeepSeek. Some servers send "stop" or
// nothing with tool calls, so the presence of calls decides.
func stopReason(word string, tools bool) providers.StopReason {
	switch word {
	case "length", "max_tokens", "model_length":
		return providers.StopMaxTokens
	case "content_filter", "sensitive", "refusal":
		return providers.StopRefusal
	}
	if tools {
		return providers.StopToolUse
	}
	return providers.StopEndTurn
}

// isInterrupted reports whether a finish_reason means that the server gave up, in the words of DeepSeek and GLM.
func isInterrupted(word string) bool {
	return word == "insufficient_system_resource" || word == "network_error" || word == "error"
}
