package recall_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
)

// warningLog collects warnings.
type warningLog struct {
	mu    sync.Mutex
	codes []string
}

func (w *warningLog) warn(x recall.Warning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.codes = append(w.codes, x.Code)
}

func notesIn(t testing.TB, dir string, lines ...string) {
	t.Helper()
	write(t, filepath.Join(dir, "MEMORY.md"), "- "+strings.Join(lines, "\n- ")+"\n")
}

func first(t testing.TB, x *recall.Index, words string) string {
	t.Helper()
	hits, err := x.Recall(context.Background(), memory.Query{Words: words})
	require.NoError(t, err)
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Text
}

// Anything else in place of the index is put aside, and the index is rebuilt.
func TestAnIndexThatIsNoneIsMadeAnew(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, file string){
		"a wrong header":    func(t *testing.T, file string) { overwrite(t, file, 0, []byte("not a database at all")) },
		"no tables":         func(t *testing.T, file string) { sqlIn(t, file, "DROP TABLE notes") },
		"another program's": func(t *testing.T, file string) { sqlIn(t, file, "PRAGMA application_id = 1") },
		"changed rows":      func(t *testing.T, file string) { sqlIn(t, file, "UPDATE notes SET text = 'no such thing'") },
		"a lost row":        func(t *testing.T, file string) { sqlIn(t, file, "DELETE FROM notes WHERE id = 1") },
		"text":              func(t *testing.T, file string) { require.NoError(t, os.WriteFile(file, []byte("hello\n"), 0o600)) },
		"half of it": func(t *testing.T, file string) {
			fi, err := os.Stat(file)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(file, fi.Size()/2))
		},
		"damaged pages": func(t *testing.T, file string) {
			fi, err := os.Stat(file)
			require.NoError(t, err)
			overwrite(t, file, 4096, bytes.Repeat([]byte{0xa5}, int(fi.Size())-4096))
		},
		"a directory": func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			write(t, filepath.Join(file, "x"), "")
		},
		"a link": func(t *testing.T, file string) {
			require.NoError(t, os.Rename(file, file+".real"))
			require.NoError(t, os.Symlink(file+".real", file))
		},
		"a pipe": func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			require.NoError(t, syscall.Mkfifo(file, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, file := t.TempDir(), filepath.Join(t.TempDir(), "recall.db")
			notesIn(t, dir, "프린터는 캐논이다", "the nas is blue")
			o := recall.Options{Sources: []recall.Source{recall.Markdown(dir)}}
			x := openAt(t, file, o)
			require.Equal(t, "the nas is blue", first(t, x, "nas"))
			require.NoError(t, x.Close())
			spoil(t, file)
			var w warningLog
			o.Warn = w.warn
			x = openAt(t, file, o)
			require.Equal(t, "the nas is blue", first(t, x, "nas"))
			require.Equal(t, "프린터는 캐논이다", first(t, x, "프린터"))
			require.Equal(t, []string{"index-damaged"}, w.codes)
			fi, err := os.Lstat(file)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), fi.Mode())
			_, err = os.Lstat(file + ".aside0")
			require.NoError(t, err, "what was there is kept")
		})
	}
}

// An index of an older version is rebuilt without a warning.
func TestAnIndexOfAnOlderVersionIsMadeAnewWithoutAWord(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "recall.db")
	notesIn(t, dir, "the nas is blue")
	o := recall.Options{Sources: []recall.Source{recall.Markdown(dir)}}
	x := openAt(t, file, o)
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
	require.NoError(t, x.Close())
	sqlIn(t, file, "PRAGMA user_version = 0")
	var w warningLog
	o.Warn = w.warn
	require.Equal(t, "the nas is blue", first(t, openAt(t, file, o), "nas"))
	require.Empty(t, w.codes)
	require.NoFileExists(t, file+".aside0")
}

// An index of a newer version is left unchanged, and one in memory is used.
func TestD5AnIndexOfANewerVersionIsLeftAsItIs(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "recall.db")
	notesIn(t, dir, "the nas is blue")
	o := recall.Options{Sources: []recall.Source{recall.Markdown(dir)}}
	made := openAt(t, file, o)
	require.Equal(t, "the nas is blue", first(t, made, "nas"))
	require.NoError(t, made.Close())
	sqlIn(t, file, "PRAGMA user_version = 99")
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	var w warningLog
	o.Warn = w.warn
	x := openAt(t, file, o)
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
	require.NoError(t, x.Close())
	require.Equal(t, []string{"index-in-memory"}, w.codes)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// Damages a database that is open.
func TestDamageWhileInUseIsMended(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "recall.db")
	notesIn(t, dir, "the nas is blue")
	var w warningLog
	x := openAt(t, file, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Warn: w.warn})
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
	sqlIn(t, file, "DROP TABLE words")
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
	require.Equal(t, []string{"index-damaged"}, w.codes)
	require.NoError(t, os.Remove(file))
	require.Equal(t, "the nas is blue", first(t, x, "nas"), "removed by somebody")
}

