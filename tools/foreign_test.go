package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// fakeServer is a server named notes with the tools read and add. The person allows read.
type fakeServer struct {
	called  []action.ForeignCall
	digest  string
	away    error
	answers func(ctx context.Context, to io.Writer) (bool, error)
}

func (s *fakeServer) Tools() []action.ForeignTool {
	var list []action.ForeignTool
	for _, name := range []string{"read", "add"} {
		list = append(list, action.ForeignTool{
			Definition: providers.ToolDefinition{Name: "notes_" + name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			Server:     "notes", Tool: name, Digest: s.digest, Timeout: time.Minute,
		})
	}
	return append(list, action.ForeignTool{Definition: providers.ToolDefinition{Name: "check_disk"}, Server: "check", Tool: "disk", Digest: "d"})
}

func (*fakeServer) Allows(server, tool string) bool { return server == "notes" && tool == "read" }

func (s *fakeServer) Ready(_ context.Context, c action.ForeignCall) error {
	if s.away == nil && c.Digest != s.digest {
		return action.ErrForeignChanged
	}
	return s.away
}

func (s *fakeServer) Call(ctx context.Context, c action.ForeignCall, to io.Writer) (bool, error) {
	s.called = append(s.called, c)
	if s.answers != nil {
		return s.answers(ctx, to)
	}
	_, err := io.WriteString(to, "noted\n")
	return false, err
}

func newFakeServer(t *testing.T, change ...func(*tools.Options)) (*testGate, *fakeServer) {
	s := &fakeServer{digest: "sha256:1"}
	return newTestGate(t, append([]func(*tools.Options){func(o *tools.Options) { o.Services.Foreign = s }}, change...)...), s
}

var noteInput = map[string]any{"text": "it's <mine>", "at": 1.50}

const noteCommand = `mcp notes add '{"at":1.5,"text":"it'\''s <mine>"}'`

func TestAForeignToolIsAskedAboutShownWholeAndRecorded(t *testing.T) {
	d, s := newFakeServer(t)
	yes := allowing()
	out := d.call("notes_add", noteInput, yes)
	require.Len(t, yes.shown, 1)
	j := yes.shown[0]
	require.Equal(t, safety.Confirm, j.Class)
	require.Equal(t, []string{action.ReasonForeign}, j.Reasons)
	require.Equal(t, []string{"mcp", "notes", "add", `{"at":1.5,"text":"it's <mine>"}`}, j.Argv())
	require.Len(t, s.called, 1)
	require.Equal(t, action.ForeignCall{Server: "notes", Tool: "add", Input: json.RawMessage(j.Argv()[3]), Digest: "sha256:1"}, s.called[0], "what was shown is what is sent")
	require.Equal(t, "$ "+j.Command()+"\nnoted\n", out.Text)
	require.Equal(t, []string{"CONFIRMED   " + j.Command()}, d.logged())
	require.True(t, j.IsGrantable(), "for exactly these arguments")
}

func TestAForeignToolThatIsDeniedNeverReachesItsServer(t *testing.T) {
	for name, who := range map[string]*person{
		"no": answering(tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied}), "nobody": answering(), "an edit": editing("uname -s"),
	} {
		t.Run(name, func(t *testing.T) {
			d, s := newFakeServer(t)
			out := d.call("notes_add", noteInput, who)
			require.Empty(t, s.called)
			require.NotEmpty(t, out.Output.Refusal)
			require.True(t, strings.HasPrefix(d.logged()[0], "CANCELLED   mcp notes add "))
			if name == "an edit" {
				require.Contains(t, out.Text, "cannot be edited")
			}
		})
	}
}

