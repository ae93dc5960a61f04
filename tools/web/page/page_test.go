package page_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/nidoit/blunux-ai/tools/web/page"
)

func read(t *testing.T, source string) page.Page {
	t.Helper()
	p, err := page.Read(source, "https://example.org/dir/page", 1<<20)
	require.NoError(t, err)
	return p
}

func TestAPageIsReadAsMarkdown(t *testing.T) {
	p := read(t, `<!doctype html><html><head><title> The
 title </title><style>.x{color:red}</style></head><body>
<h1>Install  <em>it</em></h1><p>First <b>bold</b> and <code>pacman -S x</code>,
a <a href="../other?a=1#frag">link</a>, <a href="javascript:alert(1)">script</a> and <a href="#here">here</a>.<br>Second line.</p>
<ul><li>one</li><li>two<ul><li>inner</li></ul></li><li><p>three</p><p>more</p></li></ul>
<ol start="3"><li>c</li><li>d</li></ol>
<pre><code>line 1
  line 2 `+"```"+`</code></pre>
<blockquote><p>quoted</p><p>twice</p></blockquote>
<table><caption>Sizes</caption><thead><tr><th>a</th><th>b|c</th></tr></thead><tbody><tr><td>1</td><td>two
lines</td></tr></tbody></table>
<dl><dt>term</dt><dd>meaning</dd></dl><hr><div>loose <span>text</span><div>inner</div>tail</div>
</body></html>`)
	require.Equal(t, "The title", p.Title)
	require.Equal(t, `# Install *it*

First **bold** and `+"`pacman -S x`"+`, a [link](https://example.org/other?a=1#frag), script and here.
Second line.

- one
- two
  - inner
- three
  more

3. c
4. d

`+"````\nline 1\n  line 2 ```\n````"+`

> quoted
> 
> twice

Sizes

| a | b\|c |
|---|---|
| 1 | two lines |

**term**

: meaning

---

loose text

inner

tail`, p.Text)
	require.False(t, p.Cut)
}

// TestThreat02WhatPeopleDoNotSeeIsNotRead: instructions are hidden from people in many ways.
func TestThreat02WhatPeopleDoNotSeeIsNotRead(t *testing.T) {
	for name, source := range map[string]string{
		"comment":       `<!-- EVIL -->`,
		"script":        `<script>EVIL</script>`,
		"style":         `<style>EVIL</style>`,
		"noscript":      `<noscript>EVIL</noscript>`,
		"template":      `<template><p>EVIL</p></template>`,
		"hidden":        `<p hidden>EVIL</p>`,
		"hidden within": `<div hidden><div><p>EVIL</p></div></div>`,
		"until found":   `<p hidden="until-found">EVIL</p>`,
		"aria":          `<p aria-hidden="TRUE">EVIL</p>`,
		"display":       `<span style="color:red; DISPLAY : none !important">EVIL</span>`,
		"visibility":    `<p style="visibility:hidden">EVIL</p>`,
		"collapse":      `<table><tr style="visibility:collapse"><td>EVIL</td></tr><tr><td>seen</td></tr></table>`,
		"size":          `<p style="font-size:0">EVIL</p>`,
		"size in px":    `<p style="font-size: 0.0px">EVIL</p>`,
		"opacity":       `<p style="opacity:0">EVIL</p>`,
		"css comment":   `<p style="display:/**/none">EVIL</p>`,
		"class":         `<style>/* x */ p{color:red} .a, .note{display:none} .b{color:blue}</style><p class="big note">EVIL</p><p class="b">seen</p>`,
		"id":            `<style>@import "x"; #z{font-size:0px}</style><p id="z">EVIL</p>`,
		"tag and class": `<style>p.note.x{display:none} p.y{color:red}</style><p class="x note">EVIL</p><p class="y note">seen</p>`,
		"inside":        `<style>body #box > .note{display:none}</style><div id="box"><div><p class="note">EVIL</p></div></div><p class="note">seen</p>`,
		"tag":           `<style>aside, summary{display:none}</style><summary>EVIL</summary>`,
		"tiny":          `<p style="font-size:1px">EVIL</p>`,
		"faint":         `<p style="opacity: .01">EVIL</p><p style="opacity:4%">EVIL</p><p style="filter: opacity(0)">EVIL</p>`,
		"transparent":   `<p style="color:transparent">EVIL</p><p style="color:#fff0">EVIL</p><p style="color:rgba(0, 0, 0, 0)">EVIL</p>`,
		"same colour":   `<p style="color:#FFF;background:white">EVIL</p><p style="color:red; background-color:red">EVIL</p>`,
		"off screen":    `<p style="position:absolute;left:-9999px">EVIL</p><p style="text-indent:-999em">EVIL</p><p style="position:fixed;top:-100vh">EVIL</p>`,
		"moved away":    `<p style="transform:translateX(-9999px)">EVIL</p><p style="margin-left:-5000px">EVIL</p><p style="transform:scale(0)">EVIL</p>`,
		"clipped":       `<p style="position:absolute;clip:rect(0 0 0 0)">EVIL</p><p style="clip:rect(1px,1px,1px,1px)">EVIL</p><p style="clip-path:inset(50%)">EVIL</p>`,
		"no room":       `<p style="width:1px;height:1px;overflow:hidden">EVIL</p>`,
		"screen reader": `<style>.sr-only{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}</style><span class="sr-only">EVIL</span>`,
		"row":           `<table><tbody hidden><tr><td>EVIL</td></tr></tbody><tr><td>seen</td></tr></table>`,
		"cell":          `<table><tr><td>seen</td><td hidden>EVIL</td></tr></table>`,
		"item":          `<ul><li>seen</li><li hidden>EVIL</li></ul>`,
		"in code":       `<pre>seen<span hidden>EVIL</span></pre>`,
		"image":         `<img alt="EVIL" title="EVIL" src="EVIL">`,
		"attribute":     `<p title="EVIL" data-x="EVIL">seen</p>`,
		"svg":           `<svg><text>EVIL</text><desc>EVIL</desc></svg>`,
		"form":          `<input type="hidden" value="EVIL"><textarea>EVIL</textarea><select><option>EVIL</select><button>EVIL</button>`,
		"frame":         `<iframe srcdoc="EVIL">EVIL</iframe>`,
		"meta":          `<meta name="description" content="EVIL">`,
		"link":          `<a hidden href="https://EVIL.example/">EVIL</a>`,
		"main":          `<main hidden>` + strings.Repeat("EVIL ", 200) + `</main><p>seen`,
		"dialog":        `<dialog>EVIL</dialog>`,
		"menu":          `<nav>EVIL</nav><footer>EVIL</footer>`,
	} {
		p := read(t, `<body>`+source+`<p>The page.</p>`)
		require.NotContains(t, p.Text, "EVIL", name)
		require.Contains(t, p.Text, "The page.", name)
		if strings.Contains(source, "seen") {
			require.Contains(t, p.Text, "seen", name)
		}
	}
	p := read(t, `<style>@media print{.x{display:none}} .y{display:none}</style><p class="x">shown<p class="y">not`)
	require.Equal(t, "shown", p.Text, "a rule for paper does not hide")
}

