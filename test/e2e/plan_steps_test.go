package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// stepsPlot scripts a model that plans three steps on request.
const stepsPlot = `loop = true
[[step]]
user_match = "^(set up|설정해줘)$"
[[step.tool]]
name = "plan"
input = { steps = [ { verb = "run", args = { command = "uname -s" } }, { verb = "write_file", args = { path = "~/greeting", content = "hello\n" } }, { verb = "run", args = { command = "touch ~/made" } } ] }
[[step]]
text = "all done"
`

func TestEachStepOfAPlanHasARowOnTheTerminal(t *testing.T) {
	t.Parallel()
	d := newMachine(t, stepsPlot)
	shown := d.run([]string{"y"}, "ask", "set up")
	require.Regexp(t, `\[1/3\] ✓ uname -s`, shown)
	require.Regexp(t, `\[2/3\] ✓ put \(kept text [0-9a-f]{12}\) \S+/greeting`, shown)
	require.Regexp(t, `\[3/3\] ○ touch ~/made`, shown)
	require.NotContains(t, shown, "▸", "neither the plan nor its checks are calls of their own")
	require.NotContains(t, shown, "(run, not proved)", "the answer does not repeat the steps")
	require.FileExists(t, d.home+"/greeting")

	require.Regexp(t, `\[1/1\] ✓ rm`, d.run([]string{"y"}, "undo"))
	require.NoFileExists(t, d.home+"/greeting")

	require.NotContains(t, d.run([]string{"y"}, "ask", "-q", "set up"), "[1/3]")
	require.Contains(t, d.run([]string{"n"}, "--lang", "ko", "ask", "설정해줘"), "3단계로 진행할까요?")
}
