package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/memory"
)

// files returns the contents of all files below a directory.
func files(t require.TestingT, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".lock" {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(data)
		return err
	}))
	return all
}

func TestOldDaysBecomeAMonth(t *testing.T) {
	dir := t.TempDir()
	m := at(dir)
	write(t, dir, "daily/2026-01-03.md", "- 09:15 · 디스크? · df -h · 42%\n- 09:20 · thanks · - · 천만에요\n")
	write(t, dir, "daily/2026-01-05.md", "# By hand\r\nbought a disk\r\n")
	write(t, dir, "daily/2026-01-06.md", " \n")
	write(t, dir, "daily/2026-01-21.md", "- 10:00 · a · - · b\n") // 30 days ago
	write(t, dir, "daily/2025-12-31.md", "- 23:59 · c · - · d")
	write(t, dir, "daily/2027-01-01.md", "the clock was wrong\n")
	write(t, dir, "daily/mine.md", "not ours\n")
	before, err := m.Notes(t.Context())
	require.NoError(t, err)
	require.NoError(t, m.RollUp(t.Context(), today))
	month := files(t, dir)["daily/2026-01.md"]
	require.Regexp(t, "^# 2026-01\n\n## 2026-01-03 \\(2 turns\\)\n<!-- from [0-9a-f]{8} -->\n- 09:15 · 디스크\\? · df -h · 42%\n- 09:20 · thanks · - · 천만에요\n\n## 2026-01-05\n<!-- from [0-9a-f]{8} -->\n### By hand\nbought a disk\n$", month)
	got := files(t, dir)
	require.Len(t, got, 5)
	require.Contains(t, got["daily/2025-12.md"], "## 2025-12-31 (1 turn)\n")
	require.Contains(t, got, "daily/2026-01-21.md")
	require.Contains(t, got, "daily/2027-01-01.md")
	require.Contains(t, got, "daily/mine.md")
	after, err := m.Notes(t.Context())
	require.NoError(t, err)
	require.Len(t, after, len(before))
	for i, n := range before {
		require.Equal(t, n.Text, after[i].Text)
		require.Equal(t, n.Created, after[i].Created)
		require.Equal(t, n.Key, after[i].Key)
	}
	require.NoError(t, m.RollUp(t.Context(), today))
	require.Equal(t, got, files(t, dir), "once more changes nothing")

	write(t, dir, "daily/2026-01-03.md", "- 09:20 · thanks · - · 천만에요\n- 10:00 · late · - · x\n")
	require.NoError(t, m.RollUp(t.Context(), today))
	require.Contains(t, read(t, dir, "daily/2026-01.md"), "## 2026-01-03 (3 turns)\n")
	require.Equal(t, 1, strings.Count(read(t, dir, "daily/2026-01.md"), "thanks"))
	_, err = m.Forget(t.Context(), "bought a disk")
	require.NoError(t, err)
	require.NotContains(t, read(t, dir, "daily/2026-01.md"), "bought")
}

func TestOfALongDayTheMostTellingLinesStay(t *testing.T) {
	dir := t.TempDir()
	var day strings.Builder
	for i := range 300 {
		fmt.Fprintf(&day, "- %02d:%02d · hello %d · - · hello to you, too, and a lot of it\n", i/60, i%60, i)
	}
	day.WriteString("- 12:00 · 프린터 설치해줘 · sudo pacman -S cups · 설치했어요\n")
	day.WriteString("- 12:01 · remember this · remember NAS · done\n")
	day.WriteString("- 12:02 · disk? · df -h · 42%\n- 12:03 · disk? · df -h · " + strings.Repeat("42%", 30) + "\n")
	day.WriteString("my own line\n")
	day.WriteString("- 12:04 · x · - · failed: no network\n")
	write(t, dir, "daily/2026-01-03.md", day.String())
	require.NoError(t, at(dir).RollUp(t.Context(), today))
	month := read(t, dir, "daily/2026-01.md")
	require.Less(t, len(month), 4<<10+200)
	require.Greater(t, len(month), 3<<10)
	for _, want := range []string{"pacman -S cups", "remember NAS", "12:02", "my own line", "failed: no network", "(305 turns, "} {
		require.Contains(t, month, want)
	}
	require.NotContains(t, month, "12:03", "it was asked before")
	require.NotContains(t, month, "hello 0 ", "the oldest talk goes first")
}

func TestMonthsGetShorterWithTheYears(t *testing.T) {
	dir := t.TempDir()
	line := "- 09:%02d · request number %d of this day · df -h · the disk has enough room, 42 percent are free\n"
	var day strings.Builder
	for i := range 60 {
		fmt.Fprintf(&day, line, i, i)
	}
	for d := 1; d < 29; d++ {
		write(t, dir, fmt.Sprintf("daily/2026-01-%02d.md", d), day.String())
	}
	m, last := at(dir), 1<<30
	for _, at := range []struct{ years, most int }{{0, 128 << 10}, {1, 36 << 10}, {2, 12 << 10}, {3, 8 << 10}, {30, 8 << 10}} {
		now := time.Date(2026+at.years, 3, 20, 0, 0, 0, 0, time.UTC)
		require.NoError(t, m.RollUp(t.Context(), now))
		size := len(read(t, dir, "daily/2026-01.md"))
		require.LessOrEqual(t, size, min(last, at.most))
		require.Equal(t, 28, strings.Count(read(t, dir, "daily/2026-01.md"), "(60 turns, "))
		require.NoError(t, m.RollUp(t.Context(), now))
		require.Len(t, read(t, dir, "daily/2026-01.md"), size)
		last = size
	}
}

