package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/go-telegram/bot"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/state"
)

const (
	// mostUpdates is the maximum number of updates per request.
	mostUpdates = 20
	// firstWait and longestWait bound the delay between attempts after failures.
	firstWait, longestWait = 250 * time.Millisecond, time.Minute
	// mostConflicts is how many conflicts with another poll, each within conflictsLast of the
	// previous one, mean that another program uses the bot.
	mostConflicts = 3
	conflictsLast = 5 * time.Minute
	// hurried is the minimum time of an empty long poll. A faster answer means that the server does
	// not support long polling.
	hurried = time.Second
	// albumTime is how long to wait for the rest of an album.
	albumTime = 700 * time.Millisecond
)

// poll is the state of one run.
type poll struct {
	*Client
	to     bridge.Receiver
	offset *offset
	told   state.State // last reported state
	me     string      // the bot's name; "" until it is known
	proven bool        // the last request was answered
	limit  int

	conflicts  int
	conflicted time.Time
}

// Errors of a poll other than errors of calls.
var (
	errNoProgress = errors.New("the server repeats confirmed updates, or sends no update IDs")
	errHurried    = errors.New("the server does not support long polling")
)

// keepError is the error of storing a message. The message is not confirmed.
type keepError struct{ error }

func (e keepError) Unwrap() error { return e.error }

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
	p := &poll{Client: c, to: to, offset: openOffset(c.options), limit: mostUpdates}
	p.stand(state.State{Phase: state.Connecting})
	wait := waits()
	for {
		err := p.once(within)
		if within.Err() != nil {
			if ctx.Err() != nil {
				return nil
			}
			return c.halt(context.Cause(within), 0)
		}
		if err == nil {
			wait.Reset()
			continue
		}
		pause, halt := p.failed(err, wait)
		if halt != nil {
			return halt
		}
		rest(within, pause)
	}
}

func waits() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier, b.RandomizationFactor = firstWait, longestWait/3*2, 2, 0.5
	return b
}

