package ipc

import (
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestVisibleWritesWhatDoesNotShow(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"ordinary":             {`sudo pacman -S 'a b' "$x" \n '\u{202E}'`, `sudo pacman -S 'a b' "$x" \n '\u{202E}'`},
		"lines":                {"a\nb\n", "a\nb\n"},
		"escape sequence":      {"a\x1b[2Jb", `a⟨\x1b⟩[2Jb`},
		"controls":             {"a\x00\x07\x7f\tb\r", `a⟨\x00⟩⟨\x07⟩⟨\x7f⟩⟨\t⟩b⟨\r⟩`},
		"C1":                   {"a\u009bb\u0085", `a⟨\u{009B}⟩b⟨\u{0085}⟩`},
		"not UTF-8":            {"a\xff\xe2\x82 b", `a⟨\xff⟩⟨\xe2⟩⟨\x82⟩ b`},
		"many bytes":           {"\xe2\xe2\xe2€", `⟨\xe2×3⟩€`},
		"bidi":                 {"a\u202egnp.exe\u2066", `a⟨\u{202E}⟩gnp.exe⟨\u{2066}⟩`},
		"zero width":           {"r\u200bm\ufeff\u00ad\u034f\u180e\u2060", `r⟨\u{200B}⟩m⟨\u{FEFF}⟩⟨\u{00AD}⟩⟨\u{034F}⟩⟨\u{180E}⟩⟨\u{2060}⟩`},
		"fillers":              {"\u115f\u1160\u3164\uffa0\u2800", `⟨\u{115F}⟩⟨\u{1160}⟩⟨\u{3164}⟩⟨\u{FFA0}⟩⟨\u{2800}⟩`},
		"separators":           {"a\u2028b\u2029", `a⟨\u{2028}⟩b⟨\u{2029}⟩`},
		"tags and selectors":   {"a\U000e0041\U000e01ef\ufe0f", `a⟨\u{E0041}⟩⟨\u{E01EF}⟩⟨\u{FE0F}⟩`},
		"annotations":          {"\ufff9\ufffb\ufffc\ufffd", `⟨\u{FFF9}⟩⟨\u{FFFB}⟩⟨\u{FFFC}⟩⟨\u{FFFD}⟩`},
		"other spaces":         {"a\u00a0b\u2003\u202f\u205f\u3000", `a⟨\u{00A0}⟩b⟨\u{2003}⟩⟨\u{202F}⟩⟨\u{205F}⟩⟨\u{3000}⟩`},
		"private, unassigned":  {"\ue000\u0378", `⟨\u{E000}⟩⟨\u{0378}⟩`},
		"one blank":            {"a b", "a b"},
		"two blanks":           {"a  b", "a␣␣b"},
		"eight blanks":         {"a        b", "a␣␣␣␣␣␣␣␣b"},
		"padding":              {"ls" + strings.Repeat(" ", 300) + "; rm -rf x", "ls⟨␣×300⟩; rm -rf x"},
		"blanks at the ends":   {" a \n b ", "␣a␣\n␣b␣"},
		"tabs":                 {"a" + strings.Repeat("\t", 40) + "b", `a⟨\t×40⟩b`},
		"the signs themselves": {"a⟨b⟩␣┃", `a⟨\u{27E8}⟩b⟨\u{27E9}⟩⟨\u{2423}⟩⟨\u{2503}⟩`},
		"others like them":     {"〈\u2329│", `⟨\u{3008}⟩⟨\u{2329}⟩⟨\u{2502}⟩`},
		"a middle dot":         {"a · b", "a · b"},
		"Hangul":               {"크롬 설치", "크롬 설치"},
		"Hangul in jamo":       {"\u1112\u1161\u11ab\u1100\u1173\u11af", "\u1112\u1161\u11ab\u1100\u1173\u11af"},
		"jamo alone":           {"\u1112 \u1161\u11ab 하\u11ab", `⟨\u{1112}⟩ ⟨\u{1161}⟩⟨\u{11AB}⟩ 하⟨\u{11AB}⟩`},
		"compatibility jamo":   {"ㅇㅇ", "ㅇㅇ"},
		"Han":                  {"安装软件包，好。", "安装软件包，好。"},
		"emoji":                {"rm 📁", "rm 📁"},
		"emoji sequence":       {"👨\u200d👩", `👨⟨\u{200D}⟩👩`},
		"Vietnamese":           {"Vie\u0323\u0302t", "Vie\u0323\u0302t"},
		"Thai":                 {"ที่", "ที่"},
		"a mark alone":         {"\u0301a /\u0338 1\u0301", `⟨\u{0301}⟩a /⟨\u{0338}⟩ 1⟨\u{0301}⟩`},
		"marks piled up":       {"a" + strings.Repeat("\u0301", 12), "a\u0301\u0301⟨\\u{0301}×10⟩"},
		"struck through":       {"r\u0336m\u20dd", `r⟨\u{0336}⟩m⟨\u{20DD}⟩`},
		"a mark of another":    {"a\u0e48", `a⟨\u{0E48}⟩`},
		"right to left":        {"rm א b", `rm ⟨\u{05D0}⟩ b`},
		"nothing":              {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, Visible(c.in))
			require.Equal(t, c.in, unvisible(t, c.want))
		})
	}
	require.Equal(t, `a⟨\n⟩⟨\n⟩b`, VisibleLine("a\n\nb"))
}

