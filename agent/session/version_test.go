package session_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/providers"
)

// TestD5AConversationOfANewerProgramIsLeftAsItIs also checks that files without versions can still be used.
func TestD5AConversationOfANewerProgramIsLeftAsItIs(t *testing.T) {
	dir := t.TempDir()
	s := session.New(session.Options{Dir: dir, Window: 10, Timeout: time.Hour})
	said := session.Entry{Message: &providers.Message{Role: providers.RoleUser, Content: []providers.Block{providers.Text("hello")}}}
	require.NoError(t, s.Append("agent:main:session:cli/default", said))
	files, err := filepath.Glob(dir + "/*.jsonl")
	require.NoError(t, err)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Contains(t, string(text), `{"v":1,"type":"user"`)

	text = append(text, []byte(`{"v":2,"type":"user","content":"later"}`+"\n")...)
	require.NoError(t, os.WriteFile(files[0], text, 0o600))
	var newer *journal.VersionError
	require.ErrorAs(t, s.Append("agent:main:session:cli/default", said), &newer)
	_, err = s.Load("agent:main:session:cli/default")
	require.ErrorAs(t, err, &newer)
	kept, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Equal(t, text, kept)

	old := `{"type":"user","content":"hello","timestamp":1,"message":{"role":"user","content":[{"type":"text","text":"hello"}]}}` + "\n"
	require.NoError(t, os.WriteFile(files[0], []byte(old), 0o600))
	require.NoError(t, s.Append("agent:main:session:cli/default", said))
}
