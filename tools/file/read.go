// Package file reads and replaces files for tools: regular files only, at exactly the path that a person was shown. It
// never blocks on a file, follows no link that was put in its way, and leaves either the old or the new text.
package file

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// The reasons why a file is not read.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("too large")
	ErrMoved      = errors.New("a part of its path is a link now")
)

// kernelFiles are the file systems whose files are interfaces of the kernel: statfs(2).
var kernelFiles = []int64{
	unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC,
	unix.CGROUP2_SUPER_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.DEVPTS_SUPER_MAGIC, unix.EFIVARFS_MAGIC, unix.BPF_FS_MAGIC,
}

// Open opens the regular file at a path without links. It never blocks. Devices, pipes, sockets and files of the kernel
// such as /proc/self/mem are [ErrNotRegular]; a path that leads through a link is [ErrMoved].
func Open(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, nil, fmt.Errorf("%s: %w", path, ErrMoved)
	}
	if err != nil {
		return nil, nil, err
	}
	fi, err := checkRegular(f)
	if err == nil {
		err = checkPlace(f, path)
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, fi, nil
}

// checkRegular returns what an open file is, if it is regular and has its bytes on a disk or in memory.
func checkRegular(f *os.File) (fs.FileInfo, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var in unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &in); err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() || slices.Contains(kernelFiles, int64(in.Type)) {
		return nil, ErrNotRegular
	}
	return fi, nil
}

// checkPlace compares where an open file or directory is with the path that it was opened by: they differ if a part of
// the path is a link.
func checkPlace(f *os.File, path string) error {
	real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err == nil && real != path {
		err = ErrMoved
	}
	return err
}

// Read returns the whole text of the regular file at a path without links, which has at most limit bytes.
func Read(path string, limit int64) ([]byte, fs.FileInfo, error) {
	f, fi, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := readAll(f, limit)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, fi, nil
}

func readAll(f *os.File, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: at most %d bytes are allowed", ErrTooLarge, limit)
	}
	return data, err
}

// Digest returns the digest of a text: SHA-256 in hexadecimal.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Absent is the identity of a file that does not exist.
const Absent = "none"

// shownDigits is how much of a digest is in an identity, which people see in commands: 80 bits.
const shownDigits = 20

// Identity says which file has which text: a part of the text's digest, and device and inode. Without fi it is any file
// with that text.
func Identity(text []byte, fi fs.FileInfo) string {
	id := Digest(text)[:shownDigits]
	if fi == nil {
		return id
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return id
	}
	return fmt.Sprintf("%s@%x:%d", id, st.Dev, st.Ino)
}

// OpenDir opens the directory at a path without links. A path that leads through a link is [ErrMoved].
func OpenDir(path string) (*os.Root, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if err := checkDir(root, path); err != nil {
		root.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return root, nil
}

func checkDir(root *os.Root, path string) error {
	self, err := root.Open(".")
	if err != nil {
		return err
	}
	defer self.Close()
	return checkPlace(self, path)
}

// makeDir opens a directory at a path without links, and makes what is missing of it.
func makeDir(path string) (*os.Root, error) {
	dir, missing := path, ""
	for dir != "/" {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = filepath.Join(filepath.Base(dir), missing)
		dir = filepath.Dir(dir)
	}
	root, err := OpenDir(dir)
	if err != nil || missing == "" {
		return root, err
	}
	defer root.Close()
	if err := root.MkdirAll(missing, 0o755); err != nil {
		return nil, err
	}
	return OpenDir(path)
}
