package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// touchPlot scripts a model that creates a file on request.
const touchPlot = `
[[step]]
user = "touch"
[[step.tool]]
name = "run_command"
input = { command = "touch made", approved = true }
[[step]]
text = "all done"
`

// client runs the client without a terminal and returns its output.
func (d *machine) client(args ...string) string {
	d.t.Helper()
	cmd := exec.Command(binaries+"/blunux-aictl", args...)
	cmd.Dir, cmd.Env = d.home, d.env
	out, _ := cmd.CombinedOutput() // the exit status does not matter
	return string(out)
}

// pendingCodes returns the codes of pending approvals.
func (d *machine) pendingCodes() []string {
	d.t.Helper()
	var asks []struct{ Code string }
	require.NoError(d.t, json.Unmarshal([]byte(d.client("approvals", "--json")), &asks))
	codes := []string{}
	for _, a := range asks {
		codes = append(codes, a.Code)
	}
	return codes
}

// classes returns the classes in the command log in order.
func (d *machine) classes() []string {
	list := []string{}
	for line := range strings.Lines(d.log()) {
		list = append(list, strings.Fields(line)[1])
	}
	return list
}

// TestThreat06AnApprovalOutlivesACleanRestartForOneAnswer: the daemon is stopped, and the next one accepts the
// answer once.
func TestThreat06AnApprovalOutlivesACleanRestartForOneAnswer(t *testing.T) {
	t.Parallel()
	d := newMachine(t, touchPlot)
	require.Contains(t, d.client("ask", "touch"), "blunux-aictl approve ")
	codes := d.pendingCodes()
	require.Len(t, codes, 1)
	first := daemonPID(d.home + "/run/blunux-ai.sock")
	stopDaemon(d.home + "/run/blunux-ai.sock")

	require.Equal(t, codes, d.pendingCodes())
	require.NotEqual(t, first, daemonPID(d.home+"/run/blunux-ai.sock"))
	require.NoFileExists(t, d.home+"/made")
	require.Contains(t, d.client("approve", codes[0]), "exit 0")
	require.FileExists(t, d.home+"/made")
	require.NoError(t, os.Remove(d.home+"/made"))
	require.Contains(t, d.client("approve", codes[0]), "was already approved at")
	stopDaemon(d.home + "/run/blunux-ai.sock")
	require.Contains(t, d.client("approve", codes[0]), "was already approved at")
	require.NoFileExists(t, d.home+"/made")
	require.Equal(t, []string{"CONFIRMED"}, d.classes())
}

// TestThreat09AClientThatIsKilledAtThePromptMeansNo: it cannot send a last message.
func TestThreat09AClientThatIsKilledAtThePromptMeansNo(t *testing.T) {
	t.Parallel()
	d := newMachine(t, touchPlot)
	shown := d.run([]string{"$ kill -KILL $CLIENT"}, "ask", "touch")
	require.Contains(t, shown, "touch made")
	require.Eventually(t, func() bool { return d.log() != "" }, time.Minute, 5*time.Millisecond)
	require.Equal(t, []string{"CANCELLED"}, d.classes())
	require.NoFileExists(t, d.home+"/made")
	require.Empty(t, d.pendingCodes(), "nor does it wait for anybody else")
	require.NoError(t, syscall.Kill(daemonPID(d.home+"/run/blunux-ai.sock"), 0), "the daemon goes on")
}
