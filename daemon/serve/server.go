// Package serve accepts connections and serves their requests. access.go is the table of who may make which request; the
// other files serve them with the daemon's parts.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/figures"
	"github.com/nidoit/blunux-ai/daemon/files"
	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/past"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/remote"
	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

// maxUnfinished bounds the incomplete lines of all peers together, in bytes: sixteen of the longest.
const maxUnfinished = 16 * ipc.MaxLine

// acceptPause is how long accepting pauses when file descriptors run out.
const acceptPause = 100 * time.Millisecond

// listenerLimits describes a listener: the maximum number of its connections, and the channel of its bridge (""
// for any client).
type listenerLimits struct {
	maxConns int
	channel  string
}

// AcceptClients serves the clients of a listener until it is closed. Only processes of the user are served.
func (sv *Server) AcceptClients(ctx context.Context, l net.Listener, uid int) error {
	return sv.accept(ctx, l, uid, listenerLimits{maxConns: maxConns()})
}

func (sv *Server) accept(ctx context.Context, l net.Listener, uid int, door listenerLimits) error {
	seats := make(chan struct{}, door.maxConns)
	for waiting := false; ; {
		if !sv.acquireSlot(seats) {
			return nil
		}
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if isTemporary(err) {
			if !waiting {
				sv.log.Warn().Err(err).Msg(msgNoSlots)
			}
			waiting = true
			time.Sleep(acceptPause)
			<-seats
			continue
		}
		waiting = false
		if err != nil {
			return fmt.Errorf("cannot accept connections: %w", err)
		}
		uc, ok := c.(*net.UnixConn)
		if !ok {
			c.Close()
			<-seats
			continue
		}
		peer, err := ipc.PeerOf(uc)
		if err != nil || peer.UID != uid {
			sv.log.Warn().Err(err).Int("uid", peer.UID).Msg("connection of another user refused")
			uc.Close()
			<-seats
			continue
		}
		sv.life.Serving.Go(func() {
			defer func() { <-seats }()
			sv.ServeConn(context.WithoutCancel(ctx), uc, peer, door.channel)
		})
	}
}

const msgNoSlots = "no free connections"

// acquireSlot waits for a free connection slot. It reports false if the daemon stops first.
func (sv *Server) acquireSlot(seats chan struct{}) bool {
	select {
	case seats <- struct{}{}:
		return true
	default:
	}
	sv.log.Warn().Int("connections", cap(seats)).Msg(msgNoSlots)
	select {
	case seats <- struct{}{}:
		return true
	case <-sv.life.Quit:
		return false
	}
}

// workFiles is how many file descriptors are reserved for the daemon itself.
const workFiles = 256

// maxConns returns the maximum number of connections, by this process's limit of open files. Further clients wait
// in the listener's backlog.
func maxConns() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 2 * workFiles
	}
	return int(min(limit.Cur-min(limit.Cur/2, workFiles), 1<<16))
}

// isTemporary reports whether accepting failed because of a temporary lack of resources, accept(2).
func isTemporary(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED,
	}, func(e error) bool { return errors.Is(err, e) })
}

// ServeBridges serves the bridges' sockets until the returned function is called. A socket that fails does not
// affect the others.
func (sv *Server) ServeBridges(ctx context.Context, bridges []Bridge, uid int) (stop func()) {
	var accepting sync.WaitGroup
	for _, b := range bridges {
		accepting.Go(func() {
			if err := sv.accept(ctx, b.Listener, uid, listenerLimits{maxConns: maxBridgeConns, channel: b.Channel}); err != nil {
				sv.log.Warn().Err(err).Str("channel", b.Channel).Msg("cannot accept bridge connections")
			}
		})
		sv.post.WakeBridge(b.Channel)
	}
	accepting.Go(func() {
		<-sv.life.Quit
		for _, b := range bridges {
			b.Listener.Close()
		}
	})
	return func() { sv.life.RequestStop(); accepting.Wait() }
}

// maxBridgeConns bounds the connections of a bridge: one, and those that it is about to replace.
const maxBridgeConns = 4

// Bridge is the socket of a channel's bridge.
type Bridge struct {
	Channel  string
	Listener net.Listener
}

// errOtherBridge reports a hello over the socket of another channel.
var errOtherBridge = errors.New("this socket is for another channel")

// Server serves connections.
type Server struct {
	life      *life.Life
	settings  *settings.Settings
	post      *post.Post
	turns     *turns.Turns
	approvals *approval.Approvals
	files     *files.Files
	remote    *remote.Remote
	rules     *rules.Automations
	figures   *figures.Figures
	past      *past.Past
	about     About
	policy    string
	log       zerolog.Logger
	open      connections
	routes    routes
}

// Options make a [Server].
type Options struct {
	Life      *life.Life
	Settings  *settings.Settings
	Post      *post.Post
	Turns     *turns.Turns
	Approvals *approval.Approvals
	Files     *files.Files
	Remote    *remote.Remote
	Rules     *rules.Automations
	Figures   *figures.Figures
	Past      *past.Past
	About     About
	Policy    string // root's file about a fleet's consoles, see [config.PolicyPath]
	Log       zerolog.Logger
}

// About is the program as status describes it, and what runs in it.
type About struct {
	Version  string
	Started  time.Time
	Sandbox  *sandbox.Sandbox     // may be nil
	LogPlace func() ipc.LogTarget // may be nil
	Callers  Callers              // the turns whose models call tools over a connection; may be nil
}

// New returns a server without connections.
func New(o Options) *Server {
	return &Server{
		life: o.Life, settings: o.Settings, post: o.Post, turns: o.Turns, approvals: o.Approvals, files: o.Files, remote: o.Remote,
		rules: o.Rules, figures: o.Figures, past: o.Past, about: o.About, policy: o.Policy, log: o.Log,
		routes: newRoutes(), open: connections{lines: ipc.NewBudget(maxUnfinished), all: map[*connection]struct{}{}},
	}
}

// CloseConns closes all connections.
func (sv *Server) CloseConns() { sv.open.close() }
