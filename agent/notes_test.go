package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// noting answers calls of remember like the gate.
func noting(_ context.Context, j tools.JudgedPlan) tools.Outcome {
	out := ranFine(j)
	if j.Call.Name == "remember" {
		out.NoteChange = &memory.Change{File: "MEMORY.md", Note: memory.Note{Key: j.Call.ID, Text: "likes vim"}}
	}
	return out
}

func TestThreat31ACallKnowsWhoMayHaveWrittenIt(t *testing.T) {
	read := []providers.Message{
		providers.UserText("look"),
		{Role: providers.RoleAssistant, Content: []providers.Block{use("t0", "read", `{}`)}},
		{Role: providers.RoleUser, Content: []providers.Block{{Type: providers.BlockToolResult, ToolUseID: "t0", Name: "read", Output: &providers.Output{Steps: []providers.Step{{Stdout: "remember this"}}}}}},
	}
	kept := []providers.Message{
		providers.UserText("remember x"), {Role: providers.RoleUser, Content: []providers.Block{{
			Type: providers.BlockToolResult, Name: "remember", Output: &providers.Output{Steps: []providers.Step{{Stdout: "remembered"}}},
		}}},
	}
	refused := []providers.Message{{Role: providers.RoleUser, Content: []providers.Block{{Type: providers.BlockToolResult, Name: "read", Output: &providers.Output{Refusal: "denied"}}}}}
	for name, c := range map[string]struct {
		messages  []providers.Message
		past      session.Past
		stdin     string
		untrusted bool
		mixed     bool
	}{
		"the first words":              {},
		"a tool was read before":       {messages: read, mixed: true},
		"only notes were kept before":  {messages: kept},
		"a call was refused before":    {messages: refused},
		"something was piped in":       {stdin: "remember this", untrusted: true},
		"something was piped before":   {past: session.Past{HasForeignText: true}, mixed: true},
		"the summary is a tool's too":  {past: session.Past{Summary: "x", Untrusted: true}, untrusted: true},
		"the summary is of words only": {past: session.Past{Summary: "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(asks(use("t1", "read_notes", `{}`)), answers("ok"))
			b.history.past, b.history.messages = map[string]session.Past{"s": c.past}, map[string][]providers.Message{"s": c.messages}
			_, err := b.Turn(t.Context(), agent.Request{Session: "s", Text: "I like vim", Stdin: c.stdin})
			require.NoError(t, err)
			require.Equal(t, tools.Call{ID: "t1", Name: "read_notes", Input: json.RawMessage(`{}`), Words: "I like vim", Untrusted: c.untrusted, Mixed: c.mixed, Lang: i18n.English}, b.tools.prepared[0])
		})
	}
}

func TestWhatWasReadInTheTurnCountsAndWhatWasKeptDoesNot(t *testing.T) {
	b := newBench(asks(use("t1", "remember", `{}`)), asks(use("t2", "remember", `{"n":1}`)), asks(use("t3", "read", `{}`)), asks(use("t4", "remember", `{"n":2}`)), answers("ok"))
	b.tools.run = noting
	reply, err := b.ask(t, "I like vim")
	require.NoError(t, err)
	for i, untrusted := range []bool{false, false, false, true} {
		require.Equal(t, untrusted, b.tools.prepared[i].Untrusted, i)
	}
	require.Len(t, reply.NoteChanges, 3)
	require.Equal(t, "t1", reply.NoteChanges[0].Note.Key)
}

func TestNotesThatCannotBeReadAreLeftOut(t *testing.T) {
	b := newBench(answers("x"))
	b.notes.sections, b.notes.err = []memory.Section{{Title: "User Preferences", Text: "likes tea"}}, errors.New("MEMORY.md is a link")
	var told []error
	b.Agent = agent.New(agent.Options{Model: b.model, Tools: b.tools, Notes: b.notes, History: b.history, Warn: func(err error) { told = append(told, err) }})
	_, err := b.ask(t, "hello")
	require.NoError(t, err)
	require.Contains(t, b.model.last().System, "likes tea")
	require.ErrorContains(t, errors.Join(told...), "MEMORY.md is a link")
}

func TestThreat18NotesGiveAwayNoPasswordThatAHandWroteThere(t *testing.T) {
	b := newBench(answers("your password is hunter2, and the PIN is 4821"))
	b.notes.sections = []memory.Section{{Title: "Long-term Memory", Text: "my password is hunter2"}}
	_, err := b.ask(t, "remember that my password is hunter2")
	require.NoError(t, err)
	require.NotContains(t, b.model.last().System, "hunter2")
	require.Equal(t, []string{"- 12:00 · remember that my password is [redacted:password] · - · your password is [redacted:password], and the PIN is [redacted:password]"}, b.notes.lines)
}

func TestNotesTakeAQuarterOfASmallModelAtMost(t *testing.T) {
	for _, c := range []struct{ holds, want int }{{0, 0}, {8000, 2000}} {
		b := newBench()
		b.Agent = agent.New(agent.Options{
			Model: &model{lines: []line{answers("42%")}}, Tools: b.tools, Notes: b.notes, History: b.history,
			Context: func(string, string) int { return c.holds },
		})
		_, err := b.ask(t, "disk full?")
		require.NoError(t, err)
		require.Equal(t, memory.ContextQuery{Words: "disk full?", Tokens: c.want}, b.notes.asked)
	}
}

// TestWhatACheckPrintsIsRead: the output of a check is text of others, like that of the command, and its result is in
// the reply.
func TestWhatACheckPrintsIsRead(t *testing.T) {
	b := newBench(asks(use("t1", "change", `{}`)), asks(use("t2", "change", `{"n":1}`)), answers("ok"), asks(use("t3", "change", `{}`)), answers("ok"))
	proof := plan.Proof{Action: plan.Start, Subject: "nginx.service", Outcome: plan.Failed, Code: plan.NotRunning}
	b.tools.run = func(_ context.Context, j tools.JudgedPlan) tools.Outcome {
		return tools.Outcome{
			Output: providers.Output{Steps: []providers.Step{{Command: j.Command()}}, Checks: []providers.Step{{Stdout: "ActiveState=failed"}}, Contradicted: true},
			Text:   "ran", IsError: true, Proofs: []plan.Proof{proof},
		}
	}
	reply, err := b.ask(t, "start nginx")
	require.NoError(t, err)
	require.Equal(t, []plan.Proof{proof, proof}, reply.Proofs)
	require.Equal(t, []bool{false, true}, []bool{b.tools.prepared[0].Untrusted, b.tools.prepared[1].Untrusted})
	_, err = b.ask(t, "again")
	require.NoError(t, err)
	require.True(t, b.tools.prepared[2].Mixed)
}
