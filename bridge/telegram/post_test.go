package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-telegram/bot"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/account"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/test/botapi"
	"github.com/nidoit/blunux-ai/test/channeltest"
)

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestAPieceIsPostedAndEdited(t *testing.T) {
	s := newStage(t)
	owner := s.server.Owner()
	buttons := []bridge.Button{{Label: "네", Action: "allow_once", Code: "K7QX", Digest: digest}, {Label: "아니요", Action: "reject", Code: "K7QX", Digest: digest}}
	posted, err := s.Post(t.Context(), bridge.Piece{Chat: owner, Text: "…", Re: "99999"})
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), posted.At, 5*time.Second)
	ask := bridge.Piece{Chat: owner, Text: "<b>실행할까요?</b> a &lt; b https://example.org", Buttons: buttons}
	require.NoError(t, s.Edit(t.Context(), posted.Handle, ask))
	require.NoError(t, s.Edit(t.Context(), posted.Handle, ask), "it stands there already")
	seen := s.server.Received(owner)
	require.Len(t, seen, 1)
	require.Equal(t, "실행할까요? a < b https://example.org", seen[0].Text)
	require.Equal(t, []string{"allow_once", "reject"}, seen[0].Buttons)
	ask.Buttons = nil
	require.NoError(t, s.Edit(t.Context(), posted.Handle, ask))
	require.Empty(t, s.server.Received(owner)[0].Buttons)
	require.NoError(t, s.Typing(t.Context(), owner))
	require.Equal(t, 1, s.server.TypingCount(owner))
	s.server.Erase(posted.Handle)
	require.ErrorIs(t, s.Edit(t.Context(), posted.Handle, ask), bridge.ErrRefused)
	require.ErrorIs(t, s.Edit(t.Context(), "x", ask), bridge.ErrRefused)
}

func TestU16OnlyTheBotsOwnMessagesAreRetracted(t *testing.T) {
	s := newStage(t)
	owner, partner := s.server.Owner(), s.server.Partner()
	post := func(chat, text string) string {
		posted, err := s.Post(t.Context(), bridge.Piece{Chat: chat, Text: text})
		require.NoError(t, err)
		return posted.Handle
	}
	before := post(owner, "before")
	post(owner, "copy")
	post(partner, "another chat")
	theirs := s.server.Say(owner, channeltest.PersonMessage{Text: "a question"})
	after := post(owner, "after")
	require.NoError(t, s.Retract(t.Context(), owner, before, after))
	texts := func(person string) (all []string) {
		for _, m := range s.server.Received(person) {
			all = append(all, m.Text)
		}
		return all
	}
	require.Equal(t, []string{"before", "after"}, texts(owner))
	require.Equal(t, []string{"another chat"}, texts(partner))
	require.Equal(t, 1, s.server.CallCount("deleteMessage"), "message %s of the person stays", theirs)
	require.NoError(t, s.Remove(t.Context(), owner, after))
	require.Error(t, s.Remove(t.Context(), owner, after), "it is gone")
	require.NoError(t, s.Retract(t.Context(), owner, "", after))
	require.Equal(t, []string{"before"}, texts(owner))
}

func TestThreat08AButtonCarriesAllOfTheDigest(t *testing.T) {
	s := newStage(t)
	s.run(t)
	owner, partner := s.server.Owner(), s.server.Partner()
	posted, err := s.Post(t.Context(), bridge.Piece{Chat: owner, Text: "?", Buttons: []bridge.Button{
		{Label: "네", Action: "allow_once", Code: "K7QX", Digest: digest}, {Label: "이 대화에서 계속", Action: "allow_session", Code: "K7QX", Digest: digest}, {Label: "아니요", Action: "reject", Code: "K7QX", Digest: digest},
	}})
	require.NoError(t, err)
	// Another person's chat, data that is not from a button, and an incomplete digest.
	s.server.Press(t, partner, posted.Handle, "allow_once")
	for _, data := range []string{"", "allow_once", "allow_once|K7QX", "allow_once|K7QX|", "allow_once|K7QX|AAAA", "allow_once|K7QX|" + digest[7:50], "allow once|K7QX|" + strings.Repeat("A", 43), "a|b|c|d", strings.Repeat("x", 65)} {
		s.server.PressData(owner, posted.Handle, data)
	}
	s.server.Press(t, owner, posted.Handle, "allow_session")
	s.to.await(t, received(1))
	in := s.to.got[0]
	require.Equal(t, owner, in.Sender)
	require.Equal(t, owner, in.Chat)
	require.Equal(t, "allow_session", in.Press.Action)
	require.Equal(t, "K7QX", in.Press.Code)
	require.Equal(t, digest, in.Press.Digest)
	require.NoError(t, s.AnswerPress(t.Context(), in.Press.ID, strings.Repeat("😀", 150)))
	require.NoError(t, s.AnswerPress(t.Context(), in.Press.ID, "again"), "a press that is over needs no answer")
	require.True(t, strings.HasSuffix(s.server.PressAnswers(owner)[0], "😀…"))
}

