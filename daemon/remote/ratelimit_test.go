package remote

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/stretchr/testify/require"
)

func TestASenderMayAskSoManyQuestionsAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, from := newRateLimiter(time.Now), post.Address{Channel: "telegram", To: "7"}
		count := func(n int) (taken, told int) {
			for range n {
				over, news := p.take(from, 5)
				if !over {
					taken++
				}
				if news {
					told++
				}
			}
			return taken, told
		}
		taken, told := count(20)
		require.Equal(t, 5, taken)
		require.Equal(t, 1, told)
		over, _ := p.take(post.Address{Channel: "telegram", To: "42"}, 5)
		require.False(t, over, "others are not held by it")
		time.Sleep(59 * time.Second)
		taken, told = count(3)
		require.Zero(t, taken)
		require.Zero(t, told, "once")
		time.Sleep(2 * time.Second)
		taken, told = count(10)
		require.Equal(t, 5, taken)
		require.Equal(t, 1, told)
	})
}

// TestAYesCountsAsAQuestion, and the sender still hears about the limit with the next one.
func TestAYesCountsAsAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, from := newRateLimiter(time.Now), post.Address{Channel: "telegram", To: "7"}
		require.False(t, p.takeSilently(from, 2))
		require.False(t, p.takeSilently(from, 2))
		require.True(t, p.takeSilently(from, 2))
		over, news := p.take(from, 2)
		require.True(t, over)
		require.True(t, news)
	})
}
