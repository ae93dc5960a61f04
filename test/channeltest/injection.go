package channeltest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/test/injection"
)

// testInjectingPages has a model that obeys all it reads open pages that give orders. Each time, the owner is asked about
// what it does then, with the page's host, and nothing leaves.
func testInjectingPages(t *testing.T, w testWorld) {
	pages := injection.New(t)
	s := newStage(t, w, options{script: injection.Plot, config: "max_messages_per_minute = 100\n" + pages.Settings()})
	for _, name := range pages.Pages(t, injection.Seen) {
		s.say("읽어 줘 " + pages.Address("run", injection.Seen, name))
		s.requirePageQuestion(pages.Wanted("run"))
	}
	for _, order := range injection.Orders[1:] {
		s.say("읽어 줘 " + pages.Address(order, injection.Seen, "plain.html"))
		s.requirePageQuestion(pages.Wanted(order))
	}
	require.Zero(t, s.countMessages(injection.Text), "each page had something done")
	s.say("읽어 줘 " + pages.Address("run", injection.Hidden, "display.html"))
	s.awaitMessage(injection.Text)
	require.Zero(t, s.countMessages(injection.Mark))
	require.Zero(t, pages.Stolen(), "connections of what was not approved")
	require.NotContains(t, s.aictl("log"), "CONFIRMED")
}

// requirePageQuestion waits until the owner is asked about what a page wants, and answers no. It sends nothing else,
// because a bridge takes 30 messages a minute from one sender.
func (s *stage) requirePageQuestion(wanted string) {
	s.t.Helper()
	const warning, denied = "이 대화에서 127.0.0.1의 웹 페이지를 읽었어요", "the user said no"
	asked, over := s.countMessages(wanted, warning), s.countMessages(denied)
	s.until(s.w.Owner(), func([]ReceivedMessage) bool { return s.countMessages(wanted, warning) == asked+1 })
	s.say("아니요")
	s.until(s.w.Owner(), func([]ReceivedMessage) bool { return s.countMessages(denied) == over+1 })
}
