package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// TestProperty03AToolCallIsReadAsItWasWritten tests property 3 of the agent-rs design. Its ToolCall is a
// tool_use block, stored in a conversation's file.
//
// Feature: agent-rs, Property 3: Tool Call Parsing Round-Trip.
func TestProperty03AToolCallIsReadAsItWasWritten(t *testing.T) {
	root := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		s := open(fmt.Sprint(root, "/", round), newClock())
		input, err := json.Marshal(map[string]string{"command": rapid.String().Draw(t, "command"), rapid.String().Draw(t, "key"): rapid.String().Draw(t, "value")})
		require.NoError(t, err)
		want := providers.Block{
			Type: providers.BlockToolUse, ID: rapid.StringMatching(`[a-z0-9_-]{1,20}`).Draw(t, "id"),
			Name: rapid.StringMatching(`[a-z_]{1,20}`).Draw(t, "name"), Input: input,
		}
		require.NoError(t, keep(s, key, providers.UserText("do it"),
			providers.Message{Role: providers.RoleAssistant, Content: []providers.Block{want}},
			providers.Message{Role: providers.RoleUser, Content: []providers.Block{{Type: providers.BlockToolResult, ToolUseID: want.ID, Content: "done"}}},
			providers.AssistantText("done")))
		past, err := s.Load(key)
		require.NoError(t, err)
		got := past.Messages[1].Content[0]
		require.JSONEq(t, string(want.Input), string(got.Input))
		got.Input = want.Input
		require.Equal(t, want, got)
	})
}

// TestProperty13AConversationIsReadAsItWasWritten tests property 13 of the agent-rs design for our own file:
// count, roles and texts. Gemini's format has its own test.
//
// Feature: agent-rs, Property 13: History Serialization Round-Trip.
func TestProperty13AConversationIsReadAsItWasWritten(t *testing.T) {
	root := t.TempDir()
	round := 0
	words := rapid.String().Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	rapid.Check(t, func(t *rapid.T) {
		round++
		s := open(fmt.Sprint(root, "/", round), newClock())
		var want []providers.Message
		for range rapid.IntRange(1, 10).Draw(t, "exchanges") {
			want = append(want, providers.UserText(words.Draw(t, "user")), providers.AssistantText(words.Draw(t, "assistant")))
		}
		require.NoError(t, keep(s, key, want...))
		past, err := s.Load(key)
		require.NoError(t, err)
		require.Equal(t, want, past.Messages)
	})
}

// TestProperty21OnlyTheLatestMessagesAreShown tests property 21 of the agent-rs design. Its
// max_history_messages is the store's window, which also has room for the next message. The system prompt does
// not count.
//
// Feature: agent-rs, Property 21: Sliding Window History Management.
func TestProperty21OnlyTheLatestMessagesAreShown(t *testing.T) {
	root := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		window := rapid.IntRange(1, 30).Draw(t, "window")
		s := session.New(session.Options{Dir: fmt.Sprint(root, "/", round), Window: window, Now: newClock().now})
		var all []providers.Message
		for i := range rapid.IntRange(1, 30).Draw(t, "exchanges") {
			all = append(all, providers.UserText(fmt.Sprint("question ", i)), providers.AssistantText(fmt.Sprint("answer ", i)))
		}
		require.NoError(t, keep(s, key, all...))
		past, err := s.Load(key)
		require.NoError(t, err)
		requireShowable(t, past, window)
		most := min((window-1)/2*2, len(all)) // whole exchanges
		require.Len(t, past.Messages, most)
		if most > 0 {
			require.Equal(t, all[len(all)-most:], past.Messages)
		}
	})
}
