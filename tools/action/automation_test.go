package action

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTwoActionsHaveDifferentCommandLines: a digest contains an action's command line only, so an approval would
// otherwise also fit a stored action with other fields.
func TestTwoActionsHaveDifferentCommandLines(t *testing.T) {
	word := rapid.SampledFrom([]string{"", "a", "1d", "--", "--name", "--key"})
	rapid.Check(t, func(t *rapid.T) {
		a := automationAction{
			Verb: rapid.SampledFrom([]string{"list", "add", "edit", "snooze", "remove"}).Draw(t, "verb"), Name: word.Draw(t, "name"),
			Schedule: word.Draw(t, "schedule"), Check: word.Draw(t, "check"), Task: word.Draw(t, "task"), Duration: word.Draw(t, "duration"),
			Notify: rapid.SliceOfN(word, 0, 2).Draw(t, "notify"),
		}
		b := a
		switch rapid.IntRange(0, 3).Draw(t, "changed") {
		case 0:
			b.Task, b.Duration = a.Duration, a.Task
		case 1:
			b.Name = word.Draw(t, "other name")
		case 2:
			b.Notify = append([]string{""}, a.Notify...)
		case 3:
			b.Schedule = word.Draw(t, "other schedule")
		}
		if !a.isValid() || !b.isValid() {
			return
		}
		same := a.Verb == b.Verb && a.Name == b.Name && a.Schedule == b.Schedule && a.Task == b.Task && a.Duration == b.Duration && len(a.Notify) == len(b.Notify)
		if !same {
			require.NotEqual(t, a.Argv(), b.Argv())
		}
	})
	require.False(t, automationAction{Verb: "edit", Name: "x", Duration: "1d"}.isValid(), "it looks like a task")
}
