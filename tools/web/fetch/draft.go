package fetch

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// draft is a new file of a directory that has no name until it is complete. If this program is killed, the kernel frees
// it. Where the file system cannot do that, it has a hidden name and a lock, by which a later download finds and removes
// it.
type draft struct {
	*os.File
	root *os.Root
	part string // the hidden name, "" for none
}

// newDraft returns an empty draft, which the caller closes.
func newDraft(root *os.Root) (*draft, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	fd, err := unix.Openat(int(dir.Fd()), ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	switch {
	case err == nil:
		return &draft{File: os.NewFile(uintptr(fd), filepath.Join(root.Name(), "download")), root: root}, nil
	case isUnsupported(err):
		return newNamedDraft(root)
	}
	return nil, &fs.PathError{Op: "open", Path: root.Name(), Err: err}
}

// isUnsupported reports whether a file system or the kernel does not have a call or a flag of it (open(2), link(2)).
func isUnsupported(err error) bool {
	return slices.ContainsFunc([]error{unix.EOPNOTSUPP, unix.EISDIR, unix.EINVAL, unix.ENOENT, unix.ENOSYS, unix.EPERM}, func(one error) bool {
		return errors.Is(err, one)
	})
}

// partName matches the hidden names.
var partName = regexp.MustCompile(`^\.blunux-ai-[A-Z2-7]{12}\.part$`)

// newNamedDraft returns a draft with a hidden name.
func newNamedDraft(root *os.Root) (*draft, error) {
	removeLeftovers(root)
	for {
		part := ".blunux-ai-" + rand.Text()[:12] + ".part"
		f, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, err
		}
		if disk.Lock(f, disk.Exclusive) != nil { // without locks, nothing is removed
			return &draft{f, root, part}, nil
		}
		var st unix.Stat_t
		if err := unix.Fstat(int(f.Fd()), &st); err != nil || st.Nlink > 0 {
			return &draft{f, root, part}, err
		}
		f.Close() // another program removed it before it had its lock
	}
}

// removeLeftovers removes the drafts of programs that were killed: those that no one has locked.
func removeLeftovers(root *os.Root) {
	dir, err := root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // those that can be read
	for _, name := range names {
		if !partName.MatchString(name) {
			continue
		}
		f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() && disk.TryLock(f, disk.Exclusive) == nil {
			_ = root.Remove(name) // the next download tries again
		}
		f.Close()
	}
}

// Close discards the draft, or closes the file that was made of it.
func (d *draft) Close() error {
	if d.part != "" {
		_ = d.root.Remove(d.part) // the next download tries again
		d.part = ""
	}
	return d.File.Close()
}

// publish gives the draft a name that is not taken, and makes it durable. The error is fs.ErrExist if it is taken.
func (d *draft) publish(name string) error {
	if name != filepath.Base(name) || !filepath.IsLocal(name) {
		return fmt.Errorf("%q is not the name of a file", name)
	}
	dir, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := d.link(int(dir.Fd()), name); err != nil {
		return &fs.PathError{Op: "link", Path: name, Err: err}
	}
	if err := dir.Sync(); !errors.Is(err, unix.EINVAL) { // which a file system without such a call answers
		return err
	}
	return nil
}

func (d *draft) link(dir int, name string) error {
	if d.part == "" {
		return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(d.Fd())), dir, name, unix.AT_SYMLINK_FOLLOW)
	}
	err := unix.Renameat2(dir, d.part, dir, name, unix.RENAME_NOREPLACE)
	if isUnsupported(err) { // such as NFS
		return unix.Linkat(dir, d.part, dir, name, 0)
	}
	if err == nil {
		d.part = ""
	}
	return err
}
