package providers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Kind sorts provider errors by what can be done about them.
type Kind string

// The kinds. They follow seeds NARE TDD section 5 (ProviderError).
const (
	KindAPI       Kind = "api"        // the provider answered with an error status
	KindRateLimit Kind = "rate_limit" // try again after RetryAfter
	KindAuth      Kind = "auth"       // the key is missing, wrong or without rights
	KindNetwork   Kind = "network"    // no answer: unreachable, cut off, timed out
	KindParse     Kind = "parse"      // an answer that is not what the protocol says
	KindEmpty     Kind = "empty"      // an answer without content
	KindModel     Kind = "model"      // the provider has no such model
	KindContext   Kind = "context"    // the conversation is too long for the model
	KindBudget    Kind = "budget"     // the person's own limit on spending is reached
	KindMissing   Kind = "missing"    // the program that answers is not installed
	KindLogin     Kind = "login"      // nobody is logged in to it
	KindOutdated  Kind = "outdated"   // it is too old
)

// Error is what every provider returns when a completion fails.
type Error struct {
	Kind     Kind
	Provider string // catalog name
	Status   int    // HTTP status, 0 when there was none
	// RetryAfter is how long the provider asked to wait; 0 when it did not say.
	RetryAfter time.Duration
	Message    string // the provider's own words, never containing a key
	Err        error  // cause, may be nil
	// Acted reports that tools were called before it failed: the same request
	// must not be sent again.
	Acted bool
}

// Transient reports whether the same request may succeed a little later.
func (e *Error) Transient() bool {
	if e.Acted {
		return false
	}
	switch e.Kind {
	case KindNetwork, KindRateLimit, KindEmpty:
		return true
	case KindAPI:
		return e.Status == http.StatusRequestTimeout || e.Status == http.StatusConflict || e.Status >= 500
	}
	return false
}

// Error tells kind, status and the provider's words in one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Provider, strings.ReplaceAll(string(e.Kind), "_", " "))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	} else if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of a provider error anywhere in err's chain, or ""
// when there is none.
func KindOf(err error) Kind {
	var pe *Error
	if errors.As(err, &pe) {
		return pe.Kind
	}
	return ""
}

// KindOfStatus sorts an HTTP error status.
func KindOfStatus(status int) Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return KindAuth
	case http.StatusTooManyRequests:
		return KindRateLimit
	}
	return KindAPI
}

// MaxRetryAfter bounds [RetryAfter]: a longer wait means "not today".
const MaxRetryAfter = 24 * time.Hour

// RetryAfter reads a Retry-After header: seconds or an HTTP date (RFC 9110
// section 10.2.3). It returns 0 when the header is missing or unreadable, and
// at most [MaxRetryAfter].
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
