package waserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"github.com/nidoit/blunux-ai/test/channeltest"
)

// message is a message to the bridge. A redelivery sends the same node, because a server cannot
// encrypt again.
type message struct {
	id      string
	from    *person
	content *waE2E.Message
	attrs   waBinary.Attrs
	node    waBinary.Node
	sentOn  *conn // the connection it was last sent on
}

// deliveryTime is the delivery time of a message from a phone to the bridge. People do not answer in the
// instant they are asked.
const deliveryTime = 50 * time.Millisecond

// Group is a group that contains the owner and the account.
var Group = types.NewJID("120363000000000001", types.GroupServer)

// Write sends a message from a person and returns its ID.
func (s *Server) Write(from string, m *waE2E.Message, said channeltest.PersonMessage) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messageCount++
	l := &message{id: fmt.Sprintf("3A%018X", s.messageCount), from: s.byNumber(from), content: m}
	at := said.Sent
	if at.IsZero() {
		at = time.Now()
	}
	l.attrs = waBinary.Attrs{"id": l.id, "type": "text", "t": at.Unix(), "notify": l.from.name}
	s.setSender(l, said)
	if said.Own {
		l.content = &waE2E.Message{DeviceSentMessage: &waE2E.DeviceSentMessage{DestinationJID: proto.String(l.from.hidden().String()), Message: m}}
		l.from = s.account
	}
	if err := s.encryptMessage(l); err != nil {
		panic(err) // a bug in this package
	}
	s.messages[l.id] = l
	s.deliver(l)
	return l.id
}

// setSender sets a message's sender in one of the ways servers do.
func (s *Server) setSender(l *message, said channeltest.PersonMessage) {
	p := l.from
	switch {
	case said.Own:
		l.attrs["from"], l.attrs["recipient"], l.attrs["peer_recipient_pn"] = s.account.hidden(), p.hidden(), p.jid()
	case said.Group:
		l.attrs["from"], l.attrs["participant"], l.attrs["participant_pn"] = Group, p.hidden(), p.jid()
		l.attrs["addressing_mode"] = "lid"
	case p.nameless:
		l.attrs["from"] = p.hidden()
	case p.byLID:
		l.attrs["from"], l.attrs["sender_pn"] = p.hidden(), p.jid()
	default:
		l.attrs["from"], l.attrs["sender_lid"] = p.jid(), p.hidden()
	}
}

// encryptMessage encrypts a message.
func (s *Server) encryptMessage(l *message) error {
	if s.companion == nil {
		return fmt.Errorf("no device is linked")
	}
	enc, err := l.from.encrypt(context.Background(), s.companion, l.content)
	if err != nil {
		return err
	}
	l.node = waBinary.Node{Tag: "message", Attrs: l.attrs, Content: []waBinary.Node{enc}}
	return nil
}

// deliver queues a message, which is sent after travel if the bridge is connected.
func (s *Server) deliver(l *message) {
	s.removeQueued(l.id)
	l.sentOn = nil
	s.queue = append(s.queue, l)
	time.AfterFunc(deliveryTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.flush()
	})
}

// flush sends the queued messages that were not sent on the current connection.
func (s *Server) flush() {
	c := s.current
	if c == nil || !c.active {
		return
	}
	for _, l := range s.queue {
		if l.sentOn != c {
			l.sentOn = c
			c.send(l.node)
		}
	}
}

// reencrypt makes a phone encrypt a message in a new session, because the bridge could not decrypt it.
// It is sent after the bridge has confirmed the unreadable one.
func (s *Server) reencrypt(id string) {
	l := s.messages[id]
	if l == nil {
		return
	}
	time.AfterFunc(deliveryTime, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.from.keep.forget()
		if err := s.encryptMessage(l); err == nil {
			s.deliver(l)
		}
	})
}

// shownMessage is a message as its reader sees it.
type shownMessage struct{ channeltest.ReceivedMessage }

// handlePost delivers a message from the bridge to phones. The bridge gets its confirmation before
// anyone can read the message.
func (s *Server) handlePost(c *conn, n *waBinary.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ack := waBinary.Attrs{"class": "message", "id": n.Attrs["id"], "from": n.Attrs["to"], "t": time.Now().Unix()}
	code := 0
	if s.failures.messageError != nil {
		code = s.failures.messageError()
	}
	if code != 0 {
		ack["error"] = code
	}
	if !s.failures.stall {
		c.send(waBinary.Node{Tag: "ack", Attrs: ack})
	}
	if code != 0 {
		return
	}
	if participants, ok := n.GetOptionalChildByTag("participants"); ok {
		for _, to := range participants.GetChildren() {
			jid, _ := to.Attrs["jid"].(types.JID)
			s.deliverTo(c.ctx, jid, text(n.Attrs["id"]), to.GetChildByTag("enc"))
		}
	}
	s.notify()
}

// deliverTo delivers a message to a phone. Messages with the same ID are shown once.
func (s *Server) deliverTo(ctx context.Context, to types.JID, id string, enc waBinary.Node) {
	p := s.find(to)
	if p == nil {
		return
	}
	m, err := p.decrypt(ctx, enc)
	if err != nil {
		m = &waE2E.Message{Conversation: proto.String("this message cannot be read: " + err.Error())}
	}
	if p == s.account {
		return // a copy of the bridge's answer for the account's own phone
	}
	if old := p.shown[id]; old != nil {
		old.Copies++
		return
	}
	p.order = append(p.order, id)
	p.shown[id] = &shownMessage{s.render(id, m)}
}

// render returns a message as displayed.
func (s *Server) render(id string, m *waE2E.Message) channeltest.ReceivedMessage {
	raw := m.GetConversation()
	if x := m.GetExtendedTextMessage(); x != nil {
		raw = x.GetText()
	}
	seen := channeltest.ReceivedMessage{Handle: id, Copies: 1}
	if d := m.GetDocumentMessage(); d != nil {
		seen.Name, raw = d.GetFileName(), d.GetCaption()
		data, err := s.fetch(d)
		if err != nil {
			raw = "this file cannot be read: " + err.Error()
		}
		seen.File = data
	}
	seen.Raw, seen.Text = raw, stripMarkup(raw)
	return seen
}

// stripMarkup removes WhatsApp's markup from a text: *bold*, _italic_, ~struck~, `code` and
// ```code```.
func stripMarkup(raw string) string {
	var out strings.Builder
	for i, part := range strings.Split(raw, "```") {
		if i%2 == 1 {
			out.WriteString(strings.Trim(part, "\n"))
			continue
		}
		for _, mark := range []string{"*", "_", "~", "`"} {
			part = stripPair(part, mark)
		}
		out.WriteString(part)
	}
	return strings.TrimSpace(out.String())
}

// stripPair removes a pair of marks around words within one line.
func stripPair(s, mark string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		parts := strings.Split(line, mark)
		for j := 1; j+1 < len(parts); j++ {
			inner, before, after := parts[j], parts[j-1], parts[j+1]
			if inner == "" || strings.TrimSpace(inner) != inner || wordEnd(before) || wordStart(after) {
				continue
			}
			parts = append(parts[:j-1], append([]string{before + inner + after}, parts[j+2:]...)...)
			j--
		}
		lines[i] = strings.Join(parts, mark)
	}
	return strings.Join(lines, "\n")
}

func isWord(r byte) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
func wordEnd(s string) bool   { return s != "" && isWord(s[len(s)-1]) }
func wordStart(s string) bool { return s != "" && isWord(s[0]) }
