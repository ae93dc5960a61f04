package ipc

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/channel"
)

// Bridged lists the channels with bridges. Each has its own socket, on which only that channel can be used, see
// [BridgeSocket].
var Bridged = channel.Names()

// BridgeSocket returns the socket of a channel's bridge, next to the daemon's own: blunux-ai-bridges/CHANNEL/socket for
// blunux-ai.sock. A bridge that is confined to that directory cannot reach other sockets.
func BridgeSocket(socket, channel string) string {
	return filepath.Join(strings.TrimSuffix(socket, ".sock")+"-bridges", channel, "socket")
}

// WakeSocketPath returns the datagram socket next to it, on which the bridge listens. An empty datagram says that a
// message waits, so that a disconnected bridge connects.
func WakeSocketPath(socket, channel string) string {
	return filepath.Join(filepath.Dir(BridgeSocket(socket, channel)), "bell")
}

// TypeAccepted is the frame that confirms that a bridge's message is on the daemon's disk, now or from before, and
// need not be sent again. Its data is an [Accepted].
const TypeAccepted = "accepted"

// Accepted describes how the daemon handles a bridge's message.
type Accepted struct {
	// Task is the id of its task, "" if it needs none.
	Task string `json:"task,omitempty"`
	// Duplicate reports that a message with this id was accepted before.
	Duplicate bool `json:"duplicate,omitempty"`
}

// The ways a bridge's message ends in addition to those of a turn, in [Outcome.Stop].
const (
	StopAnswered   = "answered"  // it answered a confirmation
	StopDuplicate  = "duplicate" // it was accepted before
	StopIgnored    = "ignored"   // it lacks the required prefix
	StopLimited    = "limited"   // rate limit, the sender is notified once
	StopCancelled  = "cancelled" // it cancelled running tasks
	StopReset      = "reset"     // it started a new conversation
	StopReplied    = "told"      // it was answered without a turn
	StopFailed     = "failed"    // its turn ended without an answer; Why has the code
	StopHandedOver = "left"      // the daemon stops, the next one resumes the task
)

// InboundMessage is the data of a message that a bridge forwards. The message's from is the sender's id by the channel's
// server, which consists of digits.
type InboundMessage struct {
	// MID is the channel's own id of the message. Messages with the same id are accepted once.
	MID string `json:"mid"`
	// Name is the sender's display name, which senders choose freely.
	Name string `json:"name,omitempty"`
	// Sent is the time of sending by the channel's clock.
	Sent time.Time `json:"sent,omitzero"`
	// Forwarded reports that the sender forwarded the words. They cannot answer a confirmation.
	Forwarded bool `json:"forwarded,omitempty"`
	// Early reports that it was sent before the last confirmation was shown, by the channel's clock. It cannot
	// answer that.
	Early bool          `json:"early,omitempty"`
	Files []InboundFile `json:"files,omitempty"`
}

// InboundFile is a file that came with a message. The bridge stores it in the folder inbox of the channel's own
// directory, as Spool, a name without a path.
type InboundFile struct {
	Name  string `json:"name,omitempty"` // as the sender named it
	Type  string `json:"type,omitempty"` // media type
	Size  int64  `json:"size,omitempty"`
	Spool string `json:"spool,omitempty"`
	// Problem is why it is missing: [FileTooLarge], [FileBroken], [FileKind].
	Problem string `json:"problem,omitempty"`
}

// Why a file of a message is missing.
const (
	FileTooLarge = "too_large"
	FileBroken   = "broken"  // incomplete, or not of its claimed type
	FileKind     = "kind"    // an unsupported type such as voice or stickers
	FileExpired  = "expired" // the channel no longer has it
	FileNoRoom   = "no_room" // the disk is full
)

// MaxLetterFile bounds a file of a message, in bytes, and MaxLetterFiles the number of files.
const (
	MaxInboundFile  = 5 << 20
	MaxInboundFiles = 4
)

// ChannelPolicy is the result data of the query "channel", which a bridge makes each time it connects.
type ChannelPolicy struct {
	Channel string `json:"channel"`
	// Admitted lists the allowed senders in normalized form.
	Admitted []string `json:"admitted"`
	// Prefixes lists the accepted prefixes of messages if RequirePrefix is set.
	RequirePrefix bool     `json:"require_prefix"`
	Prefixes      []string `json:"prefixes"`
	PerMinute     int      `json:"per_minute"`
	Lang          string   `json:"lang"`
	// Closed lists those codes of the query's text that can no longer be answered.
	Closed []string `json:"over,omitempty"`
}

// The markups of a [Notice].
const (
	// MarkupPlain is text to show unchanged, character by character: a confirmation.
	MarkupPlain = "plain"
	// MarkupMarkdown is the format of models' answers.
	MarkupMarkdown = "markdown"
)

// NoticeFile is a file to send. The daemon stores it in the folder outbox of the channel's own directory, as
// Spool, a name without a path.
type NoticeFile struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Size  int64  `json:"size"`
	Spool string `json:"spool"`
}
