package discord

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/test/channeltest"
	"github.com/nidoit/blunux-ai/test/discordapi"
)

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// question is a message with buttons.
func question(chat string) bridge.Piece {
	return bridge.Piece{ID: "0123456789abcdef0123456789abcdef", Chat: chat, Text: "sure?", Buttons: []bridge.Button{
		{Label: "예", Action: "allow_once", Code: "K7QX", Digest: digest}, {Label: "아니요", Action: "reject", Code: "K7QX", Digest: digest},
	}}
}

func TestThreat08AButtonCarriesTheDigestAndIsThePersons(t *testing.T) {
	s := newStage(t)
	s.start(t)
	owner, partner := s.server.Owner(), s.server.Partner()
	posted, err := s.Post(t.Context(), question(owner))
	require.NoError(t, err)
	s.server.Press(t, owner, posted.Handle, "allow_once")
	s.to.await(t, received(1))
	in := s.to.last()
	require.Equal(t, owner, in.Sender)
	require.Equal(t, bridge.Press{ID: in.Press.ID, Action: "allow_once", Code: "K7QX", Digest: digest}, *in.Press)
	require.NoError(t, s.AnswerPress(t.Context(), in.Press.ID, "done *now*"))
	require.Equal(t, []string{"done *now*"}, s.server.PressAnswers(owner))

	s.server.Press(t, partner, posted.Handle, "allow_once") // of another person's message
	require.Eventually(t, func() bool { return len(s.server.PressAnswers(partner)) == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, []string{"not yours"}, s.server.PressAnswers(partner))
	for _, data := range []string{"", "undo", "allow_once|K7QX", "allow_once|K7QX|short", "reject|" + strings.Repeat("K", 120)} {
		s.server.PressData(owner, posted.Handle, data)
	}
	s.say("nothing else")
	s.to.await(t, received(2))
	require.Nil(t, s.to.last().Press)
	require.Zero(t, s.server.UnansweredCount(), "Discord would say that the bot does not answer")
}

func TestThreat18TheTokenIsInNoErrorAndNoLog(t *testing.T) {
	s := newStage(t)
	s.start(t)
	s.server.Fail("*", discordapi.Failure{Code: 500, Body: discordapi.Token, Times: 2})
	_, err := s.Post(t.Context(), bridge.Piece{ID: "1", Chat: s.server.Owner(), Text: "x"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "AAHdq")
	s.server.ForgetSessions()
	s.server.CloseConnections()
	s.to.await(t, func(_ []bridge.Incoming, states []state.State) bool {
		return states[len(states)-1].Phase == state.Offline
	})
	s.to.await(t, online)
	for _, secret := range []string{discordapi.Token, "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw123"} {
		require.NotContains(t, s.redact(errors.New("x "+secret)).Error(), "AAHdq")
	}
	path := s.redact(errors.New("POST /interactions/123/aW50ZXJhY3Rpb24tdG9rZW4=/callback"))
	require.NotContains(t, path.Error(), "aW50ZXJhY3Rpb24")
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	for _, state := range s.to.states {
		require.NotContains(t, state.Detail, "AAHdq")
	}
}

func TestAPressThatIsAnsweredTooLateDoesNotCount(t *testing.T) {
	s := newStage(t)
	s.start(t)
	posted, err := s.Post(t.Context(), question(s.server.Owner()))
	require.NoError(t, err)
	s.server.Fail("createResponse", discordapi.Failure{Code: 404, Error: codeUnknownInteraction, Times: 1})
	s.server.Press(t, s.server.Owner(), posted.Handle, "allow_once")
	s.say("after it")
	s.to.await(t, received(1))
	require.Nil(t, s.to.last().Press)
}

func TestPosting(t *testing.T) {
	s := newStage(t)
	owner := s.server.Owner()
	first := s.say("hi")
	posted, err := s.Post(t.Context(), bridge.Piece{ID: "1", Chat: owner, Text: "**hello** @everyone <@1>", Re: first})
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), posted.At, time.Minute)
	again, err := s.Post(t.Context(), bridge.Piece{ID: "1", Chat: owner, Text: "**hello**"})
	require.NoError(t, err)
	require.Equal(t, posted.Handle, again.Handle, "the server recognizes what it has")
	_, err = s.Post(t.Context(), bridge.Piece{ID: "2", Chat: owner, Text: "x", Re: "12345"})
	require.NoError(t, err, "the message that it answers was deleted")
	q, err := s.Post(t.Context(), question(owner))
	require.NoError(t, err)
	require.NoError(t, s.Edit(t.Context(), q.Handle, bridge.Piece{Chat: owner, Text: "sure?"}))
	seen := s.server.Received(owner)
	require.Empty(t, seen[len(seen)-1].Buttons)
	require.ErrorIs(t, s.Edit(t.Context(), first, bridge.Piece{Chat: owner, Text: "x"}), bridge.ErrNoChat, "of the person")
	require.ErrorIs(t, s.Edit(t.Context(), "12345", bridge.Piece{Chat: owner, Text: "x"}), bridge.ErrRefused)
	require.ErrorIs(t, s.Edit(t.Context(), "../1", bridge.Piece{Chat: owner, Text: "x"}), bridge.ErrRefused)
	require.NoError(t, s.Remove(t.Context(), owner, q.Handle))
	require.NoError(t, s.Typing(t.Context(), owner))
	require.Equal(t, 1, s.server.TypingCount(owner))
}

