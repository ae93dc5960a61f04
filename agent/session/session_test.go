package session_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// clock is a clock that only advances when a test sets it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func newClock() *clock { return &clock{time.Date(2026, 2, 20, 9, 0, 0, 0, time.UTC)} }

const key = "agent:default:session:cli/default"

// open returns a store in dir. Opening another one in the same directory simulates a restart.
func open(dir string, c *clock) *session.Store {
	return session.New(session.Options{Dir: dir, Now: c.now})
}

func load(t *testing.T, s *session.Store) []providers.Message {
	t.Helper()
	past, err := s.Load(key)
	require.NoError(t, err)
	return past.Messages
}

// file returns the only conversation file of a directory.
func file(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
	return filepath.Join(dir, files[0].Name())
}

func appendRaw(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// keep appends messages like the agent.
func keep(s *session.Store, key string, messages ...providers.Message) error {
	entries := make([]session.Entry, len(messages))
	for i, m := range messages {
		entries[i] = session.NewEntry(m, nil)
	}
	return s.Append(key, entries...)
}

func call(id string) providers.Message {
	return providers.Message{Role: providers.RoleAssistant, Content: []providers.Block{
		{Type: providers.BlockToolUse, ID: id, Name: "check_disk", Input: json.RawMessage(`{}`)},
	}}
}

func result(id string) providers.Message {
	return providers.Message{Role: providers.RoleUser, Content: []providers.Block{
		{Type: providers.BlockToolResult, ToolUseID: id, Name: "check_disk", Content: "42%"},
	}}
}

// turn returns a question, a call with its result, and an answer.
func turn(n int) []providers.Message {
	id := fmt.Sprintf("t%d", n)
	return []providers.Message{
		providers.UserText(fmt.Sprintf("question %d", n)), call(id), result(id),
		providers.AssistantText(fmt.Sprintf("answer %d", n)),
	}
}

func TestAConversationReadsBackAsItWas(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	want := []providers.Message{
		providers.UserText("디스크 <얼마나> & \"찼어\"?\n\u2028\x00끝"),
		{Role: providers.RoleAssistant, Content: []providers.Block{
			{Type: providers.BlockOpaque, Provider: "anthropic", Raw: json.RawMessage(`{"type":"thinking","signature":"a<b>&c\u2028","n":1e400}`)},
			providers.Text("볼게요"),
			{Type: providers.BlockToolUse, ID: "t1", Name: "check_disk", Input: json.RawMessage(`{"path":"/","n":12345678901234567890}`)},
		}},
		{Role: providers.RoleUser, Content: []providers.Block{{
			Type: providers.BlockToolResult, ToolUseID: "t1", Name: "check_disk", Content: "42%", IsError: true,
			Output: &providers.Output{
				Refusal: "denied",
				Steps: []providers.Step{
					{Command: "df -h", Stdout: "42%\n", Stderr: "warn", Exit: 3, Cut: true},
					{Command: "yes", Exit: -1, TimedOut: true},
					{Command: "sensors", Exit: -1, MissingProgram: "sensors"},
				},
			},
		}}},
		providers.AssistantText("42%예요"),
	}
	s := open(dir, c)
	require.NoError(t, keep(s, key, want[0]))
	require.NoError(t, keep(s, key, want[1], want[2]))
	require.NoError(t, keep(s, key, want[3]))
	require.Equal(t, want, load(t, s))
	require.Equal(t, want, load(t, open(dir, c)), "after a restart")
}

func TestALineIsTypeContentAndTimestamp(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := open(dir, c)
	require.NoError(t, keep(s, key, turn(1)...))
	require.NoError(t, s.Reset(key))
	data, err := os.ReadFile(file(t, dir))
	require.NoError(t, err)
	var types []string
	for line := range strings.Lines(string(data)) {
		var e struct {
			Type      string
			Content   *string
			Timestamp int64
		}
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		require.NotNil(t, e.Content)
		require.Equal(t, c.at.UnixMilli(), e.Timestamp)
		types = append(types, e.Type+" "+*e.Content)
	}
	require.Equal(t, []string{"user question 1", "tool check_disk {}", "result 42%", "thought answer 1", "reset "}, types)
}

func TestAnUnknownSessionIsEmpty(t *testing.T) {
	require.Empty(t, load(t, open(filepath.Join(t.TempDir(), "not there"), newClock())))
}

func TestSessionsAreApart(t *testing.T) {
	s := open(t.TempDir(), newClock())
	other := session.Key("default", "cli", "other")
	require.Equal(t, "agent:default:session:cli/other", other)
	require.NoError(t, keep(s, key, providers.UserText("mine")))
	require.NoError(t, keep(s, other, providers.UserText("theirs")))
	require.Equal(t, providers.UserText("mine"), load(t, s)[0])
	require.NoError(t, s.Reset(other))
	require.NotEmpty(t, load(t, s))
}

func TestAResetStartsAnewAndKeepsTheFile(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := open(dir, c)
	require.NoError(t, keep(s, key, turn(1)...))
	require.NoError(t, s.Reset(key))
	require.Empty(t, load(t, s))
	require.NoError(t, keep(s, key, turn(2)...))
	require.Equal(t, turn(2), load(t, s))
	data, err := os.ReadFile(file(t, dir))
	require.NoError(t, err)
	require.Contains(t, string(data), "question 1")
}

func TestALongPauseStartsAnew(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := session.New(session.Options{Dir: dir, Timeout: 30 * time.Minute, Now: c.now})
	require.NoError(t, keep(s, key, turn(1)...))
	c.pass(31 * time.Minute)
	require.NoError(t, keep(s, key, turn(2)...))
	c.pass(20 * time.Minute)
	require.NoError(t, keep(s, key, turn(3)...))
	c.pass(20 * time.Minute)
	require.Equal(t, append(turn(2), turn(3)...), load(t, s), "each pause counts by itself, not the conversation's length")
	c.pass(11 * time.Minute)
	require.Empty(t, load(t, s))
}

func TestAClockThatWentBackLosesNothing(t *testing.T) {
	c := newClock()
	s := open(t.TempDir(), c)
	require.NoError(t, keep(s, key, turn(1)...))
	c.pass(-5 * time.Hour)
	require.Len(t, load(t, s), 4)
}

func TestTheWindowBoundsWhatAModelIsShown(t *testing.T) {
	c := newClock()
	for window := 1; window <= 12; window++ {
		s := session.New(session.Options{Dir: t.TempDir(), Window: window, Now: c.now})
		for n := range 5 {
			require.NoError(t, keep(s, key, turn(n)...))
		}
		messages := load(t, s)
		switch room := window - 1; { // including the next message
		case room < 2:
			require.Empty(t, messages)
		case room < 4:
			require.Equal(t, []providers.Message{turn(4)[0], turn(4)[3]}, messages, "of the last exchange what fits")
		default:
			require.Len(t, messages, room/4*4, "whole exchanges, from a person's words on")
			require.Contains(t, messages[0].Text(), "question")
		}
	}
}

// A turn can have more rounds than fit in a window.
func TestAnExchangeLongerThanTheWindowKeepsItsWordsAndItsEnd(t *testing.T) {
	s := session.New(session.Options{Dir: t.TempDir(), Window: 7, Now: newClock().now})
	require.NoError(t, keep(s, key, turn(1)...))
	require.NoError(t, keep(s, key, providers.UserText("look everywhere")))
	for n := range 10 {
		id := fmt.Sprintf("c%d", n)
		require.NoError(t, keep(s, key, call(id), result(id)))
	}
	require.NoError(t, keep(s, key, providers.AssistantText("found")))
	require.Equal(t, []providers.Message{
		providers.UserText("look everywhere"), call("c8"), result("c8"), call("c9"), result("c9"), providers.AssistantText("found"),
	}, load(t, s))
}

func TestTheWindowIsFiftyMessagesUnlessTold(t *testing.T) {
	s := open(t.TempDir(), newClock())
	for n := range 40 {
		require.NoError(t, keep(s, key, providers.UserText(fmt.Sprint(n)), providers.AssistantText("a")))
	}
	messages := load(t, s)
	require.Len(t, messages, 48, "with the next words it is not more than 50")
	require.Equal(t, "16", messages[0].Text())
}

func TestAHugeFileIsReadOnlyAtItsEnd(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := session.New(session.Options{Dir: dir, Window: 1 << 20, Now: c.now})
	require.NoError(t, keep(s, key, providers.UserText("first")))
	line, err := json.Marshal(map[string]any{
		"type": "user", "content": "", "timestamp": c.at.UnixMilli(),
		"message": providers.UserText(strings.Repeat("가", 300)),
	})
	require.NoError(t, err)
	appendRaw(t, file(t, dir), strings.Repeat(string(line)+"\n", 20<<20/len(line)))
	require.NoError(t, keep(s, key, providers.UserText("last")))
	fi, err := os.Stat(file(t, dir))
	require.NoError(t, err)
	require.Greater(t, fi.Size(), int64(19<<20))

	messages := load(t, s)
	require.Equal(t, "last", messages[len(messages)-2].Text())
	var read int
	for _, m := range messages {
		require.NotEqual(t, "first", m.Text())
		read += len(m.Text())
	}
	require.Less(t, read, 4<<20)
	require.Greater(t, read, 3<<20)
}

func TestAFileIsForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	require.NoError(t, keep(open(dir, newClock()), key, providers.UserText("x")))
	for path, mode := range map[string]os.FileMode{dir: 0o700, file(t, dir): 0o600} {
		fi, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, fi.Mode().Perm())
	}
}

