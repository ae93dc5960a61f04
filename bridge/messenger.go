// Package bridge is what every messenger's bridge shares: it keeps each message
// until the daemon has it, and each answer until the messenger's server has it, so
// that nothing is lost and nothing said twice, whichever of the three dies.
//
// A messenger is a [Messenger]; package channeltest holds them all to the same
// promises. Who may write, what a message means and what may be confirmed is
// the daemon's business: the bridge says what came, from whom, and nothing else.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nidoit/blunux-ai/bridge/state"
)

// Messenger is one messenger's client.
type Messenger interface {
	// Name is the channel, one of [ipc.Bridged].
	Name() string
	Traits() Traits
	// Run stays connected until ctx ends, which is no error, or nothing more can be
	// done without the person, which is a [Halt]. It hands over every message of a
	// person, and says how it stands; a lost connection it mends itself.
	Run(ctx context.Context, r Receiver) error
	// Post sends a piece and returns when the server has it: [ErrOffline], [ErrNoChat],
	// a [Busy], or another error that is tried again.
	Post(ctx context.Context, p Piece) (Posted, error)
	// Edit puts a piece in the place of one that was posted; only where Traits.Edits.
	// A piece that stands there already is no error.
	Edit(ctx context.Context, handle string, p Piece) error
	// Typing shows for a few seconds that an answer is being written.
	Typing(ctx context.Context, chat string) error
	// Pressed ends a press of a button with a short text that only the presser sees.
	Pressed(ctx context.Context, press, text string) error
}

// Remover is a [Messenger] that can delete what it posted.
type Remover interface {
	// Remove deletes a message of the account's own.
	Remove(ctx context.Context, chat, handle string) error
	// Retract deletes what the account posted to a chat after one message and before
	// another, both excluded. It leaves what other people wrote.
	Retract(ctx context.Context, chat, after, before string) error
}

// Traits is what a messenger can do.
type Traits struct {
	// Edits reports that what was posted can be changed. Then answers appear while
	// they are written.
	Edits bool
	// OwnIDs reports that a piece posted twice with the same ID is seen once.
	OwnIDs bool
	// Buttons reports that a piece can have buttons.
	Buttons bool
	// Typing is how often Typing has to be called to be seen all the time; 0 for never.
	Typing time.Duration
	// Length is the most a message holds, in UTF-16 code units as [Traits.Render]
	// returns it.
	Length int
	// Pace is the least time between two pieces to one chat.
	Pace time.Duration
	// Render turns Markdown into the messenger's markup. Literal turns text into
	// markup that shows exactly that text; ok is false where it cannot.
	Render  func(markdown string) string
	Literal func(text string) (markup string, ok bool)
}

// Receiver is the bridge, as a messenger sees it.
type Receiver interface {
	// Receive keeps a message. When it returns nil the message is on the disk, and the
	// messenger may tell its server that it arrived.
	Receive(ctx context.Context, in Incoming) error
	// Standing tells how the messenger stands.
	Standing(s state.State)
}

// Incoming is what somebody wrote, or a button somebody pressed.
type Incoming struct {
	// ID is the messenger's own id of it. Chat is where an answer goes; a message
	// outside of a chat of two people is not handed over at all.
	ID, Chat string
	// Sender is who wrote it as the server says, not as they say: of WhatsApp the
	// number's digits, of Telegram the user's id.
	Sender string
	Name   string
	Text   string
	Sent   time.Time // by the server's clock
	// Forwarded reports words first said elsewhere.
	Forwarded bool
	Files     []File
	// Press is set for a button: its id to answer with, and what was on it.
	Press *Press
}

// Press is a button that was pressed.
type Press struct{ ID, Action, Code, Digest string }

// File is a file that came.
type File struct {
	Name, Type string
	Size       int64  // as it claims
	Problem    string // one of the ipc.File reasons; then there is no Open
	// Open fetches it. Whoever reads stops at [ipc.MaxLetterFile], whatever it claims.
	// An error that says which of the reasons it is, is a [FileError].
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// FileError is why a file that came cannot be fetched: Problem is one of the
// ipc.File reasons.
type FileError struct {
	Problem string
	Err     error
}

func (e *FileError) Error() string { return "cannot fetch a file: " + e.Err.Error() }

// Unwrap is what happened.
func (e *FileError) Unwrap() error { return e.Err }

// Piece is one message to a person.
type Piece struct {
	// ID is the same for the same piece of the same text each time.
	ID, Chat string
	Text     string // in the messenger's markup
	Re       string // the id of the message it answers; "" for none
	Buttons  []Button
	File     *Outgoing
}

// Button is an answer to a confirmation. Digest is what exactly is confirmed.
type Button struct{ Label, Action, Code, Digest string }

// Outgoing is a file to be sent.
type Outgoing struct {
	Path, Name, Type string
	Size             int64
}

// Posted is a piece the server has. Handle is its id there, At when by the
// server's clock.
type Posted struct {
	Handle string
	At     time.Time
}

// The errors of posting that are acted on.
var (
	// ErrOffline reports that there is no connection; it is tried again when there is.
	ErrOffline = errors.New("not connected to the messenger")
	// ErrNoChat reports that nothing can be sent there, ever: the person has blocked
	// the account, or there is no such chat.
	ErrNoChat = errors.New("nothing can be sent to this chat")
	// ErrRefused reports that the server does not take this piece, whenever it is sent.
	ErrRefused = errors.New("the messenger does not take this message")
)

// Busy is an error that asks for a pause.
type Busy struct{ After time.Duration }

func (b *Busy) Error() string { return fmt.Sprintf("the messenger asks to wait %s", b.After) }

// Halt is why a bridge cannot go on without the person.
type Halt struct{ State state.State }

func (h *Halt) Error() string { return string(h.State.Phase) + ": " + h.State.Detail }
