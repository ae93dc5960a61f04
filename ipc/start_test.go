package ipc

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// No goroutine is left, which synctest checks too, and Send fails.
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
		require.ErrorIs(t, l.Send(Message{Type: TypeQuery, ID: "p"}), ErrLinkClosed)
		stop() // a second call has no effect
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
