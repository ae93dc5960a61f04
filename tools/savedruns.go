package tools

import (
	"errors"
	"sync"
)

// savedRuns holds the results that stay on disk until their task is settled.
type savedRuns struct {
	enabled bool

	mu   sync.Mutex
	runs map[string][]Result
}

func newSavedRuns(on bool) *savedRuns { return &savedRuns{enabled: on, runs: map[string][]Result{}} }

// saveRun keeps a result's files until its task is settled. Without KeepRuns or a task it removes them.
func (g *Gate) saveRun(task string, res Result) {
	switch {
	case res.run == nil:
	case !g.savedRuns.enabled || task == "":
		_ = res.removeFiles() // remaining files are returned by Left at the next start
	default:
		g.savedRuns.mu.Lock()
		defer g.savedRuns.mu.Unlock()
		g.savedRuns.runs[task] = append(g.savedRuns.runs[task], Result{run: res.run})
	}
}

// ReleaseRuns removes the kept results of a task ([Options.KeepRuns]). Call it when the results are stored
// elsewhere on disk.
func (g *Gate) ReleaseRuns(task string) error {
	g.savedRuns.mu.Lock()
	runs := g.savedRuns.runs[task]
	delete(g.savedRuns.runs, task)
	g.savedRuns.mu.Unlock()
	var errs []error
	for _, r := range runs {
		errs = append(errs, r.removeFiles())
	}
	return errors.Join(errs...)
}
