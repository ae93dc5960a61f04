package e2e

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// benchReport collects figures of benchmarks for docs/performance.md.
type benchReport struct {
	mu   sync.Mutex
	rows []string
}

var report benchReport

// goals are the goals of the figures, for the report.
var goals = map[string]string{
	"ask": "1.8 x", "message": "2.7 x", "message, processor time": "9 ms", "answer of a stopped daemon": "35 ms",
	"memory idle, resident": "12 MiB", "memory idle, anonymous": "5 MiB", "memory after200, resident": "22 MiB", "memory after200, anonymous": "9 MiB",
}

// add adds a figure with the floor of the same run, 0 for none.
func (r *benchReport) add(name, format string, figure, floor, ratio float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	row := fmt.Sprintf("| %s | "+format+" |", name, figure)
	if floor > 0 {
		row += fmt.Sprintf(" "+format+" | %.2f x |", floor, ratio)
	} else {
		row += " | |"
	}
	r.rows = append(r.rows, row+" "+goals[name]+" |")
}

const reportBegin, reportEnd = "<!-- written by make bench -->\n", "<!-- end -->\n"

// write replaces the report in a document, if there is one.
func (r *benchReport) write(path string) error {
	if path == "" || len(r.rows) == 0 {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), reportBegin)
	_, after, ended := strings.Cut(rest, reportEnd)
	if !found || !ended {
		return fmt.Errorf("cannot write %s: it lacks the lines %q and %q", path, reportBegin, reportEnd)
	}
	table := "\n| figure | ours | floor | ratio | goal |\n|---|---|---|---|---|\n" + strings.Join(r.rows, "\n") + "\n\n"
	return os.WriteFile(path, []byte(before+reportBegin+"\n"+machineLine()+table+reportEnd+after), 0o644)
}

// machineLine describes the machine of a run.
func machineLine() string {
	var uts unix.Utsname
	_ = unix.Uname(&uts) // never fails for a valid pointer
	model := "unknown processor"
	cpus, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(cpus)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s, %d cores of %s, Linux %s, %s\n",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), model, unix.ByteSliceToString(uts.Release[:]), runtime.Version())
}
