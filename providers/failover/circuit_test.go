package failover_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/failover"
)

// TestOnlyAnotherConfigurationIsTriedAtOnce: reloading an unchanged configuration keeps the pauses.
func TestOnlyAnotherConfigurationIsTriedAtOnce(t *testing.T) {
	c := failover.NewCircuits(time.Now)
	c.SetConfiguration("first")
	c.RecordFailure("claude", &providers.Error{Kind: providers.KindRateLimit, RetryAfter: time.Hour})
	c.SetConfiguration("first")
	require.Len(t, c.List(), 1)
	c.SetConfiguration("second")
	require.Empty(t, c.List())
}

func TestU19ResetEndsEveryPause(t *testing.T) {
	c := failover.NewCircuits(time.Now)
	c.SetConfiguration("first")
	for _, name := range []string{"claude", "deepseek"} {
		c.RecordFailure(name, &providers.Error{Kind: providers.KindRateLimit, RetryAfter: time.Hour})
	}
	c.Reset()
	require.Empty(t, c.List())
	require.NoError(t, c.PauseReason("claude"))
	c.RecordFailure("claude", &providers.Error{Kind: providers.KindNetwork})
	require.Equal(t, 1, c.List()[0].Failures, "failures before the reset do not count")
}
