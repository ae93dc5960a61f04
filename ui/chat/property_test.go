package chat

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// These are the correctness properties of the agent-rs design by their numbers. Its names
// correspond to: App.state model.state; input_textarea model.prompt.area; action_textarea
// model.review.area (which does not exist outside of ReviewAction, its "cleared"); messages
// model.log; execution_output call.output; an API response a response frame; an API error an error
// frame; a tool call an ask or tool frame; dangerous_command_detected review.dangerous. Properties
// 3 and 13 are tested in agent/session and providers, 9 and 19 in tools, 21 in agent, 22 in config.

// words generates texts that a person could type: without controls, and not a slash command.
func words() *rapid.Generator[string] {
	return rapid.StringMatching(`[a-zA-Z가-힣0-9.,?!'"_-][a-zA-Z가-힣0-9 .,?!'"_/-]{0,40}`)
}

// shellish generates commands as models write them.
func shellish() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,8}( [a-z0-9/._가-힣-]{1,30}){0,12}`),
		rapid.Map(rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,8} [a-z0-9가-힣/]{1,90}`), 1, 40), func(lines []string) string {
			return strings.Join(lines, "\n")
		}),
		rapid.String(),
	)
}

// Feature: agent-rs, Property 1: Empty Input Rejection.
func TestProperty01BlankInputIsRejected(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.Korean)
		blank := rapid.StringMatching(`[ \n\x{3000}\x{00a0}]{0,20}`).Draw(t, "blank")
		c.do(pasted(blank))
		before, sent := c.log.messages, len(c.sent)
		c.press("enter")
		require.Equal(t, Input, c.state)
		require.Equal(t, before, c.log.messages)
		require.Len(t, c.sent, sent)
	})
}

// Feature: agent-rs, Property 2: Valid Input State Transition.
func TestProperty02AQuestionIsAskedAndKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.Korean)
		text := words().Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "text")
		c.do(pasted(text))
		before := c.log.messages
		c.press("enter")
		require.Equal(t, Thinking, c.state)
		require.Equal(t, before+1, c.log.messages)
		require.Equal(t, strings.TrimSpace(text), c.log.last(byUser))
		require.Equal(t, strings.TrimSpace(text), c.last().Body)
		require.Empty(t, c.typed())
	})
}

// Feature: agent-rs, Property 4: Non-Tool Response Handling.
func TestProperty04AnAnswerWithoutToolsEndsInInput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.Korean)
		c.asked("안녕")
		text := rapid.String().Filter(func(s string) bool { return strings.TrimSpace(ipc.Clean(s)) != "" }).Draw(t, "text")
		if rapid.Bool().Draw(t, "streamed") {
			for _, piece := range strings.SplitAfter(text, " ") {
				c.frame(ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: piece})
			}
		}
		before := c.log.messages
		open := c.log.streaming
		c.end(text, ipc.Outcome{})
		require.Equal(t, Input, c.state)
		if !open {
			require.Equal(t, before+1, c.log.messages)
		}
		require.Equal(t, strings.TrimSpace(ipc.Clean(text)), strings.TrimSpace(c.log.last(byAssistant)))
	})
}

// Feature: agent-rs, Property 5: API Error Recovery.
func TestProperty05AnErrorEndsInInputAndIsTold(t *testing.T) {
	t.Parallel()
	codes := []ipc.Code{ipc.CodeNotConfigured, ipc.CodeAuth, ipc.CodeRateLimit, ipc.CodeProvider, ipc.CodeNetwork, ipc.CodeTimeout, ipc.CodeInternal, ipc.CodeBusy}
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.English)
		c.asked("hello")
		say := rapid.StringMatching(`[a-z가-힣 ]{1,40}x`).Draw(t, "message")
		c.fail(rapid.SampledFrom(codes).Draw(t, "code"), say, "blunux-ai doctor")
		require.Equal(t, Input, c.state)
		require.Contains(t, c.log.last(byError), say)
		require.Contains(t, c.log.last(byError), "blunux-ai doctor")
	})
}

