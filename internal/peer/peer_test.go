package peer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/internal/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect returns two connected ends. It closes them at the end of the test.
func connect(t *testing.T, here, there peer.Options) (a, b *peer.Conn) {
	t.Helper()
	ra, wb := io.Pipe()
	rb, wa := io.Pipe()
	a, b = peer.New(ra, wa, here), peer.New(rb, wb, there)
	t.Cleanup(func() {
		for _, c := range []*peer.Conn{a, b} {
			c.Close()
		}
		for _, p := range []io.Closer{ra, wa, rb, wb} {
			p.Close()
		}
		a.Wait()
		b.Wait()
	})
	return a, b
}

// echo returns the text of a request, after an error or a wait if its method says so.
func echo(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case "echo":
		return params, nil
	case "refuse":
		return nil, &peer.Error{Code: "no", Message: "refused", Data: json.RawMessage(`{"a":1}`)}
	case "fail":
		return nil, io.ErrNoProgress
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, peer.UnknownMethod(method)
}

func TestRequestsAreAnsweredInAnyOrder(t *testing.T) {
	a, _ := connect(t, peer.Options{}, peer.Options{Handle: echo})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			var got string
			if err := a.Call(t.Context(), "echo", fmt.Sprint(i), &got); err != nil || got != fmt.Sprint(i) {
				t.Error(got, err)
			}
		})
	}
	all.Wait()
	require.NoError(t, a.Call(t.Context(), "echo", "x", nil), "the result may be ignored")
}

func TestErrorsHaveCodes(t *testing.T) {
	a, _ := connect(t, peer.Options{}, peer.Options{Handle: echo})
	for method, code := range map[string]string{"refuse": "no", "fail": peer.CodeFailed, "nothing": peer.CodeMethod} {
		var err *peer.Error
		require.ErrorAs(t, a.Call(t.Context(), method, nil, nil), &err)
		require.Equal(t, code, err.Code)
		if code == "no" {
			require.EqualError(t, err, "refused")
			require.JSONEq(t, `{"a":1}`, string(err.Data))
		}
	}
	require.Error(t, a.Call(t.Context(), "echo", func() {}, nil), "not JSON")
	require.Error(t, a.Call(t.Context(), "echo", "text", new(int)), "another type")
}

func TestBothSidesCallEachOther(t *testing.T) {
	var b *peer.Conn
	ready := make(chan struct{})
	a, end := connect(t, peer.Options{Handle: echo}, peer.Options{Handle: func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
		<-ready
		var back string
		err := b.Call(ctx, "echo", params, &back)
		return back + "!", err
	}})
	b = end
	close(ready)
	var got string
	require.NoError(t, a.Call(t.Context(), "ask", "hello", &got))
	require.Equal(t, "hello!", got)
}

func TestNoticesArriveInOrder(t *testing.T) {
	var got []string
	done := make(chan struct{})
	_, b := connect(t, peer.Options{Notice: func(method string, params json.RawMessage) {
		if got = append(got, method+string(params)); len(got) == 100 {
			close(done)
		}
	}}, peer.Options{})
	for i := range 100 {
		require.NoError(t, b.Notify(t.Context(), "n", i))
	}
	<-done
	for i, g := range got {
		require.Equal(t, fmt.Sprint("n", i), g)
	}
}

func TestTheEndOfACallersContextReachesTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan time.Time, 2)
		handle := func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
			<-ctx.Done()
			deadline, _ := ctx.Deadline()
			ended <- deadline
			return nil, ctx.Err()
		}
		a, _ := connect(t, peer.Options{}, peer.Options{Handle: handle})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		require.ErrorIs(t, a.Call(ctx, "wait", nil, nil), context.Canceled)
		require.Zero(t, <-ended)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		deadline, _ := ctx.Deadline()
		err := a.Call(ctx, "wait", nil, nil)
		var refused *peer.Error // the handler's deadline passes at the same moment
		require.True(t, errors.Is(err, context.DeadlineExceeded) || errors.As(err, &refused) && refused.Code == peer.CodeCanceled, "%v", err)
		require.Equal(t, deadline, <-ended, "the deadline travels along")
		time.Sleep(2 * peer.DefaultHangTimeout)
		require.NoError(t, a.Err(), "the canceled calls were answered")
	})
}

func TestASideThatIgnoresCancelsHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		a, _ := connect(t, peer.Options{}, peer.Options{Handle: func(context.Context, string, json.RawMessage) (any, error) {
			<-free
			return nil, nil
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, a.Call(ctx, "stuck", nil, nil), context.DeadlineExceeded)
		<-a.Done()
		require.ErrorIs(t, a.Err(), peer.ErrHung)
		require.ErrorIs(t, a.Call(t.Context(), "echo", nil, nil), peer.ErrHung)
		close(free)
	})
}

