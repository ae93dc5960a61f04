package agent

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestProperty21WhatDoesNotFitLeavesFromTheFront tests property 21 of the agent-rs design for a window counted
// in tokens: a request has the system prompt, the latest messages and always the user's message. Earlier whole
// exchanges are left out. The window counted in messages is tested in agent/session.
//
// Feature: agent-rs, Property 21: Sliding Window History Management.
func TestProperty21WhatDoesNotFitLeavesFromTheFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exchanges := rapid.IntRange(1, 12).Draw(t, "exchanges")
		turn := turnOf(long(exchanges, rapid.IntRange(0, 6000).Draw(t, "result")), nil, "now")
		before := turn.messages
		limit := rapid.IntRange(1, sizeOf(turn.request())+100).Draw(t, "limit")
		whole := sizeOf(turn.request()) <= limit
		turn.fit(limit)
		after := turn.messages
		require.Contains(t, turn.request().System, "system")
		require.Equal(t, "now", after[len(after)-1].Text())
		require.LessOrEqual(t, len(after), len(before))
		require.Zero(t, (len(before)-len(after))%4, "an exchange is left out whole or not at all")
		for i, m := range after {
			was := before[len(before)-len(after)+i]
			require.Equal(t, was.Role, m.Role)
			require.Equal(t, was.Text(), m.Text())
			require.Len(t, m.Content, len(was.Content))
		}
		if whole {
			require.Equal(t, before, after)
		}
	})
}
