package notes_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall/protocol"
	"github.com/nidoit/blunux-ai/memory/recall/server"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "record":
		record(os.Args[2])
	case len(os.Args) == 2 && os.Args[1] == "serve":
		_ = server.Serve(os.Stdin, os.Stdout)
	case len(os.Args) == 2 && os.Args[1] == "fail":
		os.Exit(9)
	default:
		goleak.VerifyTestMain(m)
	}
}

// record appends the requests that it gets to a file and answers them with nothing.
func record(file string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var request struct{ ID int }
		if json.Unmarshal(lines.Bytes(), &request) == nil && request.ID > 0 {
			_, _ = f.Write(append(lines.Bytes(), '\n'))
			answer, _ := json.Marshal(map[string]any{"id": request.ID, "result": nil})
			_, _ = os.Stdout.Write(append(answer, '\n'))
		}
	}
}

// home returns notes with an old one, whose index program is this test binary with arguments.
func home(t *testing.T, arguments ...string) (*notes.Notes, *warnings) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	paths := config.Paths{Home: t.TempDir()}
	require.NoError(t, os.MkdirAll(filepath.Join(paths.Memory(), "daily"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(paths.Memory(), "daily/2026-01-05.md"), []byte("- 09:15 · penguin · ls · in the attic\n"), 0o600))
	w := &warnings{}
	f := notes.NewFinder(notes.FinderOptions{
		Paths: paths, Getenv: func(string) string { return "" }, Program: append([]string{self}, arguments...), Warn: w.add,
	})
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return notes.New(paths, config.Memory{}, f, secret.NewRedactor(nil)), w
}

// warnings collects the codes of problems.
type warnings struct {
	mu    sync.Mutex
	codes []string
}

func (w *warnings) add(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var problem *notes.SearchError
	if errors.As(err, &problem) {
		w.codes = append(w.codes, problem.Code)
	} else {
		w.codes = append(w.codes, err.Error())
	}
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.codes...)
}

// recorded returns the requests of a recording program of one method.
func recorded[P any](t *testing.T, file, method string) (all []P) {
	t.Helper()
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var request struct {
			Method string
			Params json.RawMessage
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &request))
		if request.Method == method {
			var params P
			require.NoError(t, json.Unmarshal(request.Params, &params))
			all = append(all, params)
		}
	}
	return all
}

func TestATurnAloneStartsNoProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "requests")
	n, _ := home(t, "record", file)
	require.NoError(t, n.Append(time.Now(), "09:15 · hello · · hi"))
	n.Finder.UpdateSoon("a")
	_, err := n.Remember(t.Context(), memory.Note{Text: "likes tea"})
	require.NoError(t, err)
	n.Finder.UpdateInBackground()
	n.Finder.AwaitUpdate(t.Context())
	n.Finder.NotesRemoved() // there is no index that could contain one
	n.Finder.AwaitUpdate(t.Context())
	require.NoFileExists(t, file)
}

func TestARunningProgramLearnsWhatATurnWrote(t *testing.T) {
	file := filepath.Join(t.TempDir(), "requests")
	n, _ := home(t, "record", file)
	_, err := n.Finder.Recall(t.Context(), memory.Query{Words: "penguin"})
	require.NoError(t, err)
	now := time.Now()
	require.NoError(t, n.Append(now, "09:15 · hello · · hi"))
	for range 2 {
		n.Finder.UpdateSoon("agent:a:session:cli/work")
	}
	require.Eventually(t, func() bool { // a second after the turn
		return len(recorded[protocol.Update](t, file, protocol.MethodUpdate)) == 1
	}, time.Minute, 5*time.Millisecond)
	n.Finder.AwaitUpdate(t.Context())
	require.Equal(t, protocol.Update{Notes: []string{memory.DayFile(now)}, Conversations: []string{"agent:a:session:cli/work"}},
		recorded[protocol.Update](t, file, protocol.MethodUpdate)[0])
	n.Finder.UpdateInBackground()
	n.Finder.AwaitUpdate(t.Context())
	require.Equal(t, protocol.Update{All: true}, recorded[protocol.Update](t, file, protocol.MethodUpdate)[1])
}

func TestThreat18TheIndexProgramGetsNoSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "requests")
	n, _ := home(t, "record", file)
	_, err := n.Finder.Recall(t.Context(), memory.Query{Words: "penguin"})
	require.NoError(t, err)
	openings := recorded[map[string]any](t, file, protocol.MethodOpen)
	require.Len(t, openings, 1)
	require.Equal(t, map[string]any{
		"version": float64(protocol.Version), "file": n.Finder.Paths.Recall() + "/recall.db",
		"notes": n.Finder.Paths.Memory(), "conversations": n.Finder.Paths.Sessions(),
	}, openings[0])
}

func TestDeletedNotesArePurgedAtOnce(t *testing.T) {
	n, _ := home(t, "serve")
	hits, err := n.Search(t.Context(), memory.Query{Words: "penguin"}, nil)
	require.NoError(t, err)
	require.Len(t, hits, 1)
	n.Finder.Configure(config.Embeddings{}, n.Finder.Paths.Sessions(), n.Redactor) // the same
	require.NoError(t, os.Remove(filepath.Join(n.Dir, "daily/2026-01-05.md")))
	n.Finder.NotesRemoved()
	n.Finder.AwaitUpdate(t.Context())
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(n.Finder.Paths.Recall() + "/recall.db" + end)
		require.NoError(t, err)
		require.NotContains(t, string(data), "penguin")
	}
}

func TestAProgramThatFailsLeavesTheSearchOfWords(t *testing.T) {
	n, w := home(t, "fail")
	for range helper.MaxCrashes + 1 {
		hits, err := n.Search(t.Context(), memory.Query{Words: "penguin"}, nil)
		require.NoError(t, err)
		require.Len(t, hits, 1, "found by reading the notes")
	}
	require.Equal(t, []string{"index-ended", "index-ended", "index-ended", "index-ended"}, w.all())
	_, err := n.SearchConversations(t.Context(), "penguin", 3)
	require.EqualError(t, err, "the program that searches notes ended unexpectedly: it crashed too often; the next try is in a minute")
	for range 3 {
		_, err := n.Context(t.Context(), memory.ContextQuery{Words: "penguin"})
		require.NoError(t, err)
	}
	require.Len(t, w.all(), 5, "a prompt reports it once")
}

func TestAKilledProgramIsStartedAnew(t *testing.T) {
	n, w := home(t, "serve")
	search := func() {
		hits, err := n.Search(t.Context(), memory.Query{Words: "penguin"}, nil)
		require.NoError(t, err)
		require.Len(t, hits, 1)
	}
	search()
	killChildren(t)
	search()
	search()
	require.LessOrEqual(t, len(w.all()), 1, "at most one search noticed")
}

// killChildren kills the only child process of this test.
func killChildren(t *testing.T) {
	t.Helper()
	pids := children(t)
	require.Len(t, pids, 1)
	require.NoError(t, syscall.Kill(pids[0], syscall.SIGKILL))
}

// children returns the child processes of this test.
func children(t testing.TB) (pids []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread ended
		}
		for _, field := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(field)
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestAMissingProgramIsReported(t *testing.T) {
	paths := config.Paths{Home: t.TempDir()}
	w := &warnings{}
	f := notes.NewFinder(notes.FinderOptions{Paths: paths, Getenv: func(string) string { return "" }, Warn: w.add})
	defer f.Close()
	n := notes.New(paths, config.Memory{}, f, secret.NewRedactor(nil))
	_, err := n.Remember(t.Context(), memory.Note{Text: "likes tea"})
	require.NoError(t, err)
	hits, err := n.Search(t.Context(), memory.Query{Words: "tea"}, nil)
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.Equal(t, []string{"no-index-program"}, w.all())
}
