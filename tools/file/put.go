package file

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/crash"
)

// Command is the first argument of a program that replaces a file: PROGRAM put --was IDENTITY [--mode MODE] -- KEPT PATH.
const Command = "put"

// MaxPut bounds a text that replaces a file, in bytes.
const MaxPut = 1 << 20

// Put is the replacement of one file's text.
type Put struct {
	Kept string // path of the new text, whose name is its digest
	Path string // absolute path of the file, without links
	Was  string // the file's [Identity] before, or [Absent]
	// Mode are the permissions afterwards, in octal; "" keeps those of the file.
	Mode string

	named bool // the new text has a name from the beginning, as on file systems without unnamed files
}

// Args returns the arguments of the program after its name.
func (p Put) Args() []string {
	args := []string{Command, "--was", p.Was}
	if p.Mode != "" {
		args = append(args, "--mode", p.Mode)
	}
	return append(args, "--", p.Kept, p.Path)
}

// Main is the program that replaces a file; args follow [Command]. It returns the exit status.
func Main(args []string) int {
	p, err := parse(args)
	if err == nil {
		err = p.Do()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", Command, err)
		return 1
	}
	return 0
}

func parse(args []string) (p Put, err error) {
	for len(args) > 1 && args[0] != "--" {
		switch args[0] {
		case "--mode":
			p.Mode = args[1]
		case "--was":
			p.Was = args[1]
		default:
			return p, fmt.Errorf("there is no option %q", args[0])
		}
		args = args[2:]
	}
	if len(args) != 3 || args[0] != "--" || p.Was == "" {
		return p, errors.New("usage: " + Command + " --was IDENTITY [--mode MODE] -- KEPT PATH")
	}
	p.Kept, p.Path = args[1], args[2]
	return p, nil
}

// Do replaces the file: it writes the text to a file without a name, with the old one's owner, permissions and attributes, and
// gives it the old one's name. It changes nothing if the kept text or the file is not the one that was shown. Other hard links
// to the file keep the old text.
func (p Put) Do() error {
	if !filepath.IsAbs(p.Path) || filepath.Clean(p.Path) != p.Path || p.Path == "/" {
		return fmt.Errorf("%q is not the absolute path of a file", p.Path)
	}
	text, err := os.ReadFile(p.Kept)
	if err != nil {
		return fmt.Errorf("cannot read the kept text: %w", err)
	}
	if Digest(text) != filepath.Base(p.Kept) || len(text) > MaxPut {
		return errors.New("the kept text is not the one that was shown")
	}
	root, err := makeDir(filepath.Dir(p.Path))
	if err != nil {
		return fmt.Errorf("cannot open the directory: %w", err)
	}
	defer root.Close()
	return p.replace(root, filepath.Base(p.Path), text)
}

func (p Put) replace(root *os.Root, name string, text []byte) error {
	old, done, err := p.openOld(root, name, text)
	if err != nil {
		return err
	}
	if old != nil {
		defer old.Close()
	}
	unlock, err := lock(root)
	if err != nil {
		return fmt.Errorf("cannot lock the directory: %w", err)
	}
	defer unlock()
	if done {
		return p.complete(old)
	}
	err = p.putInPlace(root, name, text, old)
	if !p.named && errors.Is(err, errNotLinked) {
		p.named = true
		err = p.putInPlace(root, name, text, old)
	}
	return err
}

// putInPlace writes the new file and gives it its name.
func (p Put) putInPlace(root *os.Root, name string, text []byte, old *os.File) error {
	f, beside, err := p.create(root, name)
	if err != nil {
		return fmt.Errorf("cannot create the new file: %w", err)
	}
	defer f.Close()
	if err := p.write(f, text, old); err != nil {
		removeNamed(root, beside)
		return fmt.Errorf("cannot write the text: %w", err)
	}
	crash.Here(crash.FileWritten)
	if err := p.install(root, f, beside, name, old); err != nil {
		return err
	}
	crash.Here(crash.FileRenamed)
	return syncDir(root)
}

// leftPrefix begins the names of new files next to those that they replace.
const leftPrefix = ".blunux-ai-"

