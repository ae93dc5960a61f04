package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

// TestH8NoChangeIsOfferedWithoutTheRights makes requests that need root's rights where they are unavailable.
func TestH8NoChangeIsOfferedWithoutTheRights(t *testing.T) {
	pending := output(exited("checkupdates", 0, "firefox 145.0-1 -> 145.0.1-1\n", ""))
	missing := output(exited("pacman -Qi -- vlc", 1, "", "error: package 'vlc' was not found\n"), ran("pacman -Si -- vlc", "Repository      : extra\nName            : vlc\nVersion         : 3.0.21-1\n"))
	for _, tt := range []struct {
		question string
		out      providers.Output
		offered  string
		instead  string
	}{
		{"any updates?", pending, "Shall I update now?", "`sudo pacman -Syu`"},
		{"is vlc installed?", missing, "Shall I install", "`sudo pacman -S --needed vlc`"},
	} {
		for _, none := range []bool{false, true} {
			c := newChat(t, "en")
			c.model = New(Options{Lang: "en", NoRights: func(bool) bool { return none }})
			c.say(tt.question)
			c.offerNothingMore()
			text := c.result(tt.out).Text()
			if !none {
				require.Contains(t, text, tt.offered)
				continue
			}
			require.NotContains(t, text, "Shall I", tt.question)
			require.Contains(t, text, tt.instead, tt.question)
			require.Empty(t, c.say("yes").ToolUses(), tt.question)
		}
	}
}

// TestH1NothingIsOfferedBehindADenial checks updates after a prohibition.
func TestH1NothingIsOfferedBehindADenial(t *testing.T) {
	for _, question := range []string{"don't update", "I changed my mind, don't upgrade", "别更新了"} {
		c := newChat(t, "en")
		if len(c.say(question).ToolUses()) == 0 {
			continue
		}
		c.offerNothingMore()
		text := c.result(output(exited("checkupdates", 0, "firefox 145.0-1 -> 145.0.1-1\n", ""))).Text()
		require.NotContains(t, text, "Shall I update", question)
		require.Empty(t, c.say("yes").ToolUses(), question)
	}
}
