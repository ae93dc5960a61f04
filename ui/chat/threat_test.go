package chat

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// answerJudgement answers the judgement of an edit, and lets the settle time pass.
func (c *chat) answerJudgement(class string) {
	c.pass(time.Second)
	c.frameJudged(ipc.Judgement{Class: class})
	c.pass(time.Second)
}

func TestThreat07WhatWasTypedAheadNeverRuns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.English)
		c.asked("do it")
		c.put("a1", askOf("touch /tmp/x"))
		ahead := rapid.SliceOfN(rapid.SampledFrom([]string{"a", ";", " ", "한", "alt+enter", "ctrl+j", "backspace", "delete", "ctrl+k", "paste"}), 1, 40).Draw(t, "ahead")
		for _, key := range ahead {
			if key == "paste" {
				c.do(pasted("; rm -rf ~\r"))
			} else {
				c.press(key)
			}
			c.pass(time.Duration(rapid.IntRange(0, 60).Draw(t, "ms")) * time.Millisecond)
			if c.review.settled {
				return // keys that only delete do not restart the settle time
			}
		}
		c.press("enter")
		require.Equal(t, ReviewAction, c.state, "the Enter behind it")
		require.Equal(t, "touch /tmp/x", c.review.command())
		require.Equal(t, ipc.TypeMessage, c.last().Type, "nothing was answered")
		c.pass(time.Second)
		c.write("y")
		require.Equal(t, "touch /tmp/xy", c.review.command(), "and what is typed then counts")
	})
}

func TestThreat07WhoTypesOnTypesIntoNoQuestion(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("do it")
	c.put("a1", askOf("touch /tmp/x"))
	for range 40 { // for eight seconds
		c.pass(200 * time.Millisecond)
		c.press("z")
	}
	c.pass(200 * time.Millisecond)
	c.press("enter")
	require.Equal(t, ReviewAction, c.state)
	require.Equal(t, "touch /tmp/x", c.review.command())
	require.Contains(t, c.screen(), "The screen just changed. Read it, then press Enter again.")
}

func TestThreat07AnEditAndTheEnterBehindItAreTwoThings(t *testing.T) {
	c := newReviewChat(askOf("touch /tmp/x"))
	c.write("sudo ")
	c.press("enter")
	require.Equal(t, ReviewAction, c.state)
	c.pass(time.Second)
	c.press("enter")
	require.Equal(t, ReviewAction, c.state, "nobody has judged it yet")
	require.Contains(t, c.screen(), "The edited command is still being checked.")
	c.frameJudged(ipc.Judgement{Class: "CONFIRM", Privileged: true})
	c.press("enter")
	require.Equal(t, ReviewAction, c.state, "the judgement has only just come")
	c.pass(settleTime)
	c.press("enter")
	require.Equal(t, ipc.ActionEdit, c.last().Action)
}

func TestThreat07AnEditThatWasTakenBackIsNewToo(t *testing.T) {
	c := newReviewChat(askOf("touch /tmp/x"))
	c.press("a", "backspace", "enter")
	require.Equal(t, ReviewAction, c.state)
	c.pass(settleTime)
	c.press("enter")
	require.Equal(t, ipc.ActionAllowOnce, c.last().Action)
}

func TestThreat07ASecondQuestionBeginsAnew(t *testing.T) {
	for name, goOn := range map[string]func(c *chat){
		"answered here": func(c *chat) { c.press("enter") },
		"answered elsewhere": func(c *chat) {
			m := c.of(ipc.TypeResolved).WithData(ipc.Resolved{By: "desktop", Action: ipc.ActionReject})
			m.ID = "a1"
			c.frame(m)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newReviewChat(askOf("one"))
			c.put("a2", askOf("two"))
			c.pass(time.Second)
			goOn(c)
			sent := len(c.sent)
			c.write("; three")
			c.do(pasted("four\r"))
			c.press("enter")
			require.Equal(t, "two", c.review.command())
			require.Len(t, c.sent, sent)
		})
	}
}

func TestThreat23WhatAPasteMadeLongIsShownBeforeItRuns(t *testing.T) {
	c := newReviewChat(askOf("touch x"))
	c.press("end")
	c.do(pasted("\r" + strings.Repeat("true\r", 40) + "touch HIDDEN\r" + strings.Repeat("true\r", 40)))
	c.answerJudgement("CONFIRM")
	require.False(t, c.review.isFullySeen())
	hidden := false
	for range 100 {
		hidden = hidden || strings.Contains(c.screen(), "HIDDEN")
		if c.press("enter"); c.state != ReviewAction {
			break
		}
		c.pass(time.Second)
	}
	require.Equal(t, Executing, c.state)
	require.True(t, hidden, "it ran and was never on the screen")
}

