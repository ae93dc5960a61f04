package desktop_test

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/internal/desktop"
)

func TestTextIsShownAsTextAndNoMoreOfItThanFits(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "body", "body-markup")
	n, _ := notifier(t, address)
	for name, c := range map[string]struct {
		notice      desktop.Notice
		title, body string
	}{
		"markup":             {desktop.Notice{Title: "a < b & c", Body: `<a href="x">rm</a> && b > c`}, "a < b & c", `&lt;a href="x"&gt;rm&lt;/a&gt; &amp;&amp; b &gt; c`},
		"control characters": {desktop.Notice{Title: "a\x1b[31mb\x07", Body: "x\r\n\ty\x00z\u2028w"}, "a[31mb", "x\n yz\nw"},
		"what turns text":    {desktop.Notice{Title: "a\u202egnp.exe", Body: "\u2066x\u2069\u200e\u061c"}, "agnp.exe", "x"},
		"what is not seen":   {desktop.Notice{Title: "rm\u200b\u3164\u00ad x", Body: "\ufeff\U000e0041y"}, "rm x", "y"},
		"no text":            {desktop.Notice{Title: "한글 \xff", Body: "\xff"}, "한글 \ufffd", "\ufffd"},
		"joined emoji":       {desktop.Notice{Title: "👩\u200d💻", Body: "  "}, "👩\u200d💻", ""},
		"long": {
			desktop.Notice{Title: strings.Repeat("가", 121), Body: strings.Repeat("<", 1001)},
			strings.Repeat("가", 119) + "…", strings.Repeat("&lt;", 999) + "…",
		},
		"just fits": {
			desktop.Notice{Title: strings.Repeat("가", 120), Body: strings.Repeat("<", 1000)},
			strings.Repeat("가", 120), strings.Repeat("&lt;", 1000),
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.notice.Key = name
			require.NoError(t, n.Show(t.Context(), c.notice))
			require.Equal(t, c.title, s.latest(t).title)
			require.Equal(t, c.body, s.latest(t).body)
		})
	}
}

func TestWhateverIsToBeShownTheServerGetsTextWithinBounds(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "body", "actions")
	n, told := notifier(t, address)
	rapid.Check(t, func(rt *rapid.T) {
		wild := rapid.OneOf(rapid.String(), rapid.StringN(0, 2000, -1), rapid.Just("\x00\xff\u202e\n"))
		key, action := wild.Draw(rt, "key"), wild.Draw(rt, "action")
		require.NoError(rt, n.Show(t.Context(), desktop.Notice{
			Key: key, Title: wild.Draw(rt, "title"), Body: wild.Draw(rt, "body"), Category: wild.Draw(rt, "category"),
			Actions: []desktop.Action{{Key: action, Label: "first " + wild.Draw(rt, "label")}, {Key: "other", Label: "x"}},
		}))
		got := s.latest(t)
		require.LessOrEqual(rt, utf8.RuneCountInString(got.title), 120)
		require.LessOrEqual(rt, utf8.RuneCountInString(got.body), 1000)
		require.NotContains(rt, got.title, "\n")
		for _, text := range append(got.actions, got.title, got.body) {
			require.False(rt, strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' || r == '\u202e' }))
		}
		require.LessOrEqual(rt, utf8.RuneCountInString(got.actions[1]), 40)
		emit(t, s.conn, "ActionInvoked", got.id, got.actions[0])
		told.says(t, "pressed "+key+" "+action)
	})
}

func TestHowLongItStaysAndHowUrgentItIs(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address)
	n, _ := notifier(t, address)
	for want, expire := range map[int32]time.Duration{-1: 0, 0: -1, 1: time.Microsecond, 2000: 2 * time.Second, 1<<31 - 1: 1 << 62} {
		require.NoError(t, n.Show(t.Context(), desktop.Notice{Key: "a", Expire: expire}))
		require.Equal(t, want, s.latest(t).expire)
	}
	for urgency, want := range map[desktop.Urgency]byte{desktop.Low: 0, desktop.Normal: 1, desktop.Critical: 2} {
		require.NoError(t, n.Show(t.Context(), desktop.Notice{Key: "a", Urgency: urgency}))
		require.Equal(t, want, s.latest(t).hints["urgency"].Value())
	}
	many := desktop.Notice{Key: "a", Actions: make([]desktop.Action, 9)}
	s.change(func() { s.can = []string{"actions"} })
	other, _ := notifier(t, address)
	require.NoError(t, other.Show(t.Context(), many))
	require.Len(t, s.latest(t).actions, 12, "six buttons")
}

func TestTheDefaultActionKeepsItsName(t *testing.T) {
	t.Parallel()
	address, _ := privateBus(t, nil)
	s := serve(t, address, "actions")
	n, told := notifier(t, address)
	require.NoError(t, n.Show(t.Context(), desktop.Notice{Key: "a", Actions: []desktop.Action{{Key: desktop.DefaultAction, Label: "Open"}}}))
	require.Equal(t, []string{"default", "Open"}, s.latest(t).actions)
	emit(t, s.conn, "ActionInvoked", s.latest(t).id, "default")
	told.says(t, "pressed a default")
}

func BenchmarkShow(b *testing.B) {
	address, _ := privateBus(b, nil)
	serve(b, address, "actions", "body", "body-markup")
	n := desktop.New(desktop.Options{Addresses: []string{address}})
	b.Cleanup(n.Close)
	for b.Loop() {
		require.NoError(b, n.Show(b.Context(), ask("a")))
	}
}
