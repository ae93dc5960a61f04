package discord

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/test/discordapi"
)

// newRoomStage returns a stage with a room.
func newRoomStage(t *testing.T) *stage {
	t.Helper()
	s := newStage(t)
	s.to.setRooms(s.server.Room())
	return s
}

// mention sends the owner's message to the bot in the room.
func (s *stage) mention(text string) string {
	return s.server.SayInRoom(s.server.Owner(), s.server.Mention(text))
}

func (s *stage) ownerInRoom() string { return ipc.InRoom(s.server.Owner(), s.server.Room()) }

func TestThreat11OnlyAMentionInANamedChannelIsTaken(t *testing.T) {
	s := newRoomStage(t)
	s.start(t)
	o, bot := s.server.Owner(), "<@"+discordapi.BotID+">"
	listed := []any{map[string]any{"id": discordapi.BotID, "username": discordapi.BotName, "bot": true}}
	for _, c := range []struct {
		name, text string
		extra      map[string]any
		want       string // "-" if the message is not taken
	}{
		{"a mention", bot + " disk full?", nil, "disk full?"},
		{"the old form", "<@!" + discordapi.BotID + "> disk?", nil, "disk?"},
		{"in the middle", "say, " + bot + " is it full?", nil, "say, is it full?"},
		{"at the end", "is it full " + bot, nil, "is it full"},
		{"several", bot + " and <@" + s.server.Partner() + ">", nil, "and <@" + s.server.Partner() + ">"},
		{"nothing else", bot, nil, ""},
		{"a reply that Discord lists", "yes", map[string]any{"type": 19, "mentions": listed}, "yes"},
		{"a reply", "yes", map[string]any{"type": 19, "message_reference": map[string]any{"type": 0, "message_id": "1"}}, "-"},
		{"no mention", "disk full?", nil, "-"},
		{"everyone", "@everyone disk?", map[string]any{"mention_everyone": true}, "-"},
		{"a role", "<@&" + discordapi.BotID + "> disk?", map[string]any{"mention_roles": []any{discordapi.BotID}}, "-"},
		{"someone else", "<@" + s.server.Partner() + "> disk?", nil, "-"},
		{"only the name", "@" + discordapi.BotName + " disk?", nil, "-"},
		{"only the text", bot + " disk?", map[string]any{"mentions": []any{}}, "-"},
		{"a webhook", bot + " disk?", map[string]any{"webhook_id": "1"}, "-"},
		{"a bot", bot + " disk?", map[string]any{"author": map[string]any{"id": o, "username": "x", "bot": true}}, "-"},
		{"the system", bot + " disk?", map[string]any{"type": 7}, "-"},
		{"no author", bot + " disk?", map[string]any{"author": map[string]any{"id": "me"}}, "-"},
	} {
		n := len(s.to.texts())
		id := s.server.SayInRoomWith(o, c.text, c.extra)
		s.server.SayInOtherChannel(o, s.server.Mention("not here"))
		if c.want == "-" {
			continue
		}
		s.to.await(t, received(n+1))
		in := s.to.last()
		require.Equal(t, c.want, in.Text, c.name)
		require.Equal(t, []string{id, s.ownerInRoom(), s.ownerInRoom()}, []string{in.ID, in.Chat, in.Sender}, c.name)
	}
	n := len(s.to.texts())
	s.say("the last one")
	s.to.await(t, received(n+1))
	require.Equal(t, "the last one", s.to.last().Text)
	require.Equal(t, s.server.Owner(), s.to.last().Sender, "direct messages are apart")
}

func TestServersAreHeardOnlyIfAChannelIsNamed(t *testing.T) {
	s := newStage(t)
	s.start(t)
	require.Equal(t, intentDirectMessages, s.server.Intents())
	s.mention("before")
	s.say("one")
	s.to.await(t, received(1))
	s.to.setRooms(s.server.Room())
	s.called(t, "identify", 2)
	require.Equal(t, intentDirectMessages|intentGuildMessages, s.server.Intents())
	require.Eventually(t, func() bool { return s.conversations.fetchFrom(s.server.Room(), 0) != "" }, time.Minute, time.Millisecond)
	s.mention("two")
	s.to.await(t, received(2))
	s.to.setRooms()
	s.called(t, "identify", 3)
	require.Equal(t, intentDirectMessages, s.server.Intents())
	s.mention("after")
	s.say("three")
	s.to.await(t, received(3))
	require.Equal(t, []string{"one", "two", "three"}, s.to.texts())
	require.Empty(t, s.conversations.fetchFrom(s.server.Room(), 0), "a channel that is no longer named is forgotten")
}

func TestMentionsAreFetchedAfterADayOff(t *testing.T) {
	s := newRoomStage(t)
	s.mention("before the channel was named")
	stop := s.start(t)
	s.mention("first")
	s.say("and this")
	s.to.await(t, received(2))
	require.NoError(t, stop())
	want := []string{"first", "and this"}
	for range 130 { // more than a page
		s.server.SayInRoom(s.server.Partner(), "chatter")
	}
	s.mention("meanwhile")
	s.server.SayInRoom(s.server.Stranger(), "chatter")
	s.say("in a direct message")
	s.server.ForgetSessions()
	s.Client = s.client(t) // another process
	stop = s.start(t)
	s.mention("live")
	s.to.await(t, received(5))
	require.Equal(t, append(want, "in a direct message", "meanwhile", "live"), s.to.texts())
	last := s.server.SayInRoom(s.server.Partner(), "chatter")
	s.say("the last one")
	s.to.await(t, received(6))
	require.NoError(t, stop())
	require.Equal(t, last, s.client(t).conversations.fetchFrom(s.server.Room(), 0), "chatter is saved at the end")
}

