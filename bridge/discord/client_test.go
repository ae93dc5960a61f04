package discord

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/markup"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/test/channeltest"
	"github.com/nidoit/blunux-ai/test/discordapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver records what a messenger passes on, each message once as the bridge does, or rejects it.
type receiver struct {
	mu      sync.Mutex
	got     []bridge.Incoming
	states  []state.State
	refuse  error
	changed chan struct{}

	rooms        []string
	roomsChanged chan struct{}
}

func (r *receiver) Receive(_ context.Context, in bridge.Incoming) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.notify()
	if r.refuse != nil {
		return r.refuse
	}
	for _, known := range r.got {
		if known.ID == in.ID {
			return nil
		}
	}
	r.got = append(r.got, in)
	return nil
}

func (r *receiver) UpdateState(s state.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states = append(r.states, s)
	r.notify()
}

func (r *receiver) Rooms() ([]string, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rooms, r.roomsChanged
}

func (r *receiver) setRooms(ids ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rooms = ids
	close(r.roomsChanged)
	r.roomsChanged = make(chan struct{})
}

func (r *receiver) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *receiver) setRefusal(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse = err
}

// await waits until the received messages and states meet a condition.
func (r *receiver) await(t *testing.T, holds func(got []bridge.Incoming, states []state.State) bool) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		r.mu.Lock()
		ok, changed := holds(r.got, r.states), r.changed
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late:
			require.Fail(t, "it does not happen", "%+v %+v", r.got, r.states)
		}
	}
}

func (r *receiver) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, in := range r.got {
		texts = append(texts, in.Text)
	}
	return texts
}

func (r *receiver) last() bridge.Incoming {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[len(r.got)-1]
}

// stage is a bot and its server.
type stage struct {
	*Client
	server *discordapi.Server
	to     *receiver
	dir    string
	log    *bytes.Buffer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{server: discordapi.New(t), to: &receiver{changed: make(chan struct{}), roomsChanged: make(chan struct{})}, dir: t.TempDir(), log: &bytes.Buffer{}}
	s.Client = s.client(t)
	return s
}

func (s *stage) client(t *testing.T) *Client {
	t.Helper()
	c, err := New(Options{
		Token: discordapi.Token, Server: s.server.URL(), Dir: s.dir, Log: zerolog.New(zerolog.SyncWriter(s.log)).Level(zerolog.TraceLevel),
		Render: markup.Discord, Literal: markup.DiscordLiteral, Denied: "not yours",
	})
	require.NoError(t, err)
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// run runs the bot. The returned function stops it and returns Run's error.
func (s *stage) run(t *testing.T) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, s.to) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = stop() })
	return stop
}

// start runs the bot and waits until it is online.
func (s *stage) start(t *testing.T) (stop func() error) {
	t.Helper()
	stop = s.run(t)
	s.to.await(t, online)
	return stop
}

func (s *stage) say(text string) string {
	return s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: text})
}

func online(_ []bridge.Incoming, states []state.State) bool {
	return len(states) > 0 && states[len(states)-1].Phase == state.Online
}

func received(n int) func([]bridge.Incoming, []state.State) bool {
	return func(got []bridge.Incoming, _ []state.State) bool { return len(got) == n }
}

func TestMessagesAreFetchedAfterADayOff(t *testing.T) {
	s := newStage(t)
	stop := s.start(t)
	require.Equal(t, "@"+discordapi.BotName, s.to.states[len(s.to.states)-1].Account)
	s.say("first")
	s.to.await(t, received(1))
	require.NoError(t, stop())
	for range 130 { // more than a page
		s.say("meanwhile")
	}
	gone := s.say("taken back")
	s.server.Erase(gone)
	s.server.ForgetSessions()
	s.Client = s.client(t) // another process
	s.start(t)
	s.say("live")
	s.to.await(t, received(132))
	require.Equal(t, "first", s.to.texts()[0])
	require.Equal(t, "live", s.to.texts()[131])
	require.NotContains(t, s.to.texts(), "taken back")
	require.Zero(t, s.server.CallCount("resume"))
}

// called waits until the server has got n requests of a kind.
func (s *stage) called(t *testing.T, name string, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.server.CallCount(name) == n }, time.Minute, time.Millisecond, name)
}

func TestASessionIsResumed(t *testing.T) {
	s := newStage(t)
	s.start(t)
	for i, disturb := range []func(){
		s.server.Reconnect, s.server.CloseConnections, func() { s.server.CloseGateway(4000) }, func() { s.server.Invalidate(true) },
	} {
		disturb()
		s.say("while it is away")
		s.to.await(t, received(i+1))
		s.called(t, "resume", i+1) // the message may have come before the connection ended
		require.Equal(t, 1, s.server.CallCount("identify"))
	}
}