func TestThreat15ALinkInPlaceOfAConversationIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(filepath.Join(dir, "s"), newClock())
	require.NoError(t, keep(s, key, providers.UserText("x")))
	name := file(t, filepath.Join(dir, "s"))
	target := filepath.Join(dir, "target")
	require.NoError(t, os.Rename(name, target))
	before, err := os.ReadFile(target)
	require.NoError(t, err)

	require.NoError(t, os.Symlink(target, name))
	require.ErrorContains(t, keep(s, key, providers.UserText("y")), "cannot save the message")
	past, err := s.Load(key)
	require.Error(t, err)
	require.Empty(t, past)
	infos, err := s.List(session.Listing{})
	require.NoError(t, err)
	require.Empty(t, infos)
	after, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestThreat15APipeInPlaceOfAConversationDoesNotHang(t *testing.T) {
	dir := t.TempDir()
	s := open(dir, newClock())
	require.NoError(t, keep(s, key, providers.UserText("x")))
	name := file(t, dir)
	require.NoError(t, os.Remove(name))
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	require.ErrorContains(t, keep(s, key, providers.UserText("y")), "not a regular file")
	_, err := s.Load(key)
	require.ErrorContains(t, err, "not a regular file")
}

func TestAMessageThatCannotBeWrittenIsAnError(t *testing.T) {
	notADir := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(notADir, nil, 0o600))
	require.ErrorContains(t, keep(open(notADir, newClock()), key, providers.UserText("x")), "cannot save the message")

	bad := providers.Message{Content: []providers.Block{{Type: providers.BlockToolUse, Input: json.RawMessage("{")}}}
	dir := t.TempDir()
	err := keep(open(dir, newClock()), key, providers.UserText("x"), bad)
	var syntax *json.MarshalerError
	require.True(t, errors.As(err, &syntax), "%v", err)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files, "all messages of an append are kept, or none")
}

func TestManyWritersLeaveWholeLines(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	var wg sync.WaitGroup
	for w := range 8 {
		s := session.New(session.Options{Dir: dir, Window: 1000, Now: c.now}) // one store for each goroutine, like separate programs
		wg.Go(func() {
			for n := range 10 {
				require.NoError(t, keep(s, key, turn(w*100+n)...))
				_, err := s.Load(key)
				require.NoError(t, err)
			}
		})
	}
	wg.Wait()
	past, err := session.New(session.Options{Dir: dir, Window: 1000, Now: c.now}).Load(key)
	require.NoError(t, err)
	messages := past.Messages
	require.Len(t, messages, 8*10*4)
	seen := map[string]bool{}
	for i := 0; i < len(messages); i += 4 {
		var n int
		_, err := fmt.Sscanf(messages[i].Text(), "question %d", &n)
		require.NoError(t, err)
		require.Equal(t, turn(n), messages[i:i+4], "what was appended together stays together")
		seen[messages[i].Text()] = true
	}
	require.Len(t, seen, 80)
}
