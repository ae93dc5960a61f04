package rules

import (
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/stretchr/testify/require"
)

func TestAButtonIsNotOfferedForWhatTakesRightsOrIsLong(t *testing.T) {
	short := ipc.Ask{Command: "touch x"}
	require.True(t, canUseButton(short, true))
	require.False(t, canUseButton(short, false))
	require.False(t, canUseButton(ipc.Ask{Command: "touch x", Privileged: true}, true))
	require.False(t, canUseButton(ipc.Ask{Command: "touch " + strings.Repeat("x", 120)}, true))
	require.False(t, canUseButton(ipc.Ask{Command: "touch x\nrm x"}, true))
}
