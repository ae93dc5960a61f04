package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/bridge/state"
)

// Delays and limits of connections.
const (
	minDelay      = 300 * time.Millisecond
	maxDelay      = 2 * time.Minute
	stableAfter   = 10 * time.Second // a connection that lasted this long resets the delay
	loginTimeout  = 45 * time.Second
	diskFullDelay = 10 * time.Second
	minFreeSpace  = 4 << 20 // free bytes on disk below which no connection is made
)

// Messenger is the WhatsApp client. It is safe for concurrent use.
type Messenger struct {
	dir       string
	log       zerolog.Logger
	dial      func(*whatsmeow.Client) error // only set in tests
	freeSpace func(dir string) (uint64, error)

	mu        sync.Mutex
	cli       *whatsmeow.Client // nil while not logged in
	recent    recentMessages
	awayTimer *time.Timer // runs until the account is shown as away
}

var _ bridge.Messenger = (*Messenger)(nil)

// New returns the client of the session in a bridge's directory.
func New(dir string, log zerolog.Logger) *Messenger {
	return &Messenger{dir: dir, log: log, freeSpace: freeSpace, recent: recentMessages{}}
}

// Name returns the channel.
func (m *Messenger) Name() string { return "whatsapp" }

// Traits implements [bridge.Messenger]. WhatsApp accepts 65,536 characters a message, but phones collapse long ones.
func (m *Messenger) Traits() bridge.Traits {
	return bridge.Traits{
		OwnIDs: true, Typing: 10 * time.Second, Length: 4000, Pace: 300 * time.Millisecond,
		Render: markup.WhatsApp, Literal: markup.WhatsAppLiteral,
	}
}

// Run stays connected until ctx ends, or the phone or the server has ended the session.
func (m *Messenger) Run(ctx context.Context, r bridge.Receiver) error {
	s, err := m.openWithRoom(ctx, r)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return sessionHalt(err)
	}
	defer s.close()
	// The connection is closed explicitly and not by ctx, so that whatsmeow expects it.
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	cli, err := newClient(inner, s.device, logAdapter{m.log})
	if err == nil && m.dial != nil {
		err = m.dial(cli)
	}
	if err != nil {
		return err
	}
	l := &connection{m: m, r: r, cli: cli, account: "+" + s.device.ID.User, changes: make(chan change, 64)}
	cli.AddEventHandlerWithSuccessStatus(func(e any) bool { return l.handle(inner, e) })
	return l.runConnection(ctx)
}

// openWithRoom opens the session. It waits while the disk is full.
func (m *Messenger) openWithRoom(ctx context.Context, r bridge.Receiver) (*session, error) {
	for {
		s, err := openSession(ctx, m.dir)
		if !errors.Is(err, ErrDiskFull) {
			return s, err
		}
		r.UpdateState(state.State{Phase: state.DiskFull, Detail: err.Error()})
		if !sleep(ctx, diskFullDelay) {
			return nil, ctx.Err()
		}
	}
}

// sessionHalt converts the error of opening the session to a [bridge.Halt].
func sessionHalt(err error) error {
	phase := state.Broken
	if errors.Is(err, ErrNoSession) {
		phase = state.NotLoggedIn
	}
	return &bridge.Halt{State: state.State{Phase: phase, Detail: err.Error()}}
}

// sleep waits for d, and reports false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// connection is the connection to the server. It reconnects automatically.
type connection struct {
	m       *Messenger
	r       bridge.Receiver
	cli     *whatsmeow.Client
	account string
	changes chan change
}

// report queues an event of the connection, or drops it if the queue is full.
func (l *connection) report(n change) {
	select {
	case l.changes <- n:
	default:
	}
}

// runConnection reconnects with growing delays until an error occurs that delays cannot fix.
func (l *connection) runConnection(ctx context.Context) error {
	pause := minDelay
	for {
		up, n := l.connectOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case n.halt:
			n.state.Account = l.account
			return &bridge.Halt{State: n.state}
		}
		if up >= stableAfter {
			pause = minDelay
		}
		wait := max(n.wait, pause+rand.N(pause/2))
		pause = min(2*pause, maxDelay)
		if n.state.Phase == state.Limited {
			n.state.Until = time.Now().Add(wait)
		}
		n.state.Account = l.account
		l.m.log.Debug().Str("phase", string(n.state.Phase)).Str("why", n.state.Detail).Dur("pause", wait).Msg("disconnected")
		l.r.UpdateState(n.state)
		if !sleep(ctx, wait) {
			return nil
		}
	}
}

