package bridge

import (
	"cmp"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// countsDelay is the delay before changed counts are written to the file. Most messages are delivered within it.
const countsDelay = time.Second

// statusWriter writes the bridge's state file. It is safe for concurrent use.
type statusWriter struct {
	dir string
	log zerolog.Logger
	now func() time.Time
	// counts returns the numbers of messages that wait for the channel's server and for the daemon.
	counts func() (unsent, untaken int)

	mu       sync.Mutex
	current  state.State // the messenger's last report
	written  state.State
	diskFull bool
	closed   bool
	timer    *time.Timer
	changed  chan struct{} // closed when the phase changes
}

func newStatusWriter(dir, channel, version string, log zerolog.Logger, now func() time.Time) *statusWriter {
	return &statusWriter{
		dir: dir, log: log, now: now, changed: make(chan struct{}),
		current: state.State{Channel: channel, Phase: state.Starting, Since: now(), Version: version, PID: os.Getpid()},
	}
}

// update saves a state that the messenger reports.
func (s *statusWriter) update(said state.State) {
	unsent, untaken := s.counts()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	said.Channel, said.Version, said.PID = s.current.Channel, s.current.Version, s.current.PID
	said.Phase = cmp.Or(said.Phase, s.current.Phase)
	if said.Since.IsZero() {
		said.Since = s.now()
		if said.Phase == s.current.Phase {
			said.Since = s.current.Since
		}
	}
	said.Account = cmp.Or(said.Account, s.current.Account)
	if said.Phase != s.current.Phase {
		close(s.changed)
		s.changed = make(chan struct{})
		e := s.log.Info().Str("phase", string(said.Phase))
		if said.Detail != "" {
			e = e.Str("detail", said.Detail)
		}
		e.Msg("messenger state changed")
	}
	s.current = said
	s.write(unsent, untaken)
}

// finish saves the final state. Later changes are ignored.
func (s *statusWriter) finish(last state.State) {
	s.update(last)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// phase returns the messenger's phase, and a channel that is closed when it changes.
func (s *statusWriter) phase() (state.Phase, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current.Phase, s.changed
}

// recordSaveError records whether saving messages fails because the disk is full.
func (s *statusWriter) recordSaveError(err error) {
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	unsent, untaken := s.counts()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !full || s.diskFull == full {
		return
	}
	s.diskFull = full
	s.log.Warn().Bool("full", full).Msg("disk state changed")
	s.write(unsent, untaken)
}

// scheduleWrite schedules a write of the file, because the counts may have changed.
func (s *statusWriter) scheduleWrite() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil || s.closed {
		return
	}
	s.timer = time.AfterFunc(countsDelay, func() {
		unsent, untaken := s.counts()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.timer = nil
		if !s.closed {
			s.write(unsent, untaken)
		}
	})
}

// write writes the file if it has changed. Callers count before they lock s.mu, because counting takes other locks.
func (s *statusWriter) write(unsent, untaken int) {
	now := s.current
	now.Unsent, now.Undelivered = unsent, untaken
	if s.diskFull {
		now.Phase = state.DiskFull
	}
	if now == s.written {
		return
	}
	if err := state.Write(s.dir, now); err != nil {
		s.log.Warn().Err(err).Msg("cannot save the bridge's state")
		return
	}
	s.written = now
}

func (b *Bridge) handleConnected() {}

// handleDisconnected implements [daemonHandler].
func (b *Bridge) handleDisconnected() {
	b.startOutage()
}

// startOutage starts an outage if messages wait, and schedules its announcement.
func (b *Bridge) startOutage() {
	if b.client.isReady() || b.inbox.count() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.outage == nil {
		b.outage = &outage{since: b.o.Now(), notified: map[string]bool{}}
	}
	if b.outage.timer == nil {
		o := b.outage
		o.timer = time.AfterFunc(max(0, b.outageNoticeAfter-b.o.Now().Sub(o.since)), func() { b.announceOutage(o) })
	}
}

// announceOutage notifies all waiting senders that were not notified yet.
func (b *Bridge) announceOutage(o *outage) {
	waiting := b.inbox.oldestPerSender()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.outage != o {
		return
	}
	o.timer = nil
	for _, l := range waiting {
		if yes, _ := b.inbox.isAdmitted(l.Sender); yes && !o.notified[l.Sender] {
			o.notified[l.Sender] = true
			b.dispatcher.sendText(l.Chat, i18n.BridgeDaemonDown.In(b.langFor(l.Text)))
		}
	}
}

func (b *Bridge) endOutage() {
	if b.outage != nil && b.outage.timer != nil {
		b.outage.timer.Stop()
	}
	b.outage = nil
}

// handlePolicy implements [daemonHandler]. It handles waiting messages of senders that are not admitted.
func (b *Bridge) handlePolicy(policy ipc.ChannelPolicy) {
	for _, code := range policy.Closed { // resolved while the daemon was not connected
		if _, open := b.deliveries.confirmationFor(code); open {
			b.dispatcher.closeConfirmation(code)
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
	b.updateRooms()
	for _, l := range b.inbox.allPending() {
		if yes, _ := b.inbox.isAdmitted(l.Sender); yes {
			continue
		}
		if _, room := ipc.SplitRoom(l.Sender); room != "" { // others would read the code
			b.dropMessages(l.Sender)
			continue
		}
		b.requestPairing(l)
	}
}

// requestPairing requests a pairing code for a stranger. Their message waits for the reply, because they
// may have been admitted just now.
func (b *Bridge) requestPairing(l *inboundMessage) {
	b.mu.Lock()
	asking := b.pairingRequested[l.Sender]
	b.mu.Unlock()
	if asking {
		return
	}
	if !b.limiter.allowPairing(l.Sender) {
		b.dropMessages(l.Sender)
		return
	}
	b.mu.Lock()
	b.pairingRequested[l.Sender] = true
	b.mu.Unlock()
	forget := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.pairingRequested, l.Sender)
	}
	sent := b.client.sendIfConnected(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPairingAsk}.WithData(
		ipc.PairingChange{Sender: l.Sender, Name: l.Name}), request{
		onFrame: func(m ipc.Message) {
			forget()
			b.handleAdmission(l, m)
		},
		onLost: forget,
	})
	if !sent {
		forget()
	}
}