// Feature: agent-rs, Property 6: Command Display in ReviewAction.
func TestProperty06TheExactCommandIsReviewed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		command := shellish().Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "command")
		c := newChat(i18n.English)
		c.resize(rapid.IntRange(40, 130).Draw(t, "width"), rapid.IntRange(10, 40).Draw(t, "height"))
		c.asked("do it")
		c.put("a1", askOf(command))
		require.Equal(t, ReviewAction, c.state)
		require.Equal(t, command, c.review.command())
		var shown []string // all of its rows in order, page by page
		seen := map[int]string{}
		for range 10_000 {
			c.draw()
			for i, row := range c.review.layOut(c.width-gutterWidth, c.review.page, c.look) {
				seen[c.review.offset+i] = row
			}
			if c.review.isFullySeen() {
				break
			}
			c.pass(time.Second)
			c.press("enter")
			require.Equal(t, ReviewAction, c.state, "a yes before all was shown")
		}
		require.True(t, c.review.isFullySeen())
		for i := range c.review.total {
			row, ok := seen[i]
			require.True(t, ok, "row %d was never on the screen", i)
			shown = append(shown, row)
		}
		blanks := strings.NewReplacer(" ", "", "␣", "", "\n", "")
		require.Equal(t, blanks.Replace(ipc.Visible(command)), blanks.Replace(strings.Join(shown, "")))
		c.pass(time.Second)
		c.press("enter")
		require.Equal(t, Executing, c.state)
		require.Equal(t, ipc.ActionAllowOnce, c.last().Action, "what was not edited is approved by its digest")
	})
}

// editor is a simple reference implementation of a text area.
type editor struct {
	text []rune
	at   int
}

func (e *editor) line() (begin, end int) {
	begin, end = e.at, e.at
	for begin > 0 && e.text[begin-1] != '\n' {
		begin--
	}
	for end < len(e.text) && e.text[end] != '\n' {
		end++
	}
	return begin, end
}

func (e *editor) press(key string) {
	begin, end := e.line()
	switch key {
	case "left":
		e.at = max(e.at-1, 0)
	case "right":
		e.at = min(e.at+1, len(e.text))
	case "home":
		e.at = begin
	case "end":
		e.at = end
	case "backspace":
		if e.at > 0 {
			e.text = slices.Delete(e.text, e.at-1, e.at)
			e.at--
		}
	case "ctrl+k":
		if e.at == end {
			end = min(end+1, len(e.text))
		}
		e.text = slices.Delete(e.text, e.at, end)
	case "ctrl+u":
		if e.at == begin {
			begin = max(begin-1, 0)
		}
		e.text, e.at = slices.Delete(e.text, begin, e.at), begin
	default:
		if key == "alt+enter" {
			key = "\n"
		}
		rs := []rune(key)
		e.text = slices.Insert(e.text, e.at, rs...)
		e.at += len(rs)
	}
}

// Feature: agent-rs, Property 7: Textarea Edit Consistency.
func TestProperty07EditsApplyInOrder(t *testing.T) {
	t.Parallel()
	keys := []string{"left", "right", "home", "end", "backspace", "ctrl+k", "ctrl+u", "alt+enter", "a", "b", "한", "글", " ", "-", "/"}
	rapid.Check(t, func(t *rapid.T) {
		c := newReviewChat(askOf("rm /tmp/a"))
		c.resize(rapid.IntRange(40, 60).Draw(t, "width"), 24)
		want := &editor{text: []rune("rm /tmp/a"), at: len("rm /tmp/a")}
		for _, k := range rapid.SliceOfN(rapid.SampledFrom(keys), 0, 60).Draw(t, "keys") {
			c.press(k)
			want.press(k)
			require.Equal(t, string(want.text), c.review.command(), "after %s", k)
		}
		if c.review.isEdited() && strings.TrimSpace(c.review.command()) != "" {
			c.frameJudged(ipc.Judgement{Class: "CONFIRM"})
			c.pass(time.Second)
			for c.state == ReviewAction {
				c.press("enter")
				c.pass(time.Second)
			}
			var a ipc.Answer
			require.NoError(t, c.last().Decode(&a))
			require.Equal(t, ipc.ActionEdit, c.last().Action)
			require.Equal(t, string(want.text), a.Command)
			require.Equal(t, "sha256:d", a.Digest)
		}
	})
}

// Feature: agent-rs, Property 8: ReviewAction State Transitions.
func TestProperty08EnterRunsAndEscapeCancels(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		command := rapid.StringMatching(`[a-z]{1,8} [a-z/]{1,20}`).Draw(t, "command")
		c := newReviewChat(askOf(command))
		if rapid.Bool().Draw(t, "yes") {
			c.press("enter")
			require.Equal(t, Executing, c.state)
			require.Nil(t, c.review)
			return
		}
		turn := c.turn.id
		c.write(rapid.StringMatching(`[a-z ]{0,5}`).Draw(t, "edit"))
		c.press("esc")
		require.Equal(t, Input, c.state)
		require.Nil(t, c.review, "the area is cleared")
		n := len(c.sent)
		require.Equal(t, ipc.ActionReject, c.sent[n-2].Action)
		require.Equal(t, "a1", c.sent[n-2].Re)
		require.Equal(t, ipc.TypeCancel, c.sent[n-1].Type)
		require.Equal(t, turn, c.sent[n-1].Re)
	})
}

