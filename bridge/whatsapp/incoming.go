package whatsapp

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/ipc"
)

// Limits of what is passed on. The daemon has stricter ones and reports them.
const (
	maxTextLength = 100 << 10
	maxNameLength = 200
)

// handle processes whatsmeow's events. Its result decides whether the server gets a receipt for a message.
func (l *connection) handle(ctx context.Context, event any) bool {
	switch e := event.(type) {
	case *events.Message:
		return l.handleMessage(ctx, e)
	case *events.UndecryptableMessage:
		// A full disk is one reason: the keys cannot be updated.
		if n, full := l.checkDisk(); full {
			l.report(n)
		}
	default:
		if n, ok := changeOf(event); ok {
			l.report(n)
		}
	}
	return true
}

// handleMessage passes a message on. If that fails, no receipt is sent and the connection is closed soon,
// because the server redelivers the message on the next connection.
func (l *connection) handleMessage(ctx context.Context, e *events.Message) bool {
	number, ok := l.senderNumber(ctx, e.Info)
	if !ok {
		return true
	}
	in, ok := l.convertMessage(number, e)
	if !ok {
		return true
	}
	err := l.r.Receive(ctx, in)
	if err == nil {
		l.m.remember(in, e.Info)
		return true
	}
	n := offlineChange("cannot save a message: " + err.Error())
	if errors.Is(wrapDiskFull(err), ErrDiskFull) {
		n = change{state: state.State{Phase: state.DiskFull, Detail: err.Error()}, wait: diskFullDelay}
	}
	n.wait = max(n.wait, 5*time.Second)
	l.report(n)
	return false
}

// senderNumber returns the sender's number as reported by the server. It rejects groups, lists, channels,
// bots, and the account itself on another device. If the server reports a hidden ID, it is
// converted to the number. A sender whose number is unknown is rejected.
func (l *connection) senderNumber(ctx context.Context, info types.MessageInfo) (string, bool) {
	from := info.Sender
	chats := info.Chat.Server == types.DefaultUserServer || info.Chat.Server == types.HiddenUserServer
	if info.IsFromMe || info.IsGroup || !chats || from.IsBot() || info.Chat.User != from.User || info.Category == "peer" {
		return "", false
	}
	pn := from
	if from.Server == types.HiddenUserServer {
		pn = info.SenderAlt
		if pn.Server != types.DefaultUserServer {
			var err error
			if pn, err = l.cli.Store.LIDs.GetPNForLID(ctx, from.ToNonAD()); err != nil {
				l.m.log.Warn().Err(err).Msg("cannot look up a sender's number")
			}
		}
	}
	if pn.Server != types.DefaultUserServer || !isNumber(pn.User) {
		l.m.log.Debug().Msg("message ignored: sender's number unknown")
		return "", false
	}
	return pn.User, true
}

// convertMessage converts a message. ok is false for reactions, votes and protocol messages.
//
// Edits are ignored too: the original text was already accepted, and may have been executed.
func (l *connection) convertMessage(number string, e *events.Message) (bridge.Incoming, bool) {
	m := e.Message
	if m == nil || e.IsEdit || m.GetProtocolMessage() != nil || m.GetEditedMessage() != nil {
		return bridge.Incoming{}, false
	}
	text, about := textOf(m)
	in := bridge.Incoming{
		ID: e.Info.ID, Chat: number, Sender: number, Name: cut(e.Info.PushName, maxNameLength), Text: cut(text, maxTextLength),
		Sent: e.Info.Timestamp, Forwarded: about.GetIsForwarded() || about.GetForwardingScore() > 0,
	}
	if f, ok := l.fileOf(m); ok {
		in.Files = []bridge.File{f}
	}
	return in, in.ID != "" && (in.Text != "" || len(in.Files) > 0 || isText(m))
}

// isText reports whether a message is a text message, even an empty one.
func isText(m *waE2E.Message) bool { return m.Conversation != nil || m.ExtendedTextMessage != nil }

