package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/tools/web/page"
)

// BenchmarkRead turns a page of 1 MB with 900 style rules into text.
func BenchmarkRead(b *testing.B) {
	var s strings.Builder
	s.WriteString("<style>")
	for i := range 300 {
		fmt.Fprintf(&s, ".c%d{color:red} .box .h%d, p.h%d{display:none}", i, i, i)
	}
	s.WriteString("</style>")
	for i := 0; s.Len() < 1e6; i++ {
		fmt.Fprintf(&s, `<div class="box"><h2>Chapter %d</h2><p class="c%d">Some <b>text</b> with <a href="/wiki/Page_%d">a link</a>.</p><ul><li>one</li></ul><p class="h%d">hidden</p></div>`, i, i%300, i, i%300)
	}
	b.SetBytes(int64(s.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := page.Read(s.String(), "https://example.org/", 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecode finds the encoding of a page of 1 MB in UTF-8 that does not say it.
func BenchmarkDecode(b *testing.B) {
	data := []byte(strings.Repeat("한국어 문장이에요. Some words. ", 1e6/40))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		page.Decode(data, "text/html")
	}
}
