// Package ipc defines the protocol between the daemon and its clients: newline-delimited JSON over a Unix socket, one
// [Message] per line of at most [MaxLine] bytes (IpcMessage of the original protocol, NARE TDD section 13, and its
// optional additions). It contains the line codec, the socket's path, listening and dialling, the check of the peer's
// user, and the client that all front ends use. It imports none of our packages, which keeps the thin client small.
//
// There are two kinds of peers. An original peer does not say hello, gets exactly one response line per request
// and pairs it by "to". A peer that says hello gets a stream of frames, the last one with done:true.
// docs/protocol.md describes both with transcripts.
package ipc

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Version is the protocol version in a hello.
const Version = 1

// MaxLine is the longest line that either side accepts, in bytes, without its newline. A longer one is answered
// with error too_large, and the connection is closed.
const MaxLine = 1 << 20

// The message types. message, response and action are the original ones.
const (
	TypeMessage   = "message"   // client: a person's words
	TypeResponse  = "response"  // daemon: the answer, the last frame of a message
	TypeAction    = "action"    // client: a choice, an answered ask, ping, reset, …
	TypeHello     = "hello"     // both: who is connected
	TypeDelta     = "delta"     // daemon: the next piece of the answer's text
	TypeTool      = "tool"      // daemon: a tool call started or ended
	TypeAsk       = "ask"       // daemon: a confirmation is needed
	TypeResolved  = "resolved"  // daemon: an ask was answered, by whom and how
	TypeCancel    = "cancel"    // client: stop the message named by re
	TypeQuery     = "query"     // client: a question about the daemon's state
	TypeCall      = "call"      // client: run one tool call
	TypeResult    = "result"    // daemon: the result of a query, action or cancel
	TypeSubscribe = "subscribe" // client: request for events
	TypeEvent     = "event"     // daemon: an event for a subscriber
	TypeError     = "error"     // daemon: a request failed
)

// The actions. The first four answer an ask.
const (
	ActionAllowOnce    = "allow_once"
	ActionAllowSession = "allow_session"
	ActionEdit         = "edit"
	ActionReject       = "reject"

	ActionPing              = "ping"
	ActionReset             = "reset"
	ActionDeleteSession     = "delete_session"
	ActionRemember          = "remember"
	ActionForget            = "forget"
	ActionRefreshMemory     = "refresh_memory"
	ActionClearMemory       = "clear_memory"
	ActionImportMemory      = "import_memory"
	ActionPollNotifications = "poll_notifications"
	ActionReload            = "reload"
	ActionStop              = "stop"
	ActionAck               = "ack" // notifications arrived (data.ids)
)

// Message is one line of the protocol, called IpcMessage in its specification. Every field except Type is
// optional. Unknown fields are ignored.
type Message struct {
	Type string `json:"type"`
	V    int    `json:"v,omitempty"`
	// ID identifies a request and is chosen by the requesting peer. Re is the id of the request that a frame
	// belongs to. Seq counts the frames of one request from 1.
	ID      string `json:"id,omitempty"`
	Re      string `json:"re,omitempty"`
	Seq     int64  `json:"seq,omitempty"`
	Session string `json:"session,omitempty"`
	Channel string `json:"channel,omitempty"`

	From    string   `json:"from,omitempty"`
	Body    string   `json:"body,omitempty"`
	To      string   `json:"to,omitempty"`
	Actions []string `json:"actions,omitempty"`
	Action  string   `json:"action,omitempty"`
	// Notifications answers poll_notifications: at most 10, never null.
	Notifications []Notification `json:"notifications,omitzero"`
	Timestamp     string         `json:"timestamp,omitempty"`

	// Done marks the last frame of a request.
	Done  bool            `json:"done,omitempty"`
	Error *Error          `json:"error,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// Notification is a message that waits for a polling peer.
type Notification struct {
	To   string `json:"to"`
	Body string `json:"body"`
	// ID is the same if a message is delivered a second time, which happens only if the daemon was killed during
	// the first delivery.
	ID string `json:"id,omitempty"`
}

// Decode unmarshals the message's data into v. Missing data leaves v as it is.
func (m Message) Decode(v any) error {
	if len(m.Data) == 0 {
		return nil
	}
	if err := json.Unmarshal(m.Data, v); err != nil {
		return fmt.Errorf("cannot read data of %s: %w", m.Type, err)
	}
	return nil
}

// WithData returns m carrying v as its data. It panics when v cannot be
// marshalled, which only a programming error can cause.
func (m Message) WithData(v any) Message {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("ipc: unmarshallable data: %v", err))
	}
	m.Data = data
	return m
}

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

// Judgement is the result data of the query "judge": the checker's verdict on the command in the query's text,
// with the person's own rules. It is only a preview: a command is judged again before it runs.
type Judgement struct {
	Class      string   `json:"class"` // SAFE, CONFIRM or BLOCKED
	Reasons    []string `json:"reasons,omitempty"`
	Privileged bool     `json:"privileged"`
	// Warnings are codes as in [Ask].
	Warnings []string `json:"warnings,omitempty"`
}

// SessionName returns the name of a conversation as people read and type it, CHANNEL/NAME, from its key.
func SessionName(key string) string {
	if _, name, ok := strings.Cut(key, ":session:"); ok && name != "" {
		return name
	}
	return key
}
