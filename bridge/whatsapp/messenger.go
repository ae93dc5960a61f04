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

// The pauses of a connection that is lost.
const (
	firstPause  = 300 * time.Millisecond
	longestWait = 2 * time.Minute
	steadyAfter = 10 * time.Second // a connection that stood so long begins with the shortest pause again
	loginTime   = 45 * time.Second
	roomPause   = 10 * time.Second
	leastRoom   = 4 << 20 // bytes of disk, below which nothing is taken from the server
)

// Messenger is WhatsApp's client. It is safe for concurrent use.
type Messenger struct {
	dir  string
	log  zerolog.Logger
	dial func(*whatsmeow.Client) error // nil but in tests
	room func(dir string) (uint64, error)

	mu     sync.Mutex
	cli    *whatsmeow.Client // nil while it is not logged in
	recent recent
	away   *time.Timer // says that nobody writes any more
}

var _ bridge.Messenger = (*Messenger)(nil)

// New makes the client of the session in a bridge's directory.
func New(dir string, log zerolog.Logger) *Messenger {
	return &Messenger{dir: dir, log: log, room: free, recent: recent{}}
}

// Name is the channel.
func (m *Messenger) Name() string { return "whatsapp" }

// Traits is what WhatsApp can do. It would take 65,536 characters a message, but
// phones fold long ones away.
func (m *Messenger) Traits() bridge.Traits {
	return bridge.Traits{
		OwnIDs: true, Typing: 10 * time.Second, Length: 4000, Pace: 300 * time.Millisecond,
		Render: markup.WhatsApp, Literal: markup.WhatsAppLiteral,
	}
}

// Run stays connected until ctx ends, or the account's phone or WhatsApp's server
// has ended it.
func (m *Messenger) Run(ctx context.Context, r bridge.Receiver) error {
	s, err := m.open(ctx, r)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return haltOf(err)
	}
	defer s.close()
	// The connection is ended by us, not by ctx: whatsmeow is told so first.
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

// open opens the session; a full disk is waited for.
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

// haltOf is why a session that cannot be opened needs the person.
func haltOf(err error) error {
	phase := state.Broken
	if errors.Is(err, ErrNoSession) {
		phase = state.NotLoggedIn
	}
	return &bridge.Halt{State: state.State{Phase: phase, Detail: err.Error()}}
}

// sleep waits, and reports whether it was not interrupted.
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

// line is the connection to the server, which is made anew when it is lost.
type line struct {
	m       *Messenger
	r       bridge.Receiver
	cli     *whatsmeow.Client
	account string
	news    chan news
}

// tell passes on what happened; what nobody waits for any more is dropped.
func (l *line) tell(n news) {
	select {
	case l.news <- n:
	default:
	}
}

// stay connects again and again, with pauses that grow, and ends with the first
// thing that pauses do not help against.
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
		l.m.log.Debug().Str("phase", string(n.stand.Phase)).Str("why", n.stand.Detail).Dur("pause", wait).Msg("not connected")
		l.r.Standing(n.stand)
		if !sleep(ctx, wait) {
			return nil
		}
	}
}

// once makes a connection and returns how long it stood and why it ended.
func (l *line) once(ctx context.Context) (up time.Duration, why news) {
	if n, full := l.full(); full {
		return 0, n
	}
	l.r.Standing(state.State{Phase: state.Connecting, Account: l.account})
	for len(l.news) > 0 {
		<-l.news // of the connection before
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

// full reports whether the disk has no room for what would come. WhatsApp's
// server keeps it until there is.
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
			return 0, offline("the server did not let us in for " + loginTime.String())
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

// drop ends a connection.
func (l *line) drop() {
	l.m.online(nil)
	hangUp(l.cli)
}

// online notes which client can be posted with.
func (m *Messenger) online(cli *whatsmeow.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cli = cli
	if cli == nil && m.away != nil {
		m.away.Stop()
		m.away = nil
	}
}

// client is the one that is logged in: [bridge.ErrOffline].
func (m *Messenger) client() (*whatsmeow.Client, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cli == nil {
		return nil, bridge.ErrOffline
	}
	return m.cli, nil
}

// awayAfter is how long after the last sign of writing the account is shown as
// away again: while it is not, its own phone is silent.
const awayAfter = 45 * time.Second

// Typing shows for a few seconds that an answer is being written. Whoever is shown
// that is read, too; somebody who is not answered learns nothing.
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

// present shows the account as being there, for a while.
func (m *Messenger) present(ctx context.Context, cli *whatsmeow.Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away != nil && m.away.Reset(awayAfter) {
		return
	}
	if cli.Store.PushName == "" {
		return // the phone has not told yet what the account is called
	}
	if err := cli.SendPresence(ctx, types.PresenceAvailable); err != nil {
		m.log.Debug().Err(err).Msg("cannot show the account as present")
		return
	}
	m.away = time.AfterFunc(awayAfter, func() { _ = cli.SendPresence(context.WithoutCancel(ctx), types.PresenceUnavailable) })
}

// Edit is nothing WhatsApp's bridge does: an edit is shown as one, and only for
// a quarter of an hour.
func (m *Messenger) Edit(context.Context, string, bridge.Piece) error { return bridge.ErrRefused }

// Pressed has nothing to end: there are no buttons.
func (m *Messenger) Pressed(context.Context, string, string) error { return nil }
