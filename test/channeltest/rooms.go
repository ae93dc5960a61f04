package channeltest

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// newRoomStage returns a stage whose bridge hears a room, or nil if the messenger has none.
func newRoomStage(t *testing.T, w testWorld) (*stage, Roomy) {
	t.Helper()
	room, ok := w.World.(Roomy)
	if !ok {
		t.Logf("%s has no rooms", w.Channel())
		return nil, nil
	}
	s := newStage(t, w, options{room: room.Room()})
	s.poll(room.HearsRoom, "the bridge does not hear the room")
	return s, room
}

// awaitInRoom waits until the room has a message that contains words, and returns it.
func (s *stage) awaitInRoom(room Roomy, words ...string) ReceivedMessage {
	s.t.Helper()
	end := time.After(waitTimeout)
	for {
		changed := s.w.Changed()
		seen := room.ReceivedInRoom()
		if i := slices.IndexFunc(seen, func(m ReceivedMessage) bool { return containsAll(m.Text, words...) }); i >= 0 {
			return seen[i]
		}
		select {
		case <-changed:
		case <-end:
			require.Fail(s.t, "it is not said in the room", "%q: %+v", words, seen)
		}
	}
}

func testRoom(t *testing.T, w testWorld) {
	s, room := newRoomStage(t, w)
	if s == nil {
		return
	}
	room.SayInRoom(w.Stranger(), room.Mention("hello"))
	room.SayInRoom(w.Owner(), "nothing for the bot")
	room.SayInRoom(w.Owner(), room.Mention("make "+s.path("f")))
	q := s.awaitInRoom(room, "touch", s.path("f"))
	require.Contains(t, q.Buttons, ipc.ActionAllowOnce)
	for _, other := range []string{w.Stranger(), w.Partner()} {
		w.Press(t, other, q.Handle, ipc.ActionAllowOnce)
		s.poll(func() bool { return len(room.PressAnswers(other)) == 1 }, "a press by another person is not answered")
		room.SayInRoom(other, room.Mention("네"))
	}
	s.awaitInRoom(room, "heard <네>") // the partner's, which answers nothing
	require.NoFileExists(t, s.path("f"))
	w.Press(t, w.Owner(), q.Handle, ipc.ActionAllowOnce)
	s.awaitInRoom(room, "made it")
	s.awaitFile("f")
	s.awaitIdle("one")
	for _, m := range slices.Concat(room.ReceivedInRoom(), w.Received(w.Stranger())) {
		require.NotContains(t, m.Text, "pairing")
		require.NotContains(t, m.Text, "hello")
	}
	require.Empty(t, w.Received(w.Stranger()), "a stranger gets nothing at all")
	require.Empty(t, s.received(w.Partner(), 0))
	require.Len(t, s.received(w.Owner(), 0), 1, "what is said in the room stays there")
}

func testRoomKills(t *testing.T, w testWorld) {
	s, room := newRoomStage(t, w)
	if s == nil {
		return
	}
	room.SayInRoom(w.Owner(), room.Mention("before"))
	s.awaitInRoom(room, "heard <before>")
	var questions []string
	ask := func(text string) {
		questions = append(questions, text)
		room.SayInRoom(w.Owner(), room.Mention(text))
		room.SayInRoom(w.Partner(), "chatter")
	}
	for i := range 4 {
		ask(fmt.Sprintf("q-%d-0-x", i))
		ask(fmt.Sprintf("q-%d-1-x", i))
		victim, restart := s.bridge, s.startBridge
		if i == 2 {
			victim, restart = s.daemon, s.startDaemon
		}
		victim.stop(syscall.SIGKILL)
		ask(fmt.Sprintf("q-%d-2-x", i)) // while it is away
		restart()
		for _, q := range questions[3*i:] {
			s.awaitInRoom(room, "heard <"+q+">")
		}
	}
	room.SayInRoom(w.Owner(), room.Mention("after"))
	s.awaitInRoom(room, "heard <after>")
	for _, q := range questions {
		n := 0
		for _, m := range room.ReceivedInRoom() {
			n += strings.Count(m.Text, "heard <"+q+">")
		}
		require.Equal(t, 1, n, q)
	}
}