func TestCopiesAreRetracted(t *testing.T) {
	s := newStage(t)
	owner := s.server.Owner()
	var handles []string
	for _, id := range []string{"1", "2", "3", "4"} {
		posted, err := s.Post(t.Context(), bridge.Piece{ID: id, Chat: owner, Text: id})
		require.NoError(t, err)
		handles = append(handles, posted.Handle)
		s.say("theirs")
	}
	require.NoError(t, s.Retract(t.Context(), owner, handles[0], handles[3]))
	require.NoError(t, s.Retract(t.Context(), owner, "p1", handles[3]))
	var left []string
	for _, m := range s.server.Received(owner) {
		left = append(left, m.Text)
	}
	require.Equal(t, []string{"1", "4"}, left)
}

func TestErrorsOfPosting(t *testing.T) {
	s := newStage(t)
	owner := s.server.Owner()
	post := func(chat, text string) error {
		_, err := s.Post(t.Context(), bridge.Piece{Chat: chat, Text: text})
		return err
	}
	require.ErrorIs(t, post("nobody", "x"), bridge.ErrNoChat)
	require.ErrorIs(t, post("123456789012345678", "x"), bridge.ErrNoChat, "shares no server with the bot")
	require.ErrorIs(t, post(owner, ""), bridge.ErrRefused)
	require.ErrorIs(t, post(owner, strings.Repeat("x", 2001)), bridge.ErrRefused)
	s.server.Block(owner, true)
	require.ErrorIs(t, post(owner, "x"), bridge.ErrNoChat)
	s.server.Block(owner, false)
	s.server.Fail("createMessage", discordapi.Failure{Code: 502, Body: "<html>bot " + discordapi.Token, Times: 1})
	err := post(owner, "x")
	for _, kind := range []error{bridge.ErrNoChat, bridge.ErrRefused, bridge.ErrOffline} {
		require.NotErrorIs(t, err, kind, "the server may have it")
	}
	require.NotContains(t, err.Error(), "AAHdq", "threat 18")
	s.server.Fail("createMessage", discordapi.Failure{Code: 403, Body: "<html>blocked", Times: 1})
	require.NotErrorIs(t, post(owner, "x"), bridge.ErrNoChat, "a proxy says nothing about the person")
	s.server.Fail("createMessage", discordapi.Failure{Hangup: true, Times: 1})
	require.NotErrorIs(t, post(owner, "x"), bridge.ErrOffline, "the server may have it")
	s.server.Revoke()
	require.ErrorIs(t, post(owner, "x"), bridge.ErrOffline)
	lost, err := New(Options{Token: discordapi.Token, Server: "http://127.0.0.1:1"})
	require.NoError(t, err)
	lost.conversations.advance(owner, "5", "")
	_, err = lost.Post(t.Context(), bridge.Piece{Chat: owner, Text: "x"})
	require.ErrorIs(t, err, bridge.ErrOffline)
}

