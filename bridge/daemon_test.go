package bridge

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// played is a fake daemon.
type played struct {
	t      testing.TB
	socket string
	policy ipc.ChannelPolicy

	mu      sync.Mutex
	conn    *ipc.Conn
	sub     string
	got     []ipc.Message // all except hello, query and subscribe
	acked   []string
	taken   map[string]bool // messages by ID
	ended   int             // closed connections
	changed chan struct{}
	waiting []ipc.Notice
	ln      net.Listener
	raw     net.Conn
	done    sync.WaitGroup
	// broken makes policy queries fail.
	broken bool
	// answer replies to a message or action; take by default.
	answer func(c *ipc.Conn, m ipc.Message)
}

func playDaemon(t testing.TB, admitted ...string) *played {
	dir, err := os.MkdirTemp("", "br")
	require.NoError(t, err)
	d := &played{
		t: t, socket: filepath.Join(dir, "s.sock"), changed: make(chan struct{}), taken: map[string]bool{"": false},
		policy: ipc.ChannelPolicy{Channel: "telegram", Admitted: admitted, Lang: "en"},
	}
	d.answer = d.take
	t.Cleanup(func() {
		d.stop()
		os.RemoveAll(dir)
	})
	return d
}

// start listens for connections.
func (d *played) start() *played {
	path := ipc.BridgeSocket(d.socket, "telegram")
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o700))
	_ = os.Remove(path)
	ln, err := net.Listen("unix", path)
	require.NoError(d.t, err)
	d.mu.Lock()
	d.ln = ln
	d.mu.Unlock()
	d.done.Go(func() {
		for {
			raw, err := ln.Accept()
			if err != nil {
				return
			}
			d.done.Go(func() { d.serve(raw) })
		}
	})
	return d
}

// stop closes the listener and the connection.
func (d *played) stop() {
	d.mu.Lock()
	if d.ln != nil {
		d.ln.Close()
	}
	if d.raw != nil {
		d.raw.Close()
	}
	d.mu.Unlock()
	d.done.Wait()
}

func (d *played) serve(raw net.Conn) {
	defer func() {
		raw.Close()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.ended++
		close(d.changed)
		d.changed = make(chan struct{})
	}()
	c := ipc.NewConn(raw)
	d.mu.Lock()
	d.conn, d.raw = c, raw
	d.mu.Unlock()
	for {
		m, err := c.Read()
		if err != nil {
			return
		}
		d.hear(c, m)
	}
}

func (d *played) hear(c *ipc.Conn, m ipc.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case m.Type == ipc.TypeHello:
		_ = c.Write(ipc.Message{Type: ipc.TypeHello, Re: m.ID, Done: true}.WithData(ipc.Hello{Server: "played/1"}))
		return
	case m.Type == ipc.TypeQuery && d.broken:
		_ = c.Write(ipc.Message{Type: ipc.TypeError, Re: m.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeNotConfigured}})
		return
	case m.Type == ipc.TypeQuery:
		_ = c.Write(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(d.policy))
		return
	case m.Type == ipc.TypeSubscribe:
		d.sub = m.ID
		for _, n := range d.waiting {
			d.event(ipc.TopicNotifications, n)
		}
		return
	case m.Action == ipc.ActionAck:
		var a ipc.Acknowledged
		_ = m.Decode(&a)
		d.acked = append(d.acked, a.IDs...)
		d.waiting = slices.DeleteFunc(d.waiting, func(n ipc.Notice) bool { return slices.Contains(a.IDs, n.ID) })
		_ = c.Write(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true})
	case d.taken[midOf(m)]:
		_ = c.Write(ipc.Message{Type: ipc.TypeAccepted, Re: m.ID}.WithData(ipc.Accepted{Duplicate: true}))
		_ = c.Write(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true}.WithData(ipc.Outcome{Stop: ipc.StopDuplicate}))
	default:
		d.got = append(d.got, m)
		d.answer(c, m)
	}
	close(d.changed)
	d.changed = make(chan struct{})
}

// take accepts a message and does nothing else.
func (d *played) take(c *ipc.Conn, m ipc.Message) {
	if m.Type != ipc.TypeMessage {
		_ = c.Write(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Body: "done"})
		return
	}
	d.taken[midOf(m)] = true // outlives the bridge, like the daemon's own records
	_ = c.Write(ipc.Message{Type: ipc.TypeAccepted, Re: m.ID}.WithData(ipc.Accepted{}))
	_ = c.Write(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true}.WithData(ipc.Outcome{Stop: ipc.StopTold}))
}

func (d *played) event(topic string, what any) {
	data := ipc.Message{}.WithData(what).Data
	_ = d.conn.Write(ipc.Message{Type: ipc.TypeEvent, Re: d.sub}.WithData(ipc.Event{Topic: topic, What: data}))
}

// tell adds a notice to the outbox.
func (d *played) tell(n ipc.Notice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n.Channel = "telegram"
	d.waiting = append(d.waiting, n)
	if d.sub != "" {
		d.event(ipc.TopicNotifications, n)
	}
}

// say sends an event.
func (d *played) say(topic string, what any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.event(topic, what)
}

// until waits until what returns true.
func (d *played) until(what func() bool) {
	d.t.Helper()
	awaitChange(d.t, func() (bool, <-chan struct{}) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return what(), d.changed
	})
}

// messages returns the bodies of the received messages.
func (d *played) messages() (all []string) {
	for _, m := range d.got {
		if m.Type == ipc.TypeMessage {
			all = append(all, m.Body)
		}
	}
	return all
}

func (d *played) heard(bodies ...string) {
	d.t.Helper()
	d.until(func() bool { return slices.Equal(d.messages(), bodies) })
}

// midOf returns the messenger's ID of a message, or "".
func midOf(m ipc.Message) string {
	var l ipc.Letter
	if m.Type == ipc.TypeMessage {
		_ = m.Decode(&l)
	}
	return l.MID
}
