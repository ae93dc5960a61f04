// Package watch reports changes in directories, including those that do not exist yet, are removed, or are
// replaced by others with the same name. It uses inotify(7) and costs nothing while nothing changes.
//
// It only reports that something may have changed, not what: the receiver reads the files again. So the order of
// events, lost events and the way in which an editor replaces a file do not matter.
package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Dir is a directory to watch.
type Dir struct {
	Path string // absolute
	// Match selects the names that matter. nil means all.
	Match func(name string) bool
	// Appends also reports each write. Without it a file counts as changed when it is closed after writing, moved
	// into place, or its mode changes.
	Appends bool
}

// Watcher reports changes until it is closed.
type Watcher struct {
	dirs    []Dir
	warn    func(error)
	changes chan struct{}
	done    chan struct{}

	mu     sync.Mutex
	round  *round
	closed bool
}

// New watches directories. It fails if the kernel's limits are reached (fs.inotify.max_user_instances,
// max_user_watches). Unreadable directories are not watched. warn is called if watching cannot continue. It may be nil.
func New(warn func(error), dirs ...Dir) (*Watcher, error) {
	if warn == nil {
		warn = func(error) {}
	}
	w := &Watcher{dirs: dirs, warn: warn, changes: make(chan struct{}, 1), done: make(chan struct{})}
	r, err := w.startRound()
	if err != nil {
		return nil, err
	}
	go w.run(r)
	return w, nil
}

// Changes receives a value if something may have changed since the last one was received.
func (w *Watcher) Changes() <-chan struct{} { return w.changes }

// Close stops watching and returns when the goroutine has ended.
func (w *Watcher) Close() {
	w.mu.Lock()
	w.closed = true
	if w.round != nil {
		w.round.file.Close()
	}
	w.mu.Unlock()
	<-w.done
}

// startRound starts a round, unless the watcher was closed.
func (w *Watcher) startRound() (*round, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, os.ErrClosed
	}
	r, err := newRound(w.dirs)
	if err != nil {
		return nil, fmt.Errorf("cannot watch for changes: %w", err)
	}
	w.round = r
	return r, nil
}

// run reads events. When a directory appears or disappears it starts a new round and then reports a change, so
// that changes in between are not missed.
func (w *Watcher) run(r *round) {
	defer close(w.done)
	for {
		moved, err := r.wait(w.notify)
		r.file.Close()
		if err != nil {
			if !errors.Is(err, os.ErrClosed) {
				w.warn(fmt.Errorf("cannot watch for changes any more: %w", err))
			}
			return
		}
		if !moved {
			continue
		}
		if r, err = w.startRound(); err != nil {
			if !errors.Is(err, os.ErrClosed) {
				w.warn(err)
			}
			return
		}
		w.notify()
	}
}

func (w *Watcher) notify() {
	select {
	case w.changes <- struct{}{}:
	default:
	}
}

// The events requested from the kernel: for every directory on the path, that it was moved or removed; for the last
// existing one if a part is missing, what appears in it; for a watched one, what is written, added or removed.
const (
	maskSelf    = unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	maskAppear  = unix.IN_CREATE | unix.IN_MOVED_TO
	maskVanish  = unix.IN_DELETE | unix.IN_MOVED_FROM
	maskContent = maskAppear | maskVanish | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB
)

// round is one inotify instance with all its watches. It ends when the directories themselves change.
type round struct {
	fd    int
	file  *os.File
	marks map[int32]*mark // by watch descriptor
}

// mark describes the purpose of a watch on one directory.
type mark struct {
	dirs  []Dir    // watched directories with this path
	parts []string // names on the path to a watched directory
}

func newRound(dirs []Dir) (*round, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	r := &round{fd: fd, file: os.NewFile(uintptr(fd), "inotify"), marks: map[int32]*mark{}}
	for _, d := range dirs {
		if err := r.walk(d); err != nil {
			r.file.Close()
			return nil, err
		}
	}
	return r, nil
}

// walk watches the directories on the path to d, and d itself if it exists.
func (r *round) walk(d Dir) error {
	at := "/"
	if err := r.mark(at, maskSelf, func(*mark) {}); err != nil && !isUnreadable(err) {
		return err
	}
	for part := range strings.SplitSeq(strings.Trim(filepath.Clean(d.Path), "/"), "/") {
		if part == "" {
			continue
		}
		next := filepath.Join(at, part)
		err := r.mark(next, maskSelf, func(*mark) {})
		if isLink(next) || isMissing(err) {
			// If at was removed just now, its own watch reports that.
			if err := r.mark(at, maskAppear|maskVanish, func(m *mark) { m.parts = append(m.parts, part) }); err != nil && !isUnreadable(err) && !isMissing(err) {
				return err
			}
			err = r.mark(next, maskSelf, func(*mark) {}) // it may have appeared in the meantime
		}
		switch {
		case isMissing(err):
			return nil
		case err != nil && !isUnreadable(err):
			return err
		}
		at = next
	}
	mask := uint32(maskContent)
	if d.Appends {
		mask |= unix.IN_MODIFY
	}
	if err := r.mark(at, mask, func(m *mark) { m.dirs = append(m.dirs, d) }); err != nil && !isUnreadable(err) && !isMissing(err) {
		return err
	}
	return nil
}

// mark adds events to the watch of a directory and records their purpose.
func (r *round) mark(path string, mask uint32, note func(*mark)) error {
	wd, err := unix.InotifyAddWatch(r.fd, path, mask|unix.IN_MASK_ADD|unix.IN_ONLYDIR)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	m, ok := r.marks[int32(wd)]
	if !ok {
		m = &mark{}
		r.marks[int32(wd)] = m
	}
	note(m)
	return nil
}

// isMissing reports whether the error means that a directory does not exist.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// isUnreadable reports whether the error means that a directory is not readable. On the path to a watched one this
// only means that its move is not reported.
func isUnreadable(err error) bool { return errors.Is(err, fs.ErrPermission) }

func isLink(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.Mode()&fs.ModeSymlink != 0
}

// wait reads events and calls tell for relevant ones. It returns when a directory on the path to a watched one
// appears or disappears.
func (r *round) wait(tell func()) (moved bool, err error) {
	buf := make([]byte, 4096)
	for {
		n, err := r.file.Read(buf)
		if err != nil {
			return false, err
		}
		matters := false
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			e := (*unix.InotifyEvent)(unsafe.Pointer(&rest[0]))
			end := unix.SizeofInotifyEvent + int(e.Len)
			name, _, _ := strings.Cut(string(rest[unix.SizeofInotifyEvent:end]), "\x00")
			rest = rest[end:]
			m, ours := r.marks[e.Wd]
			gone := e.Mask&(maskSelf|unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT|unix.IN_IGNORED) != 0
			switch {
			case gone || ours && slices.Contains(m.parts, name):
				return true, nil
			case ours:
				matters = matters || slices.ContainsFunc(m.dirs, func(d Dir) bool { return d.Match == nil || d.Match(name) })
			}
		}
		if matters {
			tell()
		}
	}
}
