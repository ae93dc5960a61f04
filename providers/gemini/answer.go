package gemini

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

// The answer's shapes. Each stream event is a whole answer with the next parts.
type (
	chunk struct {
		Candidates     []candidate `json:"candidates"`
		PromptFeedback struct {
			BlockReason string `json:"blockReason"`
		} `json:"promptFeedback"`
		Usage *usage `json:"usageMetadata"`
		Error *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Status  string `json:"status"`
		} `json:"error"`
	}
	candidate struct {
		Index   int `json:"index"`
		Content struct {
			Parts []json.RawMessage `json:"parts"`
		} `json:"content"`
		FinishReason  string `json:"finishReason"`
		FinishMessage string `json:"finishMessage"`
	}
	usage struct {
		Prompt     int `json:"promptTokenCount"` // including cached tokens
		ToolPrompt int `json:"toolUsePromptTokenCount"`
		Cached     int `json:"cachedContentTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
	}
)

func (u usage) total() providers.Usage {
	return providers.Usage{
		InputTokens: u.Prompt + u.ToolPrompt, OutputTokens: u.Candidates + u.Thoughts, CachedTokens: u.Cached,
	}
}

// Whole implements [transport.Answer] for a server that does not stream: one answer, or a list as
// streamGenerateContent returns without alt=sse.
func (a *assembly) Whole(data []byte) error {
	list := []json.RawMessage{data}
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '[' {
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
	}
	for _, one := range list {
		if err := a.addChunk(one); err != nil {
			return err
		}
	}
	if !a.finished && len(a.pieces) == 0 {
		return transport.ErrProtocol("no candidates in the answer")
	}
	return nil
}

// Stream implements [transport.Answer]. The stream has no end marker: an answer is complete when it has a
// finish reason.
func (a *assembly) Stream(body io.Reader, limit int) error {
	events := sse.NewReader(body, limit)
	for {
		data, err := events.Next()
		switch {
		case err != nil && a.finished && !errors.Is(err, transport.ErrTooLong):
			return nil
		case errors.Is(err, io.EOF):
			return transport.ErrCutOff
		case err != nil:
			return err
		}
		if err = transport.AsCutOff(a.addChunk(data)); a.finished && errors.Is(err, transport.ErrCutOff) {
			return nil
		} else if err != nil {
			return err
		}
		if a.finished && a.counted {
			return nil // complete: do not wait for the end of the connection
		}
	}
}

// addChunk adds one answer to the message.
func (a *assembly) addChunk(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	if c.Error != nil {
		status := c.Error.Code
		if status < 400 || status > 599 {
			status = http.StatusInternalServerError
		}
		return &transport.EmbeddedError{Status: status, Message: c.Error.Message}
	}
	if c.Usage != nil {
		a.usage, a.counted = c.Usage.total(), true
	}
	if c.PromptFeedback.BlockReason != "" {
		a.finish, a.finished = "SAFETY", true
	}
	for _, one := range c.Candidates {
		if one.Index != 0 {
			continue
		}
		if err := a.addCandidate(one); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembly) addCandidate(c candidate) error {
	for _, raw := range c.Content.Parts {
		if err := a.add(raw); err != nil {
			return err
		}
	}
	if c.FinishReason != "" && c.FinishReason != "FINISH_REASON_UNSPECIFIED" {
		a.finish, a.finishMessage, a.finished = c.FinishReason, c.FinishMessage, true
	}
	return nil
}

// stopReason translates a finishReason (Gemini API reference, "FinishReason").
func stopReason(word string, tools bool) providers.StopReason {
	switch word {
	case "MAX_TOKENS":
		return providers.StopMaxTokens
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT":
		return providers.StopRefusal
	}
	if tools {
		return providers.StopToolUse
	}
	return providers.StopEndTurn
}

// isInvalidCall reports whether a finishReason means that the model wrote an invalid call or called a tool that was
// not offered. Repeating the request can succeed.
func isInvalidCall(word string) bool {
	return word == "MALFORMED_FUNCTION_CALL" || word == "UNEXPECTED_TOOL_CALL" || word == "TOO_MANY_TOOL_CALLS"
}
