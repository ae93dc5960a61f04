// Package figures records how full the disks and the memory are, once a day, when the daemon is awake anyway. With what the
// journal says about boots and failed units, they are the health that the page shows.
package figures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/daemon/look"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools"
)

const (
	// keptDays is how many days a report has, maxLines how many lines the file has before the older ones are dropped.
	keptDays, maxLines = 30, 60
	// freshTime is how long a report of the journal is used again.
	freshTime = 5 * time.Minute
)

// Options configures figures. All fields are required.
type Options struct {
	Path     string // of the file
	Home     string // of the person: its file system is measured beside the root's
	Settings *settings.Settings
	Now      func() time.Time
	Log      zerolog.Logger
}

// Figures records and reports figures. It is safe for concurrent use.
type Figures struct {
	o   Options
	run func(ctx context.Context, argv ...string) (check.Output, error)

	mu   sync.Mutex
	file *journal.Journal
	days []ipc.DayFigures
	read bool

	reading sync.Mutex // guards the fields below, also while commands run
	journal ipc.JournalFigures
	fresh   time.Time // until when journal is used again
}

// New returns figures without reading the file.
func New(o Options) *Figures {
	f := &Figures{o: o, file: journal.New(o.Path)}
	f.run = f.runThroughGate
	return f
}

// Record measures and stores the figures of today, if there are none yet.
func (f *Figures) Record() {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.o.Now()
	f.load()
	if n := len(f.days); n > 0 && f.days[n-1].At.Local().Format(time.DateOnly) == now.Local().Format(time.DateOnly) {
		return
	}
	today, err := measure(now, f.o.Home)
	if err != nil {
		f.o.Log.Warn().Err(err).Msg("cannot measure the figures of the day")
		return
	}
	f.days = append(f.days, today)
	if err := f.store(today); err != nil {
		f.o.Log.Warn().Err(err).Msg("cannot save the figures of the day")
	}
}

// load reads the file at the first call.
func (f *Figures) load() {
	if f.read {
		return
	}
	f.read = true
	damage, err := f.file.Read(func(record []byte) error {
		var d ipc.DayFigures
		if err := json.Unmarshal(record, &d); err != nil {
			return err
		}
		f.days = append(f.days, d)
		return nil
	})
	for _, d := range damage {
		f.o.Log.Warn().Err(d).Msg("cannot read state file")
	}
	if err != nil {
		f.o.Log.Warn().Err(err).Msg("cannot read the figures of the days")
	}
}

// store appends a day, and drops days that no report has.
func (f *Figures) store(today ipc.DayFigures) error {
	defer f.file.Close()
	if len(f.days) > maxLines {
		f.days = slices.Clone(f.days[len(f.days)-keptDays:])
		all := make([]any, len(f.days))
		for i, d := range f.days {
			all[i] = d
		}
		return f.file.Rewrite(all)
	}
	_, err := f.file.Append(today) // not synced: a lost day is no loss
	return err
}

// measure measures the figures of now.
func measure(now time.Time, home string) (ipc.DayFigures, error) {
	d := ipc.DayFigures{At: now.UTC().Truncate(time.Second)}
	var seen []unix.Fsid
	for _, path := range []string{"/", home} {
		var st unix.Statfs_t
		if path == "" || unix.Statfs(path, &st) != nil || st.Blocks == 0 || slices.Contains(seen, st.Fsid) {
			continue
		}
		seen = append(seen, st.Fsid)
		size := uint64(st.Bsize)
		d.Disks = append(d.Disks, ipc.DiskFigure{
			Path: path, Used: (st.Blocks - st.Bfree) * size, Size: (st.Blocks - st.Bfree + st.Bavail) * size,
		})
	}
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return d, fmt.Errorf("cannot read the use of memory: %w", err)
	}
	m, err := machine.ParseMeminfo(text)
	if err != nil {
		return d, fmt.Errorf("cannot read the use of memory: %w", err)
	}
	d.MemoryUsed, d.MemorySize = uint64(m.Total-m.Available), uint64(m.Total)
	return d, nil
}

// Report returns the figures of the last 30 days, those of now last, and what the journal says about that time.
func (f *Figures) Report(ctx context.Context) (ipc.Figures, error) {
	f.Record()
	now := f.o.Now()
	from := now.AddDate(0, 0, -keptDays)
	f.mu.Lock()
	r := ipc.Figures{Days: slices.DeleteFunc(append([]ipc.DayFigures{}, f.days...), func(d ipc.DayFigures) bool { return d.At.Before(from) })}
	f.mu.Unlock()
	var err error
	if r.Now, err = measure(now, f.o.Home); err != nil {
		return r, err
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	if now.Before(f.fresh) {
		r.Journal = f.journal
		return r, nil
	}
	if r.Journal, err = f.readJournal(ctx, from); err == nil {
		f.journal, f.fresh = r.Journal, now.Add(freshTime)
	}
	return r, err
}

// readJournal reads boots and failed units from the journal.
func (f *Figures) readJournal(ctx context.Context, from time.Time) (ipc.JournalFigures, error) {
	j := ipc.JournalFigures{Since: from.UTC(), Boots: []ipc.BootFigure{}, Failures: []ipc.UnitFailure{}}
	access, err := f.run(ctx, machine.JournalProbe...)
	absent := errors.Is(err, check.ErrMissing) || errors.Is(err, check.ErrRefused) // refused is as on a machine without it
	if err != nil && !absent {
		return j, err
	}
	switch a := machine.ParseJournalAccess([]byte(access.Stderr)); {
	case absent || a.Absent:
		j.Access = ipc.JournalAbsent
		return j, nil
	case a.Denied:
		j.Access = ipc.JournalDenied
		return j, nil
	case a.OwnOnly:
		j.Access = ipc.JournalOwn
	}
	out, err := f.run(ctx, machine.HealthProbe(keptDays)...)
	if err != nil {
		return j, err
	}
	boots, failures, lines := machine.ParseHealth([]byte(out.Stdout))
	for _, b := range boots {
		j.Boots = append(j.Boots, ipc.BootFigure{At: b.At.UTC(), Seconds: b.Took})
	}
	for _, u := range failures {
		j.Failures = append(j.Failures, ipc.UnitFailure{At: u.At.UTC(), Unit: u.Unit})
	}
	if lines >= machine.HealthLines { // older ones were left out
		for _, at := range []time.Time{firstTime(boots, func(b machine.Boot) time.Time { return b.At }), firstTime(failures, func(u machine.UnitFailure) time.Time { return u.At })} {
			if !at.IsZero() && (j.Since.Equal(from.UTC()) || at.Before(j.Since)) {
				j.Since = at.UTC()
			}
		}
	}
	return j, nil
}

func firstTime[T any](all []T, at func(T) time.Time) time.Time {
	if len(all) == 0 {
		return time.Time{}
	}
	return at(all[0])
}

// runThroughGate runs a read-only command.
func (f *Figures) runThroughGate(ctx context.Context, argv ...string) (check.Output, error) {
	rt, err := f.o.Settings.CurrentRuntime()
	if err != nil {
		return check.Output{}, err
	}
	r := look.Runner{
		Runtime: rt, Key: post.KeyOf(ipc.GatewayChannel, "figures"), Name: "figures",
		Origin: tools.Origin{Task: "figures", Channel: ipc.GatewayChannel},
	}
	return r.Run(ctx, argv...)
}
