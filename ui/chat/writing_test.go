package chat

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestU9TheCaretOfAReviewStandsBehindTheCommand(t *testing.T) {
	c := newReviewChat(askOf("rm /tmp/한글"))
	require.Equal(t, gutterWidth+len("rm /tmp/")+4, c.draw().cursor.X)
	c.write("파일")
	require.Equal(t, "rm /tmp/한글파일", c.review.command())
	c.press("home")
	c.write("x")
	require.Equal(t, "xrm /tmp/한글파일", c.review.command(), "a caret that the person moved stays")
	require.Equal(t, gutterWidth+1, c.draw().cursor.X)
}

func TestU9ALongCommandIsReadFromItsBeginningBeforeTheCaretMoves(t *testing.T) {
	command := "echo 1"
	for range 60 {
		command += "\necho next"
	}
	c := newReviewChat(askOf(command))
	require.Contains(t, c.screen(), "$ echo 1")
	require.Zero(t, c.review.area.Line())
	for !c.review.isFullySeen() {
		c.press("enter")
		c.pass(time.Second)
	}
	c.write("!")
	require.Equal(t, command+"!", c.review.command())
}

func TestU9AnEmptiedCommandIsToldInWords(t *testing.T) {
	for lang, says := range map[i18n.Lang]string{i18n.English: "empty command", i18n.Korean: "명령이 비어 있어요", i18n.Chinese: "命令为空"} {
		c := newChat(lang)
		c.asked("do it")
		c.put("a1", askOf("ls"))
		c.pass(time.Second)
		c.press("ctrl+u", " ")
		require.False(t, c.review.judging, "no command is judged")
		screen := c.screen()
		require.Contains(t, screen, says)
		require.NotContains(t, screen, "BLOCKED")
		require.NotContains(t, screen, "bad_input")
		c.pass(time.Second)
		c.press("enter")
		require.Equal(t, ReviewAction, c.state)
		require.Equal(t, ipc.TypeMessage, c.last().Type, "nothing was answered")
	}
}

func TestU9WhatIsTypedWhileTheModelThinksStaysInTheInput(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("go")
	c.write("그리고 다음")
	require.NotNil(t, c.draw().cursor, "input methods write beside the caret")
	c.press("enter")
	require.Contains(t, c.screen(), "once this answer is done")
	require.Equal(t, "go", c.last().Body, "one question at a time")
	c.do(pasted(" 질문"))
	c.tool(ipc.Tool{Call: "t", Command: "ls", State: ipc.ToolRunning})
	c.write("?")
	c.tool(ipc.Tool{Call: "t", State: ipc.ToolDone})
	c.end("done", ipc.Outcome{})
	require.Equal(t, "그리고 다음 질문?", c.typed())
	c.press("enter")
	require.Equal(t, "그리고 다음 질문?", c.last().Body)
}

func TestU9WhatWasBeingTypedWhenAReviewCameStaysInTheInput(t *testing.T) {
	for name, a := range map[string]ipc.Ask{"edited": askOf("ls"), "only read": askOf("ls  -l")} {
		c := newChat(i18n.English)
		c.asked("go")
		c.write("next ")
		c.put("a1", a)
		c.write("question")
		require.Equal(t, a.Command, c.review.command(), name)
		c.pass(time.Second)
		c.press("ctrl+r")
		c.end("done", ipc.Outcome{})
		require.Equal(t, "next question", c.typed(), name)
	}
}

func TestU9AQuestionTypedAheadIsNotReplacedByACancelledOne(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("go")
	c.write("next")
	c.press("esc")
	require.Equal(t, "next", c.typed())
	c.press("up")
	require.Equal(t, "go", c.typed(), "the cancelled one is recalled")
}

const family = "👨\u200d👩\u200d👧\u200d👦"

func TestU9JoinedEmojiStayWhole(t *testing.T) {
	for name, write := range map[string]func(c *chat, text string){
		"typed":         (*chat).write,
		"in one key":    func(c *chat, text string) { c.press(text) },
		"pasted":        func(c *chat, text string) { c.do(pasted(text)) },
		"while waiting": func(c *chat, text string) { c.asked("go"); c.write(text); c.end("done", ipc.Outcome{}) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(i18n.English)
			write(c, family)
			c.write("!")
			require.Equal(t, family+"!", c.typed())
			c.press("enter")
			require.Equal(t, family+"!", c.last().Body)
			require.Equal(t, family+"!", c.log.last(byUser))
			for _, piece := range []string{"👨\u200d", "👩", "\u200d👧\u200d👦 ok"} {
				c.frame(ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: piece})
			}
			before := c.log.messages
			c.end(family+" ok", ipc.Outcome{})
			require.Equal(t, family+" ok", c.log.last(byAssistant))
			require.LessOrEqual(t, c.log.messages, before+1, "the answer is shown once")
		})
	}
}

func TestU9AJoinerThatHidesIsNotTakenIn(t *testing.T) {
	c := newChat(i18n.English)
	c.write("rm\u200d👨\u200dx \u200d👩")
	c.press("enter")
	require.Equal(t, "rm👨x 👩", c.last().Body)
	c = newReviewChat(askOf("echo"))
	c.write(" " + family)
	require.Equal(t, "echo 👨👩👧👦", c.review.command(), "no command has a character that does not show")
	require.Equal(t, `👨⟨\u{200D}⟩👩`, ipc.Visible("👨\u200d👩"))
}

func TestU9JoinedEmojiFitTheirRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.English)
		c.resize(rapid.IntRange(40, 60).Draw(t, "width"), 24)
		for _, s := range rapid.SliceOfN(rapid.SampledFrom([]string{family, "👩🏽\u200d❤\ufe0f\u200d👨", "a", "한", " ", "left", "backspace"}), 0, 25).Draw(t, "keys") {
			c.press(s)
		}
		requireFits(t, c)
	})
}
