package commandlog

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func at(s string) func() time.Time {
	return func() time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			panic(err)
		}
		return v
	}
}

func TestARecordIsTheLineTheDesignShows(t *testing.T) {
	for _, want := range []string{
		"[2026-02-20T09:15:32Z] SAFE        df -h",
		"[2026-02-20T09:16:01Z] CONFIRMED   yay -S google-chrome",
		"[2026-02-20T09:17:45Z] BLOCKED     rm -rf /home/blu",
		"[2026-02-20T09:18:12Z] CANCELLED   sudo pacman -Syu",
	} {
		r, err := Parse(want)
		require.NoError(t, err)
		require.Equal(t, want, Format(r))
	}
}

func TestAnOrdinaryCommandStandsAsTyped(t *testing.T) {
	for _, c := range []string{`grep '\.log$' x`, `echo "크롬" | wc -c`, `find . -name \*.go`, `a && b; c`} {
		require.Equal(t, c, Escape(c))
	}
}

func TestHiddenCharactersBecomeVisible(t *testing.T) {
	require.Equal(t, `a\nb\r\tc\u{202E}d\u{2028}\u{200B}\x80\u{001B}[2J`, Escape("a\nb\r\tc\u202ed\u2028\u200b\x80\x1b[2J"))
}

func TestEveryCommandIsOneLineAndReadsBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "text") {
			raw = rapid.StringOf(rapid.RuneFrom([]rune("ab\\nrtxu{}\n\r\t 가\u202e\u2028\x00"))).Draw(t, "runes")
		}
		r := Record{at("2026-02-20T09:15:32Z")().UTC(), Failed, raw}
		line := Format(r)
		require.NotContains(t, line, "\n")
		back, err := Parse(line)
		require.NoError(t, err)
		require.Equal(t, r, back)
	})
}

func TestEightWritersLeaveWholeLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "commands.log")
	var wg sync.WaitGroup
	for range 8 {
		l := New(path, time.Now) // a separate log, as in several processes
		wg.Go(func() {
			for range 25 {
				require.NoError(t, l.Record(Safe, strings.Repeat("x", 300)+"\n"))
			}
		})
	}
	wg.Wait()
	lines, err := New(path, time.Now).Tail(1000)
	require.NoError(t, err)
	require.Len(t, lines, 200)
	for _, line := range lines {
		_, err := Parse(line)
		require.NoError(t, err)
	}
	fi, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
}

func TestALinkInPlaceOfTheLogIsRefused(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	require.NoError(t, os.WriteFile(target, []byte("untouched"), 0o600))
	path := filepath.Join(dir, "commands.log")
	require.NoError(t, os.Symlink(target, path))
	require.ErrorContains(t, New(path, time.Now).Record(Safe, "df -h"), "cannot write the command log")
	got, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, "untouched", string(got))
}

func TestATornLastLineDoesNotSwallowTheNext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "commands.log")
	require.NoError(t, os.WriteFile(path, []byte("[2026-02-20T09:15:32Z] SAFE        df"), 0o600))
	l := New(path, at("2026-02-20T09:16:00Z"))
	require.NoError(t, l.Record(Safe, "free -h"))
	lines, err := l.Tail(10)
	require.NoError(t, err)
	require.Equal(t, "[2026-02-20T09:16:00Z] SAFE        free -h", lines[1])
}

func TestAHugeLineHidesNoOther(t *testing.T) {
	l := New(filepath.Join(t.TempDir(), "commands.log"), at("2026-02-20T09:16:00Z"))
	require.NoError(t, l.Record(Confirmed, "touch x"))
	require.NoError(t, l.Record(Cancelled, strings.Repeat("a", 5<<20)))
	lines, err := l.Tail(2)
	require.NoError(t, err)
	require.Len(t, lines, 2)
	require.Equal(t, "[2026-02-20T09:16:00Z] CONFIRMED   touch x", lines[0])
	lines, err = l.Tail(1)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "CANCELLED")
}

func TestAPipeInPlaceOfTheLogIsRefusedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "commands.log")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	l := New(path, time.Now)
	require.ErrorContains(t, l.Record(Safe, "df -h"), "not a regular file")
	_, err := l.Tail(5)
	require.ErrorContains(t, err, "not a regular file")
}

func FuzzParse(f *testing.F) {
	f.Add("[2026-02-20T09:15:32Z] SAFE        df -h")
	f.Add("[] ")
	f.Fuzz(func(t *testing.T, line string) {
		r, err := Parse(line)
		if err != nil {
			return
		}
		again, err := Parse(Format(r))
		require.NoError(t, err)
		require.Equal(t, r.Command, again.Command)
	})
}
