package receipt

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/agent/plan"
)

func TestAReceiptIsReadAsItsStepsWereLastStored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "receipts-")
		require.NoError(rt, err)
		defer os.RemoveAll(dir)
		s := New(dir, time.Now)
		want := map[string][]plan.State{}
		var ids []string
		for range rapid.IntRange(1, 20).Draw(rt, "acts") {
			if len(ids) == 0 || rapid.Bool().Draw(rt, "begin") {
				n := rapid.IntRange(1, 4).Draw(rt, "steps")
				id, err := s.Begin(Receipt{Steps: make([]Step, n)})
				require.NoError(rt, err)
				require.NotContains(rt, want, id)
				ids, want[id] = append(ids, id), make([]plan.State, n)
				continue
			}
			id := rapid.SampledFrom(ids).Draw(rt, "id")
			i := rapid.IntRange(0, len(want[id])-1).Draw(rt, "step")
			want[id][i] = rapid.SampledFrom([]plan.State{plan.StepRunning, plan.StepDone, plan.StepFailed}).Draw(rt, "state")
			require.NoError(rt, s.Update(id, i, Step{State: want[id][i]}))
		}
		all, err := New(dir, time.Now).All() // as the next process reads it
		require.NoError(rt, err)
		require.Len(rt, all, len(ids))
		for _, r := range all {
			for i, step := range r.Steps {
				require.Equal(rt, want[r.ID][i], step.State)
			}
		}
	})
}

func TestReceiptsAndTheirTextsAreForgottenAfterAMonth(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := New(t.TempDir(), func() time.Time { return now })
	old, err := s.Keep([]byte("old"))
	require.NoError(t, err)
	waiting, err := s.Keep([]byte("waiting"))
	require.NoError(t, err)
	require.NoError(t, os.Chtimes(s.Path(old), now, now))
	require.NoError(t, os.Chtimes(s.Path(waiting), now.Add(KeptFor), now.Add(KeptFor)))
	first, err := s.Begin(Receipt{Steps: []Step{{State: plan.StepDone, Effects: []plan.Effect{
		{Kind: plan.KindFile, Name: "/x", Before: old}, {Kind: plan.KindPackage, Name: "a", Before: "1-1"},
	}}}})
	require.NoError(t, err)
	pins, err := s.Pins()
	require.NoError(t, err)
	require.Equal(t, []string{"a-1-1"}, pins)
	require.True(t, s.Has(old))
	for at, place := range s.Removed("/x") {
		require.Equal(t, s.Path(old), place)
		require.Equal(t, now, at)
	}
	require.Len(t, maps.Collect(s.Removed("/x")), 1)
	require.Empty(t, maps.Collect(s.Removed("/y")))

	now = now.Add(KeptFor + time.Hour)
	_, err = s.Begin(Receipt{Steps: []Step{{}}})
	require.NoError(t, err)
	_, found, err := s.Find(first)
	require.NoError(t, err)
	require.False(t, found)
	require.False(t, s.Has(old))
	require.True(t, s.Has(waiting), "a plan may wait with it")
	pins, err = s.Pins()
	require.NoError(t, err)
	require.Empty(t, pins)
	require.Empty(t, maps.Collect(s.Removed("/x")))
}

func TestAChangedTextIsNotKept(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir(), time.Now)
	digest, err := s.Keep([]byte("a"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.Path(digest), []byte("b"), 0o600))
	require.False(t, s.Has(digest))
	_, err = s.Keep(make([]byte, maxFile+1))
	require.ErrorContains(t, err, "at most")
	require.Equal(t, filepath.Join(s.files(), "passwd"), s.Path("../../etc/passwd"))
}
