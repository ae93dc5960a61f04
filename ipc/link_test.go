package ipc

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// fakeDaemon is the other end of a link's pipes.
type fakeDaemon struct {
	t      *testing.T
	dials  []bool // whether each dial was allowed to start a daemon
	refuse error  // error of dialling
	needs  bool   // no daemon listens until a dial starts it
	conns  chan *Conn
	mu     sync.Mutex
}

func (d *fakeDaemon) dial(_ context.Context, start bool) (io.ReadWriteCloser, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dials = append(d.dials, start)
	switch {
	case d.refuse != nil:
		return nil, d.refuse
	case d.needs && !start:
		return nil, &UnreachableError{Path: "/x", Tried: []string{"connect: nobody listens"}}
	}
	d.needs = false
	here, there := net.Pipe()
	go func() {
		c := NewConn(there)
		m, err := c.Read()
		if err != nil || m.Type != TypeHello {
			return
		}
		if c.Write(Message{Type: TypeHello, V: Version, Re: m.ID, Done: true}.WithData(Hello{Server: "fake/1"})) == nil {
			d.conns <- c
		}
	}()
	return here, nil
}

func (d *fakeDaemon) dialled() []bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]bool{}, d.dials...)
}

func (d *fakeDaemon) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// linked runs a test on a link to a fake daemon, in fake time.
func linked(t *testing.T, test func(t *testing.T, l *Link, d *fakeDaemon)) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakeDaemon{t: t, conns: make(chan *Conn, 16)}
		l := newLink(Hello{Client: "test/1", Channel: "tui"})
		l.dial = d.dial
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- l.Run(ctx) }()
		test(t, l, d)
		cancel()
		for range l.Events() { // until it is closed
		}
		require.ErrorIs(t, <-ended, context.Canceled)
		require.ErrorIs(t, l.Send(Message{Type: TypeQuery}), ErrLinkClosed)
		for len(d.conns) > 0 {
			(<-d.conns).Close()
		}
	})
}

// up expects the next event to be an Up and returns the daemon's end.
func up(t *testing.T, l *Link, d *fakeDaemon) *Conn {
	t.Helper()
	e := <-l.Events()
	require.NotNil(t, e.Connected, "%+v", e)
	require.Equal(t, "fake/1", e.Connected.Server)
	return <-d.conns
}

func down(t *testing.T, l *Link, want error) {
	t.Helper()
	e := <-l.Events()
	require.ErrorIs(t, e.Disconnected, want)
	require.Nil(t, e.Frame)
}

func got(t *testing.T, c *Conn) Message {
	t.Helper()
	m, err := c.Read()
	require.NoError(t, err)
	return m
}

func TestManyRequestsShareALink(t *testing.T) {
	linked(t, func(t *testing.T, l *Link, d *fakeDaemon) {
		require.NoError(t, l.Send(Message{Type: TypeMessage, ID: "m1", Body: "디스크?"})) // before it is connected
		require.NoError(t, l.Send(Message{Type: TypeQuery, ID: "q1"}))
		c := up(t, l, d)
		require.Equal(t, "m1", got(t, c).ID)
		require.Equal(t, "q1", got(t, c).ID, "in the order of the calls")
		go func() {
			_ = c.Write(Message{Type: TypeDelta, Re: "m1", Body: "a"})
			_ = c.Write(Message{Type: TypeResult, Re: "q1", Done: true})
			_ = c.Write(Message{Type: TypeResponse, Re: "m1", Done: true})
		}()
		for _, want := range []string{"m1", "q1", "m1"} {
			require.Equal(t, want, (<-l.Events()).Frame.Re)
		}
		require.Equal(t, []bool{true}, d.dialled())
	})
}

func TestALinkLetsGoOfAConnectionThatNobodyUses(t *testing.T) {
	linked(t, func(t *testing.T, l *Link, d *fakeDaemon) {
		c := up(t, l, d)
		begun := time.Now()
		require.NoError(t, l.Send(Message{Type: TypeSubscribe, ID: "s1"}))
		require.NoError(t, l.Send(Message{Type: TypeMessage, ID: "m1"}))
		got(t, c)
		got(t, c)
		time.Sleep(time.Hour) // a long turn: the connection stays open
		require.NoError(t, c.Write(Message{Type: TypeResponse, Re: "m1", Done: true}), "it is still there")
		require.NotNil(t, (<-l.Events()).Frame)
		_, err := c.Read()
		require.ErrorIs(t, err, io.EOF)
		require.InDelta(t, (time.Hour + idleAfter).Seconds(), time.Since(begun).Seconds(), 1, "a subscription keeps nothing")
		time.Sleep(24 * time.Hour)
		require.Equal(t, []bool{true}, d.dialled(), "nobody looks for the daemon")

		d.set(func() { d.needs = true }) // it exited because it was idle
		require.NoError(t, l.Send(Message{Type: TypeMessage, ID: "m2"}))
		c = up(t, l, d)
		require.Equal(t, "m2", got(t, c).ID)
		require.Equal(t, []bool{true, true}, d.dialled(), "and it was started")
	})
}

func TestAnOpenLinkStaysForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &fakeDaemon{t: t, conns: make(chan *Conn, 1)}
		l := newLink(Hello{})
		l.dial, l.IdleTimeout = d.dial, -1
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _ = l.Run(ctx) }()
		c := up(t, l, d)
		time.Sleep(72 * time.Hour)
		go func() { _ = c.Write(Message{Type: TypeEvent, Re: "s"}) }()
		require.Equal(t, TypeEvent, (<-l.Events()).Frame.Type)
		cancel()
		_, open := <-l.Events()
		require.False(t, open)
	})
}

func TestADaemonThatDiesInMidRequestIsStartedAgain(t *testing.T) {
	linked(t, func(t *testing.T, l *Link, d *fakeDaemon) {
		c := up(t, l, d)
		require.NoError(t, l.Send(Message{Type: TypeMessage, ID: "m1"}))
		got(t, c)
		d.set(func() { d.needs = true })
		go func() {
			_ = c.Write(Message{Type: TypeDelta, Re: "m1", Body: "half"})
			c.Close()
		}()
		require.Equal(t, "half", (<-l.Events()).Frame.Body)
		down(t, l, ErrLost)
		c = up(t, l, d)
		require.Equal(t, []bool{true, true}, d.dialled())
		require.NoError(t, l.Send(Message{Type: TypeQuery, ID: "q1"}))
		require.Equal(t, "q1", got(t, c).ID, "what was open is not sent again")
	})
}

func TestADaemonThatWasStoppedIsNotStartedByItself(t *testing.T) {
	linked(t, func(t *testing.T, l *Link, d *fakeDaemon) {
		c := up(t, l, d)
		d.set(func() { d.needs = true })
		c.Close()
		down(t, l, ErrLost)
		time.Sleep(24 * time.Hour)
		dials := d.dialled()
		require.Len(t, dials, 1+maxAttempts, "it is looked for a while, then no more")
		require.NotContains(t, dials[1:], true)

		require.NoError(t, l.Send(Message{Type: TypeMessage, ID: "m1"}))
		require.Equal(t, "m1", got(t, up(t, l, d)).ID)
	})
}

func TestADaemonThatIsStartedAnewByOthersIsFound(t *testing.T) {
	linked(t, func(t *testing.T, l *Link, d *fakeDaemon) {
		c := up(t, l, d)
		d.set(func() { d.needs = true })
		c.Close()
		down(t, l, ErrLost)
		time.Sleep(3 * time.Second)
		d.set(func() { d.needs = false })
		lost := time.Now()
		up(t, l, d)
		require.Less(t, time.Since(lost), longestPause*3/2)
		require.NotContains(t, d.dialled()[1:], true)
	})
}

func TestWhatCannotBeSentIsToldAndDropped(t *testing.T) {
	linked(t, func(t *testing.T, l *Link, d *fakeDaemon) {
		d.set(func() { d.refuse = &UnreachableError{Path: "/x"} })
		down(t, l, ErrUnreachable)
		require.NoError(t, l.Send(Message{Type: TypeMessage, ID: "m1"}))
		down(t, l, ErrUnreachable)
		require.NoError(t, l.Send(Message{Type: TypeMessage, ID: "m2"}))
		down(t, l, ErrUnreachable)
		d.set(func() { d.refuse = nil })
		c := up(t, l, d) // found by reconnecting
		require.NoError(t, l.Send(Message{Type: TypeMessage, ID: "m3"}))
		require.Equal(t, "m3", got(t, c).ID)
	})
}

func TestADaemonThatSaysNothingCannotBeReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLink(Hello{})
		here, there := net.Pipe()
		l.dial = func(context.Context, bool) (io.ReadWriteCloser, error) { return here, nil }
		go func() { _, _ = io.Copy(io.Discard, there) }()
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _ = l.Run(ctx) }()
		begun := time.Now()
		require.ErrorIs(t, (<-l.Events()).Disconnected, ErrUnreachable)
		require.Equal(t, greetTime, time.Since(begun).Truncate(time.Second))
		cancel()
		there.Close()
		for range l.Events() {
		}
	})
}

func TestWhyTheDaemonClosedIsTold(t *testing.T) {
	linked(t, func(t *testing.T, l *Link, d *fakeDaemon) {
		c := up(t, l, d)
		go func() {
			_ = c.Write(Message{Type: TypeError, Done: true, Error: &Error{Code: CodeBusy, Message: "busy"}})
			c.Close()
		}()
		require.NotNil(t, (<-l.Events()).Frame.Error)
		e := <-l.Events()
		var wire *Error
		require.ErrorAs(t, e.Disconnected, &wire)
		require.Equal(t, CodeBusy, wire.Code)
	})
}

func TestALinkTakesNoMoreThanItCanSend(t *testing.T) {
	l := newLink(Hello{})
	require.ErrorIs(t, l.Send(Message{Type: TypeMessage, Body: strings.Repeat("x", MaxLine)}), ErrTooLarge)
	for range maxQueued {
		require.NoError(t, l.Send(Message{Type: TypeQuery}))
	}
	require.ErrorIs(t, l.Send(Message{Type: TypeQuery}), ErrLinkFull)
}

func TestADaemonThatDoesNotReadHoldsNobody(t *testing.T) {
	linked(t, func(t *testing.T, l *Link, d *fakeDaemon) {
		c := up(t, l, d)
		for i := range 20 {
			require.NoError(t, l.Send(Message{Type: TypeQuery, ID: strconv.Itoa(i)}))
		}
		go func() { _ = c.Write(Message{Type: TypeEvent, Re: "s"}) }()
		require.NotNil(t, (<-l.Events()).Frame, "what it says is read all the same")
		c.Close()
		down(t, l, ErrLost)
	})
}

// With the dialler, a socket on disk and many senders.
func TestALinkOnARealSocketOutlivesItsDaemon(t *testing.T) {
	defer goleak.VerifyNone(t)
	l := place(t, map[string]string{"BLUNUX_AI_SOCK": filepath.Join(t.TempDir(), "s.sock")})
	listener := echoing(t, l)
	link := NewLink(Dialer{Locator: l, Daemon: "/nonexistent"}, Hello{Client: "test/1"})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ran := make(chan error)
	go func() { ran <- link.Run(ctx) }()
	require.NotNil(t, (<-link.Events()).Connected)

	const senders, each = 4, 50
	go func() {
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					for errors.Is(link.Send(Message{Type: TypeQuery, ID: strconv.Itoa(s*each + i)}), ErrLinkFull) {
						<-time.After(time.Millisecond)
					}
				}
			})
		}
		wg.Wait()
	}()
	seen := map[string]bool{}
	for len(seen) < senders*each {
		e := <-link.Events()
		require.NotNil(t, e.Frame, "%+v", e)
		require.False(t, seen[e.Frame.Re])
		seen[e.Frame.Re] = true
	}

	listener.stop()
	require.ErrorIs(t, (<-link.Events()).Disconnected, ErrLost)
	again := echoing(t, l)
	require.NotNil(t, (<-link.Events()).Connected, "it came back")
	require.NoError(t, link.Send(Message{Type: TypeQuery, ID: "last"}))
	require.Equal(t, "last", (<-link.Events()).Frame.Re)
	cancel()
	for range link.Events() {
	}
	require.Error(t, <-ran)
	again.stop()
}

// echo ends every request that it gets.
type echo struct {
	stop func()
}

func echoing(t *testing.T, l Locator) echo {
	path, err := l.Path()
	require.NoError(t, err)
	listener, err := l.Listen(path)
	require.NoError(t, err)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	wg.Go(func() {
		for {
			raw, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, raw)
			mu.Unlock()
			wg.Go(func() {
				for c := NewConn(raw); ; {
					m, err := c.Read()
					if err != nil {
						return
					}
					_ = c.Write(Message{Type: TypeResult, Re: m.ID, Done: true})
				}
			})
		}
	})
	return echo{stop: sync.OnceFunc(func() {
		listener.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})}
}