// TestThreat23EveryRowThatRunsWasOnTheScreen makes random edits at random sizes, and requires that
// every row of the command that runs was visible since the last change.
func TestThreat23EveryRowThatRunsWasOnTheScreen(t *testing.T) {
	t.Parallel()
	keys := []string{"up", "down", "left", "right", "home", "end", "backspace", "delete", "ctrl+k", "ctrl+u", "alt+enter", "a", "한", " ", "paste", "short", "resize", "pgdown", "enter"}
	rapid.Check(t, func(t *rapid.T) {
		c := newReviewChat(askOf(rapid.StringMatching(`[a-z]{1,8}( [a-z]{1,9}){0,9}(\n[a-z]{1,9}){0,30}`).Draw(t, "command")))
		var of string
		seen := map[int]bool{}
		look := func() {
			c.draw()
			r := c.review
			if r == nil {
				return
			}
			if now := r.command(); now != of {
				of, seen = now, map[int]bool{}
			}
			for i := range r.layOut(c.width-gutterWidth, r.page, c.look) {
				seen[r.offset+i] = true
			}
		}
		look()
		for _, k := range rapid.SliceOfN(rapid.SampledFrom(keys), 0, 40).Draw(t, "keys") {
			switch k {
			case "paste":
				c.do(pasted(strings.Repeat("true\r", rapid.IntRange(1, 60).Draw(t, "lines"))))
			case "short":
				c.do(pasted("x y"))
			case "resize":
				c.resize(rapid.IntRange(leastWidth, 90).Draw(t, "width"), rapid.IntRange(leastHeight, 40).Draw(t, "height"))
				seen = map[int]bool{}
				if c.review.seen {
					return // the rows have changed, so their numbers cannot be compared
				}
			default:
				total := c.review.total
				c.press(k)
				if c.state != ReviewAction {
					require.Len(t, seen, total)
					return
				}
			}
			look()
			c.pass(time.Second)
		}
		if strings.TrimSpace(c.review.command()) == "" {
			return
		}
		if c.review.judging {
			c.answerJudgement("CONFIRM")
		}
		for range 1000 {
			look()
			total := c.review.total
			if c.press("enter"); c.state != ReviewAction {
				require.Len(t, seen, total, "rows of %q", of)
				return
			}
			c.pass(time.Second)
		}
		t.Fatal("it can be seen as long as anybody likes, and never runs")
	})
}

func TestThreat23APasteGluesNoLines(t *testing.T) {
	for text, want := range map[string]string{
		"cd /a\rrm -rf b": "cd /a\nrm -rf b", "cd /a\r\nrm -rf b": "cd /a\nrm -rf b", "cd /a\nrm -rf b": "cd /a\nrm -rf b", "a\rb\nc\r\nd": "a\nb\nc\nd",
	} {
		c := newReviewChat(askOf("x"))
		c.press("ctrl+u")
		c.do(pasted(text))
		require.Equal(t, want, c.review.command())
		c = newChat(i18n.English)
		c.do(pasted(text))
		require.Equal(t, want, c.typed())
		c.prompt.clear()
		c.do(pasted(strings.Repeat(text+"\r", 30)))
		require.Contains(t, c.prompt.pastedText("", i18n.English), want)
	}
}

func TestThreat23WhatIsBlockedDoesNotRunAndSaysSo(t *testing.T) {
	c := newReviewChat(askOf("rm /tmp/x"))
	c.press("ctrl+u")
	c.write("rm -rf /")
	c.answerJudgement("BLOCKED")
	sent := len(c.sent)
	require.NotContains(t, c.screen(), "Enter run")
	require.Contains(t, c.screen(), "blocked, will not run")
	c.press("enter")
	require.Equal(t, ReviewAction, c.state)
	require.Len(t, c.sent, sent)
	require.Contains(t, c.screen(), "This command is blocked and won't run.")
}

func TestAnEditHasBounds(t *testing.T) {
	c := newReviewChat(askOf("touch x"))
	began := time.Now()
	c.do(pasted(strings.Repeat("true\r", 8000)))
	require.Less(t, time.Since(began), time.Second)
	require.Equal(t, "touch x", c.review.command())
	require.Contains(t, c.screen(), "Not inserted")
	c.do(pasted(strings.Repeat("\r", maxEditableLines-1)))
	c.press("alt+enter")
	require.Equal(t, maxEditableLines-1, strings.Count(c.review.command(), "\n"))
	require.Contains(t, c.screen(), "Not inserted")
	c.press("home")
	c.write("a")
	require.NotContains(t, c.screen(), "Not inserted")
	c.press("ctrl+u")
	c.do(pasted(strings.Repeat("x", maxEditable+1)))
	require.Contains(t, c.screen(), "Not inserted")
}

func TestAKeyInALongEditIsQuick(t *testing.T) {
	c := newReviewChat(askOf(strings.TrimSuffix(strings.Repeat("echo a line of a long script\n", maxEditableLines), "\n")))
	require.True(t, c.review.editable)
	began := time.Now()
	for range 10 {
		c.press("a")
	}
	require.Less(t, time.Since(began), 10*time.Second, "also with the race detector")
}

func TestAJudgementThatCannotBeAskedForHoldsNothingUp(t *testing.T) {
	c := newReviewChat(askOf("ls"))
	c.write("a")
	c.do(newJudgeMsg(c.review))
	c.do([]sendFailure{{c.last().ID, errors.New("full")}})
	c.pass(time.Second)
	c.press("enter")
	require.Equal(t, ipc.ActionEdit, c.last().Action)
}
