package commandlog

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// logDir is a directory with a log.
type logDir struct {
	t   require.TestingT
	dir string
}

func newPlace(t *testing.T) logDir { return logDir{t, t.TempDir()} }

func (d logDir) path() string { return filepath.Join(d.dir, logName) }

// log returns the log as a new process in the same boot opens it.
func (d logDir) log() *Log {
	l := New(d.path(), at("2026-02-20T09:15:32Z"))
	l.boot, l.store = "boot-1", &mortal{immortal}
	return l
}

func (d logDir) read(name string) string {
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(d.t, err)
	return string(b)
}

func (d logDir) write(name, text string) {
	// Overwriting makes some file systems wait for the disk.
	_ = os.Remove(filepath.Join(d.dir, name))
	require.NoError(d.t, os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600))
}

// run records a command that ends immediately.
func (d logDir) run(command string) {
	l := d.log()
	defer l.closeFiles()
	ref, err := l.Begin(Entry{Class: Safe, Command: command})
	require.NoError(d.t, err)
	require.NoError(d.t, l.End(ref, Result{Took: 4 * time.Millisecond}))
}

func (d logDir) verify() Report {
	r, err := d.log().Verify()
	require.NoError(d.t, err)
	return r
}

func (d logDir) links() []link {
	var all []link
	for line := range strings.Lines(d.read(auditName)) {
		k, err := decode([]byte(strings.TrimSuffix(line, "\n")))
		require.NoError(d.t, err, line)
		all = append(all, k)
	}
	return all
}

func TestARecordSaysWhoAllowedWhatAndHowItEnded(t *testing.T) {
	d := newPlace(t)
	l := d.log()
	ref, err := l.Begin(Entry{
		Class: Confirmed, Command: "yay -S google-chrome\n", Tool: "install_package", Dir: "/home/blu", Task: "t1",
		Session: "agent:main", Channel: "cli", Approver: "cli", Digest: "sha256:ab",
	})
	require.NoError(t, err)
	require.NoError(t, l.End(ref, Result{Exit: 1, Took: 1500 * time.Millisecond, TimedOut: true}))
	_, err = l.Begin(Entry{Class: Blocked, Command: "rm -rf /", Reason: "blocked"})
	require.NoError(t, err)

	require.Equal(t, `[2026-02-20T09:15:32Z] CONFIRMED   yay -S google-chrome\n
[2026-02-20T09:15:32Z] BLOCKED     rm -rf /
`, d.read(logName))
	var members []map[string]any
	for line := range strings.Lines(d.read(auditName)) {
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		require.Len(t, m["hash"], 64)
		delete(m, "prev")
		delete(m, "hash")
		members = append(members, m)
	}
	require.Equal(t, []map[string]any{
		{"seq": 1.0, "time": "2026-02-20T09:15:32Z", "event": "chain", "log": 0.0},
		{
			"seq": 2.0, "time": "2026-02-20T09:15:32Z", "event": "run", "class": "CONFIRMED", "command": `yay -S google-chrome\n`,
			"tool": "install_package", "dir": "/home/blu", "task": "t1", "session": "agent:main", "channel": "cli",
			"approver": "cli", "digest": "sha256:ab", "log": 58.0,
		},
		{"seq": 3.0, "time": "2026-02-20T09:15:32Z", "event": "end", "of": 2.0, "exit": 1.0, "ms": 1500.0, "timed_out": true, "log": 58.0},
		{"seq": 4.0, "time": "2026-02-20T09:15:32Z", "event": "refused", "class": "BLOCKED", "command": "rm -rf /", "reason": "blocked", "log": 102.0},
	}, members)
	require.Equal(t, Report{OK: true, Records: 4, Lines: 2, Problems: []Problem{}}, d.verify())
}

