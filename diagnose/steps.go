package diagnose

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Know asks for looks that are not known yet, and reports whether all are.
func (f *Facts) Know(looks ...machine.Probe) bool {
	all := true
	for _, look := range looks {
		if _, known := f.seen[look.String()]; !known {
			f.output(look)
			all = false
		}
	}
	return all
}

// Output returns what a look printed, the zero value if it is not known.
func (f *Facts) Output(look machine.Probe) Output { return f.seen[look.String()] }

// Stdout returns what a look printed if it succeeded and is complete, "" otherwise.
func (f *Facts) Stdout(look machine.Probe) string { return f.stdout(look) }

// Run returns a step that runs a command. check is a command that only reads, whose output contains expect once the
// step has
// worked; undo is the command that takes the step back, "" if there is none.
func Run(about i18n.Text, command, check, expect, undo string) Step {
	return run(about, command, check, expect, undo)
}

// Install returns a step that installs packages of a repository.
func Install(about i18n.Text, names string) Step { return install(about, names) }

// patience is how long a look can take: limit, and up to five times as long on a busy machine, where each program starts
// late. Such a machine is what people complain about. load is that of the last minute for each core.
func patience(limit time.Duration, load float64) time.Duration {
	return time.Duration(float64(limit) * min(max(load, 1), 5))
}

// load returns the load of the last minute for each core (sysinfo(2)).
func load() float64 {
	var info unix.Sysinfo_t
	_ = unix.Sysinfo(&info) // never fails on Linux
	const unit = 1 << 16
	return float64(info.Loads[0]) / unit / float64(runtime.NumCPU())
}

// Gather runs the looks that conclude asks for until it asks for no more. Each look can take up to limit, and longer on
// a busy machine. It ends early with ctx.
func (f *Facts) Gather(ctx context.Context, limit time.Duration, run func(ctx context.Context, command string) Output, conclude func()) error {
	for {
		conclude()
		needed := f.Needed()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case len(needed) == 0:
			return nil
		}
		for _, look := range needed { // a look at pacman that runs beside it would be seen as a package program
			if slices.Equal(look, machine.PackageProgramsProbe) {
				needed = []machine.Probe{look} // the others become needed again
				break
			}
		}
		outs := make([]Output, len(needed))
		var group sync.WaitGroup
		free := make(chan struct{}, parallelLooks)
		for i, look := range needed {
			free <- struct{}{}
			group.Go(func() {
				defer func() { <-free }()
				ctx, cancel := context.WithTimeout(ctx, patience(limit, load()))
				defer cancel()
				outs[i] = run(ctx, look.String())
			})
		}
		group.Wait()
		for i, look := range needed {
			f.Add(look, outs[i])
		}
	}
}
