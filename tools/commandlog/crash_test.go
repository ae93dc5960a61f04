package commandlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var errKilled = errors.New("killed")

// immortal is more bytes than any test writes.
const immortal = 1 << 40

// mortal is a store of a process that dies after a number of bytes.
type mortal struct{ left int64 }

func (m *mortal) put(f *os.File, p []byte, at int64) error {
	n := min(m.left, int64(len(p)))
	m.left -= n
	if n > 0 {
		if err := (fileStore{}).put(f, p[:n], at); err != nil {
			return err
		}
	}
	if n < int64(len(p)) {
		m.left = 0
		return errKilled
	}
	return nil
}

// sync does nothing: the test decides what a power failure loses.
func (*mortal) sync(*os.File) error { return nil }

// mortalLog returns a log whose process dies after a number of bytes, and its store.
func (d logDir) mortalLog(left int64) (*Log, *mortal) {
	l, m := d.log(), &mortal{left}
	l.store = m
	return l, m
}

func (d logDir) copyTo(dir string) logDir {
	c := logDir{d.t, dir}
	for _, name := range []string{logName, auditName, headName} {
		if text := d.read(name); text != "" {
			c.write(name, text)
		} else {
			_ = os.Remove(filepath.Join(dir, name))
		}
	}
	return c
}

func TestAProcessKilledAtAnyByteLeavesNothingToBlame(t *testing.T) {
	for name, prepare := range map[string]func(logDir){
		"the first command":       func(logDir) {},
		"a later command":         func(d logDir) { d.run("free -h") },
		"after a killed line":     func(d logDir) { d.run("free -h"); d.killedAfter(slotSize + 30) },
		"after an unrecorded one": func(d logDir) { d.run("free -h"); d.killedAfter(slotSize + 45) },
		"after a killed record":   func(d logDir) { d.run("free -h"); d.killedAfter(slotSize + 170) },
	} {
		t.Run(name, func(t *testing.T) {
			base := newPlace(t)
			prepare(base)
			d := base.copyTo(t.TempDir())
			l, m := d.mortalLog(immortal)
			ref, err := l.Begin(Entry{Class: Safe, Command: "df -h"})
			require.NoError(t, err)
			require.NoError(t, l.End(ref, Result{}))
			step := int64(1)
			if strings.HasPrefix(name, "after") { // a second crash
				step = 5
			}
			for n := int64(0); n < immortal-m.left; n += step {
				d = base.copyTo(d.dir)
				l, _ = d.mortalLog(n)
				ref, err := l.Begin(Entry{Class: Safe, Command: "df -h"})
				if err == nil {
					err = l.End(ref, Result{})
				}
				require.ErrorIs(t, err, errKilled)
				require.Empty(t, d.verify().Problems, "killed after %d bytes", n)
				d.run("uptime")
				r := d.verify()
				require.Empty(t, r.Problems, "killed after %d bytes, then one more", n)
				require.Zero(t, r.Pending, "killed after %d bytes", n)
				require.True(t, strings.HasSuffix(d.read(logName), "uptime\n"))
			}
		})
	}
}

func (d logDir) killedAfter(n int64) {
	l, _ := d.mortalLog(n)
	require.ErrorIs(d.t, l.Record(Safe, "df -h"), errKilled)
}

func TestWhatACrashLeftIsToldByNumber(t *testing.T) {
	whole := int64(len("[2026-02-20T09:15:32Z] SAFE        df -h\n"))
	for left, want := range map[int64]struct {
		event   string
		command string
	}{
		10:          {eventRepair, ""},
		whole - 1:   {eventRepair, ""}, // without its line feed, it could be the beginning of another one
		whole:       {eventRecovered, "df -h"},
		whole + 100: {eventRecovered, "df -h"},
	} {
		d := newPlace(t)
		d.run("free -h")
		d.killedAfter(slotSize + left) // the announcement is written first
		require.Positive(t, d.verify().Pending)
		d.run("uptime")
		r := d.verify()
		require.True(t, r.OK)
		require.Equal(t, 1, r.Repaired)
		for line := range strings.Lines(d.read(auditName)) {
			k, err := decode([]byte(strings.TrimSuffix(line, "\n")))
			if err == nil && k.Seq == 4 {
				require.Equal(t, want.event, k.Event)
				require.Equal(t, want.command, k.Command)
				require.Equal(t, left > whole, k.Cut != nil)
			}
		}
	}
}

// crashMachine is a machine with killed processes and power failures, and the data that must survive.
type crashMachine struct {
	logDir
	rt    *rapid.T
	boot  int
	begun []string // commands that were allowed to run
	// Data that a power failure cannot remove: synced lengths of the two files, and one of the last contents of
	// the head.
	mu                     sync.Mutex
	logSynced, auditSynced int64
	heads                  []string
}

func newLife(rt *rapid.T, dir string) *crashMachine {
	return &crashMachine{logDir: logDir{rt, dir}, rt: rt, boot: 1, heads: []string{""}}
}

// log returns a log that dies after a number of bytes, and records synced lengths.
func (f *crashMachine) log(left int64) *Log {
	l := New(f.path(), at("2026-02-20T09:15:32Z"))
	l.boot, l.store = fmt.Sprint("boot-", f.boot), &witness{mortal{left}, f}
	return l
}

// witness records what a power failure can no longer remove.
type witness struct {
	mortal
	*crashMachine
}

