package ipc

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/channel"
)

// Bridged lists the channels with bridges. Each has its own socket, on which only that channel can be used, see
// [BridgeSocket].
var Bridged = channel.Names()

// GatewayChannel is the channel of the gateway, whose clients are other programs, and FleetChannel that of the fleet's bridge,
// which brings the questions of a console. Each has a socket as the bridges have.
const (
	GatewayChannel = "gateway"
	FleetChannel   = "fleet"
)

// Restricted lists the channels with a socket on which only that channel can be used.
var Restricted = append(slices.Clone(Bridged), GatewayChannel, FleetChannel)

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
// server, which consists of digits, or [InRoom] of two such ids.
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

// MaxAttachPiece bounds a piece of a file, so that it fits a line in base64.
const MaxAttachPiece = 512 << 10

// AttachPiece is the data of [ActionAttach]: the next piece of a file, at most [MaxAttachPiece] bytes. Spool is "" for the first
// piece; the result is an [AttachPiece] that names it for the others and for [Request.Files].
type AttachPiece struct {
	Spool string `json:"spool,omitempty"`
	Data  []byte `json:"data,omitempty"`
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

// InRoom returns the sender of a message in a room: a channel of a server, which several people read. Its conversation is
// apart from the person's direct messages and from other people's in the room.
func InRoom(person, room string) string { return person + "@" + room }

// SplitRoom returns the person and the room of a sender. room is "" for one of direct messages.
func SplitRoom(sender string) (person, room string) {
	person, room, _ = strings.Cut(sender, "@")
	return person, room
}

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
	// Rooms lists the channels of servers in which admitted senders may write, see [InRoom].
	Rooms []string `json:"rooms,omitempty"`
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

// ChatText returns an answer as a chat shows it: without characters that change how others are displayed, and with
// a quote mark before each line that could pass for a part of an approval. Such a line begins with a box-drawing
// character, like the command of an approval, or contains one of the phrases of approvals.
func ChatText(body string, phrases []string) string {
	var b strings.Builder
	signs := strings.NewReplacer(ApprovalSign, "|", ApprovalEnd, "+")
	for line := range strings.Lines(Clean(body)) {
		if looksLikeApproval(line, phrases) {
			b.WriteString("> ")
		}
		b.WriteString(signs.Replace(line))
	}
	return b.String()
}

func looksLikeApproval(line string, phrases []string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(line))
	if first >= 0x2500 && first <= 0x259f || first >= 0x2758 && first <= 0x275a || first == 0xffe8 {
		return true
	}
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(line, phrase) })
}

// maxExcerpt bounds the text that [ReadExcerpt] keeps, in bytes.
const maxExcerpt = 256 << 10

// Excerpt is a long text reduced to its beginning and end. Left is how many bytes between them were dropped.
type Excerpt struct {
	Head, Tail []byte
	Omitted    int
}

// ReadExcerpt reads r to its end and keeps at most 256 KiB, half of it from the beginning. Its errors are the reader's.
func ReadExcerpt(r io.Reader) (Excerpt, error) {
	head, err := io.ReadAll(io.LimitReader(r, maxExcerpt/2))
	if err != nil {
		return Excerpt{}, err
	}
	tail, left, err := readTail(r, maxExcerpt/2)
	if err != nil {
		return Excerpt{}, err
	}
	return Excerpt{head, tail, left}, nil
}

// readTail reads r to its end and returns its last n bytes and how many bytes came before them.
func readTail(r io.Reader, n int) (tail []byte, left int, err error) {
	buf := make([]byte, 64<<10)
	for {
		k, err := r.Read(buf)
		tail = append(tail, buf[:k]...)
		if over := len(tail) - n; over > 0 {
			left += over
			tail = append(tail[:0], tail[over:]...)
		}
		if err == io.EOF {
			return tail, left, nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
}

// Size returns the length of the whole text, in bytes.
func (e Excerpt) Size() int { return len(e.Head) + e.Omitted + len(e.Tail) }

// Text returns the kept text, cut further so that it takes at most budget bytes on the wire. cut returns the
// sentence about the dropped bytes, which does not count against the budget.
func (e Excerpt) Text(budget int, cut func(left int) string) string {
	head, tail, left := e.Head, e.Tail, e.Omitted
	if left == 0 {
		all := bytes.Join([][]byte{head, tail}, nil)
		if WireSize(all) <= budget {
			return validUTF8(all)
		}
		head, tail = all, nil
	}
	h := prefixLength(head, budget/2)
	if e.Omitted == 0 {
		tail = head[h:]
	} else {
		left += len(head) - h
	}
	skip := suffixStart(tail, budget/2)
	left += skip
	return validUTF8(head[:h]) + "\n" + cut(left) + "\n" + validUTF8(tail[skip:])
}

func validUTF8(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }

// StdinBudget returns how many bytes of a line remain for piped text next to the question, the working directory
// and the frame.
func StdinBudget(question string) int {
	return MaxLine - 64<<10 - WireSize([]byte(question))
}

// WireSize returns an upper bound for the bytes that text takes in a JSON string.
func WireSize(text []byte) int {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		n += runeSize(r)
		text = text[size:]
	}
	return n
}

// runeSize returns the maximum number of bytes of a character in a JSON string of encoding/json.
func runeSize(r rune) int {
	switch {
	case r == '\n', r == '\t', r == '"', r == '\\':
		return 2
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029', r == 0x7f:
		return 6
	}
	return max(utf8.RuneLen(r), 1)
}

// prefixLength returns the length of the longest beginning of text that fits into n bytes on the wire.
func prefixLength(text []byte, n int) int {
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRune(text[end:])
		if n -= runeSize(r); n < 0 {
			break
		}
		end += size
	}
	return end
}

// suffixStart returns the start of the longest end of text that fits into n bytes on the wire.
func suffixStart(text []byte, n int) int {
	start := len(text)
	for start > 0 {
		r, size := utf8.DecodeLastRune(text[:start])
		if n -= runeSize(r); n < 0 {
			break
		}
		start -= size
	}
	return start
}
