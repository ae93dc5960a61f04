package ipc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// SocketName is the socket's file name in its directory.
const SocketName = "blunux-ai.sock"

// Locator finds the socket. Client and daemon use the same rules, so no configuration is needed. NewLocator sets
// the fields for this process.
type Locator struct {
	Getenv  func(string) string
	UID     int    // the owner of the socket
	RunDir  string // parent of the per-user runtime directories, /run/user
	TempDir string // parent of the private directory if there is no runtime directory
}

// NewLocator returns a locator for this process.
func NewLocator() Locator {
	return Locator{Getenv: os.Getenv, UID: os.Getuid(), RunDir: "/run/user", TempDir: os.TempDir()}
}

// Path returns the socket's path: $BLUNUX_AI_SOCK, else blunux-ai.sock in $XDG_RUNTIME_DIR, else in /run/user/UID if
// that directory is private to the user, else in blunux-ai-UID in the temporary directory. An existing directory must
// belong to the user and be closed to others. If not, the error says which and what to do. Path creates nothing.
func (l Locator) Path() (string, error) {
	if path := l.Getenv("BLUNUX_AI_SOCK"); path != "" {
		if !filepath.IsAbs(path) {
			return "", fmt.Errorf("BLUNUX_AI_SOCK=%s is not an absolute path", path)
		}
		return filepath.Clean(path), nil
	}
	if dir := l.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		err := CheckDir(dir, l.UID)
		if err == nil {
			return filepath.Join(dir, SocketName), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot use XDG_RUNTIME_DIR: %w; try: env -u XDG_RUNTIME_DIR blunux-aictl status", err)
		}
	}
	run := filepath.Join(l.RunDir, strconv.Itoa(l.UID))
	if CheckDir(run, l.UID) == nil {
		return filepath.Join(run, SocketName), nil
	}
	private := filepath.Join(l.TempDir, "blunux-ai-"+strconv.Itoa(l.UID))
	if err := CheckDir(private, l.UID); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("cannot use %s: %w; set BLUNUX_AI_SOCK to a path of your own", private, err)
	}
	return filepath.Join(private, SocketName), nil
}

// IsPrivate reports whether path is in the fallback directory of Path, which the listening process creates.
func (l Locator) IsPrivate(path string) bool {
	return filepath.Dir(path) == filepath.Join(l.TempDir, "blunux-ai-"+strconv.Itoa(l.UID))
}

// CheckDir returns why dir may not hold a socket of user uid: it is missing (an fs.ErrNotExist), a symbolic link,
// not a directory, another user's, or open to others.
func CheckDir(dir string, uid int) error {
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	switch owner := ownerOf(fi); {
	case fi.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link", dir)
	case !fi.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case owner != uid:
		return fmt.Errorf("%s belongs to uid %d, not to you (uid %d)", dir, owner, uid)
	case fi.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users (mode %04o, not 0700)", dir, fi.Mode().Perm())
	}
	return nil
}

// CheckSocket returns why the file at path may not be used as a socket of user uid: it is missing (an
// fs.ErrNotExist), a symbolic link, another kind of file, or another user's.
func CheckSocket(path string, uid int) error {
	fi, err := os.Lstat(path)
	if err != nil {
		return err
	}
	switch owner := ownerOf(fi); {
	case fi.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link", path)
	case fi.Mode()&fs.ModeSocket == 0:
		return fmt.Errorf("%s is not a socket", path)
	case owner != uid:
		return fmt.Errorf("%s belongs to uid %d, not to you (uid %d)", path, owner, uid)
	}
	return nil
}

func ownerOf(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}