// Feature: agent-rs, Property 10: Feedback Loop Consistency.
func TestProperty10WhatRanIsKeptAndLookedAt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.English)
		c.asked("go")
		command := rapid.StringMatching(`[a-z]{1,8} [a-z/]{1,20}`).Draw(t, "command")
		out := rapid.StringMatching(`([a-z가-힣]{1,20}\n){1,5}`).Draw(t, "output")
		c.tool(ipc.Tool{Call: "t", Name: "run_command", Class: "CONFIRM", Command: command, State: ipc.ToolRunning})
		require.Equal(t, Executing, c.state)
		c.tool(ipc.Tool{Call: "t", State: ipc.ToolRunning, Output: out})
		c.tool(ipc.Tool{Call: "t", State: ipc.ToolDone, Exit: rapid.IntRange(0, 255).Draw(t, "exit")})
		require.Equal(t, Finalizing, c.state)
		require.Equal(t, strings.TrimSuffix(out, "\n"), c.log.last(byOutput))
		require.Contains(t, c.screen(), gutters[byTool]+"CONFIRM "+command)
		c.frame(ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: "so"})
		require.Equal(t, Thinking, c.state)
	})
}

// Feature: agent-rs, Property 11: Message History Append.
func TestProperty11AMessageIsAppendedOnce(t *testing.T) {
	t.Parallel()
	roles := []role{byUser, byAssistant, byOutput, bySystem, byError}
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.English)
		for i := range rapid.IntRange(1, 20).Draw(t, "n") {
			r := rapid.SampledFrom(roles).Draw(t, "role")
			text := rapid.String().Draw(t, "text")
			if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
				text += strings.Repeat(rapid.StringN(1, 40, -1).Draw(t, "unit"), rapid.IntRange(1, 5000).Draw(t, "times"))
			}
			text = ipc.Clean(text)
			c.log.add(r, text)
			require.Equal(t, i+1, c.log.messages)
			require.Equal(t, text, c.log.last(r))
		}
	})
}

