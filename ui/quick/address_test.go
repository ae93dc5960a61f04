package quick_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ui/quick"
)

func TestAnAddressShowsAQuestionOrTheApprovals(t *testing.T) {
	for address, want := range map[string]quick.Page{
		"blunux-ai://ask?q=disk+full%3F":                         {Words: "disk full?", Draft: true},
		"blunux-ai://ask/?q=%EB%94%94%EC%8A%A4%ED%81%AC":         {Words: "디스크", Draft: true},
		"blunux-ai://ask?q=디스크 정리해줘":                             {Words: "디스크 정리해줘", Draft: true},
		"BLUNUX-AI://ask?q=x":                                    {Words: "x", Draft: true},
		"blunux-ai://approvals":                                  {Approvals: true},
		"blunux-ai://approvals/":                                 {Approvals: true},
		"blunux-ai://approvals/K7QX":                             {Approvals: true, Code: "K7QX"},
		"blunux-ai://ask?q=" + strings.Repeat("%EA%B0%80", 1000): {Words: strings.Repeat("가", 1000), Draft: true},
	} {
		page, err := quick.Parse(address)
		require.NoError(t, err, address)
		require.Equal(t, want, page, address)
	}
}

// TestThreat40AHostileAddressOpensNothingElse: any web page can open an address.
func TestThreat40AHostileAddressOpensNothingElse(t *testing.T) {
	for _, address := range []string{
		"", "blunux-ai:", "blunux-ai:ask?q=x", "blunux-ai://", "blunux-ai:///ask?q=x", "http://ask?q=x", "javascript:alert(1)", "file:///etc/passwd",
		"blunux-ai://approve/K7QX", "blunux-ai://deny/K7QX", "blunux-ai://run?q=rm", "blunux-ai://ask", "blunux-ai://ask?q=", "blunux-ai://ask?q=%00%1b",
		"blunux-ai://ask?q=x&session=main", "blunux-ai://ask?q=x&q=y", "blunux-ai://ask?text=x", "blunux-ai://ask?q=x&send=1", "blunux-ai://ask?q=x;y=1",
		"blunux-ai://ask/x?q=y", "blunux-ai://ask?q=x#now", "blunux-ai://user:secret@ask?q=x", "blunux-ai://ask:80?q=x", "blunux-ai://ask?q=%zz",
		"blunux-ai://approvals?yes=1", "blunux-ai://approvals/K7QX/approve", "blunux-ai://approvals/K7QX?a=allow-once", "blunux-ai://approvals/../x",
		"blunux-ai://approvals/--help", "blunux-ai://approvals/K7%0AQX", "blunux-ai://approvals/" + strings.Repeat("A", 17), "blunux-ai://approvals?",
		"blunux-ai://ask?q=" + strings.Repeat("a", 1001), "blunux-ai://ask?q=" + strings.Repeat("a", 1<<20), "--help", "-", "blunux-ai://ask?q=x\n",
	} {
		page, err := quick.Parse(address)
		require.ErrorIs(t, err, quick.ErrAddress, "%.80q", address)
		require.Zero(t, page, "%.80q", address)
	}
}

func TestTheWordsOfAnAddressAreOneVisibleLine(t *testing.T) {
	for address, want := range map[string]string{
		"blunux-ai://ask?q=a%0Ab%0D%0Ac%E2%80%A8d":                "a b c d",
		"blunux-ai://ask?q=%1b%5B2Jx%07":                          "[2Jx",
		"blunux-ai://ask?q=safe%E2%80%AEfr-mr":                    "safefr-mr",
		"blunux-ai://ask?q=a%E2%80%8Bb%ff":                        "ab\uFFFD",
		"blunux-ai://ask?q=%F3%A0%81%81hidden":                    "hidden",
		"blunux-ai://ask?q=--help":                                "--help",
		"blunux-ai://ask?q=%24(touch+x)%3B%20%60id%60+%26%26+%27": "$(touch x); `id` && '",
		"blunux-ai://ask?q=/undo":                                 "/undo",
	} {
		page, err := quick.Parse(address)
		require.NoError(t, err, address)
		require.Equal(t, want, page.Words, address)
		require.True(t, page.Draft)
		args := page.Args()
		require.Equal(t, []string{"chat", "--plain", "--draft", "--", want}, args, "the words are one argument, which no option follows")
	}
}

func FuzzAddress(f *testing.F) {
	f.Add("blunux-ai://ask?q=x")
	f.Add("blunux-ai://approvals/K7QX")
	f.Fuzz(func(t *testing.T, address string) {
		page, err := quick.Parse(address)
		if err != nil {
			require.Zero(t, page)
			return
		}
		require.True(t, page.Approvals != page.Draft)
		require.False(t, strings.ContainsFunc(page.Words, unicode.IsControl))
		require.LessOrEqual(t, len([]rune(page.Words)), 1000)
	})
}
