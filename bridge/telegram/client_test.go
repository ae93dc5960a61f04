package telegram

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
	"github.com/nidoit/blunux-ai/test/botapi"
	"github.com/nidoit/blunux-ai/test/channeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver records what a messenger passes on, or rejects it.
type receiver struct {
	mu      sync.Mutex
	got     []bridge.Incoming
	states  []state.State
	refuse  error
	changed chan struct{}
}

func (r *receiver) Receive(_ context.Context, in bridge.Incoming) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.notify()
	if r.refuse != nil {
		return r.refuse
	}
	r.got = append(r.got, in)
	return nil
}

func (*receiver) Rooms() ([]string, <-chan struct{}) { return nil, nil }

func (r *receiver) UpdateState(s state.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states = append(r.states, s)
	r.notify()
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

// stage is a bot and its server.
type stage struct {
	*Client
	server *botapi.Server
	to     *receiver
	dir    string
	log    *bytes.Buffer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{server: botapi.New(t), to: &receiver{changed: make(chan struct{})}, dir: t.TempDir(), log: &bytes.Buffer{}}
	s.Client = s.client(t)
	return s
}

func (s *stage) client(t *testing.T) *Client {
	t.Helper()
	c, err := New(Options{
		Token: botapi.Token, Server: s.server.URL(), Dir: s.dir, Log: zerolog.New(zerolog.SyncWriter(s.log)).Level(zerolog.TraceLevel),
		Render: markup.Telegram, Literal: markup.TelegramLiteral,
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

func online(_ []bridge.Incoming, states []state.State) bool {
	return len(states) > 0 && states[len(states)-1].Phase == state.Online
}

func received(n int) func([]bridge.Incoming, []state.State) bool {
	return func(got []bridge.Incoming, _ []state.State) bool { return len(got) == n }
}

func TestAMessageArrives(t *testing.T) {
	s := newStage(t)
	s.run(t)
	s.to.await(t, online)
	require.Equal(t, "@"+botapi.BotName, s.to.states[len(s.to.states)-1].Account)
	id := s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "디스크 꽉 찼어?", Sent: time.Unix(1_700_000_000, 0)})
	s.to.await(t, received(1))
	in := s.to.got[0]
	require.Equal(t, bridge.Incoming{
		ID: id, Chat: s.server.Owner(), Sender: s.server.Owner(), Name: "민수", Text: "디스크 꽉 찼어?", Sent: time.Unix(1_700_000_000, 0),
	}, in)
}

func TestAnUpdateIsConfirmedOnlyWhenItIsKept(t *testing.T) {
	s := newStage(t)
	s.to.refuse = errors.New("the disk is full")
	stop := s.run(t)
	s.to.await(t, online)
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "하나"})
	asked := s.server.CallCount("getUpdates")
	require.Eventually(t, func() bool { return s.server.CallCount("getUpdates") >= asked+3 }, time.Minute, 5*time.Millisecond)
	require.Equal(t, 1, s.server.UnconfirmedCount())
	require.Empty(t, s.to.texts())
	s.to.setRefusal(nil)
	s.to.await(t, received(1))
	require.Eventually(t, func() bool { return s.server.UnconfirmedCount() == 0 }, time.Minute, 5*time.Millisecond)
	require.NoError(t, stop())
}

func TestADeadBotIsToldAgainWhatItHasNotKept(t *testing.T) {
	s := newStage(t)
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "하나"})
	s.to.refuse = context.Canceled
	stop := s.run(t)
	s.to.await(t, online)
	require.NoError(t, stop())
	require.Equal(t, 1, s.server.UnconfirmedCount())
	s.to.refuse = nil
	s.Client = s.client(t)
	s.run(t)
	s.to.await(t, received(1))
}

func TestTheOffsetOutlivesTheBot(t *testing.T) {
	s := newStage(t)
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "하나"})
	stop := s.run(t)
	s.to.await(t, received(1))
	require.NoError(t, stop())
	before := len(s.server.Offsets())
	s.Client = s.client(t)
	s.run(t)
	require.Eventually(t, func() bool { return len(s.server.Offsets()) > before }, time.Minute, time.Millisecond)
	require.Positive(t, s.server.Offsets()[before])
}