func TestAButtonThatTakesAChangeBackCarriesItsID(t *testing.T) {
	s := newStage(t)
	s.run(t)
	owner := s.server.Owner()
	posted, err := s.Post(t.Context(), bridge.Piece{Chat: owner, Text: "done", Buttons: []bridge.Button{{Label: "되돌리기", Action: "undo", Code: "U4K7P"}}})
	require.NoError(t, err)
	for _, data := range []string{"undo", "undo|", "undo|U4 K7P", "undo|U4K7P|", "reject|U4K7P", "undo|" + strings.Repeat("U", 60)} {
		s.server.PressData(owner, posted.Handle, data)
	}
	s.server.Press(t, owner, posted.Handle, "undo")
	s.to.await(t, received(1))
	require.Equal(t, bridge.Press{ID: s.to.got[0].Press.ID, Action: "undo", Code: "U4K7P"}, *s.to.got[0].Press)
}

func TestButtonsThatCannotBeCarriedAreNone(t *testing.T) {
	for _, b := range []bridge.Button{
		{Action: "allow_once", Code: "K7QX", Digest: "sha256:0123"},
		{Action: "allow_once", Code: "K7QX"},
		{Action: "allow_once", Code: "K7QX", Digest: "md5:" + digest[7:]},
		{Action: "allow|once", Code: "K7QX", Digest: digest},
		{Action: "allow_once_and_for_ever_more", Code: "K7QX", Digest: digest},
	} {
		_, ok := bridge.EncodePress(b, maxButtonData)
		require.False(t, ok, b)
		require.Nil(t, keyboard([]bridge.Button{b}))
	}
	data, ok := bridge.EncodePress(bridge.Button{Action: "allow_session", Code: "K7QX", Digest: digest}, maxButtonData)
	require.True(t, ok)
	require.LessOrEqual(t, len(data), maxButtonData)
}

func TestWhatCannotBeSentIsToldApart(t *testing.T) {
	s := newStage(t)
	owner := s.server.Owner()
	post := func(chat, text string) error {
		_, err := s.Post(t.Context(), bridge.Piece{Chat: chat, Text: text})
		return err
	}
	require.ErrorIs(t, post(s.server.Stranger(), "x"), bridge.ErrNoChat)
	require.ErrorIs(t, post("-1001234567890", "x"), bridge.ErrNoChat)
	require.ErrorIs(t, post("min-su", "x"), bridge.ErrNoChat)
	require.ErrorIs(t, post(owner, "<h1>x</h1>"), bridge.ErrRefused)
	require.ErrorIs(t, post(owner, strings.Repeat("가", 4097)), bridge.ErrRefused)
	s.server.Block(owner, true)
	require.ErrorIs(t, post(owner, "x"), bridge.ErrNoChat)
	s.server.Block(owner, false)
	s.server.Fail("sendMessage", botapi.Failure{Code: 429, Description: "Too Many Requests: retry after 7", RetryAfter: 7, Times: 1})
	var busy *bridge.Busy
	require.ErrorAs(t, post(owner, "x"), &busy)
	require.Equal(t, 7*time.Second, busy.After)
	s.server.Fail("sendMessage", botapi.Failure{Code: 500, Description: "Internal Server Error", Times: 1})
	err := post(owner, "x")
	for _, is := range []error{bridge.ErrNoChat, bridge.ErrRefused, bridge.ErrOffline} {
		require.NotErrorIs(t, err, is)
	}
	s.server.Fail("sendMessage", botapi.Failure{Hangup: true, Times: 1})
	err = post(owner, "x")
	require.Error(t, err)
	require.NotErrorIs(t, err, bridge.ErrOffline, "it may have been sent")
	require.NoError(t, post(owner, "x"))
}

func TestAStalledServerIsLeftAfterAWhile(t *testing.T) {
	s := newStage(t)
	s.server.SetStalled(true)
	ctx, cancel := context.WithCancel(t.Context())
	changed := s.server.Changed()
	ended := make(chan error, 1)
	go func() {
		_, err := s.Post(ctx, bridge.Piece{Chat: s.server.Owner(), Text: "x"})
		ended <- err
	}()
	<-changed
	cancel()
	err := <-ended
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, bridge.ErrOffline)
}

func TestFilesAreSentAsDocuments(t *testing.T) {
	s := newStage(t)
	owner, dir := s.server.Owner(), t.TempDir()
	path := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(path, []byte("로그"), 0o600))
	piece := func(path string) bridge.Piece {
		return bridge.Piece{Chat: owner, Text: "<i>로그</i>", File: &bridge.Outgoing{Path: path, Name: "오늘.log", Type: "text/plain", Size: 6}}
	}
	_, err := s.Post(t.Context(), piece(path))
	require.NoError(t, err)
	seen := s.server.Received(owner)[0]
	require.Equal(t, "로그", string(seen.File))
	require.Equal(t, "오늘.log", seen.Name)
	require.Equal(t, "로그", seen.Text)
	require.NoError(t, os.Symlink(path, filepath.Join(dir, "link")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600))
	for _, bad := range []string{filepath.Join(dir, "link"), filepath.Join(dir, "empty"), filepath.Join(dir, "none"), dir, "/dev/zero"} {
		_, err := s.Post(t.Context(), piece(bad))
		require.ErrorIs(t, err, bridge.ErrRefused, bad)
	}
}

