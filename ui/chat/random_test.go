package chat

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/ipc"
)

// randomFrame generates any frame from the daemon, even one that makes no sense in the current state.
func randomFrame(t *rapid.T, c *chat) {
	call := fmt.Sprint("t", rapid.IntRange(0, 3).Draw(t, "call"))
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{answerText, "\x1b[2J\x1b[H› ", strings.Repeat("가나다 ", 400), "```\n&#27;[31m", "| a | b |\n|---|---|\n| 1 | 2 |\n"})).Draw(t, "text")
	switch rapid.IntRange(0, 11).Draw(t, "frame") {
	case 0, 1:
		c.frame(ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: text})
	case 2, 3:
		c.tool(ipc.Tool{Call: call, Class: "SAFE", Command: text, State: ipc.ToolRunning, Output: text})
	case 4:
		c.tool(ipc.Tool{Call: call, State: rapid.SampledFrom([]string{ipc.ToolDone, ipc.ToolRefused}).Draw(t, "state"), Reason: "denied", Cut: true})
	case 5, 6:
		a := askOf(text)
		a.Covers = rapid.SampledFrom([]string{"", text}).Draw(t, "covers")
		a.Warnings = []string{text}
		c.put("a"+call, a)
	case 7:
		m := c.of(ipc.TypeResolved).WithData(ipc.Resolved{By: "desktop", Action: "reject"})
		m.ID = "a" + call
		c.frame(m)
	case 8:
		c.end(text, ipc.Outcome{Pending: []string{"K1"}})
	case 9:
		c.fail(ipc.CodeProvider, text, text)
	case 10:
		c.event(ipc.LinkEvent{Disconnected: errors.New(text)})
		c.event(ipc.LinkEvent{Connected: &ipc.Hello{}})
	case 11:
		c.frame(ipc.Message{Type: ipc.TypeResult, Re: c.last().ID, Done: true, Body: text})
	}
}

var anyKeys = []string{
	"enter", "enter", "esc", "up", "down", "left", "right", "home", "end", "tab", "backspace", "delete", "pgup", "pgdown", "alt+enter", "ctrl+home", "ctrl+end",
	"ctrl+a", "ctrl+e", "ctrl+k", "ctrl+u", "ctrl+w", "ctrl+r", "ctrl+s", "ctrl+x", "ctrl+d", "ctrl+c", "a", "한", "글", "/", " ", "\\", "😀",
}

// randomStep performs a random event.
func randomStep(t *rapid.T, c *chat) {
	switch rapid.IntRange(0, 9).Draw(t, "step") {
	case 0, 1, 2, 3:
		c.press(rapid.SampledFrom(anyKeys).Draw(t, "key"))
	case 4, 5, 6, 7:
		randomFrame(t, c)
	case 8:
		c.pass(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond)
		c.do(spinMsg{})
	case 9:
		switch rapid.IntRange(0, 3).Draw(t, "outside") {
		case 0:
			c.do(pasted(rapid.String().Draw(t, "paste")))
		case 1:
			c.resize(rapid.IntRange(0, 130).Draw(t, "width"), rapid.IntRange(0, 40).Draw(t, "height"))
		case 2:
			c.asked("again")
		case 3:
			c.asked(rapid.SampledFrom(commands).Draw(t, "command").name)
		}
	}
}

// requireFits requires that a frame fills the screen exactly, and contains no control sequences except for
// colours.
func requireFits(t require.TestingT, c *chat) {
	s := c.draw()
	require.Len(t, s.rows, max(c.height, 0))
	for _, r := range s.rows {
		require.LessOrEqual(t, cells(r), max(c.width, 0), "%q", r)
		require.NotContains(t, r, "\n")
		require.Equal(t, ipc.Clean(r), r, "%q holds what a terminal would act on", r)
		require.NotContains(t, r, "\t")
	}
	if s.cursor != nil {
		require.True(t, s.cursor.X >= 0 && s.cursor.X < c.width && s.cursor.Y >= 0 && s.cursor.Y < c.height, "cursor %v in %d×%d", s.cursor.Position, c.width, c.height)
	}
}

// requireConsistent requires the invariants of all states.
func requireConsistent(t require.TestingT, c *chat) {
	require.Contains(t, []State{Input, Thinking, ReviewAction, Executing, Finalizing, Done}, c.state)
	require.Equal(t, c.state == ReviewAction, c.review != nil)
	if c.state == Input || c.state == Done {
		require.Empty(t, c.turn.id)
	} else if c.state != ReviewAction {
		require.NotEmpty(t, c.turn.id)
	}
}