func TestAnOffsetThatIsNoUse(t *testing.T) {
	good := `{"bot":"110201543","next":5,"at":"` + time.Now().UTC().Format(time.RFC3339) + `"}`
	for name, c := range map[string]struct {
		file string
		want int64
	}{
		"ours":              {good, 5},
		"another bot's":     {strings.Replace(good, "110201543", "999", 1), 0},
		"older than a week": {`{"bot":"110201543","next":5,"at":"2001-01-01T00:00:00Z"}`, 0},
		"of the future":     {`{"bot":"110201543","next":5,"at":"2999-01-01T00:00:00Z"}`, 0},
		"negative":          {strings.Replace(good, ":5", ":-5", 1), 0},
		"torn":              {good[:20], 0},
		"huge":              {strings.Repeat(" ", 1<<20) + good, 0},
		"nothing":           {"", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, offsetFile), []byte(c.file), 0o600))
			require.Equal(t, c.want, openOffset(Options{Token: botapi.Token, Dir: dir}).next())
		})
	}
	require.Zero(t, openOffset(Options{Token: botapi.Token, Dir: t.TempDir()}).next())
}

func TestOnlyAChatOfTwoIsHeard(t *testing.T) {
	s := newStage(t)
	s.run(t)
	s.to.await(t, online)
	owner := s.server.Owner()
	s.server.Say(owner, channeltest.PersonMessage{Text: "그룹", Group: true})
	s.server.Say(owner, channeltest.PersonMessage{Text: "봇", Own: true})
	message := func(change func(m map[string]any)) map[string]any {
		m := botapi.Message(7, 551001, "거짓")
		change(m)
		return m
	}
	s.server.Update(map[string]any{"edited_message": botapi.Message(7, 551001, "고침")})
	s.server.Update(map[string]any{"channel_post": message(func(m map[string]any) {
		m["chat"] = map[string]any{"id": -100123, "type": "channel", "title": "c"}
		delete(m, "from")
	})})
	s.server.Update(map[string]any{"message": message(func(m map[string]any) { delete(m, "from") })})
	s.server.Update(map[string]any{"message": message(func(m map[string]any) { m["from"].(map[string]any)["id"] = 551002 })})
	s.server.Update(map[string]any{"message": message(func(m map[string]any) { m["chat"].(map[string]any)["type"] = "group" })})
	s.server.Update(map[string]any{"message": message(func(m map[string]any) {
		m["from"].(map[string]any)["id"], m["chat"].(map[string]any)["id"] = -551001, -551001
	})})
	s.server.Update(map[string]any{"message": message(func(m map[string]any) { m["business_connection_id"] = "x" })})
	s.server.Update(map[string]any{"message": message(func(m map[string]any) {
		delete(m, "text")
		m["pinned_message"] = map[string]any{"message_id": 3}
	})})
	s.server.Update(map[string]any{"my_chat_member": map[string]any{"date": 1}})
	s.server.Say(owner, channeltest.PersonMessage{Text: "참"})
	s.to.await(t, received(1))
	require.Equal(t, []string{"참"}, s.to.texts())
}

func TestWhatWasSaidElsewhereIsForwarded(t *testing.T) {
	s := newStage(t)
	s.run(t)
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "네", Forwarded: true})
	m := botapi.Message(8, 551001, "네")
	m["forward_origin"] = map[string]any{"type": "a kind that is new", "date": 1}
	s.server.Update(map[string]any{"message": m})
	via := botapi.Message(9, 551001, "네")
	via["via_bot"] = map[string]any{"id": 5, "is_bot": true, "first_name": "gif"}
	s.server.Update(map[string]any{"message": via})
	s.to.await(t, received(3))
	for _, in := range s.to.got {
		require.True(t, in.Forwarded)
	}
}

func TestUpdatesThatMakeNoSenseArePassedOver(t *testing.T) {
	s := newStage(t)
	s.server.RawUpdate(880000001, `{"update_id":880000001,"message":{"message_id":"7","from":{"id":"551001"},"chat":{"id":551001,"type":"private"},"text":"x"}}`)
	s.server.RawUpdate(880000002, `{"update_id":880000002,"message":[1,2,3]}`)
	s.server.RawUpdate(880000003, `{"update_id":880000003}`)
	s.server.RawUpdate(880000004, `{"update_id":880000004,"message":{"message_id":-7,"from":{"id":551001},"chat":{"id":551001,"type":"private"},"text":"x"}}`)
	s.server.RawUpdate(880000005, `{"update_id":880000005,"a_new_kind":{"x":[]},"message":null}`)
	s.server.RawUpdate(880000006, `{"update_id":880000006,"callback_query":{"id":5,"data":{}}}`)
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "그래도"})
	s.run(t)
	s.to.await(t, received(1))
	require.Equal(t, []string{"그래도"}, s.to.texts())
	require.Eventually(t, func() bool { return s.server.UnconfirmedCount() == 0 }, time.Minute, 5*time.Millisecond)
}

