package memory_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/memory"
)

func TestWhatIsRememberedIsALineAPersonCanEdit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	m := at(dir)
	remember := func(n memory.Note) memory.Change {
		c, err := m.Remember(t.Context(), n)
		require.NoError(t, err)
		return c
	}
	c := remember(memory.Note{Key: "NAS address", Text: "192.168.0.20"})
	require.Equal(t, []string{"- **nas-address**: 192.168.0.20 (2026-02-20)"}, c.Added)
	require.Empty(t, c.Removed)
	remember(memory.Note{Text: "우리 집 프린터는 HP 2700 이다", Category: "Home"})
	remember(memory.Note{Text: "wake up:\n\n\t1. ring\n# twice\x1b[2J", Key: "alarm"})
	require.Equal(t, `# Memory

## Core

- **nas-address**: 192.168.0.20 (2026-02-20)
- **alarm**: wake up: (2026-02-20)
      1\. ring
  \# twice[2J

## Home

- **우리-집-프린터는**: 우리 집 프린터는 HP 2700 이다 (2026-02-20)
`, read(t, dir, "MEMORY.md"))

	c = remember(memory.Note{Key: "nas-address", Text: "192.168.0.21"})
	require.Equal(t, []string{"- **nas-address**: 192.168.0.20 (2026-02-20)"}, c.Removed)
	require.Empty(t, remember(memory.Note{Key: "nas-address", Text: "192.168.0.21"}).Added, "it is known")
	c = remember(memory.Note{Text: "192.168.0.21", Category: "home"})
	require.Equal(t, "nas-address", c.Note.Key, "the same text is the same note")
	require.Contains(t, read(t, dir, "MEMORY.md"), "이다 (2026-02-20)\n- **nas-address**: 192.168.0.21 (2026-02-20)\n")
	for path, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "MEMORY.md"): 0o600} {
		fi, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, fi.Mode().Perm())
	}
}

func TestWhatAPersonWroteIsKnown(t *testing.T) {
	dir := t.TempDir()
	const mine = "# Mine\r\n\r\nI like vim.\r\n* tea   \r\n\r\n## Odd ##\r\n| a | b |\r\n|---|---|\r\n| x | y |"
	write(t, dir, "MEMORY.md", mine)
	c, err := at(dir).Remember(t.Context(), memory.Note{Text: "tea"})
	require.NoError(t, err)
	require.Empty(t, c.Added)
	require.Equal(t, 4, c.Note.Line)
	require.Equal(t, mine, read(t, dir, "MEMORY.md"))

	_, err = at(dir).Remember(t.Context(), memory.Note{Key: "drink", Text: "tea"})
	require.NoError(t, err)
	require.Equal(t, strings.Replace(mine, "* tea   ", "- **drink**: tea (2026-02-20)", 1), read(t, dir, "MEMORY.md"))
}

func TestWhereItIsPut(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"no category":       {"I like vim.\n", "I like vim.\n\nNEW\n"},
		"items":             {"# M\n\n- a\n  b\n\n\n", "# M\n\n- a\n  b\nNEW\n\n\n"},
		"a section":         {"## Core\n- a\n\n### Sub\n- b\n\n## Else\n- c", "## Core\n- a\nNEW\n\n### Sub\n- b\n\n## Else\n- c"},
		"an empty section":  {"## core ##\n\n## Else\n- c\n", "## core ##\n\nNEW\n\n## Else\n- c\n"},
		"no section":        {"## Else\n- c", "## Else\n- c\n\n## Core\n\nNEW"},
		"windows":           {"\ufeff## Core\r\n- a", "\ufeff## Core\r\n- a\r\nNEW"},
		"blank":             {"\n\n", "\n\n# Memory\n\n## Core\n\nNEW\n"},
		"a mark":            {"\ufeff", "\ufeff# Memory\n\n## Core\n\nNEW"},
		"broken characters": {"- \xff\n", "- \xff\nNEW\n"},
		"a fence left open": {"```\nx", "```\nx\n\nNEW"},
		"two titles":        {"# A\n- a\n# B\n- b\n", "# A\n- a\n# B\n- b\n\n## Core\n\nNEW\n"},
		"a table":           {"|a|b|\n|-|-|\n|c|d|\n", "|a|b|\n|-|-|\n|c|d|\n\nNEW\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "MEMORY.md", c.before)
			_, err := at(dir).Remember(t.Context(), memory.Note{Key: "k", Text: "new | --> thing"})
			require.NoError(t, err)
			require.Equal(t, strings.Replace(c.after, "NEW", "- **k**: new | --> thing (2026-02-20)", 1), read(t, dir, "MEMORY.md"))

			_, err = at(dir).Forget(t.Context(), "k")
			require.NoError(t, err)
			require.Len(t, memory.Split("MEMORY.md", read(t, dir, "MEMORY.md"), today), len(memory.Split("MEMORY.md", c.before, today)))
		})
	}
}

