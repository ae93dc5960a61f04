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

// garbageRatio is the GOGC value. It is low because a bridge has little live memory and always
// runs.
const garbageRatio = 25

// setGarbageRatio sets garbageRatio unless the environment sets GOGC.
func setGarbageRatio(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(garbageRatio)
	}
}

// idleAfter is the time without activity after which memory is returned, reportedIdleAfter the time
// after a messenger reported that it is idle.
const (
	idleAfter         = 20 * time.Second
	reportedIdleAfter = 2 * time.Second
)

// idleTimer returns memory to the system when the program is idle.
type idleTimer struct{ t *time.Timer }

func newIdleTimer() *idleTimer { return &idleTimer{time.AfterFunc(idleAfter, releaseMemory)} }

// reset restarts the timer because of activity.
func (q *idleTimer) reset() { q.t.Reset(idleAfter) }

// shorten shortens the timer because a messenger waits for its server.
func (q *idleTimer) shorten() { q.t.Reset(reportedIdleAfter) }

func (q *idleTimer) stop() { q.t.Stop() }

// releaseMemory returns memory that only the start needed: free heap, and the program's own pages. Most of
// those are not read again while the bridge is idle, and the kernel reads the others from its
// cache.
func releaseMemory() {
	debug.FreeOSMemory()
	smaps, err := os.ReadFile("/proc/self/smaps")
	self, errSelf := os.Readlink("/proc/self/exe")
	if err != nil || errSelf != nil {
		return // memory just stays in use
	}
	for _, m := range cleanMappings(smaps, self) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
	}
}

// mapping is the address range of a memory mapping.
type mapping struct{ start, end uintptr }

// cleanMappings returns the mappings of the program file that are read-only and have no modified page.
// The kernel can reload each page from the file (proc_pid_smaps(5)).
func cleanMappings(smaps []byte, self string) []mapping {
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
