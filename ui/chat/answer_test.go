package chat

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/ipc"
)

// documents have every kind of block and inline.
var documents = []string{
	"# 제목 `df`\n\n본문은 **굵게**, *기울임*, ~~지움~~, `code`, [링크](https://example.org/a?b=1&c=2) 그리고 <https://auto.link>.\n" +
		"## 둘째\n줄마다\n다른 줄  \n또 다른\\\n줄\n***\n끝",
	"- 하나\n- 둘\n  - 둘의 하나: 긴 줄이 이어집니다 긴 줄이 이어집니다 긴 줄이 이어집니다\n  - b\n    1. x\n    2. y\n\n" +
		"9) nine\n10) ten wraps around the end of the row when it is long enough to do so\n\n<!-- -->\n\n- [x] done\n- [ ] todo\n",
	"- 문단이\n\n  둘인 항목\n\n  ```\n  code in item\n  ```\n\n- 다음 항목\n",
	"| 이름 | 크기 | 설명 |\n|---|---:|:---:|\n| a\\|b | 1 | 짧다<br>두 줄 |\n| 긴이름입니다 | 12345 | 이 칸은 아주 길어서 접혀야 하는 내용을 담고 있습니다 |\n| `c` | **b** | [l](http://x.y) |\n",
	"> 인용문입니다 길게 이어지는 인용문은 여러 줄로 접힙니다 여러 줄로 접힙니다\n>\n> - list in quote\n> > nested `code`\n\n![그림](http://x/y.png)",
	"```python\ndef f(x):\n    return \"a very long line that does not fit into forty cells at all\" + 'x'\n\n\ttab 한글\n```\n\n    indented\n",
	"<b>html</b> inline &lt;tag&gt; &amp; &#27;[31m a\\*b\\*c\n\n<div>\nblock\n</div>\n",
	"그는 **41%**만 썼고 **\"네\"**라고 했다. veryveryveryveryveryveryveryveryveryverylongword 한글이길게이어져서띄어쓰기없이계속되는아주긴단어입니다정말길지요 " + family,
}

func TestAnswersLookAsDrawn(t *testing.T) {
	for name, m := range map[string]markdown{"plain": {}, "style": {colour: true}} {
		for _, width := range []int{20, 38, 78} {
			var b strings.Builder
			for _, text := range documents {
				for _, row := range m.rows(ipc.Clean(text), width) {
					b.WriteString(strings.ReplaceAll(row, "\x1b", "␛") + strings.Repeat(" ", width-cells(row)) + "|\n")
				}
				b.WriteString("\n")
			}
			golden(t, fmt.Sprintf("answer-%s-%d.txt", name, width), b.String())
		}
	}
}

var (
	sgr     = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	nothing = regexp.MustCompile(`[\s|]+`)
)

// requireAnswer checks the rows of any text: they fit, select styles, and do nothing else to the terminal.
func requireAnswer(t require.TestingT, text string, width int) []string {
	text = ipc.Clean(text)
	plain := (&markdown{}).rows(text, width)
	painted := (&markdown{colour: true}).rows(text, width)
	require.NotEmpty(t, plain)
	for _, row := range plain {
		require.Equal(t, ipc.Clean(row), row)
		require.NotContains(t, row, "\n")
	}
	for _, row := range append(painted, plain...) {
		require.LessOrEqual(t, cells(row), width, "%q", row)
		bare := sgr.ReplaceAllString(row, "")
		require.Equal(t, ipc.Clean(bare), bare)
		if found := sgr.FindAllString(row, -1); len(found) > 0 {
			require.Equal(t, "\x1b[m", found[len(found)-1], "no style reaches the next row: %q", row)
		}
	}
	return plain
}

func TestAnyAnswerFitsItsRows(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"# ", "- ", "1. ", "999999999. ", "> ", "```\n", "    ", "\n", "\n\n", "**", "*", "~~", "`", "[", "](http://x.y)", "![", "<b>", "<br>", "\\", "|", "|---|--:|\n", "- [x] ",
		"&#27;[31m", "&#x202e;", "\x1b]0;t\a", "\u202e", "\t", "한글", "단어 ", "word ", "verylongwordwithoutanyblank", family, "e\u0301", "<!--", "[a]: /b\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "text"), "")
		requireAnswer(t, text, rapid.IntRange(2, 60).Draw(t, "width"))
	})
}

// Every letter of the words is on the screen, however deep their block is nested.
func TestAnswersLoseNoWords(t *testing.T) {
	t.Parallel()
	blocks := []string{"# ", "- ", "1. ", "> ", "> > > > ", "- - - - - ", "```\n", "    ", "<div>", "| a | b |\n|---|---|\n| ", ""}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var words []string
		for i := range rapid.IntRange(1, 8).Draw(t, "blocks") {
			word := fmt.Sprintf("단어%dword%s", i, strings.Repeat("나", rapid.IntRange(0, 30).Draw(t, "length")))
			block := strings.Join(rapid.SliceOfN(rapid.SampledFrom(blocks), 1, 4).Draw(t, "block"), "")
			text.WriteString(block + word + "\n")
			if strings.HasSuffix(block, "```\n") {
				text.WriteString("```\n")
			}
			text.WriteString("\n")
			words = append(words, word)
		}
		shown := nothing.ReplaceAllString(strings.Join(requireAnswer(t, text.String(), rapid.IntRange(10, 80).Draw(t, "width")), ""), "")
		for _, word := range words {
			if !strings.Contains(text.String(), "```"+word) { // the language of a code block is not shown
				require.Contains(t, shown, word, text.String())
			}
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, text := range documents {
		f.Add(text, 38)
	}
	f.Add("> - 1. > - 1. > - 1. x\n\n|a|b|c|d|\n|-|-|-|-|\n|1|2|3|4|", 21)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 2 || width > 300 {
			t.Skip()
		}
		requireAnswer(t, strings.ToValidUTF8(text, ""), width)
	})
}