func TestLimits(t *testing.T) {
	s := newStage(t)
	owner := s.server.Owner()
	for i := range 6 { // one more than the server accepts at once
		_, err := s.Post(t.Context(), bridge.Piece{ID: string(rune('a' + i)), Chat: owner, Text: "x"})
		require.NoError(t, err)
	}
	require.Zero(t, s.server.CallCount("429"), "it waits before")
	s.server.Fail("triggerTyping", discordapi.Failure{Code: 429, RetryAfter: 30, Times: 1})
	var busy *bridge.Busy
	require.ErrorAs(t, s.Typing(t.Context(), owner), &busy)
	require.Equal(t, 30*time.Second, busy.After)
	calls := s.server.CallCount("triggerTyping")
	require.ErrorAs(t, s.Typing(t.Context(), owner), &busy, "without a request")
	require.Equal(t, calls, s.server.CallCount("triggerTyping"))
	require.NoError(t, s.Edit(t.Context(), s.server.Received(owner)[0].Handle, bridge.Piece{Chat: owner, Text: "y"}), "another limit")
	s.server.Fail("editMessage", discordapi.Failure{Code: 429, RetryAfter: 20, Global: true, Times: 1})
	require.ErrorAs(t, s.Edit(t.Context(), s.server.Received(owner)[0].Handle, bridge.Piece{Chat: owner, Text: "z"}), &busy)
	_, err := s.Post(t.Context(), bridge.Piece{ID: "z", Chat: owner, Text: "x"})
	require.ErrorAs(t, err, &busy, "for all")

	proxied := newStage(t)
	proxied.server.Fail("createDM", discordapi.Failure{Code: 429, RetryAfter: 40, Body: "<html>", Times: 1})
	_, err = proxied.Post(t.Context(), bridge.Piece{Chat: owner, Text: "x"})
	require.ErrorAs(t, err, &busy)
	require.Equal(t, 40*time.Second, busy.After)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newLimits().wait(ctx, "x"), context.Canceled)
}

func TestFilesToSend(t *testing.T) {
	s := newStage(t)
	owner := s.server.Owner()
	path := filepath.Join(s.dir, "보고서")
	require.NoError(t, os.WriteFile(path, []byte("all is well"), 0o600))
	_, err := s.Post(t.Context(), bridge.Piece{ID: "f", Chat: owner, File: &bridge.Outgoing{Path: path, Name: "보고서 \"1\".txt"}})
	require.NoError(t, err)
	seen := s.server.Received(owner)
	require.Equal(t, "all is well", string(seen[0].File))
	require.Equal(t, "보고서 \"1\".txt", seen[0].Name)
	empty, link, large := filepath.Join(s.dir, "empty"), filepath.Join(s.dir, "link"), filepath.Join(s.dir, "large")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, maxUpload+1))
	for _, bad := range []string{empty, link, large, s.dir, filepath.Join(s.dir, "none")} {
		_, err := s.Post(t.Context(), bridge.Piece{ID: bad, Chat: owner, File: &bridge.Outgoing{Path: bad, Name: "x"}})
		require.ErrorIs(t, err, bridge.ErrRefused, bad)
	}
}

func TestAButtonThatDoesNotFitIsNone(t *testing.T) {
	require.Empty(t, rows([]bridge.Button{{Action: "allow_once", Code: "K7QX", Digest: "sha256:0123"}}))
	require.Empty(t, rows(nil))
	long := rows([]bridge.Button{{Label: strings.Repeat("네", 100), Action: "undo", Code: "U4K7P"}})
	require.Len(t, []rune(long[0].Buttons[0].Label), maxLabel)
}

func TestThePersonsMessageWhileItPosts(t *testing.T) {
	s := newStage(t)
	_, err := s.Post(t.Context(), bridge.Piece{ID: "1", Chat: s.server.Partner(), Text: "an alert"})
	require.NoError(t, err)
	s.server.Say(s.server.Partner(), channeltest.PersonMessage{Text: "their first message, and no bridge runs"})
	s.Client = s.client(t)
	s.start(t)
	s.to.await(t, received(1))
	require.Equal(t, s.server.Partner(), s.to.last().Sender)
}
