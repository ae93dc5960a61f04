package memory_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/memory"
)

func exportText(t *testing.T, dir string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, at(dir).Export(t.Context(), &out))
	for line := range strings.Lines(out.String()) {
		require.True(t, json.Valid([]byte(line)), line)
	}
	return out.String()
}

func imported(t *testing.T, dir, text string) memory.ImportResult {
	t.Helper()
	done, err := at(dir).Import(t.Context(), strings.NewReader(text))
	require.NoError(t, err)
	return done
}

func TestWhatIsExportedIsImportedByteForByte(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	write(t, one, "SYSTEM.md", "- Kernel: 6.9\n")
	write(t, one, "USER.md", "\ufeff# Me\r\nname: 블루 <b> & co\r\n")
	write(t, one, "MEMORY.md", "- **k**: v (2026-01-01)\n- broken \xff\n<!-- mine -->\nno end")
	write(t, one, dayFile, "- 09:15 · a · - · b\n")
	write(t, one, "daily/2026-01.md", "## 2026-01-03\n- x\n")
	text := exportText(t, one)
	require.Contains(t, text, `{"file":"MEMORY.md","base64":`)
	require.Contains(t, text, `{"key":"k","content":"v","category":"core","source":"MEMORY.md","line":1,`)
	done := imported(t, two, text)
	require.Equal(t, files(t, one), files(t, two))
	require.Equal(t, memory.ImportResult{Added: 7}, done)
	require.Equal(t, memory.ImportResult{Same: 7}, imported(t, two, text), "once more changes nothing")
}

func TestAnExportOfAnythingIsImportedByteForByte(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		one, two := t.TempDir(), t.TempDir()
		for _, name := range []string{"USER.md", "MEMORY.md", dayFile} {
			if rapid.Bool().Draw(rt, name) {
				write(t, one, name, strings.ReplaceAll(markdown(rt), "\x00", ""))
			}
		}
		text := exportText(t, one)
		_, err := at(two).Import(rt.Context(), strings.NewReader(text))
		require.NoError(rt, err)
		for name, want := range files(rt, one) {
			if strings.TrimSpace(want) != "" {
				require.Equal(rt, want, files(rt, two)[name])
			}
		}
	})
}

func TestAnImportIsAddedToWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "SYSTEM.md", "- Kernel: 6.9\n")
	const mine = "# Mine\n\n- **k**: old (2026-01-01)\n- **new**: mine (2026-02-01)\n- tea"
	write(t, dir, "MEMORY.md", mine)
	done := imported(t, dir, `{"file":"SYSTEM.md","text":"- Kernel: 5\n"}
{"file":"MEMORY.md","text":"- tea\n- **k**: newer (2026-02-01)\n- **new**: older (2026-01-01)\n## Home\n### Cellar\n- coal\n|a|b|\n|-|-|\n|c|d|\n"}
{"file":"USER.md","text":"name: Blu\n"}
`)
	require.Equal(t, memory.ImportResult{Added: 3, Replaced: 1, Same: 3}, done)
	require.Equal(t, "# Mine\n\n- **k**: newer (2026-02-01)\n- **new**: mine (2026-02-01)\n- tea\n\n## Home\n### Cellar\n- coal\n\n|a|b|\n|-|-|\n|c|d|", read(t, dir, "MEMORY.md"))
	require.Equal(t, mine, read(t, dir, "MEMORY.md~"))
	require.Equal(t, "name: Blu\n", read(t, dir, "USER.md"))
	require.Equal(t, "- Kernel: 6.9\n", read(t, dir, "SYSTEM.md"))
}

func TestNotesOfRRClawAreImported(t *testing.T) {
	dir := t.TempDir()
	const entries = `{"key":"user_lang","content":"用户说中文","category":"Core","created_at":"2026-01-02T03:04:05Z","updated_at":"x","relevance_score":0.5}
{"key":"k2","content":"two\n# lines","category":{"Custom":"Project X"},"created_at":""}
{"key":"","content":"no key"}
`
	require.Equal(t, memory.ImportResult{Added: 3}, imported(t, dir, entries))
	require.Equal(t, memory.ImportResult{Same: 3}, imported(t, dir, entries))
	got := memory.Split("MEMORY.md", read(t, dir, "MEMORY.md"), today)
	require.Len(t, got, 3)
	require.Equal(t, "user-lang", got[0].Key)
	require.Equal(t, "用户说中文", got[0].Text)
	require.Equal(t, "2026-01-02", got[0].Created.Format("2006-01-02"))
	require.Equal(t, memory.Category("project-x"), got[1].Category)
	require.Equal(t, "two\n# lines", got[1].Text)
	require.Equal(t, memory.Core, got[2].Category)

	other := t.TempDir()
	require.Equal(t, memory.ImportResult{Added: 2}, imported(t, other, "[\n{\"key\":\"a\",\"content\":\"b\"},\n{\"key\":\"c\",\"content\":\"d\"}]"))
}

func TestPlainMarkdownIsImportedIntoMEMORY(t *testing.T) {
	dir := t.TempDir()
	const text = "[link](x)\n\n# Notes\n- a\n  - b\n```\ncode\n```\n"
	require.Equal(t, memory.ImportResult{Added: 4}, imported(t, dir, text))
	require.Equal(t, text, read(t, dir, "MEMORY.md"))
	require.Equal(t, memory.ImportResult{Added: 1, Same: 4}, imported(t, dir, text+"- c\n"))
	require.Equal(t, memory.ImportResult{}, imported(t, dir, " \n"))
}

func TestOfAHalfBrokenImportTheRestIsTaken(t *testing.T) {
	dir := t.TempDir()
	done := imported(t, dir, `{"key":"a","content":"one"}
{"key":"b","content":
nonsense
{"file":"../../etc/passwd","text":"x"}
{"file":"daily/../USER.md","text":"x"}
{"file":"MEMORY.md"}
{"key":"c"}
{"key":"d","content":" "}
{"key":"e","content":"`+strings.Repeat("x", 5000)+`"}
{"key":7,"content":"f"}

{"key":"a","content":"another"}
{"key":"g","content":"two"}`)
	require.Equal(t, 2, done.Added)
	var lines []int
	for _, r := range done.Refused {
		require.NotEmpty(t, r.Why)
		lines = append(lines, r.Line)
	}
	require.ElementsMatch(t, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 12}, lines)
	require.Len(t, files(t, dir), 1)

	done = imported(t, dir, strings.Repeat("- "+strings.Repeat("y", 1000)+"\n", 1)+strings.Repeat("- more "+strings.Repeat("z", 100_000)+"\n\n", 1))
	require.Equal(t, 2, done.Added)
	many := ""
	for i := range 30 {
		many += "- " + strings.Repeat(string(rune('a'+i)), 20_000) + "\n"
	}
	done = imported(t, dir, many)
	require.NotEmpty(t, done.Refused, "MEMORY.md does not grow without bound")
	require.Contains(t, done.Refused[0].Why, "MEMORY.md is full")
	require.Less(t, len(read(t, dir, "MEMORY.md")), 257<<10)

	done = imported(t, t.TempDir(), "a \xff\xfe b\x00")
	require.Equal(t, []memory.Refusal{{Line: 1, Why: "not UTF-8"}}, done.Refused)
	_, err := at(dir).Import(t.Context(), strings.NewReader(strings.Repeat("x", 64<<20+1)))
	require.ErrorIs(t, err, memory.ErrLargeImport)
}

// For any import into any files: existing notes stay, every note of the import is present or refused, and
// importing again changes nothing.
func TestAnImportLosesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		name := rapid.SampledFrom([]string{"MEMORY.md", "USER.md", dayFile}).Draw(rt, "file")
		before, text := markdown(rt), markdown(rt)
		write(t, dir, name, before)
		line, err := json.Marshal(map[string]string{"file": name, "text": text})
		require.NoError(rt, err)
		done, err := at(dir).Import(rt.Context(), bytes.NewReader(line))
		if err != nil {
			require.Equal(rt, before, read(t, dir, name), "%v", err)
			return
		}
		var now []string
		for _, n := range memory.Split(name, read(t, dir, name), today) {
			now = append(now, n.Text)
		}
		if done.Replaced == 0 {
			for _, n := range memory.Split(name, before, today) {
				require.Contains(rt, now, n.Text, "it was there")
			}
		}
		if len(done.Refused) == 0 && done.Replaced == 0 {
			for _, n := range memory.Split(name, string(mustText(rt, line)), today) {
				// Text after a NUL byte can become a separate item, or part of another.
				require.True(rt, slices.ContainsFunc(now, func(text string) bool { return strings.Contains(text, n.Text) }), "%q came", n.Text)
			}
		}
		again, err := at(dir).Import(rt.Context(), bytes.NewReader(line))
		require.NoError(rt, err)
		require.Zero(rt, again.Added)
	})
}

// mustText returns the text as JSON carried it: without invalid UTF-8 and NUL.
func mustText(t require.TestingT, line []byte) []byte {
	var file struct{ Text string }
	require.NoError(t, json.Unmarshal(line, &file))
	return []byte(strings.ReplaceAll(file.Text, "\x00", ""))
}
