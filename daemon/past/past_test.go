package past

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/receipt"
)

// TestOthersChangesAreNotTold: people of one messenger, such as of a Discord server, do not learn what others did.
func TestOthersChangesAreNotTold(t *testing.T) {
	r := receipt.Receipt{Channel: "discord", Session: "agent:main:session:discord/kim"}
	require.True(t, mayKnow(r, "discord", r.Session))
	require.False(t, mayKnow(r, "discord", "agent:main:session:discord/lee"))
	require.False(t, mayKnow(r, "telegram", r.Session))
	for _, channel := range []string{"", "cli", "tui"} {
		require.True(t, mayKnow(r, channel, "other"))
	}
}
