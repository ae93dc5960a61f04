package memory_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/memory"
)

var today = time.Date(2026, 2, 20, 9, 15, 0, 0, time.FixedZone("KST", 9*3600))

const dayFile = "daily/2026-02-20.md"

// at returns the notes in dir, on the tests' date.
func at(dir string) *memory.Memory {
	return memory.New(dir, memory.Options{Now: func() time.Time { return today }})
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

func TestContextIsSystemUserLongTermAndTodayInThisOrder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, dayFile, "- 09:00 · hello\n")
	write(t, dir, "daily/2026-02-19.md", "yesterday\n")
	write(t, dir, "MEMORY.md", "\n\nlikes vim\n\n")
	write(t, dir, "USER.md", "이름: 블루")
	write(t, dir, "SYSTEM.md", "# System\n\nWritten by blunux-ai at every start; edits here are lost. Facts about you belong in USER.md.\n\n- Kernel: 6.9\n")
	got, err := at(dir).Context(t.Context(), memory.ContextQuery{})
	require.NoError(t, err)
	require.Equal(t, []memory.Section{
		{Title: "System Information", Text: "- Kernel: 6.9"},
		{Title: "User Preferences", Text: "이름: 블루"},
		{Title: "Long-term Memory", Text: "likes vim"},
		{Title: "Today's Session (2026-02-20)", Text: "- 09:00 · hello"},
	}, got)
}

func TestMissingAndEmptyFilesAreLeftOut(t *testing.T) {
	got, err := at(filepath.Join(t.TempDir(), "not there")).Context(t.Context(), memory.ContextQuery{})
	require.NoError(t, err)
	require.Empty(t, got)

	dir := t.TempDir()
	write(t, dir, "SYSTEM.md", "")
	write(t, dir, "USER.md", " \n\t\n")
	write(t, dir, "MEMORY.md", "fact")
	got, err = at(dir).Context(t.Context(), memory.ContextQuery{})
	require.NoError(t, err)
	require.Equal(t, []memory.Section{{Title: "Long-term Memory", Text: "fact"}}, got)
}

func TestAHandEditCountsFromTheNextQuestionOn(t *testing.T) {
	dir := t.TempDir()
	m := at(dir)
	for _, text := range []string{"first", "second"} {
		write(t, dir, "USER.md", text)
		got, err := m.Context(t.Context(), memory.ContextQuery{})
		require.NoError(t, err)
		require.Equal(t, text, got[0].Text)
	}
}

func TestOfALongFileTheEndIsKeptFromTheStartOfALine(t *testing.T) {
	dir := t.TempDir()
	line := strings.Repeat("가나다 ", 10) + "\n"
	write(t, dir, "MEMORY.md", "OLDEST\n"+strings.Repeat(line, 1000)+"NEWEST\n")
	got, err := at(dir).Context(t.Context(), memory.ContextQuery{})
	require.NoError(t, err)
	text := got[0].Text
	require.LessOrEqual(t, memory.Tokens(text), 6000)
	require.Greater(t, memory.Tokens(text), 4000)
	require.NotContains(t, text, "OLDEST")
	require.True(t, strings.HasSuffix(text, "\nNEWEST"))
	require.True(t, strings.HasPrefix(text, line), "it starts with a whole line")
}

func TestOfOneEndlessLineTheEndIsKept(t *testing.T) {
	for _, end := range []string{"", "\n"} {
		dir := t.TempDir()
		write(t, dir, "MEMORY.md", "START"+strings.Repeat("가", 10_000)+"END"+end)
		got, err := at(dir).Context(t.Context(), memory.ContextQuery{})
		require.NoError(t, err)
		require.Len(t, got, 1, "a long line must not make the notes vanish")
		require.True(t, strings.HasSuffix(got[0].Text, "가END"))
		require.NotContains(t, got[0].Text, "\ufffd", "it starts with a whole character")
		require.NotContains(t, got[0].Text, "START")
	}
}

func TestTextThatIsNotUTF8IsMadeValid(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "USER.md", "a\xff\xfeb 가\xec")
	got, err := at(dir).Context(t.Context(), memory.ContextQuery{})
	require.NoError(t, err)
	require.True(t, utf8.ValidString(got[0].Text))
	require.Contains(t, got[0].Text, "a\ufffdb 가")
}

