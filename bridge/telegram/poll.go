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
	// mostUpdates is how many updates are asked for at once.
	mostUpdates = 20
	// firstWait and longestWait are between two attempts after failures.
	firstWait, longestWait = 250 * time.Millisecond, time.Minute
	// mostConflicts is how often another poll may end ours, each within
	// conflictsLast of the last, until it is another program's.
	mostConflicts = 3
	conflictsLast = 5 * time.Minute
	// hurried is how soon an empty answer to a poll is no long poll's.
	hurried = time.Second
	// albumTime is how long the rest of an album may take to arrive.
	albumTime = 700 * time.Millisecond
)

// poll is a run: what is known of the server, and how it goes.
type poll struct {
	*Client
	to     bridge.Receiver
	offset *offset
	told   state.State // what was said last
	me     string      // the bot's name; "" until it is known
	proven bool        // the last request was answered
	limit  int

	conflicts  int
	conflicted time.Time
}

// What a poll may come to besides errors of calls.
var (
	errNoProgress = errors.New("the server repeats what was confirmed, or numbers nothing")
	errHurried    = errors.New("the server does not wait for messages")
)

// keepError is a message that could not be kept; it is not confirmed.
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

// rest waits for a while, or until ctx ends.
func rest(ctx context.Context, pause time.Duration) {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// failed says how it stands, and how long to wait or why not to.
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
		p.options.Log.Warn().Err(p.redact(err)).Msg("messages stay with the server")
	} else if !errors.Is(err, errHurried) && !errors.Is(err, errNoProgress) {
		p.stand(state.State{Phase: state.Offline, Detail: brief(p.redact(err).Error())})
	}
	return wait.NextBackOff(), nil
}

// stand says how the messenger stands, where that is new.
func (p *poll) stand(s state.State) {
	s.Account = p.me
	if s.Phase == p.told.Phase && s.Until.Equal(p.told.Until) && s.Account == p.told.Account {
		return
	}
	p.told = s
	p.to.Standing(s)
}

// once asks for updates, waiting for some where the server is known to answer,
// and hands them over.
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

// idle tells that a poll waited for nothing.
func (p *poll) idle(waited time.Duration) {
	if p.options.Idle != nil && waited > 0 {
		p.options.Idle()
	}
}

// introduce learns the bot's name, once.
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

// whole asks once more when the last message belongs to an album, which arrives
// message by message.
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

// take hands updates over, in order, and remembers what may be confirmed: what
// was kept, and what is none of ours.
func (p *poll) take(ctx context.Context, list []json.RawMessage) error {
	before := p.offset.next()
	var failed error
	for _, l := range p.letters(list) {
		if l.in.ID != "" {
			if err := p.to.Receive(ctx, l.in); err != nil {
				failed = keepError{fmt.Errorf("cannot keep a message: %w", err)}
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

// letter is a message, which may be an album of several updates, and the last of
// them; or an update that is none.
type letter struct {
	in    bridge.Incoming
	album string
	last  int64
}

// letters reads updates. One that cannot be read is passed over; one without a
// number cannot be confirmed and is left out.
func (p *poll) letters(list []json.RawMessage) []letter {
	var letters []letter
	for _, raw := range list {
		id := idOf(raw)
		if id == 0 {
			continue
		}
		in, album, err := p.incoming(raw)
		if err != nil {
			p.options.Log.Debug().Int64("update", id).AnErr("reason", p.redact(err)).Msg("an update is passed over")
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

// joins reports whether a message belongs to the album before it.
func joins(l letter, in bridge.Incoming, album string) bool {
	return album != "" && l.album == album && l.in.Chat == in.Chat && l.in.Forwarded == in.Forwarded && in.Press == nil &&
		len(l.in.Files)+len(in.Files) <= mostFiles && (l.in.Text == "" || in.Text == "")
}

// getUpdates: section "getUpdates". Asking from an offset on confirms what is
// before it.
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

// tooMuch asks for one update at a time when several were too long, and passes
// over one that is: its number alone is read.
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

// ask calls a method whose answer the library would not hand on as it came. With
// errTooMuch the answer's beginning is returned.
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

// refused is what a server refuses with, as the library calls it.
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

// Me asks who the bot is: its name without the @.
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

// Webhook is where another program has the bot's messages sent, "" for nowhere;
// while there is one the bot cannot be polled (section "setWebhook").
func (c *Client) Webhook(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	info, err := c.api.GetWebhookInfo(ctx)
	if err != nil {
		return "", c.redact(err)
	}
	return info.URL, nil
}

// DropWebhook has the bot's messages sent there no more.
func (c *Client) DropWebhook(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := c.api.DeleteWebhook(ctx, &bot.DeleteWebhookParams{})
	return c.redact(err)
}
