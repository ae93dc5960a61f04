package commandlog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

const measured = "df -h --output=source,size,used,avail,pcent,target"

// BenchmarkRecord measures the cost before a command can start: writing and syncing line and record. The floor,
// measured alternately, is appending one line to one file and syncing it. Goal: 1.5 x floor.
func BenchmarkRecord(b *testing.B) {
	l := New(filepath.Join(b.TempDir(), logName), time.Now)
	bare := filepath.Join(b.TempDir(), "bare.log")
	var ours, floor []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := l.Record(Safe, measured); err != nil {
			b.Fatal(err)
		}
		ours, start = append(ours, time.Since(start)), time.Now()
		if err := appendAndSync(bare); err != nil {
			b.Fatal(err)
		}
		floor = append(floor, time.Since(start))
	}
	b.ReportMetric(float64(median(ours).Nanoseconds()), "ns/op")
	b.ReportMetric(float64(median(floor).Nanoseconds()), "floor-ns")
	b.ReportMetric(float64(median(ours))/float64(median(floor)), "x-floor")
}

func appendAndSync(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "[2026-02-20T09:15:32Z] SAFE        %s\n", measured); err != nil {
		return err
	}
	return syscall.Fdatasync(int(f.Fd()))
}

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}

// BenchmarkEnd measures recording a command's result, without waiting for the disk: alternately with the files open
// since the last record, and with opening and inspecting them.
func BenchmarkEnd(b *testing.B) {
	l := New(filepath.Join(b.TempDir(), logName), time.Now)
	ref, err := l.Begin(Entry{Class: Safe, Command: measured})
	if err != nil {
		b.Fatal(err)
	}
	end := func() time.Duration {
		start := time.Now()
		if err := l.End(ref, Result{Took: time.Second}); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	var open, reopened []time.Duration
	for b.Loop() {
		open = append(open, end())
		l.closeFiles()
		reopened = append(reopened, end())
	}
	b.ReportMetric(float64(median(open).Nanoseconds()), "ns/op")
	b.ReportMetric(float64(median(reopened).Nanoseconds()), "reopened-ns")
}

// BenchmarkVerify verifies a log of 10,000 commands.
func BenchmarkVerify(b *testing.B) {
	l := New(filepath.Join(b.TempDir(), logName), time.Now)
	l.store = &mortal{immortal}
	for range 10_000 {
		ref, err := l.Begin(Entry{Class: Safe, Command: measured})
		if err == nil {
			err = l.End(ref, Result{})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	fi, err := os.Stat(l.siblingPath(auditName))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(fi.Size())
	for b.Loop() {
		if r, err := l.Verify(); err != nil || !r.OK {
			b.Fatal(r, err)
		}
	}
}
