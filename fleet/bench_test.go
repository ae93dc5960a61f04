package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/bridge"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/fleet/server"
	"github.com/nidoit/blunux-ai/ipc"
)

// echo is a daemon that answers every question at once, so that a benchmark measures the fleet alone.
type echo struct {
	events    chan ipc.LinkEvent
	body      string       // its answer
	subscribe atomic.Value // the id of the subscription, a string

	sending sync.RWMutex
	stopped bool
}

func (e *echo) Start(context.Context) (stop func()) {
	e.events <- ipc.LinkEvent{Connected: &ipc.Hello{}}
	return func() {
		e.sending.Lock()
		defer e.sending.Unlock()
		e.stopped = true
		close(e.events)
	}
}

func (e *echo) Events() <-chan ipc.LinkEvent { return e.events }

func (e *echo) Send(m ipc.Message) error {
	e.sending.RLock()
	defer e.sending.RUnlock()
	if e.stopped {
		return ipc.ErrLinkClosed
	}
	frame := func(f ipc.Message) { e.events <- ipc.LinkEvent{Frame: &f} }
	switch m.Type {
	case ipc.TypeSubscribe:
		e.subscribe.Store(m.ID)
	case ipc.TypeMessage:
		var r ipc.GatewayRequest
		if err := m.Decode(&r); err != nil {
			return err
		}
		what, err := json.Marshal(ipc.Notice{ID: "task:" + r.MID, Re: r.MID, Body: e.body})
		if err != nil {
			return err
		}
		frame(ipc.Message{Type: ipc.TypeAccepted, Re: m.ID})
		frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true}.WithData(ipc.Outcome{Stop: "end_turn"}))
		re, _ := e.subscribe.Load().(string)
		frame(ipc.Message{Type: ipc.TypeEvent, Re: re}.WithData(ipc.Event{Topic: ipc.TopicNotifications, What: what}))
	case ipc.TypeQuery:
		frame(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData([]ipc.Ask{}))
	default:
		frame(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true})
	}
	return nil
}

// BenchmarkFiveHundredMachines asks 500 bridges, without their daemons: from the question to the folded answers.
func BenchmarkFiveHundredMachines(b *testing.B) {
	n := 500
	dir := b.TempDir()
	s, err := server.Start(b.Context(), server.Options{Dir: dir, Listen: "127.0.0.1:0", Log: zerolog.Nop(), Now: time.Now})
	require.NoError(b, err)
	defer s.Close()
	c, err := console.Open(dir, s.Address(), "office")
	require.NoError(b, err)
	defer c.Close()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	ended := make(chan error, n)
	var names []fleet.Machine
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range n {
		home, m := b.TempDir(), fleet.Machine{Site: "school", Name: fmt.Sprintf("pc-%d", i+1)}
		p, err := bridge.Pair(ctx, home, s.Address(), m.Name)
		require.NoError(b, err)
		_, err = c.Call(ctx, server.CallPair, server.Call{Code: p.Code, Machine: m})
		require.NoError(b, err)
		_, err = p.Wait(ctx)
		require.NoError(b, err)
		require.NoError(b, p.Join(time.Now()))
		p.Close()
		go func() {
			link := &echo{events: make(chan ipc.LinkEvent, 64), body: "/: 23% used, 180G of 252G free. Source: `df -h`."}
			ended <- bridge.Run(ctx, bridge.Options{Dir: home, Link: link, Policy: home + "/none", Log: zerolog.Nop(), Now: time.Now})
		}()
		names = append(names, m)
	}
	ask := func() {
		id, err := c.Ask(ctx, names, "disk full?", "en")
		require.NoError(b, err)
		got, err := c.Collect(ctx, id, names)
		require.NoError(b, err)
		texts := map[fleet.Machine]string{}
		for m, a := range got {
			texts[m] = a.Text
		}
		require.Len(b, fleet.FoldAnswers(texts), 1)
		require.Len(b, texts, n)
	}
	ask() // all are connected
	runtime.GC()
	runtime.ReadMemStats(&after)
	for b.Loop() {
		ask()
	}
	b.ReportMetric(float64(2*n*b.N)/b.Elapsed().Seconds(), "messages/s")
	b.ReportMetric(float64(after.HeapInuse-before.HeapInuse)/float64(n), "bytes/machine")
	cancel()
	for range n {
		<-ended
	}
}
