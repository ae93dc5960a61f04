package memory_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory"
)

func TestU18NotesAreCountedByCategory(t *testing.T) {
	dir := t.TempDir()
	m := memory.New(dir, memory.Options{})
	counted, err := m.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, memory.NoteCounts{Categories: []memory.CategoryCount{{Category: "core"}, {Category: "daily"}}}, counted)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "SYSTEM.md"), []byte("- Kernel: 6.9\n"), 0o600))
	_, err = m.UpdateUser(t.Context(), "Name: Blu")
	require.NoError(t, err)
	_, err = m.Import(t.Context(), strings.NewReader("- likes tea\n\n## Devices\n- the NAS is blue\n- the printer is red\n\n## 집\n- 열쇠는 서랍에\n"))
	require.NoError(t, err)
	require.NoError(t, m.Append(time.Now(), "- 09:12 · hi · - · hello"))
	counted, err = m.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, memory.NoteCounts{Notes: 6, Categories: []memory.CategoryCount{
		{Category: "core", Notes: 2}, {Category: "daily", Notes: 1}, {Category: "devices", Notes: 2}, {Category: "집", Notes: 1},
	}}, counted)

	require.NoError(t, os.Remove(filepath.Join(dir, "USER.md")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "USER.md"), 0o700))
	counted, err = m.Count(t.Context())
	require.Error(t, err)
	require.Equal(t, 5, counted.Notes, "what can be read is counted")
}