// rest waits for pause or until ctx ends.
func rest(ctx context.Context, pause time.Duration) {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// failed reports the state after an error. It returns the delay before the next attempt, or the
// error that ends Run.
func (p *poll) failed(err error, wait *backoff.ExponentialBackOff) (time.Duration, error) {
	p.proven = false
	if errors.Is(err, bot.ErrorConflict) {
		p.conflicts++
		p.conflicted = time.Now()
	}
	if halt := p.halt(err, p.conflicts); halt != nil {
		return 0, halt
	}
	p.options.Log.Debug().Str("error", brief(p.redact(err).Error())).Msg("polling failed")
	var busy *bot.TooManyRequestsError
	if errors.As(err, &busy) {
		pause := pauseOf(busy.RetryAfter)
		p.stand(state.State{Phase: state.Limited, Until: time.Now().Add(pause)})
		return pause, nil
	}
	var kept keepError
	if errors.As(err, &kept) {
		p.options.Log.Warn().Err(p.redact(err)).Msg("cannot store messages")
	} else if !errors.Is(err, errHurried) && !errors.Is(err, errNoProgress) {
		p.stand(state.State{Phase: state.Offline, Detail: brief(p.redact(err).Error())})
	}
	return wait.NextBackOff(), nil
}

// stand reports the messenger's state if it has changed.
func (p *poll) stand(s state.State) {
	s.Account = p.me
	if s.Phase == p.told.Phase && s.Until.Equal(p.told.Until) && s.Account == p.told.Account {
		return
	}
	p.told = s
	p.to.Standing(s)
}

// once requests updates and handles them. It uses a long poll if the server answered the last
// request.
func (p *poll) once(ctx context.Context) error {
	if err := p.introduce(ctx); err != nil {
		return err
	}
	var wait time.Duration
	if p.proven {
		wait = pollTime
	}
	began := time.Now()
	list, err := p.getUpdates(ctx, wait)
	if err != nil {
		return err
	}
	p.proven = true
	if time.Since(p.conflicted) > conflictsLast {
		p.conflicts = 0
	}
	p.stand(state.State{Phase: state.Online})
	if len(list) == 0 {
		if wait > 0 && time.Since(began) < hurried {
			return errHurried
		}
		p.idle(wait)
		return nil
	}
	return p.take(ctx, p.whole(ctx, list))
}

// idle reports that a long poll ended without updates.
func (p *poll) idle(waited time.Duration) {
	if p.options.Idle != nil && waited > 0 {
		p.options.Idle()
	}
}

// introduce requests the bot's name once.
func (p *poll) introduce(ctx context.Context) error {
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

// whole requests the updates again if the last message belongs to an album, because albums arrive
// one message at a time.
func (p *poll) whole(ctx context.Context, list []json.RawMessage) []json.RawMessage {
	var last struct {
		Message struct {
			Album string `json:"media_group_id"`
		} `json:"message"`
	}
	if len(list) >= p.limit || json.Unmarshal(list[len(list)-1], &last) != nil || last.Message.Album == "" {
		return list
	}
	rest(ctx, albumTime)
	if more, err := p.getUpdates(ctx, 0); err == nil && len(more) > len(list) {
		return more
	}
	return list
}

// take handles updates in order, and advances the offset past those that were stored or are
// ignored.
func (p *poll) take(ctx context.Context, list []json.RawMessage) error {
	before := p.offset.next()
	var failed error
	for _, l := range p.letters(list) {
		if l.in.ID != "" {
			if err := p.to.Receive(ctx, l.in); err != nil {
				failed = keepError{fmt.Errorf("cannot store a message: %w", err)}
				break
			}
		}
		p.offset.pass(l.last)
	}
	if p.offset.next() == before {
		return errors.Join(failed, errNoProgress)
	}
	if err := p.offset.save(); err != nil && failed == nil {
		failed = keepError{err}
	}
	return failed
}

// letter is a message, which can be an album of several updates, with the ID of its last update. An
// ignored update has no message.
type letter struct {
	in    bridge.Incoming
	album string
	last  int64
}

// letters parses updates. Unreadable updates are ignored. Updates without an ID cannot be confirmed
// and are omitted.
func (p *poll) letters(list []json.RawMessage) []letter {
	var letters []letter
	for _, raw := range list {
		id := idOf(raw)
		if id == 0 {
			continue
		}
		in, album, err := p.incoming(raw)
		if err != nil {
			p.options.Log.Debug().Int64("update", id).AnErr("reason", p.redact(err)).Msg("update ignored")
			letters = append(letters, letter{last: id})
			continue
		}
		if n := len(letters); n > 0 && joins(letters[n-1], in, album) {
			l := &letters[n-1]
			l.last, l.in.Files = id, append(l.in.Files, in.Files...)
			if l.in.Text == "" {
				l.in.Text = in.Text
			}
			continue
		}
		letters = append(letters, letter{in, album, id})
	}
	return letters
}

// joins reports whether a message belongs to the same album as the previous one.
func joins(l letter, in bridge.Incoming, album string) bool {
	return album != "" && l.album == album && l.in.Chat == in.Chat && l.in.Forwarded == in.Forwarded && in.Press == nil &&
		len(l.in.Files)+len(in.Files) <= mostFiles && (l.in.Text == "" || in.Text == "")
}

// getUpdates implements section "getUpdates". The offset confirms all updates before it.
func (p *poll) getUpdates(ctx context.Context, wait time.Duration) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, wait+callTime)
	defer cancel()
	body, err := p.ask(ctx, "getUpdates", map[string]any{
		"offset": p.offset.next(), "limit": p.limit, "timeout": int(wait / time.Second), "allowed_updates": []string{"message", "callback_query"},
	})
	if errors.Is(err, errTooMuch) {
		return p.tooMuch(body)
	}
	p.limit = mostUpdates
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

// tooMuch handles an answer that is too long. It reduces the limit to one update. If the limit is
// already one, it skips that update, of which it reads only the ID.
func (p *poll) tooMuch(body []byte) ([]json.RawMessage, error) {
	if p.limit > 1 {
		p.limit = 1
		return nil, errTooMuch
	}
	found := updateID.FindSubmatch(body)
	if found == nil {
		return nil, errTooMuch
	}
	return []json.RawMessage{json.RawMessage(`{"update_id":` + string(found[1]) + `}`)}, nil
}

// ask calls a method whose raw answer the library does not return. With errTooMuch it returns the
// start of the answer.
func (c *Client) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
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
		return nil, c.redact(c.refused(e))
	}
	return e.Result, nil
}

// refused converts a failed answer to the library's error for it.
func (c *Client) refused(e envelope) error {
	kind, ok := map[int]error{
		http.StatusBadRequest: bot.ErrorBadRequest, http.StatusUnauthorized: bot.ErrorUnauthorized, http.StatusForbidden: bot.ErrorForbidden,
		http.StatusNotFound: bot.ErrorNotFound, http.StatusConflict: bot.ErrorConflict,
	}[e.Code]
	switch {
	case e.Code == http.StatusTooManyRequests:
		return &bot.TooManyRequestsError{Message: brief(e.Description), RetryAfter: e.Parameters.RetryAfter}
	case ok:
		return fmt.Errorf("%w, %s", kind, brief(e.Description))
	}
	return errors.New("the server failed: " + strconv.Itoa(e.Code) + " " + brief(e.Description))
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
