package telegram

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/go-telegram/bot"
	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/account"
	"github.com/nidoit/blunux-ai/bridge/state"
)

const (
	// maxUpdates is the maximum number of updates per request.
	maxUpdates = 20
	// minDelay and maxBackoff bound the delay between attempts after failures.
	minDelay, maxBackoff = 250 * time.Millisecond, time.Minute
	// maxConflicts is how many conflicts with another poll, each within conflictWindow of the
	// previous one, mean that another program uses the bot.
	maxConflicts   = 3
	conflictWindow = 5 * time.Minute
	// minPollTime is the minimum time of an empty long poll. A faster answer means that the server does
	// not support long polling.
	minPollTime = time.Second
	// albumTime is how long to wait for the rest of an album.
	albumTime = 700 * time.Millisecond
)

type poller struct {
	*Client
	to       bridge.Receiver
	offset   *offset
	reported state.State // last reported state
	me       string      // the bot's name; "" until it is known
	answered bool        // the last request was answered
	limit    int

	conflicts    int
	lastConflict time.Time
}

// Errors of a poll other than errors of calls.
var (
	errNoProgress = errors.New("the server repeats confirmed updates, or sends no update IDs")
	errNoLongPoll = errors.New("the server does not support long polling")
)

// storeError is the error of storing a message. The message is not confirmed.
type storeError struct{ error }

func (e storeError) Unwrap() error { return e.error }

// Run implements [bridge.Messenger].
func (c *Client) Run(ctx context.Context, to bridge.Receiver) error {
	within, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case err := <-c.lost:
			abort(err)
		case <-done:
		}
	}()
	p := &poller{Client: c, to: to, offset: openOffset(c.options), limit: maxUpdates}
	p.reportState(state.State{Phase: state.Connecting})
	wait := newBackoff()
	for {
		err := p.pollOnce(within)
		if within.Err() != nil {
			if ctx.Err() != nil {
				return nil
			}
			return c.haltError(context.Cause(within), 0)
		}
		if err == nil {
			wait.Reset()
			continue
		}
		pause, halt := p.handleError(err, wait)
		if halt != nil {
			return halt
		}
		sleep(within, pause)
	}
}

func newBackoff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier, b.RandomizationFactor = minDelay, maxBackoff/3*2, 2, 0.5
	return b
}

