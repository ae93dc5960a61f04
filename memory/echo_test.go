package memory_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory"
)

// A forgotten note is removed from every file, including the days, months and backups that repeat it. Everything
// else stays, byte for byte.
func TestH10AForgottenNoteGoesFromEveryFile(t *testing.T) {
	dir := t.TempDir()
	m := memory.New(dir, memory.Options{})
	long := "the key to the cellar hangs behind the large blue picture of the harbour in the hall on the ground floor beside the stairs"
	files := map[string][2]string{
		"MEMORY.md": {
			"# Memory\n\n## Core\n\n- **birthday**: 내 생일은 3월 5일이야 (2026-11-23)\n- **tea**: likes tea (2026-11-23)\n- **cellar**: " + long + " (2026-11-23)\n",
			"# Memory\n\n## Core\n\n- **tea**: likes tea (2026-11-23)\n- **cellar**: " + long + " (2026-11-23)\n",
		},
		"MEMORY.md~": {"- 내 생일은 3월 5일이야\n- other\n", "- other\n"},
		"USER.md":    {"Name: Blu\n\n내 생일은  3월 5일이야\n", "Name: Blu\n\n"},
		"daily/2026-11-23.md": {
			"- 14:08 · 내 생일은 3월 5일이야 기억해줘 · blunux-ai memory remember -- '내 생일은 3월 5일이야' · 네\n" +
				"- 14:11 · forget it · blunux-ai memory search --limit 10 -- '생일은 3월 5일이야' · waits\n" +
				"- 14:09 · disk? · df -h · 42%\n- 14:10 · 내 생일이 언제야? · - · 메모예요: 내 생일은 3월 5일이야\n- mine: 내 생일은 3월 5일이야 ok\n",
			"- 14:09 · disk? · df -h · 42%\n- mine: 내 생일은 3월 5일이야 ok\n",
		},
		"daily/2026-10.md": {
			"# 2026-10\n\n## 2026-10-02 (2 turns)\n\n- 09:00 · 내 생일은 3월 5일이야 · - · 네\n- 09:12 · hi · - · hello\n",
			"# 2026-10\n\n## 2026-10-02 (2 turns)\n\n- 09:12 · hi · - · hello\n",
		},
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "daily"), 0o700))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text[0]), 0o600))
	}
	note, err := m.Find(t.Context(), "birthday")
	require.NoError(t, err)
	require.Len(t, m.Echoes(t.Context(), note), 5)
	change, err := m.Forget(t.Context(), "birthday")
	require.NoError(t, err)
	require.Equal(t, []memory.FileLines{{File: "USER.md", Lines: 1}, {File: "daily/2026-10.md", Lines: 1}, {File: "daily/2026-11-23.md", Lines: 3}, {File: "MEMORY.md~", Lines: 1}}, change.Also)
	require.Empty(t, change.Still)
	for name, text := range files {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, text[1], string(data), name)
	}

	cutLine := "- 15:00 · remember: " + long[:90] + "… · - · ok\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "daily/2026-11-24.md"), []byte(cutLine+"- 15:01 · hi · - · the key to the…\n"), 0o600))
	_, err = m.Forget(t.Context(), "cellar")
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(dir, "daily/2026-11-24.md"))
	require.NoError(t, err)
	require.NotContains(t, string(data), "cellar")
}

// If one file cannot be changed, it is listed, and the note is removed from the others.
func TestH10AFileThatCannotBeChangedIsNamed(t *testing.T) {
	dir := t.TempDir()
	m := memory.New(dir, memory.Options{})
	_, err := m.Remember(t.Context(), memory.Note{Key: "tea", Text: "likes green tea"})
	require.NoError(t, err)
	user := filepath.Join(dir, "USER.md")
	require.NoError(t, os.WriteFile(user, []byte("likes green tea\n"), 0o400))
	change, err := m.Forget(t.Context(), "tea")
	require.NoError(t, err)
	require.Equal(t, []string{"USER.md"}, change.Still)
}

func TestH10AFileThatCannotBeReadIsNamed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "daily", "2026-11-23.md"), 0o700)) // a directory in its place
	require.NoError(t, os.WriteFile(filepath.Join(dir, "MEMORY.md"), []byte("# Memory\n\n## Core\n\n- **tea**: likes green tea (2026-11-23)\n"), 0o600))
	change, err := memory.New(dir, memory.Options{}).Forget(t.Context(), "tea")
	require.NoError(t, err)
	require.Equal(t, []string{"daily/2026-11-23.md"}, change.Still)
}

func TestH10AShortWordIsNotLookedForInDays(t *testing.T) {
	for line, text := range map[string]string{
		"- 09:12 · I drank tea · - · ok": "tea", "- 09:12 · likes teapots · - · ok": "likes tea", "": "", "- 09:12 · hi · - · ok": "",
	} {
		require.False(t, memory.ContainsText(line, text), line)
	}
	require.True(t, memory.ContainsText("- 09:12 · 나는커피를 좋아해요 · - · ok", "커피를 좋아해"))
	require.True(t, memory.ContainsText("- 09:12 · Likes  TEA, "+strings.Repeat("x", 3)+" · - · ok", "likes tea"))
}
