// Package figures records how full the disks and the memory are, once a day, when the daemon is awake anyway. With what the
// journal says about boots and failed units, they are the health that the page shows.
package figures

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
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
	run func(context.Context, []string) (output, error)

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
	access, err := f.run(ctx, machine.JournalProbe)
	if err != nil {
		return j, err
	}
	switch a := machine.ParseJournalAccess([]byte(access.stderr)); {
	case access.missing || a.Absent:
		j.Access = ipc.JournalAbsent
		return j, nil
	case a.Denied:
		j.Access = ipc.JournalDenied
		return j, nil
	case a.OwnOnly:
		j.Access = ipc.JournalOwn
	}
	out, err := f.run(ctx, machine.HealthProbe(keptDays))
	if err != nil {
		return j, err
	}
	boots, failures, lines := machine.ParseHealth([]byte(out.stdout))
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

// output is the output of a command.
type output struct {
	stdout, stderr string
	missing        bool // the program is not installed
}

// runThroughGate runs a read-only command through the gate, which judges and records it.
func (f *Figures) runThroughGate(ctx context.Context, argv []string) (output, error) {
	rt, err := f.o.Settings.CurrentRuntime()
	if err != nil {
		return output{}, err
	}
	input, err := json.Marshal(map[string]string{"command": shell.CommandLine(argv)})
	if err != nil {
		return output{}, err
	}
	call := tools.Call{ID: "figures", Name: "run_command", Input: input}
	j, refused := rt.Gate.Prepare(call, post.KeyOf(ipc.GatewayChannel, "figures"), rt.Config.Home)
	if refused != nil || j.Class != safety.Safe {
		return output{missing: true}, nil // as on a machine without it
	}
	j.Origin = tools.Origin{Task: "figures", Channel: ipc.GatewayChannel}
	out := rt.Gate.Run(ctx, j, denyAll{}, nil)
	if ctx.Err() != nil {
		return output{}, ctx.Err()
	}
	if len(out.Output.Steps) == 0 || out.Output.Steps[0].MissingProgram != "" {
		return output{missing: true}, nil
	}
	return output{stdout: out.Output.Steps[0].Stdout, stderr: out.Output.Steps[0].Stderr}, nil
}

// denyAll rejects every approval, since read-only commands need none.
type denyAll struct{}

// Approve rejects the plan.
func (denyAll) Approve(context.Context, tools.JudgedPlan) tools.Decision {
	return tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied}
}
