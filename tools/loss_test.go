package tools

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeasureWhatIsLost(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o700))
	for name, size := range map[string]int{"a/one": 10, "a/b/two": 20, "c": 5} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600))
	}
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "a/link")))
	always := func() bool { return true }
	require.Equal(t, "3 30 "+dir+"/a", measure(dir+"/a", always), "what a link leads to stays")
	require.Equal(t, "4 35 "+dir+"/*", measure(dir+"/*", always))
	require.Equal(t, "1 5 "+dir+"/c", measure(dir+"/c", always))
	require.Equal(t, dir+"/none", measure(dir+"/none", always))
	left := 3
	require.Regexp(t, `^1 \d+\+ /`, measure(dir+"/a", func() bool { left--; return left >= 0 }))

	j := JudgedPlan{Finding: Finding{Warnings: []string{"own-files: " + dir + "/a", "persistence: x"}}}
	require.Equal(t, []string{"own-files: 3 30 " + dir + "/a", "persistence: x"}, j.Measured().Warnings)
	require.Equal(t, "own-files: "+dir+"/a", j.Warnings[0], "the judged plan is as it was")
}
