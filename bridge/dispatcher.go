package bridge

import (
	"cmp"
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
	minRetryDelay, maxRetryDelay = time.Second, time.Minute
	maxServerDelay               = time.Hour
	pressTimeout                 = 10 * time.Second
	maxConfirmationDelay         = 5 * time.Second
	maxPieces                    = 16 // per answer
)

// dispatcher posts notices to the messenger's server: in order within a chat, concurrently across
// chats. A chat has a worker goroutine only while it has work.
type dispatcher struct {
	m          Messenger
	traits     Traits
	deliveries *deliveryLog
	status     *statusWriter
	files      *files
	log        zerolog.Logger
	now        func() time.Time
	lang       func(ipc.Notice) i18n.Lang
	chatFor    func(sender string) string
	// onDelivered is called when the server has all of a notice.
	onDelivered func(n ipc.Notice)
	// onConfirmationShown is called when a chat's confirmation is shown.
	onConfirmationShown func(chat string)

	liveAfter, toolAfter, liveEvery, editFor time.Duration

	ctx     context.Context
	workers workerGroup

	mu     sync.Mutex
	chats  map[string]*chat
	turns  map[string]*turn // by the ID of the message's request
	queued map[string]bool  // IDs of queued notices
	// resolvedEarly has the confirmations that were resolved before they were recorded as shown.
	resolvedEarly map[string]bool
	closed        bool
}

// chat is one conversation in the messenger: its queue and its live message.
type chat struct {
	id              string
	queue           []*job
	live            *turn
	hasWorker       bool
	wake            chan struct{} // signals new work to a waiting worker
	lastPost        time.Time     // time of the last post; used by the worker only
	firstHandle     string        // handle of the first message posted by this process; used by the worker only
	lastHandle      string        // handle of the last message; used by the worker only
	confirmingSince time.Time     // since when a confirmation is being posted
}

// job is a job of a chat's worker: a notice, or a function that posts or edits messages of the bridge itself.
type job struct {
	notice *ipc.Notice
	run    func(ctx context.Context, c *chat) error
}

// workerGroup is a group of goroutines that starts none once wait was called.
type workerGroup struct {
	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup
}

func (r *workerGroup) Go(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.all.Go(f)
	}
}

func (r *workerGroup) wait() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.all.Wait()
}

// pieceID returns a deterministic ID for one part of a notice.
func pieceID(notice string, part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", notice, part))
	return hex.EncodeToString(sum[:16])
}

// enqueueNotice queues a notice, unless it is queued already. A notice that was delivered before is only acknowledged.
func (p *dispatcher) enqueueNotice(n ipc.Notice) {
	if p.deliveries.isFinished(n.ID) {
		p.onDelivered(n)
		return
	}
	p.mu.Lock()
	known := p.queued[n.ID]
	p.queued[n.ID] = true
	p.mu.Unlock()
	if !known {
		p.enqueue(p.chatFor(n.To), &job{notice: &n})
	}
}

// sendText posts a text of the bridge itself. It is not saved: a restart loses it.
func (p *dispatcher) sendText(chatID, text string) {
	id := pieceID(text+p.now().String(), 0)
	p.enqueue(chatID, &job{run: func(ctx context.Context, c *chat) error {
		_, err := p.post(ctx, c, Piece{ID: id, Chat: c.id, Text: p.renderPlain(text)})
		return err
	}})
}

func (p *dispatcher) enqueue(chatID string, it *job) {
	defer p.status.scheduleWrite() // reads the queue, so after unlock
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	c := p.chatOf(chatID)
	c.queue = append(c.queue, it)
	if it.notice != nil && it.notice.Approval != "" && c.confirmingSince.IsZero() {
		c.confirmingSince = time.Now()
	}
	p.startWorker(c)
}

func (p *dispatcher) chatOf(id string) *chat {
	c := p.chats[id]
	if c == nil {
		p.pruneChats()
		c = &chat{id: id, wake: make(chan struct{}, 1)}
		p.chats[id] = c
	}
	return c
}

// pruneChats limits the size of the map by removing idle chats.
func (p *dispatcher) pruneChats() {
	if len(p.chats) < maxRemembered {
		return
	}
	for id, c := range p.chats {
		if !c.hasWorker && len(c.queue) == 0 && c.live == nil {
			delete(p.chats, id)
		}
	}
}

// startWorker starts a chat's worker, or wakes it.
func (p *dispatcher) startWorker(c *chat) {
	if c.hasWorker {
		select {
		case c.wake <- struct{}{}:
		default:
		}
		return
	}
	c.hasWorker = true
	p.workers.Go(func() { p.runWorker(c) })
}

// runWorker processes a chat's work until there is none.
func (p *dispatcher) runWorker(c *chat) {
	for {
		it, t, after := p.nextJob(c)
		switch {
		case it != nil:
			p.runJob(c, it)
		case t == nil:
			return
		case after > 0:
			p.waitForWork(c, after)
		default:
			p.updateLive(c, t)
		}
	}
}

// nextJob returns a chat's next job, or else its turn with unshown text and the time until that can
// be shown. If there is neither, the worker must exit.
func (p *dispatcher) nextJob(c *chat) (*job, *turn, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ctx.Err() != nil:
	case len(c.queue) > 0:
		it := c.queue[0]
		return it, nil, 0
	case c.live != nil && c.live.dirty && !c.live.ended:
		return nil, c.live, c.live.due.Sub(p.now())
	}
	c.hasWorker = false
	return nil, nil, 0
}

func (p *dispatcher) waitForWork(c *chat, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.wake:
	case <-p.ctx.Done():
	}
}

