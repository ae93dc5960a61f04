package tools

import (
	"crypto/rand"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// names gives the commands of a task the names of their units: the task's own
// to the first, then TASK-2, TASK-3 and so on.
type names struct {
	mu    sync.Mutex
	tasks []string // the last ones, oldest first
	count map[string]int
}

// maxNamed is how many tasks are remembered. One that is not begins at its own
// name again, and passes over those that are in use.
const maxNamed = 64

func newNames() *names { return &names{count: map[string]int{}} }

// namable is a task's id that can be part of a unit's name.
var namable = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

func (n *names) next(task string) string {
	if !namable.MatchString(task) {
		return rand.Text()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count[task] == 0 {
		n.tasks = append(n.tasks, task)
		if len(n.tasks) > maxNamed {
			delete(n.count, n.tasks[0])
			n.tasks = slices.Delete(n.tasks, 0, 1)
		}
	}
	n.count[task]++
	if n.count[task] == 1 {
		return task
	}
	return task + "-" + strconv.Itoa(n.count[task])
}

// kept are the results that stay on the disk until their task is settled.
type kept struct {
	on bool

	mu   sync.Mutex
	runs map[string][]Result
}

func newKept(on bool) *kept { return &kept{on: on, runs: map[string][]Result{}} }

// keep keeps a result's files until its task is settled, where that is wanted
// and there is a task; else it lets go of them.
func (g *Gate) keep(task string, res Result) {
	switch {
	case res.run == nil:
	case !g.kept.on || task == "":
		_ = res.forget() // what stays is told once more at the next start
	default:
		g.kept.mu.Lock()
		defer g.kept.mu.Unlock()
		g.kept.runs[task] = append(g.kept.runs[task], Result{run: res.run})
	}
}

// Settled lets go of the results of a task that are kept ([Options.KeepRuns]),
// once whatever came of them is on the disk elsewhere.
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