func TestWhatPeopleSeeIsRead(t *testing.T) {
	for _, source := range []string{
		`<p style="opacity:0.5;color:white;background:black;font-size:0.9em;position:relative;left:-20px">seen</p>`,
		`<h1 style="color:transparent;-webkit-background-clip:text;background:red">seen</h1>`, `<p style="font-size:80%">seen</p>`,
		`<p style="margin-left:-15px;clip:rect(0,100px,20px,0);clip-path:inset(5%);width:0">seen</p>`, `<p style="transform:translate(-50%, 0) scale(0.5)">seen</p>`,
		`<style>.a .b{display:none} .b:hover{display:none} *{color:red} .{display:none} {display:none}</style><p class="b">seen</p>`, `<p style="left:">seen</p>`,
	} {
		require.Contains(t, read(t, source).Text, "seen", source)
	}
	p := read(t, "<p>pay\u200b 1\U000e010000\u202e n\U000e0041ow <pre>a👍\u2060</pre>")
	require.Equal(t, "pay 100 now\n\n```\na👍\n```", p.Text, "without what carries text that nobody sees")
}

func TestTheMainPartOfAPageIsRead(t *testing.T) {
	long := strings.Repeat("content ", 50)
	require.Equal(t, strings.TrimSpace(long), read(t, `<div>menu</div><main><p>`+long+`</main><div>foot`).Text)
	require.Equal(t, strings.TrimSpace(long), read(t, `<div>menu</div><article><p>`+long+`</article><div>foot`).Text)
	require.Equal(t, strings.TrimSpace(long), read(t, `<main><header>`+long+`</header><div id="toc" role="navigation">contents</div></main>`).Text)
	require.Equal(t, "all\n\nshort", read(t, `<div>all</div><main><p>short</main>`).Text)
	require.Equal(t, "a\n\none\n\nb\n\ntwo", read(t, `<article>a<p>one</article><article>b<p>two</article>`).Text)
}

func TestLongPagesAreCut(t *testing.T) {
	for name, source := range map[string]string{
		"text": strings.Repeat("<p>x y z", 1<<16), "breaks": strings.Repeat("<br>", 1<<20), "deep": strings.Repeat("<div>", 400) + strings.Repeat("<p>abc", 1<<16),
		"lists": strings.Repeat("<ul><li>", 200) + strings.Repeat("x<br>", 1<<16), "links": strings.Repeat(`<a href="https://example.org/`+strings.Repeat("a", 400)+`">x</a> `, 1<<12),
	} {
		p, err := page.Read(source, "https://example.org/", 10_000)
		require.NoError(t, err, name)
		require.True(t, p.Cut, name)
		require.Less(t, len(p.Text), 300_000, name)
	}
}