func textOf(m *waE2E.Message) (string, *waE2E.ContextInfo) {
	switch {
	case m.GetExtendedTextMessage() != nil:
		return m.GetExtendedTextMessage().GetText(), m.GetExtendedTextMessage().GetContextInfo()
	case m.GetImageMessage() != nil:
		return m.GetImageMessage().GetCaption(), m.GetImageMessage().GetContextInfo()
	case m.GetDocumentMessage() != nil:
		return m.GetDocumentMessage().GetCaption(), m.GetDocumentMessage().GetContextInfo()
	case m.GetVideoMessage() != nil:
		return m.GetVideoMessage().GetCaption(), m.GetVideoMessage().GetContextInfo()
	case m.GetAudioMessage() != nil:
		return "", m.GetAudioMessage().GetContextInfo()
	case m.GetButtonsResponseMessage() != nil:
		return m.GetButtonsResponseMessage().GetSelectedDisplayText(), m.GetButtonsResponseMessage().GetContextInfo()
	case m.GetTemplateButtonReplyMessage() != nil:
		return m.GetTemplateButtonReplyMessage().GetSelectedDisplayText(), m.GetTemplateButtonReplyMessage().GetContextInfo()
	case m.GetListResponseMessage() != nil:
		return m.GetListResponseMessage().GetTitle(), m.GetListResponseMessage().GetContextInfo()
	}
	return m.GetConversation(), nil
}

// fileOf returns a message's file, or the problem that its kind is not supported.
func (l *connection) fileOf(m *waE2E.Message) (bridge.File, bool) {
	switch {
	case m.GetImageMessage() != nil:
		i := m.GetImageMessage()
		return l.newFile("", i.GetMimetype(), i.GetFileLength(), i), true
	case m.GetDocumentMessage() != nil:
		d := m.GetDocumentMessage()
		return l.newFile(fileName(d.GetFileName()), d.GetMimetype(), d.GetFileLength(), d), true
	case m.GetAudioMessage() != nil:
		return bridge.File{Type: cut(m.GetAudioMessage().GetMimetype(), maxNameLength), Problem: ipc.FileKind}, true
	case m.GetVideoMessage() != nil:
		return bridge.File{Type: cut(m.GetVideoMessage().GetMimetype(), maxNameLength), Problem: ipc.FileKind}, true
	case m.GetPtvMessage() != nil:
		return bridge.File{Type: "video/mp4", Problem: ipc.FileKind}, true
	case m.GetStickerMessage() != nil:
		return bridge.File{Type: "image/webp", Problem: ipc.FileKind}, true
	case m.GetLocationMessage() != nil, m.GetLiveLocationMessage() != nil, m.GetContactMessage() != nil, m.GetContactsArrayMessage() != nil:
		return bridge.File{Problem: ipc.FileKind}, true
	}
	return bridge.File{}, false
}

// fileName returns a name without its path, shortened for display.
func fileName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return cut(name, maxNameLength)
}

// cut truncates s to at most most bytes of whole characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// recentMessage is a recent message. It is marked as read when its sender is answered, and quoted in the answer.
type recentMessage struct {
	id, number, text string
	chat, sender     types.JID
	read             bool
}

type recentMessages struct {
	ring [64]recentMessage
	next int
}

// maxQuote is the maximum length of a quotation in bytes.
const maxQuote = 300

func (m *Messenger) remember(in bridge.Incoming, info types.MessageInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := &m.recent
	r.ring[r.next%len(r.ring)] = recentMessage{id: in.ID, number: in.Sender, text: cut(in.Text, maxQuote), chat: info.Chat, sender: info.Sender}
	r.next++
}

// takeUnread returns the unread messages of a chat and marks them as read.
func (m *Messenger) takeUnread(number string) (ids []types.MessageID, last recentMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.recent.ring {
		if one := &m.recent.ring[i]; one.number == number && one.id != "" && !one.read {
			one.read = true
			ids, last = append(ids, one.id), *one
		}
	}
	return ids, last
}

// recentMessage returns the message that an answer refers to, if it is recent.
func (m *Messenger) recentMessage(number, id string) (recentMessage, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.recent.ring {
		if id != "" && one.id == id && one.number == number {
			return one, true
		}
	}
	return recentMessage{}, false
}