func TestWhatCannotBeRemembered(t *testing.T) {
	dir := t.TempDir()
	m := at(dir)
	for _, text := range []string{"", " \n\t", "\x00\x1b\u202e"} {
		_, err := m.Remember(t.Context(), memory.Note{Text: text})
		require.ErrorIs(t, err, memory.ErrEmptyNote)
	}
	_, err := m.Remember(t.Context(), memory.Note{Text: strings.Repeat("a", 1<<20)})
	require.ErrorIs(t, err, memory.ErrLongNote)
	require.NoFileExists(t, dir+"/MEMORY.md")

	full := "- a\n" + strings.Repeat("b", 256<<10)
	write(t, dir, "MEMORY.md", full)
	_, err = m.Remember(t.Context(), memory.Note{Text: "c"})
	requireFault(t, err, "MEMORY.md", "full", "blunux-ai memory edit MEMORY.md")
	_, err = m.Forget(t.Context(), "a")
	require.NoError(t, err, "a full file can be shortened")

	write(t, dir, "MEMORY.md", "<!-- never closed\n- a\n")
	_, err = m.Remember(t.Context(), memory.Note{Text: "b --> c"})
	requireFault(t, err, "MEMORY.md", "shape", "edit")
	require.Equal(t, "<!-- never closed\n- a\n", read(t, dir, "MEMORY.md"))
}

// requireFault requires that err is a fault of the file with the reason, and that its help has one of the texts.
func requireFault(t *testing.T, err error, file, reason string, help ...string) {
	t.Helper()
	var f *memory.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, file, f.File)
	require.Equal(t, reason, f.Reason)
	require.NotEmpty(t, f.Help)
	require.True(t, slices.ContainsFunc(help, func(h string) bool { return strings.Contains(f.Help, h) }), f.Help)
	require.Contains(t, err.Error(), file)
	require.NotContains(t, err.Error(), "%!")
}

func TestForgetting(t *testing.T) {
	dir := t.TempDir()
	m := at(dir)
	write(t, dir, "SYSTEM.md", "- Kernel: 6.9\n")
	write(t, dir, "USER.md", "# Me\n\nname: Blu\n\n- tea\n- tea\n- **drink**: rum (2026-01-01)\n")
	write(t, dir, "MEMORY.md", "- **k**: v (2026-01-01)\n  more\n- tea\n- **drink**: gin (2026-01-01)\n- a\n\n  b\n- coffee\n")
	write(t, dir, dayFile, "- 09:15 · 디스크 · df · 42%\n- 09:16 · x · - · y\n")
	forget := func(key string) memory.Change {
		c, err := m.Forget(t.Context(), key)
		require.NoError(t, err, key)
		return c
	}
	var many *memory.AmbiguousError
	_, err := m.Forget(t.Context(), "drink")
	require.ErrorAs(t, err, &many)
	require.ErrorIs(t, err, memory.ErrAmbiguous)
	require.Len(t, many.Notes, 2)
	require.ErrorContains(t, err, "USER.md:7 rum; MEMORY.md:4 gin")
	require.Equal(t, []string{"- **drink**: gin (2026-01-01)"}, forget("MEMORY.md:4").Removed)
	forget("drink")
	tea := forget("tea")
	require.Equal(t, []string{"- tea", "- tea"}, tea.Removed)
	require.Equal(t, []memory.FileLines{{File: "MEMORY.md", Lines: 1}}, tea.Also, "a note that two files say goes from both")
	write(t, dir, "USER.md", read(t, dir, "USER.md")+"- coffee\n")
	require.Empty(t, forget("USER.md:5").Also, "a place is that place")
	require.Equal(t, []string{"- **k**: v (2026-01-01)", "  more"}, forget(" K ").Removed)
	require.Equal(t, []string{"name: Blu"}, forget("name: Blu").Removed)
	forget("09:15 · 디스크 · df · 42%")
	require.Equal(t, "- 09:16 · x · - · y\n", read(t, dir, dayFile))
	require.Equal(t, "# Me\n\n\n", read(t, dir, "USER.md"))
	require.Equal(t, "- a\n\n  b\n- coffee\n", read(t, dir, "MEMORY.md"))

	_, err = m.Forget(t.Context(), "nothing")
	require.ErrorIs(t, err, memory.ErrNoNote)
	_, err = m.Forget(t.Context(), "Kernel: 6.9")
	require.ErrorIs(t, err, memory.ErrSystem)
}

