package tools

import (
	"crypto/rand"
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