// nameBeside returns the name of the new file next to one. Only one replacement at a time uses it.
func nameBeside(name string) string { return leftPrefix + Digest([]byte(name))[:16] }

// freeName returns the name for the new file next to one. A killed replacement may have left it on a file system without locks.
func freeName(root *os.Root, name string) (string, error) {
	beside := nameBeside(name)
	if err := root.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("cannot remove %s: %w", beside, err)
	}
	return beside, nil
}

// isLeftName reports whether a name is one of [nameBeside].
func isLeftName(name string) bool {
	digits, ok := strings.CutPrefix(name, leftPrefix)
	return ok && len(digits) == 16 && strings.Trim(digits, "0123456789abcdef") == ""
}

// removeLeft removes the new files that killed replacements left in the directory, which is locked. An error leaves them.
func removeLeft(root *os.Root) {
	dir, err := root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(1000)
		for _, name := range names {
			if !isLeftName(name) {
				continue
			}
			fi, err := root.Lstat(name)
			if err != nil || !fi.Mode().IsRegular() {
				continue
			}
			if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) == os.Geteuid() {
				_ = root.Remove(name)
			}
		}
		if err != nil || len(names) == 0 {
			return
		}
	}
}

// removeNamed removes a new file that has a name.
func removeNamed(root *os.Root, beside string) {
	if beside != "" {
		_ = root.Remove(beside) // the error of what went wrong says more
	}
}

// create creates the new file: without a name, so that a kill leaves nothing, or else next to the file.
func (p Put) create(root *os.Root, name string) (f *os.File, beside string, err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, "", err
	}
	defer dir.Close()
	if !p.named {
		fd, err := unix.Openat(int(dir.Fd()), ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
		if err == nil {
			return os.NewFile(uintptr(fd), name), "", nil
		}
		if !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
			return nil, "", err
		}
	}
	if beside, err = freeName(root, name); err != nil {
		return nil, "", err
	}
	f, err = root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	return f, beside, err
}

// install gives the new file the name of the old one, nil for none. beside is its name until now, "" for none.
func (p Put) install(root *os.Root, f *os.File, beside, name string, old *os.File) error {
	if beside == "" && old == nil { // in one step
		if err := link(root, f, name); err != nil {
			return fmt.Errorf("cannot create the file: %w", err)
		}
		return nil
	}
	if beside == "" {
		var err error
		if beside, err = freeName(root, name); err != nil {
			return err
		}
		if err := link(root, f, beside); err != nil {
			return fmt.Errorf("cannot name the new file: %w", err)
		}
	}
	crash.Here(crash.FileNamed)
	err := rename(root, beside, name, old)
	if err == nil {
		return nil
	}
	removeNamed(root, beside)
	if errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EXDEV) {
		return fmt.Errorf("%w: %s", errMountedFile, p.Path)
	}
	return fmt.Errorf("cannot replace the file: %w", err)
}

// errMountedFile reports a file that is a mount point, such as /etc/resolv.conf in a container.
var errMountedFile = errors.New("cannot replace a file on which another one is mounted (findmnt shows which): change that one, outside of the " +
	"container or where it comes from")

// errNotLinked reports a file system that keeps files without a name, but gives them none later.
var errNotLinked = errors.New("the new file gets no name")

// link gives a file without a name its name, which must be free.
func link(root *os.Root, f *os.File, name string) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	err = unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), int(dir.Fd()), name, unix.AT_SYMLINK_FOLLOW)
	switch err {
	case unix.EPERM, unix.EOPNOTSUPP, unix.ENOENT, unix.EXDEV: // ENOENT: without /proc
		return fmt.Errorf("%w: %w", errNotLinked, err)
	}
	return err
}

// complete ends a replacement that an earlier try has made.
func (p Put) complete(f *os.File) error {
	if p.Mode == "" {
		return nil
	}
	mode, err := p.mode(f)
	if err == nil {
		err = f.Chmod(mode)
	}
	return err
}

