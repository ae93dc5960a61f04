package wire

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"unsafe"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

// releaseMemory gives back what an idle daemon does not need: free heap, and the pages of the program's own file, which
// the kernel maps generously at start and reads again from its cache when they are used. What is resident at rest falls
// to less than half; the peak stays. It logs what the program allocated until now.
func releaseMemory(log zerolog.Logger) {
	debug.FreeOSMemory()
	defer logAllocations(log)
	smaps, err := os.ReadFile("/proc/self/smaps")
	self, linkErr := os.Readlink("/proc/self/exe")
	if err != nil || linkErr != nil {
		return
	}
	for _, m := range cleanMappings(smaps, self) {
		_ = unix.Madvise(m, unix.MADV_DONTNEED) // advice only
	}
}

func logAllocations(log zerolog.Logger) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	log.Debug().Uint64("objects", m.Mallocs).Uint64("bytes", m.TotalAlloc).Uint64("live_bytes", m.HeapAlloc).Msg("memory released")
}

// cleanMappings returns the read-only mappings of a file that have no anonymous page, as /proc/PID/smaps shows them
// (proc_pid_smaps(5)). Pages that relocation changed are anonymous and would be lost, so a mapping with one is left out.
func cleanMappings(smaps []byte, file string) (all [][]byte) {
	var current []byte
	lines := bufio.NewScanner(bytes.NewReader(smaps))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) >= 6 && strings.Contains(fields[0], "-"):
			current = nil
			if strings.HasPrefix(fields[1], "r-") && strings.Join(fields[5:], " ") == file {
				current = mapping(fields[0])
			}
		case len(fields) >= 2 && fields[0] == "Anonymous:" && fields[1] == "0" && current != nil:
			all = append(all, current)
		case len(fields) >= 5 && strings.Contains(fields[0], "-"): // without a name
			current = nil
		}
	}
	return all
}

// mapping returns the memory of a range "START-END" in hexadecimal, or nil.
func mapping(span string) []byte {
	from, to, _ := strings.Cut(span, "-")
	start, err := strconv.ParseUint(from, 16, 64)
	end, endErr := strconv.ParseUint(to, 16, 64)
	if err != nil || endErr != nil || end <= start {
		return nil
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&start))), int(end-start))
}
