package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// TestS13TheQuestionWarnsOfWhatIsLost: the warning names the device. The command is never granted for a session
// and never run by full autonomy.
func TestS13TheQuestionWarnsOfWhatIsLost(t *testing.T) {
	d := newTestGate(t, func(o *tools.Options) {
		o.Full = autonomy.Allowance{Commands: []string{"mkswap", "wipefs"}, Workspace: "/"}
	})
	for text, warning := range map[string]string{
		"wipefs -a /dev/sdb1":      "data-loss: /dev/sdb1",
		"sudo mkswap /dev/sdc7":    "data-loss: /dev/sdc7",
		"parted -s /dev/sdb rm 12": "data-loss: /dev/sdb12",
	} {
		j, refused := d.Prepare(newCall(t, "run_command", command(text)), "s", d.dir)
		require.Nil(t, refused, text)
		require.Equal(t, safety.Confirm, j.Class, text)
		require.Contains(t, j.Reasons, "data-loss")
		require.Contains(t, j.Warnings, warning)
		require.False(t, j.IsGrantable(), text)
	}
	j, _ := d.Prepare(newCall(t, "run_command", command("wipefs -a /dev/sdb")), "s", d.dir)
	require.Equal(t, safety.Blocked, j.Class)
}