func TestAnAllowedForeignToolRunsUnaskedAndIsRecorded(t *testing.T) {
	d, s := newFakeServer(t)
	out := d.call("notes_read", map[string]any{}, answering())
	require.Empty(t, out.Output.Refusal)
	require.Len(t, s.called, 1)
	require.Equal(t, []string{"SAFE        mcp notes read '{}'"}, d.logged())

	d, s = newFakeServer(t, func(o *tools.Options) { o.ReadOnly = true })
	require.Empty(t, d.call("notes_read", map[string]any{}, answering()).Output.Refusal)
	require.Equal(t, tools.RefusedReadOnly, d.call("notes_add", noteInput, allowing()).Output.Refusal)
	require.Len(t, s.called, 1)
}

func TestNothingWidensWhatAForeignToolMay(t *testing.T) {
	d, s := newFakeServer(t, func(o *tools.Options) {
		o.Full = autonomy.Allowance{Commands: []string{"mcp", "notes_add"}, Workspace: o.Home}
	})
	d.call("notes_add", noteInput, answering())
	require.Empty(t, s.called, "autonomy full is about commands")

	rule := func(action tools.RuleAction) func(*tools.Options) {
		return func(o *tools.Options) {
			o.Rules = tools.Rules{Own: []tools.Rule{{Name: "mine", Pattern: regexp.MustCompile(`mcp notes`), Action: action}}}
		}
	}
	d, s = newFakeServer(t, rule(tools.RuleBlock))
	require.Equal(t, tools.RefusedBlocked, d.call("notes_read", noteInput, allowing()).Output.Refusal)
	d, s2 := newFakeServer(t, rule(tools.RuleConfirm))
	d.call("notes_read", noteInput, answering())
	require.Empty(t, append(s.called, s2.called...))

	// The same words as a shell command are a command, not a call of the server.
	d, s = newFakeServer(t)
	d.call("run_command", command(noteCommand), allowing())
	require.Empty(t, s.called)
	// Our own tools take precedence over foreign ones of the same name.
	require.Len(t, d.Definitions(), len(newTestGate(t).Definitions())+2)
	j, refused := d.Prepare(newCall(t, "check_disk", map[string]any{}), "s", d.dir)
	require.Nil(t, refused)
	require.Equal(t, []string{"df", "-h"}, j.Argv())
}

func TestThreat04AForeignToolThatChangedSinceItWasShownIsNotCalled(t *testing.T) {
	d, s := newFakeServer(t)
	j, refused := d.Prepare(newCall(t, "notes_add", noteInput), "s", d.dir)
	require.Nil(t, refused)
	out := d.RunApproved(t.Context(), j, j.Digest, nil, nil)
	require.Empty(t, out.Output.Refusal)
	for name, change := range map[string]func(*tools.JudgedPlan){
		"arguments": func(j *tools.JudgedPlan) { j.Plan = editStored(t, j.Plan, `{\"at\":1.5,`, `{\"at\":2,`) },
		"server":    func(j *tools.JudgedPlan) { j.Plan = editStored(t, j.Plan, `"server":"notes"`, `"server":"other"`) },
		"tool":      func(j *tools.JudgedPlan) { j.Plan = editStored(t, j.Plan, `"tool":"add"`, `"tool":"drop"`) },
		"schema":    func(j *tools.JudgedPlan) { j.Plan.Against = "sha256:2" },
		"kind":      func(j *tools.JudgedPlan) { j.Plan = editStored(t, j.Plan, `"kind":"server"`, `"kind":"notes"`) },
		"program":   func(j *tools.JudgedPlan) { j.Plan.Commands, j.Plan.Action = []shell.Command{{Argv: j.Argv()}}, nil },
		"blanks":    func(j *tools.JudgedPlan) { j.Plan = editStored(t, j.Plan, `{\"at\":1.5,`, `{\"at\": 1.5,`) },
		"more": func(j *tools.JudgedPlan) {
			j.Plan.Commands = append(j.Plan.Commands, shell.Command{Shell: "touch x"})
		},
	} {
		k := j
		change(&k)
		require.NotEmpty(t, d.RunApproved(t.Context(), k, j.Digest, nil, nil).Output.Refusal, name)
	}
	require.Len(t, s.called, 1)

	yes := allowing()
	s.digest = "sha256:2"
	out = d.RunApproved(t.Context(), j, j.Digest, nil, nil)
	require.Equal(t, tools.RefusedMismatch, out.Output.Refusal)
	s.digest, s.away = "sha256:1", errors.New("server notes does not answer: it ended by itself")
	out = d.call("notes_add", noteInput, yes)
	require.Equal(t, tools.RefusedUnavailable, out.Output.Refusal)
	require.Contains(t, out.Text, "server notes does not answer")
	require.Empty(t, yes.shown, "nobody is asked about what cannot be done")
	require.Len(t, s.called, 1)
}