// sleep waits for pause or until ctx ends.
func sleep(ctx context.Context, pause time.Duration) {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// handleError reports the state after an error. It returns the delay before the next attempt, or the
// error that ends Run.
func (p *poller) handleError(err error, wait *backoff.ExponentialBackOff) (time.Duration, error) {
	p.answered = false
	if errors.Is(err, bot.ErrorConflict) {
		p.conflicts++
		p.lastConflict = time.Now()
	}
	if halt := p.haltError(err, p.conflicts); halt != nil {
		return 0, halt
	}
	p.options.Log.Debug().Str("error", account.Shorten(p.redact(err).Error())).Msg("polling failed")
	var busy *bot.TooManyRequestsError
	if errors.As(err, &busy) {
		pause := delayOf(busy.RetryAfter)
		p.reportState(state.State{Phase: state.Limited, Until: time.Now().Add(pause)})
		return pause, nil
	}
	var kept storeError
	if errors.As(err, &kept) {
		p.options.Log.Warn().Err(p.redact(err)).Msg("cannot store messages")
	} else if !errors.Is(err, errNoLongPoll) && !errors.Is(err, errNoProgress) {
		p.reportState(state.State{Phase: state.Offline, Detail: account.Shorten(p.redact(err).Error())})
	}
	return wait.NextBackOff(), nil
}

// reportState reports the messenger's state if it has changed.
func (p *poller) reportState(s state.State) {
	s.Account = p.me
	if s.Phase == p.reported.Phase && s.Until.Equal(p.reported.Until) && s.Account == p.reported.Account {
		return
	}
	p.reported = s
	p.to.UpdateState(s)
}

// pollOnce requests updates and handles them. It uses a long poll if the server answered the last request.
func (p *poller) pollOnce(ctx context.Context) error {
	if err := p.loadName(ctx); err != nil {
		return err
	}
	var wait time.Duration
	if p.answered {
		wait = pollTime
	}
	began := time.Now()
	list, err := p.getUpdates(ctx, wait)
	if err != nil {
		return err
	}
	p.answered = true
	if time.Since(p.lastConflict) > conflictWindow {
		p.conflicts = 0
	}
	p.reportState(state.State{Phase: state.Online})
	if len(list) == 0 {
		if wait > 0 && time.Since(began) < minPollTime {
			return errNoLongPoll
		}
		p.reportIdle(wait)
		return nil
	}
	return p.handleUpdates(ctx, p.completeAlbum(ctx, list))
}

// reportIdle reports that a long poll ended without updates.
func (p *poller) reportIdle(waited time.Duration) {
	if p.options.Idle != nil && waited > 0 {
		p.options.Idle()
	}
}

// loadName requests the bot's name once.
func (p *poller) loadName(ctx context.Context) error {
	if p.me != "" {
		return nil
	}
	me, err := p.Me(ctx)
	if err != nil {
		return err
	}
	p.me = "@" + me
	return nil
}

// completeAlbum requests the updates again if the last message belongs to an album, because albums arrive
// one message at a time.
func (p *poller) completeAlbum(ctx context.Context, list []json.RawMessage) []json.RawMessage {
	var last struct {
		Message struct {
			Album string `json:"media_group_id"`
		} `json:"message"`
	}
	if len(list) >= p.limit || json.Unmarshal(list[len(list)-1], &last) != nil || last.Message.Album == "" {
		return list
	}
	sleep(ctx, albumTime)
	if more, err := p.getUpdates(ctx, 0); err == nil && len(more) > len(list) {
		return more
	}
	return list
}

// handleUpdates handles updates in order, and advances the offset past those that were stored or are ignored.
func (p *poller) handleUpdates(ctx context.Context, list []json.RawMessage) error {
	before := p.offset.next()
	var failed error
	for _, l := range p.parseUpdates(list) {
		if l.in.ID != "" {
			if err := p.to.Receive(ctx, l.in); err != nil {
				failed = storeError{fmt.Errorf("cannot store a message: %w", err)}
				break
			}
		}
		p.offset.advance(l.last)
	}
	if p.offset.next() == before {
		return errors.Join(failed, errNoProgress)
	}
	if err := p.offset.save(); err != nil && failed == nil {
		failed = storeError{err}
	}
	return failed
}

// inbound is a message, which can be an album of several updates, with the ID of its last update. An
// ignored update has no message.
type inbound struct {
	in    bridge.Incoming
	album string
	last  int64
}

// parseUpdates parses updates. Unreadable updates are ignored. Updates without an ID cannot be confirmed
// and are omitted.
func (p *poller) parseUpdates(list []json.RawMessage) []inbound {
	var messages []inbound
	for _, raw := range list {
		id := idOf(raw)
		if id == 0 {
			continue
		}
		in, album, err := p.convertUpdate(raw)
		if err != nil {
			p.options.Log.Debug().Int64("update", id).AnErr("reason", p.redact(err)).Msg("update ignored")
			messages = append(messages, inbound{last: id})
			continue
		}
		if n := len(messages); n > 0 && isSameAlbum(messages[n-1], in, album) {
			l := &messages[n-1]
			l.last, l.in.Files = id, append(l.in.Files, in.Files...)
			l.in.Text = cmp.Or(l.in.Text, in.Text)
			continue
		}
		messages = append(messages, inbound{in, album, id})
	}
	return messages
}

// isSameAlbum reports whether a message belongs to the same album as the previous one.
func isSameAlbum(l inbound, in bridge.Incoming, album string) bool {
	return album != "" && l.album == album && l.in.Chat == in.Chat && l.in.Forwarded == in.Forwarded && in.Press == nil &&
		len(l.in.Files)+len(in.Files) <= maxFiles && (l.in.Text == "" || in.Text == "")
}

// getUpdates implements section "getUpdates". The offset confirms all updates before it.
func (p *poller) getUpdates(ctx context.Context, wait time.Duration) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, wait+callTime)
	defer cancel()
	body, err := p.callRaw(ctx, "getUpdates", map[string]any{
		"offset": p.offset.next(), "limit": p.limit, "timeout": int(wait / time.Second), "allowed_updates": []string{"message", "callback_query"},
	})
	if errors.Is(err, errAnswerTooLong) {
		return p.handleLongAnswer(body)
	}
	p.limit = maxUpdates
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("cannot read the updates: %w", err)
	}
	return list, nil
}

var updateID = regexp.MustCompile(`"update_id"\s*:\s*([0-9]{1,18})\b`)

// handleLongAnswer handles an answer that is too long. It reduces the limit to one update. If the limit is
// already one, it skips that update, of which it reads only the ID.
func (p *poller) handleLongAnswer(body []byte) ([]json.RawMessage, error) {
	if p.limit > 1 {
		p.limit = 1
		return nil, errAnswerTooLong
	}
	found := updateID.FindSubmatch(body)
	if found == nil {
		return nil, errAnswerTooLong
	}
	return []json.RawMessage{json.RawMessage(`{"update_id":` + string(found[1]) + `}`)}, nil
}

