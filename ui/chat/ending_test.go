package chat

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestAnEscThatWasToCancelDoesNotLeave(t *testing.T) {
	for name, commands := range map[string]bool{"an answer": false, "a summary": true} {
		t.Run(name, func(t *testing.T) {
			c := newChat(i18n.English)
			c.asked("go")
			if commands {
				c.tool(ipc.Tool{Call: "t", Class: "SAFE", Command: "df", State: ipc.ToolRunning})
				c.tool(ipc.Tool{Call: "t", State: ipc.ToolDone})
			}
			c.end("so", ipc.Outcome{})
			c.pass(graceTime - time.Millisecond)
			c.press("esc")
			require.False(t, c.leaving)
			require.Equal(t, Input, c.state)
			require.Contains(t, c.screen(), "Press Esc again to quit")
			c.pass(time.Millisecond)
			c.press("esc")
			require.True(t, c.leaving)
		})
	}
}

func TestEscLeavesASummaryThatWasRead(t *testing.T) {
	c := newChat(i18n.English)
	for _, s := range scenes {
		if s.name == "done" {
			s.play(c)
		}
	}
	require.Equal(t, Done, c.state)
	c.pass(graceTime)
	c.press("esc")
	require.True(t, c.leaving)
}

func TestCtrlZGivesTheTerminalToTheShellWhereThereIsOne(t *testing.T) {
	c := newChat(i18n.English)
	c.stoppable = func() bool { return true }
	cmd := c.handleMsg(keyOf("ctrl+z"))
	require.NotNil(t, cmd)
	require.IsType(t, tea.SuspendMsg{}, cmd())
	c.stoppable = func() bool { return false }
	require.Nil(t, c.handleMsg(keyOf("ctrl+z")))
	require.Contains(t, c.screen(), "no shell to return to")
}

func TestACommandWhoseDaemonDiedHasNoExitCode(t *testing.T) {
	c := newChat(i18n.English)
	c.asked("go")
	c.tool(ipc.Tool{Call: "t", Class: "CONFIRM", Command: "sleep 9", State: ipc.ToolRunning})
	c.pass(2 * time.Second)
	c.event(ipc.LinkEvent{Disconnected: fmt.Errorf("%w: EOF", ipc.ErrLost)})
	require.Contains(t, c.screen(), "$ CONFIRM sleep 9 · connection lost, result unknown · 2.0s")
	require.NotContains(t, c.screen(), "exit")
	c.event(ipc.LinkEvent{Connected: &ipc.Hello{}})
	c.asked("go")
	c.tool(ipc.Tool{Call: "t", Class: "CONFIRM", Command: "sleep 8", State: ipc.ToolRunning})
	c.press("esc")
	require.Contains(t, c.screen(), "$ CONFIRM sleep 8 · cancelled")
}

func TestWhatOnlyReadLeavesItsLineAlone(t *testing.T) {
	for _, of := range []struct {
		class string
		exit  int
		stays bool
	}{{"SAFE", 0, false}, {"SAFE", 1, true}, {"CONFIRM", 0, true}} {
		c := newChat(i18n.English)
		c.asked("go")
		c.tool(ipc.Tool{Call: "t", Class: of.class, Command: "df", State: ipc.ToolRunning, Output: "sda1 42%\n"})
		require.Contains(t, c.screen(), ": sda1 42%", "while it runs")
		c.tool(ipc.Tool{Call: "t", State: ipc.ToolDone, Exit: of.exit})
		require.Contains(t, c.screen(), "$ "+of.class+" df")
		if of.stays {
			require.Contains(t, c.screen(), ": sda1 42%")
		} else {
			require.NotContains(t, c.screen(), "sda1")
		}
	}
}

func TestAChatWithANewNameBeginsWithoutAWord(t *testing.T) {
	c := newChat(i18n.English, func(o *Options) { o.Session, o.Resume = "fresh", true })
	c.frame(ipc.Message{Type: ipc.TypeError, Re: c.last().ID, Done: true, Error: &ipc.Error{Code: ipc.CodeBadRequest, Message: "Conversation not found: fresh"}})
	require.Zero(t, c.log.messages)
	c.asked("hello")
	require.Equal(t, "fresh", c.last().Session)
}

func TestAnExpiryOfAnotherDayHasItsDate(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	require.Equal(t, "13:00:00", formatTime(now.Add(time.Hour), now))
	require.Equal(t, "2026-03-02 11:00:00", formatTime(now.Add(23*time.Hour), now))
}

func TestKeysAreNamedOnceAndOnEveryTerminal(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		for _, loose := range []bool{false, true} {
			c := newChat(lang)
			c.resize(leastWidth, leastHeight)
			c.review, c.state = newReview(question{ask: askOf("rm x"), standalone: loose}), ReviewAction
			for range 4 {
				c.draw()
				c.pass(time.Second)
			}
			for _, class := range []string{"CONFIRM", "BLOCKED"} {
				c.review.ask.Class = class
				keys := c.draw().rows[leastHeight-1]
				require.Contains(t, keys, "Esc")
				require.Regexp(t, `Ctrl-R \pL+`, keys)
				require.NotRegexp(t, "Esc.*Esc", keys)
			}
		}
		c := newChat(lang)
		c.resize(20, 5)
		require.Contains(t, c.screen(), "40×10")
	}
}