func TestWhatIsForgottenDoesNotJoinItsNeighbours(t *testing.T) {
	for before, after := range map[string]string{
		"one\n- x\ntwo\n":         "one\n\ntwo\n",
		"- a\n  - x\n\n   para\n": "- a\n<!-- -->\n\n   para\n",
		"- a\n- x\n- b":           "- a\n- b",
		"- a\n- x":                "- a",
		"\ufeff- x\r\n- a\r\n":    "\ufeff- a\r\n",
	} {
		dir := t.TempDir()
		write(t, dir, "MEMORY.md", before)
		_, err := at(dir).Forget(t.Context(), "x")
		require.NoError(t, err)
		require.Equal(t, after, read(t, dir, "MEMORY.md"))
	}
}

func texts(notes []memory.Note) []string {
	var all []string
	for _, n := range notes {
		all = append(all, n.Text)
	}
	slices.Sort(all)
	return all
}

// For any file and any note: after Remember the note is there exactly once and the others are unchanged. Forget
// restores the others. No unrelated line changes.
func TestRememberingAndForgettingChangeNothingElse(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		before := markdown(rt)
		write(t, dir, "MEMORY.md", before)
		m := at(dir)
		old := memory.Split("MEMORY.md", before, today)
		n := memory.Note{Key: "kk", Text: markdown(rt), Category: memory.Category(rapid.SampledFrom([]string{"", "core", "집", "A b"}).Draw(rt, "category"))}
		text := memory.Cleaned(n.Text)
		known := slices.Contains(texts(old), text)
		c, err := m.Remember(rt.Context(), n)
		var f *memory.Fault
		switch {
		case text == "":
			require.ErrorIs(rt, err, memory.ErrEmptyNote)
			return
		case errors.As(err, &f) && (f.Reason == "not-text" || f.Reason == "shape"):
			require.Equal(rt, before, read(t, dir, "MEMORY.md"))
			return
		}
		require.NoError(rt, err)
		require.Equal(rt, text, c.Note.Text)
		after := read(t, dir, "MEMORY.md")
		got := memory.Split("MEMORY.md", after, today)
		for _, o := range old {
			require.True(rt, o.Text == text || slices.Contains(texts(got), o.Text), "%q is lost", o.Text)
		}
		if known {
			return
		}
		require.Len(rt, got, len(old)+1)
		require.True(rt, isWithin(before, after), "%q is not in %q", before, after)
		_, err = m.Forget(rt.Context(), "kk")
		require.NoError(rt, err)
		require.Equal(rt, texts(old), texts(memory.Split("MEMORY.md", read(t, dir, "MEMORY.md"), today)))
	})
}

// isWithin reports whether after is before with one text inserted.
func isWithin(before, after string) bool {
	for i := 0; i <= len(before); i++ {
		if strings.HasPrefix(after, before[:i]) && strings.HasSuffix(after, before[i:]) {
			return true
		}
	}
	return false
}

func TestManyWritersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	done := make(chan error)
	for w := range 8 {
		go func() {
			m := at(dir) // like another process
			for i := range 5 {
				_, err := m.Remember(t.Context(), memory.Note{Key: strings.Repeat("k", 1+w*5+i), Text: strings.Repeat("t", 1+w*5+i)})
				if err == nil {
					err = m.Append(today, "line")
				}
				done <- err
			}
		}()
	}
	for range 40 {
		require.NoError(t, <-done)
	}
	require.Len(t, memory.Split("MEMORY.md", read(t, dir, "MEMORY.md"), today), 40)
	require.Equal(t, strings.Repeat("line\n", 40), read(t, dir, dayFile))
}
