package tools

import (
	"errors"
	"sync"
)

// kept holds the results that stay on disk until their task is settled.
type kept struct {
	on bool

	mu   sync.Mutex
	runs map[string][]Result
}

func newKept(on bool) *kept { return &kept{on: on, runs: map[string][]Result{}} }

// keep keeps a result's files until its task is settled. Without KeepRuns or a task it removes them.
func (g *Gate) keep(task string, res Result) {
	switch {
	case res.run == nil:
	case !g.kept.on || task == "":
		_ = res.forget() // remaining files are returned by Left at the next start
	default:
		g.kept.mu.Lock()
		defer g.kept.mu.Unlock()
		g.kept.runs[task] = append(g.kept.runs[task], Result{run: res.run})
	}
}

// Settled removes the kept results of a task ([Options.KeepRuns]). Call it when the results are stored
// elsewhere on disk.
func (g *Gate) Settled(task string) error {
	g.kept.mu.Lock()
	runs := g.kept.runs[task]
	delete(g.kept.runs, task)
	g.kept.mu.Unlock()
	var errs []error
	for _, r := range runs {
		errs = append(errs, r.forget())
	}
	return errors.Join(errs...)
}