func overwrite(t *testing.T, file string, at int64, with []byte) {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(with, at)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func sqlIn(t *testing.T, file, text string) {
	db, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	_, err = db.Exec(text)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// Uses places where a file cannot be written.
func TestWithoutADiskTheIndexIsInMemory(t *testing.T) {
	dir := t.TempDir()
	notesIn(t, dir, "the nas is blue")
	plain := filepath.Join(t.TempDir(), "plain")
	write(t, plain, "")
	for name, file := range map[string]string{
		"below a file": filepath.Join(plain, "recall.db"), "in /proc": "/proc/recall/recall.db", "below a device": "/dev/full/recall.db",
		"read-only": "/sys/kernel/recall.db",
	} {
		t.Run(name, func(t *testing.T) {
			var w warningLog
			x := openAt(t, file, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Warn: w.warn})
			require.Equal(t, "the nas is blue", first(t, x, "nas"))
			notesIn(t, dir, "the nas is blue", "the cat is red")
			require.Equal(t, "the cat is red", first(t, x, "cat"))
			n, err := x.Count(context.Background())
			require.NoError(t, err)
			require.Equal(t, 2, n)
			require.Equal(t, []string{"index-in-memory"}, w.codes)
		})
	}
}

// Fills the disk that the index is on.
func TestAFullDiskIsLeftAlone(t *testing.T) {
	dir, disk := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=256k,mode=0700"); err != nil {
		require.NotZero(t, os.Geteuid(), "root can mount: %v", err)
		t.Skipf("only root can mount a small disk: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })
	notesIn(t, dir, "the nas is blue")
	var w warningLog
	x := openAt(t, filepath.Join(disk, "recall.db"), recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Warn: w.warn})
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
	require.Empty(t, w.codes)
	write(t, filepath.Join(dir, "USER.md"), strings.Repeat("- 아주 긴 노트가 여기에 있다 number one\n", 3000)+"- the cat is red\n")
	require.NoError(t, x.Sync(context.Background()))
	require.Equal(t, "the cat is red", first(t, x, "cat"))
	require.Equal(t, []string{"index-in-memory"}, w.codes)
}

// Holds the lock like another program.
func TestALockedIndexAnswersWithWhatItHas(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "recall.db")
	notesIn(t, dir, "the nas is blue")
	var w warningLog
	x := openAt(t, file, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Warn: w.warn})
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
	db, err := sql.Open("sqlite", file+"?_txlock=immediate")
	require.NoError(t, err)
	defer db.Close()
	tx, err := db.Begin()
	require.NoError(t, err)
	notesIn(t, dir, "the nas is blue", "the cat is red")
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
	require.Equal(t, []string{"index-busy"}, w.codes)
	require.ErrorContains(t, x.Sync(context.Background()), "locked")
	require.NoError(t, tx.Rollback())
	require.Equal(t, "the cat is red", first(t, x, "cat"))
}

// Each of two processes finds notes that the other indexed.
func TestTwoProgramsShareAnIndex(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "recall.db")
	notesIn(t, dir, "the nas is blue")
	o := recall.Options{Sources: []recall.Source{recall.Markdown(dir)}}
	all := []*recall.Index{openAt(t, file, o), openAt(t, file, o), openAt(t, file, o)}
	var wg sync.WaitGroup
	for i, x := range all {
		wg.Go(func() {
			for n := range 10 {
				write(t, filepath.Join(dir, "daily", "2026-01-0"+string(rune('1'+i))+".md"), "- 09:00 · turn "+strings.Repeat("x", n)+" · - · ok\n")
				_, err := x.Recall(context.Background(), memory.Query{Words: "nas turn"})
				require.NoError(t, err)
			}
		})
	}
	wg.Wait()
	for _, x := range all {
		n, err := x.Count(context.Background())
		require.NoError(t, err)
		require.Equal(t, 4, n)
	}
}

func TestAnIdleIndexClosesItself(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "recall.db")
	notesIn(t, dir, "the nas is blue")
	synctest.Test(t, func(t *testing.T) {
		x, err := recall.Open(file, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}})
		require.NoError(t, err)
		require.Equal(t, "the nas is blue", first(t, x, "nas"))
		require.True(t, x.IsOpen())
		time.Sleep(59 * time.Second)
		synctest.Wait()
		require.True(t, x.IsOpen())
		require.Equal(t, "the nas is blue", first(t, x, "nas"))
		time.Sleep(61 * time.Second)
		synctest.Wait()
		require.False(t, x.IsOpen())
		require.Equal(t, "the nas is blue", first(t, x, "nas"))
		require.NoError(t, x.Close())
		require.False(t, x.IsOpen())
		_, err = x.Recall(context.Background(), memory.Query{Words: "nas"})
		require.ErrorIs(t, err, recall.ErrClosed)
	})
}