func TestAnUpdateWithoutANumberIsNoBusyLoop(t *testing.T) {
	s := newStage(t)
	s.server.RawUpdate(880000001, `{"update_id":"880000001","message":{}}`)
	s.run(t)
	require.Eventually(t, func() bool { return s.server.CallCount("getUpdates") >= 2 }, time.Minute, time.Millisecond)
	began := time.Now()
	require.Eventually(t, func() bool { return s.server.CallCount("getUpdates") >= 4 }, time.Minute, time.Millisecond)
	require.Greater(t, time.Since(began), 300*time.Millisecond, "each wait is longer than the last")
}

func TestAnswersThatAreNone(t *testing.T) {
	s := newStage(t)
	for _, body := range []string{"", "{", "<html>502</html>", `{"ok":true,"result":{}}`, `{"ok":true,"result":"x"}`, `[]`, "null"} {
		s.server.AnswerPoll(body)
	}
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "끝"})
	p := &poller{Client: s.Client, to: s.to, offset: openOffset(Options{Token: botapi.Token}), limit: maxUpdates}
	failures := 0
	for range 20 {
		if err := p.pollOnce(t.Context()); err == nil {
			break
		}
		failures++
	}
	require.Equal(t, 7, failures)
	require.Equal(t, []string{"끝"}, s.to.texts())
}

func TestAHugeUpdateIsPassedOver(t *testing.T) {
	s := newStage(t)
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "앞"})
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: strings.Repeat("큰", maxAnswer/3+1)})
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "뒤"})
	s.run(t)
	s.to.await(t, received(2))
	require.Equal(t, []string{"앞", "뒤"}, s.to.texts())
}

func TestWhatEndsForThePerson(t *testing.T) {
	for phase, how := range map[state.Phase]func(s *botapi.Server){
		state.LoggedOut: func(s *botapi.Server) { s.Revoke() },
		state.Replaced:  func(s *botapi.Server) { s.Webhook("https://elsewhere.example/hook") },
		state.Banned: func(s *botapi.Server) {
			s.Fail("getUpdates", botapi.Failure{Code: 403, Description: "Forbidden"})
			s.CloseConnections()
		},
	} {
		t.Run(string(phase), func(t *testing.T) {
			s := newStage(t)
			ended := make(chan error, 1)
			go func() { ended <- s.Run(t.Context(), s.to) }()
			s.to.await(t, online)
			how(s.server)
			var halt *bridge.Halt
			require.ErrorAs(t, <-ended, &halt)
			require.Equal(t, phase, halt.State.Phase)
		})
	}
}

func TestARevokedTokenIsFoundByWhatIsSent(t *testing.T) {
	s := newStage(t)
	ended := make(chan error, 1)
	go func() { ended <- s.Run(t.Context(), s.to) }()
	s.to.await(t, online)
	s.server.Fail("sendMessage", botapi.Failure{Code: 401, Description: "Unauthorized"})
	_, err := s.Post(t.Context(), bridge.Piece{Chat: s.server.Owner(), Text: "x"})
	require.ErrorIs(t, err, bridge.ErrOffline)
	var halt *bridge.Halt
	require.ErrorAs(t, <-ended, &halt)
	require.Equal(t, state.LoggedOut, halt.State.Phase)
}

func TestAnotherPollIsAnotherProgramOnlyWhenItStays(t *testing.T) {
	s := newStage(t)
	s.server.Fail("getUpdates", botapi.Failure{Code: 409, Description: "Conflict: terminated by other getUpdates request", Times: 1})
	stop := s.run(t)
	s.to.await(t, online)
	require.NoError(t, stop())

	s = newStage(t)
	s.server.Fail("getUpdates", botapi.Failure{Code: 409, Description: "Conflict: terminated by other getUpdates request"})
	var halt *bridge.Halt
	require.ErrorAs(t, s.Run(t.Context(), s.to), &halt)
	require.Equal(t, state.Replaced, halt.State.Phase)
	require.Equal(t, maxConflicts, s.server.CallCount("getUpdates"))
}

