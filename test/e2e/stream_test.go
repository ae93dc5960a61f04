package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// TestWordsAreShownAsTheyComeAndCancellingStopsTheModel: the client shows the beginning of an answer while the
// model still writes. When the client disconnects, the request to the model is cancelled.
func TestWordsAreShownAsTheyComeAndCancellingStopsTheModel(t *testing.T) {
	t.Parallel()
	d, s := newStage(t, "")
	cmd := exec.Command(binaries+"/blunux-aictl", "ask", "--jsonl", "begin The disk is almost full and")
	cmd.Env = d.env
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := ""
	for lines := bufio.NewScanner(out); !strings.Contains(said, "The disk is almost full"); {
		require.True(t, lines.Scan(), "it ended before that: %q", said)
		var m ipc.Message
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
		if m.Type == ipc.TypeDelta {
			said += m.Body
		}
	}
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	<-s.handler.Disconnects()
	_ = cmd.Wait()
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
}
