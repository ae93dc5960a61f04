package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/providers"
)

// maxMessage bounds a provider's error message, in bytes.
const maxMessage = 500

// maxErrorBody bounds how much of an error body is read, in bytes.
const maxErrorBody = 64 << 10

// minSecret is the length of the shortest key that is redacted. Shorter ones are placeholders for local
// servers, and redacting them would garble ordinary words.
const minSecret = 6

// malformedKeyError reports that a key contains characters that cannot be sent in a header.
type malformedKeyError struct{ provider string }

func (e *malformedKeyError) Error() string {
	return e.provider + ": auth: the key contains blanks, line breaks or characters outside ASCII; was it pasted whole?"
}

func (e *malformedKeyError) Unwrap() error {
	return &providers.Error{Kind: providers.KindAuth, Provider: e.provider, Message: "malformed key"}
}

// Fail converts any error of the exchange to the error that a provider returns. The caller's own cancellation
// can still be detected with errors.Is. Everything else is a [providers.Error].
func (k *Call) Fail(err error) error {
	if err == nil {
		return nil
	}
	err = k.providerError(err)
	k.recordError(err)
	return err
}

func (k *Call) providerError(err error) error {
	name := k.client.provider
	var pe *providers.Error
	if errors.As(err, &pe) {
		return pe
	}
	switch parent := k.parent.Err(); {
	case errors.Is(parent, context.Canceled):
		return fmt.Errorf("%s: %w", name, parent)
	case parent != nil:
		return &providers.Error{Kind: providers.KindNetwork, Provider: name, Message: "no answer in the time allowed", Err: parent}
	}
	if cause := context.Cause(k.ctx); cause != nil {
		err = cause
	}
	if k.isForeign(err) {
		err = ErrProtocol("it begins with %q", k.clean(string(k.head[:min(len(k.head), maxShownHead)])))
	}
	return &providers.Error{Kind: kindOf(err), Provider: name, Message: k.errorText(err), Err: err}
}

// maxShownHead bounds how much of a foreign answer is shown, in bytes.
const maxShownHead = 60

// isForeign reports whether an answer that ended too early is not of this protocol at all, such as a web page or
// a proxy's message.
func (k *Call) isForeign(err error) bool {
	if !errors.Is(err, ErrCutOff) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false
	}
	head := bytes.TrimSpace(bytes.TrimPrefix(k.head, []byte("\xef\xbb\xbf")))
	if len(head) == 0 {
		return false
	}
	for _, mark := range []string{"{", "[", ":", "data:", "event:", "id:", "retry:"} { // JSON, and server-sent events
		n := min(len(mark), len(head))
		if string(head[:n]) == mark[:n] {
			return false
		}
	}
	return true
}

// kindOf returns the kind of an error that is not an HTTP status.
func kindOf(err error) providers.Kind {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	if errors.Is(err, ErrTooLong) || errors.As(err, &syntax) || errors.As(err, &mismatch) || errors.Is(err, ErrNotProtocol) {
		return providers.KindParse
	}
	return providers.KindNetwork
}

// ErrNotProtocol reports that an answer does not follow its protocol.
var ErrNotProtocol = errors.New("not the expected format")

// ErrProtocol returns an error of kind parse.
func ErrProtocol(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNotProtocol, fmt.Sprintf(format, args...))
}

func (k *Call) errorText(err error) string {
	limits := k.client.limits
	var op *net.OpError
	var web *url.Error
	switch {
	case errors.Is(err, ErrOverall):
		return fmt.Sprintf("no complete answer after %s", limits.Overall)
	case errors.Is(err, ErrFirst):
		return fmt.Sprintf("no answer began within %s", limits.First)
	case errors.Is(err, ErrIdle):
		return fmt.Sprintf("nothing arrived for %s", limits.Idle)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return ErrCutOff.Error()
	case errors.As(err, &op) && op.Op == "dial":
		return k.clean("cannot reach the server: " + op.Error())
	case errors.As(err, &web):
		return k.clean(web.Err.Error())
	}
	return k.clean(err.Error())
}

// statusError returns the error for an answer with an error status, with the provider's message.
func (k *Call) statusError(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if k.parent.Err() != nil {
		return k.Fail(err)
	}
	status, message := resp.StatusCode, Message(body)
	e := &providers.Error{
		Kind: kindOfRefusal(status, refusalText(body, message)), Provider: k.client.provider, Status: status,
		RetryAfter: retryAfter(resp.Header, body), Message: k.clean(message),
	}
	if page := notAPIMessage(status, body); page != "" {
		e.Message = page
	}
	switch {
	case status >= 300 && status < 400:
		e.Message = "the server redirects elsewhere; check base_url"
	case e.Message == "":
		e.Message = http.StatusText(status)
	}
	return e
}

// Error returns an error for a message that the provider sent inside an answer with status 200, as streams do.
func (k *Call) Error(status int, message string) error {
	message = k.clean(message)
	if message == "" {
		message = http.StatusText(status)
	}
	return &providers.Error{
		Kind: kindOfRefusal(status, message), Provider: k.client.provider, Status: status, Message: message,
	}
}

// NoContent returns the error for an answer that ended with this stop reason before the model wrote anything.
func (k *Call) NoContent(stop providers.StopReason) error {
	if stop == providers.StopMaxTokens {
		return k.Empty("the model used up max_tokens before it answered")
	}
	return k.Empty("the model's answer is empty")
}

// Empty returns the error for an answer without content that can be used.
func (k *Call) Empty(message string) error {
	return &providers.Error{Kind: providers.KindEmpty, Provider: k.client.provider, Message: message}
}

// Message returns the provider's error message from a body. It knows the common shapes: {"error":{"message":…}}
// (OpenAI, Anthropic, Gemini, also wrapped in a list), {"error":"…"} (Ollama), {"message":…}, {"detail":…}
// (FastAPI servers), {"base_resp":{"status_msg":…}} (MiniMax). Other text that is neither JSON nor an HTML page
// is returned unchanged.
func Message(body []byte) string {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	var shape struct {
		Error    json.RawMessage `json:"error"`
		Message  json.RawMessage `json:"message"`
		Detail   json.RawMessage `json:"detail"`
		BaseResp struct {
			Message string `json:"status_msg"`
		} `json:"base_resp"`
	}
	if json.Unmarshal(body, &shape) != nil {
		if json.Valid(body) || bytes.HasPrefix(body, []byte("<")) {
			return ""
		}
		return string(body)
	}
	for _, raw := range []json.RawMessage{shape.Error, shape.Message, shape.Detail} {
		if s := messageOf(raw); s != "" {
			return s
		}
	}
	return shape.BaseResp.Message
}

func messageOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var inner struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(raw, &inner) // other shapes have no message
	return inner.Message
}

// clean prepares a provider's message for logs and terminals: it redacts the key, removes control and direction
// characters, joins lines and limits the length.
func (k *Call) clean(s string) string {
	s = k.client.redact(s)
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			space = b.Len() > 0
			continue
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError:
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	// Redact again: control characters may have split the key.
	return truncate(k.client.redact(b.String()), maxMessage)
}

func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func newRedactor(key string) func(string) string {
	if len(key) < minSecret {
		return func(s string) string { return s }
	}
	r := strings.NewReplacer(key, "[key]", url.QueryEscape(key), "[key]", url.PathEscape(key), "[key]")
	return r.Replace
}
