package autonomy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/tools/place"
)

// boundary are the paths that commands without a confirmation can and cannot use. All comparisons are made with
// links resolved.
type boundary struct {
	workspace  string
	closed     []string // as written, and with links resolved
	home       string
	isSecret   func(path string) bool
	checksLeft int // remaining number of files to check
}

// maxChecks is the number of files to check for one plan.
const maxChecks = 4096

// systemPlaces are places outside of homes that decide what the machine runs.
const systemPlaces = `/etc /usr /boot /efi /bin /sbin /lib /lib64 /var/lib /var/spool /run /dev /proc /sys`

// persistentNames are names that decide what runs in any directory: hooks and settings of version control and
// of directories.
var persistentNames = strings.Fields(".git .hg .envrc .mise.toml .vscode .idea")

// newBoundary returns the current limits of commands without a confirmation, or false if there is no usable workspace.
func newBoundary(workspace, home string, isSecret func(string) bool, closed []string) (*boundary, bool) {
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil || !filepath.IsAbs(workspace) {
		return nil, false
	}
	w := &boundary{workspace: real, home: home, isSecret: isSecret, checksLeft: maxChecks}
	w.addClosed(closed...)
	w.addClosed(strings.Fields(systemPlaces)...)
	w.addClosed(place.InHome(w.home)...)
	return w, true
}

// addClosed adds absolute paths that are not allowed.
func (w *boundary) addClosed(places ...string) {
	for _, p := range places {
		if !filepath.IsAbs(p) {
			continue
		}
		p = filepath.Clean(p)
		w.closed = append(w.closed, p)
		if real, err := place.RealPath(p); err == nil && real != p {
			w.closed = append(w.closed, real)
		}
	}
}

// canEnter reports whether a command can run in a directory, given as an absolute path.
func (w *boundary) canEnter(dir string) bool {
	real, err := place.RealPath(dir)
	return err == nil && w.contains(real)
}

// allowsPath reports whether a command in any of these directories can use a path. The file need not exist.
func (w *boundary) allowsPath(dirs []string, path string) bool {
	if path == os.DevNull {
		return true
	}
	return !slices.ContainsFunc(dirs, func(dir string) bool {
		places, ok := w.possiblePaths(dir, path)
		return !ok || slices.ContainsFunc(places, func(p string) bool { return !w.allowsAbsolute(p) })
	})
}

// possiblePaths returns the absolute paths that a path in a directory can mean: as the kernel resolves it, as
// programs resolve it that remove ".." together with the name before it, and with ~ expanded or not. It fails
// for another user's home and for the directories that a shell remembers.
func (w *boundary) possiblePaths(dir, path string) ([]string, bool) {
	list := []string{path}
	if !filepath.IsAbs(path) {
		list[0] = dir + "/" + path
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		if rest != "" && rest[0] != '/' {
			return nil, false
		}
		list = append(list, w.home+rest)
	}
	for _, p := range list {
		if clean := filepath.Clean(p); clean != p {
			list = append(list, clean)
		}
	}
	return list, true
}

// allowsAbsolute reports whether an absolute path and everything below it is allowed, because a command on a
// directory can affect everything in it.
func (w *boundary) allowsAbsolute(path string) bool {
	real, err := place.RealPath(path)
	if errors.Is(err, syscall.ENAMETOOLONG) {
		return true // no program can open it
	}
	if err != nil || !w.contains(real) || w.surroundsClosed(real) {
		return false
	}
	return nil == filepath.WalkDir(real, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case path == real && errors.Is(err, fs.ErrNotExist):
			return nil // it does not exist yet
		case err == nil && !w.allowsFile(path, entry):
			return errClosed
		}
		return err
	})
}

// errClosed ends the walk at a file that is not allowed.
var errClosed = errors.New("path is not allowed")

// allowsFile reports whether an existing file is allowed. For a link it checks the target.
func (w *boundary) allowsFile(path string, entry fs.DirEntry) bool {
	if w.checksLeft--; w.checksLeft < 0 || slices.Contains(persistentNames, entry.Name()) {
		return false
	}
	if entry.Type()&fs.ModeSymlink != 0 {
		real, err := place.RealPath(path)
		return err == nil && w.contains(real)
	}
	return !w.isSecret(path)
}

// contains reports whether a path is in the workspace and in no closed place.
func (w *boundary) contains(real string) bool {
	if !place.Within(real, w.workspace) {
		return false
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(real, w.workspace), "/") {
		if slices.Contains(persistentNames, name) {
			return false
		}
	}
	return !slices.ContainsFunc(w.closed, func(p string) bool { return place.Within(real, p) })
}

// surroundsClosed reports whether a closed place is below a path, even if it does not exist yet.
func (w *boundary) surroundsClosed(real string) bool {
	return slices.ContainsFunc(w.closed, func(p string) bool { return place.Within(p, real) })
}

// enclosesClosed reports whether a directory contains a closed place, or cannot be resolved.
func (w *boundary) enclosesClosed(dir string) bool {
	real, err := place.RealPath(dir)
	return err != nil || w.surroundsClosed(real)
}
