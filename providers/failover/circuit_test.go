package failover_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/failover"
)

// TestOnlyAnotherConfigurationIsTriedAtOnce: to read the same one again mends
// nothing.
func TestOnlyAnotherConfigurationIsTriedAtOnce(t *testing.T) {
	c := failover.NewCircuits(time.Now)
	c.Under("first")
	c.Bad("claude", &providers.Error{Kind: providers.KindRateLimit, RetryAfter: time.Hour})
	c.Under("first")
	require.Len(t, c.List(), 1)
	c.Under("second")
	require.Empty(t, c.List())
}
