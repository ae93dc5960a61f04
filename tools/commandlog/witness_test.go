package commandlog

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// witnessedLog returns a log with a copy of its head in another directory.
func (d logDir) witnessedLog() *Log {
	return d.log().SetWitness(filepath.Join(d.dir+"-tasks", "audit.head"))
}

func (d logDir) record(t require.TestingT, n int) {
	for i := range n {
		require.NoError(t, d.witnessedLog().Record(Safe, fmt.Sprint("command ", i)))
	}
}

// TestS11AllThreeFilesTogetherCannotBeTamperedWith removes, empties, restores and replaces any of the log's
// files, also while it is being written.
func TestS11AllThreeFilesTogetherCannotBeTamperedWith(t *testing.T) {
	dir, n := t.TempDir(), 0
	names := []string{logName, auditName, headName}
	rapid.Check(t, func(rt *rapid.T) {
		n++
		d := logDir{rt, filepath.Join(dir, fmt.Sprint(n))}
		d.record(rt, rapid.IntRange(1, 4).Draw(rt, "before"))
		old := map[string]string{}
		for _, name := range names {
			old[name] = d.read(name)
		}
		d.record(rt, rapid.IntRange(1, 4).Draw(rt, "since"))
		report, err := d.witnessedLog().Verify()
		require.NoError(rt, err)
		require.True(rt, report.OK, "%+v", report)
		other := logDir{rt, filepath.Join(dir, fmt.Sprint(n, "other"))}
		for i := range rapid.IntRange(1, 12).Draw(rt, "in another log") {
			other.run(fmt.Sprint("other ", i))
		}
		what := rapid.SampledFrom([]string{"remove", "empty", "roll back", "replace"}).Draw(rt, "what")
		for _, name := range names {
			switch file := filepath.Join(d.dir, name); what {
			case "remove":
				require.NoError(rt, os.Remove(file))
			case "empty":
				require.NoError(rt, os.Truncate(file, 0))
			case "roll back":
				d.write(name, old[name])
			case "replace":
				d.write(name, other.read(name))
			}
		}
		report, err = d.witnessedLog().Verify()
		require.NoError(rt, err)
		require.False(rt, report.OK, "%s is not seen", what)
		d.record(rt, 1) // the daemon continues
		report, err = d.witnessedLog().Verify()
		require.NoError(rt, err)
		require.False(rt, report.OK, "%s is forgotten with the next record", what)
	})
}

func TestS11AMissingChainBesideALogIsAProblem(t *testing.T) {
	d := newPlace(t)
	d.run("df -h")
	require.NoError(t, os.Remove(filepath.Join(d.dir, auditName)))
	require.NoError(t, os.Remove(filepath.Join(d.dir, headName)))
	require.Equal(t, []Problem{{Damage{auditName, Missing}, 1, 1}}, d.verify().Problems)
	d.run("uptime")
	require.False(t, d.verify().OK, "it stays found")
}

// ledger is a journal for tests. All logs of a test share it, like all programs share the system's.
type ledger map[string][]Head

func (l ledger) keep(path string, h Head) error    { l[path] = append(l[path], h); return nil }
func (l ledger) heads(path string) ([]Head, error) { return l[path], nil }

// TestS11NotEvenAllFilesWithTheSecondHeadCanBeTamperedWith changes all four files like a program with the
// user's rights can. Only the journal has their earlier content.
func TestS11NotEvenAllFilesWithTheSecondHeadCanBeTamperedWith(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		d, journal := logDir{rt, filepath.Join(dir, fmt.Sprint(n))}, ledger{}
		anchored := func() *Log {
			l := d.witnessedLog()
			l.anchor = journal
			return l
		}
		record := func(count int, what string) {
			for i := range count {
				ref, err := anchored().Begin(Entry{Class: Safe, Command: fmt.Sprint(what, i)})
				require.NoError(rt, err)
				require.NoError(rt, anchored().End(ref, Result{}))
			}
		}
		verify := func() Report {
			report, err := anchored().Verify()
			require.NoError(rt, err)
			return report
		}
		files := map[string]string{"commands.log": d.dir, "audit.jsonl": d.dir, "audit.head": d.dir, "../" + filepath.Base(d.dir) + "-tasks/audit.head": d.dir}
		copyOf := func() map[string][]byte {
			all := map[string][]byte{}
			for name := range files {
				data, err := os.ReadFile(filepath.Join(d.dir, name))
				require.NoError(rt, err)
				all[name] = data
			}
			return all
		}
		record(rapid.IntRange(1, 4).Draw(rt, "before"), "before ")
		old := copyOf()
		record(rapid.IntRange(1, 4).Draw(rt, "since"), "since ")
		report := verify()
		require.True(rt, report.OK, "%+v", report)
		require.Positive(rt, report.Journal)
		what := rapid.SampledFrom([]string{"remove", "empty", "roll back"}).Draw(rt, "what")
		for name := range files {
			switch file := filepath.Join(d.dir, name); what {
			case "remove":
				require.NoError(rt, os.Remove(file))
			case "empty":
				require.NoError(rt, os.Truncate(file, 0))
			case "roll back":
				require.NoError(rt, os.WriteFile(file, old[name], 0o600))
			}
		}
		require.False(rt, verify().OK, "%s is not seen", what)
		record(rapid.IntRange(1, 9).Draw(rt, "after"), "after ")
		require.False(rt, verify().OK, "%s is forgotten once the daemon goes on", what)
	})
}

// TestS11ACrashWithAWitnessIsNoTampering kills the writer at every byte.
func TestS11ACrashWithAWitnessIsNoTampering(t *testing.T) {
	for left := int64(0); left < 1800; left += 7 {
		d := logDir{t, filepath.Join(t.TempDir(), "logs")}
		d.record(t, 1)
		journal := ledger{}
		l := d.witnessedLog()
		l.store, l.anchor = &mortal{left}, journal
		_ = l.Record(Safe, "df -h")
		l = d.witnessedLog()
		l.anchor = journal
		report, err := l.Verify()
		require.NoError(t, err)
		require.Empty(t, report.Problems, "killed after %d bytes", left)
		d.record(t, 1)
		report, err = d.witnessedLog().Verify()
		require.NoError(t, err)
		require.Empty(t, report.Problems, "killed after %d bytes, then one more", left)
	}
}
