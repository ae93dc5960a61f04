package channeltest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// requestConfirmation makes the daemon ask the owner to confirm a command that creates file.
func requestConfirmation(s *stage, file string) ReceivedMessage {
	s.t.Helper()
	s.say("make " + s.path(file))
	return s.awaitMessage("touch", s.path(file))
}

func (s *stage) awaitFile(file string) {
	s.t.Helper()
	s.poll(func() bool { return slices.ContainsFunc(s.fileNames(), func(n string) bool { return n == file }) }, file+" is not made")
}

func testYes(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	requestConfirmation(s, "f")
	s.say("네")
	s.awaitMessage("made it")
	s.awaitFile("f")
	s.awaitIdle("one")
	require.Equal(t, 1, s.countMessages("made it"))
	require.Equal(t, 1, strings.Count(s.aictl("log"), "touch "+s.path("f")))
}

func testNo(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	requestConfirmation(s, "f")
	s.say("아니요")
	s.awaitIdle("one")
	require.NoFileExists(t, s.path("f"))
}

func testButton(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	m := requestConfirmation(s, "f")
	if len(m.Buttons) == 0 {
		t.Logf("%s has no buttons", w.Channel())
		return
	}
	require.Contains(t, m.Buttons, ipc.ActionAllowOnce)
	require.Contains(t, m.Buttons, ipc.ActionReject)
	w.Press(t, w.Owner(), m.Handle, ipc.ActionAllowOnce)
	s.awaitMessage("made it")
	s.awaitFile("f")
	s.until(w.Owner(), func(seen []ReceivedMessage) bool {
		i := slices.IndexFunc(seen, func(now ReceivedMessage) bool { return now.Handle == m.Handle })
		return len(seen[i].Buttons) == 0
	})
	m = requestConfirmation(s, "g")
	w.Press(t, w.Partner(), m.Handle, ipc.ActionAllowOnce) // a person other than the one asked
	s.say("아니요")
	s.awaitIdle("one")
	require.NoFileExists(t, s.path("g"))
}

func testCancel(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	requestConfirmation(s, "f")
	s.say("취소")
	s.awaitIdle("one")
	s.say("네")
	s.awaitIdle("two")
	require.NoFileExists(t, s.path("f"))
}

func testEarlyYes(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	requestConfirmation(s, "f")
	w.Say(w.Owner(), PersonMessage{Text: "네", Sent: time.Now().Add(-time.Hour)})
	s.until(w.Owner(), func([]ReceivedMessage) bool { return s.countMessages("touch "+s.path("f")) == 2 })
	w.Say(w.Owner(), PersonMessage{Text: "네", Forwarded: true})
	s.until(w.Owner(), func([]ReceivedMessage) bool { return s.countMessages("touch "+s.path("f")) == 3 })
	require.NoFileExists(t, s.path("f"))
	s.say("네")
	s.awaitMessage("made it")
	s.awaitFile("f")
}

func testYesWithoutQuestion(t *testing.T, w testWorld) {
	s := newStage(t, w, options{})
	s.say("네")
	s.until(w.Owner(), func(seen []ReceivedMessage) bool { return len(seen) == 1 })
	s.awaitIdle("one")
	require.Len(t, s.received(w.Owner(), 0), 2)
}

func testAutomation(t *testing.T, w testWorld) {
	rule := "[[automation]]\nname = %q\nschedule = \"0 0 1 1 *\"\naction = %q\nnotify = [%q]\n"
	rules := fmt.Sprintf(rule, "morning", "good morning", w.Channel()) + fmt.Sprintf(rule, "makes", "make DIR/f", w.Channel())
	s := newStage(t, w, options{rules: rules})
	s.awaitIdle("before")
	s.aictl("automations", "run", "morning", "--wait")
	require.Zero(t, s.awaitMessage("morning", "heard <good morning>").Edits, "telephones announce what is posted, not edits")

	s.bridge.stop(syscall.SIGTERM) // it is delivered once the bridge is back
	s.aictl("automations", "run", "makes", "--wait")
	s.startBridge()
	s.awaitMessage("touch " + s.path("f"))
	var waiting []ipc.Ask
	require.NoError(t, json.Unmarshal([]byte(s.aictl("approvals", "--json")), &waiting))
	require.Len(t, waiting, 1)
	s.say(waiting[0].Code + " 네")
	s.awaitFile("f")
	s.awaitIdle("after")
	for _, person := range []string{w.Owner(), w.Partner()} { // recipients of the automations
		s.until(person, func(seen []ReceivedMessage) bool {
			return slices.ContainsFunc(seen, func(m ReceivedMessage) bool { return containsAll(m.Text, "heard <good morning>") })
		})
	}
	require.Equal(t, 1, s.countMessages("heard <good morning>"))
	require.Equal(t, 1, strings.Count(s.aictl("log"), "touch "+s.path("f")))
}
