package plain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestTheFirstQuestionIsSentAtOnceAndNeverACommand(t *testing.T) {
	s := startStage(t, func(o *Options) { o.Words = "/undo" })
	m := <-s.sent
	require.Equal(t, []string{ipc.TypeMessage, "/undo"}, []string{m.Type, m.Body})
	var r ipc.Request
	require.NoError(t, m.Decode(&r))
	require.Zero(t, r.Undo)
	require.False(t, r.Foreign, "the person typed it")
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "끝"})
	s.awaitPrompt("> ")
	s.leave()
	require.Contains(t, s.screen(), "\n  /undo\n")
}

// TestThreat40ADraftIsSentByEnterOnly: any web page can write one. The daemon learns that the person did not.
func TestThreat40ADraftIsSentByEnterOnly(t *testing.T) {
	s := startStage(t, func(o *Options) { o.Words, o.Draft = "/undo\n네", true })
	s.awaitPrompt("> ")
	require.Empty(t, s.sent)
	require.Contains(t, s.screen(), i18n.PlainDraft.In(i18n.Korean)+":\n  /undo\n  네\n")
	s.keys <- ""
	m := <-s.sent
	require.Equal(t, []string{ipc.TypeMessage, "/undo\n네"}, []string{m.Type, m.Body})
	var r ipc.Request
	require.NoError(t, m.Decode(&r))
	require.True(t, r.Foreign)
	require.Zero(t, r.Undo)
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "끝"})
	s.awaitPrompt("> ")
	s.keys <- ""
	s.awaitPrompt("> ")
	require.Empty(t, s.sent, "it is sent once")
	s.leave()
}

func TestADraftIsDroppedByAnotherLine(t *testing.T) {
	s := startStage(t, func(o *Options) { o.Words, o.Draft = "지워줘", true })
	m := s.askQuestion("안녕")
	var r ipc.Request
	require.NoError(t, m.Decode(&r))
	require.False(t, r.Foreign)
	s.frame(ipc.Message{Type: ipc.TypeResponse, Re: m.ID, Done: true, Body: "끝"})
	s.awaitPrompt("> ")
	s.keys <- ""
	s.awaitPrompt("> ")
	require.Empty(t, s.sent)
	s.leave()
}

// waiting are two approvals.
var waiting = []ipc.Ask{
	{Code: "K7QX", Class: "CONFIRM", Command: "touch a", Digest: "sha256:a", Reasons: []string{"listed"}, Expires: time.Unix(1, 0)},
	{Code: "P2MN", Class: "CONFIRM", Command: "touch b", Digest: "sha256:b", Reasons: []string{"listed"}, Expires: time.Unix(2, 0)},
}

// list answers the query for the approvals.
func (s *stage) list(asks []ipc.Ask) {
	s.t.Helper()
	m := <-s.sent
	var q ipc.Query
	require.NoError(s.t, m.Decode(&q))
	require.Equal(s.t, "approvals", q.What)
	s.frame(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(asks))
}

// one is what the choices of a question without a session are.
const one = "[예(y)/아니요(N)/수정(e)/?] "

func TestAStoredApprovalIsAnsweredInTheChat(t *testing.T) {
	for typed, action := range map[string]string{"네": ipc.ActionAllowOnce, "": ipc.ActionReject} {
		s := startStage(t, func(o *Options) { o.Approvals = true })
		s.list(waiting)
		s.awaitPrompt("> ")
		require.Contains(t, s.screen(), "touch a")
		s.keys <- "/approvals p2mn"
		s.list(waiting)
		s.awaitPrompt(one)
		require.Contains(t, s.screen(), "\n    touch b\n")
		require.Empty(t, s.prompts, "no question is read meanwhile")
		s.keys <- typed
		m := <-s.sent
		require.Equal(t, []string{ipc.TypeAction, action}, []string{m.Type, m.Action})
		var a ipc.Answer
		require.NoError(t, m.Decode(&a))
		require.Equal(t, ipc.Answer{Code: "P2MN", Digest: "sha256:b"}, a)
		s.frame(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true, Body: "끝났어요"})
		s.awaitPrompt("> ")
		s.leave()
		require.Contains(t, s.screen(), "\n  끝났어요\n")
	}
}

func TestTheOnlyApprovalIsAskedAtOnceAndLeftByCtrlC(t *testing.T) {
	s := startStage(t, func(o *Options) { o.Approvals = true })
	s.list(waiting[:1])
	s.awaitPrompt(one)
	s.interrupts <- struct{}{}
	s.awaitPrompt("> ")
	require.Empty(t, s.sent, "it keeps waiting")
	s.leave()
}

func TestAnApprovalThatIsOverIsNotAsked(t *testing.T) {
	s := startStage(t, func(o *Options) { o.Approvals, o.Code = true, "zzzz" })
	s.list(waiting[:1])
	s.awaitPrompt("> ")
	require.Contains(t, s.screen(), i18n.PlainNoApproval("zzzz").In(i18n.Korean))
	require.Contains(t, s.screen(), "touch a")
	s.leave()
}
