package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// outageNoticeAfter is how long the daemon can be unreachable before waiting senders are notified.
const outageNoticeAfter = 20 * time.Second

// Options configures a [Bridge].
type Options struct {
	Messenger Messenger
	// Dialer finds the daemon. The bridge uses its channel's own socket, next to the daemon's.
	Dialer ipc.Dialer
	// Dir is the channel's state directory, see [state.Dir].
	Dir string
	// Lang is the fallback if neither the daemon nor the message determines the language.
	Lang    i18n.Lang
	Version string
	Log     zerolog.Logger
	Now     func() time.Time // defaults to time.Now
}

// Bridge connects one messenger to the daemon.
type Bridge struct {
	o          Options
	inbox      *inbox
	deliveries *deliveryLog
	limiter    *limiter
	client     *daemonClient
	dispatcher *dispatcher
	status     *statusWriter
	files      *files
	link       *ipc.Link
	socket     string // the daemon's own socket, not the channel's

	outageNoticeAfter time.Duration

	mu               sync.Mutex
	outage           *outage         // nil while the daemon is reachable
	pairingRequested map[string]bool // strangers for whom a pairing code is being requested
	rooms            []string        // those of which the messenger knows
	roomsChanged     chan struct{}   // closed when they change
	// policyKnown is closed once the daemon has reported who may write.
	policyKnown chan struct{}
}

// outage is a period in which the daemon cannot be reached.
type outage struct {
	timer    *time.Timer
	since    time.Time
	notified map[string]bool // notified senders
}

// New returns a bridge. It does nothing until [Bridge.Run].
func New(o Options) *Bridge {
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &Bridge{o: o, limiter: newLimiter(o.Now), outageNoticeAfter: outageNoticeAfter, policyKnown: make(chan struct{}), pairingRequested: map[string]bool{}, roomsChanged: make(chan struct{})}
	b.inbox = newInbox(filepath.Join(o.Dir, "inbox.jsonl"), o.Now)
	b.deliveries = newDeliveryLog(filepath.Join(o.Dir, "sent.jsonl"), o.Now)
	b.status = newStatusWriter(o.Dir, o.Messenger.Name(), o.Version, o.Log, o.Now)
	b.dispatcher = &dispatcher{
		m: o.Messenger, traits: o.Messenger.Traits(), deliveries: b.deliveries, status: b.status, log: o.Log, now: o.Now,
		lang: func(n ipc.Notice) i18n.Lang { return b.langOf(n.Lang) }, chatFor: b.inbox.chatOf, onDelivered: b.acknowledge, onConfirmationShown: b.resumeChat,
		liveAfter: liveAfter, toolAfter: toolAfter, liveEvery: liveEvery, editFor: editFor,
		chats: map[string]*chat{}, turns: map[string]*turn{}, queued: map[string]bool{}, resolvedEarly: map[string]bool{},
	}
	b.status.counts = func() (int, int) { return b.dispatcher.queueLength(), b.inbox.count() }
	b.link = ipc.NewLink(b.dialer(), b.hello())
	b.client = newDaemonClient(b.link, b.inbox, o.Log, b)
	return b
}

// dialer returns a dialer for the channel's own socket. In a systemd unit it never starts the
// daemon: the service manager does that by socket activation.
func (b *Bridge) dialer() ipc.Dialer {
	d := b.o.Dialer
	b.socket, _ = d.Path() // on error, dialing reports the reason
	d.Channel = b.o.Messenger.Name()
	d.NoStart = d.NoStart || d.Getenv("NOTIFY_SOCKET") != ""
	return d
}

func (b *Bridge) hello() ipc.Hello {
	h := ipc.Hello{Client: b.o.Messenger.Name() + "-bridge/" + b.o.Version, Channel: b.o.Messenger.Name(), Locale: string(b.o.Lang)}
	if b.o.Messenger.Traits().Edits {
		h.Caps = []string{ipc.CapDelta, ipc.CapTool}
	}
	return h
}