func (w *witness) put(file *os.File, p []byte, at int64) error {
	err := w.mortal.put(file, p, at)
	if at >= 0 {
		w.heads = append(w.heads, w.read(headName))
		w.heads = w.heads[max(len(w.heads)-4, 0):]
	}
	return err
}

func (w *witness) sync(file *os.File) error {
	if w.mortal.left == 0 {
		return errKilled
	}
	length := int64(len(w.read(filepath.Base(file.Name()))))
	w.mu.Lock()
	defer w.mu.Unlock()
	switch filepath.Base(file.Name()) {
	case logName:
		w.logSynced = length
	case auditName:
		w.auditSynced = length
	default:
		w.heads = w.heads[len(w.heads)-1:]
	}
	return nil
}

// command runs a command in a process that can be killed.
func (f *crashMachine) command(i int) {
	left := int64(immortal)
	if rapid.Bool().Draw(f.rt, "killed") {
		left = rapid.Int64Range(0, 2200).Draw(f.rt, "after bytes")
	}
	l, name := f.log(left), fmt.Sprint("command ", i)
	defer l.closeFiles()
	ref, err := l.Begin(Entry{Class: Confirmed, Command: name, Task: "t"})
	if err == nil {
		f.begun = append(f.begun, name)
		err = l.End(ref, Result{Exit: i})
	}
	if err != nil {
		require.ErrorIs(f.rt, err, errKilled)
	}
}

// powerCut removes data that was not synced, and reboots the machine.
func (f *crashMachine) powerCut() {
	f.boot++
	f.write(logName, f.afterPowerCut(logName, f.logSynced))
	f.write(auditName, f.afterPowerCut(auditName, f.auditSynced))
	f.heads = []string{rapid.SampledFrom(f.heads).Draw(f.rt, "head")}
	f.write(headName, f.heads[0])
}

// afterPowerCut returns a file after a power failure: the synced data and a part of the rest, sometimes with the length
// but not the bytes.
func (f *crashMachine) afterPowerCut(name string, synced int64) string {
	text := f.read(name)
	kept := rapid.Int64Range(synced, int64(len(text))).Draw(f.rt, name+" kept")
	length := kept
	if rapid.Bool().Draw(f.rt, name+" has zeros") {
		length = rapid.Int64Range(kept, int64(len(text))).Draw(f.rt, name+" length")
	}
	return text[:kept] + strings.Repeat("\x00", int(length-kept))
}

func (f *crashMachine) verify() Report {
	r, err := f.log(immortal).Verify()
	require.NoError(f.rt, err)
	return r
}

func TestNoSequenceOfCrashesLooksLikeTampering(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		sub := filepath.Join(dir, fmt.Sprint(n))
		require.NoError(t, os.Mkdir(sub, 0o700))
		defer os.RemoveAll(sub)
		f := newLife(rt, sub)
		for i := range rapid.IntRange(1, 10).Draw(rt, "commands") {
			f.command(i)
			if rapid.IntRange(0, 3).Draw(rt, "power cut") == 0 {
				f.powerCut()
			}
			require.Empty(rt, f.verify().Problems)
		}
		require.NoError(rt, f.log(immortal).Record(Safe, "the last"))
		r := f.verify()
		require.Empty(rt, r.Problems)
		require.Zero(rt, r.Pending)
		require.Equal(rt, append(f.begun, "the last"), f.recordedCommands())
	})
}

// recordedCommands returns the commands with line and record, without those that were never allowed to run.
func (f *crashMachine) recordedCommands() []string {
	var all []string
	for line := range strings.Lines(f.read(auditName)) {
		k, err := decode([]byte(strings.TrimSuffix(line, "\n")))
		if err != nil || k.Event != eventRun {
			continue
		}
		require.Contains(f.rt, f.read(logName), k.line())
		if k.Command == "the last" || slices.Contains(f.begun, k.Command) {
			all = append(all, k.Command)
		}
	}
	return all
}

// TestMain can make the test program the process that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("COMMANDLOG_WRITES_TO"); path != "" {
		writeForever(path)
	}
	os.Exit(m.Run())
}

// writeForever writes from four goroutines and prints each command that is allowed to run.
func writeForever(path string) {
	l := New(path, at("2026-02-20T09:15:32Z"))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("%d-%d-%d", os.Getpid(), g, i)
				ref, err := l.Begin(Entry{Class: Safe, Command: name})
				if err != nil {
					panic(err)
				}
				mu.Lock()
				fmt.Println(name)
				mu.Unlock()
				if err := l.End(ref, Result{}); err != nil {
					panic(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestRealProcessesAreKilledWhileTheyWrite(t *testing.T) {
	d := newPlace(t)
	var said []string
	for range 25 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for range 2 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "COMMANDLOG_WRITES_TO="+d.path())
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			wg.Go(func() {
				sc, alive := bufio.NewScanner(out), rand.IntN(40)
				for sc.Scan() {
					mu.Lock()
					said = append(said, sc.Text())
					mu.Unlock()
					if alive--; alive < 0 {
						_ = cmd.Process.Kill()
					}
				}
				_, _ = io.Copy(io.Discard, out)
				_ = cmd.Wait()
			})
		}
		wg.Wait()
		r, err := New(d.path(), at("2026-02-20T09:15:32Z")).Verify()
		require.NoError(t, err)
		require.Empty(t, r.Problems)
	}
	text := d.read(logName)
	for _, name := range said {
		require.Contains(t, text, "SAFE        "+name+"\n")
	}
	require.Greater(t, len(said), 50)
}
