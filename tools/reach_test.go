package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
)

// TestS2WhoGetsANetworkIsKnownToReachOut compares the checker's marks with the sandbox's table: a program whose
// cell has network access must be judged as one that uses it.
func TestS2WhoGetsANetworkIsKnownToReachOut(t *testing.T) {
	reaches := map[string]bool{}
	for _, p := range safety.Programs() {
		reaches[p.Name] = p.Reaches
	}
	for _, name := range sandbox.Programs() {
		if sandbox.NeedsOf([]string{name}, name).HasNetwork() {
			require.True(t, reaches[name], "%s gets a network, and the checker does not know it", name)
		}
	}
}
