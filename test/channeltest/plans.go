package channeltest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// changeID is the id of a change in the hint below an answer.
var changeID = regexp.MustCompile(`U[0-9A-Z]{4}`)

// carryOutPlan lets the owner approve a plan that makes f and f.too, and returns its answer and the id of the change.
func carryOutPlan(s *stage) (answer ReceivedMessage, id string) {
	s.t.Helper()
	s.say("plan " + s.path("f"))
	q := s.awaitMessage("┃1┃ uname -s", "┃2┃ ", "blunux-ai put --was none", "┃:┃ +second", "┃3┃ touch "+s.path("f.too"), "test -e")
	require.NoFileExists(s.t, s.path("f"))
	require.Equal(s.t, 1, s.countMessages("┃1┃ uname -s"), q.Text)
	s.say("네")
	s.awaitFile("f.too")
	answer = s.awaitMessage("planned it", "✓ uname -s", "✓ touch "+s.path("f.too"))
	id = changeID.FindString(answer.Text)
	require.NotEmpty(s.t, id, answer.Text)
	return answer, id
}

func (s *stage) hasFile(name string) bool { return slices.Contains(s.fileNames(), name) }

func testPlanUndoneByWords(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	_, id := carryOutPlan(s)
	s.say(id + " 되돌려줘")
	s.awaitMessage(id, "┃1┃ rm "+s.path("f.too"))
	s.say("아니요")
	s.awaitIdle("one")
	require.True(t, s.hasFile("f") && s.hasFile("f.too"))
	s.say("되돌려줘")
	s.until(w.Owner(), func([]ReceivedMessage) bool { return s.countMessages("┃1┃ rm "+s.path("f.too")) == 2 })
	s.say("네")
	s.poll(func() bool { return !s.hasFile("f") && !s.hasFile("f.too") }, "the files are not taken back")
	s.awaitMessage("✓ rm", s.path("f"))
	s.awaitIdle("two")
	require.Equal(t, 1, strings.Count(s.aictl("log"), "CONFIRMED   rm "+s.path("f.too")))
}

func testPlanUndoneByButton(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	answer, id := carryOutPlan(s)
	if len(answer.Buttons) == 0 {
		t.Logf("%s has no buttons", w.Channel())
		return
	}
	require.Equal(t, []string{ipc.ActionUndo}, answer.Buttons)
	w.Press(t, w.Partner(), answer.Handle, ipc.ActionUndo) // whose conversation did not make the change
	s.awaitIdle("partner")
	require.Zero(t, s.countMessages("┃1┃ rm "+s.path("f.too")))
	require.Len(t, s.received(w.Partner(), 0), 0)
	w.Press(t, w.Owner(), answer.Handle, ipc.ActionUndo)
	s.awaitMessage("┃1┃ rm " + s.path("f.too"))
	s.until(w.Owner(), func(seen []ReceivedMessage) bool {
		i := slices.IndexFunc(seen, func(now ReceivedMessage) bool { return now.Handle == answer.Handle })
		return len(seen[i].Buttons) == 0
	})
	require.True(t, s.hasFile("f"), "a press asks, and runs nothing")
	pressAgain(s, answer, id, "이미 물어봤어요")
	s.say("네")
	s.poll(func() bool { return !s.hasFile("f") && !s.hasFile("f.too") }, "the files are not taken back")
	s.awaitIdle("one")
	pressAgain(s, answer, id, "이미 되돌렸어요")
	require.Equal(t, 1, s.countMessages("┃1┃ rm "+s.path("f.too")))
}

// pressAgain presses the button of an answer that does not have it any more, as a client that still shows it can, and
// waits for what the owner hears.
func pressAgain(s *stage, answer ReceivedMessage, id, want string) {
	s.t.Helper()
	w, ok := s.w.(interface {
		PressData(from, handle, data string)
		PressAnswers(person string) []string
	})
	if !ok {
		return
	}
	w.PressData(s.w.Owner(), answer.Handle, ipc.ActionUndo+"|"+id)
	s.poll(func() bool {
		return slices.ContainsFunc(w.PressAnswers(s.w.Owner()), func(told string) bool { return strings.Contains(told, want) })
	}, want)
}

func testLongPlan(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.say("long plan " + s.path("f"))
	last := s.awaitMessage("┃9┃ touch " + s.path("f8"))
	seen := s.received(w.Owner(), 0)
	pages := slices.DeleteFunc(seen, func(m ReceivedMessage) bool { return !strings.Contains(m.Text, "┃ ") })
	require.Greater(t, len(pages), 1)
	steps := 0
	for i, page := range pages {
		steps += strings.Count(page.Text, "┃ touch "+s.path("f"))
		require.Equal(t, i < len(pages)-1, strings.Contains(page.Text, "↓"), page.Text)
		if i < len(pages)-1 {
			require.Empty(t, page.Buttons)
		}
	}
	require.Equal(t, 9, steps, "each command is shown")
	require.NoFileExists(t, s.path("f0"))
	if len(last.Buttons) > 0 {
		w.Press(t, w.Owner(), last.Handle, ipc.ActionAllowOnce)
	} else {
		s.say("네")
	}
	s.awaitMessage("planned all")
	for _, name := range []string{"f0", "f8"} {
		require.True(t, s.hasFile(name), name)
	}
}
