package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// awkwardKeys try to escape the directory or to collide with each other.
var awkwardKeys = []string{
	"", ".", "..", "/", "../../x", "..%2F..%2Fx", "/etc/passwd", "a/b", "a%2Fb", "a b", "a+b", "A", "a", "a.b", "a%2Eb",
	"a\x00b", "a\nb", "\xff\xfe", "\ufffd", "한글", "크롬 설치", "x.jsonl", "~root", "$HOME", "-rf", "*", "=", "a=b",
	strings.Repeat(".", 200), strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("x", 100_000),
	strings.Repeat("x", 100_000) + "y", strings.Repeat("가", 60), strings.Repeat("가", 61), strings.Repeat("\x80", 300), strings.Repeat("../", 100),
}

func TestThreat21AKeyStaysInTheDirectoryAndHasAFileOfItsOwn(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "sessions")
	s := open(dir, newClock())
	keys := map[string]bool{}
	hold := func(t require.TestingT, key string) {
		if keys[key] {
			return
		}
		keys[key] = true
		require.NoError(t, keep(s, key, providers.UserText("of "+key)))
		past, err := s.Load(key)
		require.NoError(t, err)
		require.Len(t, past.Messages, 2, "no other key's file")
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, files, len(keys))
		outside, err := os.ReadDir(root)
		require.NoError(t, err)
		require.Len(t, outside, 1)
	}
	for _, key := range append(awkwardKeys, "\u1112\u1161\u11ab\u1100\u1173\u11af") {
		hold(t, key)
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(awkwardKeys[:28]), rapid.String(),
			rapid.StringMatching(`[a-z./%=+]{0,120}`)), 0, 4).Draw(t, "parts")
		hold(t, strings.Join(parts, ""))
	})
}

// The file name of a long key ends with a hash. A short key equal to that file name must get another file.
func TestAShortKeyCannotSpellOutTheFileOfALongOne(t *testing.T) {
	dir := t.TempDir()
	s := open(dir, newClock())
	long := strings.Repeat("x", 500)
	require.NoError(t, keep(s, long, providers.UserText("long")))
	name := strings.TrimSuffix(filepath.Base(file(t, dir)), ".jsonl")
	for _, key := range []string{name, name + ".jsonl", strings.ReplaceAll(name, "=", "-")} {
		past, err := s.Load(key)
		require.NoError(t, err)
		require.Empty(t, past.Messages)
	}
}

func TestListTellsTheConversationsLatestFirst(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[odd] *name")
	s := open(dir, newClock())
	infos, err := s.List(session.Listing{})
	require.NoError(t, err)
	require.Equal(t, []session.Info{}, infos)

	keys := []string{key, "agent:default:session:whatsapp/+82 10", "../../x", "", "한글", strings.Repeat("가나", 100)}
	for i, key := range keys {
		require.NoError(t, keep(s, key, providers.UserText(strings.Repeat("x", i))))
	}
	at := time.Unix(1_000_000, 0)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files { // the newest is the smallest
		fi, err := f.Info()
		require.NoError(t, err)
		when := at.Add(-time.Duration(fi.Size()) * time.Second)
		require.NoError(t, os.Chtimes(filepath.Join(dir, f.Name()), when, when))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "not ours.jsonl"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir.jsonl"), 0o700))

	infos, err = s.List(session.Listing{})
	require.NoError(t, err)
	var listed []string
	for _, info := range infos {
		listed = append(listed, info.Key)
		require.Positive(t, info.Bytes)
		require.Equal(t, 1, *info.Messages)
		require.Equal(t, at.Add(-time.Duration(info.Bytes)*time.Second), info.Modified)
	}
	require.Equal(t, keys, listed)
}

func TestListTellsWhenItCannotRead(t *testing.T) {
	notADir := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(notADir, nil, 0o600))
	_, err := open(notADir, newClock()).List(session.Listing{})
	require.ErrorContains(t, err, "cannot list the conversations")
}
