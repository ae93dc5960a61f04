package session_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// requireShowable checks the requirements of all providers and of the window: a user's message first,
// alternating roles, the assistant last, and each call followed by exactly its results.
func requireShowable(t require.TestingT, past session.Past, window int) {
	require.Less(t, len(past.Messages), window, "with the next words it is at most a window")
	for i, m := range past.Messages {
		want := providers.RoleUser
		if i%2 == 1 {
			want = providers.RoleAssistant
		}
		require.Equal(t, want, m.Role, "message %d", i)
		require.NotEmpty(t, m.Content)
		var called, answered []string
		for _, b := range m.Content {
			if b.Type == providers.BlockToolUse {
				called = append(called, b.ID)
			}
		}
		if i+1 < len(past.Messages) {
			for _, b := range past.Messages[i+1].Content {
				if b.Type == providers.BlockToolResult {
					answered = append(answered, b.ToolUseID)
				}
			}
		}
		require.Equal(t, called, answered, "the results of message %d", i)
	}
	if n := len(past.Messages); n > 0 {
		require.Equal(t, providers.RoleAssistant, past.Messages[n-1].Role)
	}
}

// TestWhateverHappensNothingIsLostAndNothingIsSplit runs random sequences of turns, crashes at any position of
// the file, late results, resets, pauses and compactions.
func TestWhateverHappensNothingIsLostAndNothingIsSplit(t *testing.T) {
	root := t.TempDir()
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		dir, c := fmt.Sprintf("%s/%d", root, round), newClock()
		window := rapid.IntRange(1, 14).Draw(t, "window")
		s := session.New(session.Options{Dir: dir, Window: window, Now: c.now})
		name := ""
		var kept []string // acknowledged entries in order
		n, steps := 0, 0
		add := func(t *rapid.T, m providers.Message) {
			n++
			for i, b := range m.Content {
				if b.Type == providers.BlockText {
					m.Content[i].Text = fmt.Sprintf("%s «%d»", b.Text, n)
				}
			}
			require.NoError(t, keep(s, key, m))
			kept = append(kept, session.NewEntry(m, nil).Content)
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, files, 1)
			name = dir + "/" + files[0].Name()
		}
		ids := func(t *rapid.T) []string {
			return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3).Draw(t, "ids")
		}
		t.Repeat(map[string]func(*rapid.T){
			"words":  func(t *rapid.T) { add(t, providers.UserText("words")) },
			"answer": func(t *rapid.T) { add(t, providers.AssistantText("answer")) },
			"calls": func(t *rapid.T) {
				m := providers.Message{Role: providers.RoleAssistant}
				for i, id := range ids(t) {
					m.Content = append(m.Content, call(fmt.Sprint(id, i)).Content...)
				}
				add(t, m)
			},
			"result": func(t *rapid.T) { add(t, result(ids(t)[0]+"0")) },
			"a whole turn": func(t *rapid.T) {
				for _, m := range turn(n) {
					add(t, m)
				}
			},
			"failure": func(t *rapid.T) {
				n++
				require.NoError(t, s.Append(key, session.NewFailure(fmt.Sprintf("failed «%d»", n), nil)))
			},
			"recovery": func(t *rapid.T) {
				open, err := s.Interrupted(key)
				require.NoError(t, err)
				known := map[string]string{"elsewhere": "x"}
				for _, b := range open[:len(open)/2] {
					known[b.ID] = "late"
				}
				require.NoError(t, s.AppendResults(key, session.LateResult{Results: known, Text: "back again"}))
				open, err = s.Interrupted(key)
				require.NoError(t, err)
				require.Empty(t, open)
			},
			"reset": func(t *rapid.T) {
				require.NoError(t, s.Reset(key))
				past, err := s.Load(key)
				require.NoError(t, err)
				require.Empty(t, past)
			},
			"pause": func(*rapid.T) { c.pass(40 * time.Minute) },
			"torn tail": func(t *rapid.T) {
				if name == "" {
					return
				}
				f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
				require.NoError(t, err)
				line := `{"type":"user","content":"never acknowledged","timestamp":1}`
				_, err = f.WriteString(line[:rapid.IntRange(1, len(line)-1).Draw(t, "cut")])
				require.NoError(t, err)
				require.NoError(t, f.Close())
			},
			"compaction": func(t *rapid.T) {
				x, err := s.Excess(key)
				require.NoError(t, err)
				if len(x.Messages) == 0 {
					return
				}
				requireShowable(t, session.Past{Messages: x.Messages}, len(x.Messages)+1)
				before, err := s.Load(key)
				require.NoError(t, err)
				n++
				text := fmt.Sprintf("in short «%d»", n)
				require.NoError(t, s.Append(key, session.NewSummary(text, x)))
				past, err := s.Load(key)
				require.NoError(t, err)
				require.Equal(t, text, past.Summary)
				require.LessOrEqual(t, len(past.Messages), len(before.Messages))
			},
			"": func(t *rapid.T) {
				past, err := s.Load(key)
				require.NoError(t, err)
				requireShowable(t, past, window)
				if steps++; name == "" || steps%24 != 0 {
					return
				}
				i := 0
				v, err := s.Show(key, 1, 1<<20, func(e session.Entry) {
					if i < len(kept) && e.Content == kept[i] {
						i++
					}
				})
				require.NoError(t, err)
				require.Equal(t, len(kept), i, "every acknowledged message is in the file, in order")
				require.Zero(t, v.Damaged)
			},
		})
	})
}

