package program

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// garbageRatio is how much garbage may gather, in hundredths of what is in use: a
// bridge holds next to nothing, and always runs.
const garbageRatio = 25

// frugal sets that, unless the person has.
func frugal(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(garbageRatio)
	}
}

// quietAfter is how long nothing happens before it is quiet, restingAfter how long
// after a messenger said that it rests.
const (
	quietAfter   = 20 * time.Second
	restingAfter = 2 * time.Second
)

// quiet settles the program when nothing happens for a while.
type quiet struct{ t *time.Timer }

func newQuiet() *quiet { return &quiet{time.AfterFunc(quietAfter, settle)} }

// disturb says that something happened.
func (q *quiet) disturb() { q.t.Reset(quietAfter) }

// rests says that a messenger waits for its server again.
func (q *quiet) rests() { q.t.Reset(restingAfter) }

func (q *quiet) end() { q.t.Stop() }

// settle gives back what only the beginning needed: free heap, and the pages of
// the program that were read to start it, which are most of it and are not read
// again while it waits. The kernel reads those that are from its cache.
func settle() {
	debug.FreeOSMemory()
	smaps, err := os.ReadFile("/proc/self/smaps")
	self, errSelf := os.Readlink("/proc/self/exe")
	if err != nil || errSelf != nil {
		return // nothing is lost but memory
	}
	for _, m := range untouched(smaps, self) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
	}
}

// mapping is where a part of a file stands in memory.
type mapping struct{ start, end uintptr }

// untouched are the parts of the program's own file that cannot be written to and
// of which no page was ever changed, so that each can be had again from the file
// (proc_pid_smaps(5)).
func untouched(smaps []byte, self string) []mapping {
	var found []mapping
	var m mapping
	var mode, path string
	for lines := bufio.NewScanner(bytes.NewReader(smaps)); lines.Scan(); {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "Anonymous:"); ok {
			if path == self && !strings.Contains(mode, "w") && strings.TrimSpace(rest) == "0 kB" {
				found = append(found, m)
			}
			continue
		}
		fields := strings.Fields(line)
		var start, end uintptr
		if len(fields) < 5 || strings.HasSuffix(fields[0], ":") {
			continue
		}
		if n, err := fmt.Sscanf(fields[0], "%x-%x", &start, &end); n != 2 || err != nil {
			continue
		}
		m, mode, path = mapping{start, end}, fields[1], strings.Join(fields[5:], " ")
	}
	return found
}