func TestAServerThatAsksForAPause(t *testing.T) {
	s := newStage(t)
	s.server.Fail("getUpdates", botapi.Failure{Code: 429, Description: "Too Many Requests: retry after 1", RetryAfter: 1, Times: 1})
	s.run(t)
	s.to.await(t, func(_ []bridge.Incoming, states []state.State) bool {
		return len(states) > 1 && states[len(states)-1].Phase == state.Limited && time.Until(states[len(states)-1].Until) > 0
	})
	s.to.await(t, online)
}

func TestALostServerIsFoundAgain(t *testing.T) {
	s := newStage(t)
	s.run(t)
	s.to.await(t, online)
	s.server.SetDown(true)
	s.to.await(t, func(_ []bridge.Incoming, states []state.State) bool {
		return states[len(states)-1].Phase == state.Offline
	})
	_, err := s.Post(t.Context(), bridge.Piece{Chat: s.server.Owner(), Text: "x"})
	require.Error(t, err)
	s.server.SetDown(false)
	s.to.await(t, online)
	s.server.Fail("getUpdates", botapi.Failure{Code: 502, Description: "Bad Gateway", Times: 2})
	s.server.CloseConnections()
	s.server.Say(s.server.Owner(), channeltest.PersonMessage{Text: "다시"})
	s.to.await(t, received(1))
}

func TestFilesArrive(t *testing.T) {
	s := newStage(t)
	s.run(t)
	owner := s.server.Owner()
	picture := bytes.Repeat([]byte{0xff, 0xd8, 1}, 100)
	s.server.Say(owner, channeltest.PersonMessage{Text: "이게 뭐야?", File: &channeltest.PersonFile{Type: "image/jpeg", Data: picture}})
	s.server.Say(owner, channeltest.PersonMessage{File: &channeltest.PersonFile{Name: "a.log", Type: "text/plain", Data: []byte("로그")}})
	s.server.Say(owner, channeltest.PersonMessage{File: &channeltest.PersonFile{Name: "큰.iso", Type: "application/x-iso", Data: []byte("x"), Claims: 6 << 20}})
	s.server.Say(owner, channeltest.PersonMessage{File: &channeltest.PersonFile{Type: "audio/ogg", Data: []byte("x")}})
	s.to.await(t, received(4))
	read := func(f bridge.File) string {
		r, err := f.Open(t.Context())
		require.NoError(t, err)
		defer r.Close()
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, "이게 뭐야?", s.to.got[0].Text)
	require.Equal(t, "image/jpeg", s.to.got[0].Files[0].Type)
	require.Equal(t, string(picture), read(s.to.got[0].Files[0]))
	require.Equal(t, "a.log", s.to.got[1].Files[0].Name)
	require.Equal(t, "로그", read(s.to.got[1].Files[0]))
	require.Equal(t, ipc.FileTooLarge, s.to.got[2].Files[0].Problem)
	require.Nil(t, s.to.got[2].Files[0].Open)
	require.Equal(t, ipc.FileKind, s.to.got[3].Files[0].Problem)
}

func TestAnAlbumIsOneMessage(t *testing.T) {
	s := newStage(t)
	for i := range 6 {
		m := botapi.Message(20+i, 551001, "")
		delete(m, "text")
		m["media_group_id"] = "13579"
		m["photo"] = []any{map[string]any{"file_id": "f", "file_unique_id": "u", "file_size": 10, "width": 10, "height": 10}}
		if i == 1 {
			m["caption"] = "이 사진들"
		}
		s.server.Update(map[string]any{"message": m})
	}
	s.run(t)
	s.to.await(t, received(2))
	require.Len(t, s.to.got[0].Files, ipc.MaxInboundFiles)
	require.Equal(t, "이 사진들", s.to.got[0].Text)
	require.Equal(t, "20", s.to.got[0].ID)
	require.Len(t, s.to.got[1].Files, 2)
	require.Eventually(t, func() bool { return s.server.UnconfirmedCount() == 0 }, time.Minute, 5*time.Millisecond)
}

func TestFileNamesOfTheServerStayBelowTheBot(t *testing.T) {
	s := newStage(t)
	for _, path := range []string{"", "/etc/passwd", "../x", "a/../../x", "a//b", "documents/../../bot/x"} {
		s.server.AnswerFile(path)
		_, err := s.open(t.Context(), "f")
		require.Error(t, err, path)
	}
	require.Zero(t, s.server.CallCount("download"))
}
