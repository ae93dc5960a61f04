package cell

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// setUpMounts makes everything that the process can see read-only, except a new temporary directory.
func (sp Spec) setUpMounts() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("cannot detach from the system's mounts: %w", err)
	}
	// This is recursive (mount_setattr(2), AT_RECURSIVE). A remount with mount(2) would leave the mounts below
	// writable.
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &attr); err != nil {
		return fmt.Errorf("cannot make the file system read-only: %w", err)
	}
	if err := mountTmpfs(sp.Tmp, "size=256m,mode=0700"); err != nil {
		return err
	}
	if sp.Landlock == 0 && len(sp.Devices) == 0 {
		if err := limitDevices(); err != nil {
			return err
		}
	}
	if sp.usesServices() {
		return sp.coverSockets()
	}
	return nil
}

func mountTmpfs(dir, options string) error {
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("cannot mount a temporary file system on %s: %w", dir, err)
	}
	return nil
}

// limitDevices leaves only devices that store nothing. A device can be opened for writing on a read-only mount,
// so this is needed where Landlock does not prevent that.
func limitDevices() error {
	var keep savedMounts
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		keep.save("/dev/" + name)
	}
	if err := mountTmpfs("/dev", "size=4k,mode=0755"); err != nil {
		return err
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
		if err := os.Symlink(target, "/dev/"+name); err != nil {
			return fmt.Errorf("cannot make /dev/%s: %w", name, err)
		}
	}
	return keep.restore("/dev")
}

// coverSockets hides every directory in which services listen, then restores the paths that only have files and
// the few sockets that the command needs.
func (sp Spec) coverSockets() error {
	var keep savedMounts
	for _, path := range append(sp.Keep, sp.Sockets...) {
		keep.save(path)
	}
	for target, source := range sp.Bus {
		keep.saveAs(source, target)
	}
	keep.save(sp.Tmp)
	for _, dir := range sp.Covers {
		if err := mountTmpfs(dir, "size=1m,mode=0755"); err != nil {
			return err
		}
	}
	if err := keep.restore(sp.Covers...); err != nil {
		return err
	}
	for _, dir := range sp.Covers {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(unix.AT_FDCWD, dir, 0, &attr); err != nil {
			return fmt.Errorf("cannot make %s read-only: %w", dir, err)
		}
	}
	return nil
}

// savedMounts are mounts saved from paths that are about to be covered.
type savedMounts []struct {
	fd     int
	target string
	dir    bool
}

// save saves the mount at path, if there is one.
func (h *savedMounts) save(path string) { h.saveAs(path, path) }

// saveAs saves the mount at source, to be restored at target.
func (h *savedMounts) saveAs(source, target string) {
	fi, err := os.Lstat(source)
	if err != nil || fi.Mode()&os.ModeSymlink != 0 {
		return // a link in /run leads to a covered path or stays readable at its target
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return // a path that cannot be saved is missing in the cell
	}
	*h = append(*h, struct {
		fd     int
		target string
		dir    bool
	}{fd, target, fi.IsDir()})
}

// restore restores the saved mounts below the covered directories.
func (h *savedMounts) restore(covers ...string) error {
	for _, m := range *h {
		if !isBelow(m.target, covers) {
			unix.Close(m.fd)
			continue
		}
		if err := createMountPoint(m.target, m.dir); err != nil {
			return fmt.Errorf("cannot create a mount point for %s: %w", m.target, err)
		}
		if err := unix.MoveMount(m.fd, "", unix.AT_FDCWD, m.target, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("cannot restore %s: %w", m.target, err)
		}
		unix.Close(m.fd)
	}
	return nil
}

func isBelow(path string, dirs []string) bool {
	for _, dir := range dirs {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// createMountPoint creates the file or directory for a mount.
func createMountPoint(path string, dir bool) error {
	if dir {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}
