package markup

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/ipc"
)

func TestWhatModelsWrite(t *testing.T) {
	for name, c := range map[string]struct{ in, telegram, whatsApp string }{
		"marks":                       {"**bold** _it_ ~~no~~ `x_y`", "<b>bold</b> <i>it</i> <s>no</s> <code>x_y</code>", "*bold* _it_ ~no~ `x_y`"},
		"a particle":                  {"**디스크**가", "<b>디스크</b>가", "디스크가"},
		"a sign and a particle":       {"**41%**만 쓰고, **(주의)**는 **`df`**로", "<b>41%</b>만 쓰고, <b>(주의)</b>는 <b>df</b>로", "41%만 쓰고, (주의)는 `df`로"},
		"a quote in a sentence":       {"그는**\"네\"**라고", `그는<b>&quot;네&quot;</b>라고`, `그는"네"라고`},
		"a sign in Chinese, Japanese": {"占用**41%**的 **「ディスク」**が", "占用<b>41%</b>的 <b>「ディスク」</b>が", "占用41%的 「ディスク」が"},
		"a particle in code":          {"`**41%**만`\n\n```\n**41%**만\n```", "<code>**41%**만</code>\n\n<pre>**41%**만</pre>", "`**41%**만`\n\n```\n**41%**만\n```"},
		"asterisks that multiply":     {"값*(수*율) **41%만", "값*(수*율) **41%만", "값*(수*율) ∗*41%만"},
		"a heading":                   {"# The **disk**\n\nis full", "<b>The disk</b>\n\nis full", "*The disk*\n\nis full"},
		"lists":                       {"- a\n- b\n  1. c\n  2. d", "• a\n• b\n  1. c\n  2. d", "• a\n• b\n  1. c\n  2. d"},
		"tasks":                       {"- [x] done\n- [ ] open", "• ☑ done\n• ☐ open", "• ☑ done\n• ☐ open"},
		"code":                        {"```sh\ndf -h <x>\n```", `<pre><code class="language-sh">df -h &lt;x&gt;</code></pre>`, "```\ndf -h <x>\n```"},
		"a lying fence":               {"```a\" onclick\nx\n```", "<pre>x</pre>", "```\nx\n```"},
		"a table":                     {"| a | b |\n|---|---|\n| 디스크 | 1 |", "<pre>a       b\n---------\n디스크  1</pre>", "```\na       b\n---------\n디스크  1\n```"},
		"a link":                      {"[here](https://a.b/c?d=1&e=\"f)", `<a href="https://a.b/c?d=1&amp;e=&quot;f">here</a>`, `here (https://a.b/c?d=1&e="f)`},
		"a good link":                 {"[here](https://a.b/c?d=1&e=2)", `<a href="https://a.b/c?d=1&amp;e=2">here</a>`, "here (https://a.b/c?d=1&e=2)"},
		"a script link":               {"[here](javascript:x)", "here (javascript:x)", "here (javascript:x)"},
		"html":                        {"<b>x</b> <script>", "&lt;b&gt;x&lt;/b&gt; &lt;script&gt;", "<b>x</b> <script>"},
		"a quote":                     {"> said\n> more", "<blockquote>said\nmore</blockquote>", "> said\n> more"},
		"hidden":                      {"a&#8238;b&#27;[2Jc \u202ed", "ab[2Jc d", "ab[2Jc d"},
		"entities":                    {"&lt;b&gt; \\*x\\*", "&lt;b&gt; *x*", "<b> ∗x*"},
		"lines":                       {"one\ntwo", "one\ntwo", "one\ntwo"},
		"names":                       {"snake_case_name 2 * 3 * 4 ~/x", "snake_case_name 2 * 3 * 4 ~/x", "snake_case_name 2 * 3 * 4 ~/x"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.telegram, Telegram(c.in))
			require.Equal(t, c.whatsApp, WhatsApp(c.in))
		})
	}
}

func TestWhatModelsWriteForDiscord(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"marks":            {"**bold** _it_ ~~no~~ `x_y`", "**bold** *it* ~~no~~ `x_y`"},
		"a particle":       {"**디스크**가", "**디스크**가"},
		"a heading":        {"# The **disk**\n\nis full", "**The disk**\n\nis full"},
		"lists":            {"- a\n- b\n  1. c", "• a\n• b\n  1. c"},
		"code":             {"```sh\ndf -h <x>\n```", "```sh\ndf -h <x>\n```"},
		"a lying fence":    {"```a\" onclick\nx\n```", "```\nx\n```"},
		"backticks":        {"`` a`b ``", "``a`b``"},
		"a backtick first": {"`` `b ``", "`` `b ``"},
		"a fence in code":  {"~~~\n```\n~~~", "```\nˋˋˋ\n```"},
		"signs":            {"a_b_c 2 \\* 3 \\# x", "a\\_b\\_c 2 \\* 3 # x"},
		"line starts":      {"\\# x\n\\- y\n\\> z", "\\# x\n\\- y\n\\> z"},
		"mentions":         {"@everyone <@1> &lt;@&1&gt; <#2>", "\\@everyone \\<\\@1> \\<\\@&1> \\<#2>"},
		"a link":           {"[here](https://a.b/c_d?e=1)", "here (<https://a.b/c_d?e=1>)"},
		"a deceiving link": {"[https://good.example](https://bad.example/x)", "<https://good.example> (<https://bad.example/x>)"},
		"an address":       {"see https://a.b/c_d_e. Now", "see <https://a.b/c_d_e>. Now"},
		"an address, bold": {"**https://a.b/c**", "**<https://a.b/c>**"},
		"address in code":  {"`https://a.b/c_d`", "`https://a.b/c_d`"},
		"a quote":          {"> said\n> more", "> said\n> more"},
		"a spoiler":        {"||x||", "\\|\\|x\\|\\|"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Discord(c.in)) })
	}
}

