// Package watch tells when something changed in directories, also in those
// that are not there yet, that are removed, or replaced by others of the same
// name. It costs nothing while nothing changes: the kernel tells, inotify(7).
//
// It only tells that something may have changed, not what: whoever listens
// looks at the files again. So nothing depends on the order of events, on
// events that were lost, or on how an editor replaces a file.
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
	// Match chooses the names in it that matter; nil means all.
	Match func(name string) bool
	// Appends also tells of each write; without it a file counts as changed
	// when the writer closes it, when it is put in its place, or its mode is
	// changed.
	Appends bool
}

// Watcher tells of changes until it is closed.
type Watcher struct {
	dirs    []Dir
	warn    func(error)
	changes chan struct{}
	done    chan struct{}

	mu     sync.Mutex
	round  *round
	closed bool
}

// New watches directories. It fails when the kernel gives no more watches
// (fs.inotify.max_user_instances, max_user_watches). A directory that may not
// be looked into is not watched. warn is told when watching cannot go on; may be
// nil.
func New(warn func(error), dirs ...Dir) (*Watcher, error) {
	if warn == nil {
		warn = func(error) {}
	}
	w := &Watcher{dirs: dirs, warn: warn, changes: make(chan struct{}, 1), done: make(chan struct{})}
	r, err := w.begin()
	if err != nil {
		return nil, err
	}
	go w.run(r)
	return w, nil
}

// Changes gets a value when something may have changed since the last one was
// taken.
func (w *Watcher) Changes() <-chan struct{} { return w.changes }

// Close ends the watch and returns when nothing of it runs any more.
func (w *Watcher) Close() {
	w.mu.Lock()
	w.closed = true
	if w.round != nil {
		w.round.file.Close()
	}
	w.mu.Unlock()
	<-w.done
}

// begin starts a round, unless the watch was closed.
func (w *Watcher) begin() (*round, error) {
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

// run reads events. When a directory comes or goes it watches all anew and then
// tells, so that what happened in between is seen.
func (w *Watcher) run(r *round) {
	defer close(w.done)
	for {
		moved, err := r.wait(w.tell)
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
		if r, err = w.begin(); err != nil {
			if !errors.Is(err, os.ErrClosed) {
				w.warn(err)
			}
			return
		}
		w.tell()
	}
}

func (w *Watcher) tell() {
	select {
	case w.changes <- struct{}{}:
	default:
	}
}
