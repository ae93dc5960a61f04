package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
)

// long returns a conversation of exchanges that each call a tool.
func long(exchanges, result int) []providers.Message {
	var all []providers.Message
	for i := range exchanges {
		id := fmt.Sprint("t", i)
		all = append(all,
			providers.UserText(fmt.Sprint("question ", i)),
			providers.Message{Role: providers.RoleAssistant, Content: []providers.Block{{Type: providers.BlockToolUse, ID: id, Name: "read", Input: json.RawMessage(`{}`)}}},
			providers.Message{Role: providers.RoleUser, Content: []providers.Block{{Type: providers.BlockToolResult, ToolUseID: id, Name: "read", Content: Fence("tool read", strings.Repeat("line of output\n", result/15))}}},
			providers.AssistantText(fmt.Sprint("answer ", i)),
		)
	}
	return all
}

type noTools struct{ Toolbox }

func (noTools) Definitions() []providers.ToolDefinition { return nil }

func turnOf(past, since []providers.Message, words string) *turn {
	return &turn{
		Agent: &Agent{o: Options{Tools: noTools{}}, gauge: newGauge()}, fence: newFence(), system: "system",
		messages: slices.Concat(past, []providers.Message{providers.UserText(words)}, since), added: len(since),
	}
}

func TestWhatFitsIsLeftAsItIs(t *testing.T) {
	turn := turnOf(long(3, 600), nil, "now")
	before := slices.Clone(turn.messages)
	require.False(t, turn.fit(0), "no limit is known")
	require.False(t, turn.fit(sizeOf(turn.request())))
	require.Equal(t, before, turn.messages)
}

func TestOldResultsAreCutFirst(t *testing.T) {
	turn := turnOf(long(4, 8000), long(1, 8000)[1:3], "now")
	require.True(t, turn.fit(24_000))
	require.LessOrEqual(t, sizeOf(turn.request()), 24_000)
	require.False(t, turn.truncated)
	require.Equal(t, "question 0", turn.messages[0].Text())
	require.Contains(t, turn.messages[2].Content[0].Content, "bytes left out here")
	require.NotContains(t, turn.messages[len(turn.messages)-1].Content[0].Content, "bytes left out", "this turn's are what it is about")
}

func TestThenTheEarliestExchangesAreLeftOut(t *testing.T) {
	turn := turnOf(long(20, 1500), nil, "now")
	require.True(t, turn.fit(8000))
	require.LessOrEqual(t, sizeOf(turn.request()), 8100)
	require.True(t, turn.truncated)
	require.Contains(t, turn.request().System, "Earlier parts of this conversation are not shown")
	require.True(t, strings.HasPrefix(turn.messages[0].Text(), "question "))
	require.NotEqual(t, "question 0", turn.messages[0].Text())
	require.Equal(t, "now", turn.messages[turn.userIndex()].Text())
}

func TestThenThisTurnsResultsAndWhatWasPipedIn(t *testing.T) {
	piped := "summarise\n\n" + Fence("standard input", strings.Repeat("a line\n", 20_000))
	turn := turnOf(nil, long(1, 100_000)[1:3], piped)
	require.True(t, turn.fit(20_000))
	require.LessOrEqual(t, sizeOf(turn.request()), 20_500)
	result := turn.messages[2].Content[0].Content
	require.Contains(t, result, "bytes left out here, because all of it is too long for this model")
	require.True(t, strings.HasPrefix(result, "<data source="), "the fence stays")
	require.Contains(t, result[len(result)-60:], "</data ")
	words := turn.messages[0].Text()
	require.True(t, strings.HasPrefix(words, "summarise\n\n<data "))
	require.Contains(t, words[len(words)-60:], "</data ")
}

// TestAFittedConversationIsStillOne: after cutting, calls keep their results, roles alternate, the user's
// message is first, and the stored messages are not modified.
func TestAFittedConversationIsStillOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		past := long(rapid.IntRange(0, 12).Draw(t, "exchanges"), rapid.IntRange(0, 30_000).Draw(t, "result"))
		var since []providers.Message
		for range rapid.IntRange(0, 3).Draw(t, "rounds") {
			since = append(since, long(1, rapid.IntRange(0, 60_000).Draw(t, "now"))[1:3]...)
		}
		turn := turnOf(past, since, "now "+strings.Repeat("말", rapid.IntRange(0, 3000).Draw(t, "words")))
		before, err := json.Marshal(turn.messages)
		require.NoError(t, err)
		kept := turn.messages
		limit := rapid.IntRange(1, 200_000).Draw(t, "limit")
		size := sizeOf(turn.request())
		if smaller := turn.fit(limit); smaller {
			require.Less(t, sizeOf(turn.request()), size)
		}
		require.LessOrEqual(t, sizeOf(turn.request()), size+100, "the note that something is missing")
		after, err := json.Marshal(kept)
		require.NoError(t, err)
		require.Equal(t, before, after, "what others hold was changed")
		require.True(t, isUserMessage(turn.messages[0]))
		require.True(t, strings.HasPrefix(turn.messages[turn.userIndex()].Text(), "now "))
		for i, m := range turn.messages {
			if i > 0 {
				require.NotEqual(t, turn.messages[i-1].Role, m.Role)
			}
			for _, b := range m.Content {
				if b.Type == providers.BlockToolUse {
					require.Equal(t, b.ID, turn.messages[i+1].Content[0].ToolUseID)
				}
			}
		}
	})
}

func TestTheEstimateLearnsFromWhatWasCounted(t *testing.T) {
	g := newGauge()
	require.Equal(t, 3000, g.bytesFor("p", "m", 1000))
	for range 30 {
		g.record("p", "m", 10_000, 5000)
	}
	require.InDelta(t, 2000, g.bytesFor("p", "m", 1000), 20)
	require.Equal(t, 3000, g.bytesFor("p", "other", 1000))
	g.record("p", "other", 10_000, 3) // a server that does not count
	require.Equal(t, 3000, g.bytesFor("p", "other", 1000))
}
