package ipc

// Code classifies an error. The command line maps each code to an exit status.
type Code string

// The error codes of the wire.
const (
	CodeNotConfigured Code = "not_configured"
	CodeSwitchedOff   Code = "switched_off" // [ai_agent] enabled = false
	CodeAuth          Code = "auth"
	CodeRateLimit     Code = "rate_limit"
	CodeProvider      Code = "provider"
	CodeNetwork       Code = "network"
	CodeBlocked       Code = "blocked"
	CodeDenied        Code = "denied"
	CodeExpired       Code = "expired"
	CodeCancelled     Code = "cancelled"
	CodeTimeout       Code = "timeout"
	CodeBusy          Code = "busy"
	CodeBadRequest    Code = "bad_request"
	CodeUnknownType   Code = "unknown_type"
	CodeTooLarge      Code = "too_large"
	CodeInternal      Code = "internal"
	CodeNothingDone   Code = "nothing_done" // an approved plan could not run here
)

// Error is a failed request on the wire. Message and Hint are in the peer's language and safe to show. Hint is the
// one command or step that helps.
type Error struct {
	Code       Code   `json:"code"`
	Message    string `json:"message"`
	Hint       string `json:"hint,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"` // seconds
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }
