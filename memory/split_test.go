package memory_test

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/memory"
)

// shortNote is a note in short form: line, heading, text.
type shortNote struct {
	line          int
	heading, text string
}

func split(file, text string) []shortNote {
	var all []shortNote
	for _, n := range memory.Split(file, text, today) {
		all = append(all, shortNote{n.Line, n.Heading, n.Text})
	}
	return all
}

func TestMarkdownIsCutIntoWhatIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []shortNote
	}{
		"nothing":             {"", nil},
		"blanks":              {" \n\t\r\n\u3000\n", nil},
		"paragraphs":          {"one\ntwo\n\nthree", []shortNote{{1, "", "one\ntwo"}, {4, "", "three"}}},
		"items":               {"- one\n* two\n+ three\n1. four\n2) five", []shortNote{{1, "", "one"}, {2, "", "two"}, {3, "", "three"}, {4, "", "four"}, {5, "", "five"}}},
		"an item's lines":     {"- one\n  more\n   - two\n\n     below a blank\nthree", []shortNote{{1, "", "one\nmore"}, {3, "one", "two\n\nbelow a blank"}, {6, "", "three"}}},
		"items in items":      {"- NAS:\n  - address\n    - 192.168.0.20\n  - name\n- other", []shortNote{{1, "", "NAS:"}, {2, "NAS", "address"}, {3, "NAS / address", "192.168.0.20"}, {4, "NAS", "name"}, {5, "", "other"}}},
		"headings":            {"# A #\none\n### C\n- two\n## B\nthree\nTop\n===\nfour", []shortNote{{2, "A", "one"}, {4, "A / C", "two"}, {6, "A / B", "three\nTop\n===\nfour"}}},
		"an underlined title": {"Title\n====\none", []shortNote{{3, "Title", "one"}}},
		"not a heading":       {"#tag\n####### seven", []shortNote{{1, "", "#tag\n####### seven"}}},
		"a rule":              {"one\n---\ntwo\n\n* * *\n", []shortNote{{1, "", "one"}, {3, "", "two"}}},
		"a fence":             {"```sh\n# not a heading\n\n- nor an item\n```\none", []shortNote{{1, "", "```sh\n# not a heading\n\n- nor an item\n```"}, {6, "", "one"}}},
		"a fence left open":   {"```sh\nls\n\n## Below\none", []shortNote{{1, "", "```sh\nls"}, {5, "Below", "one"}}},
		"a fence in an item":  {"- so:\n  ```\n  - x\n\n  # y\n  ```\n- two", []shortNote{{1, "", "so:\n```\n- x\n\n# y\n```"}, {7, "", "two"}}},
		"one open in an item": {"- so:\n  ```\n  x\n- two", []shortNote{{1, "", "so:\n```\nx"}, {4, "", "two"}}},
		"a comment":           {"<!-- not\n- this -->\none\n<!-- nor this -->", []shortNote{{3, "", "one"}}},
		"a comment left open": {"<!-- todo\none", []shortNote{{1, "", "<!-- todo\none"}}},
		"a table":             {"# Net\n| Name | Address |\n|---|:--|\n| nas | 192.168.0.20 |\n| blue-2tb | |\n\nend", []shortNote{{4, "Net / Name | Address", "nas | 192.168.0.20"}, {5, "Net / Name | Address", "blue-2tb"}, {7, "Net", "end"}}},
		"a year at the start": {"born in\n1984. That was", []shortNote{{1, "", "born in\n1984. That was"}}},
		"line ends, a mark":   {"\ufeff# A\r\n- one\r\n  two\r\n", []shortNote{{2, "A", "one\ntwo"}}},
		"broken characters":   {"- a\xffb\x1b[2J", []shortNote{{1, "", "a\ufffdb[2J"}}},
		"a bare label":        {"- **NAS**:\n  at home", []shortNote{{1, "", "NAS: \nat home"}}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, split("USER.md", c.text)) })
	}
}

func TestAnItemOfOursHasKeyAndDay(t *testing.T) {
	day := time.Date(2026, 1, 3, 0, 0, 0, 0, today.Location())
	for text, want := range map[string]memory.Note{
		"- **nas-address**: 192.168.0.20 (2026-01-03)": {Key: "nas-address", Text: "192.168.0.20", Created: day},
		"* **나스-주소:** 집 (2026-01-03)":                  {Key: "나스-주소", Text: "집", Created: day},
		"- **NAS address**: at home (2026-01-03)":      {Key: "nas-address", Text: "NAS address: at home", Created: day},
		"- **k**: (2026-01-03)":                        {Key: "k", Text: "", Created: day},
		"- **k**: it (2026-01-02) (2026-01-03)":        {Key: "k", Text: "it (2026-01-02)", Created: day},
		"- **k**: it (2026-13-03)":                     {Key: "k", Text: "it (2026-13-03)", Created: today},
		"- **k**:":                                     {Key: "", Text: "**k**:", Created: today},
		"- dentist (2026-01-03)":                       {Key: "", Text: "dentist (2026-01-03)", Created: today},
		"- 09:15 · a · b":                              {Key: "", Text: "09:15 · a · b", Created: today},
	} {
		got := memory.Split("MEMORY.md", text, today)
		require.Len(t, got, 1, text)
		if want.Key == "" {
			require.Len(t, got[0].Key, 8)
			want.Key = got[0].Key
		}
		want.Category, want.Source, want.Line, want.Updated = memory.Core, "MEMORY.md", 1, want.Created
		require.Equal(t, want, got[0], text)
	}
}

func TestADailyLineHasItsTime(t *testing.T) {
	line := "- 09:15 · 디스크? · df -h · 42%\n- 10:30 치과\n- later\n- 23:59 · 2026-01-04\n"
	days := memory.Split("daily/2026-01-03.md", line, today)
	require.Len(t, days, 4)
	for i, want := range []struct{ text, at string }{
		{"디스크? · df -h · 42%", "2026-01-03 09:15"},
		{"10:30 치과", "2026-01-03 10:30"},
		{"later", "2026-01-03 00:00"},
		{"2026-01-04", "2026-01-03 23:59"},
	} {
		require.Equal(t, want.text, days[i].Text)
		require.Equal(t, want.at, days[i].Created.Format("2006-01-02 15:04"))
		require.Equal(t, memory.Daily, days[i].Category)
		require.Equal(t, today.Location(), days[i].Created.Location())
	}

	month := memory.Split("daily/2026-01.md", "## 2026-01-03 (4)\n"+line+"## Else\n- x", today)
	require.Equal(t, days[0].Created, month[0].Created)
	require.Equal(t, days[0].Key, month[0].Key, "a day that is rolled up says the same under the same key")
	require.Equal(t, today, month[4].Created)
}

func TestAHeadingOfTheSecondLevelNamesACategory(t *testing.T) {
	text := "a\n\n# Long-term\nb\n## Home Network\nc\n### Cellar\nd\n## !!!\ne\n## 습관\nf\n# Top\ng"
	for file, want := range map[string]string{
		"MEMORY.md": "core core home-network home-network core 습관 core",
		"USER.md":   "core core core core core core core",
		"SYSTEM.md": "core core core core core core core",
	} {
		var got []string
		for _, n := range memory.Split(file, text, today) {
			got = append(got, string(n.Category))
		}
		require.Equal(t, want, strings.Join(got, " "), file)
	}
}

func TestAnEndlessLineIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("가", 1<<19), "- " + strings.Repeat("x ", 1<<20), "# " + strings.Repeat("h", 1<<20) + "\nx", "| " + strings.Repeat("a|", 1<<19) + "\n|--|\n|x|"} {
		got := memory.Split("USER.md", text, today)
		require.Len(t, got, 1)
		require.LessOrEqual(t, len(got[0].Text)+len(got[0].Heading), 64<<10+512)
	}
}

// Splitting takes linear time for any text.
func TestManyOpenEndsTakeNoTime(t *testing.T) {
	for _, line := range []string{"```a\n", "  ```a\n", "<!--\n", "- x\n  ```a\n", "|\n", "|-\n", "~~~~\n```x\n", "1. \n", "\\\n"} {
		notes := memory.Split("USER.md", "- x\n"+strings.Repeat(line, (64<<10)/len(line)), today) // would take minutes if quadratic
		require.NotEmpty(t, notes, "%q", line)
	}
}

// markdown draws texts from pieces of Markdown.
func markdown(t *rapid.T) string {
	pieces := rapid.SampledFrom([]string{
		"- ", "* ", "1. ", "# ", "## ", "```", "~~~", "<!--", "-->", "|", "|--|", "---", "===", "\n", "\n\n", "\r\n", "  ", "    ", "\t",
		"\\", "**", "**k**: ", ":", "(2026-01-03)", "09:15 · ", "text", "가나 다", "\u3000", "\ufeff", "\x00", "\xff", "\u2028", "\u202e", "😀", "&", ">",
	})
	if rapid.Bool().Draw(t, "any") {
		return string(rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes"))
	}
	return strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(t, "pieces"), "")
}

func TestEveryLineBelongsToExactlyOneBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkSplit(t, markdown(t)) })
}

func checkSplit(t require.TestingT, text string) {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	for i, n := range memory.Covered(text) {
		if strings.TrimSpace(lines[i]) != "" {
			require.Equal(t, 1, n, "line %d of %q", i+1, text)
		}
		require.LessOrEqual(t, n, 1)
	}
	last := 0
	for _, n := range memory.Split("MEMORY.md", text, today) {
		require.Greater(t, n.Line, last)
		last = n.Line
		require.NotEmpty(t, strings.TrimSpace(lines[n.Line-1]))
		require.True(t, utf8.ValidString(n.Text+n.Key+n.Heading))
		require.False(t, strings.ContainsFunc(n.Text+n.Heading, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }))
		require.LessOrEqual(t, len(n.Key), 64)
		require.NotEmpty(t, n.Category)
		require.False(t, n.Created.IsZero() || n.Updated.IsZero())
	}
}

func TestWhatIsStoredIsSplitIntoTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := memory.Note{Key: memory.Slug(rapid.StringN(1, 40, -1).Draw(t, "key")), Text: memory.Cleaned(markdown(t)), Created: today}
		if n.Key == "" || n.Text == "" {
			return
		}
		got := memory.Split("MEMORY.md", "# A\n- before\n"+memory.Stored(n)+"\n- after\n", today)
		require.Len(t, got, 3, "%q", memory.Stored(n))
		require.Equal(t, n.Text, got[1].Text)
		require.Equal(t, n.Key, got[1].Key)
		require.Equal(t, "2026-02-20", got[1].Created.Format(time.DateOnly))
		require.Equal(t, "after", got[2].Text)
	})
}

func TestASlugIsTheSlugOfItself(t *testing.T) {
	for name, want := range map[string]string{
		"NAS address": "nas-address", "  -- ": "", "나스 주소!": "나스-주소", "打印机": "打印机", "a_b.c/D": "a-b-c-d", "e\u0301": "é", strings.Repeat("가", 40): strings.Repeat("가", 21),
	} {
		require.Equal(t, want, memory.Slug(name))
	}
	rapid.Check(t, func(t *rapid.T) {
		s := memory.Slug(rapid.String().Draw(t, "name"))
		require.Equal(t, s, memory.Slug(s))
		require.LessOrEqual(t, len(s), 64)
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("# A\n- **k**: v (2026-01-03)\n  more\n\n|a|b|\n|-|-|\n|c|d|\n```\nx\n```\n<!-- y -->\n")
	f.Fuzz(func(t *testing.T, text string) {
		checkSplit(t, text)
		n := memory.Note{Key: "k", Text: memory.Cleaned(text), Created: today}
		if n.Text == "" {
			return
		}
		got := memory.Split("MEMORY.md", memory.Stored(n), today)
		require.Len(t, got, 1)
		if len(n.Text) <= 64<<10 {
			require.Equal(t, n.Text, got[0].Text)
		}
	})
}
