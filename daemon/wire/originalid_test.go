package wire

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/stretchr/testify/require"
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
		id := h.tasks.List()[0].ID
		close(goOn)
		synctest.Wait()
		require.Len(t, h.post.Outbox.Waiting(post.OriginalChannel), 1)
		require.Equal(t, "task:"+id, h.post.Outbox.Waiting(post.OriginalChannel)[0].ID)

		r, err := h.tasks.Get(id)
		require.NoError(t, err)
		require.True(t, r.Delivered)
		require.True(t, h.turns.QueueAnswer(r, r.Answer))
		require.Len(t, h.post.Outbox.Waiting(post.OriginalChannel), 1, "which is told once")
	})
}