// A crash between any two steps loses and duplicates no day: after the next roll-up, the result is the same as
// without the crash.
func TestACrashInARollUpChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		one, two := t.TempDir(), t.TempDir()
		days := rapid.SliceOfNDistinct(rapid.IntRange(-60, 500), 0, 8, rapid.ID).Draw(rt, "days ago")
		for i, ago := range days {
			text := fmt.Sprintf("- 09:%02d · only once %d · - · x\n", i, i) + markdown(rt) + strings.Repeat("- 10:00 · many · - · x\n", rapid.SampledFrom([]int{0, 0, 300}).Draw(rt, "more"))
			for _, dir := range []string{one, two} {
				write(t, dir, "daily/"+today.AddDate(0, 0, -ago).Format(time.DateOnly)+".md", text)
			}
		}
		if rapid.Bool().Draw(rt, "a month there") {
			text := "# Mine\n\n## 2026-01-03 (1 turn)\n- 09:00 · there · - · y\n" + markdown(rt)
			write(t, one, "daily/2026-01.md", text)
			write(t, two, "daily/2026-01.md", text)
		}
		now := today.AddDate(0, rapid.IntRange(0, 30).Draw(rt, "months later"), 0)
		whole := at(one)
		_ = whole.RollUp(rt.Context(), now)
		for range rapid.IntRange(1, 4).Draw(rt, "crashes") {
			m := at(two)
			memory.StopAfter(m, rapid.IntRange(0, 12).Draw(rt, "steps"))
			_ = m.RollUp(rt.Context(), now)
		}
		_ = at(two).RollUp(rt.Context(), now)
		require.Equal(rt, files(rt, one), files(rt, two))
		all := ""
		for _, text := range files(rt, one) {
			all += text
		}
		for i := range days {
			require.LessOrEqual(rt, strings.Count(all, fmt.Sprintf("only once %d ", i)), 1)
			if now.Equal(today) {
				require.Contains(rt, all, fmt.Sprintf("- 09:%02d · only once %d ", i, i))
			}
		}
	})
}

func TestDaysThatCanBeReadMakeAMonthThatCan(t *testing.T) {
	for name, there := range map[string]string{"no month": "", "a month": "# Mine\x00\n\n## 2026-01-02\nby hand \x00\n"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := at(dir)
			if there != "" {
				write(t, dir, "daily/2026-01.md", there)
			}
			write(t, dir, "daily/2026-01-03.md", "in Latin-1: caf\xe9\n")
			write(t, dir, "daily/2026-01-04.md", "# a heading\x00\n\x00## 2026-01-20\n\x00<!-- open\n- 09:00 · a\x00 · - · b\n")
			write(t, dir, "daily/2026-01-05.md", "- 09:00 · later · - · b\n")
			require.NoError(t, m.RollUp(t.Context(), today))
			before := files(t, dir)
			require.Len(t, before, 1)
			require.NoError(t, m.RollUp(t.Context(), today))
			require.Equal(t, before, files(t, dir))
			month := read(t, dir, "daily/2026-01.md")
			require.Contains(t, month, "caf\xe9", "nothing a person wrote is lost")
			require.NotContains(t, month, "\x00")
			notes, err := m.Notes(t.Context())
			require.NoError(t, err)
			require.Equal(t, "2026-01-05", notes[len(notes)-1].Created.Format(time.DateOnly))
		})
	}
}

func TestWhatCannotBeRolledUpStays(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "daily/2026-01-03.md", "- 09:15 · a · - · b\n")
	write(t, dir, "daily/2026-01-04.md", "kept as it is\n")
	require.NoError(t, os.Chmod(dir+"/daily/2026-01-04.md", 0o400))
	require.NoError(t, os.Symlink("/etc/passwd", dir+"/daily/2026-01-05.md"))
	write(t, dir, "daily/2026-01-06.md", "a\x00\xff")
	write(t, dir, ".MEMORY.md123", "left by a writer that was killed")
	require.NoError(t, os.Chtimes(dir+"/.MEMORY.md123", today.AddDate(0, 0, -2), today.AddDate(0, 0, -2)))
	err := at(dir).RollUp(t.Context(), today)
	require.ErrorContains(t, err, "cannot read daily/2026-01-05.md: it is a link")
	require.ErrorContains(t, err, "cannot read daily/2026-01-06.md: it is not a UTF-8 text")
	require.NoFileExists(t, dir+"/daily/2026-01-03.md")
	require.NoFileExists(t, dir+"/.MEMORY.md123")
	for _, stays := range []string{"4", "5", "6"} {
		_, err := os.Lstat(dir + "/daily/2026-01-0" + stays + ".md")
		require.NoError(t, err)
	}
	require.NotContains(t, read(t, dir, "daily/2026-01.md"), "root")
}
