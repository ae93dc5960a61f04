package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
)

// TestS2WhoGetsANetworkIsKnownToReachOut holds the checker's marks against the
// sandbox's table: who gets a cell with a network is judged as one who uses it.
func TestS2WhoGetsANetworkIsKnownToReachOut(t *testing.T) {
	reaches := map[string]bool{}
	for _, p := range safety.Programs() {
		reaches[p.Name] = p.Reaches
	}
	for _, name := range sandbox.Programs() {
		if sandbox.NeedsOf([]string{name}, name).Reaches() {
			require.True(t, reaches[name], "%s gets a network, and the checker does not know it", name)
		}
	}
}
