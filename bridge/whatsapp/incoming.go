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

// The bounds of what is passed on; the daemon has narrower ones, and says so.
const (
	longestText = 100 << 10
	longestName = 200
)

// handle takes whatsmeow's events. What it returns decides whether the server is
// told that a message arrived.
func (l *line) handle(ctx context.Context, event any) bool {
	switch e := event.(type) {
	case *events.Message:
		return l.take(ctx, e)
	case *events.UndecryptableMessage:
		// A full disk is one reason: the keys cannot be moved on.
		if n, full := l.full(); full {
			l.tell(n)
		}
	default:
		if n, ok := newsOf(event); ok {
			l.tell(n)
		}
	}
	return true
}

// take hands a message over. Where that fails the server is told nothing, and
// delivers it again on the next connection, which is made soon.
func (l *line) take(ctx context.Context, e *events.Message) bool {
	number, ok := l.sender(ctx, e.Info)
	if !ok {
		return true
	}
	in, ok := l.incoming(number, e)
	if !ok {
		return true
	}
	err := l.r.Receive(ctx, in)
	if err == nil {
		l.m.remember(in, e.Info)
		return true
	}
	n := offline("a message could not be kept: " + err.Error())
	if errors.Is(noRoom(err), ErrNoRoom) {
		n = news{stand: state.State{Phase: state.NoRoom, Detail: err.Error()}, wait: roomPause}
	}
	n.wait = max(n.wait, 5*time.Second)
	l.tell(n)
	return false
}

// sender is the number of the person who wrote, as the server says it. Nobody
// else is let through: no groups, lists, channels, bots, and not the account
// itself on another device. People whom the server names by a hidden id count
// with their number; somebody whose number it does not tell is nobody.
func (l *line) sender(ctx context.Context, info types.MessageInfo) (string, bool) {
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
	if pn.Server != types.DefaultUserServer || !digits(pn.User) {
		l.m.log.Debug().Msg("a message of somebody whose number is not known is left out")
		return "", false
	}
	return pn.User, true
}

// incoming is a message as the bridge takes it; ok is false for what is none:
// reactions, votes, what a phone says about messages.
//
// An edit is left out too: the words it changes were taken as they were first
// written, and maybe carried out.
func (l *line) incoming(number string, e *events.Message) (bridge.Incoming, bool) {
	m := e.Message
	if m == nil || e.IsEdit || m.GetProtocolMessage() != nil || m.GetEditedMessage() != nil {
		return bridge.Incoming{}, false
	}
	text, about := words(m)
	in := bridge.Incoming{
		ID: e.Info.ID, Chat: number, Sender: number, Name: cut(e.Info.PushName, longestName), Text: cut(text, longestText),
		Sent: e.Info.Timestamp, Forwarded: about.GetIsForwarded() || about.GetForwardingScore() > 0,
	}
	if f, ok := l.file(m); ok {
		in.Files = []bridge.File{f}
	}
	return in, in.ID != "" && (in.Text != "" || len(in.Files) > 0 || isText(m))
}

// isText reports whether a message is text, be it empty.
func isText(m *waE2E.Message) bool { return m.Conversation != nil || m.ExtendedTextMessage != nil }

// words is the text of a message and what is said about it.
func words(m *waE2E.Message) (string, *waE2E.ContextInfo) {
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

// file is what came with a message, or that something came which nothing here
// reads.
func (l *line) file(m *waE2E.Message) (bridge.File, bool) {
	switch {
	case m.GetImageMessage() != nil:
		i := m.GetImageMessage()
		return l.attached("", i.GetMimetype(), i.GetFileLength(), i), true
	case m.GetDocumentMessage() != nil:
		d := m.GetDocumentMessage()
		return l.attached(fileName(d.GetFileName()), d.GetMimetype(), d.GetFileLength(), d), true
	case m.GetAudioMessage() != nil:
		return bridge.File{Type: cut(m.GetAudioMessage().GetMimetype(), longestName), Problem: ipc.FileKind}, true
	case m.GetVideoMessage() != nil:
		return bridge.File{Type: cut(m.GetVideoMessage().GetMimetype(), longestName), Problem: ipc.FileKind}, true
	case m.GetPtvMessage() != nil:
		return bridge.File{Type: "video/mp4", Problem: ipc.FileKind}, true
	case m.GetStickerMessage() != nil:
		return bridge.File{Type: "image/webp", Problem: ipc.FileKind}, true
	case m.GetLocationMessage() != nil, m.GetLiveLocationMessage() != nil, m.GetContactMessage() != nil, m.GetContactsArrayMessage() != nil:
		return bridge.File{Problem: ipc.FileKind}, true
	}
	return bridge.File{}, false
}

// fileName is a name without a path, of a length that can be shown.
func fileName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return cut(name, longestName)
}

// cut takes the first bytes of a text, whole characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// remembered is a message that came lately: it is marked as read when its sender
// is answered, and quoted in the answer.
type remembered struct {
	id, number, text string
	chat, sender     types.JID
	read             bool
}

// recent are the last messages that came.
type recent struct {
	ring [64]remembered
	next int
}

// quoted is how much of a message is repeated above its answer.
const quoted = 300

func (m *Messenger) remember(in bridge.Incoming, info types.MessageInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := &m.recent
	r.ring[r.next%len(r.ring)] = remembered{id: in.ID, number: in.Sender, text: cut(in.Text, quoted), chat: info.Chat, sender: info.Sender}
	r.next++
}

// unread are the messages of a chat that were not marked as read, which are from
// now on.
func (m *Messenger) unread(number string) (ids []types.MessageID, last remembered) {
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

// original is the message an answer is to, where it came lately.
func (m *Messenger) original(number, id string) (remembered, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.recent.ring {
		if id != "" && one.id == id && one.number == number {
			return one, true
		}
	}
	return remembered{}, false
}