// openOld opens the file that is replaced, nil if there is none. It is an error if it is not the one that was shown. done
// reports that it has the new text already, from an earlier try.
func (p Put) openOld(root *os.Root, name string, is []byte) (old *os.File, done bool, err error) {
	changed := fmt.Errorf("%s was changed since it was shown", p.Path)
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		// A link with a missing target is there nevertheless.
		if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) && p.Was == Absent {
			return nil, false, nil
		}
		return nil, false, changed
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot read the file: %w", err)
	}
	fi, err := checkRegular(f)
	if err == nil {
		err = checkPlace(f, p.Path)
	}
	var text []byte
	if err == nil {
		text, err = readAll(f, MaxPut)
	}
	with, _, bound := strings.Cut(p.Was, "@")
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", changed, err)
	case bytes.Equal(text, is):
		return f, true, nil
	case p.Was == Absent, bound && p.Was != Identity(text, fi), !bound && with != Identity(text, nil):
		err = changed
	default:
		return f, false, nil
	}
	f.Close()
	return nil, false, err
}

// write writes the new file, which gets the owner, permissions and attributes of the old one.
func (p Put) write(f *os.File, text []byte, old *os.File) error {
	if _, err := f.Write(text); err != nil {
		return err
	}
	if old != nil {
		if err := keepOwner(f, old); err != nil {
			return err
		}
		if err := keepAttributes(f, old); err != nil {
			return err
		}
	}
	mode, err := p.mode(old)
	if err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	return f.Sync()
}

// mode returns the permissions of the new file.
func (p Put) mode(old *os.File) (fs.FileMode, error) {
	switch {
	case p.Mode != "":
		n, err := strconv.ParseUint(p.Mode, 8, 16)
		if err != nil || n > 0o777 {
			return 0, fmt.Errorf("%q are no permissions", p.Mode)
		}
		return fs.FileMode(n), nil
	case old == nil:
		mask := unix.Umask(0)
		unix.Umask(mask)
		return 0o666 &^ fs.FileMode(mask), nil
	}
	fi, err := old.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky), nil
}

func keepOwner(f, old *os.File) error {
	var is, was unix.Stat_t
	if err := errors.Join(unix.Fstat(int(f.Fd()), &is), unix.Fstat(int(old.Fd()), &was)); err != nil {
		return err
	}
	if is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
		return fmt.Errorf("cannot keep the owner: %w", err)
	}
	return nil
}

// keepAttributes copies access lists, labels and the like: xattr(7). Those that represent the text itself (capabilities,
// signatures) end with it.
func keepAttributes(f, old *os.File) error {
	names := make([]byte, 64<<10) // the maximum, listxattr(2)
	n, err := unix.Flistxattr(int(old.Fd()), names)
	if errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot list attributes: %w", err)
	}
	value := make([]byte, 64<<10)
	for name := range strings.SplitSeq(strings.TrimRight(string(names[:n]), "\x00"), "\x00") {
		switch name {
		case "", "security.capability", "security.ima", "security.evm":
			continue
		}
		n, err := unix.Fgetxattr(int(old.Fd()), name, value)
		if err == nil {
			err = unix.Fsetxattr(int(f.Fd()), name, value[:n], 0)
		}
		if err != nil {
			return fmt.Errorf("cannot keep the attribute %s: %w", name, err)
		}
	}
	return nil
}

// rename gives the new file its name. A new name must still be free, an old one must still be the same file's.
func rename(root *os.Root, beside, name string, old *os.File) error {
	if old == nil {
		dir, err := root.Open(".")
		if err != nil {
			return err
		}
		defer dir.Close()
		err = unix.Renameat2(int(dir.Fd()), beside, int(dir.Fd()), name, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
			return err
		}
		if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) { // the file system cannot do both at once
			return syscall.EEXIST
		}
		return root.Rename(beside, name)
	}
	was, err := old.Stat()
	if err != nil {
		return err
	}
	is, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) || was.Size() != is.Size() {
		return errors.New("it was changed since it was shown")
	}
	return root.Rename(beside, name)
}

// lock waits until no other replacement works in a directory, and removes what killed ones left there.
func lock(root *os.Root) (unlock func(), err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	for {
		switch err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); {
		case errors.Is(err, unix.EINTR):
		case err == nil:
			removeLeft(root)
			return func() { dir.Close() }, nil
		case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EBADF):
			return func() { dir.Close() }, nil // some network file systems have no locks
		default:
			dir.Close()
			return nil, err
		}
	}
}

func syncDir(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