func TestAShellCanCheckTheChain(t *testing.T) {
	d := newPlace(t)
	for _, c := range []string{"df -h", `echo "<크롬>" & printf '\\n'`, "a\x80\u2028b"} {
		d.run(c)
	}
	var want []string
	for _, k := range d.links() {
		want = append(want, k.Hash)
	}
	sh := exec.Command("sh", "-c", `printf 'blunux-ai audit v1' | sha256sum | cut -c1-64
sed 's/,"hash":"[0-9a-f]*"}$/}/' audit.jsonl | while IFS= read -r r; do printf %s "$r" | sha256sum; done | cut -c1-64`)
	sh.Dir = d.dir
	out, err := sh.CombinedOutput()
	require.NoError(t, err)
	hashes := strings.Fields(string(out))
	require.Equal(t, want, hashes[1:])
	for i, k := range d.links() {
		require.Equal(t, hashes[i], k.Prev)
	}
}

func TestS11LinesWithoutAChainAreAProblemForEver(t *testing.T) {
	d := newPlace(t)
	d.write(logName, "[2025-01-01T00:00:00Z] SAFE        df -h\n[2025-01-01T00:00:01Z] SAFE        torn")
	missing := []Problem{{Damage{auditName, Missing}, 1, 1}}
	require.Equal(t, Report{Lines: 2, Before: 2, Problems: missing}, d.verify())
	d.run("free -h")
	require.Equal(t, Report{Records: 3, Lines: 3, Before: 2, Problems: missing}, d.verify())
	d.write(logName, strings.Replace(d.read(logName), "df", "dd", 1))
	require.Contains(t, d.verify().Problems, Problem{Damage{logName, Edited}, 1, 1})
}

func TestALogNobodyWroteYetIsWhole(t *testing.T) {
	d := newPlace(t)
	require.Equal(t, Report{OK: true, Problems: []Problem{}}, d.verify())
	_, err := os.Stat(d.path())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestNoFileOfTheLogMayBeALink(t *testing.T) {
	for _, name := range []string{logName, auditName, headName} {
		d := newPlace(t)
		d.write("target", "untouched")
		require.NoError(t, os.Symlink(filepath.Join(d.dir, "target"), filepath.Join(d.dir, name)))
		require.ErrorContains(t, d.log().Record(Safe, "df -h"), "cannot write the command log", name)
		require.Equal(t, "untouched", d.read("target"))
		_, err := d.log().Verify()
		require.ErrorContains(t, err, "cannot verify the command log")
	}
}

func TestFilesAreForTheUserAlone(t *testing.T) {
	d := newPlace(t)
	d.dir = filepath.Join(d.dir, "logs")
	d.run("df -h")
	require.NoError(t, os.Chmod(filepath.Join(d.dir, auditName), 0o644))
	d.run("df -h")
	for _, name := range []string{logName, auditName, headName} {
		fi, err := os.Stat(filepath.Join(d.dir, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), fi.Mode().Perm(), name)
	}
	fi, err := os.Stat(d.dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), fi.Mode().Perm())
}

func TestACommandTooLongToProveIsNotWritten(t *testing.T) {
	d := newPlace(t)
	require.ErrorContains(t, d.log().Record(Safe, strings.Repeat("\x01", maxLine/8)), "too long")
	require.Empty(t, d.read(logName))
	require.True(t, d.verify().OK)
}

func TestLinesOfAProgramThatKnowsNoChainAreAProblem(t *testing.T) {
	d := newPlace(t)
	d.run("df -h")
	foreign := "[2026-02-20T09:16:00Z] SAFE        one\n[2026-02-20T09:16:00Z] SAFE        two\n"
	d.write(logName, d.read(logName)+foreign)
	want := []Problem{{Damage{logName, Added}, 2, 3}}
	require.Equal(t, want, d.verify().Problems)
	d.run("free -h") // it continues recording and keeps the damage
	r := d.verify()
	require.Equal(t, []Problem{{Damage{logName, Added}, 2, 4}}, r.Problems)
	require.Equal(t, 4, r.Lines)
}

func TestWithoutABootIDTheHeadNamesOnlyWhatIsOnTheDisk(t *testing.T) {
	d := newPlace(t)
	l := d.log()
	l.boot = ""
	ref, err := l.Begin(Entry{Class: Safe, Command: "df -h"})
	require.NoError(t, err)
	require.NoError(t, l.End(ref, Result{}))
	require.Contains(t, d.read(headName), " 2 ")
	require.NotContains(t, d.read(headName), " 3 ")
	r, err := l.Verify()
	require.NoError(t, err)
	require.True(t, r.OK)
}