// unvisible reads visible text back, which proves that different texts look different.
func unvisible(t require.TestingT, s string) string {
	var b strings.Builder
	for s != "" {
		before, rest, found := strings.Cut(s, openSign)
		b.WriteString(strings.ReplaceAll(before, blankSign, " "))
		if !found {
			break
		}
		inside, after, closed := strings.Cut(rest, closeSign)
		require.True(t, closed, "not closed: %q", s)
		what, times, many := strings.Cut(inside, "×")
		n := 1
		if many {
			var err error
			n, err = strconv.Atoi(times)
			require.NoError(t, err)
			require.Greater(t, n, 1)
		}
		b.WriteString(strings.Repeat(unescape(t, what), n))
		s = after
	}
	return b.String()
}

func unescape(t require.TestingT, s string) string {
	switch {
	case s == blankSign:
		return " "
	case s == `\t`:
		return "\t"
	case s == `\r`:
		return "\r"
	case s == `\n`:
		return "\n"
	case strings.HasPrefix(s, `\x`):
		v, err := strconv.ParseUint(s[2:], 16, 8)
		require.NoError(t, err)
		return string([]byte{byte(v)})
	}
	digits, ok := strings.CutPrefix(s, `\u{`)
	require.True(t, ok, "%q", s)
	v, err := strconv.ParseUint(strings.TrimSuffix(digits, "}"), 16, 32)
	require.NoError(t, err)
	return string(rune(v))
}

// requireVisible checks all properties of Visible for one text.
func requireVisible(t require.TestingT, text string) {
	shown := Visible(text)
	for _, r := range shown {
		if r != '\n' && !unicode.IsPrint(r) || unicode.In(r, unicode.Me, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			require.Fail(t, "shows what does not print", "%U", r)
		}
	}
	require.Equal(t, text, unvisible(t, shown))
	require.NotContains(t, shown, "  ")
	for line := range strings.SplitSeq(shown, "\n") {
		require.Equal(t, strings.TrimSpace(line), line)
	}
	require.NotContains(t, VisibleLine(text), "\n")
	n := 0
	for g := range Glyphs(text) {
		require.Positive(t, g.Bytes)
		n += g.Bytes
	}
	require.Equal(t, len(text), n)
}

// tricky are characters with a meaning in Visible, and their neighbours.
var tricky = []rune("  \n\t\x1b\\x1{}u⟨⟩␣┃×│ab가é\u0301\u0336\u20dd\u1100\u1161\u11a8\u200b\u202e\u3164\ufffd\ufe0f👍\u200dא\u0e48ท\u00a0аα")

func TestVisibleTextIsPrintableAndReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		requireVisible(t, rapid.String().Draw(t, "any"))
		requireVisible(t, rapid.StringOf(rapid.RuneFrom(tricky)).Draw(t, "tricky"))
		requireVisible(t, string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")))
	})
}

