package channeltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

func aQuestionInKorean(t *testing.T, w staged) {
	s := newStage(t, w, options{offline: true})
	s.say("디스크 꽉 찼어?")
	s.told("디스크")
	require.Len(t, s.seen(w.Owner(), 0), 1)
}

func aStranger(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	for _, text := range []string{"안녕하세요", "rm -rf /", "네"} {
		w.Say(w.Stranger(), Said{Text: text})
	}
	seen := s.until(w.Stranger(), func(seen []Seen) bool { return len(seen) == 1 })
	_, rest, ok := strings.Cut(seen[0].Text, "pairing approve ")
	require.True(t, ok, "%q", seen[0].Text)
	s.settled("one")
	require.Len(t, s.seen(w.Stranger(), 0), 1)
	s.aictl("pairing", "approve", strings.Fields(rest)[0])
	s.until(w.Stranger(), func(seen []Seen) bool {
		return slices.ContainsFunc(seen, func(m Seen) bool { return holds(m.Text, "이 컴퓨터에게") })
	})
	w.Say(w.Stranger(), Said{Text: "question of a stranger"})
	s.until(w.Stranger(), func(seen []Seen) bool {
		return slices.ContainsFunc(seen, func(m Seen) bool { return holds(m.Text, "heard <question of a stranger>") })
	})
	for _, m := range s.seen(w.Stranger(), 0) {
		require.NotContains(t, m.Text, "rm -rf", "what they wrote before is not asked afterwards")
	}
}

func lookAlikes(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	o := w.Owner()
	spoofed := []string{o[1:], o[:len(o)-1], o + "1"}
	for _, from := range spoofed {
		w.Say(from, Said{Text: "make " + s.path("spoofed")})
	}
	s.settled("one")
	for _, from := range spoofed {
		for _, m := range s.seen(from, 0) {
			require.Contains(t, m.Text, "pairing approve")
		}
	}
	require.NoFileExists(t, s.path("spoofed"))
}

func notForUs(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	w.Say(w.Owner(), Said{Text: "in a group", Group: true})
	w.Say(w.Stranger(), Said{Text: "in a group", Group: true})
	w.Say(w.Owner(), Said{Text: "my own words", Own: true})
	s.settled("one")
	require.Len(t, s.seen(w.Owner(), 0), 1)
	require.Empty(t, s.seen(w.Stranger(), 0))
	s.say("")
	s.settled("two")
	require.LessOrEqual(t, len(s.seen(w.Owner(), 0)), 3)
}

func oddTexts(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	s.say(strings.Repeat("long ", 13_000))
	s.until(w.Owner(), func(seen []Seen) bool { return len(seen) > 0 })
	s.settled("long")
	for i, text := range []string{"🎉🎉👨‍👩‍👧‍👦", "\u202egnp.exe name", "ca\u200bt /etc/pa\u2060sswd"} {
		before := len(s.seen(w.Owner(), 0))
		s.say(text)
		s.until(w.Owner(), func(seen []Seen) bool { return len(seen) == before+1 })
		s.settled(fmt.Sprint(i))
		require.Len(t, s.seen(w.Owner(), 0), before+2, "%q", text)
	}
	for _, m := range s.seen(w.Owner(), 0) {
		require.False(t, strings.ContainsAny(m.Text, "\u202e\u200b"), "%q", m.Text)
	}
}

func fiveTimes(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	id := s.say("once only")
	for range 4 {
		w.Again(id)
	}
	s.told("heard <once only>")
	s.settled("one")
	s.bridge.end(9)
	s.startBridge()
	w.Again(id)
	s.settled("two")
	s.daemon.end(9)
	s.startDaemon()
	w.Again(id)
	s.settled("three")
	require.Equal(t, 1, s.count("once only"))
}

func tooMany(t *testing.T, w staged) {
	s := newStage(t, w, options{config: "max_messages_per_minute = 5\n"})
	for i := range 8 {
		s.say(fmt.Sprintf("question %d", i))
	}
	s.until(w.Owner(), func(seen []Seen) bool { return len(seen) >= 6 })
	s.say("취소") // is always accepted
	s.until(w.Owner(), func(seen []Seen) bool { return len(seen) >= 7 })
	require.Equal(t, 5, s.count("heard <question"))
	require.Len(t, s.seen(w.Owner(), 0), 7)
}

func aPrefix(t *testing.T, w staged) {
	s := newStage(t, w, options{config: "max_messages_per_minute = 100\nrequire_prefix = true\n"})
	s.say("not for you")
	s.say("/ai for you")
	s.told("heard <for you>")
	require.Len(t, s.seen(w.Owner(), 0), 1)
}

// longestPiece is the maximum message length of any messenger.
const longestPiece = 65_536

func aLongAnswer(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	s.say("long")
	s.told(fmt.Sprintf("paragraph%03d", manyParagraphs-1))
	seen := s.seen(w.Owner(), 0)
	require.Greater(t, len(seen), 1)
	all := strings.Join(s.texts(w.Owner(), 0), "\n")
	last := -1
	for i := range manyParagraphs {
		at := strings.Index(all, fmt.Sprintf("paragraph%03d", i))
		require.Greater(t, at, last, "paragraph %d", i)
		last = at
	}
	for _, m := range seen {
		require.LessOrEqual(t, len(utf16.Encode([]rune(m.Raw))), longestPiece)
		begins := strings.Trim(m.Text, "`\n ")
		require.True(t, strings.HasPrefix(begins, "paragraph") || strings.HasPrefix(begins, "echo line000"), "it is cut between paragraphs: %.40q", m.Text)
		require.Equal(t, strings.Contains(m.Text, "line000"), strings.Contains(m.Text, "line039"), "the code is in one piece")
	}
	require.Equal(t, 1, strings.Count(all, "line020"))
}

func aVeryLongAnswer(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	s.say("longer")
	seen := s.until(w.Owner(), func(seen []Seen) bool {
		return slices.ContainsFunc(seen, func(m Seen) bool { return m.File != nil })
	})
	whole := seen[slices.IndexFunc(seen, func(m Seen) bool { return m.File != nil })]
	require.Equal(t, "answer.md", whole.Name)
	require.Equal(t, strings.TrimSpace(paragraphs(tooManyParagraphs)), strings.TrimSpace(string(whole.File)))
	s.settled("one")
	require.Equal(t, 1, s.count("paragraph000"), "it begins in the chat")
	require.Zero(t, s.count(fmt.Sprintf("paragraph%03d", tooManyParagraphs-1)), "it does not end there")
	documents := 0
	for _, m := range s.seen(w.Owner(), 0) {
		if m.File != nil {
			documents++
		}
	}
	require.Equal(t, 1, documents)
}

func aBlockOfCode(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	s.say("code")
	m := s.told("line039")
	require.Contains(t, m.Text, "line000")
	require.Equal(t, 1, s.count("line000"))
}
