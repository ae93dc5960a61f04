package written_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestProperty03AToolCallThatAModelWritesIsRead tests property 3 of the agent-rs design: a ToolCall as JSON,
// raw or in a code fence, is parsed as a run_command call with exactly that command.
//
// Feature: agent-rs, Property 3: Tool Call Parsing Round-Trip.
func TestProperty03AToolCallThatAModelWritesIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		command := rapid.String().Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "command")
		text, err := json.Marshal(struct {
			Tool    string `json:"tool"`
			Command string `json:"command"`
		}{"run_cmd", command})
		require.NoError(t, err)
		said := string(text)
		if rapid.Bool().Draw(t, "fenced") {
			said = "```json\n" + said + "\n```"
		}
		done, _ := ask(t, &fakeModel{pieces: pieces(said, rapid.IntRange(1, 100).Draw(t, "pieces"))})
		require.Len(t, done.ToolUses(), 1)
		require.Equal(t, "run_command", done.ToolUses()[0].Name)
		var input struct{ Command string }
		require.NoError(t, json.Unmarshal(done.ToolUses()[0].Input, &input))
		require.Equal(t, strings.ToValidUTF8(command, "\ufffd"), input.Command)
	})
}
