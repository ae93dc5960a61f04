package serve

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/remote"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// writeTimeout bounds the write of a frame to a client that does not read.
const writeTimeout = 20 * time.Second

// peerConn is one connection with its peer.
type peerConn struct {
	s     *Server
	conn  *ipc.Conn
	peer  ipc.Peer
	hello *ipc.Hello // nil for an original peer
	lang  i18n.Lang
	gone  chan struct{} // closed when the peer can send nothing more
	// socketChannel is the channel that the socket is for; "" for any.
	socketChannel string
	// release lets the daemon become idle although this connection is open.
	release func()
	// pendingRequests counts requests without their last frame.
	pendingRequests sync.WaitGroup
	stats           *connection
	unread          unread
	attached        []string         // files for the next message
	original        *remote.Original // serves a peer that did not say hello
}

// errSecondHello reports a second hello on a connection: earlier requests must keep their language and frames.
var errSecondHello = errors.New("second hello on a connection")

// deadliner is implemented by network connections, but not by pipes.
type deadliner interface{ SetWriteDeadline(time.Time) error }

// timedConn sets a deadline for every write to a connection.
type timedConn struct {
	io.ReadWriteCloser
	d deadliner
}

func (c timedConn) Write(p []byte) (int, error) {
	if err := c.d.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return c.ReadWriteCloser.Write(p)
}

// ServeConn serves one connection until the peer closes it or sends a line that is too long. A peer may close its
// sending side and keep reading: its requests are answered before the connection is closed, but it can no longer
// confirm anything. only is the channel of a bridge's socket, "" for the daemon's own.
func (sv *Server) ServeConn(ctx context.Context, rwc io.ReadWriteCloser, peer ipc.Peer, only string) {
	allRead := unreadCheck(rwc)
	if dl, ok := rwc.(deadliner); ok {
		rwc = timedConn{rwc, dl}
	}
	c := &peerConn{s: sv, conn: ipc.NewBoundedConn(rwc, sv.open.lines), peer: peer, gone: make(chan struct{}), unread: unread{allRead: allRead}, socketChannel: only, release: func() {}}
	c.original = sv.remote.NewOriginal(c)
	c.stats = &connection{conn: c.conn, peer: peer, since: time.Now()}
	if !sv.open.add(c.stats, sv.life.IsStopping) {
		c.conn.Close()
		return
	}
	if only == "" { // a waiting bridge does not keep the daemon running
		sv.life.MarkVisited()
		c.release = sv.life.Idle.Begin(life.ActivityClient)
	}
	defer func() {
		close(c.gone)
		c.pendingRequests.Wait()
		c.dropAttached()
		c.conn.Close()
		c.removeConnection()
		sv.figures.Record() // once a day, when the daemon is awake anyway
		sv.past.Record()    // once an hour
		c.release()
		sv.life.ReleaseTimer.Begin(life.ActivityClient)() // releases the memory of many connections too
	}()
	for {
		m, err := c.conn.Read()
		switch {
		case errors.Is(err, ipc.ErrNotMessage):
			c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		case errors.Is(err, ipc.ErrTooLarge):
			c.refuse(m, ipc.CodeTooLarge, i18n.ErrTooLarge)
			return
		case errors.Is(err, ipc.ErrOverBudget):
			c.refuse(m, ipc.CodeBusy, i18n.ErrBusy)
			return
		case err != nil:
			c.saveUnread(err)
			return
		default:
			c.clearRead()
			c.handle(ctx, m)
			if c.mustClose() {
				return
			}
		}
	}
}

// language returns the language of frames outside a turn.
func (c *peerConn) language() i18n.Lang {
	if c.lang != "" {
		return c.lang
	}
	return c.s.settings.Lang()
}

// languageFor returns a peer's language: its own choice, or "" if a language was chosen for the daemon, or the
// peer's locale.
func (c *peerConn) languageFor(hello ipc.Hello) i18n.Lang {
	if lang, ok := i18n.Parse(hello.Lang); ok {
		return lang
	}
	lang, ok := i18n.Parse(hello.Locale)
	if rt := c.s.settings.Current(); !ok || rt != nil && rt.Language.Chosen {
		return ""
	}
	return lang
}

// Send writes a frame. It fails with [ipc.ErrTooLarge] if the frame exceeds a line. After any other error part of
// a line may have been sent, so the connection is closed.
func (c *peerConn) send(m ipc.Message) error {
	err := c.conn.Write(m)
	if err != nil && !errors.Is(err, ipc.ErrTooLarge) {
		c.saveUnread(err)
		c.conn.Close()
	}
	return err
}

// refuse rejects an invalid request, in the protocol of the peer.
func (c *peerConn) refuse(m ipc.Message, code ipc.Code, text i18n.Text) {
	c.Fail(m, &ipc.Error{Code: code, Message: text.In(c.language())})
}

// Fail ends a request with an error. An original peer gets its one response, which also carries the error's code.
func (c *peerConn) Fail(m ipc.Message, e *ipc.Error) {
	body := i18n.OriginalError(e.Message).In(c.language())
	switch {
	case c.hello != nil || m.ID != "" || m.Type == ipc.TypeHello:
		_ = c.send(ipc.Message{Type: ipc.TypeError, Re: m.ID, Done: true, Error: e})
	case m.From != "":
		r := ipc.Message{Type: ipc.TypeResponse, To: m.From, Body: body}
		r.Error = e
		_ = c.send(r)
	default: // the request has no sender to pair it with
		_ = c.send(ipc.Message{Type: ipc.TypeError, Body: body, Done: true, Error: e})
	}
}

// greet answers a hello.
func (c *peerConn) greet(m ipc.Message) {
	var hello ipc.Hello
	err := m.Decode(&hello)
	if err == nil && c.hello != nil {
		err = errSecondHello
	}
	if err == nil && c.socketChannel != "" && hello.Channel != c.socketChannel {
		err = errOtherBridge
	}
	if err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	c.hello = &hello
	if c.hello.Channel == "" {
		c.hello.Channel = "cli"
	}
	c.lang = c.languageFor(hello)
	if c.kind() == bridge {
		c.release()
	}
	c.recordHello()
	reply := ipc.Hello{
		Server: "blunux-ai/" + c.s.about.Version, MaxLine: ipc.MaxLine, Lang: string(c.language()),
		Notices: len(c.s.post.Outbox.Waiting(c.hello.Channel)),
	}
	if c.kind() == fleet {
		reply.Caps = []string{ipc.CapPolicy}
	}
	if rt := c.s.settings.Current(); rt != nil && rt.Agent != nil && c.kind() != bridge {
		reply.Provider, reply.Model = rt.Agent.Model().Name(), rt.Agent.Model().ModelID()
	}
	_ = c.send(ipc.Message{Type: ipc.TypeHello, V: ipc.Version, Re: m.ID, Done: true}.WithData(reply))
}

// ok ends a request that has no data to return.
func (c *peerConn) ok(m ipc.Message, body string) {
	if m.ID == "" {
		return // the peer does not wait for a reply
	}
	_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Body: body})
}
