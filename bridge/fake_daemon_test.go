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

// fakeDaemon is a fake daemon.
type fakeDaemon struct {
	t      testing.TB
	socket string
	policy ipc.ChannelPolicy

	mu           sync.Mutex
	conn         *ipc.Conn
	subscription string
	received     []ipc.Message // all except hello, query and subscribe
	acked        []string
	taken        map[string]bool // messages by ID
	closedConns  int             // closed connections
	changed      chan struct{}
	waiting      []ipc.Notice
	ln           net.Listener
	raw          net.Conn
	workers      sync.WaitGroup
	// policyFails makes policy queries fail.
	policyFails bool
	// answer replies to a message or action; take by default.
	answer func(c *ipc.Conn, m ipc.Message)
}

func newFakeDaemon(t testing.TB, admitted ...string) *fakeDaemon {
	dir, err := os.MkdirTemp("", "br")
	require.NoError(t, err)
	d := &fakeDaemon{
		t: t, socket: filepath.Join(dir, "s.sock"), changed: make(chan struct{}), taken: map[string]bool{"": false},
		policy: ipc.ChannelPolicy{Channel: "telegram", Admitted: admitted, Lang: "en"},
	}
	d.answer = d.accept
	t.Cleanup(func() {
		d.stop()
		os.RemoveAll(dir)
	})
	return d
}

// start listens for connections.
func (d *fakeDaemon) start() *fakeDaemon {
	path := ipc.BridgeSocket(d.socket, "telegram")
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o700))
	_ = os.Remove(path)
	ln, err := net.Listen("unix", path)
	require.NoError(d.t, err)
	d.mu.Lock()
	d.ln = ln
	d.mu.Unlock()
	d.workers.Go(func() {
		for {
			raw, err := ln.Accept()
			if err != nil {
				return
			}
			d.workers.Go(func() { d.serve(raw) })
		}
	})
	return d
}

// stop closes the listener and the connection.
func (d *fakeDaemon) stop() {
	d.mu.Lock()
	if d.ln != nil {
		d.ln.Close()
	}
	if d.raw != nil {
		d.raw.Close()
	}
	d.mu.Unlock()
	d.workers.Wait()
}

func (d *fakeDaemon) serve(raw net.Conn) {
	defer func() {
		raw.Close()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.closedConns++
		if d.raw == raw { // and not a newer connection
			d.subscription = ""
		}
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
		d.handle(c, m)
	}
}

func (d *fakeDaemon) handle(c *ipc.Conn, m ipc.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case m.Type == ipc.TypeHello:
		_ = c.Write(ipc.Message{Type: ipc.TypeHello, Re: m.ID, Done: true}.WithData(ipc.Hello{Server: "played/1"}))
		return
	case m.Type == ipc.TypeQuery && d.policyFails:
		_ = c.Write(ipc.Message{Type: ipc.TypeError, Re: m.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeNotConfigured}})
		return
	case m.Type == ipc.TypeQuery:
		_ = c.Write(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(d.policy))
		return
	case m.Type == ipc.TypeSubscribe:
		d.subscription = m.ID
		for _, n := range d.waiting {
			d.event(ipc.TopicNotifications, n)
		}
		return
	case m.Action == ipc.ActionAck:
		var a ipc.Acknowledgement
		_ = m.Decode(&a)
		d.acked = append(d.acked, a.IDs...)
		d.waiting = slices.DeleteFunc(d.waiting, func(n ipc.Notice) bool { return slices.Contains(a.IDs, n.ID) })
		_ = c.Write(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true})
	case d.taken[messageID(m)]:
		_ = c.Write(ipc.Message{Type: ipc.TypeAccepted, Re: m.ID}.WithData(ipc.Accepted{Duplicate: true}))
		_ = c.Write(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true}.WithData(ipc.Outcome{Stop: ipc.StopDuplicate}))
	default:
		d.received = append(d.received, m)
		d.answer(c, m)
	}
	close(d.changed)
	d.changed = make(chan struct{})
}

// accept accepts a message and does nothing else.
func (d *fakeDaemon) accept(c *ipc.Conn, m ipc.Message) {
	if m.Type != ipc.TypeMessage {
		_ = c.Write(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Body: "done"})
		return
	}
	d.taken[messageID(m)] = true // outlives the bridge, like the daemon's own records
	_ = c.Write(ipc.Message{Type: ipc.TypeAccepted, Re: m.ID}.WithData(ipc.Accepted{}))
	_ = c.Write(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true}.WithData(ipc.Outcome{Stop: ipc.StopReplied}))
}

func (d *fakeDaemon) event(topic string, what any) {
	data := ipc.Message{}.WithData(what).Data
	_ = d.conn.Write(ipc.Message{Type: ipc.TypeEvent, Re: d.subscription}.WithData(ipc.Event{Topic: topic, What: data}))
}

// addNotice adds a notice to the outbox.
func (d *fakeDaemon) addNotice(n ipc.Notice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n.Channel = "telegram"
	d.waiting = append(d.waiting, n)
	if d.subscription != "" {
		d.event(ipc.TopicNotifications, n)
	}
}

// sendEvent sends an event.
func (d *fakeDaemon) sendEvent(topic string, what any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.event(topic, what)
}

// until waits until what returns true.
func (d *fakeDaemon) until(what func() bool) {
	d.t.Helper()
	awaitChange(d.t, func() (bool, <-chan struct{}) {
		d.mu.Lock()
		defer d.mu.Unlock()
		return what(), d.changed
	})
}

// messages returns the bodies of the received messages.
func (d *fakeDaemon) messages() (all []string) {
	for _, m := range d.received {
		if m.Type == ipc.TypeMessage {
			all = append(all, m.Body)
		}
	}
	return all
}

func (d *fakeDaemon) untilReceived(bodies ...string) {
	d.t.Helper()
	d.until(func() bool { return slices.Equal(d.messages(), bodies) })
}

// messageID returns the messenger's ID of a message, or "".
func messageID(m ipc.Message) string {
	var l ipc.InboundMessage
	if m.Type == ipc.TypeMessage {
		_ = m.Decode(&l)
	}
	return l.MID
}
