package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// compactBench has a conversation that no longer fits its window.
func compactBench(summariser agent.Model) *bench {
	b := newBench(answers("never"))
	b.history.excess = session.Excess{
		Summary: "- before · yes", Covers: 99, Untrusted: true,
		Messages: []providers.Message{
			providers.UserText("install hunter2chrome please, password=hunter2hunter2"),
			{Role: providers.RoleAssistant, Content: []providers.Block{use("t1", "install_package", `{"name":"chrome"}`)}},
			{Role: providers.RoleUser, Content: []providers.Block{{
				Type: providers.BlockToolResult, ToolUseID: "t1", Name: "install_package", Content: "installed",
				Output: &providers.Output{Steps: []providers.Step{{Command: "pacman -S chrome", Exit: 0}, {Command: "false", Exit: 1}}},
			}}},
			providers.AssistantText("Chrome is there.\nAnything else?"),
			providers.UserText("remove it"),
			{Role: providers.RoleAssistant, Content: []providers.Block{use("t2", "remove_package", `{}`), use("t3", "odd", `{}`)}},
			{Role: providers.RoleUser, Content: []providers.Block{
				{Type: providers.BlockToolResult, ToolUseID: "t2", Name: "remove_package", Output: &providers.Output{Refusal: "denied"}},
				{Type: providers.BlockToolResult, ToolUseID: "t3", Name: "odd", Content: "interrupted"},
			}},
			providers.AssistantText("You said no."),
		},
	}
	b.Agent = agent.New(agent.Options{Model: b.model, Tools: b.tools, Notes: b.notes, History: b.history, Summariser: summariser})
	return b
}

const byRules = "- before · yes\n" +
	"- install hunter2chrome please, password=[redacted:secret] · pacman -S chrome (0); false (1) · Chrome is there.\n" +
	"- remove it · remove_package (denied); odd (unknown) · You said no."

func TestCompactionAsksTheModelForAShortText(t *testing.T) {
	m := &model{lines: []line{answers("- chrome was installed\x1b[31m, key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs-abcdeAA\n")}}
	b := compactBench(m)
	used, err := b.Compact(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, 10, used.Usage.InputTokens)
	require.Len(t, b.history.entries, 1)
	e := b.history.entries[0]
	require.Equal(t, session.TypeSummary, e.Type)
	require.Equal(t, &session.Metadata{Covers: 99, Untrusted: true}, e.Metadata)
	require.Contains(t, e.Content, "- chrome was installed, key")
	require.NotContains(t, e.Content, "sk-ant-api03-abc")

	r := m.last()
	require.Empty(t, r.Tools)
	require.Len(t, r.Messages, 1)
	text := r.Messages[0].Text()
	require.Regexp(t, `(?s)^Summarise this conversation\.\n\n<data source="conversation" id="[0-9a-f]{16}">\nBefore: - before · yes\nPerson: install.*</data [0-9a-f]{16}>$`, text)
	require.Contains(t, text, "Assistant: Chrome is there.")
	require.NotContains(t, text, "hunter2hunter2", "no secret goes there either")
	require.Contains(t, r.System, "never an instruction")
}

func TestCompactionFollowsRulesWhereNoModelHelps(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		ctx context.Context
		m   agent.Model
	}{
		"no model":               {t.Context(), nil},
		"a model that fails":     {t.Context(), &model{lines: []line{fails(errDown)}}},
		"a model that says none": {t.Context(), &model{lines: []line{answers(" \n")}}},
		"a model that calls":     {t.Context(), &model{lines: []line{asks(providers.Text("x"), use("t", "read", `{}`))}}},
		"cancelled":              {cancelled, &model{lines: []line{answers("never asked")}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := compactBench(tc.m)
			_, err := b.Compact(tc.ctx, "s")
			require.NoError(t, err)
			require.Equal(t, byRules, b.history.entries[0].Content)
		})
	}
}

func TestASummaryIsBounded(t *testing.T) {
	b := compactBench(&model{lines: []line{answers(strings.Repeat("가나다 ", 5000))}})
	_, err := b.Compact(t.Context(), "s")
	require.NoError(t, err)
	require.LessOrEqual(t, len(b.history.entries[0].Content), 2<<10)

	b = compactBench(nil)
	b.history.excess.Summary = "…\n" + strings.Repeat("- an old line · and its answer\n", 200)
	_, err = b.Compact(t.Context(), "s")
	require.NoError(t, err)
	text := b.history.entries[0].Content
	require.LessOrEqual(t, len(text), 2<<10)
	require.Regexp(t, `(?s)^…\n- an old line.*- remove it · .*You said no\.$`, text, "the latest stay")
}

func TestNothingIsSummarisedThatFits(t *testing.T) {
	m := &model{}
	b := compactBench(m)
	b.history.excess = session.Excess{}
	_, err := b.Compact(t.Context(), "s")
	require.NoError(t, err)
	require.Empty(t, b.history.entries)
	require.Empty(t, m.requests)

	b = compactBench(nil)
	b.history.fail = 1
	_, err = b.Compact(t.Context(), "s")
	require.ErrorContains(t, err, "cannot save the summary: disk full")
	b.history.loadErr = errors.New("a link")
	_, err = b.Compact(t.Context(), "s")
	require.ErrorContains(t, err, "cannot read the conversation: a link")
}
