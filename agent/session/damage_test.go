package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

func info(t *testing.T, s *session.Store) session.Info {
	t.Helper()
	i, err := s.Info(key)
	require.NoError(t, err)
	return i
}

func TestAPieceOfALineIsMarkedAndNeverReadAsSomethingElse(t *testing.T) {
	for name, piece := range map[string]string{
		"half an entry":      `{"type":"user","content":"torn`,
		"a brace":            `{`,
		"not even an object": `123`,
		"zeros":              "\x00\x00\x00",
		"a quote":            `"`,
	} {
		t.Run(name, func(t *testing.T) {
			dir, c := t.TempDir(), newClock()
			s := open(dir, c)
			require.NoError(t, keep(s, key, turn(1)...))
			appendRaw(t, file(t, dir), piece)
			require.Equal(t, turn(1), load(t, s), "what was whole is still there")
			require.Equal(t, session.Health{Torn: 1}, info(t, s).Health)
			require.NoError(t, keep(s, key, turn(2)...))
			require.Equal(t, append(turn(1), turn(2)...), load(t, s))
			require.Equal(t, session.Health{Torn: 1}, info(t, s).Health, "a crash, no damage")
			require.Empty(t, s.Damaged())
			data, err := os.ReadFile(file(t, dir))
			require.NoError(t, err)
			require.Contains(t, string(data), piece+"\n{\"v\":1,\"type\":\"torn\"", "nothing is thrown away")
		})
	}
}

func TestALastLineThatOnlyLacksItsNewlineIsAnEntry(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := open(dir, c)
	require.NoError(t, keep(s, key, turn(1)...))
	name := file(t, dir)
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(name, int64(len(data)-1)))
	require.Equal(t, turn(1), load(t, s))
	require.Empty(t, info(t, s).Health)
	require.NoError(t, keep(s, key, turn(2)...))
	require.Equal(t, append(turn(1), turn(2)...), load(t, s))
	require.Empty(t, info(t, s).Health)
}

func TestLinesThatCannotBeReadAreReportedAndStay(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	var warned []string
	s := session.New(session.Options{Dir: dir, Now: c.now, Warn: func(key string, lines int) { warned = append(warned, fmt.Sprint(key, " ", lines)) }})
	require.NoError(t, keep(s, key, turn(1)...))
	bad := []string{
		"not json", "\x00\x00\x00", "[1,2]", `"text"`, `{"type":5}`, `{"content":"no type"}`, `{"type":"user"`,
		`{"type":"user","content":"x","message":{"role":"assistant","content":[{"type":"text","text":"not the person's"}]}}`,
		`{"type":"thought","content":"x","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x"}]}}`,
		`{"type":"thought","content":"x","message":{"role":"assistant","content":[]}}`,
	}
	appendRaw(t, file(t, dir), strings.Join(bad, "\n")+"\n\n")
	require.NoError(t, keep(s, key, turn(2)...))
	require.Equal(t, append(turn(1), turn(2)...), load(t, s))
	load(t, s)
	require.Equal(t, session.Health{Damaged: len(bad), DamagedLines: []int{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}}, info(t, s).Health)
	require.Equal(t, []string{fmt.Sprint(key, " ", len(bad))}, warned, "once")
	require.Equal(t, []session.Damage{{Key: key, Lines: len(bad)}}, s.Damaged())
	data, err := os.ReadFile(file(t, dir))
	require.NoError(t, err)
	for _, line := range bad {
		require.Contains(t, string(data), line)
	}
	infos, err := s.List(session.Listing{})
	require.NoError(t, err)
	require.Equal(t, len(bad), infos[0].Damaged)
}

func TestAGiantLineHidesOnlyWhatIsBeforeIt(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := open(dir, c)
	require.NoError(t, keep(s, key, turn(1)...))
	giant, err := json.Marshal(session.NewEntry(providers.UserText(strings.Repeat("x", 5<<20)), nil))
	require.NoError(t, err)
	appendRaw(t, file(t, dir), string(giant)+"\n")
	require.Empty(t, load(t, s))
	require.NoError(t, keep(s, key, turn(2)...))
	require.Equal(t, turn(2), load(t, s))
	require.Equal(t, session.Health{Damaged: 1, DamagedLines: []int{5}}, info(t, s).Health, "too long to be read is told")
	found, err := s.Search(session.Search{Words: "question"})
	require.NoError(t, err)
	require.Len(t, found.Hits, 2)
}

func FuzzLines(f *testing.F) {
	whole, err := json.Marshal(session.NewEntry(providers.UserText("hello"), nil))
	require.NoError(f, err)
	for _, seed := range []string{
		"", "\n", "{", "{}\n", "{\"type\":\"reset\"}\n", "{\"type\":\"torn\"}\n", string(whole), string(whole) + "\n\x00\n{\"type\":\"torn\"}\n",
		`{"type":"summary","content":"s","metadata":{"covers":1}}` + "\n", `{"type":"summary","metadata":{"covers":-9}}` + "\n" + string(whole),
		`{"type":"tool","message":{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n"}]}}` + "\n",
		`{"type":"result","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir, c := t.TempDir(), newClock()
		s := session.New(session.Options{Dir: dir, Now: c.now, Window: 10})
		require.NoError(t, s.Reset(key))
		name := file(t, dir)
		require.NoError(t, os.WriteFile(name, data, 0o600))
		past, err := s.Load(key)
		require.NoError(t, err)
		requireShowable(t, past, 10)
		before := info(t, s)
		require.NoError(t, keep(s, key, turn(7)...))
		after, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, string(data), string(after[:len(data)]), "what stood there still does")
		past, err = s.Load(key)
		require.NoError(t, err)
		requireShowable(t, past, 10)
		require.Equal(t, turn(7), past.Messages[len(past.Messages)-4:], "what is written now is read, whatever stood before")
		now := info(t, s)
		require.Equal(t, *before.Messages+2, *now.Messages)
		require.Equal(t, before.Damaged, now.Damaged, "a torn line is no damage")
	})
}
