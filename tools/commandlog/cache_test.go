package commandlog

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// openCount returns how many descriptors of this process are open below a directory.
func openCount(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	n := 0
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(target, dir+"/") {
			n++
		}
	}
	return n
}

func (l *Log) cachedFiles() *openFiles {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cached
}

func TestTheFilesStayOpenBetweenRecordsAndCloseWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newPlace(t)
		l := d.log().SetWitness(filepath.Join(d.dir, "tasks", "audit.head"))
		require.NoError(t, l.Record(Safe, "df -h"))
		first := l.cachedFiles()
		require.NotNil(t, first)
		for i := range 5 {
			time.Sleep(cacheTime - time.Second)
			ref, err := l.Begin(Entry{Class: Safe, Command: fmt.Sprint("command ", i)})
			require.NoError(t, err)
			require.NoError(t, l.End(ref, Result{}))
			require.Same(t, first, l.cachedFiles(), "opened again")
			require.Equal(t, 4, openCount(t, d.dir))
		}
		time.Sleep(cacheTime + time.Second)
		synctest.Wait()
		require.Zero(t, openCount(t, d.dir))
		require.NoError(t, l.Record(Safe, "uptime"))
		time.Sleep(cacheTime + time.Second)
		report, err := l.Verify()
		require.NoError(t, err)
		require.True(t, report.OK, "%+v", report)
	})
}

func TestOpenFilesAreNeitherLockedNorInherited(t *testing.T) {
	d := newPlace(t)
	l := d.log()
	require.NoError(t, l.Record(Safe, "df -h"))
	require.Equal(t, 3, openCount(t, d.dir))
	f, err := os.Open(d.path())
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
	require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_UN))
	out, err := exec.Command("ls", "-l", "/proc/self/fd").Output()
	require.NoError(t, err)
	require.NotContains(t, string(out), d.dir)
}

func TestAFailedRecordLeavesNoFileOpen(t *testing.T) {
	d := newPlace(t)
	l, m := d.mortalLog(immortal)
	require.NoError(t, l.Record(Safe, "df -h"))
	m.left = slotSize + 20
	require.ErrorIs(t, l.Record(Safe, "uptime"), errKilled)
	require.Zero(t, openCount(t, d.dir))
	m.left = immortal
	require.NoError(t, l.Record(Safe, "free"))
	report := d.verify()
	require.True(t, report.OK, "%+v", report)
	require.Equal(t, 1, report.Repaired)
}

// world is a directory with a log, written by two processes.
type world struct {
	logDir
	boot   string
	cached [2]*Log // nil for processes that open the files for each record
	saved  map[string]string
}

var logFiles = []string{logName, auditName, headName, "tasks/" + headName}

func newWorld(t require.TestingT, dir, boot string, cache bool) *world {
	require.NoError(t, os.Mkdir(dir, 0o700))
	w := &world{logDir: logDir{t, dir}, boot: boot}
	if cache {
		w.cached = [2]*Log{w.open(), w.open()}
	}
	return w
}

func (w *world) open() *Log {
	l := w.log().SetWitness(filepath.Join(w.dir, "tasks", headName))
	l.boot = w.boot
	return l
}

// close ends the processes.
func (w *world) close() {
	for _, l := range w.cached {
		l.closeFiles()
	}
}

// record records a command in one of the processes and, in another one, its result.
func (w *world) record(from, to int, command string) string {
	logs := w.cached
	if logs[0] == nil {
		logs = [2]*Log{w.open(), w.open()}
		defer logs[to].closeFiles()
	}
	ref, err := logs[from].Begin(Entry{Class: Safe, Command: command})
	if w.cached[0] == nil {
		logs[from].closeFiles()
	}
	if err == nil {
		err = logs[to].End(ref, Result{Exit: from})
	}
	return strings.ReplaceAll(fmt.Sprint(err), w.dir, "")
}

// attack changes a file. It restores the time of its last change, as far as a person's own rights suffice.
func (w *world) attack(how, name string, at int) {
	path := filepath.Join(w.dir, name)
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return
	}
	text := w.read(name)
	at %= max(len(text), 1)
	switch how {
	case "overwrite":
		if text != "" {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			require.NoError(w.t, err)
			_, err = f.WriteAt([]byte{text[at] ^ 1}, int64(at))
			require.NoError(w.t, err)
			require.NoError(w.t, f.Close())
		}
	case "append":
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(w.t, err)
		_, err = f.WriteString("[2026-02-20T09:15:32Z] SAFE        forged\n")
		require.NoError(w.t, err)
		require.NoError(w.t, f.Close())
	case "truncate":
		require.NoError(w.t, os.Truncate(path, int64(at)))
	case "remove":
		require.NoError(w.t, os.Remove(path))
	case "copy":
		w.write(name, text)
	case "roll back":
		w.write(name, w.saved[name])
	case "link":
		require.NoError(w.t, os.Rename(path, path+".moved"))
		require.NoError(w.t, os.Symlink(path+".moved", path))
		return
	case "rotate":
		require.NoError(w.t, os.Rename(path, path+".1"))
	case "open to others":
		require.NoError(w.t, os.Chmod(path, 0o644))
	}
	_ = os.Chtimes(path, fi.ModTime(), fi.ModTime())
}

func (w *world) save() {
	w.saved = map[string]string{}
	for _, name := range logFiles {
		w.saved[name] = w.read(name)
	}
}

// contents returns everything that the files show.
func (w *world) contents() map[string]string {
	all := map[string]string{}
	for _, name := range logFiles {
		all[name] = w.read(name)
		if fi, err := os.Lstat(filepath.Join(w.dir, name)); err == nil {
			all[name] += fi.Mode().String()
		}
	}
	report, err := w.open().Verify()
	all["report"] = strings.ReplaceAll(fmt.Sprint(report, err), w.dir, "")
	return all
}

// TestS11OpenFilesNoticeWhatFreshOnesDo applies the same records, changes and crashes to two logs. The processes of one
// keep their files open, those of the other open them for each record. Both must write the same bytes.
func TestS11OpenFilesNoticeWhatFreshOnesDo(t *testing.T) {
	dir, n := t.TempDir(), 0
	hows := []string{"overwrite", "append", "truncate", "remove", "copy", "roll back", "link", "rotate", "open to others"}
	rapid.Check(t, func(rt *rapid.T) {
		n++
		boot := rapid.SampledFrom([]string{"boot-1", "boot-1", ""}).Draw(rt, "boot")
		worlds := []*world{newWorld(rt, filepath.Join(dir, fmt.Sprint(n, "a")), boot, true), newWorld(rt, filepath.Join(dir, fmt.Sprint(n, "b")), boot, false)}
		defer worlds[0].close()
		for i := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			what := rapid.SampledFrom([]string{"record", "record", "record", "save", "attack"}).Draw(rt, "step")
			from, to := rapid.IntRange(0, 1).Draw(rt, "from"), rapid.IntRange(0, 1).Draw(rt, "to")
			how, name := rapid.SampledFrom(hows).Draw(rt, "how"), rapid.SampledFrom(logFiles).Draw(rt, "file")
			at := rapid.IntRange(0, 2000).Draw(rt, "at")
			var said [2]string
			for j, w := range worlds {
				switch what {
				case "record":
					said[j] = w.record(from, to, fmt.Sprint("command ", i))
				case "save":
					w.save()
				case "attack":
					w.attack(how, name, at)
				}
			}
			require.Equal(rt, said[1], said[0], "step %d", i)
		}
		require.Equal(rt, worlds[1].contents(), worlds[0].contents())
	})
}
