package daemon

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
)

// Both the turn of a disconnected peer and the next daemon use it. The latter cannot know whether the answer was
// delivered.
func TestD2AnAnswerHasTheIDOfItsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, goOn := make(chan struct{}), make(chan struct{})
		h := open(t, func(ctx context.Context, req providers.Request) (providers.Completion, error) {
			close(started)
			<-goOn
			return doer(ctx, req)
		})
		p := h.connect()
		p.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "hello"})
		<-started
		p.Close()
		h.wg.Wait() // the connection has ended, after the time that a bridge waits
		id := h.turns.tasks.List()[0].ID
		close(goOn)
		synctest.Wait()
		require.Len(t, h.post.Outbox.Waiting(post.OriginalChannel), 1)
		require.Equal(t, "task:"+id, h.post.Outbox.Waiting(post.OriginalChannel)[0].ID)

		r, err := h.turns.tasks.Get(id)
		require.NoError(t, err)
		require.True(t, r.Delivered)
		r.State, r.Delivered = task.Done, false
		h.recovery.deliverLate(r, h.o.Log.Info())
		require.Len(t, h.post.Outbox.Waiting(post.OriginalChannel), 1, "which is told once")
	})
}
