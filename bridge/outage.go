package bridge

import (
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func (b *Bridge) reached() {}

// lost implements [listener].
func (b *Bridge) lost() {
	b.awaits()
}

// awaits starts an outage if messages wait, and schedules its announcement.
func (b *Bridge) awaits() {
	if b.courier.reachable() || b.inbox.count() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.outage == nil {
		b.outage = &outage{since: b.o.Now(), told: map[string]bool{}}
	}
	if b.outage.timer == nil {
		o := b.outage
		o.timer = time.AfterFunc(max(0, b.statusAfter-b.o.Now().Sub(o.since)), func() { b.tellOutage(o) })
	}
}

// tellOutage notifies all waiting senders that were not notified yet.
func (b *Bridge) tellOutage(o *outage) {
	waiting := b.inbox.first()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.outage != o {
		return
	}
	o.timer = nil
	for _, l := range waiting {
		if yes, _ := b.inbox.admitted(l.Sender); yes && !o.told[l.Sender] {
			o.told[l.Sender] = true
			b.mailer.say(l.Chat, i18n.BridgeDaemonDown.In(b.langFor(l.Text)))
		}
	}
}

func (b *Bridge) endOutage() {
	if b.outage != nil && b.outage.timer != nil {
		b.outage.timer.Stop()
	}
	b.outage = nil
}

// policy implements [listener]. It handles waiting messages of senders that are not admitted.
func (b *Bridge) policy(policy ipc.ChannelPolicy) {
	for _, code := range policy.Over { // resolved while the daemon was not connected
		if _, open := b.sent.askedBy(code); open {
			b.mailer.answered(code)
		}
	}
	b.mu.Lock()
	b.endOutage()
	select {
	case <-b.policyKnown:
	default:
		close(b.policyKnown)
	}
	b.mu.Unlock()
	for _, l := range b.inbox.all() {
		if yes, _ := b.inbox.admitted(l.Sender); !yes {
			b.turnAway(l)
		}
	}
}

// turnAway requests a pairing code for a stranger. Their message waits for the reply, because they
// may have been admitted just now.
func (b *Bridge) turnAway(l *letter) {
	b.mu.Lock()
	asking := b.asked[l.Sender]
	b.mu.Unlock()
	if asking {
		return
	}
	if !b.porter.mayAsk(l.Sender) {
		b.drop(l.Sender)
		return
	}
	b.mu.Lock()
	b.asked[l.Sender] = true
	b.mu.Unlock()
	forget := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.asked, l.Sender)
	}
	sent := b.courier.ask(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPairingAsk}.WithData(
		ipc.PairingChange{Sender: l.Sender, Name: l.Name}), request{
		frame: func(m ipc.Message) {
			forget()
			b.admission(l, m)
		},
		lost: forget,
	})
	if !sent {
		forget()
	}
}

// admission handles the daemon's reply to a pairing request.
func (b *Bridge) admission(l *letter, m ipc.Message) {
	var a ipc.Admission
	if m.Error == nil && m.Decode(&a) == nil && a.Admitted {
		b.courier.refresh()
		return
	}
	b.drop(l.Sender)
	if a.Code != "" {
		code := ipc.VisibleLine(a.Code)
		b.mailer.say(l.Chat, bothLanguages(l.Text, i18n.BridgePairing, code, code))
	}
}

// drop removes the messages of a sender that is not admitted.
func (b *Bridge) drop(sender string) {
	if yes, _ := b.inbox.admitted(sender); yes {
		return
	}
	for _, l := range b.inbox.all() {
		if l.Sender == sender {
			if err := b.inbox.taken(l); err != nil {
				b.o.Log.Warn().Err(err).Msg("cannot save that a message was dropped")
			}
		}
	}
	b.station.waits()
}

// The rest of [listener] passes the daemon's frames to the dispatcher.

func (b *Bridge) notice(n ipc.Notice)  { b.mailer.tell(n) }
func (b *Bridge) resolved(code string) { b.mailer.answered(code) }
func (b *Bridge) asking() []string     { return b.sent.open() }
func (b *Bridge) early(l *letter) bool { return b.sent.early(l.Chat, l.Sent) }
func (b *Bridge) ended(re string)      { b.mailer.end(re) }

func (b *Bridge) accepted(re string, l *letter, task string) {
	b.station.waits()
	b.mailer.begin(re, l.Chat, task)
}

func (b *Bridge) frame(re string, m ipc.Message)  { b.mailer.follow(re, m) }
func (b *Bridge) holds(chat string) time.Duration { return b.mailer.hold(chat) }
