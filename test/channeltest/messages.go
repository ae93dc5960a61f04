package channeltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

func testKoreanQuestion(t *testing.T, w testWorld) {
	s := newStage(t, w, options{offline: true})
	s.say("디스크 꽉 찼어?")
	s.awaitMessage("디스크")
	require.Len(t, s.received(w.Owner(), 0), 1)
}

func testStranger(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	for _, text := range []string{"안녕하세요", "rm -rf /", "네"} {
		w.Say(w.Stranger(), PersonMessage{Text: text})
	}
	seen := s.until(w.Stranger(), func(seen []ReceivedMessage) bool { return len(seen) == 1 })
	_, rest, ok := strings.Cut(seen[0].Text, "pairing approve ")
	require.True(t, ok, "%q", seen[0].Text)
	s.awaitIdle("one")
	require.Len(t, s.received(w.Stranger(), 0), 1)
	s.aictl("pairing", "approve", strings.Fields(rest)[0])
	s.until(w.Stranger(), func(seen []ReceivedMessage) bool {
		return slices.ContainsFunc(seen, func(m ReceivedMessage) bool { return containsAll(m.Text, "이 컴퓨터에 대해 묻고 싶은 것") })
	})
	w.Say(w.Stranger(), PersonMessage{Text: "question of a stranger"})
	s.until(w.Stranger(), func(seen []ReceivedMessage) bool {
		return slices.ContainsFunc(seen, func(m ReceivedMessage) bool { return containsAll(m.Text, "heard <question of a stranger>") })
	})
	for _, m := range s.received(w.Stranger(), 0) {
		require.NotContains(t, m.Text, "rm -rf", "what they wrote before is not asked afterwards")
	}
}

func testSimilarSenders(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	o := w.Owner()
	spoofed := []string{o[1:], o[:len(o)-1], o + "1"}
	for _, from := range spoofed {
		w.Say(from, PersonMessage{Text: "make " + s.path("spoofed")})
	}
	s.awaitIdle("one")
	for _, from := range spoofed {
		for _, m := range s.received(from, 0) {
			require.Contains(t, m.Text, "pairing approve")
		}
	}
	require.NoFileExists(t, s.path("spoofed"))
}

func testIgnoredMessages(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	w.Say(w.Owner(), PersonMessage{Text: "in a group", Group: true})
	w.Say(w.Stranger(), PersonMessage{Text: "in a group", Group: true})
	w.Say(w.Owner(), PersonMessage{Text: "my own words", Own: true})
	s.awaitIdle("one")
	require.Len(t, s.received(w.Owner(), 0), 1)
	require.Empty(t, s.received(w.Stranger(), 0))
	s.say("")
	s.awaitIdle("two")
	require.LessOrEqual(t, len(s.received(w.Owner(), 0)), 3)
}

func testOddTexts(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.say(strings.Repeat("long ", 13_000))
	s.until(w.Owner(), func(seen []ReceivedMessage) bool { return len(seen) > 0 })
	s.awaitIdle("long")
	for i, text := range []string{"🎉🎉👨‍👩‍👧‍👦", "\u202egnp.exe name", "ca\u200bt /etc/pa\u2060sswd"} {
		before := len(s.received(w.Owner(), 0))
		s.say(text)
		s.until(w.Owner(), func(seen []ReceivedMessage) bool { return len(seen) == before+1 })
		s.awaitIdle(fmt.Sprint(i))
		require.Len(t, s.received(w.Owner(), 0), before+2, "%q", text)
	}
	for _, m := range s.received(w.Owner(), 0) {
		require.False(t, strings.ContainsAny(m.Text, "\u202e\u200b"), "%q", m.Text)
	}
}

func testDuplicates(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	id := s.say("once only")
	for range 4 {
		w.Redeliver(id)
	}
	s.awaitMessage("heard <once only>")
	s.awaitIdle("one")
	s.bridge.stop(9)
	s.startBridge()
	w.Redeliver(id)
	s.awaitIdle("two")
	s.daemon.stop(9)
	s.startDaemon()
	w.Redeliver(id)
	s.awaitIdle("three")
	require.Equal(t, 1, s.countMessages("once only"))
}

func testRateLimit(t *testing.T, w testWorld) {
	s := newStage(t, w, options{config: "max_messages_per_minute = 5\n"})
	for i := range 8 {
		s.say(fmt.Sprintf("question %d", i))
	}
	s.until(w.Owner(), func(seen []ReceivedMessage) bool { return len(seen) >= 6 })
	s.say("취소") // is always accepted
	s.until(w.Owner(), func(seen []ReceivedMessage) bool { return len(seen) >= 7 })
	require.Equal(t, 5, s.countMessages("heard <question"))
	require.Len(t, s.received(w.Owner(), 0), 7)
}

func testPrefix(t *testing.T, w testWorld) {
	s := newStage(t, w, options{config: "max_messages_per_minute = 100\nrequire_prefix = true\n"})
	s.say("not for you")
	s.say("/ai for you")
	s.awaitMessage("heard <for you>")
	require.Len(t, s.received(w.Owner(), 0), 1)
}

// maxPieceLength is the maximum message length of any messenger.
const maxPieceLength = 65_536

func testLongAnswer(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.say("long")
	s.awaitMessage(fmt.Sprintf("paragraph%03d", manyParagraphs-1))
	seen := s.received(w.Owner(), 0)
	require.Greater(t, len(seen), 1)
	all := strings.Join(s.texts(w.Owner(), 0), "\n")
	last := -1
	for i := range manyParagraphs {
		at := strings.Index(all, fmt.Sprintf("paragraph%03d", i))
		require.Greater(t, at, last, "paragraph %d", i)
		last = at
	}
	for _, m := range seen {
		require.LessOrEqual(t, len(utf16.Encode([]rune(m.Raw))), maxPieceLength)
		begins := strings.Trim(m.Text, "`\n ")
		require.True(t, strings.HasPrefix(begins, "paragraph") || strings.HasPrefix(begins, "echo line000"), "it is cut between paragraphs: %.40q", m.Text)
		require.Equal(t, strings.Contains(m.Text, "line000"), strings.Contains(m.Text, "line039"), "the code is in one piece")
	}
	require.Equal(t, 1, strings.Count(all, "line020"))
}

func testVeryLongAnswer(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.say("longer")
	seen := s.until(w.Owner(), func(seen []ReceivedMessage) bool {
		return slices.ContainsFunc(seen, func(m ReceivedMessage) bool { return m.File != nil })
	})
	whole := seen[slices.IndexFunc(seen, func(m ReceivedMessage) bool { return m.File != nil })]
	require.Equal(t, "answer.md", whole.Name)
	require.Equal(t, strings.TrimSpace(paragraphs(tooManyParagraphs)), strings.TrimSpace(string(whole.File)))
	s.awaitIdle("one")
	require.Equal(t, 1, s.countMessages("paragraph000"), "it begins in the chat")
	require.Zero(t, s.countMessages(fmt.Sprintf("paragraph%03d", tooManyParagraphs-1)), "it does not end there")
	documents := 0
	for _, m := range s.received(w.Owner(), 0) {
		if m.File != nil {
			documents++
		}
	}
	require.Equal(t, 1, documents)
}

func testCodeBlock(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.say("code")
	m := s.awaitMessage("line039")
	require.Contains(t, m.Text, "line000")
	require.Equal(t, 1, s.countMessages("line000"))
}