func TestAChannelThatCannotBeReadChangesNothingElse(t *testing.T) {
	s := newRoomStage(t)
	s.server.Fail("getMessages", discordapi.Failure{Code: 403, Error: 50001, Times: 1})
	s.start(t)
	s.say("still here")
	s.to.await(t, received(1))
	require.Contains(t, s.log.String(), "cannot read a channel of a server")
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	require.Equal(t, state.Online, s.to.states[len(s.to.states)-1].Phase)
}

func TestThreat08AButtonInARoomIsOfWhoPressesIt(t *testing.T) {
	s := newRoomStage(t)
	s.start(t)
	s.mention("make it")
	s.to.await(t, received(1))
	posted, err := s.Post(t.Context(), question(s.ownerInRoom()))
	require.NoError(t, err)
	s.server.Press(t, s.server.Partner(), posted.Handle, "allow_once")
	s.to.await(t, received(2))
	in := s.to.last()
	partner := ipc.InRoom(s.server.Partner(), s.server.Room())
	require.Equal(t, []string{partner, partner}, []string{in.Sender, in.Chat}, "the daemon knows who was asked")
	require.Equal(t, digest, in.Press.Digest)
	s.server.Press(t, s.server.Owner(), posted.Handle, "allow_once")
	s.to.await(t, received(3))
	require.Equal(t, s.ownerInRoom(), s.to.last().Sender)
	s.to.setRooms()
	s.called(t, "identify", 2)
	s.to.await(t, online)
	s.server.Press(t, s.server.Owner(), posted.Handle, "allow_once")
	require.Eventually(t, func() bool { return len(s.server.PressAnswers(s.server.Owner())) == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, []string{"not yours"}, s.server.PressAnswers(s.server.Owner()), "the channel is no longer named")
	require.Zero(t, s.server.UnansweredCount())
}

func TestAnswersInARoomAreRepliesAndOnlyTheirsAreRetracted(t *testing.T) {
	s := newRoomStage(t)
	s.start(t)
	s.mention("one")
	s.server.SayInRoom(s.server.Partner(), s.server.Mention("two"))
	s.to.await(t, received(2))
	require.Eventually(t, func() bool { // what was passed on is recorded after that
		return s.conversations.lastOf(s.server.Owner(), s.server.Room()) != "" && s.conversations.lastOf(s.server.Partner(), s.server.Room()) != ""
	}, time.Minute, time.Millisecond)
	partner := ipc.InRoom(s.server.Partner(), s.server.Room())
	post := func(id, chat, re string) string {
		posted, err := s.Post(t.Context(), bridge.Piece{ID: id, Chat: chat, Text: id, Re: re})
		require.NoError(t, err)
		return posted.Handle
	}
	first := post("a1", s.ownerInRoom(), s.to.got[0].ID)
	post("a2", s.ownerInRoom(), "") // a copy that the bridge does not know of
	theirs := post("b1", partner, "")
	last := post("a3", s.ownerInRoom(), "p1")
	require.Equal(t, s.server.Owner(), s.server.AnswersTo(first))
	require.Equal(t, s.server.Owner(), s.server.AnswersTo(last), "a message without a question answers the last one")
	require.Equal(t, s.server.Partner(), s.server.AnswersTo(theirs))
	fresh := s.client(t) // which has not connected yet
	require.NoError(t, fresh.Retract(t.Context(), s.ownerInRoom(), first, last))
	var left []string
	for _, m := range s.server.ReceivedInRoom() {
		left = append(left, m.Text)
	}
	require.Equal(t, []string{"a1", "b1", "a3"}, left)
	require.NoError(t, s.Edit(t.Context(), last, bridge.Piece{Chat: s.ownerInRoom(), Text: "edited"}))
	require.NoError(t, s.Remove(t.Context(), s.ownerInRoom(), first))
	require.NoError(t, s.Typing(t.Context(), s.ownerInRoom()))
	require.Empty(t, s.server.Received(s.server.Owner()), "nothing of it is a direct message")
	for _, chat := range []string{"1@", "@1", "x@1", "1@x", "1@1@1"} {
		_, err := s.Post(t.Context(), bridge.Piece{Chat: chat, Text: "x"})
		require.ErrorIs(t, err, bridge.ErrNoChat, chat)
	}
}

func TestSavedRooms(t *testing.T) {
	s := newStage(t)
	require.True(t, s.conversations.advanceRoom("11", "22", "33"))
	require.False(t, s.conversations.advanceRoom("", "22", "44"))
	require.False(t, s.conversations.advanceRoom("", "22", "43"))
	for range maxUnsaved - 4 {
		require.False(t, s.conversations.advanceRoom("", "22", "45"))
	}
	require.True(t, s.conversations.advanceRoom("", "22", "46"))
	require.NoError(t, s.conversations.save())
	again := s.client(t).conversations
	require.Equal(t, "46", again.fetchFrom("22", 0))
	require.Equal(t, "33", again.lastOf("11", "22"))
	again.keepRooms([]string{"23"})
	require.Empty(t, again.fetchFrom("22", 0))
	s.conversations.beginRoom("24", "9000000000000000000")
	require.Equal(t, "9000000000000000000", s.conversations.fetchFrom("24", time.Hour), "what was before does not count")
	for i := range maxConversations + 10 {
		s.conversations.advanceRoom(before("9000000000000000000", time.Duration(i)*time.Second), "22", "47")
	}
	require.LessOrEqual(t, len(s.conversations.saved.Rooms["22"].From), maxConversations)
}
