package tail

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func anyLog(name string) bool { return strings.HasPrefix(name, "log.") }

func read(t require.TestingT, r *Reader) (lines []string) {
	for {
		l, ok, err := r.Next()
		require.NoError(t, err)
		if !ok {
			return lines
		}
		lines = append(lines, l.Text)
	}
}

func appendTo(t require.TestingT, path, text string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// With lines written in pieces, midnights and replaced files, read at any moment, by a reader that is closed and
// continues at its position.
func TestEachLineComesOnceAndInOrder(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		require.NoError(rt, os.Mkdir(dir, 0o700))
		files := Files{dir, anyLog}
		var written, got []string
		day, torn := 1, ""
		path := func() string { return filepath.Join(dir, fmt.Sprintf("log.%02d", day)) }
		r := files.From(Position{})
		last := Position{}
		collect := func() {
			for {
				l, ok, err := r.Next()
				require.NoError(rt, err)
				if !ok {
					return
				}
				got, last = append(got, l.Text), l.End
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"line": func(*rapid.T) {
				line := fmt.Sprint("line ", len(written), strings.Repeat("·", len(written)%90))
				appendTo(rt, path(), line+"\n")
				written, torn = append(written, torn+line), ""
			},
			"piece": func(*rapid.T) {
				appendTo(rt, path(), "~")
				torn += "~"
			},
			"midnight": func(*rapid.T) { // an incomplete line is never returned
				day++
				torn = ""
				line := fmt.Sprint("day ", day)
				appendTo(rt, path(), line+"\n")
				written = append(written, line)
			},
			"replaced": func(*rapid.T) {
				collect()
				line := fmt.Sprint("anew ", len(written))
				require.NoError(rt, os.WriteFile(filepath.Join(dir, "x"), []byte(line+"\n"), 0o600))
				require.NoError(rt, os.Rename(filepath.Join(dir, "x"), path()))
				written, torn = append(written, line), ""
				collect()
			},
			"read": func(*rapid.T) { collect() },
			"restart": func(*rapid.T) {
				require.NoError(rt, r.Close())
				p, err := files.ParsePosition(last.String())
				require.NoError(rt, err)
				require.Equal(rt, last, p)
				r = files.From(p)
			},
		})
		collect()
		require.NoError(rt, r.Close())
		require.Equal(rt, written, append([]string(nil), got...))
	})
}

func TestTheLastLinesReachBackOverFiles(t *testing.T) {
	dir := t.TempDir()
	files := Files{dir, anyLog}
	var all []string
	for day := range 4 {
		var text strings.Builder
		for i := range 700 {
			line := fmt.Sprintf("%d %d %s", day, i, strings.Repeat("가", i%97))
			all = append(all, line)
			text.WriteString(line + "\n")
		}
		if day == 3 {
			text.WriteString("no whole li")
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("log.%d", day)), []byte(text.String()), 0o600))
	}
	for _, n := range []int{0, 1, 2, 699, 700, 701, 1400, 2799, 2800, 5000} {
		want := all[max(len(all)-n, 0):]
		lines, err := files.Last(n, nil)
		require.NoError(t, err)
		require.Equal(t, want, append([]string{}, lines...), n)
		p, err := files.PositionBefore(n)
		require.NoError(t, err)
		r := files.From(p)
		require.Equal(t, want, append([]string{}, read(t, r)...), n)
		require.NoError(t, r.Close())
	}
	lines, err := files.Last(2, func(l string) bool { return strings.HasPrefix(l, "1 ") })
	require.NoError(t, err)
	require.Equal(t, all[1398:1400], lines)
}

func TestALogThatIsNotThereYetBeginsWithItsFirstLine(t *testing.T) {
	dir := t.TempDir()
	files := SingleFile(filepath.Join(dir, "logs", "commands.log"))
	p, err := files.PositionBefore(10)
	require.NoError(t, err)
	p, err = files.ParsePosition(p.String())
	require.NoError(t, err)
	r := files.From(p)
	require.Empty(t, read(t, r))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "logs"), 0o700))
	appendTo(t, filepath.Join(dir, "logs", "commands.log"), "first\n")
	appendTo(t, filepath.Join(dir, "logs", "other.log"), "other\n")
	require.Equal(t, []string{"first"}, read(t, r))
	require.NoError(t, os.Truncate(filepath.Join(dir, "logs", "commands.log"), 0))
	require.Empty(t, read(t, r))
	appendTo(t, filepath.Join(dir, "logs", "commands.log"), "cut\n")
	require.Equal(t, []string{"cut"}, read(t, r))
	require.NoError(t, r.Close())
}

func TestALinkIsNotRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("key\n"), 0o600))
	require.NoError(t, os.Symlink("secret", filepath.Join(dir, "log.1")))
	_, err := Files{dir, anyLog}.Last(1, nil)
	require.Error(t, err)
	_, _, err = Files{dir, anyLog}.From(Position{}).Next()
	require.Error(t, err)
}

func TestAPositionOfAnotherFileIsNone(t *testing.T) {
	files := SingleFile("/home/blu/commands.log")
	for _, text := range []string{"", "x", "1:2", "1:2:other", "1:-2:commands.log", "1:2:../commands.log", "-1:2:commands.log", "1:2:"} {
		_, err := files.ParsePosition(text)
		require.ErrorIs(t, err, ErrPosition, text)
	}
	p, err := files.ParsePosition("7:42:commands.log")
	require.NoError(t, err)
	require.Equal(t, Position{"commands.log", 7, 42}, p)
}