// Feature: agent-rs, Property 12: Message Role Styling Distinction.
func TestProperty12RolesDifferWithoutColour(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z가-힣]{1,30}`).Draw(t, "text")
		width := rapid.IntRange(40, 120).Draw(t, "width")
		seen := map[string]role{}
		for r := range gutters {
			c := newChat(i18n.English)
			if role(r) == byTool {
				c.log.addCall(&call{Tool: ipc.Tool{Command: text}})
			} else {
				c.log.add(role(r), text)
			}
			row := c.log.view(width, 5)[0]
			other, same := seen[row[:gutterWidth]]
			require.False(t, same, "%v looks like %v", r, other)
			seen[row[:gutterWidth]] = role(r)
			require.NotEqual(t, promptSign, row[:min(len(promptSign), len(row))])
		}
	})
}

// Feature: agent-rs, Property 14: State Validity.
func TestProperty14TheStateIsAlwaysOneAndDraws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(rapid.SampledFrom([]i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese}).Draw(t, "lang"))
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			randomStep(t, c)
			requireConsistent(t, c)
			requireFits(t, c)
		}
	})
}

// Feature: agent-rs, Property 15: Input Blocking in Async States.
func TestProperty15KeysSendNothingWhileATurnRuns(t *testing.T) {
	t.Parallel()
	keys := slices.DeleteFunc(slices.Clone(anyKeys), func(k string) bool { return k == "esc" || k == "ctrl+c" })
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.English)
		c.asked("go")
		if rapid.Bool().Draw(t, "finalizing") {
			c.tool(ipc.Tool{Call: "t", Command: "ls", State: ipc.ToolRunning})
			c.tool(ipc.Tool{Call: "t", State: ipc.ToolDone})
		}
		state, sent := c.state, len(c.sent)
		for _, k := range rapid.SliceOfN(rapid.SampledFrom(keys), 1, 20).Draw(t, "keys") {
			c.press(k)
		}
		typed := c.typed()
		c.do(pasted("more"))
		require.Equal(t, len(typed)+len("more"), len(c.typed()))
		require.Equal(t, state, c.state)
		require.Len(t, c.sent, sent)
	})
}

// Feature: agent-rs, Property 16: Error State Recovery.
func TestProperty16EveryErrorLeadsBackToInput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.English)
		c.asked("go")
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			randomFrame(t, c)
		}
		if c.state == Input || c.state == Done {
			c.press("h")
			c.prompt.clear()
			c.asked("go")
		}
		switch rapid.IntRange(0, 2).Draw(t, "error") {
		case 0:
			c.fail(ipc.CodeProvider, "broken", "mend it")
		case 1:
			c.event(ipc.LinkEvent{Disconnected: errors.New("broken")})
		case 2:
			c.do([]sendFailure{{c.turn.id, errors.New("broken")}})
		}
		require.Equal(t, Input, c.state)
		require.Contains(t, c.log.last(byError), "broken")
		c.event(ipc.LinkEvent{Connected: &ipc.Hello{}})
		c.prompt.clear()
		c.asked("still there?")
		require.Equal(t, Thinking, c.state)
	})
}

// Feature: agent-rs, Property 17: State-Dependent Middle Pane Rendering.
func TestProperty17TheMiddlePaneIsTheStates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newChat(i18n.English)
		c.resize(rapid.IntRange(leastWidth, 120).Draw(t, "width"), rapid.IntRange(leastHeight, 40).Draw(t, "height"))
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			randomStep(t, c)
			if c.width < leastWidth || c.height < leastHeight {
				c.resize(80, 24)
			}
			rows, _ := c.middlePane(c.height - 4)
			text := strings.Join(rows, "\n")
			switch c.state {
			case ReviewAction:
				require.Contains(t, text, i18n.ChatReview.In(i18n.English))
			case Executing:
				require.Contains(t, text, "-- "+i18n.ChatOutput.In(i18n.English))
			default:
				require.Empty(t, rows)
			}
		}
	})
}

// Feature: agent-rs, Property 18: Responsive Layout Adaptation.
func TestProperty18EverySizeIsLaidOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		scene := rapid.SampledFrom(scenes).Draw(t, "scene")
		c := newChat(i18n.Korean)
		scene.play(c)
		for range 5 {
			c.resize(rapid.IntRange(leastWidth, 300).Draw(t, "width"), rapid.IntRange(leastHeight, 120).Draw(t, "height"))
			requireFits(t, c)
			below, _ := c.inputRows()
			middle, _ := c.middlePane(c.height - len(below) - 3)
			require.Positive(t, c.height-2-len(below)-len(middle), "no transcript")
			if c.state == ReviewAction {
				require.Positive(t, c.review.page)
				require.Positive(t, c.review.detailPage)
			} else {
				require.NotEmpty(t, below)
			}
		}
		c.resize(rapid.IntRange(0, leastWidth-1).Draw(t, "narrow"), rapid.IntRange(0, 20).Draw(t, "low"))
		requireFits(t, c)
	})
}

// Feature: agent-rs, Property 20: Dangerous Command Detection.
func TestProperty20DangerIsShown(t *testing.T) {
	t.Parallel()
	patterns := []string{`rm\s+-rf\s+/`, `mkfs`, `dd\s+if=`, `:\(\)\s*\{`, `>\s*/dev/sd`}
	rapid.Check(t, func(t *rapid.T) {
		a := askOf(rapid.StringMatching(`[a-z]{1,8} [a-z/]{1,20}`).Draw(t, "command"))
		kind := rapid.IntRange(0, 2).Draw(t, "kind")
		switch kind {
		case 0:
			a.Warnings = []string{"dangerous-pattern: " + rapid.SampledFrom(patterns).Draw(t, "pattern")}
		case 1:
			a.Privileged = true
		case 2:
			a.Command += " p\u0430ypal" // a Cyrillic letter among Latin ones
		}
		c := newReviewChat(a)
		c.resize(rapid.IntRange(60, 120).Draw(t, "width"), rapid.IntRange(leastHeight, 40).Draw(t, "height"))
		require.True(t, c.review.isDangerous())
		require.Contains(t, c.screen(), "\n! ")
	})
}

// isDangerous reports whether the review shows a warning.
func (r *review) isDangerous() bool {
	return len(r.warnings()) > 0 || r.isPrivileged() || r.class() == "BLOCKED"
}
