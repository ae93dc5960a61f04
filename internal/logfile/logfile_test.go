package logfile

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// TestMain is also the program that a test runs as several processes.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WRITE_LINES_TO"); dir != "" {
		f := New(Options{Dir: dir, OnError: func(err error) { panic(err) }})
		for i := range 500 {
			_, _ = fmt.Fprintf(f, "%s line %d %s\n", os.Getenv("WRITER"), i, strings.Repeat("x", 700))
		}
		return
	}
	os.Exit(m.Run())
}

// clock is a time that only a test advances.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

// logDir is a directory of logs with the reported errors.
type logDir struct {
	*File
	t     *testing.T
	dir   string
	clock *clock
	told  []string
}

func newShelf(t *testing.T) *logDir {
	s := &logDir{t: t, dir: filepath.Join(t.TempDir(), "logs"), clock: &clock{time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)}}
	s.File = New(Options{Dir: s.dir, Now: s.clock.now, OnError: func(err error) { s.told = append(s.told, err.Error()) }})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func (s *logDir) line(text string) {
	n, err := s.Write([]byte(text + "\n"))
	require.NoError(s.t, err)
	require.Equal(s.t, len(text)+1, n)
}

func (s *logDir) read(day string) string {
	text, err := os.ReadFile(filepath.Join(s.dir, "blunux-ai.log."+day))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	require.NoError(s.t, err)
	return string(text)
}

func (s *logDir) put(name string) {
	require.NoError(s.t, os.MkdirAll(s.dir, 0o700))
	require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, name), []byte("old\n"), 0o600))
}

func TestMidnightTurnsOverWithTheNextLine(t *testing.T) {
	s := newShelf(t)
	s.clock.Time = time.Date(2026, 2, 28, 23, 59, 59, 999, time.Local)
	s.line("before")
	s.clock.Time = s.clock.Add(time.Second)
	s.line("after")
	s.line("and on")
	require.Equal(t, "before\n", s.read("2026-02-28"))
	require.Equal(t, "after\nand on\n", s.read("2026-03-01"))
	require.Equal(t, filepath.Join(s.dir, "blunux-ai.log.2026-03-01"), s.Path())
	require.Empty(t, s.told)
}

func TestFilesOfFourteenDaysAreKeptAndNothingElseIsRemoved(t *testing.T) {
	s := newShelf(t)
	kept := []string{
		"commands.log", "audit.jsonl", "audit.head", "blunux-ai.log", "blunux-ai.log.2025-01-01.gz", "blunux-ai.log.2025-1-1",
		"blunux-ai.log.2025-13-01", "xblunux-ai.log.2025-01-01", "blunux-ai.log.2026-02-16", "blunux-ai.log.2099-01-01",
	}
	for _, name := range append([]string{"blunux-ai.log.2026-02-15", "blunux-ai.log.2025-01-01"}, kept...) {
		s.put(name)
	}
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "blunux-ai.log.2025-01-02"), 0o700))
	require.NoError(t, os.Symlink("commands.log", filepath.Join(s.dir, "blunux-ai.log.2025-01-03")))
	names := func() (all []string) {
		entries, err := os.ReadDir(s.dir)
		require.NoError(t, err)
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	s.line("start")
	require.ElementsMatch(t, append(kept, "blunux-ai.log.2025-01-02", "blunux-ai.log.2025-01-03", "blunux-ai.log.2026-03-01"), names())
	s.clock.Time = s.clock.Add(24 * time.Hour)
	s.line("the next day")
	require.NotContains(t, names(), "blunux-ai.log.2026-02-16")
	require.Contains(t, names(), "blunux-ai.log.2026-03-01")
}

