package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// TestAProgramIsOpenedOnlyWhenItIsInstalled: while the installation waits for approval, the answer says how to go on.
func TestAProgramIsOpenedOnlyWhenItIsInstalled(t *testing.T) {
	for _, row := range []struct {
		name, says string
		output     providers.Output
		offers     bool
	}{
		{"done", "Shall I open vlc now?", providers.Output{Steps: []providers.Step{{Command: "pacman -S -- vlc"}}}, true},
		{"waits", "vlc is not open yet.", providers.Output{Refusal: "queued", ApprovalCode: "ABCD", ApprovalCommand: "pacman -S -- vlc"}, false},
		{"failed", "", providers.Output{Steps: []providers.Step{{Command: "pacman -S -- vlc", Exit: 1, Stderr: "error: target not found: vlc"}}}, false},
		{"denied", "", providers.Output{Refusal: "denied"}, false},
	} {
		plan := intent.BuiltIn().Understand("install vlc and open it", intent.Context{})
		c := Case{Lang: i18n.English, Request: intent.BuiltIn().Read("install vlc and open it"), RequestedSteps: plan.Steps, FollowUps: plan.FollowUps}
		c.Results = []Result{{Tool: "install_package", Input: plan.Steps[0].Input, Output: &row.output}}
		reply := c.Answer()
		require.Contains(t, reply.Text, row.says, row.name)
		require.Equal(t, row.offers, reply.Offer != nil && reply.Offer.Tool == "desktop", "%s: %s", row.name, reply.Text)
		if row.says == "" {
			require.NotContains(t, reply.Text, "open vlc", row.name)
			require.NotContains(t, reply.Text, "not open", row.name)
		}
	}
}
