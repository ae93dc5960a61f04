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
	firstPause  = 300 * time.Millisecond
	longestWait = 2 * time.Minute
	steadyAfter = 10 * time.Second // a connection that lasted this long resets the delay
	loginTime   = 45 * time.Second
	roomPause   = 10 * time.Second
	leastRoom   = 4 << 20 // free bytes on disk below which no connection is made
)

// Messenger is the WhatsApp client. It is safe for concurrent use.
type Messenger struct {
	dir  string
	log  zerolog.Logger
	dial func(*whatsmeow.Client) error // only set in tests
	room func(dir string) (uint64, error)

	mu     sync.Mutex
	cli    *whatsmeow.Client // nil while not logged in
	recent recent
	away   *time.Timer // runs until the account is shown as away
}

var _ bridge.Messenger = (*Messenger)(nil)

// New returns the client of the session in a bridge's directory.
func New(dir string, log zerolog.Logger) *Messenger {
	return &Messenger{dir: dir, log: log, room: free, recent: recent{}}
}

// Name returns the channel.
func (m *Messenger) Name() string { return "whatsapp" }

// Traits implements [bridge.Messenger]. WhatsApp accepts 65,536 characters a message, but phones
// collapse long ones.
func (m *Messenger) Traits() bridge.Traits {
	return bridge.Traits{
		OwnIDs: true, Typing: 10 * time.Second, Length: 4000, Pace: 300 * time.Millisecond,
		Render: markup.WhatsApp, Literal: markup.WhatsAppLiteral,
	}
}

// Run stays connected until ctx ends, or the phone or the server has ended the session.
func (m *Messenger) Run(ctx context.Context, r bridge.Receiver) error {
	s, err := m.open(ctx, r)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return haltOf(err)
	}
	defer s.close()
	// The connection is closed explicitly and not by ctx, so that whatsmeow expects it.
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	cli, err := newClient(inner, s.device, quiet{m.log})
	if err == nil && m.dial != nil {
		err = m.dial(cli)
	}
	if err != nil {
		return err
	}
	l := &line{m: m, r: r, cli: cli, account: "+" + s.device.ID.User, news: make(chan news, 64)}
	cli.AddEventHandlerWithSuccessStatus(func(e any) bool { return l.handle(inner, e) })
	return l.stay(ctx)
}

// open opens the session. It waits while the disk is full.
func (m *Messenger) open(ctx context.Context, r bridge.Receiver) (*session, error) {
	for {
		s, err := openSession(ctx, m.dir)
		if !errors.Is(err, ErrNoRoom) {
			return s, err
		}
		r.Standing(state.State{Phase: state.NoRoom, Detail: err.Error()})
		if !sleep(ctx, roomPause) {
			return nil, ctx.Err()
		}
	}
}

// haltOf converts the error of opening the session to a [bridge.Halt].
func haltOf(err error) error {
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

// line is the connection to the server. It reconnects automatically.
type line struct {
	m       *Messenger
	r       bridge.Receiver
	cli     *whatsmeow.Client
	account string
	news    chan news
}

// tell queues an event of the connection, or drops it if the queue is full.
func (l *line) tell(n news) {
	select {
	case l.news <- n:
	default:
	}
}

// stay reconnects with growing delays until an error occurs that delays cannot fix.
func (l *line) stay(ctx context.Context) error {
	pause := firstPause
	for {
		up, n := l.once(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case n.halt:
			n.stand.Account = l.account
			return &bridge.Halt{State: n.stand}
		}
		if up >= steadyAfter {
			pause = firstPause
		}
		wait := max(n.wait, pause+rand.N(pause/2))
		pause = min(2*pause, longestWait)
		if n.stand.Phase == state.Limited {
			n.stand.Until = time.Now().Add(wait)
		}
		n.stand.Account = l.account
		l.m.log.Debug().Str("phase", string(n.stand.Phase)).Str("why", n.stand.Detail).Dur("pause", wait).Msg("disconnected")
		l.r.Standing(n.stand)
		if !sleep(ctx, wait) {
			return nil
		}
	}
}

// once makes a connection, and returns how long it lasted and why it ended.
func (l *line) once(ctx context.Context) (up time.Duration, why news) {
	if n, full := l.full(); full {
		return 0, n
	}
	l.r.Standing(state.State{Phase: state.Connecting, Account: l.account})
	for len(l.news) > 0 {
		<-l.news // from the previous connection
	}
	dialled := make(chan error, 1)
	go func() { dialled <- l.cli.Connect() }()
	select {
	case err := <-dialled:
		if err != nil {
			return 0, refused(err)
		}
	case <-ctx.Done():
		return 0, news{}
	}
	defer l.drop()
	return l.watch(ctx)
}

// full reports whether the disk is too full to receive messages. The server keeps them meanwhile.
func (l *line) full() (news, bool) {
	left, err := l.m.room(l.m.dir)
	if err != nil || left >= leastRoom {
		return news{}, false
	}
	return news{stand: state.State{Phase: state.NoRoom, Detail: fmt.Sprintf("%d bytes are left", left)}, wait: roomPause}, true
}

// watch follows a connection until it ends.
func (l *line) watch(ctx context.Context) (up time.Duration, why news) {
	login := time.NewTimer(loginTime)
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
			return stood(), news{}
		case <-login.C:
			return 0, offline("login timed out after " + loginTime.String())
		case n := <-l.news:
			if !n.up {
				return stood(), n
			}
			login.Stop()
			since = time.Now()
			l.m.online(l.cli)
			l.r.Standing(state.State{Phase: state.Online, Account: l.account})
		}
	}
}

// drop closes the connection.
func (l *line) drop() {
	l.m.online(nil)
	hangUp(l.cli)
}

// online sets the client to post with, or nil.
func (m *Messenger) online(cli *whatsmeow.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cli = cli
	if cli == nil && m.away != nil {
		m.away.Stop()
		m.away = nil
	}
}

// client returns the logged-in client, or [bridge.ErrOffline].
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
	m.read(ctx, cli, chat)
	m.present(ctx, cli)
	return cli.SendChatPresence(ctx, to, types.ChatPresenceComposing, types.ChatPresenceMediaText)
}

// present shows the account as present for a while.
func (m *Messenger) present(ctx context.Context, cli *whatsmeow.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away != nil && m.away.Reset(awayAfter) {
		return
	}
	if cli.Store.PushName == "" {
		return // the phone has not sent the account's name yet
	}
	if err := cli.SendPresence(ctx, types.PresenceAvailable); err != nil {
		m.log.Debug().Err(err).Msg("cannot show the account as present")
		return
	}
	m.away = time.AfterFunc(awayAfter, func() { _ = cli.SendPresence(context.WithoutCancel(ctx), types.PresenceUnavailable) })
}

// Edit always fails. WhatsApp marks edited messages, and allows edits for a quarter of an hour
// only.
func (m *Messenger) Edit(context.Context, string, bridge.Piece) error { return bridge.ErrRefused }

// Pressed does nothing: there are no buttons.
func (m *Messenger) Pressed(context.Context, string, string) error { return nil }