func TestASummaryStandsForWhatItCovers(t *testing.T) {
	c := newClock()
	s := session.New(session.Options{Dir: t.TempDir(), Window: 12, Now: c.now})
	var all []providers.Message
	for n := range 3 {
		require.NoError(t, keep(s, key, turn(n)...))
		all = append(all, turn(n)...)
		x, err := s.Excess(key)
		require.NoError(t, err)
		require.Equal(t, n == 2, len(x.Messages) > 0, "only what no longer fits")
	}
	x, err := s.Excess(key)
	require.NoError(t, err)
	require.Equal(t, all[:8], x.Messages, "whole exchanges, so that half a window stays")
	require.True(t, x.Untrusted, "a tool's output is in it")
	require.NoError(t, s.Append(key, session.NewSummary("0 and 1", x)))
	past, err := s.Load(key)
	require.NoError(t, err)
	require.Equal(t, session.Past{Summary: "0 and 1", Untrusted: true, UserTexts: []string{"question 2"}, Messages: turn(2)}, past)

	for n := 3; n < 5; n++ {
		require.NoError(t, keep(s, key, turn(n)...))
	}
	x, err = s.Excess(key)
	require.NoError(t, err)
	require.Equal(t, "0 and 1", x.Summary, "a summary goes into the next")
	require.Equal(t, append(turn(2), turn(3)...), x.Messages)

	require.NoError(t, s.Reset(key))
	require.NoError(t, s.Append(key, session.NewSummary("too late", x)))
	past, err = s.Load(key)
	require.NoError(t, err)
	require.Empty(t, past, "a summary that came behind a reset is not of the new conversation")

	require.NoError(t, keep(s, key, turn(6)...))
	c.pass(2 * time.Hour)
	require.NoError(t, keep(s, key, turn(7)...))
	past, err = s.Load(key)
	require.NoError(t, err)
	require.Equal(t, session.Past{UserTexts: []string{"question 7"}, Messages: turn(7)}, past, "nor does it outlive a long pause")
}