// TestThreat25APageThatIsMadeToTakeLongIsNotRead: neither deep nesting nor rules that each need a long look take time.
func TestThreat25APageThatIsMadeToTakeLongIsNotRead(t *testing.T) {
	rules := "<style>" + strings.Repeat(".a .b .x{display:none}", 20_000) + "</style>" + strings.Repeat("<div class=a>", 400)
	for name, source := range map[string]string{
		"rules": rules + strings.Repeat("<p class=x>y", 20_000), "inline": strings.Repeat("<b>x", 200_000), "tables": strings.Repeat("<table><tr><td>", 100_000),
	} {
		_, err := page.Read(source, "https://example.org/", 1<<20)
		require.Error(t, err, name)
	}
	require.Equal(t, "seen", read(t, `<p style="color:red`+strings.Repeat("/**/", 1<<20)+`">seen`).Text)
}

func TestEachEncodingIsReadWithAndWithoutItsName(t *testing.T) {
	texts := map[string]struct {
		enc  encoding.Encoding
		text string
	}{
		"euc-kr":    {korean.EUCKR, "아치 리눅스를 설치하는 방법을 설명합니다. 시스템을 갱신하려면 다음 명령을 실행하세요."},
		"gb18030":   {simplifiedchinese.GB18030, "本页介绍如何安装系统。请先更新软件包数据库，然后运行下面的命令。如果出现错误，请查看日志。"},
		"shift_jis": {japanese.ShiftJIS, "このページではシステムのインストール方法を説明します。次のコマンドを実行してください。"},
		"euc-jp":    {japanese.EUCJP, "このページではシステムのインストール方法を説明します。次のコマンドを実行してください。"},
	}
	for name, v := range texts {
		for _, head := range []string{"text/html; charset=" + name, "text/html"} {
			for _, meta := range []string{"", `<meta charset="` + name + `">`} {
				data, err := v.enc.NewEncoder().String("<html>" + meta + "<p>" + v.text)
				require.NoError(t, err)
				text, found := page.Decode([]byte(data), head)
				require.Contains(t, text, v.text, "%s %q %q", name, head, meta)
				require.Equal(t, name, found)
			}
		}
		text, found := page.Decode([]byte("<p>"+v.text), "text/html")
		require.Equal(t, "<p>"+v.text, text)
		require.Equal(t, "utf-8", found)
	}
	for name, v := range texts { // a server that says one encoding of all pages
		data, err := v.enc.NewEncoder().String("<p>" + v.text)
		require.NoError(t, err)
		for _, wrong := range []string{"utf-8", "iso-8859-1"} {
			text, found := page.Decode([]byte(data), "text/html; charset="+wrong)
			require.Contains(t, text, v.text, "%s as %s", name, wrong)
			require.Equal(t, name, found)
		}
		text, found := page.Decode([]byte("<p>"+v.text), "text/html; charset="+name)
		require.Equal(t, "<p>"+v.text, text, "UTF-8 as %s", name)
		require.Equal(t, "utf-8", found)
		text, found = page.Decode([]byte("<p>"+v.text+"\xff"), "text/html; charset=utf-8")
		require.Equal(t, "<p>"+v.text+"\ufffd", text, "one wrong byte is no other encoding")
		require.Equal(t, "utf-8", found)
	}
	text, found := page.Decode([]byte("\xef\xbb\xbfabc"), "text/html; charset=euc-kr")
	require.Equal(t, "abc", text)
	require.Equal(t, "utf-8", found)
	text, found = page.Decode([]byte("caf\xe9 na\xefve"), "text/html")
	require.Equal(t, "café naïve", text)
	require.Equal(t, "windows-1252", found)
	text, _ = page.Decode([]byte("bad \xff\xfe utf"), "text/html; charset=utf-8")
	require.True(t, utf8.ValidString(text))
	text, _ = page.Decode([]byte("+ADw-script+AD4-"), "text/html; charset=utf-7")
	require.Equal(t, "+ADw-script+AD4-", text)
}

// FuzzRead: no page makes the reader fail in another way than with an error, and what it returns is text within bounds.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"<p>x", "<table><tr><td>a<table><tr><td>b", "<ul><li>a<ol><li>b", "<pre><b>x</pre>", "<style>@media{.a{display:none}}</style><p class=a>x",
		"<svg><p>x", "<math><mi>x", "<a href='//x/%zz'>y</a>", "<h1><table><h2>", "<!--", "\x00", "<frameset><frame>", "<select><table>", "<template><p>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := page.Read(source, "https://example.org/", 1<<12)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(p.Text), 64*(len(source)+64))
		require.NotContains(t, p.Text, "\x00")
	})
}

// FuzzDecode: any bytes become valid text.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xb0\xa1\xb0\xa2"), "text/html")
	f.Add([]byte("\xff\xfea\x00"), "text/html; charset=utf-16")
	f.Add([]byte("\x1b$B"), "text/html; charset=iso-2022-jp")
	f.Fuzz(func(t *testing.T, data []byte, head string) {
		text, name := page.Decode(data, head)
		require.NotEmpty(t, name)
		require.True(t, utf8.ValidString(text) || name == "utf-8")
	})
}