// connectOnce makes a connection, and returns how long it lasted and why it ended.
func (l *connection) connectOnce(ctx context.Context) (up time.Duration, why change) {
	if n, full := l.checkDisk(); full {
		return 0, n
	}
	l.r.UpdateState(state.State{Phase: state.Connecting, Account: l.account})
	for len(l.changes) > 0 {
		<-l.changes // from the previous connection
	}
	dialled := make(chan error, 1)
	go func() { dialled <- l.cli.Connect() }()
	select {
	case err := <-dialled:
		if err != nil {
			return 0, connectError(err)
		}
	case <-ctx.Done():
		return 0, change{}
	}
	defer l.disconnect()
	return l.watchEvents(ctx)
}

// checkDisk reports whether the disk is too full to receive messages. The server keeps them meanwhile.
func (l *connection) checkDisk() (change, bool) {
	left, err := l.m.freeSpace(l.m.dir)
	if err != nil || left >= minFreeSpace {
		return change{}, false
	}
	return change{state: state.State{Phase: state.DiskFull, Detail: fmt.Sprintf("%d bytes are left", left)}, wait: diskFullDelay}, true
}

// watchEvents follows a connection until it ends.
func (l *connection) watchEvents(ctx context.Context) (up time.Duration, why change) {
	login := time.NewTimer(loginTimeout)
	defer login.Stop()
	var since time.Time
	stood := func() time.Duration {
		if since.IsZero() {
			return 0
		}
		return time.Since(since)
	}
	for {
		select {
		case <-ctx.Done():
			return stood(), change{}
		case <-login.C:
			return 0, offlineChange("login timed out after " + loginTimeout.String())
		case n := <-l.changes:
			if !n.up {
				return stood(), n
			}
			login.Stop()
			since = time.Now()
			l.m.setClient(l.cli)
			l.r.UpdateState(state.State{Phase: state.Online, Account: l.account})
		}
	}
}

func (l *connection) disconnect() {
	l.m.setClient(nil)
	hangUp(l.cli)
}

// setClient sets the client to post with, or nil.
func (m *Messenger) setClient(cli *whatsmeow.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cli = cli
	if cli == nil && m.awayTimer != nil {
		m.awayTimer.Stop()
		m.awayTimer = nil
	}
}

func (m *Messenger) client() (*whatsmeow.Client, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cli == nil {
		return nil, bridge.ErrOffline
	}
	return m.cli, nil
}

// awayAfter is how long after the last activity the account is shown as away again. While it is
// shown as present, its own phone gets no notifications.
const awayAfter = 45 * time.Second

// Typing shows the typing indicator for a few seconds, and marks the sender's messages as read.
// Senders who are not answered see neither.
func (m *Messenger) Typing(ctx context.Context, chat string) error {
	cli, err := m.client()
	if err != nil {
		return err
	}
	to, err := address(ctx, cli, chat)
	if err != nil {
		return err
	}
	m.markRead(ctx, cli, chat)
	m.showPresent(ctx, cli)
	return cli.SendChatPresence(ctx, to, types.ChatPresenceComposing, types.ChatPresenceMediaText)
}

// showPresent shows the account as present for a while.
func (m *Messenger) showPresent(ctx context.Context, cli *whatsmeow.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.awayTimer != nil && m.awayTimer.Reset(awayAfter) {
		return
	}
	if cli.Store.PushName == "" {
		return // the phone has not sent the account's name yet
	}
	if err := cli.SendPresence(ctx, types.PresenceAvailable); err != nil {
		m.log.Debug().Err(err).Msg("cannot show the account as present")
		return
	}
	m.awayTimer = time.AfterFunc(awayAfter, func() { _ = cli.SendPresence(context.WithoutCancel(ctx), types.PresenceUnavailable) })
}

// Edit always fails. WhatsApp marks edited messages, and allows edits for a quarter of an hour only.
func (m *Messenger) Edit(context.Context, string, bridge.Piece) error { return bridge.ErrRefused }

// AnswerPress does nothing: there are no buttons.
func (m *Messenger) AnswerPress(context.Context, string, string) error { return nil }
