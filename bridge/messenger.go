// Package bridge is the part that all messenger bridges share. It stores each message until the daemon has it, and each
// answer until the messenger's server has it. A crash of bridge, daemon or server loses no message and duplicates none.
//
// A messenger implements [Messenger], and package channeltest tests all of them against the same
// requirements. The daemon decides who may write, what a message means and what can be confirmed.
// The bridge only reports messages and their senders.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nidoit/blunux-ai/bridge/state"
)

// Messenger is the client of one messenger.
type Messenger interface {
	// Name returns the channel, one of [ipc.Bridged].
	Name() string
	Traits() Traits
	// Run stays connected until ctx ends, and then returns nil. It returns a [Halt] if it cannot continue without
	// action by the person. It passes on every message from a person, reports its state, and reconnects automatically.
	Run(ctx context.Context, r Receiver) error
	// Post sends a piece and returns once the server has it. Its errors are [ErrOffline],
	// [ErrNoChat], [ErrRefused], a [Busy], or another error, which is retried.
	Post(ctx context.Context, p Piece) (Posted, error)
	// Edit replaces a posted piece. It requires Traits.Edits. An edit that changes nothing is no error.
	Edit(ctx context.Context, handle string, p Piece) error
	// Typing shows the typing indicator for a few seconds.
	Typing(ctx context.Context, chat string) error
	// AnswerPress answers a button press with a short text that only the presser sees.
	AnswerPress(ctx context.Context, press, text string) error
}

// Remover is a [Messenger] that can delete its own messages.
type Remover interface {
	// Remove deletes one of the account's own messages.
	Remove(ctx context.Context, chat, handle string) error
	// Retract deletes the account's own messages in a chat between the messages after and before,
	// both excluded. It keeps other people's messages.
	Retract(ctx context.Context, chat, after, before string) error
}

// Traits describes what a messenger supports.
type Traits struct {
	// Edits reports that posted messages can be edited. Then answers are shown while they are written.
	Edits bool
	// OwnIDs reports that the server drops a piece posted twice with the same ID.
	OwnIDs  bool
	Buttons bool
	// Typing is the interval at which Typing must be called to keep the indicator visible; 0 for never.
	Typing time.Duration
	// Length is the maximum length of a message as [Traits.Render] returns it, in UTF-16 code units.
	Length int
	// Pace is the minimum time between two messages to one chat.
	Pace time.Duration
	// Render converts Markdown to the messenger's markup. Literal converts text to markup that
	// shows exactly that text; ok is false if that is impossible.
	Render  func(markdown string) string
	Literal func(text string) (markup string, ok bool)
}

// Receiver is the bridge as a messenger sees it.
type Receiver interface {
	// Receive stores a message. When it returns nil, the message is on disk, and the messenger can
	// confirm the receipt to its server.
	Receive(ctx context.Context, in Incoming) error
	// UpdateState reports the messenger's state.
	UpdateState(s state.State)
	// Rooms returns the IDs of the rooms from which messages are passed on, and a channel that is closed when they
	// change. A room is a channel of a server, which several people read.
	Rooms() (ids []string, changed <-chan struct{})
}

// Incoming is a message from a person, or a button press.
type Incoming struct {
	// ID is the messenger's ID of the message. Chat is where an answer is sent. Only messages from
	// one-to-one chats are passed on, and those to the account in one of [Receiver.Rooms].
	ID, Chat string
	// Sender is the sender's ID as reported by the server: the digits of the number on WhatsApp,
	// the user ID on Telegram. In a room, Sender and Chat are [ipc.InRoom] of the person and the room.
	Sender string
	Name   string
	Text   string
	Sent   time.Time // by the server's clock
	// Forwarded reports that the text was forwarded from another message.
	Forwarded bool
	Files     []File
	// Press is set for a button press.
	Press *Press
}

// Press is a button press: the ID to answer it with, and the button's data.
type Press struct{ ID, Action, Code, Digest string }

// File is a file attached to a message.
type File struct {
	Name, Type string
	Size       int64  // as the sender claims
	Problem    string // one of the ipc.File reasons; then Open is nil
	// Open downloads the file. The reader must stop at [ipc.MaxInboundFile], regardless of Size.
	// An error with one of the ipc.File reasons is a [FileError].
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// FileError reports why a file cannot be downloaded. Problem is one of the ipc.File reasons.
type FileError struct {
	Problem string
	Err     error
}

func (e *FileError) Error() string { return "cannot fetch a file: " + e.Err.Error() }

func (e *FileError) Unwrap() error { return e.Err }

// Piece is one message to a person.
type Piece struct {
	// ID is deterministic: the same part of the same text has the same ID.
	ID, Chat string
	Text     string // in the messenger's markup
	Re       string // the ID of the message that it answers; "" for none
	Buttons  []Button
	File     *Outgoing
}

// Button is an answer to a confirmation, or takes a change back. Code is that of the confirmation or the id of the change.
// Digest identifies exactly what is confirmed, "" for a change.
type Button struct{ Label, Action, Code, Digest string }

// Outgoing is a file to send.
type Outgoing struct {
	Path, Name, Type string
	Size             int64
}

// Posted is a piece that the server has. Handle is its ID there, At the time by the server's clock.
type Posted struct {
	Handle string
	At     time.Time
}

// Errors of posting that are handled specially.
var (
	// ErrOffline reports that there is no connection. The message is retried once there is one.
	ErrOffline = errors.New("not connected to the messenger")
	// ErrNoChat reports that this chat can never be sent to: the person has blocked the account, or
	// the chat does not exist.
	ErrNoChat = errors.New("cannot send to this chat")
	// ErrRefused reports that the server permanently rejects this piece.
	ErrRefused = errors.New("the messenger rejected this message")
)

// Busy is an error with which the server asks for a delay.
type Busy struct{ After time.Duration }

func (b *Busy) Error() string { return fmt.Sprintf("the messenger asks to retry in %s", b.After) }

// Halt reports that a bridge cannot continue without action by the person.
type Halt struct{ State state.State }

func (h *Halt) Error() string { return string(h.State.Phase) + ": " + h.State.Detail }
