package bridge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// patience is the maximum time a test waits.
const patience = 20 * time.Second

func awaitChange(t testing.TB, look func() (bool, <-chan struct{})) {
	t.Helper()
	end := time.After(patience)
	for {
		ok, changed := look()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-end:
			require.Fail(t, "it does not come")
		}
	}
}

// fakeMessenger is an in-memory messenger.
type fakeMessenger struct {
	traits Traits
	halt   chan error

	mu       sync.Mutex
	r        Receiver
	up       chan struct{}
	shown    []*shownMessage
	byID     map[string]*shownMessage
	fail     func(p Piece) error
	loseText string // lose the replies to this many pieces with the text lose
	losses   int
	at       time.Time
	typed    int
	pressed  []string
	changed  chan struct{}
}

// shownMessage is a message as currently displayed.
type shownMessage struct {
	Piece
	handle  string
	edits   int
	copies  int
	removed bool
}

func newFakeMessenger(traits Traits) *fakeMessenger {
	if traits.Length == 0 {
		traits.Length = 4096
	}
	if traits.Render == nil {
		traits.Render, traits.Literal = markup.WhatsApp, markup.WhatsAppLiteral
	}
	return &fakeMessenger{
		traits: traits, halt: make(chan error, 1), up: make(chan struct{}), byID: map[string]*shownMessage{}, changed: make(chan struct{}),
		at: time.Unix(1_800_000_000, 0),
	}
}

func (p *fakeMessenger) Name() string   { return "telegram" }
func (p *fakeMessenger) Traits() Traits { return p.traits }

func (p *fakeMessenger) Run(ctx context.Context, r Receiver) error {
	p.mu.Lock()
	p.r = r
	close(p.up)
	p.mu.Unlock()
	r.UpdateState(state.State{Phase: state.Online})
	select {
	case <-ctx.Done():
		return nil
	case err := <-p.halt:
		return err
	}
}

func (p *fakeMessenger) change() {
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *fakeMessenger) Post(_ context.Context, piece Piece) (Posted, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		if err := p.fail(piece); err != nil {
			return Posted{}, err
		}
	}
	defer p.change()
	if b := p.byID[piece.ID]; b != nil && p.traits.OwnIDs {
		b.copies++
		return Posted{b.handle, p.at}, nil
	}
	b := &shownMessage{Piece: piece, handle: strconv.Itoa(len(p.shown) + 1), copies: 1}
	p.shown = append(p.shown, b)
	p.byID[piece.ID] = b
	if p.losses > 0 && piece.Text == p.loseText {
		p.losses--
		return Posted{}, errors.New("no reply")
	}
	return Posted{b.handle, p.at}, nil
}

func (p *fakeMessenger) Edit(_ context.Context, handle string, piece Piece) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		if err := p.fail(piece); err != nil {
			return err
		}
	}
	n, err := strconv.Atoi(handle)
	if err != nil || n < 1 || n > len(p.shown) {
		return ErrRefused
	}
	b := p.shown[n-1]
	if b.removed {
		return ErrRefused
	}
	b.Text, b.Buttons = piece.Text, piece.Buttons
	b.edits++
	p.change()
	return nil
}

func (p *fakeMessenger) Remove(_ context.Context, _, handle string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := strconv.Atoi(handle)
	if err != nil || n < 1 || n > len(p.shown) {
		return ErrRefused
	}
	p.shown[n-1].removed = true
	p.change()
	return nil
}

func (p *fakeMessenger) Retract(ctx context.Context, chat, after, before string) error {
	first, _ := strconv.Atoi(after)
	last, _ := strconv.Atoi(before)
	for n := first + 1; n < last; n++ {
		if err := p.Remove(ctx, chat, strconv.Itoa(n)); err != nil {
			return err
		}
	}
	return nil
}

// loseReplies makes the server lose its reply to the next times pieces with a text.
func (p *fakeMessenger) loseReplies(text string, times int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loseText, p.losses = text, times
}

func (p *fakeMessenger) Typing(context.Context, string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.typed++
	p.change()
	return nil
}

func (p *fakeMessenger) AnswerPress(_ context.Context, press, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pressed = append(p.pressed, press+": "+text)
	p.change()
	return nil
}

// setFailure makes the server fail; nil stops that.
func (p *fakeMessenger) setFailure(fail func(Piece) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = fail
}

func (p *fakeMessenger) until(t testing.TB, what func() bool) {
	t.Helper()
	awaitChange(t, func() (bool, <-chan struct{}) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return what(), p.changed
	})
}

// texts returns the messages currently in a chat.
func (p *fakeMessenger) texts(chat string) []string {
	var all []string
	for _, b := range p.shown {
		if b.Chat == chat && !b.removed {
			all = append(all, b.Text)
		}
	}
	return all
}

// receiveText receives a message from a person.
func (p *fakeMessenger) receiveText(t testing.TB, from, text string) error {
	<-p.up
	p.mu.Lock()
	r, id := p.r, fmt.Sprintf("in%d", time.Now().UnixNano())
	p.mu.Unlock()
	return r.Receive(t.Context(), Incoming{ID: id, Chat: from, Sender: from, Text: text, Sent: p.at.Add(time.Second)})
}

func (p *fakeMessenger) receive(t testing.TB, in Incoming) error {
	<-p.up
	return p.r.Receive(t.Context(), in)
}

// runningBridge is a running bridge.
type runningBridge struct {
	*Bridge
	dir  string
	stop func() error
	// ended waits until the bridge ends without being stopped.
	ended func() error
}

func runBridge(t testing.TB, p *fakeMessenger, d *fakeDaemon, dir string, change func(*Bridge)) *runningBridge {
	l := ipc.Locator{Getenv: func(name string) string {
		if name == "BLUNUX_AI_SOCK" {
			return d.socket
		}
		return ""
	}, UID: uid(), TempDir: t.TempDir()}
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "telegram")
	}
	p.up = make(chan struct{})
	b := New(Options{Messenger: p, Dialer: ipc.Dialer{Locator: l, NoStart: true}, Dir: dir, Lang: i18n.English, Version: "1", Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.DebugLevel)})
	if change != nil {
		change(b)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- b.Run(ctx) }()
	r := &runningBridge{Bridge: b, dir: dir}
	r.ended = sync.OnceValue(func() error { return <-over })
	r.stop = func() error {
		cancel()
		return r.ended()
	}
	t.Cleanup(func() { _ = r.stop() })
	<-p.up
	return r
}
