package icon

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/ipc"
)

// maxFile bounds the file of an approval, as package daemon/approval does.
const maxFile = 16 << 20

// waiting returns the approvals in a directory that have not expired, in order of expiry. It only reads, because the files
// belong to the daemon, which also judges what is in them.
func waiting(dir string, now time.Time) (asks []ipc.Ask) {
	files, _ := os.ReadDir(dir) // without the directory nothing waits
	for _, f := range files {
		if !isApproval(f.Name()) {
			continue
		}
		if ask, ok := read(filepath.Join(dir, f.Name())); ok && ask.Expires.After(now) {
			asks = append(asks, ask)
		}
	}
	sorting.Stably(asks, func(a, b ipc.Ask) int { return a.Expires.Compare(b.Expires) })
	return asks
}

// isApproval reports whether a file name is that of an approval.
func isApproval(name string) bool {
	return filepath.Ext(name) == ".json" && !strings.HasPrefix(name, ".")
}

// read reads an approval's file. It accepts only a regular file: a link could point anywhere, and a pipe would block.
func read(path string) (ipc.Ask, bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return ipc.Ask{}, false
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return ipc.Ask{}, false
	}
	var record struct {
		Ask ipc.Ask `json:"ask"`
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	return record.Ask, err == nil && json.Unmarshal(data, &record) == nil && record.Ask.Code != ""
}
