package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// The pauses before something is posted again.
const (
	firstAgain, longestAgain = time.Second, time.Minute
	longestBusy              = time.Hour
	pressTime                = 10 * time.Second
	longestHold              = 5 * time.Second
	mostPieces               = 16 // of one answer
)

// mailer brings what is to be told to the messenger's server: to each chat in
// order, to different chats side by side. It has a goroutine a chat only while
// there is something for it.
type mailer struct {
	m       Messenger
	traits  Traits
	sent    *sent
	station *station
	files   *files
	log     zerolog.Logger
	now     func() time.Time
	lang    func(ipc.Notice) i18n.Lang
	chatFor func(sender string) string
	// done is told when all of a notice is with the server.
	done func(n ipc.Notice)
	// freed is told when a chat's confirmation is shown.
	freed func(chat string)

	liveAfter, toolAfter, liveEvery, editFor time.Duration

	ctx     context.Context
	running running

	mu     sync.Mutex
	chats  map[string]*chat
	turns  map[string]*turn // by the message's request
	queued map[string]bool  // ids of notices
	// quick are confirmations that were over before it was noted that they are shown.
	quick map[string]bool
	ended bool
}

// chat is one conversation: what is to be posted there, and what appears there.
type chat struct {
	id      string
	queue   []*item
	live    *turn
	working bool
	wake    chan struct{} // something came while the worker waits for the next appearance
	last    time.Time     // of the last piece; the worker's own
	first   string        // the first message posted by this process; the worker's own
	handle  string        // the last one; the worker's own
	asking  time.Time     // since when a confirmation is being posted
}

// item is something to be done in a chat: a notice to be told, or words and
// changes of our own.
type item struct {
	notice *ipc.Notice
	do     func(ctx context.Context, c *chat) error
}

// running counts goroutines, none of which begins once they are waited for.
type running struct {
	mu   sync.Mutex
	over bool
	all  sync.WaitGroup
}

func (r *running) Go(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.all.Go(f)
	}
}

func (r *running) wait() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.all.Wait()
}

// pieceID is the same for the same piece of the same text.
func pieceID(notice string, part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", notice, part))
	return hex.EncodeToString(sum[:16])
}

// tell takes a notice, unless it is on its way.
func (p *mailer) tell(n ipc.Notice) {
	if p.sent.isTold(n.ID) {
		p.done(n)
		return
	}
	p.mu.Lock()
	known := p.queued[n.ID]
	p.queued[n.ID] = true
	p.mu.Unlock()
	if !known {
		p.enqueue(p.chatFor(n.To), &item{notice: &n})
	}
}

// say posts words of the bridge's own, as long as it runs.
func (p *mailer) say(chatID, text string) {
	id := pieceID(text+p.now().String(), 0)
	p.enqueue(chatID, &item{do: func(ctx context.Context, c *chat) error {
		_, err := p.post(ctx, c, Piece{ID: id, Chat: c.id, Text: p.own(text)})
		return err
	}})
}

func (p *mailer) enqueue(chatID string, it *item) {
	defer p.station.waits() // which looks at what waits here
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	c := p.chatOf(chatID)
	c.queue = append(c.queue, it)
	if it.notice != nil && it.notice.Approval != "" && c.asking.IsZero() {
		c.asking = time.Now()
	}
	p.start(c)
}

func (p *mailer) chatOf(id string) *chat {
	c := p.chats[id]
	if c == nil {
		p.forgetChats()
		c = &chat{id: id, wake: make(chan struct{}, 1)}
		p.chats[id] = c
	}
	return c
}

// forgetChats keeps the map of chats small: one in which nothing happens needs
// not to be remembered.
func (p *mailer) forgetChats() {
	if len(p.chats) < mostMet {
		return
	}
	for id, c := range p.chats {
		if !c.working && len(c.queue) == 0 && c.live == nil {
			delete(p.chats, id)
		}
	}
}

// start has a chat's worker look at it.
func (p *mailer) start(c *chat) {
	if c.working {
		select {
		case c.wake <- struct{}{}:
		default:
		}
		return
	}
	c.working = true
	p.running.Go(func() { p.serve(c) })
}

// serve does what there is to be done in a chat.
func (p *mailer) serve(c *chat) {
	for {
		it, t, after := p.next(c)
		switch {
		case it != nil:
			p.serveItem(c, it)
		case t == nil:
			return
		case after > 0:
			p.await(c, after)
		default:
			p.show(c, t)
		}
	}
}

// next is the next thing to do in a chat, the time until a turn may appear
// there, or nothing: then the worker is over.
func (p *mailer) next(c *chat) (*item, *turn, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ctx.Err() != nil:
	case len(c.queue) > 0:
		it := c.queue[0]
		return it, nil, 0
	case c.live != nil && c.live.dirty && !c.live.over:
		return nil, c.live, c.live.due.Sub(p.now())
	}
	c.working = false
	return nil, nil, 0
}

func (p *mailer) await(c *chat, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.wake:
	case <-p.ctx.Done():
	}
}

// show has a turn's words appear, where they have changed.
func (p *mailer) show(c *chat, t *turn) {
	p.mu.Lock()
	text := p.words(t)
	same := text == t.shown || text == ""
	t.shown, t.dirty = text, false
	t.due = p.now().Add(p.liveEvery)
	p.mu.Unlock()
	if !same {
		p.appear(p.ctx, t, text)
	}
}

