package offline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

func TestWhatIsNotUnderstoodIsKeptWithoutSecrets(t *testing.T) {
	m := &Misses{Path: filepath.Join(t.TempDir(), "misses.jsonl"), Now: time.Now, HasSecret: func(s string) bool { return strings.Contains(s, "hunter2") }}
	helper := New(Options{Lang: "en", Missed: func(text string) { require.NoError(t, m.Add(text)) }})
	ask := func(text string) {
		_, err := helper.Complete(t.Context(), providers.Request{Messages: []providers.Message{{Role: providers.RoleUser, Content: []providers.Block{providers.Text(text)}}}}, nil)
		require.NoError(t, err)
	}
	ask("disk full?")
	list, err := m.List()
	require.NoError(t, err)
	require.Empty(t, list)
	ask("frobnicate the quux with hunter2 gently")
	ask("frobnicate the quux gently")
	list, err = m.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "frobnicate the quux gently", list[0].Text)

	info, err := os.Stat(m.Path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	for range 200 {
		require.NoError(t, m.Add(strings.Repeat("word ", 90)))
	}
	info, err = os.Stat(m.Path)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(maxMissFile+1000))
}
