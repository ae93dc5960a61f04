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

// maxMessage is how many bytes of a provider's own words are kept.
const maxMessage = 500

// maxErrorBody is how much of an error page is read to find those words.
const maxErrorBody = 64 << 10

// minSecret is the shortest key worth hiding: a shorter one is a placeholder
// for a local server, and hiding it would garble ordinary words.
const minSecret = 6

// malformedKeyError says that a key cannot be a key.
type malformedKeyError struct{ provider string }

func (e *malformedKeyError) Error() string {
	return e.provider + ": auth: the key contains blanks, line breaks or characters outside ASCII; was it pasted whole?"
}

func (e *malformedKeyError) Unwrap() error {
	return &providers.Error{Kind: providers.KindAuth, Provider: e.provider, Message: "malformed key"}
}

// Fail turns any error of the exchange into what a provider returns: the
// caller's own cancellation stays recognisable with errors.Is, everything
// else is a [providers.Error].
func (k *Call) Fail(err error) error {
	if err == nil {
		return nil
	}
	err = k.failure(err)
	k.failed(err)
	return err
}

func (k *Call) failure(err error) error {
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
	if k.foreign(err) {
		err = ErrProtocol("it begins with %q", k.clean(string(k.head[:min(len(k.head), maxShownHead)])))
	}
	return &providers.Error{Kind: kindOf(err), Provider: name, Message: k.words(err), Err: err}
}

// maxShownHead bounds how much of an answer that is none is shown, in bytes.
const maxShownHead = 60

// foreign reports whether an answer that ended before its end mark was of another
// protocol all along: a web page, a proxy's words.
func (k *Call) foreign(err error) bool {
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

// kindOf sorts an error that is not a status.
func kindOf(err error) providers.Kind {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	if errors.Is(err, ErrTooLong) || errors.As(err, &syntax) || errors.As(err, &mismatch) || errors.Is(err, ErrNotProtocol) {
		return providers.KindParse
	}
	return providers.KindNetwork
}

// ErrNotProtocol says that an answer is not in the format of its protocol.
var ErrNotProtocol = errors.New("not the expected format")

// ErrProtocol returns an error of kind parse.
func ErrProtocol(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNotProtocol, fmt.Sprintf(format, args...))
}

func (k *Call) words(err error) string {
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

// statusError reads the provider's own words out of an error answer.
func (k *Call) statusError(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if k.parent.Err() != nil {
		return k.Fail(err)
	}
	status, message := resp.StatusCode, Message(body)
	e := &providers.Error{
		Kind: kindOfRefusal(status, refusalWords(body, message)), Provider: k.client.provider, Status: status,
		RetryAfter: retryAfter(resp.Header, body), Message: k.clean(message),
	}
	if page := notAnAPI(status, body); page != "" {
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

// Error returns an error whose words came from the provider inside an answer
// with status 200, as streams do.
func (k *Call) Error(status int, message string) error {
	message = k.clean(message)
	if message == "" {
		message = http.StatusText(status)
	}
	return &providers.Error{
		Kind: kindOfRefusal(status, message), Provider: k.client.provider, Status: status, Message: message,
	}
}

// Empty returns the error for an answer without content.
func (k *Call) Empty(message string) error {
	return &providers.Error{Kind: providers.KindEmpty, Provider: k.client.provider, Message: message}
}

// Message finds the provider's own words in an error body. It knows the
// shapes in use: {"error":{"message":…}} (OpenAI, Anthropic, Gemini, also
// wrapped in a list), {"error":"…"} (Ollama), {"message":…}, {"detail":…}
// (FastAPI servers), {"base_resp":{"status_msg":…}} (MiniMax); anything else
// that is not JSON is taken as it is, unless it is an HTML page.
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
		if s := messageIn(raw); s != "" {
			return s
		}
	}
	return shape.BaseResp.Message
}

func messageIn(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var inner struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(raw, &inner) // another shape has no words for us
	return inner.Message
}

// clean makes a provider's words fit for a log and a terminal: without the
// key, on one line, without control or direction characters, bounded.
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
	// Once more: the key may have been hidden between control characters.
	return cut(k.client.redact(b.String()), maxMessage)
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func redactor(key string) func(string) string {
	if len(key) < minSecret {
		return func(s string) string { return s }
	}
	r := strings.NewReplacer(key, "[key]", url.QueryEscape(key), "[key]", url.PathEscape(key), "[key]")
	return r.Replace
}