// callRaw calls a method whose raw answer the library does not return. With errAnswerTooLong it returns the
// start of the answer.
func (c *Client) callRaw(ctx context.Context, method string, params any) (json.RawMessage, error) {
	data, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("cannot call %s: %w", method, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server+"/bot"+c.options.Token+"/"+method, bytes.NewReader(data))
	if err != nil {
		return nil, c.redact(fmt.Errorf("cannot call %s: %w", method, err))
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.redact(fmt.Errorf("cannot call %s: %w", method, err))
	}
	body, err := readAnswer(resp)
	if err != nil {
		return body, c.redact(fmt.Errorf("cannot call %s: %w", method, err))
	}
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("cannot call %s: %w", method, err)
	}
	if !e.OK {
		return nil, c.redact(c.answerError(e))
	}
	return e.Result, nil
}

// answerError converts a failed answer to the library's error for it.
func (c *Client) answerError(e envelope) error {
	kind, ok := map[int]error{
		http.StatusBadRequest: bot.ErrorBadRequest, http.StatusUnauthorized: bot.ErrorUnauthorized, http.StatusForbidden: bot.ErrorForbidden,
		http.StatusNotFound: bot.ErrorNotFound, http.StatusConflict: bot.ErrorConflict,
	}[e.Code]
	switch {
	case e.Code == http.StatusTooManyRequests:
		return &bot.TooManyRequestsError{Message: account.Shorten(e.Description), RetryAfter: e.Parameters.RetryAfter}
	case ok:
		return fmt.Errorf("%w, %s", kind, account.Shorten(e.Description))
	}
	return errors.New("the server failed: " + strconv.Itoa(e.Code) + " " + account.Shorten(e.Description))
}

// Me requests the bot's name, without the @.
func (c *Client) Me(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	me, err := c.api.GetMe(ctx)
	switch {
	case err != nil:
		return "", c.redact(err)
	case !me.IsBot || me.Username == "":
		return "", errNoAnswer
	}
	return me.Username, nil
}

// Webhook returns the URL to which the bot's messages are sent, or "". A bot with a webhook cannot
// be polled (section "setWebhook").
func (c *Client) Webhook(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	info, err := c.api.GetWebhookInfo(ctx)
	if err != nil {
		return "", c.redact(err)
	}
	return info.URL, nil
}

// DropWebhook removes the webhook.
func (c *Client) DropWebhook(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := c.api.DeleteWebhook(ctx, &bot.DeleteWebhookParams{})
	return c.redact(err)
}

const (
	offsetFile    = "offset.json"
	maxOffsetFile = 4 << 10
	// offsetTTL is how long an offset is valid. After a week without updates, the server continues with a random number
	// (section "Update"). Without an offset, it returns all unconfirmed updates.
	offsetTTL = 6 * 24 * time.Hour
)

// offset is the number of the next update, and the file it is saved in.
type offset struct {
	path  string
	saved offsetRecord
}

// offsetRecord is the content of the file. Bot is the ID of the bot that received the updates.
type offsetRecord struct {
	Bot  string    `json:"bot"`
	Next int64     `json:"next"`
	At   time.Time `json:"at"`
}

// openOffset reads the saved offset. An unreadable file counts as empty: the server also knows what
// was confirmed, and duplicate messages are recognized.
func openOffset(o Options) *offset {
	id, _, _ := strings.Cut(o.Token, ":")
	of := &offset{saved: offsetRecord{Bot: id}}
	if o.Dir == "" {
		return of
	}
	of.path = filepath.Join(o.Dir, offsetFile)
	f, err := os.OpenFile(of.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return of
	}
	defer f.Close()
	var kept offsetRecord
	data, err := io.ReadAll(io.LimitReader(f, maxOffsetFile))
	if err == nil && json.Unmarshal(data, &kept) == nil && kept.Bot == id && kept.Next > 0 {
		of.saved = kept
	}
	return of
}

// next returns the offset to request; 0 requests all unconfirmed updates.
func (o *offset) next() int64 {
	if age := time.Since(o.saved.At); age > offsetTTL || age < -offsetTTL {
		return 0
	}
	return o.saved.Next
}

// advance records that an update was handled.
func (o *offset) advance(id int64) {
	o.saved.Next, o.saved.At = id+1, time.Now().UTC().Round(time.Second)
}

func (o *offset) save() error {
	if o.path == "" {
		return nil
	}
	data, err := json.Marshal(o.saved)
	if err == nil {
		err = renameio.WriteFile(o.path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot save the offset: %w", err)
	}
	return nil
}