func TestEveryCharacterShowsOrIsWritten(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r == '\n' || r >= 0xd800 && r <= 0xdfff {
			continue
		}
		if r > 0x1ffff && r&0xf000 != 0 && r%251 != 0 {
			continue // uniform ranges of ideographs and private use
		}
		text := "a" + string(r) + "b"
		shown := Visible(text)
		as := unicode.IsPrint(r) && shown == text
		written := strings.HasPrefix(shown, `a⟨\`) && strings.HasSuffix(shown, "⟩b")
		if as == written || as && Unprintable(r) {
			t.Fatalf("%U shows as %q", r, shown)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"ls  -l\t\x1b]52;c;x\x07", "a\u202eb\u0301\u0301\u0301", "⟨␣×3⟩", "\xff\xe2\x82", "\u1112\u1161\u11ab", " \n "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { requireVisible(t, s) })
}

func TestCleanLeavesWhatPrints(t *testing.T) {
	require.Equal(t, "]8;;http://x\\link[2Jgone한글\n\tok", Clean("\x1b]8;;http://x\x1b\\link\x1b[2J\u009bgone\u202e\u200b한글\n\tok\x07"))
	require.Equal(t, "a\ufffd\ufffdb", Clean("a\xe2\x82b"), "a sequence cut short")
	rapid.Check(t, func(t *rapid.T) {
		for _, r := range Clean(rapid.String().Draw(t, "text")) {
			require.True(t, r == '\n' || r == '\t' || !Unprintable(r))
		}
	})
}

func TestWhatDeceivesAlthoughItShowsIsNamed(t *testing.T) {
	for text, want := range map[string][]string{
		"pacman -S paypal 크롬 설치 café":     nil,
		"curl https://pаypal.com":         {"mixed-script: pаypal (а U+0430)"},
		"привет мир":                      nil,
		"echo αβγ and x":                  nil,
		"rm /home/αlpha /home/αlpha":      {"mixed-script: αlpha (α U+03B1)"},
		"xа xб xв xг xд":                  {"mixed-script: xа (а U+0430), xб (б U+0431), xв (в U+0432), … +2"},
		"а" + strings.Repeat("x", 30):     {"mixed-script: а" + strings.Repeat("x", 23) + "… +7 (а U+0430)"},
		"rm cafe\u0301":                   {"decomposed: cafe\u0301 (U+0301)"},
		"rm \u1112\u1161\u11ab\u1100.txt": {"decomposed: \u1112\u1161\u11ab\u1100 (U+1112)"},
	} {
		require.Equal(t, want, Suspicions(text), text)
	}
}

func TestU16ProseKeepsEmojiAndCommandsDoNot(t *testing.T) {
	for _, text := range []string{"⚠\ufe0f disk 97%", "❤\ufe0f\u200d🔥", "☀\ufe0f✔\ufe0f", "👨\u200d👩\u200d👧", "가족 👩🏽\u200d🚀 사진"} {
		require.Equal(t, text, VisibleProse(text))
		require.NotEqual(t, text, VisibleLine(text), "a command shows every character")
	}
	for text, want := range map[string]string{
		"a\ufe0f": `a⟨\u{FE0F}⟩`, "\ufe0f": `⟨\u{FE0F}⟩`, "⚠\ufe0f\ufe0f": "⚠\ufe0f⟨\\u{FE0F}⟩", "가\ufe0f": `가⟨\u{FE0F}⟩`,
		"a\u200db": `a⟨\u{200D}⟩b`, "⚠\u202e": `⚠⟨\u{202E}⟩`, "⚠\ufe0f\nx": "⚠\ufe0f⟨\\n⟩x", "\xff⚠\ufe0f": "⟨\\xff⟩⚠\ufe0f", "rm \u2800\ufe0f": `rm ⟨\u{2800}⟩⟨\u{FE0F}⟩`,
	} {
		require.Equal(t, want, VisibleProse(text), "%q", text)
	}
}
