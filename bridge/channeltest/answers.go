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

// asked makes the daemon ask the owner to confirm a command that creates file.
func asked(s *stage, file string) Seen {
	s.t.Helper()
	s.say("make " + s.path(file))
	return s.told("touch", s.path(file))
}

func (s *stage) exists(file string) {
	s.t.Helper()
	s.poll(func() bool { return slices.ContainsFunc(s.listing(), func(n string) bool { return n == file }) }, file+" is not made")
}

func aYes(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	asked(s, "f")
	s.say("네")
	s.told("made it")
	s.exists("f")
	s.settled("one")
	require.Equal(t, 1, s.count("made it"))
	require.Equal(t, 1, strings.Count(s.aictl("log"), "touch "+s.path("f")))
}

func aNo(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	asked(s, "f")
	s.say("아니요")
	s.settled("one")
	require.NoFileExists(t, s.path("f"))
}

func aButton(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	m := asked(s, "f")
	if len(m.Buttons) == 0 {
		t.Logf("%s has no buttons", w.Channel())
		return
	}
	require.Contains(t, m.Buttons, ipc.ActionAllowOnce)
	require.Contains(t, m.Buttons, ipc.ActionReject)
	w.Press(t, w.Owner(), m.Handle, ipc.ActionAllowOnce)
	s.told("made it")
	s.exists("f")
	s.until(w.Owner(), func(seen []Seen) bool {
		i := slices.IndexFunc(seen, func(now Seen) bool { return now.Handle == m.Handle })
		return len(seen[i].Buttons) == 0
	})
	m = asked(s, "g")
	w.Press(t, w.Partner(), m.Handle, ipc.ActionAllowOnce) // a person other than the one asked
	s.say("아니요")
	s.settled("one")
	require.NoFileExists(t, s.path("g"))
}

func aCancel(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	asked(s, "f")
	s.say("취소")
	s.settled("one")
	s.say("네")
	s.settled("two")
	require.NoFileExists(t, s.path("f"))
}

func anEarlyYes(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	asked(s, "f")
	w.Say(w.Owner(), Said{Text: "네", Sent: time.Now().Add(-time.Hour)})
	s.until(w.Owner(), func([]Seen) bool { return s.count("touch "+s.path("f")) == 2 })
	w.Say(w.Owner(), Said{Text: "네", Forwarded: true})
	s.until(w.Owner(), func([]Seen) bool { return s.count("touch "+s.path("f")) == 3 })
	require.NoFileExists(t, s.path("f"))
	s.say("네")
	s.told("made it")
	s.exists("f")
}

func aYesForNothing(t *testing.T, w staged) {
	s := newStage(t, w, options{})
	s.say("네")
	s.until(w.Owner(), func(seen []Seen) bool { return len(seen) == 1 })
	s.settled("one")
	require.Len(t, s.seen(w.Owner(), 0), 2)
}

func anAutomation(t *testing.T, w staged) {
	rule := "[[automation]]\nname = %q\nschedule = \"0 0 1 1 *\"\naction = %q\nnotify = [%q]\n"
	rules := fmt.Sprintf(rule, "morning", "good morning", w.Channel()) + fmt.Sprintf(rule, "makes", "make DIR/f", w.Channel())
	s := newStage(t, w, options{rules: rules})
	s.settled("before")
	s.aictl("automations", "run", "morning", "--wait")
	require.Zero(t, s.told("morning", "heard <good morning>").Edits, "telephones announce what is posted, not edits")

	s.bridge.end(syscall.SIGTERM) // it is delivered once the bridge is back
	s.aictl("automations", "run", "makes", "--wait")
	s.startBridge()
	s.told("touch " + s.path("f"))
	var waiting []ipc.Ask
	require.NoError(t, json.Unmarshal([]byte(s.aictl("approvals", "--json")), &waiting))
	require.Len(t, waiting, 1)
	s.say(waiting[0].Code + " 네")
	s.exists("f")
	s.settled("after")
	for _, person := range []string{w.Owner(), w.Partner()} { // recipients of the automations
		s.until(person, func(seen []Seen) bool {
			return slices.ContainsFunc(seen, func(m Seen) bool { return holds(m.Text, "heard <good morning>") })
		})
	}
	require.Equal(t, 1, s.count("heard <good morning>"))
	require.Equal(t, 1, strings.Count(s.aictl("log"), "touch "+s.path("f")))
}
