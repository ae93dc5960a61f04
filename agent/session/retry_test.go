package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// of returns an entry of a task.
func of(task string, m providers.Message) session.Entry {
	return session.NewEntry(m, &session.Metadata{Task: task})
}

// TestD8bWhatARetriedTaskLeftIsNotShownToIt: the task's message is stored once, and the model gets it once,
// wherever the program crashed.
func TestD8bWhatARetriedTaskLeftIsNotShownToIt(t *testing.T) {
	for name, left := range map[string][]session.Entry{
		"words":             {of("t2", providers.UserText("restart it"))},
		"words and a call":  {of("t2", providers.UserText("restart it")), of("t2", call("c1"))},
		"news came between": {of("t2", providers.UserText("restart it")), of("t9", providers.AssistantText("the update ended"))},
		"twice, by an older program": {
			of("t2", providers.UserText("restart it")), of("t2", call("c1")), of("t2", providers.UserText("restart it")),
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			s := open(t.TempDir(), c)
			require.NoError(t, s.Append(key, of("t1", providers.UserText("restart it")), of("t1", providers.AssistantText("done"))))
			past, kept, err := s.LoadRetried(key, "t2")
			require.NoError(t, err)
			require.False(t, kept, "the same words of another task are others")
			require.Len(t, past.Messages, 2)

			require.NoError(t, s.Append(key, left...))
			past, kept, err = s.LoadRetried(key, "t2")
			require.NoError(t, err)
			require.True(t, kept)
			require.Equal(t, []string{"restart it", "done"}, texts(past.Messages))
			require.NoError(t, s.Append(key, of("t2", providers.AssistantText("it runs"))))
			said := 0
			for _, m := range load(t, s) {
				if m.Text() == "restart it" {
					said++
				}
			}
			require.Equal(t, 2, said, "once for each task")
		})
	}
}

func TestD8bWordsAreFoundHoweverLongTheProgramWasAway(t *testing.T) {
	c := newClock()
	s := open(t.TempDir(), c)
	require.NoError(t, s.Append(key, of("t1", providers.UserText("restart it"))))
	c.pass(3 * time.Hour)
	past, kept, err := s.LoadRetried(key, "t1")
	require.NoError(t, err)
	require.True(t, kept)
	require.Empty(t, past.Messages)
	require.NoError(t, s.Append(key, of("t1", providers.AssistantText("it runs"))))
	require.Equal(t, []string{"restart it", "it runs"}, texts(load(t, s)))

	require.NoError(t, s.Append(key, of("t2", providers.UserText("stop it"))))
	require.NoError(t, s.Reset(key))
	_, kept, err = s.LoadRetried(key, "t2")
	require.NoError(t, err)
	require.False(t, kept, "the conversation began anew since")
}

func texts(messages []providers.Message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Text())
	}
	return all
}
