package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/ipc"
)

// link is one connection to the gateway. One goroutine reads frames, one handles events in order, and one sends
// heartbeats.
type link struct {
	*gateway
	conn    *websocket.Conn
	end     context.CancelCauseFunc
	queue   chan event
	beatNow chan struct{}
	// seen is the sequence number of the last event that came. It can be ahead of gateway.handled.
	seen         atomic.Int64
	acknowledged atomic.Bool
	resumable    bool // as of an op 9
	responses    sync.WaitGroup
}

// readFrames handles the frames of the gateway until one ends the connection. It returns why.
func (k *link) readFrames(ctx context.Context) error {
	for {
		_, data, err := k.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("cannot read from the gateway: %w", err)
		}
		var f frame
		if err := json.Unmarshal(data, &f); err != nil {
			return fmt.Errorf("cannot read from the gateway: %w", err)
		}
		switch f.Op {
		case opDispatch:
			if !k.enqueue(ctx, f) {
				return context.Cause(ctx)
			}
		case opHeartbeat:
			select {
			case k.beatNow <- struct{}{}:
			default:
			}
		case opReconnect:
			return errReconnect
		case opInvalidSession:
			_ = json.Unmarshal(f.Data, &k.resumable) // false if it is something else
			return errInvalid
		case opHeartbeatAck:
			k.acknowledged.Store(true)
			if k.options.Idle != nil {
				k.options.Idle()
			}
		}
	}
}

// enqueue queues an event. It returns false if ctx has ended. Button presses get a response at once, because Discord
// wants it within three seconds.
func (k *link) enqueue(ctx context.Context, f frame) bool {
	k.seen.Store(f.Seq)
	e := event{seq: f.Seq, kind: f.Type}
	switch f.Type {
	case "READY", "MESSAGE_CREATE":
		e.data = f.Data
	case "INTERACTION_CREATE":
		e.data, e.response = f.Data, k.respond(ctx, f.Data)
	}
	select {
	case k.queue <- e:
		return true
	case <-ctx.Done():
		return false
	}
}

// respond starts the response to an interaction, and returns a channel for its result.
func (k *link) respond(ctx context.Context, data json.RawMessage) <-chan error {
	result := make(chan error, 1)
	k.responses.Go(func() { result <- k.respondPress(ctx, data) })
	return result
}

// sendHeartbeats sends heartbeats until ctx ends. It ends a connection whose heartbeats are not acknowledged.
func (k *link) sendHeartbeats(ctx context.Context, interval time.Duration) {
	timer := time.NewTimer(time.Duration(float64(interval) * rand.Float64())) //nolint:gosec // section "Heartbeat Interval": jitter
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.beatNow:
		case <-timer.C:
			timer.Reset(interval)
			if !k.acknowledged.Swap(false) {
				k.end(errSilent)
				_ = k.conn.CloseNow()
				return
			}
		}
		var seq any
		if n := k.seen.Load(); n > 0 {
			seq = n
		}
		if err := writeFrame(ctx, k.conn, opHeartbeat, seq); err != nil {
			k.end(err)
			return
		}
	}
}

// watchRooms ends a connection when other rooms count, so that the next one asks for their messages.
func (k *link) watchRooms(ctx context.Context) {
	select {
	case <-k.roomsChanged:
		k.end(errRooms)
		_ = k.conn.CloseNow()
	case <-ctx.Done():
	}
}

// handleEvents handles queued events in order. An event that cannot be stored ends the connection, and comes again when
// the session is resumed.
func (k *link) handleEvents(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-k.queue:
			if err := k.handleEvent(ctx, e); err != nil {
				k.end(err)
				_ = k.conn.CloseNow()
				return
			}
			k.handled = e.seq
		}
	}
}

func (k *link) handleEvent(ctx context.Context, e event) error {
	switch e.kind {
	case "READY":
		if err := k.handleReady(e.data); err != nil {
			return err
		}
		k.handled = e.seq // the session can be resumed, whether or not the next call fails
		return k.goOnline(ctx)
	case "RESUMED":
		return k.goOnline(ctx)
	case "MESSAGE_CREATE":
		return k.handleMessage(ctx, e.data)
	case "INTERACTION_CREATE":
		return k.handlePress(ctx, e)
	}
	return nil
}

