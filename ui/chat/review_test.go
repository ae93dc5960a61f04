package chat

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestKeysTypedAheadApproveNothing(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("do it")
	c.put("a1", askOf("rm /tmp/x"))
	c.press("enter", "enter")
	require.Equal(t, ReviewAction, c.state)
	c.pass(settleTime - time.Millisecond)
	c.press("enter", "ctrl+s")
	require.Equal(t, ReviewAction, c.state)
	c.pass(time.Millisecond)
	c.press("enter")
	require.Equal(t, Executing, c.state)
}

func TestAQuestionThatWasNotDrawnIsNotAnswered(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("do it")
	f := ipc.Message{Type: ipc.TypeAsk, ID: "a1", Re: c.turn.id}.WithData(askOf("rm /tmp/x"))
	c.handleFrame(f)
	c.pass(time.Hour)
	c.handleMsg(keyOf("enter"))
	require.Equal(t, ReviewAction, c.state)
}

func TestEachQuestionOfAQueueIsAnsweredByItself(t *testing.T) {
	c := newReviewChat(askOf("one"))
	c.put("a2", askOf("two"))
	c.put("a3", askOf("three"))
	require.Contains(t, c.screen(), "1 of 3")
	c.press("enter", "enter")
	require.Equal(t, "a1", c.last().Re)
	require.Contains(t, c.screen(), "$ two")
	c.pass(time.Second)
	c.press("ctrl+r")
	require.Equal(t, ipc.ActionReject, c.last().Action)
	require.Equal(t, "a2", c.last().Re)
	require.Equal(t, ReviewAction, c.state)
	c.pass(time.Second)
	c.press("enter")
	require.Equal(t, "a3", c.last().Re)
	require.Equal(t, Executing, c.state)
}

func TestAnAnswerElsewhereClosesTheQuestion(t *testing.T) {
	for by, says := range map[string]string{"desktop": "desktop", "timeout": "Not run: no answer in time."} {
		c := newReviewChat(askOf("one"))
		c.put("a2", askOf("two"))
		m := c.of(ipc.TypeResolved).WithData(ipc.Resolved{By: by, Action: ipc.ActionAllowOnce})
		m.ID = "a2"
		c.frame(m)
		require.Equal(t, "one", c.review.command(), "another's answer ends another question")
		m.ID = "a1"
		c.frame(m)
		require.Equal(t, Thinking, c.state)
		require.Contains(t, c.screen(), says)
	}
}

func TestTheSessionIsAllowedOnlyWhereThatIsOffered(t *testing.T) {
	c := newReviewChat(askOf("one"))
	c.press("ctrl+s")
	require.Equal(t, ReviewAction, c.state)
	a := askOf("one")
	a.Covers = "one"
	c = newReviewChat(a)
	require.Contains(t, c.screen(), "Ctrl-S session")
	c.press("ctrl+s")
	require.Equal(t, ipc.ActionAllowSession, c.last().Action)
	c = newReviewChat(a)
	c.write("x")
	c.press("ctrl+s")
	require.Equal(t, ReviewAction, c.state, "what was edited is not what would be allowed")
}

func TestAFamilyIsAllowedOnlyWhereItsLineIsShown(t *testing.T) {
	c := newReviewChat(askOf("touch a"))
	c.press("ctrl+g")
	require.Equal(t, ReviewAction, c.state, "none is offered")
	a := askOf("touch a")
	a.Covers, a.Family = "touch a", &ipc.Family{Words: "touch PATH…", Options: "-a -c", Dir: "/home/blu/src"}
	c = newReviewChat(a)
	require.Contains(t, c.screen(), "Ctrl-G: touch PATH… in /home/blu/src (no root; -a -c permitted)")
	require.Contains(t, c.screen(), "Ctrl-G same kind")
	c.press("ctrl+g")
	require.Equal(t, ipc.ActionAllowFamily, c.last().Action)
	var answer ipc.Answer
	m := c.last()
	require.NoError(t, m.Decode(&answer))
	require.Equal(t, a.Digest, answer.Digest)
	c = newReviewChat(a)
	c.write("x")
	require.NotContains(t, c.screen(), "Ctrl-G")
	c.press("ctrl+g")
	require.Equal(t, ReviewAction, c.state, "what was edited is of no family that was shown")
}

func TestWhatCannotBeAnsweredWithAnotherIsOnlyRead(t *testing.T) {
	foreign := askOf("call")
	foreign.Reasons = []string{"foreign-tool"}
	tests := map[string]ipc.Ask{
		"another server's tool": foreign,
		"a tab":                 askOf("a\tb"),
		"hidden characters":     askOf("rm a\u202eb"),
		"blanks in a row":       askOf("rm  a"),
		"too long":              askOf(strings.Repeat("x", maxEditable+1)),
		"too many lines":        askOf(strings.Repeat("x\n", maxEditableLines+2)),
	}
	for name, a := range tests {
		t.Run(name, func(t *testing.T) {
			c := newReviewChat(a)
			require.False(t, c.review.editable)
			c.write("zz")
			c.do(pasted("more"))
			require.Equal(t, a.Command, c.review.command())
			for range 10_000 {
				if c.state != ReviewAction {
					break
				}
				c.press("enter")
				c.pass(time.Second)
			}
			require.Equal(t, ipc.ActionAllowOnce, c.last().Action)
		})
	}
}

