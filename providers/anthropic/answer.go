package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/transport"
)

func mediaType(h http.Header) string {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type")) // unreadable counts as absent
	return media
}

// readStream reads the events of one message up to message_stop.
func (m *Model) readStream(call *transport.Call, stream *ssestream.Stream[anthropic.MessageStreamEventUnion], onText func(string)) (providers.Completion, error) {
	a := &assembly{count: call.Count, onText: onText}
	for !a.stopped && stream.Next() {
		event := stream.Current()
		if err := a.add(&event); err != nil {
			return providers.Completion{}, err
		}
	}
	if err := stream.Err(); err != nil && !a.stopped {
		return providers.Completion{}, streamError(call, err)
	}
	if !a.stopped {
		return providers.Completion{}, transport.ErrCutOff
	}
	return a.completion(call)
}

// readWhole reads an answer of a server that does not stream.
func (m *Model) readWhole(call *transport.Call, resp *http.Response, onText func(string)) (providers.Completion, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(call.Limit())+1))
	if err != nil {
		return providers.Completion{}, err
	}
	if err := call.Count(len(body)); err != nil {
		return providers.Completion{}, err
	}
	var message struct {
		Content    []json.RawMessage `json:"content"`
		StopReason string            `json:"stop_reason"`
		Usage      usage             `json:"usage"`
	}
	if err := json.Unmarshal(body, &message); err != nil {
		return providers.Completion{}, err
	}
	a := &assembly{count: func(int) error { return nil }, onText: onText, stopReason: message.StopReason}
	a.usage.update(message.Usage)
	for i, raw := range message.Content {
		if err := a.startBlock(int64(i), raw); err != nil {
			return providers.Completion{}, err
		}
	}
	return a.completion(call)
}

// streamError maps an error that the SDK reports while reading a stream.
func streamError(call *transport.Call, err error) error {
	var api *anthropic.Error
	switch {
	case errors.As(err, &api):
		return call.Error(statusOfType(string(api.Type())), transport.Message([]byte(api.RawJSON())))
	case strings.Contains(err.Error(), "token too long"): // bufio.ErrTooLong: the SDK does not wrap it
		return transport.ErrTooLong
	case strings.HasPrefix(err.Error(), "received error while streaming"):
		return call.Error(http.StatusInternalServerError, err.Error())
	}
	return err
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