func TestASummaryThatSaysNothingOfWhatItCoversCoversEverything(t *testing.T) {
	for _, covers := range []int64{0, -5, 1 << 40} {
		s := open(t.TempDir(), newClock())
		require.NoError(t, keep(s, key, turn(1)...))
		require.NoError(t, s.Append(key, session.Entry{Type: session.TypeSummary, Content: "x", Metadata: &session.Metadata{Covers: covers}}))
		require.NoError(t, keep(s, key, turn(2)...))
		past, err := s.Load(key)
		require.NoError(t, err)
		require.Equal(t, turn(2), past.Messages)
		require.Equal(t, "x", past.Summary)
	}
}

// A call whose result is missing is shown as interrupted. Otherwise a provider would reject the conversation
// permanently, and a model would assume that nothing was done.
func TestACallWithoutItsResultIsShownAsInterrupted(t *testing.T) {
	two := providers.Message{Role: providers.RoleAssistant, Content: append(call("a").Content, call("b").Content...)}
	for name, tc := range map[string]struct {
		messages []providers.Message
		want     []string
	}{
		"call without result":          {[]providers.Message{call("a")}, []string{"a interrupted"}},
		"result of another":            {[]providers.Message{call("a"), result("b")}, []string{"a interrupted"}},
		"one result is missing":        {[]providers.Message{two, result("b")}, []string{"a interrupted", "b 42%"}},
		"results in another order":     {[]providers.Message{two, result("b"), result("a")}, []string{"a 42%", "b 42%"}},
		"call after call":              {[]providers.Message{call("a"), call("b"), result("b")}, []string{"a interrupted", "b 42%"}},
		"result without call":          {[]providers.Message{result("a")}, nil},
		"a result twice":               {[]providers.Message{call("a"), result("a"), result("a")}, []string{"a 42%"}},
		"news of another task between": {[]providers.Message{call("a"), providers.AssistantText("news"), result("a")}, []string{"a 42%"}},
		"a late result after words":    {[]providers.Message{call("a"), providers.UserText("there?"), result("a")}, []string{"a interrupted"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t.TempDir(), newClock())
			require.NoError(t, keep(s, key, providers.UserText("look")))
			require.NoError(t, keep(s, key, tc.messages...))
			require.NoError(t, keep(s, key, turn(2)...))
			past, err := s.Load(key)
			require.NoError(t, err)
			requireShowable(t, past, 50)
			require.Equal(t, turn(2), past.Messages[len(past.Messages)-4:])
			var got []string
			for _, m := range past.Messages[:len(past.Messages)-4] {
				for _, b := range m.Content {
					if b.Type == providers.BlockToolResult {
						text := b.Content
						if strings.Contains(text, "not known whether it ran") {
							require.True(t, b.IsError)
							text = "interrupted"
						}
						got = append(got, b.ToolUseID+" "+text)
					}
				}
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestWhatBecameKnownLaterIsKeptWithItsCall(t *testing.T) {
	c := newClock()
	s := open(t.TempDir(), c)
	open, err := s.Interrupted(key)
	require.NoError(t, err)
	require.Empty(t, open)
	two := providers.Message{Role: providers.RoleAssistant, Content: append(call("a").Content, call("b").Content...)}
	require.NoError(t, keep(s, key, providers.UserText("update"), two))
	c.pass(3 * time.Hour) // the machine was off
	open, err = s.Interrupted(key)
	require.NoError(t, err)
	require.Equal(t, two.Content, open)

	require.NoError(t, s.AppendResults(key, session.LateResult{Results: map[string]string{"b": "exit 0\nall is well"}, Text: "I was interrupted; the update went through."}))
	past, err := s.Load(key)
	require.NoError(t, err)
	requireShowable(t, past, 50)
	results := past.Messages[2].Content
	require.Contains(t, results[0].Content, "not known whether it ran")
	require.Equal(t, "| exit 0\n| all is well", results[1].Content, "fenced, one way or another")
	require.Equal(t, "I was interrupted; the update went through.", past.Messages[3].Text())
	open, err = s.Interrupted(key)
	require.NoError(t, err)
	require.Empty(t, open)
}