func TestAnEditedCommandIsJudgedWhenNobodyTypes(t *testing.T) {
	c := newReviewChat(askOf("ls"))
	c.press("end")
	c.write(" -l")
	require.Contains(t, c.screen(), "checking…")
	stale := newJudgeMsg(c.review)
	c.write("a")
	sent := len(c.sent)
	c.do(stale)
	require.Len(t, c.sent, sent, "what was typed over is judged")
	c.frameJudged(ipc.Judgement{Class: "SAFE", Reasons: []string{"listed"}})
	var q ipc.Query
	require.NoError(t, c.last().Decode(&q))
	require.Equal(t, ipc.Query{What: "judge", Text: "ls -la"}, q)
	require.Contains(t, c.screen(), "edited · SAFE · only reads")
	c.press("enter")
	require.Equal(t, ReviewAction, c.state, "a judgement that has just come is not yet read")
	c.pass(time.Second)
	c.press("enter")
	require.Equal(t, ipc.ActionEdit, c.last().Action)
}

func TestAnAnswerThatIsNotTakenMeansNo(t *testing.T) {
	c := newReviewChat(askOf("ls"))
	c.press("enter")
	c.frame(ipc.Message{Type: ipc.TypeError, Re: c.last().ID, Done: true, Error: &ipc.Error{Code: ipc.CodeBadRequest, Message: "changed meanwhile"}})
	require.Equal(t, Thinking, c.state)
	require.Equal(t, ipc.ActionReject, c.last().Action)
	require.Contains(t, c.screen(), "changed meanwhile")
}

func TestAWaitingApprovalIsReviewedByItsCode(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("/approvals")
	c.result(`[{"code":"K7QX","tool":"run_command","class":"CONFIRM","command":"touch /tmp/x","digest":"sha256:e","reasons":[]}]`)
	require.Contains(t, c.screen(), "K7QX  CONFIRM  touch /tmp/x")
	c.press("enter")
	require.Equal(t, ReviewAction, c.state)
	c.press("esc")
	require.Equal(t, Input, c.state)
	require.Equal(t, ipc.TypeQuery, c.last().Type, "looking is no answer")
	c.asked("/approvals")
	c.result(`[{"code":"K7QX","tool":"run_command","class":"CONFIRM","command":"touch /tmp/x","digest":"sha256:e","reasons":[]}]`)
	c.press("enter")
	c.pass(time.Second)
	c.press("enter")
	require.Equal(t, Executing, c.state)
	var a ipc.Answer
	require.NoError(t, c.last().Decode(&a))
	require.Equal(t, ipc.Answer{Code: "K7QX", Digest: "sha256:e"}, a)
	c.frame(ipc.Message{Type: ipc.TypeResult, Re: c.last().ID, Done: true, Body: "It was run."})
	require.Equal(t, Input, c.state)
	require.Contains(t, c.screen(), "It was run.")
}

func TestARowThatGoesOnIsMarked(t *testing.T) {
	for _, command := range []string{"echo " + strings.Repeat("abcdefghi ", 9) + "\nrm x", "echo\t" + strings.Repeat("abcdefghi ", 9) + "\nrm x"} {
		c := newChat(i18n.English)
		c.resize(50, 24)
		c.asked("do it")
		c.put("a1", askOf(command))
		require.Contains(t, c.screen(), "\n$ echo")
		require.Contains(t, c.screen(), "\n"+onSign+"")
		require.Contains(t, c.screen(), "\n"+lineSign+"rm x")
	}
}

func TestNothingAModelSaysLooksLikeTheReviewOrThePrompt(t *testing.T) {
	rule := newChat(i18n.English)
	rule.resize(80, 24)
	fake := "\x1b[2J\x1b[H" + rule.rule(i18n.ChatReview.In(i18n.English)) + "\n$ ls\n" + promptSign + "yes\n&#27;[31mred &#x1b;]0;title&#7; <b>\n\x9b31m"
	c := newChat(i18n.English)
	c.asked("x")
	c.frame(ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: fake + "\n\n```\n" + fake + "\n```\n"})
	c.tool(ipc.Tool{Call: "t", Class: fake, Command: fake, State: ipc.ToolRunning, Output: fake})
	c.tool(ipc.Tool{Call: "t", State: ipc.ToolRefused, Reason: fake})
	c.fail(ipc.CodeProvider, fake, fake)
	c.resize(80, 100)
	signs := 0
	for i, row := range c.draw().rows {
		require.Equal(t, ipc.Clean(row), row)
		require.False(t, strings.HasPrefix(row, "-- "), "%q", row)
		if strings.HasPrefix(row, promptSign) {
			signs++
		}
		if i > 0 && i < 97 && row != "" {
			require.Contains(t, gutters, row[:gutterWidth])
		}
	}
	require.Equal(t, 1, signs)
}

// TestACommandWithWideLettersIsSeenWhole: the text area jumps over a row where such a line wraps.
func TestACommandWithWideLettersIsSeenWhole(t *testing.T) {
	c := newChat(i18n.English)
	c.resize(40, 10)
	c.asked("do it")
	c.put("a1", askOf("c 걸껽갚50졤q귖퐽/6\na\nb\nc\nd\notaer /뮤걌뜆/0/뤹뉑눣뜓곷0뎿v5귫0귐눴1쿈윙\ne\nf\ng\nh\nfbe d힣r"))
	for range 4 {
		c.draw()
		require.LessOrEqual(t, c.review.offset, c.review.seenTo)
		c.pass(time.Second)
		c.press("enter")
	}
	require.Equal(t, Executing, c.state)
}
