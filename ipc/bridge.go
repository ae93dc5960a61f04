package ipc

import (
	"path/filepath"
	"strings"
	"time"
)

// Bridged are the channels that bridges connect. Each has a socket of its own,
// on which nothing but that channel can be spoken for; see [BridgeSocket].
var Bridged = []string{"whatsapp", "telegram", "discord"}

// BridgeSocket is the socket of a channel's bridge, beside the daemon's own:
// blunux-ai-bridges/CHANNEL/socket for blunux-ai.sock. A bridge that is confined
// to that directory reaches nothing else.
func BridgeSocket(socket, channel string) string {
	return filepath.Join(strings.TrimSuffix(socket, ".sock")+"-bridges", channel, "socket")
}

// BridgeBell is the datagram socket beside it, which the bridge listens on. An
// empty datagram says that something waits to be told: a bridge that rested
// connects then.
func BridgeBell(socket, channel string) string {
	return filepath.Join(filepath.Dir(BridgeSocket(socket, channel)), "bell")
}

// TypeAccepted is the frame that says that a bridge's message is on the daemon's
// disk, or was before, and need not be sent again. Its data is an [Accepted].
const TypeAccepted = "accepted"

// Accepted tells what was made of a bridge's message.
type Accepted struct {
	// Task is what works on it; "" where nothing had to be worked on.
	Task string `json:"task,omitempty"`
	// Duplicate reports that the channel's id of the message was known.
	Duplicate bool `json:"duplicate,omitempty"`
}

// The ways a bridge's message ends besides those of a turn, in [Outcome.Stop].
const (
	StopAnswered  = "answered"  // it answered a confirmation
	StopDuplicate = "duplicate" // it had come before
	StopIgnored   = "ignored"   // without the prefix: it was not for us
	StopLimited   = "limited"   // too many; the sender is told once
	StopCancelled = "cancelled" // it stopped what was at work
	StopReset     = "reset"     // it began the conversation anew
	StopTold      = "told"      // it was answered without a turn
	StopFailed    = "failed"    // its turn ended without an answer; why says for what
	StopLeft      = "left"      // the daemon stops; the next one goes on with it
)

// Letter is the data of a bridge's message, beside the message's from, which is
// the sender as the channel's server says: digits.
type Letter struct {
	// MID is the channel's own id of the message. The same one is taken once.
	MID string `json:"mid"`
	// Name is what the channel calls the sender; anybody can call themselves
	// anything.
	Name string `json:"name,omitempty"`
	// Sent is when it was sent, by the channel's clock.
	Sent time.Time `json:"sent,omitzero"`
	// Forwarded reports words that were first said elsewhere: they are no answer to
	// a confirmation.
	Forwarded bool `json:"forwarded,omitempty"`
	// Early reports that it was sent before the last confirmation was shown, by the
	// channel's clock: it cannot be an answer to that.
	Early bool         `json:"early,omitempty"`
	Files []LetterFile `json:"files,omitempty"`
}

// LetterFile is a file that came with a message. The bridge keeps it in the
// folder inbox of the channel's own directory, under Spool, a name without a
// path.
type LetterFile struct {
	Name  string `json:"name,omitempty"` // as the sender calls it
	Type  string `json:"type,omitempty"` // media type
	Size  int64  `json:"size,omitempty"`
	Spool string `json:"spool,omitempty"`
	// Problem is why it is not there: [FileTooLarge], [FileBroken], [FileKind].
	Problem string `json:"problem,omitempty"`
}

// Why a file that was sent cannot be had.
const (
	FileTooLarge = "too_large"
	FileBroken   = "broken"  // it is not what it claimed to be, or did not arrive
	FileKind     = "kind"    // voice, stickers: nothing here reads those
	FileExpired  = "expired" // the channel has it no more
	FileNoRoom   = "no_room" // the disk is full
)

// MaxLetterFile bounds a file that comes with a message, in bytes, and
// MaxLetterFiles how many there are.
const (
	MaxLetterFile  = 5 << 20
	MaxLetterFiles = 4
)

// ChannelPolicy is the data of the result of the query "channel", which a bridge
// asks for its own channel each time it connects.
type ChannelPolicy struct {
	Channel string `json:"channel"`
	// Admitted are those who may write, as the daemon compares them.
	Admitted []string `json:"admitted"`
	// Prefixes are what a message has to begin with where RequirePrefix is set.
	RequirePrefix bool     `json:"require_prefix"`
	Prefixes      []string `json:"prefixes"`
	PerMinute     int      `json:"per_minute"`
	Lang          string   `json:"lang"`
	// Over are those of the query's text, which are codes, that nobody can answer any
	// more.
	Over []string `json:"over,omitempty"`
}

// The markups of a [Notice].
const (
	// MarkupPlain is text that is to be shown as it is, character for character: a
	// confirmation.
	MarkupPlain = "plain"
	// MarkupMarkdown is what models write.
	MarkupMarkdown = "markdown"
)

// NoticeFile is a file to be sent. The daemon keeps it in the folder outbox of
// the channel's own directory, under Spool, a name without a path.
type NoticeFile struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Size  int64  `json:"size"`
	Spool string `json:"spool"`
}
