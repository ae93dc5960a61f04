package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// What providers write where the status alone does not say what helps. Sources:
// the vendors' error references and the threads of their users, as recorded in
// testdata/refusals.txt.
var (
	tooLong = regexp.MustCompile(`(?i)context_length_exceeded|exceed_context_size|model_context_window_exceeded|maximum context length` +
		`|context (length|window|size|limit)[^.]{0,60}(exceed|overflow|too (long|small))` +
		`|exceed[^.]{0,60}context (length|window|size|limit)` +
		`|prompt[^.]{0,60}(too long|exceeds (the )?max|longer than)` +
		`|input token count[^.]{0,60}exceeds|context the overflows|超长|上下文长度`)
	noModel = regexp.MustCompile(`(?i)model_not_found|no such model|unknown model|invalid model|not a valid model|模型不存在` +
		`|\bmodels?\b[^.]{0,120}(not found|does not exist|not exist|do not have access|is not supported for|has been (retired|shut down))` +
		`|not[_ ]found[^.]{0,40}\bmodel`)
	badKey = regexp.MustCompile(`(?i)api[_ ]key[_ ](is |not )?(not valid|invalid|valid|expired|not found)|invalid[_ ]api[_ ]key`)
)

// kindOfRefusal sorts an error answer: by its status, and by its words where a
// status stands for several things. Everybody answers 400 to a conversation
// that is too long, Gemini 400 to a wrong key, and 404 means a wrong address as
// well as a wrong model.
func kindOfRefusal(status int, words string) providers.Kind {
	kind := providers.KindOfStatus(status)
	switch {
	case kind != providers.KindAPI || status == http.StatusRequestTimeout:
		return kind
	case status == http.StatusRequestEntityTooLarge || tooLong.MatchString(words):
		return providers.KindContext
	case status >= 500:
		return kind
	case badKey.MatchString(words):
		return providers.KindAuth
	case noModel.MatchString(words) || status == http.StatusNotFound && strings.HasPrefix(words, "model:"):
		return providers.KindModel
	}
	return kind
}

// refusalWords is what kindOfRefusal looks at: the whole body where it is JSON,
// because codes and types stand beside the message.
func refusalWords(body []byte, message string) string {
	if json.Valid(body) {
		return message + " " + string(body[:min(len(body), 4<<10)])
	}
	return message
}

// notAnAPI tells an answer that no model server gives: a web page, or another
// server's word for an address it does not have.
func notAnAPI(status int, body []byte) string {
	body = bytes.TrimSpace(body)
	switch {
	case bytes.HasPrefix(body, []byte("<")):
		return "the server answered with a web page; check base_url"
	case status == http.StatusNotFound && !json.Valid(body):
		return "the server has no such address; check base_url"
	}
	return ""
}

var retryDelay = regexp.MustCompile(`"retryDelay"\s*:\s*"([0-9]+(?:\.[0-9]+)?s)"`)

// retryAfter reads how long a provider asks to wait, from the header or from
// the body, where Gemini writes it (google.rpc.RetryInfo).
func retryAfter(h http.Header, body []byte) time.Duration {
	if d := providers.RetryAfter(h, time.Now()); d > 0 {
		return d
	}
	if m := retryDelay.FindSubmatch(body); m != nil {
		if d, err := time.ParseDuration(string(m[1])); err == nil {
			return min(d, providers.MaxRetryAfter)
		}
	}
	return 0
}
