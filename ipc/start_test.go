package ipc

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestALinkThatWasStartedEndsWhenItIsStopped: nothing of it is left then, which
// synctest holds too, and nothing can be sent any more.
func TestALinkThatWasStartedEndsWhenItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLink(Hello{})
		l.dial = func(ctx context.Context, _ bool) (io.ReadWriteCloser, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		stop := l.Start(t.Context())
		synctest.Wait()
		stop()
		_, more := <-l.Events()
		require.False(t, more)
		require.ErrorIs(t, l.Send(Message{Type: TypeQuery, ID: "p"}), ErrLinkOver)
		stop() // once more does no harm
	})
}

func TestALinkEndsWithTheContextItWasStartedWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLink(Hello{})
		l.dial = func(ctx context.Context, _ bool) (io.ReadWriteCloser, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		defer l.Start(ctx)()
		for range l.Events() {
		}
		require.Error(t, ctx.Err())
	})
}