// marker is a secret that must not be printed anywhere.
const marker = "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"

func TestThreat18TheTokenIsInNoErrorAndNoLog(t *testing.T) {
	require.Contains(t, botapi.Token, marker)
	s := newStage(t)
	var failures []error
	try := func() {
		_, err := s.Post(t.Context(), bridge.Piece{Chat: s.server.Owner(), Text: "x"})
		failures = append(failures, err, s.Edit(t.Context(), "5", bridge.Piece{Chat: s.server.Owner(), Text: "x"}), s.Typing(t.Context(), s.server.Owner()), s.AnswerPress(t.Context(), "1", "x"))
		_, err = s.Me(t.Context())
		failures = append(failures, err)
		_, err = s.Webhook(t.Context())
		failures = append(failures, err, s.DropWebhook(t.Context()))
		_, err = s.callRaw(t.Context(), "getUpdates", nil)
		failures = append(failures, err)
		_, err = s.open(t.Context(), "f")
		failures = append(failures, err)
	}
	s.server.Fail("*", botapi.Failure{Code: 500, Description: "https://x/bot" + botapi.Token + "/y", Times: 0})
	try()
	s.server.ClearFailures("*")
	s.server.Fail("*", botapi.Failure{Hangup: true})
	try()
	s.server.ClearFailures("*")
	s.server.SetDown(true)
	try()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Post(cancelled, bridge.Piece{Chat: s.server.Owner(), Text: "x"})
	failures = append(failures, err)
	stop := s.run(t)
	s.to.await(t, func(_ []bridge.Incoming, states []state.State) bool { return len(states) > 1 })
	require.NoError(t, stop())
	for _, st := range s.to.states {
		require.NotContains(t, st.Detail, marker)
	}
	for i, err := range failures {
		require.Error(t, err, i)
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", errors.Unwrap(err))} {
			require.NotContains(t, text, marker)
			require.NotContains(t, text, url.QueryEscape(botapi.Token))
		}
		var u *url.Error
		require.False(t, errors.As(err, &u), "the address is not to be had")
	}
	require.NotContains(t, s.log.String(), marker)
	require.NotEmpty(t, s.log.String())
}

func TestServersThatAreNotUsed(t *testing.T) {
	for _, server := range []string{"http://example.org", "ftp://127.0.0.1", "https://", "https://me:secret@example.org", "https://example.org/?x=1", "example.org", "http://127.0.0.1.example.org", "http://localhost.example.org"} {
		_, err := New(Options{Token: botapi.Token, Server: server})
		require.Error(t, err, server)
		require.NotContains(t, err.Error(), "secret")
	}
	for _, server := range []string{"", "https://bot.example.org", "https://bot.example.org/prefix/", "http://127.0.0.1:8081", "http://[::1]:8081", "http://localhost:8081"} {
		_, err := New(Options{Token: botapi.Token, Server: server})
		require.NoError(t, err, server)
	}
}

func TestTokens(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "telegram")
	_, err := account.ReadToken(dir, TokenForm)
	require.ErrorIs(t, err, account.ErrNoToken)
	for _, bad := range []string{"", "x", "123:short", botapi.Token + "\nmore", "12345678901:" + strings.Repeat("a", 200), "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDs/w"} {
		require.ErrorIs(t, account.WriteToken(dir, bad, TokenForm), account.ErrToken)
		_, err := account.ParseToken(strings.NewReader(bad), TokenForm)
		require.ErrorIs(t, err, account.ErrToken)
		_, err = New(Options{Token: bad})
		require.ErrorIs(t, err, account.ErrToken)
	}
	require.NoError(t, account.WriteToken(dir, botapi.Token, TokenForm))
	fi, err := os.Stat(account.TokenPath(dir))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
	token, err := account.ReadToken(dir, TokenForm)
	require.NoError(t, err)
	require.Equal(t, botapi.Token, token)
	require.NoError(t, os.Chmod(account.TokenPath(dir), 0o640))
	_, err = account.ReadToken(dir, TokenForm)
	require.ErrorIs(t, err, account.ErrOpenToken)
	require.NoError(t, os.Rename(account.TokenPath(dir), filepath.Join(dir, "other")))
	require.NoError(t, os.Symlink("other", account.TokenPath(dir)))
	_, err = account.ReadToken(dir, TokenForm)
	require.Error(t, err)
}

func TestTheServersWordsAreTheLibrarysKinds(t *testing.T) {
	s := newStage(t)
	for code, kind := range map[int]error{400: bot.ErrorBadRequest, 401: bot.ErrorUnauthorized, 403: bot.ErrorForbidden, 404: bot.ErrorNotFound, 409: bot.ErrorConflict} {
		require.ErrorIs(t, s.answerError(envelope{Code: code, Description: "x"}), kind)
	}
}
