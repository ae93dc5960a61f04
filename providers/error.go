package providers

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind classifies provider errors by what can be done about them.
type Kind string

// The kinds follow seeds NARE TDD section 5 (ProviderError).
const (
	KindAPI       Kind = "api"        // the provider answered with an error status
	KindRateLimit Kind = "rate_limit" // retry after RetryAfter
	KindAuth      Kind = "auth"       // the key is missing, wrong or lacks permission
	KindNetwork   Kind = "network"    // no answer: unreachable, cut off, timed out
	KindParse     Kind = "parse"      // the answer does not follow the protocol
	KindEmpty     Kind = "empty"      // an answer without content
	KindModel     Kind = "model"      // the provider has no such model
	KindContext   Kind = "context"    // the conversation is too long for the model
	KindBudget    Kind = "budget"     // the user's spending limit is reached
	KindMissing   Kind = "missing"    // the program that answers is not installed (claudecli)
	KindLogin     Kind = "login"      // the program is not logged in
	KindOutdated  Kind = "outdated"   // the program is too old
)

// Error is the error of a failed completion, for every provider.
type Error struct {
	Kind     Kind
	Provider string // catalog name
	Status   int    // HTTP status, 0 if there was no answer
	// RetryAfter is the time the provider asked to wait, 0 if it gave none.
	RetryAfter time.Duration
	Message    string // the provider's own message, without keys
	Err        error  // cause, may be nil
	// ToolsCalled reports that tools were called before the failure. The request must not be sent again.
	ToolsCalled bool
}

// Transient reports whether the same request may succeed if it is repeated soon.
func (e *Error) Transient() bool {
	if e.ToolsCalled {
		return false
	}
	switch e.Kind {
	case KindNetwork, KindRateLimit, KindEmpty:
		return true
	case KindAPI:
		return e.Status == 408 || e.Status == 409 || e.Status >= 500 // timeout, conflict
	}
	return false
}

// Error returns provider, kind, status and message in one line.
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

// KindOf returns the kind of the first provider error in err's chain, or "" if there is none.
func KindOf(err error) Kind {
	var pe *Error
	if errors.As(err, &pe) {
		return pe.Kind
	}
	return ""
}

// KindOfStatus returns the kind for an HTTP error status: 401, 403 and 429 have their own. This package does not link
// net/http, because programs without network use it.
func KindOfStatus(status int) Kind {
	switch status {
	case 401, 403:
		return KindAuth
	case 429:
		return KindRateLimit
	}
	return KindAPI
}