func TestAnInvalidSessionIsReplaced(t *testing.T) {
	s := newStage(t)
	s.start(t)
	s.say("one")
	s.to.await(t, received(1))
	s.server.Invalidate(false)
	s.say("two")
	s.to.await(t, received(2))
	s.called(t, "identify", 2)
	s.server.ForgetSessions()
	s.server.CloseGateway(4009)
	s.say("three")
	s.to.await(t, received(3))
	s.called(t, "identify", 3)
	require.Equal(t, []string{"one", "two", "three"}, s.to.texts())
}

func TestHeartbeats(t *testing.T) {
	s := newStage(t)
	s.server.SetHeartbeat(20*time.Millisecond, true)
	s.start(t)
	require.Eventually(t, func() bool { return s.server.CallCount("heartbeat") > 3 }, time.Minute, time.Millisecond)
	s.server.SetHeartbeat(20*time.Millisecond, false)
	s.to.await(t, func(_ []bridge.Incoming, states []state.State) bool {
		return states[len(states)-1].Phase == state.Offline
	})
	s.server.SetHeartbeat(time.Hour, true)
	s.to.await(t, online)
	before := s.server.CallCount("heartbeat")
	s.server.AskHeartbeat()
	require.Eventually(t, func() bool { return s.server.CallCount("heartbeat") > before }, time.Minute, time.Millisecond)
}

func TestWhatCannotBeStoredComesAgain(t *testing.T) {
	s := newStage(t)
	s.start(t)
	s.to.setRefusal(errors.New("no room"))
	s.say("kept by Discord")
	require.Eventually(t, func() bool { return s.server.CallCount("resume") > 0 }, time.Minute, time.Millisecond)
	s.to.setRefusal(nil)
	s.to.await(t, received(1))
	s.to.setRefusal(errors.New("no room"))
	s.say("and this")
	s.server.ForgetSessions() // it is fetched then
	require.Eventually(t, func() bool { return s.server.CallCount("identify") > 1 }, time.Minute, time.Millisecond)
	s.to.setRefusal(nil)
	s.to.await(t, received(2))
}

func TestWhatIsNotAPersonsMessageIsIgnored(t *testing.T) {
	s := newStage(t)
	s.start(t)
	id := s.say("the only one")
	s.to.await(t, received(1))
	s.server.EditTheirs(id, "rm -rf /")
	s.server.Erase(id)
	o := s.server.Owner()
	for _, extra := range []map[string]any{
		{"guild_id": "1"},
		{"webhook_id": "1"},
		{"type": 7},
		{"channel_type": 3},
		{"author": map[string]any{"id": o, "username": "x", "bot": true}},
		{"author": map[string]any{"id": o, "username": "x", "system": true}},
		{"author": map[string]any{"id": "0" + o, "username": "x"}},
		{"author": map[string]any{"id": "me", "username": "x"}},
		{"author": 7},
		{"content": ""},
	} {
		s.server.SayWith(o, "not this", extra)
	}
	s.server.Dispatch("MESSAGE_CREATE", "junk")
	s.server.Dispatch("NEW_KIND_OF_EVENT", map[string]any{})
	s.say("the last one")
	s.to.await(t, received(2))
	require.Equal(t, []string{"the only one", "the last one"}, s.to.texts())
}

func TestAForwardedMessageIsMarked(t *testing.T) {
	s := newStage(t)
	s.start(t)
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "네", Forwarded: true})
	s.to.await(t, received(1))
	require.True(t, s.to.last().Forwarded)
	require.Equal(t, "네", s.to.last().Text)
	s.server.SayWith(s.server.Owner(), "네", map[string]any{"type": 19, "message_reference": map[string]any{"message_id": "1"}})
	s.to.await(t, received(2))
	require.False(t, s.to.last().Forwarded, "a reply is the person's own")
}

func TestFilesComeFromDiscordOnly(t *testing.T) {
	s := newStage(t)
	s.start(t)
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{File: &channeltest.PersonFile{Name: "a.txt", Type: "text/plain", Data: []byte("here")}})
	s.to.await(t, received(1))
	f := s.to.last().Files[0]
	from, err := f.Open(t.Context())
	require.NoError(t, err)
	data, err := io.ReadAll(from)
	require.NoError(t, err)
	require.NoError(t, from.Close())
	require.Equal(t, "here", string(data))
	s.server.Fail("attachment", discordapi.Failure{Code: 404, Times: 1})
	_, err = f.Open(t.Context())
	var gone *bridge.FileError
	require.ErrorAs(t, err, &gone)
	require.Equal(t, ipc.FileExpired, gone.Problem)

	attached := func(url string, size int64) map[string]any {
		return map[string]any{"attachments": []any{map[string]any{"filename": "x", "url": url, "size": size}}}
	}
	for i, c := range []struct {
		extra map[string]any
		why   string
	}{
		{attached("https://evil.example/x", 1), ipc.FileBroken},
		{attached("http://127.0.0.1:1/x", 1), ipc.FileBroken},
		{attached("file:///etc/passwd", 1), ipc.FileBroken},
		{attached(s.server.URL()+"/attachments/1/2/x", ipc.MaxInboundFile+1), ipc.FileTooLarge},
		{map[string]any{"sticker_items": []any{map[string]any{"id": "1"}}}, ipc.FileKind},
		{map[string]any{"poll": map[string]any{"question": "?"}}, ipc.FileKind},
		{map[string]any{"flags": 1 << 13, "attachments": []any{map[string]any{"filename": "voice-message.ogg"}}}, ipc.FileKind},
	} {
		s.server.SayWith(s.server.Owner(), "", c.extra)
		s.to.await(t, received(i+2))
		require.Equal(t, c.why, s.to.last().Files[0].Problem, "%v", c.extra)
	}
	own, err := New(Options{Token: discordapi.Token})
	require.NoError(t, err)
	require.True(t, own.isAttachmentURL("https://cdn.discordapp.com/attachments/1/2/x.png?ex=1"))
	require.False(t, own.isAttachmentURL("https://cdn.discordapp.com.evil.example/attachments/1/2/x.png"))
	require.False(t, own.isAttachmentURL("http://cdn.discordapp.com/attachments/1/2/x.png"))
	require.False(t, own.isAttachmentURL("https://u:p@cdn.discordapp.com/attachments/1/2/x.png"))
}

