package commandlog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// tampering is one change of a file, with the first line it changes.
type tampering struct {
	file, text string
	line       int   // from 1
	lines      []int // both lines of a swap
}

// tamper draws a change of a file's records or lines.
func tamper(rt *rapid.T, file, text string) tampering {
	lines := slices.Collect(strings.Lines(text))
	i := rapid.IntRange(0, len(lines)-1).Draw(rt, "line")
	c := tampering{file: file, line: i + 1, lines: []int{i + 1}}
	switch what := rapid.SampledFrom([]string{"edit", "remove", "swap", "truncate", "insert", "grow"}).Draw(rt, "change"); what {
	case "edit":
		b := []byte(lines[i])
		at := rapid.IntRange(0, len(b)-2).Draw(rt, "byte") // not the line feed
		old := b[at]
		b[at] = rapid.Byte().Filter(func(n byte) bool { return n != old && n != '\n' }).Draw(rt, "new")
		lines[i] = string(b)
	case "grow":
		at := rapid.IntRange(0, len(lines[i])-1).Draw(rt, "before byte")
		lines[i] = lines[i][:at] + "x" + lines[i][at:]
	case "remove":
		lines = slices.Delete(lines, i, i+1+rapid.IntRange(0, min(3, len(lines)-i-1)).Draw(rt, "more"))
	case "swap":
		j := rapid.IntRange(0, len(lines)-1).Filter(func(j int) bool { return lines[j] != lines[i] }).Draw(rt, "with")
		lines[i], lines[j] = lines[j], lines[i]
		c.line, c.lines = min(i, j)+1, []int{i + 1, j + 1}
	case "truncate":
		at := rapid.IntRange(0, len(text)-1).Draw(rt, "at")
		c.text, c.line = text[:at], strings.Count(text[:at], "\n")+1
		c.lines = []int{c.line}
		return c
	case "insert":
		lines = slices.Insert(lines, i, "[2026-02-20T09:15:32Z] SAFE        forged\n")
	}
	c.text = strings.Join(lines, "")
	return c
}

func TestEveryChangeIsFoundAndTheFirstIsNamed(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		d := logDir{rt, filepath.Join(dir, fmt.Sprint(n))}
		require.NoError(rt, os.Mkdir(d.dir, 0o700))
		defer os.RemoveAll(d.dir)
		for i := range rapid.IntRange(2, 8).Draw(rt, "commands") {
			d.run(fmt.Sprint("command ", i))
		}
		require.True(rt, d.verify().OK)
		file := rapid.SampledFrom([]string{auditName, logName}).Draw(rt, "file")
		c := tamper(rt, file, d.read(file))
		d.write(file, c.text)

		r := d.verify()
		require.False(rt, r.OK)
		first := r.Problems[0]
		require.Equal(rt, file, first.File)
		if file == auditName {
			require.Equal(rt, c.line, first.Line)
			require.Contains(rt, c.lines, int(first.Seq))
		} else {
			require.Equal(rt, c.line, first.Line)
			require.Equal(rt, d.seqOf(c.line), first.Seq)
		}

		d.run("later") // recording continues, and the problem is still found
		require.False(rt, d.verify().OK)
	})
}

// seqOf returns the record of the n-th line after those from before the chain. Each command has a record for
// its beginning and one for its result.
func (d logDir) seqOf(n int) int64 { return int64(2 * n) }

func TestChangesAreFoundAmidWhatCrashesLeft(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		sub := filepath.Join(dir, fmt.Sprint(n))
		require.NoError(rt, os.Mkdir(sub, 0o700))
		defer os.RemoveAll(sub)
		f := newLife(rt, sub)
		for i := range rapid.IntRange(1, 6).Draw(rt, "commands") {
			f.command(i)
			if rapid.IntRange(0, 3).Draw(rt, "power cut") == 0 {
				f.powerCut()
			}
		}
		require.NoError(rt, f.log(immortal).Record(Safe, "the last"))
		require.True(rt, f.verify().OK)
		file := rapid.SampledFrom([]string{auditName, logName}).Draw(rt, "file")
		f.write(file, tamper(rt, file, f.read(file)).text)
		require.False(rt, f.verify().OK)
		require.NoError(rt, f.log(immortal).Record(Safe, "later"))
		require.False(rt, f.verify().OK)
	})
}

