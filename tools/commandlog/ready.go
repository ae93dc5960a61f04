package commandlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Ready reports whether the files could be opened for writing now, so that the person is not asked about a
// command that cannot be recorded. It creates and changes nothing, so it does not detect a full disk.
func (l *Log) Ready() error {
	for _, file := range []string{l.path, l.siblingPath(auditName), l.siblingPath(headName)} {
		if err := checkOpen(file); err != nil {
			return fmt.Errorf("cannot write the command log: %w", err)
		}
	}
	return nil
}

// checkOpen checks what [openToWrite] does, without its effects.
func checkOpen(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return checkCreate(filepath.Dir(path))
	}
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", path)
	}
	return err
}

// checkCreate returns nil if files can be created in a directory, which need not exist yet.
func checkCreate(dir string) error {
	fi, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir):
		return checkCreate(filepath.Dir(dir))
	case err != nil:
		return err
	case !fi.IsDir():
		return &fs.PathError{Op: "open", Path: dir, Err: unix.ENOTDIR}
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write", Path: dir, Err: err}
	}
	return nil
}
