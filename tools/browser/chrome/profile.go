package chrome

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// makeProfile makes a directory for a profile, and removes those of programs that were killed. Its name has the process
// it belongs to.
func (c *Chrome) makeProfile() (string, error) {
	dir := c.o.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	left, _ := filepath.Glob(filepath.Join(dir, profileName+"*-*")) // no error: the pattern is valid
	for _, path := range left {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), profileName), "-")
		if n, err := strconv.Atoi(pid); err == nil && !isOurs(n) {
			_ = os.RemoveAll(path) // another user's cannot be removed
		}
	}
	return os.MkdirTemp(dir, profileName+strconv.Itoa(os.Getpid())+"-")
}

const profileName = "blunux-ai-browser-"

// isOurs reports whether a process is this program.
func isOurs(pid int) bool {
	own, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return true
	}
	other, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return err == nil && filepath.Base(other) == filepath.Base(own)
}
