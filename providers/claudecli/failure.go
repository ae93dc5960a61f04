package claudecli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/providers"
)

// kinds maps claude's own error names (the error of an assistant message, SDKAssistantMessageError).
var kinds = map[string]providers.Kind{
	"authentication_failed": providers.KindLogin,
	"oauth_org_not_allowed": providers.KindLogin,
	"billing_error":         providers.KindAPI,
	"rate_limit":            providers.KindRateLimit,
	"invalid_request":       providers.KindAPI,
	"model_not_found":       providers.KindModel,
	"server_error":          providers.KindAPI,
	"overloaded":            providers.KindAPI,
	"max_output_tokens":     providers.KindAPI,
}

// phrases match messages of versions that have no error name for the failure.
var phrases = []struct {
	in   *lazyregexp.Regexp
	kind providers.Kind
}{
	{lazyregexp.New(`(?i)not logged in|/login|setup-token|oauth token (has )?(expired|revoked)|invalid (api key|bearer token)|authentication_error`), providers.KindLogin},
	{lazyregexp.New(`(?i)usage limit|hit your( \S+)? limit|limit reached|rate.?limit`), providers.KindRateLimit},
	{lazyregexp.New(`(?i)prompt is too long|context (window|length)`), providers.KindContext},
	{lazyregexp.New(`(?i)unknown option|unknown argument|please update|needs an update|minimum (supported )?version`), providers.KindOutdated},
	{lazyregexp.New(`(?i)unable to connect|connection (error|refused|failed|closed)|ECONN|ENOTFOUND|EAI_AGAIN|timed out|fetch failed`), providers.KindNetwork},
	{lazyregexp.New(`(?i)issue with the selected model`), providers.KindModel},
}

// kindOf returns the kind of a failure: from its error name, else from its status, else from its message.
func (a *answer) kindOf(name string, status int, words string) providers.Kind {
	kind, known := kinds[name]
	switch {
	case a.rateLimited:
		return providers.KindRateLimit
	case !known || kind == providers.KindAPI:
		if said := kindOfWords(words); said != "" && status < 500 {
			kind = said
		} else if kind == "" && status != 0 {
			kind = providers.KindOfStatus(status)
		}
	}
	if kind == "" {
		kind = providers.KindAPI
	}
	if kind == providers.KindLogin && a.p.o.usesKey() || kind == providers.KindAuth && !a.p.o.usesKey() {
		return map[bool]providers.Kind{true: providers.KindAuth, false: providers.KindLogin}[a.p.o.usesKey()]
	}
	return kind
}

func kindOfWords(words string) providers.Kind {
	for _, p := range phrases {
		if p.in.MatchString(words) {
			return p.kind
		}
	}
	return ""
}

// failure returns the error of a result with is_error. It ignores the subtype: that of a missing login is
// "success".
func (a *answer) failure(e event) error {
	words := strings.TrimSpace(e.Result)
	if words == "" {
		words = strings.Join(e.Errors, "; ")
	}
	if words == "" {
		words = e.Subtype
	}
	status := 0
	if e.Status != nil {
		status = *e.Status
	}
	kind := a.kindOf(a.failureName, status, words)
	switch {
	case e.Terminal == "prompt_too_long":
		kind = providers.KindContext
	case kind == providers.KindAPI && e.errorName() == "connection_failed":
		kind = providers.KindNetwork
	}
	err := &providers.Error{Kind: kind, Status: status, Message: shorten(words)}
	if kind == providers.KindRateLimit {
		err.RetryAfter = a.retryAfter
		if err.RetryAfter == 0 {
			err.RetryAfter = resetIn(words)
		}
	}
	return err
}

// reset matches the reset time that versions before rate_limit_event append to the message: "Claude AI usage
// limit reached|1736899200".
var reset = lazyregexp.New(`\|(\d{10})\b`)

func resetIn(words string) time.Duration {
	m := reset.FindStringSubmatch(words)
	if m == nil {
		return 0
	}
	at, _ := strconv.ParseInt(m[1], 10, 64) // ten digits
	return durationUntil(float64(at))
}

// exitError returns the error for a process that ended without a result.
func (a *answer) exitError(w *process) error {
	w.waitExit(a.ctx)
	words := strings.TrimSpace(w.stderr.String())
	how := "it closed its output"
	if !w.isRunning() {
		how = "it ended with exit status 0"
		if w.child.Exit() != nil {
			how = w.child.Exit().Error()
		}
	}
	kind := providers.KindNetwork // the next try can succeed
	if k := kindOfWords(words); k != "" {
		kind = a.kindOf("", 0, words)
	}
	return &providers.Error{Kind: kind, Message: shorten("claude gave no answer (" + how + "): " + words)}
}

// formatError returns the error for a line that is not an event.
func (a *answer) formatError(w *process, line []byte) error {
	words := string(line)
	if k := kindOfWords(words); k != "" {
		return &providers.Error{Kind: a.kindOf("", 0, words), Message: shorten(words)}
	}
	if said := strings.TrimSpace(w.stderr.String()); said != "" {
		words += "; " + said
	}
	return &providers.Error{Kind: providers.KindParse, Message: shorten("claude printed an invalid event: " + words)}
}

// timeoutError returns the error for a process that neither prints nor calls anything.
func (a *answer) timeoutError() error {
	return &providers.Error{Kind: providers.KindNetwork, Message: fmt.Sprintf("no output from claude for %s", a.p.o.OutputTimeout)}
}

// maxMessage bounds claude's message in an error, in bytes.
const maxMessage = 600

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:maxMessage], "") + "…"
}
