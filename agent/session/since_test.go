package session_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// TestAConversationIsReadFromWhereItWasLeft reads only new and complete lines.
func TestAConversationIsReadFromWhereItWasLeft(t *testing.T) {
	dir := t.TempDir()
	s := session.New(session.Options{Dir: dir})
	long := session.Key("a", "cli", strings.Repeat("이름", 100))
	say := func(words string) {
		require.NoError(t, s.Append(long, session.NewEntry(providers.UserText(words), nil)))
	}
	say("one")
	named, err := s.Files(context.Background())
	require.NoError(t, err)
	require.Len(t, named, 1)
	read := func(from int64, n int) (words []string, g session.Progress) {
		g, err := s.ReadSince(named[0].Name, from, n, func(_ int64, e session.Entry) { words = append(words, e.Content) })
		require.NoError(t, err)
		require.Equal(t, long, g.Key)
		return words, g
	}
	words, g := read(0, 1<<20)
	require.Equal(t, []string{"one"}, words)
	say("two")
	say("three")
	words, more := read(g.End, 1)
	require.Equal(t, []string{"two"}, words)
	require.True(t, more.More)
	f, err := os.OpenFile(filepath.Join(dir, named[0].Name), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("damaged\n{\"type\":\"user\"")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	words, last := read(more.End, 1<<20)
	require.Equal(t, []string{"three"}, words)
	require.False(t, last.More)
	tail, err := s.Tail(named[0].Name, last.End, 8)
	require.NoError(t, err)
	require.Equal(t, "damaged\n", string(tail))
	tail, err = s.Tail(named[0].Name, 1<<30, 8)
	require.NoError(t, err)
	require.Empty(t, tail, "the file is shorter")
	require.NoError(t, s.Delete(long))
	_, err = s.ReadSince(named[0].Name, 0, 1, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = s.ReadSince("../x", 0, 1, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
