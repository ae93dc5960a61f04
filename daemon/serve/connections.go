package serve

import (
	"maps"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
)

// connections is the set of open connections.
type connections struct {
	lines *ipc.Budget // for the incomplete lines of all peers
	mu    sync.Mutex
	all   map[*connection]struct{}
}

// connection holds the counters of a connection.
type connection struct {
	conn     *ipc.Conn
	peer     ipc.Peer
	since    time.Time
	requests atomic.Int64
	hello    atomic.Pointer[ipc.Hello] // nil before the hello
}

// add registers a connection, unless the daemon is stopping.
func (cs *connections) add(c *connection, isStopping func() bool) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if isStopping() {
		return false
	}
	cs.all[c] = struct{}{}
	return true
}

func (cs *connections) remove(c *connection) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.all, c)
}

// Close closes all connections.
func (cs *connections) close() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for c := range cs.all {
		c.conn.Close()
	}
}

// List returns the open connections, oldest first.
func (cs *connections) list() []*connection {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return slices.SortedFunc(maps.Keys(cs.all), func(a, b *connection) int { return a.since.Compare(b.since) })
}

func (c *connection) usage() ipc.ConnectionUsage {
	u := ipc.ConnectionUsage{PID: c.peer.PID, Since: c.since, Traffic: c.conn.Traffic(), Requests: c.requests.Load()}
	switch hello := c.hello.Load(); {
	case hello != nil:
		u.Client, u.Channel = chat.ExcerptOf(hello.Client, chat.MaxExcerpt), chat.ExcerptOf(hello.Channel, chat.MaxExcerpt)
	case u.Requests > 0:
		u.Channel = post.OriginalChannel
	}
	return u
}

// recordHello records the hello.
func (c *peerConn) recordHello() {
	hello := *c.hello
	c.stats.hello.Store(&hello)
	c.s.log.Debug().Str("client", chat.ExcerptOf(hello.Client, chat.MaxExcerpt)).Str("channel", chat.ExcerptOf(hello.Channel, chat.MaxExcerpt)).Int("pid", c.peer.PID).Msg("connected")
}

// removeConnection removes a connection.
func (c *peerConn) removeConnection() {
	c.s.open.remove(c.stats)
	u := c.stats.usage()
	c.s.log.Debug().Str("client", u.Client).Str("channel", u.Channel).Int("pid", u.PID).Int64("requests", u.Requests).
		Int64("bytes_in", u.BytesIn).Int64("bytes_out", u.BytesOut).Dur("open_ms", time.Since(u.Since)).Msg("disconnected")
}

// liveObjects is the size of the heap's live objects in bytes (runtime/metrics). Reading it does not stop the
// world, unlike runtime.ReadMemStats.
const liveObjects = "/memory/classes/heap/objects:bytes"

// processUsage returns the resource usage of this process. Unavailable values are 0.
func processUsage() ipc.Process {
	sample := []metrics.Sample{{Name: liveObjects}}
	metrics.Read(sample)
	p := ipc.Process{Goroutines: runtime.NumGoroutine(), RSS: residentSize()}
	if sample[0].Value.Kind() == metrics.KindUint64 {
		p.Heap = int64(sample[0].Value.Uint64())
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.OpenFiles = len(files) - 1 // minus the one of this directory
	}
	return p
}

// residentSize reads the second number of /proc/self/statm, proc_pid_statm(5).
func residentSize() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 1 {
		if pages, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			return pages * int64(os.Getpagesize())
		}
	}
	return 0
}
