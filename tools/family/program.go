package family

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// programDirs are the directories of the system's own programs.
const programDirs = "/usr/bin /bin /usr/sbin /sbin"

// Program identifies the file of a program, given by its absolute path: another version of it is another program. It
// returns false for a program that someone else than root could have put there or can change.
func Program(file string) (identity string, ok bool) {
	if !slices.Contains(strings.Fields(programDirs), filepath.Dir(file)) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false
	}
	fi, err := os.Lstat(real)
	if err != nil || !fi.Mode().IsRegular() || fi.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 || !isRoots(file, real) {
		return "", false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("%s %s %d:%d %d %d", file, real, st.Dev, st.Ino, fi.Size(), fi.ModTime().UnixNano()), true
}

// isRoots reports whether files and their directories belong to root and no one else can write to them.
func isRoots(files ...string) bool {
	for _, path := range files {
		for {
			fi, err := os.Stat(path)
			if err != nil || ownerOf(fi) != 0 || fi.Mode().Perm()&ownersOnly != 0 {
				return false
			}
			if path == "/" {
				break
			}
			path = filepath.Dir(path)
		}
	}
	return true
}