func TestThePersonIsNeeded(t *testing.T) {
	for name, c := range map[string]struct {
		disturb func(s *discordapi.Server)
		phase   state.Phase
	}{
		"a token that was reset":          {func(s *discordapi.Server) { s.Revoke() }, state.LoggedOut},
		"authentication fails":            {func(s *discordapi.Server) { s.Refuse(4004); s.ForgetSessions(); s.CloseGateway(4007) }, state.LoggedOut},
		"intents that are not allowed":    {func(s *discordapi.Server) { s.Refuse(4014); s.ForgetSessions(); s.CloseGateway(4007) }, state.Outdated},
		"a version that is not supported": {func(s *discordapi.Server) { s.CloseGateway(4012) }, state.Outdated},
		"a bot that is locked": {func(s *discordapi.Server) {
			s.Fail("getGatewayBot", discordapi.Failure{Code: 403, Error: 20012})
			s.ForgetSessions()
			s.CloseGateway(4007)
		}, state.Banned},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			ended := make(chan error, 1)
			go func() { ended <- s.Run(t.Context(), s.to) }()
			s.to.await(t, online)
			c.disturb(s.server)
			err := <-ended
			var halt *bridge.Halt
			require.ErrorAs(t, err, &halt)
			require.Equal(t, c.phase, halt.State.Phase)
			require.NotContains(t, err.Error(), "AAHdq", "threat 18")
		})
	}
}

func TestServersThatAreNotUsed(t *testing.T) {
	for _, server := range []string{"http://example.org", "https://me:secret@example.org", "example.org"} {
		_, err := New(Options{Token: discordapi.Token, Server: server})
		require.Error(t, err, server)
		require.NotContains(t, err.Error(), "secret")
	}
	for _, address := range []string{"ws://gateway.example", "https://gateway.discord.gg", "wss://u:p@gateway.discord.gg", "wss://", "wss://x/?token=1"} {
		require.False(t, isGatewayURL(address), address)
	}
	require.True(t, isGatewayURL("wss://gateway-us-east1-b.discord.gg"))
	for _, token := range []string{"", "x", "a.b.c", discordapi.Token + "\n", strings.Replace(discordapi.Token, ".", "/", 1)} {
		_, err := New(Options{Token: token})
		require.Error(t, err)
	}
}

func TestSavedConversations(t *testing.T) {
	s := newStage(t)
	path := filepath.Join(s.dir, conversationsFile)
	s.conversations.advance("11", "22", "33")
	s.conversations.advance("11", "22", "32")
	require.NoError(t, s.conversations.save())
	fi, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
	require.Equal(t, conversation{"22", "33"}, s.client(t).conversations.of("11"))
	require.Equal(t, "11", s.client(t).conversations.personIn("22"))
	s.conversations.advance("11", "23", "") // another channel, whose messages are not known
	require.Equal(t, conversation{"23", ""}, s.conversations.of("11"))
	for _, text := range []string{"", "junk", `{"v":1,"bot":"other","people":{"11":{"channel":"22"}}}`, `{"v":1,"bot":"` + strings.Split(discordapi.Token, ".")[0] + `","people":{"me":{"channel":"22"},"1":{"channel":"../x"}}}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.Empty(t, s.client(t).conversations.all(), text)
	}
	require.NoError(t, os.WriteFile(path, []byte(`{"v":99}`), 0o600))
	_, err = New(Options{Token: discordapi.Token, Dir: s.dir})
	require.ErrorContains(t, err, "99", "a newer program wrote it")
	for i := range maxConversations + 10 {
		s.conversations.advance(before("9000000000000000000", time.Duration(i)*time.Second), "5", "7")
	}
	require.Len(t, s.conversations.all(), maxConversations)
}
