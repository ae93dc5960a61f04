package gemini

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
)

// TestProperty13AHistoryKeepsCountRolesAndWords tests property 13 of the agent-rs design. Its MessageRole is
// providers.Role, which is "model" on Gemini's wire.
//
// Feature: agent-rs, Property 13: History Serialization Round-Trip.
func TestProperty13AHistoryKeepsCountRolesAndWords(t *testing.T) {
	m, err := New(Options{Model: "gemini-test"})
	require.NoError(t, err)
	words := rapid.String().Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
	rapid.Check(t, func(t *rapid.T) {
		var history []providers.Message
		for i := range rapid.IntRange(1, 20).Draw(t, "messages") {
			if i%2 == 0 {
				history = append(history, providers.UserText(words.Draw(t, "user")))
			} else {
				history = append(history, providers.AssistantText(words.Draw(t, "model")))
			}
		}
		body, err := m.encode(providers.Request{Messages: history})
		require.NoError(t, err)
		var wire struct {
			Contents []struct {
				Role  string `json:"role"`
				Parts []struct {
					Text string `json:"text"`
				} `json:"parts"`
			} `json:"contents"`
		}
		require.NoError(t, json.Unmarshal(body, &wire))
		require.Len(t, wire.Contents, len(history))
		for i, c := range wire.Contents {
			role := providers.RoleUser
			if c.Role == "model" {
				role = providers.RoleAssistant
			}
			require.Equal(t, history[i].Role, role)
			require.Len(t, c.Parts, 1)
			require.Equal(t, strings.ToValidUTF8(history[i].Text(), "\ufffd"), c.Parts[0].Text)
		}
	})
}