func TestASingleChangeIsToldAsWhatItIs(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		change func([]string) []string
		want   []Problem
	}{
		"a record changed": {auditName, func(l []string) []string {
			l[3] = strings.Replace(l[3], "command 1", "command 7", 1)
			return l
		}, []Problem{{Damage{auditName, Edited}, 4, 4}}},
		"a record taken out": {auditName, func(l []string) []string { return slices.Delete(l, 3, 4) }, []Problem{{Damage{auditName, Removed}, 4, 4}}},
		"two next to each other exchanged": {auditName, func(l []string) []string {
			l[3], l[4] = l[4], l[3]
			return l
		}, []Problem{{Damage{auditName, Moved}, 4, 5}}},
		"a record moved to the end": {auditName, func(l []string) []string {
			return append(slices.Delete(slices.Clone(l), 3, 4), l[3])
		}, []Problem{{Damage{auditName, Moved}, 4, 4}}},
		"the last record cut": {auditName, func(l []string) []string {
			l[8] = l[8][:20]
			return l
		}, []Problem{{Damage{auditName, Cut}, 9, 9}}},
		"the last two records gone": {auditName, func(l []string) []string { return l[:7] }, []Problem{{Damage{auditName, Removed}, 8, 8}}},
		"only a line feed gone": {auditName, func(l []string) []string {
			l[8] = strings.TrimSuffix(l[8], "\n")
			return l
		}, []Problem{{Damage{auditName, Cut}, 9, 9}}},
		"all records gone": {auditName, func([]string) []string { return nil }, []Problem{{Damage{auditName, Removed}, 1, 1}}},
		"a line changed": {logName, func(l []string) []string {
			l[1] = strings.Replace(l[1], "command", "Command", 1)
			return l
		}, []Problem{{Damage{logName, Edited}, 2, 4}}},
		"a line taken out": {logName, func(l []string) []string { return slices.Delete(l, 1, 2) }, []Problem{{Damage{logName, Removed}, 2, 4}}},
		"a line put in": {logName, func(l []string) []string {
			return slices.Insert(l, 1, "[2026-02-20T09:15:32Z] SAFE        forged\n")
		}, []Problem{{Damage{logName, Added}, 2, 4}}},
		"the last line gone": {logName, func(l []string) []string { return l[:3] }, []Problem{{Damage{logName, Removed}, 4, 8}}},
		"all lines gone": {logName, func([]string) []string { return nil }, []Problem{
			{Damage{logName, Removed}, 1, 2},
			{Damage{logName, Removed}, 1, 4},
			{Damage{logName, Removed}, 1, 6},
			{Damage{logName, Removed}, 1, 8},
		}},
		"the head gone":    {headName, func([]string) []string { return nil }, []Problem{{Damage{headName, Missing}, 0, 0}}},
		"the head garbled": {headName, func([]string) []string { return []string{"x\n"} }, []Problem{{Damage{headName, Missing}, 0, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newPlace(t)
			for i := range 4 {
				d.run(fmt.Sprint("command ", i))
			}
			d.write(c.file, strings.Join(c.change(slices.Collect(strings.Lines(d.read(c.file)))), ""))
			require.Equal(t, c.want, d.verify().Problems)
			d.run("later")
			require.False(t, d.verify().OK)
		})
	}
}

func TestARecordWrittenAnewIsNamed(t *testing.T) {
	for _, i := range []int{3, 8} { // one in the middle, and the last
		d := newPlace(t)
		for i := range 4 {
			d.run(fmt.Sprint("command ", i))
		}
		k := d.links()[i]
		k.Time, k.Approver = "2026-02-20T09:15:33Z", "somebody else"
		forged, err := k.encode()
		require.NoError(t, err)
		lines := slices.Collect(strings.Lines(d.read(auditName)))
		lines[i] = string(forged)
		d.write(auditName, strings.Join(lines, ""))
		r := d.verify()
		require.Equal(t, Problem{Damage{auditName, Edited}, i + 1, int64(i + 1)}, r.Problems[0])
	}
}

func TestAnOlderHeadIsAProblemOnlyWhereNoPowerWasLost(t *testing.T) {
	d := newPlace(t)
	d.run("df -h")
	old := d.read(headName)
	d.run("free -h")
	d.write(headName, old)
	require.Equal(t, []Problem{{Damage{headName, Old}, 0, 3}}, d.verify().Problems)

	rebooted := d.log()
	rebooted.boot = "boot-2"
	r, err := rebooted.Verify()
	require.NoError(t, err)
	require.True(t, r.OK)
}

