package rules

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestADesktopButtonAnswersNoQuestionAboutAPlan(t *testing.T) {
	ask := ipc.Ask{Command: "cp -- a b"}
	require.True(t, canUseButton(ask, true))
	ask.Plan = []ipc.PlanStep{{Number: 1, Of: 1, Command: ask.Command, Detail: "+x"}}
	require.False(t, canUseButton(ask, true), "a notification shows neither its check nor how the file changes")
	ask.Command, ask.Plan = "cp -- a b\nrm a", append(ask.Plan, ipc.PlanStep{Number: 2, Of: 2, Command: "rm a"})
	require.Equal(t, "cp -- a b … (2 steps)", briefCommand(ask, i18n.English))
}