// A link or a pipe in place of a note is refused, its target stays unchanged, and the call does not block.
func TestThreat15ALinkOrPipeInPlaceOfANoteIsRefused(t *testing.T) {
	plant := map[string]func(t *testing.T, target, file string){
		"link": func(t *testing.T, target, file string) { require.NoError(t, os.Symlink(target, file)) },
		"pipe": func(t *testing.T, _, file string) { require.NoError(t, syscall.Mkfifo(file, 0o600)) },
	}
	for kind, plant := range plant {
		for _, name := range []string{"SYSTEM.md", "USER.md", "MEMORY.md", dayFile} {
			t.Run(kind+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				write(t, dir, "target", "TARGET")
				require.NoError(t, os.MkdirAll(filepath.Join(dir, "memory/daily"), 0o700))
				good, title := "USER.md", "User Preferences"
				if name == good {
					good, title = "MEMORY.md", "Long-term Memory"
				}
				write(t, dir, "memory/"+good, "good")
				plant(t, filepath.Join(dir, "target"), filepath.Join(dir, "memory", name))
				m := at(filepath.Join(dir, "memory"))
				sections, err := m.Context(t.Context(), memory.ContextQuery{})
				require.ErrorContains(t, err, "cannot read "+name)
				require.Equal(t, []memory.Section{{Title: title, Text: "good"}}, sections, "the other files are there")
				if name == dayFile {
					require.ErrorContains(t, m.Append(today, "line"), "cannot write today's note")
				}
				if name == "SYSTEM.md" { // replaced by a regular file, not written through
					_, err := m.RefreshSystem(memory.SystemInfo{Kernel: "6.9"})
					require.NoError(t, err)
					require.Contains(t, read(t, dir, "memory/SYSTEM.md"), "6.9")
				}
				require.Equal(t, "TARGET", read(t, dir, "target"))
			})
		}
	}
}

func TestAppendMakesTheDayAndAddsLines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memory")
	m := at(dir)
	require.NoError(t, m.Append(today, "- 09:15 · 디스크 · df -h · 42%"))
	require.NoError(t, m.Append(today, "two\nlines\tand   blanks"))
	require.NoError(t, m.Append(today.AddDate(0, 0, 1), "tomorrow"))
	require.Equal(t, "- 09:15 · 디스크 · df -h · 42%\ntwo lines and blanks\n", read(t, dir, dayFile))
	require.Equal(t, "tomorrow\n", read(t, dir, "daily/2026-02-21.md"))
	for path, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, dayFile): 0o600} {
		fi, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, fi.Mode().Perm())
	}
}

func TestAppendWritesExactlyOneShortLineWhateverIsGiven(t *testing.T) {
	dir := t.TempDir()
	m, lines := at(dir), 0
	rapid.Check(t, func(t *rapid.T) {
		line := string(rapid.SliceOfN(rapid.Byte(), 0, 3000).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "text") {
			line = rapid.StringN(0, 3000, -1).Draw(t, "text")
		}
		require.NoError(t, m.Append(today, line))
		lines++
		data, err := os.ReadFile(filepath.Join(dir, dayFile))
		require.NoError(t, err)
		text := string(data)
		require.Equal(t, lines, strings.Count(text, "\n"))
		last := strings.TrimSuffix(text, "\n")
		last = last[strings.LastIndex(last, "\n")+1:]
		require.LessOrEqual(t, len(last), 1<<10+len("…"))
		require.True(t, utf8.ValidString(last))
		require.False(t, strings.ContainsFunc(last, unicode.IsControl))
	})
}

func TestALineOfBrokenTextIsNotTheEnd(t *testing.T) {
	m := at(t.TempDir())
	require.NoError(t, m.Append(today, strings.Repeat("\x80", 5000)))
}

func TestLinesOfManyTurnsAtOnceStayWhole(t *testing.T) {
	dir := t.TempDir()
	m := at(dir)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				require.NoError(t, m.Append(today, strings.Repeat("x", 500)))
			}
		})
	}
	wg.Wait()
	require.Equal(t, strings.Repeat(strings.Repeat("x", 500)+"\n", 160), read(t, dir, dayFile))
}