// handleReady starts a session (section "Ready").
func (k *link) handleReady(data json.RawMessage) error {
	var d struct {
		Session string `json:"session_id"`
		Resume  string `json:"resume_gateway_url"`
		User    author `json:"user"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("cannot read from the gateway: %w", err)
	}
	k.session, k.resumeURL, k.caughtUp = d.Session, "", false
	if isGatewayURL(d.Resume) {
		k.resumeURL = d.Resume
	}
	k.me = "@" + d.User.Name
	if isSnowflake(d.User.ID) {
		k.setAccount(d.User.ID)
	}
	return nil
}

// goOnline fetches what came before the session, and reports that the bot is online.
func (k *link) goOnline(ctx context.Context) error {
	if !k.caughtUp {
		if err := k.catchUp(ctx); err != nil {
			return err
		}
		k.caughtUp = true
	}
	k.worked = true
	k.reportState(state.State{Phase: state.Online})
	return nil
}

// handleMessage stores a message. Unreadable ones are ignored.
func (k *link) handleMessage(ctx context.Context, data json.RawMessage) error {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		k.options.Log.Debug().AnErr("reason", k.redact(err)).Msg("message ignored")
		return nil
	}
	if due, err := k.take(ctx, &m); err != nil || !due {
		return err
	}
	return k.save()
}

// take passes a message on, if it is a person's to the bot, and records it as the last one of its conversation and its
// room. It reports whether the conversations should be saved now.
func (k *link) take(ctx context.Context, m *message) (due bool, err error) {
	in, ok := k.convertMessage(m)
	if ok {
		if err := k.to.Receive(ctx, in); err != nil {
			return false, storeError{fmt.Errorf("cannot store a message: %w", err)}
		}
	}
	switch person, room := ipc.SplitRoom(in.Sender); {
	case k.isRoom(m.Channel) && isSnowflake(m.ID):
		return k.conversations.advanceRoom(person, m.Channel, m.ID), nil
	case ok && room == "":
		k.conversations.advance(person, m.Channel, m.ID)
	}
	return ok, nil
}

func (k *link) save() error {
	if err := k.conversations.save(); err != nil {
		return storeError{err}
	}
	return nil
}

const (
	// pageSize is the maximum number of messages per request (section "Get Channel Messages").
	pageSize = 100
	// overlap is how far before the last message the fetched ones begin, because events can be out of order. The bridge
	// recognizes those that it has.
	overlap = 5 * time.Second
)

// catchUp fetches the messages that came while there was no session.
func (k *link) catchUp(ctx context.Context) error {
	all := k.conversations.all()
	for _, person := range slices.Sorted(maps.Keys(all)) {
		if all[person].Last == "" {
			continue
		}
		if err := k.catchUpWith(ctx, person, all[person]); err != nil {
			return err
		}
	}
	for _, room := range k.rooms {
		if err := k.catchUpIn(ctx, room); err != nil {
			return err
		}
	}
	return nil
}

// catchUpWith fetches a person's messages.
func (k *link) catchUpWith(ctx context.Context, person string, from conversation) error {
	err := k.fetchSince(ctx, from.Channel, before(from.Last, overlap), func(m *message) error {
		in, ok := k.convertMessage(m)
		if !ok || in.Sender != person || m.Channel != from.Channel {
			k.conversations.advance(person, from.Channel, m.ID)
			return nil
		}
		_, err := k.take(ctx, m)
		return err
	})
	if isRefused(err) { // the channel does not exist any more, or cannot be read
		k.options.Log.Debug().AnErr("reason", err).Msg("conversation forgotten")
		k.conversations.forget(person)
		return k.save()
	}
	return err
}

// catchUpIn fetches the messages of a room. In a new one, they begin after the last message there.
func (k *link) catchUpIn(ctx context.Context, room string) error {
	from := k.conversations.fetchFrom(room, overlap)
	var err error
	if from == "" {
		var page []message
		if page, err = k.messages(ctx, room, "", 1); len(page) > 0 {
			k.conversations.beginRoom(room, page[0].ID)
			err = k.save()
		}
	} else {
		err = k.fetchSince(ctx, room, from, func(m *message) error {
			m.Channel = room
			_, err := k.take(ctx, m)
			return err
		})
	}
	if isRefused(err) {
		k.options.Log.Warn().Str("channel", room).AnErr("reason", err).Msg("cannot read a channel of a server")
		return nil
	}
	return err
}

// fetchSince fetches the messages of a channel after one, oldest first.
func (k *link) fetchSince(ctx context.Context, channel, after string, take func(*message) error) error {
	for {
		page, err := k.messages(ctx, channel, after, pageSize)
		if err != nil {
			return err
		}
		for _, m := range slices.Backward(page) {
			after = m.ID
			if err := take(&m); err != nil {
				return err
			}
		}
		if err := k.save(); err != nil {
			return err
		}
		if len(page) < pageSize {
			return nil
		}
	}
}

// isRefused reports whether the server permanently refuses a call about a channel.
func isRefused(err error) bool {
	api := apiErrorOf(err)
	return api != nil && api.Code != 0 && (api.Status == http.StatusNotFound || api.Status == http.StatusForbidden)
}
