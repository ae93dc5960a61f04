package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/providers"
)

// Error messages of providers, for statuses that have several meanings. Sources: the vendors' error references
// and user reports, as recorded in testdata/refusals.txt.
var (
	contextPattern = lazyregexp.New(`(?i)context_length_exceeded|exceed_context_size|model_context_window_exceeded|maximum context length` +
		`|context (length|window|size|limit)[^.]{0,60}(exceed|overflow|too (long|small))` +
		`|exceed[^.]{0,60}context (length|window|size|limit)` +
		`|prompt[^.]{0,60}(too long|exceeds (the )?max|longer than)` +
		`|input token count[^.]{0,60}exceeds|context the overflows|超长|上下文长度`)
	modelPattern = lazyregexp.New(`(?i)model_not_found|no such model|unknown model|invalid model|not a valid model|模型不存在` +
		`|\bmodels?\b[^.]{0,120}(not found|does not exist|not exist|do not have access|is not supported for|has been (retired|shut down))` +
		`|not[_ ]found[^.]{0,40}\bmodel`)
	keyPattern = lazyregexp.New(`(?i)api[_ ]key[_ ](is |not )?(not valid|invalid|valid|expired|not found)|invalid[_ ]api[_ ]key`)
)

// kindOfRefusal returns the kind of an error answer from its status, and from its message if the status has
// several meanings. All vendors answer 400 if the conversation is too long, Gemini also answers 400 to a wrong
// key, and 404 means either a wrong address or a wrong model.
func kindOfRefusal(status int, words string) providers.Kind {
	kind := providers.KindOfStatus(status)
	switch {
	case kind != providers.KindAPI || status == http.StatusRequestTimeout:
		return kind
	case status == http.StatusRequestEntityTooLarge || contextPattern.MatchString(words):
		return providers.KindContext
	case status >= 500:
		return kind
	case keyPattern.MatchString(words):
		return providers.KindAuth
	case modelPattern.MatchString(words) || status == http.StatusNotFound && strings.HasPrefix(words, "model:"):
		return providers.KindModel
	}
	return kind
}

// refusalText returns the text that kindOfRefusal examines. It includes a JSON body, which has codes and types
// in addition to the message.
func refusalText(body []byte, message string) string {
	if json.Valid(body) {
		return message + " " + string(body[:min(len(body), 4<<10)])
	}
	return message
}

// notAPIMessage returns an error message for an answer that does not come from a model server: a web page, or
// another server's 404. It returns "" otherwise.
func notAPIMessage(status int, body []byte) string {
	body = bytes.TrimSpace(body)
	switch {
	case bytes.HasPrefix(body, []byte("<")):
		return "the server answered with a web page; check base_url"
	case status == http.StatusNotFound && !json.Valid(body):
		return "the server has no such address; check base_url"
	}
	return ""
}

var retryDelay = lazyregexp.New(`"retryDelay"\s*:\s*"([0-9]+(?:\.[0-9]+)?s)"`)

// retryAfter returns how long a provider asks to wait, from the header or from the body, where Gemini puts it
// (google.rpc.RetryInfo).
func retryAfter(h http.Header, body []byte) time.Duration {
	if d := RetryAfter(h, time.Now()); d > 0 {
		return d
	}
	if m := retryDelay.FindSubmatch(body); m != nil {
		if d, err := time.ParseDuration(string(m[1])); err == nil {
			return min(d, MaxRetryAfter)
		}
	}
	return 0
}

// MaxRetryAfter is the longest wait that [RetryAfter] returns.
const MaxRetryAfter = 24 * time.Hour

// RetryAfter parses a Retry-After header: seconds or an HTTP date (RFC 9110 section 10.2.3). It returns 0 if
// the header is missing or invalid, and at most [MaxRetryAfter].
func RetryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if secs, err := strconv.Atoi(v); err == nil && secs >= 0 {
		return time.Duration(min(secs, int(MaxRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return min(at.Sub(now), MaxRetryAfter)
	}
	return 0
}
