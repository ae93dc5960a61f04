package task

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheStateMachineAllowsExactlyItsMoves(t *testing.T) {
	want := map[State]map[Change]State{
		Pending: {Start: Running, Abort: Aborted, Fail: Failed, Retry: Pending},
		Running: {Pause: Paused, Finish: Done, Fail: Failed, Abort: Aborted, Retry: Pending},
		Paused:  {Resume: Running, Fail: Failed, Abort: Aborted, Retry: Pending},
	}
	for _, s := range []State{Pending, Running, Paused, Done, Failed, Aborted} {
		for _, c := range []Change{Start, Pause, Resume, Finish, Fail, Abort, Retry} {
			next, err := s.Next(c)
			if to, ok := want[s][c]; ok {
				require.NoError(t, err)
				require.Equal(t, to, next)
				continue
			}
			require.Error(t, err, "%s %s", s, c)
			require.Equal(t, s, next)
		}
	}
}

func open(t require.TestingT, file string) (*Store, []Record) {
	s := New(file, time.Now)
	left, damaged, err := s.Load()
	require.NoError(t, err)
	require.Empty(t, damaged)
	return s, left
}

func accept(t require.TestingT, s *Store, id string) {
	require.NoError(t, s.Accept(Record{
		ID: id, State: Pending, Channel: "cli", Session: "k", Name: "default", Text: "do " + id,
		Request: json.RawMessage(`{"cwd":"/tmp"}`), Created: time.Now(),
	}))
}

func TestWhatAKillLeavesIsFoundWithAllThatIsKnown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks.jsonl")
	s, left := open(t, file)
	require.Empty(t, left)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		accept(t, s, id)
	}
	for _, id := range []string{"b", "c", "d", "e"} {
		require.NoError(t, s.Move(id, Start))
	}
	require.NoError(t, s.Pause("c", "K7QX"))
	require.NoError(t, s.End("d", End{Change: Finish, Answer: "the answer"}))
	require.NoError(t, s.End("e", End{Change: Fail, Error: &Failure{Code: "network", UserMessage: "no", InternalMessage: "dial tcp"}}))
	require.NoError(t, s.MarkDelivered("e"))

	s, left = open(t, file)
	require.Len(t, left, 4)
	byID := map[string]Record{}
	for _, r := range left {
		byID[r.ID] = r
		require.Equal(t, "do "+r.ID, r.Text)
		require.JSONEq(t, `{"cwd":"/tmp"}`, string(r.Request))
	}
	require.Equal(t, Pending, byID["a"].State)
	require.Equal(t, Running, byID["b"].State)
	require.Equal(t, 1, byID["b"].Attempts)
	require.Equal(t, Paused, byID["c"].State)
	require.Equal(t, "K7QX", byID["c"].Approval)
	require.Equal(t, Done, byID["d"].State)
	require.Equal(t, "the answer", byID["d"].Answer)
	e, err := s.Get("e")
	require.NoError(t, err)
	require.Equal(t, "dial tcp", e.Error.InternalMessage)
	require.Len(t, s.List(), 5)

	require.ErrorIs(t, s.Move("e", Start), ErrUnknown)
	require.Error(t, s.Move("a", Finish), "one that was not started cannot finish")
	_, err = s.Get("nothing")
	require.ErrorIs(t, err, ErrUnknown)
}

func TestTheJournalHoldsWhatIsNotOverAndTheLastFifty(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks.jsonl")
	s, _ := open(t, file)
	accept(t, s, "waits")
	for i := range 400 {
		id := fmt.Sprint("t", i)
		require.NoError(t, s.Accept(Record{ID: id, State: Pending, Text: strings.Repeat("x", 16<<10), Created: time.Now()}))
		require.NoError(t, s.Move(id, Start))
		require.NoError(t, s.End(id, End{Change: Finish, Answer: strings.Repeat("y", 16<<10)}))
		require.NoError(t, s.MarkDelivered(id))
	}
	fi, err := os.Stat(file)
	require.NoError(t, err)
	require.Less(t, fi.Size(), int64(3*maxJournal))
	s, left := open(t, file)
	require.Len(t, left, 1)
	require.Len(t, s.List(), maxEnded+1)
}

// With changes and crashes in any order.
func TestNoTaskIsForgottenBeforeItIsOver(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		file := filepath.Join(dir, fmt.Sprint(n))
		s, _ := open(t, file)
		want, made := map[string]State{}, 0
		pick := func(t *rapid.T) string {
			var ids []string
			for i := range made {
				if id := fmt.Sprint(i); want[id] != "" {
					ids = append(ids, id)
				}
			}
			if len(ids) == 0 {
				t.Skip("none")
			}
			return rapid.SampledFrom(ids).Draw(t, "task")
		}
		t.Repeat(map[string]func(*rapid.T){
			"accept": func(t *rapid.T) {
				accept(t, s, fmt.Sprint(made))
				want[fmt.Sprint(made)] = Pending
				made++
			},
			"change": func(t *rapid.T) {
				id := pick(t)
				c := rapid.SampledFrom([]Change{Start, Pause, Resume, Retry}).Draw(t, "change")
				next, err := want[id].Next(c)
				if err != nil {
					require.Error(t, s.Move(id, c))
					return
				}
				require.NoError(t, s.Move(id, c))
				want[id] = next
			},
			"end": func(t *rapid.T) {
				id := pick(t)
				if want[id].Ended() {
					require.NoError(t, s.MarkDelivered(id))
					delete(want, id)
					return
				}
				require.NoError(t, s.End(id, End{Change: Fail, Answer: "x"}))
				want[id] = Failed
			},
			"kill":    func(t *rapid.T) { s, _ = open(t, file) },
			"rewrite": func(t *rapid.T) { require.NoError(t, s.rewrite()) },
			"": func(t *rapid.T) {
				got := map[string]State{}
				for _, r := range s.all() {
					got[r.ID] = r.State
				}
				require.Equal(t, want, got)
			},
		})
	})
}