func TestASideThatDoesNotReadBlocksNobodyForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // nobody reads or writes the other ends
		quiet, quietEnd := io.Pipe()
		c := peer.New(quiet, w, peer.Options{})
		defer c.Wait()
		defer func() { r.Close(); quietEnd.Close() }()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() { require.ErrorIs(t, c.Call(ctx, "echo", nil, nil), context.DeadlineExceeded) })
		}
		all.Wait()
		<-c.Done()
		require.ErrorIs(t, c.Err(), peer.ErrHung)
	})
}

func TestTooManyRequestsAreRefused(t *testing.T) {
	a, _ := connect(t, peer.Options{}, peer.Options{Handle: echo, MaxRequests: 1})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waits := make(chan error, 2)
	for range 2 {
		go func() { waits <- a.Call(ctx, "wait", nil, nil) }()
	}
	var err *peer.Error
	require.ErrorAs(t, <-waits, &err)
	require.Equal(t, peer.CodeBusy, err.Code)
	cancel()
	require.ErrorIs(t, <-waits, context.Canceled)
}

func TestLongMessages(t *testing.T) {
	const most = 1 << 10
	long := strings.Repeat("x", most)
	a, b := connect(t, peer.Options{MaxLine: most}, peer.Options{MaxLine: most, Handle: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		if method == "long" {
			return long, nil
		}
		return echo(ctx, method, params)
	}})
	require.ErrorIs(t, a.Call(t.Context(), "echo", long, nil), peer.ErrTooLong)
	require.ErrorIs(t, b.Notify(t.Context(), "n", long), peer.ErrTooLong)
	var err *peer.Error
	require.ErrorAs(t, a.Call(t.Context(), "long", nil, nil), &err)
	require.Equal(t, peer.CodeTooLarge, err.Code)
	require.NoError(t, a.Call(t.Context(), "echo", "short", nil), "the connection goes on")
}

func TestInputThatIsNoMessageEndsTheConnection(t *testing.T) {
	for input, want := range map[string]error{
		"":                              io.EOF,
		"\n\n":                          io.EOF,
		"hello\n":                       peer.ErrMalformed,
		"{}\n":                          peer.ErrMalformed,
		"[1]\n":                         peer.ErrMalformed,
		`{"id":-1}` + "\n":              peer.ErrMalformed,
		`{"id":1,"result":`:             io.ErrUnexpectedEOF, // died in the middle
		strings.Repeat("[", 5000) + "x": peer.ErrTooLong,
		`{"id":77,"result":1}` + "\n":   io.EOF, // an answer to nothing
		`{"cancel":77}` + "\n":          io.EOF,
	} {
		c := peer.New(strings.NewReader(input), io.Discard, peer.Options{MaxLine: 4096})
		c.Wait()
		require.ErrorIs(t, c.Err(), want, "%q", input)
	}
}

func TestTheEndFailsCallsAndHandlers(t *testing.T) {
	entered, ended := make(chan struct{}), make(chan error, 1)
	a, b := connect(t, peer.Options{}, peer.Options{Handle: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		close(entered)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, nil
	}})
	called := make(chan error, 1)
	go func() { called <- a.Call(t.Context(), "wait", nil, nil) }()
	<-entered
	b.Close()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.ErrorIs(t, b.Err(), peer.ErrClosed)
	a.Close()
	require.ErrorIs(t, <-called, peer.ErrClosed)
	require.ErrorIs(t, a.Call(t.Context(), "x", nil, nil), peer.ErrClosed)
	require.ErrorIs(t, a.Notify(t.Context(), "x", nil), peer.ErrClosed)
}

// FuzzInput: no input makes a connection panic, hang, or accept a line above its bound.
func FuzzInput(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"method":"echo","params":"x"}`, `{"id":1,"result":3}`, `{"id":1,"error":{"code":"a","message":"b"}}`, `{"cancel":1}`,
		`{"method":"n"}`, `{"id":1,"method":"wait","timeout_ms":1}`, "\x00", `{"id":1e99}`, "{", strings.Repeat("a", 300),
	} {
		f.Add([]byte(s + "\n"))
		f.Add([]byte(s + "\n" + s))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		const most = 256
		seen := 0
		c := peer.New(strings.NewReader(string(input)), io.Discard, peer.Options{
			MaxLine: most, Handle: echo,
			Notice: func(method string, params json.RawMessage) { seen = max(seen, len(method)+len(params)) },
		})
		called := make(chan error, 1)
		go func() { called <- c.Call(t.Context(), "x", nil, nil) }()
		c.Wait()
		<-called
		require.Error(t, c.Err())
		require.LessOrEqual(t, seen, 3*most) // an invalid byte becomes a character of 3
	})
}