// Run connects messenger and daemon. It returns nil when ctx ends, a [Halt] if the messenger cannot
// continue, and [state.ErrRunning] if another process already runs this channel's bridge.
func (b *Bridge) Run(ctx context.Context) error {
	if err := os.MkdirAll(b.o.Dir, 0o700); err != nil {
		return fmt.Errorf("cannot create the bridge's directory: %w", err)
	}
	lock, err := state.Lock(b.o.Dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := b.load(); err != nil {
		b.status.finish(state.State{Phase: state.Broken, Detail: err.Error()})
		return err
	}
	defer b.files.close()
	b.status.update(state.State{Phase: state.Starting})
	err = b.serve(ctx)
	last := state.State{Phase: state.Stopped}
	var halt *Halt
	switch {
	case errors.As(err, &halt):
		last = halt.State
	case err != nil && ctx.Err() != nil:
		err = nil
	case err != nil:
		last.Detail = err.Error()
	}
	b.status.finish(last)
	b.inbox.journal.Close()
	b.deliveries.journal.Close()
	return err
}

func (b *Bridge) load() error {
	inboxDamage, err := b.inbox.load()
	if err != nil {
		return err
	}
	logDamage, err := b.deliveries.load()
	if err != nil {
		return err
	}
	b.updateRooms()
	for _, damage := range slices.Concat(inboxDamage, logDamage) {
		b.o.Log.Warn().Err(damage).Msg("damaged journal")
	}
	b.files, err = openFiles(b.o.Dir, b.o.Now)
	b.dispatcher.files = b.files
	return err
}

// serve runs all parts of the bridge until the messenger or ctx ends.
func (b *Bridge) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.dispatcher.ctx = ctx
	var all sync.WaitGroup
	all.Go(func() { _ = b.link.Run(ctx) })
	all.Go(b.client.run)
	if bell, err := b.o.Dialer.ListenWake(b.socket, b.o.Messenger.Name()); err != nil {
		b.o.Log.Warn().Err(err).Msg("cannot listen for the daemon's bell; queued notices arrive with the next message")
	} else {
		context.AfterFunc(ctx, func() { bell.Close() })
		all.Go(func() {
			for range bell.Woken() {
				b.client.refreshPolicy() // connects an idle link
			}
		})
	}
	err := b.o.Messenger.Run(ctx, b)
	cancel()
	all.Wait()
	b.dispatcher.close()
	b.mu.Lock()
	b.endOutage()
	b.mu.Unlock()
	return err
}

// close stops all turns and waits for the workers.
func (p *dispatcher) close() {
	p.mu.Lock()
	p.closed = true
	for _, t := range p.turns {
		p.stopTurn(t)
	}
	p.mu.Unlock()
	p.workers.wait()
}

// langOf returns the language for a notice whose language is lang, possibly "".
func (b *Bridge) langOf(lang string) i18n.Lang {
	return i18n.Choose(lang, b.inbox.lang(), string(b.o.Lang))
}

// UpdateState implements [Receiver].
func (b *Bridge) UpdateState(s state.State) { b.status.update(s) }

// Rooms implements [Receiver].
func (b *Bridge) Rooms() (ids []string, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rooms, b.roomsChanged
}

// updateRooms informs the messenger if the rooms of the policy have changed.
func (b *Bridge) updateRooms() {
	ids := b.inbox.rooms()
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Equal(ids, b.rooms) {
		return
	}
	b.rooms = ids
	close(b.roomsChanged)
	b.roomsChanged = make(chan struct{})
}

// acknowledge reports to the daemon that the messenger's server has a notice. If the daemon is not
// connected, it sends the notice again later and is acknowledged then.
func (b *Bridge) acknowledge(n ipc.Notice) {
	b.client.sendIfConnected(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionAck}.WithData(ipc.Acknowledgement{IDs: []string{n.ID}}), request{
		onFrame: func(m ipc.Message) {
			if m.Error == nil {
				b.files.remove(n.Files)
			}
		},
	})
}

// resumeChat resumes a chat's messages that waited until a confirmation was shown.
func (b *Bridge) resumeChat(chat string) {
	for _, l := range b.inbox.oldestPerSender() {
		if l.Chat == chat {
			b.client.resumeSender(l.Sender)
		}
	}
}

// bothLanguages returns x in the language of the text of, or in Korean and English if the language cannot be detected.
func bothLanguages(of string, x i18n.Text) string {
	if lang, ok := i18n.Detect(of); ok {
		return x.In(lang)
	}
	return strings.Join([]string{x.In(i18n.Korean), x.In(i18n.English)}, "\n\n")
}
