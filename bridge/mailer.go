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

// Delays and limits of posting.
const (
	firstAgain, longestAgain = time.Second, time.Minute
	longestBusy              = time.Hour
	pressTime                = 10 * time.Second
	longestHold              = 5 * time.Second
	mostPieces               = 16 // per answer
)

// mailer posts notices to the messenger's server: in order within a chat, concurrently across
// chats. A chat has a worker goroutine only while it has work.
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
	// done is called when the server has all of a notice.
	done func(n ipc.Notice)
	// freed is called when a chat's confirmation is shown.
	freed func(chat string)

	liveAfter, toolAfter, liveEvery, editFor time.Duration

	ctx     context.Context
	running running

	mu     sync.Mutex
	chats  map[string]*chat
	turns  map[string]*turn // by the ID of the message's request
	queued map[string]bool  // IDs of queued notices
	// quick has the confirmations that were resolved before they were recorded as shown.
	quick map[string]bool
	ended bool
}

// chat is one conversation in the messenger: its queue and its live message.
type chat struct {
	id      string
	queue   []*item
	live    *turn
	working bool
	wake    chan struct{} // signals new work to a waiting worker
	last    time.Time     // time of the last post; used by the worker only
	first   string        // handle of the first message posted by this process; used by the worker only
	handle  string        // handle of the last message; used by the worker only
	asking  time.Time     // since when a confirmation is being posted
}

// item is a job of a chat's worker: a notice, or a function that posts or edits messages of the
// bridge itself.
type item struct {
	notice *ipc.Notice
	do     func(ctx context.Context, c *chat) error
}

// running is a group of goroutines that starts none once wait was called.
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

// pieceID returns a deterministic ID for part part of a notice.
func pieceID(notice string, part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", notice, part))
	return hex.EncodeToString(sum[:16])
}

// tell queues a notice, unless it is queued already. A notice that was delivered before is only
// acknowledged.
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

// say posts a text of the bridge itself. It is not saved: a restart loses it.
func (p *mailer) say(chatID, text string) {
	id := pieceID(text+p.now().String(), 0)
	p.enqueue(chatID, &item{do: func(ctx context.Context, c *chat) error {
		_, err := p.post(ctx, c, Piece{ID: id, Chat: c.id, Text: p.own(text)})
		return err
	}})
}

func (p *mailer) enqueue(chatID string, it *item) {
	defer p.station.waits() // reads the queue, so after unlock
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

// forgetChats limits the size of the map by removing idle chats.
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

// start starts a chat's worker, or wakes it.
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

// serve processes a chat's work until there is none.
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

// next returns a chat's next item, or else its turn with unshown text and the time until that can
// be shown. If there is neither, the worker must exit.
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

// show updates a turn's live message if its text has changed.
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

// later postpones a turn's live updates if the server asked for a delay.
func (p *mailer) later(t *turn, err error) {
	var busy *Busy
	if !errors.As(err, &busy) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t.due = p.now().Add(min(busy.After, longestBusy))
}

// serveItem processes one item and removes it from the queue.
func (p *mailer) serveItem(c *chat, it *item) {
	var err error
	if it.notice != nil {
		err = p.deliver(p.ctx, c, *it.notice)
	} else {
		err = it.do(p.ctx, c)
	}
	if p.ctx.Err() != nil {
		return // delivered after a restart
	}
	if err != nil {
		p.log.Warn().Err(err).Msg("cannot send message")
	}
	if it.notice != nil {
		p.over(*it.notice) // before releasing messages that may answer it
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

// release ends the delay of a chat's messages if no more confirmations are queued. It reports
// whether there was one.
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

// over saves that a notice is finished and acknowledges it.
func (p *mailer) over(n ipc.Notice) {
	t := told{ID: n.ID, At: p.now()}
	line := sentLine{Told: &t}
	if n.Task != "" && n.Approval == "" {
		line.Begun = &beginning{Task: n.Task}
	}
	if err := p.sent.note(line, true); err != nil {
		p.log.Warn().Err(err).Msg("cannot save what was sent")
	}
	p.done(n)
}

// hold returns how much longer messages from a chat are delayed because a confirmation is being
// posted there. The delay ensures that an answer to it arrives after it is shown.
func (p *mailer) hold(chatID string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.chats[chatID]
	if c == nil || c.asking.IsZero() {
		return 0
	}
	return longestHold - time.Since(c.asking)
}

// unsent returns the number of queued items.
func (p *mailer) unsent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, c := range p.chats {
		n += len(c.queue)
	}
	return n
}

// post posts a piece at the chat's pace. It retries until that succeeds or is impossible.
func (p *mailer) post(ctx context.Context, c *chat, piece Piece) (Posted, error) {
	posted, _, err := p.tryPost(ctx, c, piece)
	return posted, err
}

// tryPost is [mailer.post]. unsure reports that the server may have accepted the piece more than
// once.
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

// stopGrace is how long a post in progress can continue once the bridge stops. If it is cut off,
// the bridge does not know whether the server accepted the message, and posts it again.
const stopGrace = 3 * time.Second

// outlive returns a context that ends while after its parent.
func outlive(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(while, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}

// neverTaken reports whether err means that the server did not accept the message.
func neverTaken(err error) bool {
	var busy *Busy
	return errors.Is(err, ErrNoChat) || errors.Is(err, ErrRefused) || errors.Is(err, ErrOffline) || errors.As(err, &busy)
}

// notePosted records the handle of a posted message.
func (c *chat) notePosted(handle string) {
	if c.first == "" {
		c.first = handle
	}
	c.handle = handle
}

// again retries do until it succeeds or fails permanently.
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
		p.log.Debug().Err(err).Dur("pause", d).Msg("retrying message")
		if err := p.pause(ctx, d, changed, errors.Is(err, ErrOffline)); err != nil {
			return err
		}
	}
}

// pause waits for d. If offline, it returns early once the messenger is online.
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

// own renders plain text in the messenger's markup.
func (p *mailer) own(text string) string { return p.traits.Render(markup.Escape(text)) }