func TestTheEndOfTheLogCannotBeCutWithinOneRunOfTheMachine(t *testing.T) {
	d := newPlace(t)
	d.run("df -h")
	whole := d.read(auditName)
	d.write(auditName, whole[:strings.LastIndex(strings.TrimSuffix(whole, "\n"), "\n")+1])
	require.Equal(t, []Problem{{Damage{auditName, Removed}, 3, 3}}, d.verify().Problems)

	rebooted := d.log() // a command's result is not synced, so a power failure loses it
	rebooted.boot = "boot-2"
	r, err := rebooted.Verify()
	require.NoError(t, err)
	require.True(t, r.OK)
	require.Equal(t, 1, r.Pending)
	require.NoError(t, rebooted.Record(Safe, "free -h"))
	r, err = rebooted.Verify()
	require.NoError(t, err)
	require.True(t, r.OK)
	require.Equal(t, 1, r.Repaired)
	require.Contains(t, d.read(auditName), `"seq":4,"time":"2026-02-20T09:15:32Z","event":"repair","lost":1,`)
}

// TestS11AWholeLineOrRecordAtTheEndIsNoCrash appends data that a killed process could have left, but without
// its announcement.
func TestS11AWholeLineOrRecordAtTheEndIsNoCrash(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		d := logDir{rt, filepath.Join(dir, fmt.Sprint(n))}
		require.NoError(rt, os.Mkdir(d.dir, 0o700))
		defer os.RemoveAll(d.dir)
		for i := range rapid.IntRange(1, 5).Draw(rt, "commands") {
			d.run(fmt.Sprint("command ", i))
		}
		links := d.links()
		last := links[len(links)-1]
		forged := link{Seq: last.Seq + 1, Time: last.Time, Event: eventRun, Class: Safe, Command: "forged", Prev: last.Hash}
		forged.Log = last.Log + int64(len(forged.line()))
		record, err := forged.encode()
		require.NoError(rt, err)

		file := rapid.SampledFrom([]string{logName, auditName, "both", "torn line", "torn record"}).Draw(rt, "appended")
		line := forged.line()
		switch file {
		case "torn line":
			d.write(logName, d.read(logName)+line[:rapid.IntRange(1, len(line)-1).Draw(rt, "bytes")])
		case "torn record":
			d.write(auditName, d.read(auditName)+string(record[:rapid.IntRange(1, len(record)-2).Draw(rt, "bytes")]))
		}
		if file == logName || file == "both" {
			d.write(logName, d.read(logName)+line)
		}
		if file == auditName || file == "both" {
			d.write(auditName, d.read(auditName)+string(record))
		}
		require.False(rt, d.verify().OK, "%s", file)
		d.run("later")
		require.False(rt, d.verify().OK, "what was found is found for ever")
	})
}

func TestAReportIsBounded(t *testing.T) {
	d := newPlace(t)
	for i := range maxProblems + 10 {
		d.run(fmt.Sprint("command ", i))
	}
	d.write(logName, "")
	r := d.verify()
	require.Len(t, r.Problems, maxProblems)
	require.Equal(t, 10, r.More)
}

func FuzzVerify(f *testing.F) {
	dir := f.TempDir()
	l := New(filepath.Join(dir, logName), at("2026-02-20T09:15:32Z"))
	require.NoError(f, l.Record(Safe, "df -h"))
	d := logDir{f, dir}
	f.Add(d.read(logName), d.read(auditName), d.read(headName))
	f.Add("", "", "")
	f.Add("x", "{}\n{\"hash\":\"\"}", "\n")
	f.Fuzz(func(t *testing.T, log, audit, head string) {
		d := logDir{t, t.TempDir()}
		d.write(logName, log)
		d.write(auditName, audit)
		d.write(headName, head)
		before := d.verify()
		require.NoError(t, d.log().Record(Safe, "free -h"))
		after := d.verify()
		require.True(t, strings.HasSuffix(d.read(logName), "free -h\n"))
		require.True(t, before.OK || !after.OK, "what was found is found for ever")
	})
}
