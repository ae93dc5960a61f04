package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/journal"
	"pgregory.net/rapid"
)

// TestAStreamIsItsBeginningAndItsEnd for output in pieces of any size.
func TestAStreamIsItsBeginningAndItsEnd(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		keep := rapid.IntRange(1, 40).Draw(t, "keep")
		path := filepath.Join(dir, "stream")
		_ = os.Remove(path)
		k, err := newStreamWriter(path, int64(keep))
		require.NoError(t, err)
		var all []byte
		for _, piece := range rapid.SliceOf(rapid.SliceOfN(rapid.SampledFrom([]byte("abc\n")), 0, 100)).Draw(t, "pieces") {
			n, err := k.Write(piece)
			require.NoError(t, err)
			require.Equal(t, len(piece), n)
			all = append(all, piece...)
		}
		require.NoError(t, k.close())
		_, err = k.Write([]byte("too late"))
		require.NoError(t, err)
		s, err := ReadStream(dir, "stream", int64(keep))
		require.NoError(t, err)
		require.Equal(t, int64(len(all)), s.Bytes)
		require.Equal(t, int64(bytes.Count(all, []byte("\n"))), s.Lines)
		if len(all) <= 2*keep {
			require.Equal(t, string(all), string(s.Head)+string(s.Tail))
			return
		}
		require.Equal(t, string(all[:keep]), string(s.Head))
		require.Equal(t, string(all[len(all)-keep:]), string(s.Tail))
		fi, err := os.Stat(path)
		require.NoError(t, err)
		require.LessOrEqual(t, fi.Size(), int64(2*keep+42))
	})
}

func TestAStreamWhoseCountIsTornIsStillRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stream"), []byte("headtail000"), 0o600))
	s, err := ReadStream(dir, "stream", 4)
	require.NoError(t, err)
	require.Equal(t, Stream{Head: []byte("head"), Tail: []byte("tail"), Bytes: 8}, s)
}

func TestAFullDiskIsToldAndNotToTheProgram(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	k := &streamWriter{file: full, keep: 10}
	n, err := k.Write([]byte("hello"))
	require.NoError(t, err)
	require.Equal(t, 5, n)
	require.Error(t, k.close())
}

// TestACommandIsTakenOrCalledOffNeverBoth: the first of the two decides.
func TestACommandIsTakenOrCalledOffNeverBoth(t *testing.T) {
	for range 200 {
		dir := t.TempDir()
		require.NoError(t, WriteFile(dir, CommandFile, Command{File: "/bin/true"}))
		off := make(chan bool)
		go func() {
			ok, err := Cancel(dir)
			off <- ok && err == nil
		}()
		_, err := takeCommand(dir)
		require.NotEqual(t, err == nil, <-off)
		if err != nil {
			require.True(t, errors.Is(err, os.ErrNotExist))
		}
	}
}

func TestD5ACommandOfANewerProgramIsNotStarted(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, WriteFile(dir, CommandFile, Command{File: "/bin/true"}))
	data, err := os.ReadFile(filepath.Join(dir, CommandFile))
	require.NoError(t, err)
	require.Contains(t, string(data), `{"v":1,`)
	newer := []byte(`{"v":2,"file":"/bin/true"}`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, CommandFile), newer, 0o600))
	_, err = takeCommand(dir)
	var version *journal.VersionError
	require.ErrorAs(t, err, &version)
	kept, err := os.ReadFile(filepath.Join(dir, CommandFile))
	require.NoError(t, err)
	require.Equal(t, newer, kept)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ResultFile), newer, 0o600))
	_, err = ReadResult(dir)
	require.ErrorAs(t, err, &version)
}

func TestByHandItSaysWhatItIs(t *testing.T) {
	require.Equal(t, exitUsage, Main(nil))
	require.Equal(t, exitTrouble, Main([]string{filepath.Join(t.TempDir(), AliveFile, "x", "y")})|exitTrouble)
}