// updateLive updates a turn's live message if its text has changed.
func (p *dispatcher) updateLive(c *chat, t *turn) {
	p.mu.Lock()
	text := p.liveText(t)
	same := text == t.shown || text == ""
	t.shown, t.dirty = text, false
	t.due = p.now().Add(p.liveEvery)
	p.mu.Unlock()
	if !same {
		p.postLive(p.ctx, t, text)
	}
}

// delayLive postpones a turn's live updates if the server asked for a delay.
func (p *dispatcher) delayLive(t *turn, err error) {
	var busy *Busy
	if !errors.As(err, &busy) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t.due = p.now().Add(min(busy.After, maxServerDelay))
}

// runJob processes one job and removes it from the queue.
func (p *dispatcher) runJob(c *chat, it *job) {
	var err error
	if it.notice != nil {
		err = p.deliverNotice(p.ctx, c, *it.notice)
	} else {
		err = it.run(p.ctx, c)
	}
	if p.ctx.Err() != nil {
		return // delivered after a restart
	}
	if err != nil {
		p.log.Warn().Err(err).Msg("cannot send message")
	}
	if it.notice != nil {
		p.finishNotice(*it.notice) // before releasing messages that may answer it
	}
	p.mu.Lock()
	c.queue = c.queue[1:]
	freed := p.releaseMessages(c)
	if it.notice != nil {
		delete(p.queued, it.notice.ID)
	}
	p.mu.Unlock()
	p.status.scheduleWrite()
	if freed {
		p.onConfirmationShown(c.id)
	}
}

// releaseMessages ends the delay of a chat's messages if no more confirmations are queued. It reports
// whether there was one.
func (p *dispatcher) releaseMessages(c *chat) bool {
	if c.confirmingSince.IsZero() {
		return false
	}
	for _, it := range c.queue {
		if it.notice != nil && it.notice.Approval != "" {
			return false
		}
	}
	c.confirmingSince = time.Time{}
	return true
}

// finishNotice saves that a notice is finished and acknowledges it.
func (p *dispatcher) finishNotice(n ipc.Notice) {
	t := finishedNotice{ID: n.ID, At: p.now()}
	line := deliveryRecord{Finished: &t}
	if n.Task != "" && n.Approval == "" {
		line.Live = &liveMessage{Task: n.Task}
	}
	if err := p.deliveries.record(line, true); err != nil {
		p.log.Warn().Err(err).Msg("cannot save what was sent")
	}
	p.onDelivered(n)
}

// confirmationDelay returns how much longer messages from a chat are delayed because a confirmation is being
// posted there. The delay ensures that an answer to it arrives after it is shown.
func (p *dispatcher) confirmationDelay(chatID string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.chats[chatID]
	if c == nil || c.confirmingSince.IsZero() {
		return 0
	}
	return maxConfirmationDelay - time.Since(c.confirmingSince)
}

// isConfirming reports whether a confirmation is being posted to a chat: not all of it is shown there.
func (p *dispatcher) isConfirming(chatID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.chats[chatID]
	return c != nil && !c.confirmingSince.IsZero()
}

func (p *dispatcher) queueLength() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, c := range p.chats {
		n += len(c.queue)
	}
	return n
}

// post posts a piece at the chat's pace. It retries until that succeeds or is impossible.
func (p *dispatcher) post(ctx context.Context, c *chat, piece Piece) (Posted, error) {
	posted, _, err := p.tryPost(ctx, c, piece)
	return posted, err
}

// tryPost is [mailer.post]. unsure reports that the server may have accepted the piece more than once.
func (p *dispatcher) tryPost(ctx context.Context, c *chat, piece Piece) (posted Posted, unsure bool, err error) {
	err = p.retry(ctx, func() error {
		if err := sleep(ctx, p.traits.Pace-p.now().Sub(c.lastPost)); err != nil {
			return err
		}
		posting, end := withGrace(ctx, stopGrace)
		defer end()
		var err error
		posted, err = p.m.Post(posting, piece)
		c.lastPost = p.now()
		unsure = unsure || err != nil && !wasNotAccepted(err)
		return err
	})
	if err == nil {
		c.recordHandle(posted.Handle)
	}
	return posted, unsure, err
}

// stopGrace is how long a post in progress can continue once the bridge stops. If it is cut off,
// the bridge does not know whether the server accepted the message, and posts it again.
const stopGrace = 3 * time.Second

// withGrace returns a context that ends while after its parent.
func withGrace(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(while, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}

// wasNotAccepted reports whether err means that the server did not accept the message.
func wasNotAccepted(err error) bool {
	var busy *Busy
	return errors.Is(err, ErrNoChat) || errors.Is(err, ErrRefused) || errors.Is(err, ErrOffline) || errors.As(err, &busy)
}

// recordHandle records the handle of a posted message.
func (c *chat) recordHandle(handle string) {
	c.firstHandle = cmp.Or(c.firstHandle, handle)
	c.lastHandle = handle
}

// retry retries do until it succeeds or fails permanently.
func (p *dispatcher) retry(ctx context.Context, do func() error) error {
	pause := newBackoff(minRetryDelay, maxRetryDelay)
	for {
		_, changed := p.status.phase()
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
			d = min(max(busy.After, 0), maxServerDelay)
		}
		p.log.Debug().Err(err).Dur("pause", d).Msg("retrying message")
		if err := p.waitRetry(ctx, d, changed, errors.Is(err, ErrOffline)); err != nil {
			return err
		}
	}
}

// waitRetry waits for d. If offline, it returns early once the messenger is online.
func (p *dispatcher) waitRetry(ctx context.Context, d time.Duration, changed <-chan struct{}, offline bool) error {
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
			if phase, changed = p.status.phase(); phase == state.Online {
				return nil
			}
		}
	}
}

// renderPlain renders plain text in the messenger's markup.
func (p *dispatcher) renderPlain(text string) string { return p.traits.Render(markup.Escape(text)) }