// later lets a turn's words wait for longer, where the server asks for that.
func (p *mailer) later(t *turn, err error) {
	var busy *Busy
	if !errors.As(err, &busy) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t.due = p.now().Add(min(busy.After, longestBusy))
}

// serveItem does one thing and takes it out of the queue.
func (p *mailer) serveItem(c *chat, it *item) {
	var err error
	if it.notice != nil {
		err = p.deliver(p.ctx, c, *it.notice)
	} else {
		err = it.do(p.ctx, c)
	}
	if p.ctx.Err() != nil {
		return // it is told when the bridge runs again
	}
	if err != nil {
		p.log.Warn().Err(err).Msg("given up: it cannot be sent")
	}
	if it.notice != nil {
		p.over(*it.notice) // before messages go that may answer it
	}
	p.mu.Lock()
	c.queue = c.queue[1:]
	freed := p.release(c)
	if it.notice != nil {
		delete(p.queued, it.notice.ID)
	}
	p.mu.Unlock()
	p.station.waits()
	if freed {
		p.freed(c.id)
	}
}

// release ends the time in which a chat's messages wait for a confirmation.
func (p *mailer) release(c *chat) bool {
	if c.asking.IsZero() {
		return false
	}
	for _, it := range c.queue {
		if it.notice != nil && it.notice.Approval != "" {
			return false
		}
	}
	c.asking = time.Time{}
	return true
}

// over notes that nothing of a notice is left, and says so to the daemon.
func (p *mailer) over(n ipc.Notice) {
	t := told{ID: n.ID, At: p.now()}
	line := sentLine{Told: &t}
	if n.Task != "" && n.Approval == "" {
		line.Begun = &beginning{Task: n.Task}
	}
	if err := p.sent.note(line, true); err != nil {
		p.log.Warn().Err(err).Msg("what was sent is not on the disk")
	}
	p.done(n)
}

// hold is how long messages from a chat wait, because a confirmation is just
// being posted there: its answer shall find it shown.
func (p *mailer) hold(chatID string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.chats[chatID]
	if c == nil || c.asking.IsZero() {
		return 0
	}
	return longestHold - time.Since(c.asking)
}

// unsent is how many notices and other words wait.
func (p *mailer) unsent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, c := range p.chats {
		n += len(c.queue)
	}
	return n
}

// post posts a piece, however long that takes, at the chat's pace.
func (p *mailer) post(ctx context.Context, c *chat, piece Piece) (Posted, error) {
	posted, _, err := p.tryPost(ctx, c, piece)
	return posted, err
}

// tryPost is [mailer.post]; unsure reports that the server may have taken the piece more
// than once.
func (p *mailer) tryPost(ctx context.Context, c *chat, piece Piece) (posted Posted, unsure bool, err error) {
	err = p.again(ctx, func() error {
		if err := wait(ctx, p.traits.Pace-p.now().Sub(c.last)); err != nil {
			return err
		}
		posting, end := outlive(ctx, stopGrace)
		defer end()
		var err error
		posted, err = p.m.Post(posting, piece)
		c.last = p.now()
		unsure = unsure || err != nil && !neverTaken(err)
		return err
	})
	if err == nil {
		c.notePosted(posted.Handle)
	}
	return posted, unsure, err
}

// stopGrace is how long a message that is being posted may take once the bridge is told to
// stop. Of one that is cut off nobody knows whether it was taken: it is posted again.
const stopGrace = 3 * time.Second

// outlive returns a context that ends a while after another.
func outlive(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(while, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}

// neverTaken reports that the server did not take what was posted.
func neverTaken(err error) bool {
	var busy *Busy
	return errors.Is(err, ErrNoChat) || errors.Is(err, ErrRefused) || errors.Is(err, ErrOffline) || errors.As(err, &busy)
}

// notePosted remembers a message that was posted.
func (c *chat) notePosted(handle string) {
	if c.first == "" {
		c.first = handle
	}
	c.handle = handle
}

// again does something until it is done, or can never be.
func (p *mailer) again(ctx context.Context, do func() error) error {
	pause := pauses(firstAgain, longestAgain)
	for {
		_, changed := p.station.phase()
		err := do()
		if err == nil || errors.Is(err, ErrNoChat) || errors.Is(err, ErrRefused) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d := pause.NextBackOff()
		var busy *Busy
		if errors.As(err, &busy) {
			d = min(max(busy.After, 0), longestBusy)
		}
		p.log.Debug().Err(err).Dur("pause", d).Msg("it is sent again")
		if err := p.pause(ctx, d, changed, errors.Is(err, ErrOffline)); err != nil {
			return err
		}
	}
}

// pause waits; while the messenger is offline, for the instant it is not.
func (p *mailer) pause(ctx context.Context, d time.Duration, changed <-chan struct{}, offline bool) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		if !offline {
			changed = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case <-changed:
			var phase state.Phase
			if phase, changed = p.station.phase(); phase == state.Online {
				return nil
			}
		}
	}
}

// own is text that is no Markdown, in the messenger's markup.
func (p *mailer) own(text string) string { return p.traits.Render(markup.Escape(text)) }
