package tools

import (
	"crypto/rand"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// unitNames generates unit names for the commands of a task: the task's name for the first, then TASK-2, TASK-3 and
// so on.
type unitNames struct {
	mu    sync.Mutex
	tasks []string // most recent tasks, oldest first
	count map[string]int
}

// maxCountedTasks is the number of tasks whose count is stored. A forgotten task starts at its own name again, and the
// executor skips names that are in use.
const maxCountedTasks = 64

func newUnitNames() *unitNames { return &unitNames{count: map[string]int{}} }

// taskName matches a task's id that can be part of a unit's name.
var taskName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

func (n *unitNames) next(task string) string {
	if !taskName.MatchString(task) {
		return rand.Text()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count[task] == 0 {
		n.tasks = append(n.tasks, task)
		if len(n.tasks) > maxCountedTasks {
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