// handleAdmission handles the daemon's reply to a pairing request.
func (b *Bridge) handleAdmission(l *inboundMessage, m ipc.Message) {
	var a ipc.Admission
	if m.Error == nil && m.Decode(&a) == nil && a.Admitted {
		b.client.refreshPolicy()
		return
	}
	b.dropMessages(l.Sender)
	if a.Code != "" {
		code := ipc.VisibleLine(a.Code)
		b.dispatcher.sendText(l.Chat, bothLanguages(l.Text, i18n.BridgePairing(code, code)))
	}
}

// dropMessages removes the messages of a sender that is not admitted.
func (b *Bridge) dropMessages(sender string) {
	if yes, _ := b.inbox.isAdmitted(sender); yes {
		return
	}
	for _, l := range b.inbox.allPending() {
		if l.Sender == sender {
			if err := b.inbox.markHandled(l); err != nil {
				b.o.Log.Warn().Err(err).Msg("cannot save that a message was dropped")
			}
		}
	}
	b.status.scheduleWrite()
}

// handleNotice implements [daemonHandler]. What is for a room in which its person may no longer write is not posted: the
// owner may have closed the room to keep answers from its readers.
func (b *Bridge) handleNotice(n ipc.Notice) {
	if _, room := ipc.SplitRoom(n.To); room != "" {
		if yes, known := b.inbox.isAdmitted(n.To); known && !yes {
			b.o.Log.Warn().Str("room", room).Msg("notice for a closed room dropped")
			b.acknowledge(n)
			return
		}
	}
	b.dispatcher.enqueueNotice(n)
}

// The rest of [daemonHandler] passes the daemon's frames to the dispatcher.

func (b *Bridge) handleResolved(code string)  { b.dispatcher.closeConfirmation(code) }
func (b *Bridge) openConfirmations() []string { return b.deliveries.openConfirmations() }
func (b *Bridge) predatesConfirmation(l *inboundMessage) bool {
	return b.dispatcher.isConfirming(l.Chat) || b.deliveries.predatesConfirmation(l.Chat, l.Sent)
}
func (b *Bridge) handleEnd(re string) { b.dispatcher.endTurn(re) }

func (b *Bridge) handleAccepted(re string, l *inboundMessage, task string) {
	b.status.scheduleWrite()
	b.dispatcher.startTurn(re, l.Chat, task)
}

func (b *Bridge) handleFrame(re string, m ipc.Message) { b.dispatcher.handleFrame(re, m) }
func (b *Bridge) confirmationDelay(chat string) time.Duration {
	return b.dispatcher.confirmationDelay(chat)
}
