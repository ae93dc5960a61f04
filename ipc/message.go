// Package ipc is the wire between the daemon and every front end:
// newline-delimited JSON over a Unix socket, one [Message] a line, at most
// [MaxLine] bytes a line.
//
// It holds the message type (IpcMessage of the original protocol, NARE TDD
// section 13, and its optional additions), the line codec, the rules for the
// socket's path, listening and dialling, the check of who is at the other
// end, and the client every front end is built on. It knows nothing about
// agents, tools or models, and imports nothing of ours, so that the thin
// client stays thin.
//
// Two kinds of peer speak it. An original peer never says hello, gets exactly
// one response line a request and pairs it by "to". A peer that says hello
// gets a stream of frames, the last one with done:true. docs/protocol.md
// describes both with transcripts.
package ipc

import (
	"encoding/json"
	"fmt"
)

// Version is the protocol version a hello carries.
const Version = 1

// MaxLine is the longest line either side accepts, in bytes, without its
// newline. A longer one is answered with error too_large and the connection
// is closed.
const MaxLine = 1 << 20

// The message types. message, response and action are the original ones.
const (
	TypeMessage   = "message"   // client: a person's words
	TypeResponse  = "response"  // daemon: the answer, the last frame of a message
	TypeAction    = "action"    // client: a choice made, an answered ask, ping, reset, …
	TypeHello     = "hello"     // both: who is there
	TypeDelta     = "delta"     // daemon: the next piece of the answer's text
	TypeTool      = "tool"      // daemon: a tool call started or ended
	TypeAsk       = "ask"       // daemon: a confirmation is needed
	TypeResolved  = "resolved"  // daemon: an ask was answered, by whom and how
	TypeCancel    = "cancel"    // client: stop the message named by re
	TypeQuery     = "query"     // client: what is …?
	TypeCall      = "call"      // client: run one tool call
	TypeResult    = "result"    // daemon: what a query, action or cancel found or did
	TypeSubscribe = "subscribe" // client: tell me when …
	TypeEvent     = "event"     // daemon: something a subscriber asked for
	TypeError     = "error"     // daemon: a request failed
)

// The actions with a meaning of their own. The first four answer an ask.
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

// Message is one line of the protocol, called IpcMessage in its description.
// Every field but Type is optional; unknown fields are ignored.
type Message struct {
	Type string `json:"type"`
	V    int    `json:"v,omitempty"`
	// ID names a request, chosen by the peer that makes it. Re names the
	// request a frame belongs to. Seq counts the frames of one request from 1.
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

// Notification is a text that waits for a polling peer.
type Notification struct {
	To   string `json:"to"`
	Body string `json:"body"`
	// ID is the same when a text comes a second time, which only a daemon that
	// was killed in the middle of handing it over brings about.
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