func TestThreat15ALinkOrPipeInPlaceOfTheLogIsRefused(t *testing.T) {
	for name, plant := range map[string]func(path, target string) error{
		"link":      func(path, target string) error { return os.Symlink(target, path) },
		"pipe":      func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"directory": func(path, _ string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			s.put("target")
			require.NoError(t, plant(s.Path(), filepath.Join(s.dir, "target")))
			s.line("secret")
			s.line("another")
			target, err := os.ReadFile(filepath.Join(s.dir, "target"))
			require.NoError(t, err)
			require.Equal(t, "old\n", string(target))
			require.Len(t, s.told, 1, "it is told once")
			require.ErrorContains(t, s.Err(), "blunux-ai.log.2026-03-01")
			// It recovers when the path is free again, and reports errors of a new day again.
			require.NoError(t, os.Remove(s.Path()))
			s.line("mended")
			require.NoError(t, s.Err())
			require.Equal(t, "mended\n", s.read("2026-03-01"))
		})
	}
}

func TestAFileOthersCouldReadIsClosedToThem(t *testing.T) {
	s := newShelf(t)
	s.put("blunux-ai.log.2026-03-01")
	require.NoError(t, os.Chmod(s.Path(), 0o644))
	s.line("mine")
	for path, mode := range map[string]os.FileMode{s.Path(): 0o600, s.dir: 0o700} {
		fi, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, mode, fi.Mode().Perm(), path)
	}
	require.Equal(t, "old\nmine\n", s.read("2026-03-01"))
}

func TestARemovedFileIsMadeAnew(t *testing.T) {
	s := newShelf(t)
	s.line("one")
	require.NoError(t, os.RemoveAll(s.dir))
	s.line("two")
	require.Equal(t, "two\n", s.read("2026-03-01"))
}

func TestAFullDiskIsToldOnceADayAndEndsNothing(t *testing.T) {
	s := newShelf(t)
	s.line("one")
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, s.f.Close())
	s.f = full
	s.line("lost")
	s.line("lost too")
	require.ErrorIs(t, s.Err(), syscall.ENOSPC)
	require.Len(t, s.told, 1)
	s.clock.Time = s.clock.Add(24 * time.Hour)
	s.line("room again")
	require.NoError(t, s.Err())
	require.Equal(t, "room again\n", s.read("2026-03-02"))
}

func TestWhatACrashLeftOfALineEndsBeforeTheNext(t *testing.T) {
	s := newShelf(t)
	require.NoError(t, os.MkdirAll(s.dir, 0o700))
	require.NoError(t, os.WriteFile(s.Path(), []byte("whole\nhalf a li"), 0o600))
	s.line("new")
	require.Equal(t, "whole\nhalf a li\nnew\n", s.read("2026-03-01"))
}

func TestSeveralProcessesWriteWholeLines(t *testing.T) {
	dir := t.TempDir()
	var writers []*exec.Cmd
	for i := range 4 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "WRITE_LINES_TO="+dir, fmt.Sprint("WRITER=w", i))
		require.NoError(t, c.Start())
		writers = append(writers, c)
	}
	for _, c := range writers {
		require.NoError(t, c.Wait())
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	next := map[string]int{}
	lines := 0
	for _, e := range entries { // two if the test runs over midnight
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) == 0 { // a process that opens the file during another's partial write ends that line
				continue
			}
			require.Len(t, fields, 4, line)
			require.Equal(t, fmt.Sprint(next[fields[0]]), fields[2])
			require.Equal(t, strings.Repeat("x", 700), fields[3])
			next[fields[0]]++
			lines++
		}
	}
	require.Equal(t, 4*500, lines)
}

func TestALineSaysItsLevelAndHidesNothingThatWouldActOnATerminal(t *testing.T) {
	var b strings.Builder
	log := zerolog.New(Lines(&b))
	log.Info().Str("time", "2026-02-20T09:15:32.104Z").Str("task", "t1").Str("error", "a\x1b[2Jb\nc \u202e한글").Msg("said")
	log.Warn().Msg("careful")
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], ` INF said error="a\x1b[2Jb\nc \u202e한글" task=t1`)
	require.Contains(t, lines[0], ":32.104")
	require.False(t, IsWarning(lines[0]))
	require.True(t, IsWarning(lines[1]), lines[1])
	require.False(t, IsWarning("no WRNG line"))
	require.False(t, IsWarning(""))
}
