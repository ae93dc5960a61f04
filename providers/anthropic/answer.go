package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/sse"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// event is one event of a stream. Its type decides which of the other fields it has.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"` // of the content block
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	Block json.RawMessage `json:"content_block"`
	Delta json.RawMessage `json:"delta"`
	Usage usage           `json:"usage"`
}

// Stream implements [transport.Answer]. It reads events up to message_stop.
func (a *assembly) Stream(body io.Reader, limit int) error {
	events := sse.NewReader(body, limit)
	for !a.stopped {
		data, err := events.Next()
		switch {
		case errors.Is(err, io.EOF):
			return transport.ErrCutOff
		case err != nil:
			return err
		}
		switch name := events.Name(); {
		case name == "error":
			return embeddedError(data) // also if it is not JSON
		case name == "ping" || len(data) == 0:
			continue
		}
		if err := transport.AsCutOff(a.addEvent(data)); err != nil {
			return err
		}
	}
	return nil
}

// addEvent applies one event. It skips events of unknown types, as the API's versioning policy requires.
func (a *assembly) addEvent(data []byte) error {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	switch e.Type {
	case "message_start":
		a.usage.update(e.Message.Usage)
	case "message_delta":
		a.usage.update(e.Usage)
		return a.readStopReason(e.Delta)
	case "content_block_start":
		return a.startBlock(e.Index, e.Block)
	case "content_block_delta":
		return a.addDelta(e.Index, e.Delta)
	case "message_stop":
		a.stopped = true
	case "error":
		return embeddedError(data)
	}
	return nil
}

func (a *assembly) readStopReason(delta json.RawMessage) error {
	var d struct {
		StopReason string `json:"stop_reason"`
	}
	if len(delta) == 0 {
		return nil
	}
	if err := json.Unmarshal(delta, &d); err != nil {
		return err
	}
	if d.StopReason != "" {
		a.stopReason = d.StopReason
	}
	return nil
}

// Whole implements [transport.Answer] for a server that does not stream.
func (a *assembly) Whole(data []byte) error {
	var message struct {
		Type       string            `json:"type"`
		Content    []json.RawMessage `json:"content"`
		StopReason string            `json:"stop_reason"`
		Usage      usage             `json:"usage"`
	}
	if err := json.Unmarshal(data, &message); err != nil {
		return err
	}
	switch {
	case message.Type == "error":
		return embeddedError(data)
	case message.Content == nil && message.StopReason == "":
		return transport.ErrProtocol("no content in the answer")
	}
	a.usage.update(message.Usage)
	a.stopReason = message.StopReason
	for i, raw := range message.Content {
		if err := a.startBlock(i, raw); err != nil {
			return err
		}
	}
	return nil
}

// embeddedError returns the error that a server reports instead of the rest of its answer.
func embeddedError(data []byte) error {
	var e struct {
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	_ = json.Unmarshal(data, &e) // other shapes have no type
	return &transport.EmbeddedError{Status: statusOfType(e.Error.Type), Message: transport.Message(data)}
}

// statusOfType returns the HTTP status for an error type reported inside a stream (Anthropic API reference,
// "Errors").
func statusOfType(kind string) int {
	switch kind {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error":
		return http.StatusUnauthorized
	case "billing_error":
		return http.StatusPaymentRequired
	case "permission_error":
		return http.StatusForbidden
	case "not_found_error":
		return http.StatusNotFound
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "rate_limit_error":
		return http.StatusTooManyRequests
	case "timeout_error":
		return http.StatusGatewayTimeout
	case "overloaded_error":
		return 529
	}
	return http.StatusInternalServerError
}

// stopReason translates the API's stop_reason. tools reports whether the message contains tool calls.
func stopReason(word string, tools bool) providers.StopReason {
	switch word {
	case "max_tokens", "model_context_window_exceeded":
		return providers.StopMaxTokens
	case "refusal":
		return providers.StopRefusal
	}
	if tools {
		return providers.StopToolUse
	}
	return providers.StopEndTurn
}
