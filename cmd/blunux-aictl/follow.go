package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// The first and the longest pause between attempts to reconnect to the daemon.
const (
	firstReconnect = 100 * time.Millisecond
	lastReconnect  = 2 * time.Second
)

// follower prints new log lines, each once, across restarts of the daemon.
type follower struct {
	app   *app
	lines int    // number of existing lines to show first
	after string // position after the last line shown; "" before the first frame
}

// followLog shows the last lines and then new ones until it is interrupted or standard output is closed.
func (a *app) followLog(ctx context.Context, o logOptions) error {
	f := &follower{app: a, lines: o.lines}
	c, err := a.connect(ctx, ipc.Hello{})
	for err == nil {
		err = f.show(ctx, c)
		c.Close()
		if errors.Is(err, ipc.ErrLost) && ctx.Err() == nil && a.out.err == nil {
			fmt.Fprintln(os.Stderr, i18n.LogWaits.In(a.lang))
			c, err = f.reconnect(ctx)
		}
	}
	switch {
	case a.out.err != nil:
		return nil // run prints this error
	case ctx.Err() != nil:
		return quietExit(exitCancelled)
	}
	return err
}

// show prints lines until the connection ends. It always returns an error.
func (f *follower) show(ctx context.Context, c *ipc.Client) error {
	want := ipc.Subscription{Topics: []string{ipc.TopicLog}, Lines: f.lines, After: f.after}
	reply, err := c.Do(ctx, ipc.Message{Type: ipc.TypeSubscribe}.WithData(want), f.handleFrame)
	switch {
	case err != nil:
		return err
	case reply.Error != nil:
		return reply.Error
	}
	return ipc.ErrLost
}

// handleFrame prints one line and saves the position after it.
func (f *follower) handleFrame(m ipc.Message) error {
	var e ipc.Event
	var line ipc.LogLine
	if m.Type != ipc.TypeEvent {
		return nil
	}
	if err := m.Decode(&e); err != nil {
		return err
	}
	if err := json.Unmarshal(e.What, &line); err != nil {
		return err
	}
	if line.Line != "" {
		f.app.printLines([]string{line.Line})
	}
	f.after = line.At
	return f.app.out.err
}

// reconnect waits until a daemon runs again. It does not start one, because the user may have stopped it.
func (f *follower) reconnect(ctx context.Context) (*ipc.Client, error) {
	d := ipc.NewDialer()
	d.NoStart = true
	for pause := firstReconnect; ; pause = min(2*pause, lastReconnect) {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		c, err := f.app.connectWith(ctx, d, ipc.Hello{})
		if err == nil || !errors.Is(err, ipc.ErrUnreachable) && !errors.Is(err, ipc.ErrLost) {
			return c, err
		}
	}
}
