package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/daemon/life"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/sandbox"
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
			sv.serve(context.WithoutCancel(ctx), uc, peer, door.channel)
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

// serveBridges serves the bridges' sockets until the returned function is called. A socket that fails does not
// affect the others.
func (sv *Server) serveBridges(ctx context.Context, bridges []Bridge, uid int) (stop func()) {
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

// parts are what connections use.
type parts struct {
	life     *life.Life
	settings *settings.Settings
	post     *post.Post
	turns    *Turns
	stored   *Stored
	recovery *Recovery
	files    *Files
	pairings *Pairings
	remote   *Remote
	rules    *automations // nil if disabled
}

// about is what status says of the program.
type about struct {
	version  string
	started  time.Time
	sandbox  *sandbox.Sandbox     // may be nil
	logPlace func() ipc.LogTarget // may be nil
}

// Server serves connections.
type Server struct {
	parts
	about
	callers     Callers // may be nil
	log         zerolog.Logger
	lineBudget  *ipc.Budget // for incomplete lines of all peers
	connections connections

	mu    sync.Mutex
	conns map[*ipc.Conn]struct{}
}

func newServer(d *Daemon) *Server {
	return &Server{
		parts: parts{d.life, d.settings, d.post, d.turns, d.stored, d.recovery, d.files, d.pairings, d.remote, d.rules},
		about: about{d.o.Version, time.Now(), d.o.Sandbox, d.o.LogPlace}, callers: d.o.Turns, log: d.o.Log,
		lineBudget: ipc.NewBudget(maxUnfinished), conns: map[*ipc.Conn]struct{}{},
	}
}

// closeConns closes all connections.
func (sv *Server) closeConns() {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	for c := range sv.conns {
		c.Close()
	}
}
