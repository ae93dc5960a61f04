package wire

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/steps"
	"github.com/stretchr/testify/require"
)

// spare is a recorder that is ready or not.
type spare struct {
	steps.FallbackRecorder
	err error
}

func (s spare) Ready() error { return s.err }

// The answer says so, and nothing is changed. As soon as the disk accepts records again, they are stored.
func TestD4AQuestionIsAnsweredWhileNothingCanBeKept(t *testing.T) {
	h := open(t, doer, func(o *Options) { o.Process.Spare = spare{} })
	// A file in place of the directory, like a disk that accepts no records.
	require.NoError(t, os.WriteFile(filepath.Join(h.home, "tasks"), nil, 0o600))
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "r", Body: "do uname"})
	answer := p.last(ipc.TypeResponse)
	require.Contains(t, answer.Body, "Cannot write to "+h.home)
	require.Contains(t, answer.Body, "it ran")
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "c", Body: "do touch " + h.home + "/made"})
	require.Contains(t, p.last(ipc.TypeResponse).Body, "it log")
	require.NoFileExists(t, h.home+"/made")
	require.Empty(t, h.approvals.InConversation(post.KeyOf("cli", "default"), ""))

	require.NoError(t, os.Remove(filepath.Join(h.home, "tasks")))
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "k", Body: "do uname"})
	require.Equal(t, "it ran", p.last(ipc.TypeResponse).Body)
	require.FileExists(t, filepath.Join(h.home, "tasks/tasks.jsonl"))
}

// The question is refused.
func TestD4NothingRunsWhereNeitherCanKeepARecord(t *testing.T) {
	for name, recorder := range map[string]Spare{"none": nil, "gone": spare{err: errors.New("no socket")}} {
		t.Run(name, func(t *testing.T) {
			h := open(t, doer, func(o *Options) { o.Process.Spare = recorder })
			require.NoError(t, os.WriteFile(filepath.Join(h.home, "tasks"), nil, 0o600))
			p := h.hello()
			p.say(ipc.Message{Type: ipc.TypeMessage, ID: "r", Body: "do uname"})
			require.Equal(t, ipc.CodeInternal, p.last(ipc.TypeError).Error.Code)
			require.Empty(t, h.log())
		})
	}
}