func TestWhatDiscordShowsLiterally(t *testing.T) {
	shown, ok := DiscordLiteral("Run *this*?\n" + ipc.ApprovalSign + " rm -r `x`\n" + ipc.ApprovalEnd + "\nYes or no")
	require.True(t, ok)
	require.Equal(t, "Run \\*this\\*?\n```\n"+ipc.ApprovalSign+" rm -r `x`\n"+ipc.ApprovalEnd+"\n```\nYes or no", shown)
	shown, ok = DiscordLiteral(ipc.ApprovalSign + " echo ```")
	require.True(t, ok)
	require.Equal(t, ipc.ApprovalSign+" echo \\`\\`\\`", shown)
}

// tags matches the tags that Telegram supports.
var tags = regexp.MustCompile(`</?(b|i|s|code|pre|blockquote|a)( href="[^"<>]*"| class="language-[A-Za-z0-9+#._-]+")?>`)

// telegramText returns the visible text of HTML, and an error if it is not well-formed.
func telegramText(html string) (string, error) {
	if rest := tags.ReplaceAllString(html, ""); strings.ContainsAny(rest, "<>") {
		return "", errors.New("unsupported tag")
	}
	d := xml.NewDecoder(strings.NewReader("<x>" + html + "</x>"))
	d.Strict = true
	var b strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		if c, ok := token.(xml.CharData); ok {
			b.Write(c)
		}
	}
}

// meaningfulText draws pieces of text that have a meaning in Markdown, HTML or WhatsApp's markup.
var meaningfulText = rapid.SampledFrom([]string{
	"만", "%", "**41%**만", "\"",
	"a", "word", "디스크", " ", " ", "\n", "\n\n", "**", "*", "_", "~~", "`", "```", "```sh\n", "~~~", "\n```\n", "> ", "- ", "1. ", "# ", "|", "\n|---|\n",
	"[x](http://a)", "](", "<b>", "</b>", "&amp;", "&lt;", "<", ">", "&", "\"", "\\", "👨‍👩‍👧", "\u200b", "    ", "\t", "é́́",
})

func markdown() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(meaningfulText, 0, 60).Draw(t, "parts"), "")
	})
}

func TestThreat22NothingGetsOutOfAMessengersMarkup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { staysIn(t, markdown().Draw(t, "text")) })
}

type failing interface {
	Fatalf(format string, args ...any)
}

func staysIn(t failing, text string) {
	html := Telegram(text)
	if _, err := telegramText(printable(html)); err != nil {
		t.Fatalf("%q: %v: %q", text, err, html)
	}
	if n := strings.Count(WhatsApp(text), "```"); n%2 != 0 {
		t.Fatalf("%q: an open block: %q", text, WhatsApp(text))
	}
}

// printable removes characters that Telegram accepts and XML does not.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
}

func TestThreat24ALiteralTextIsShownAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := printable(markdown().Draw(t, "text")) + "\n┃ rm -rf <x> `y`\n┗ end"
		html, ok := TelegramLiteral(text)
		require.True(t, ok)
		shown, err := telegramText(html)
		require.NoError(t, err)
		require.Equal(t, text, shown)
		if block, ok := WhatsAppLiteral(text); ok {
			require.Equal(t, 2, strings.Count(block, "```"))
			require.Equal(t, text, strings.TrimSuffix(strings.TrimPrefix(block, "```"), "```"))
		} else {
			require.True(t, strings.Contains(text, "```") || strings.HasPrefix(text, "`"))
		}
	})
}

// discordText returns what Discord shows of text without marks outside of code, and an error if there is one.
func discordText(text string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case strings.HasPrefix(text[i:], "```\n"):
			end := strings.Index(text[i+4:], "\n```")
			if end < 0 {
				return "", errors.New("an open block")
			}
			b.WriteString(text[i+4 : i+4+end])
			i += end + 7
		case strings.IndexByte("*_~`|<[@", c) >= 0:
			return "", errors.New("a mark")
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

func TestThreat24DiscordShowsALiteralTextAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := printable(markdown().Draw(t, "text")) + "\n┃ rm -rf <x> @here `y`\n┗ end"
		written, ok := DiscordLiteral(text)
		require.True(t, ok)
		shown, err := discordText(written)
		require.NoError(t, err, "%q", written)
		require.Equal(t, text, shown)
	})
}

func TestEscapedTextIsShownAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := ipc.Clean(printable(markdown().Draw(t, "text")))
		shown, err := telegramText(Telegram(Escape(text)))
		require.NoError(t, err)
		require.Equal(t, letters(text), letters(shown))
	})
}

// letters removes the blanks from a text.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

func TestPiecesFitAndLoseNothing(t *testing.T) {
	for name, render := range map[string]func(string) string{"telegram": Telegram, "whatsapp": WhatsApp, "discord": Discord} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := markdown().Draw(t, "text")
				limit := rapid.IntRange(160, 400).Draw(t, "limit")
				fitting(t, text, limit, render)
			})
		})
	}
}

func fitting(t failing, text string, limit int, render func(string) string) {
	pieces := Split(text, limit, render)
	if len(pieces) == 0 {
		t.Fatalf("no piece")
	}
	at, all := 0, letters(text)
	for _, piece := range pieces {
		if n := Units(render(piece)); n > limit {
			t.Fatalf("%q: a piece of %d units: %q", text, n, piece)
		}
		staysIn(t, piece)
		rest := all[at:]
		whole := letters(piece)
		if strings.HasPrefix(rest, whole) {
			at += len(whole)
			continue
		}
		if _, body, _, ok := splitFence(piece); ok { // opens or closes here
			inner := letters(strings.Join(body, "\n"))
			i := strings.Index(rest, inner)
			if i < 0 {
				t.Fatalf("%q: lost: %q in %q", text, piece, pieces)
			}
			at += i + len(inner)
		} else if i := strings.Index(rest, whole); i >= 0 && strings.Trim(rest[:i], "`~abcdefghijklmnopqrstuvwxyz") == "" {
			at += i + len(whole) // after the end of a block
		} else {
			t.Fatalf("%q: lost: %q in %q", text, piece, pieces)
		}
	}
	if strings.Trim(all[at:], "`~") != "" {
		t.Fatalf("%q: lost the end %q: %q", text, all[at:], pieces)
	}
}

func TestTextIsCutAtParagraphsThenLinesThenWords(t *testing.T) {
	plain := func(s string) string { return s }
	require.Equal(t, []string{"aaaa\n\nbbbb", "cccc"}, Split("aaaa\n\nbbbb\n\ncccc", 11, plain))
	require.Equal(t, []string{"aaaa\nbbbb", "cccc"}, Split("aaaa\nbbbb\ncccc", 11, plain))
	require.Equal(t, []string{"aaaa bbbb", "cccc"}, Split("aaaa bbbb cccc", 11, plain))
	require.Equal(t, []string{"👨‍👩‍👧", "👨‍👩‍👧"}, Split("👨‍👩‍👧👨‍👩‍👧", 9, plain))
	require.Equal(t, []string{"a", "```\nx\n\ny\n```"}, Split("a\n\n```\nx\n\ny\n```", 13, plain), "a block stays whole")
	require.Equal(t, []string{"```sh\nxxxx\nyyyy\n```", "```sh\nzzzz\n```"}, Split("```sh\nxxxx\nyyyy\nzzzz\n```", 20, plain))
	require.Equal(t, []string{""}, Split("", 20, plain))
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{"**a**b", "**41%**만", "그는***(네)***만*", "```\n```", "| a |\n|---|", "[x](y)", "<b>", "> > > x", strings.Repeat("> ", 60) + "x", strings.Repeat("- ", 60) + "x", "&#0;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 || !utf8.ValidString(text) {
			return
		}
		staysIn(t, text)
		for _, piece := range Split(text, 300, Telegram) {
			if Units(Telegram(piece)) > 300 {
				t.Fatalf("%q: %q is too long", text, piece)
			}
		}
	})
}

func BenchmarkRender(b *testing.B) {
	text := strings.Repeat("The **disk** `/dev/sda` is _full_:\n\n- one\n- two\n\n```\ndf -h\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n", 20)
	for name, render := range map[string]func(string) string{"telegram": Telegram, "whatsapp": WhatsApp, "discord": Discord} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				render(text)
			}
		})
	}
	b.Run("split", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Split(text, 4096, Telegram)
		}
	})
}

func TestThreat07NothingThatIsRenderedLooksLikeAConfirmation(t *testing.T) {
	for _, text := range []string{"&#x2503; rm -rf /", "&#9475; rm\n&#9495; 1 line", "**┃ rm**", "`┃ rm`", "[┃](https://x.example/&#x2517;)"} {
		for name, render := range map[string]func(string) string{"telegram": Telegram, "whatsapp": WhatsApp, "discord": Discord} {
			require.NotContains(t, render(text), ipc.ApprovalSign, "%s: %s", name, text)
			require.NotContains(t, render(text), ipc.ApprovalEnd, "%s: %s", name, text)
		}
	}
}