func TestWhatAForeignToolBringsIsBounded(t *testing.T) {
	d, s := newFakeServer(t)
	s.answers = func(_ context.Context, to io.Writer) (bool, error) {
		_, err := io.WriteString(to, "api_key=sk-ant-api03-"+strings.Repeat("x", 90)+"\n"+strings.Repeat("flood\n", 1<<20))
		return true, err
	}
	out := d.call("notes_read", noteInput, nil)
	require.Less(t, len(out.Text), 60<<10)
	require.NotContains(t, out.Text, "sk-ant-api03-x")
	require.Contains(t, out.Text, "[exit 1]")
	require.True(t, out.IsError)

	s.answers = func(context.Context, io.Writer) (bool, error) {
		return false, errors.New("server notes does not answer: EOF")
	}
	out = d.call("notes_read", noteInput, nil)
	require.Contains(t, out.Text, "server notes does not answer")
	require.Contains(t, out.Text, "the result is unknown")

	ctx, cancel := context.WithCancel(t.Context())
	s.answers = func(ctx context.Context, _ io.Writer) (bool, error) { cancel(); return false, ctx.Err() }
	require.Equal(t, tools.RefusedCancelled, d.callCtx(ctx, "notes_read", noteInput, nil).Output.Refusal)
}

func TestAForeignCallThatTakesTooLongIsEnded(t *testing.T) {
	d, s := newFakeServer(t)
	s.answers = func(ctx context.Context, _ io.Writer) (bool, error) { <-ctx.Done(); return false, ctx.Err() }
	j, refused := d.Prepare(newCall(t, "notes_read", noteInput), "s", d.dir)
	require.Nil(t, refused)
	j.Plan.Timeout = time.Millisecond
	require.Contains(t, d.Run(t.Context(), j, nil, nil).Text, "timed out")
}

func TestAnInputThatIsNoObjectIsRefused(t *testing.T) {
	d, s := newFakeServer(t)
	for _, input := range []string{`[1]`, `"x"`, `null`, `{"a":1}{"b":2}`, `{"a":"` + strings.Repeat("x", 70_000) + `"}`} {
		_, refused := d.Prepare(tools.Call{ID: "1", Name: "notes_add", Input: json.RawMessage(input)}, "s", d.dir)
		require.NotNil(t, refused, input[:min(len(input), 20)])
		require.Equal(t, tools.RefusedInput, refused.Output.Refusal)
	}
	require.Empty(t, s.called)
}

// TestWhateverTheArgumentsWhatIsSentIsWhatIsShown: for any object the words of
// the command are the call, and reading the command back gives the same bytes.
func TestWhateverTheArgumentsWhatIsSentIsWhatIsShown(t *testing.T) {
	d, s := newFakeServer(t)
	rapid.Check(t, func(rt *rapid.T) {
		object := rapid.MapOf(rapid.String(), rapid.OneOf(rapid.String().AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny())).Draw(rt, "object")
		yes := allowing()
		s.called = nil
		out := d.call("notes_add", object, yes)
		require.Empty(rt, out.Output.Refusal)
		require.Equal(rt, yes.shown[0].Argv()[3], string(s.called[0].Input))
		again := s.called[0].Input
		s.called = nil
		_ = d.callCtx(t.Context(), "notes_add", again, allowing())
		require.Equal(rt, string(again), string(s.called[0].Input), "it is canonical")
	})
}
