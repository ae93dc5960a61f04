package tools_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools"
)

// TestThreat28AnAgentsToolsNeverPermitMoreThanTheGate: for any list of tools, a call is planned as by the gate or not at
// all, under each name by which a model may call it.
func TestThreat28AnAgentsToolsNeverPermitMoreThanTheGate(t *testing.T) {
	g := newTestGate(t).Gate
	var names []string
	for _, d := range g.Definitions() {
		names = append(names, d.Name)
	}
	calls := append(slices.Clone(names), "run_cmd", "shell", "file_write", "file.read", "system.run", "browser.open", "nonsense")
	rapid.Check(t, func(t *rapid.T) {
		allowed := rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "allowed")
		call := tools.Call{Name: rapid.SampledFrom(calls).Draw(t, "call"), Input: []byte(`{"command":"df","path":"/etc/hostname"}`)}
		s := g.Subset(allowed)
		for _, d := range s.Definitions() {
			require.Contains(t, allowed, d.Name)
		}
		want, refusedByGate := g.Prepare(call, "s", "/")
		got, refused := s.Prepare(call, "s", "/")
		if refused == nil {
			require.Nil(t, refusedByGate)
			require.Contains(t, allowed, got.Call.Name)
			require.Equal(t, want.Digest, got.Digest)
		} else if slices.Contains(allowed, want.Call.Name) {
			require.Equal(t, refusedByGate, refused)
		}
	})
}
