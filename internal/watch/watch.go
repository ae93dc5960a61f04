// Package watch reports changes in directories, including those that do not exist yet, are removed, or are
// replaced by others with the same name. It uses inotify(7) and costs nothing while nothing changes.
//
// It only reports that something may have changed, not what: the receiver reads the files again. So the order of
// events, lost events and the way in which an editor replaces a file do not matter.
package watch

import (
	"errors"
	"fmt"
	"os"
	"sync"
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
// max_user_watches). Unreadable directories are not watched. warn is called if watching cannot continue. It may be
// nil.
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
