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

// A reminder says what the person said. In Korean its text is the noun of the order that they quoted.
func TestAReminderSaysThePersonsWords(t *testing.T) {
	for words, says := range map[string]map[string]bool{
		"40분 뒤에 빨래 꺼내라고 알려줘":                  {"빨래 꺼내기": true, "빨래 꺼내라고": true, "빨래 널기": false, "돈 보내기": false, "꺼내기": true},
		"7시에 약 먹으라고 알려줘":                      {"약 먹기": true, "약 먹지 않기": false},
		"remind me in 20 minutes to call mom": {"call mom": true, "call mom and pay": false},
		"빨래 꺼내지 말라고 알려줘":                      {"빨래 꺼내기": false},
	} {
		for say, own := range says {
			require.Equal(t, own, ownTask(words, say), "%s: %s", words, say)
		}
	}
}
