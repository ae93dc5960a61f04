package recall

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// use calls f with the database, which it opens if needed. A damaged database is put aside and rebuilt, and f is
// called again. If the disk does not take a database, use works with one in memory.
func (x *Index) use(ctx context.Context, f func(*handle) error) error {
	for attempt := 0; ; attempt++ {
		h, err := x.acquire(ctx)
		if err == nil {
			err = f(h)
			x.release()
		}
		if err == nil || attempt == 2 || ctx.Err() != nil {
			return err
		}
		if !x.repair(ctx, h, err) {
			return err
		}
	}
}

// repair tries to repair the cause of an error and reports whether to try again.
func (x *Index) repair(ctx context.Context, h *handle, err error) bool {
	switch {
	case strings.Contains(err.Error(), "database is closed"): // dropped by another goroutine
		return true
	case errors.Is(err, errNewer):
		return x.inMemory(ctx, err)
	case errors.Is(err, errOutdated): // not a problem
		aside, err := x.putAside(h)
		if err != nil {
			return x.inMemory(ctx, err)
		}
		if aside != "" {
			_ = os.Remove(filepath.Join(filepath.Dir(x.file), aside)) // a leftover file is harmless
		}
	case isDamage(err):
		x.discardHandle(h)
		aside, aerr := x.putAside(h)
		x.warn(Warning{"index-damaged", aside, errors.Join(err, aerr)})
		if aerr != nil {
			return x.inMemory(ctx, aerr)
		}
	case isNoPlace(err) && (h == nil || !h.memory):
		x.discardHandle(h)
		return x.inMemory(ctx, err)
	default:
		return false
	}
	if h == nil {
		return true // f has not been called yet
	}
	// An empty index would find nothing.
	return x.sync(ctx, x.o.Sources) == nil
}

// acquire returns the open database. The caller must call release.
func (x *Index) acquire(ctx context.Context) (*handle, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, ErrClosed
	}
	if x.handle != nil && x.users == 0 && x.isReplaced() {
		x.closeHandle()
	}
	if x.handle == nil {
		h, err := openFile(ctx, x.file)
		if err != nil {
			return nil, err
		}
		x.handle = h
	}
	if x.timer != nil {
		x.timer.Stop()
	}
	x.users++
	return x.handle, nil
}

// isReplaced reports whether another process put the open file aside.
func (x *Index) isReplaced() bool {
	if x.handle.memory {
		return false
	}
	fi, err := os.Lstat(x.file)
	return err != nil || inodeOf(fi) != x.handle.inode
}

func (x *Index) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.users--
	if x.users > 0 || x.handle == nil {
		return
	}
	if x.closed {
		x.closeHandle()
		return
	}
	x.timer = time.AfterFunc(x.o.Idle, x.closeIdle)
}

// closeIdle closes the database after it has been idle.
func (x *Index) closeIdle() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.users == 0 {
		x.closeHandle()
	}
}

// closeHandle closes the database. x.mu must be held.
func (x *Index) closeHandle() {
	if x.timer != nil {
		x.timer.Stop()
	}
	if x.handle != nil {
		x.handle.db.Close() // a cache: everything can be read again
	}
	x.handle = nil
	x.freqs.forget()
}

// discardHandle closes an unusable database, unless another one has been opened meanwhile.
func (x *Index) discardHandle(h *handle) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if h != nil && x.handle == h {
		x.closeHandle()
	}
}

// inMemory switches to a database in memory.
func (x *Index) inMemory(ctx context.Context, why error) bool {
	x.warn(Warning{"index-in-memory", x.file, why})
	h, err := openMemory(ctx)
	if err != nil {
		return false
	}
	x.mu.Lock()
	if open := !x.closed; !open || x.handle != nil {
		x.mu.Unlock()
		h.db.Close()
		return open
	}
	x.handle = h
	x.mu.Unlock()
	return x.sync(ctx, x.o.Sources) == nil
}

// putAside renames the index file, unless another process has done so, and returns its new name.
func (x *Index) putAside(h *handle) (aside string, err error) {
	lock, err := os.OpenFile(x.file+".lock", os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := disk.Lock(lock, disk.Exclusive); err != nil {
		return "", err
	}
	fi, err := os.Lstat(x.file)
	if errors.Is(err, os.ErrNotExist) || err == nil && h != nil && inodeOf(fi) != h.inode {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for n := range 10 {
		aside = fmt.Sprintf("%s.aside%d", x.file, n)
		if err = os.Rename(x.file, aside); err == nil { // fails only if a directory that is not empty has the name
			break
		}
	}
	if err != nil {
		return "", err
	}
	// The old journal must not be applied to the next database.
	for _, end := range []string{"-wal", "-shm"} {
		os.Remove(x.file + end)
	}
	return filepath.Base(aside), nil
}

// Close closes the index once its current users have finished.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	if x.users == 0 {
		x.closeHandle()
	}
	return nil
}

// warn reports each problem once.
func (x *Index) warn(w Warning) {
	x.mu.Lock()
	key := Warning{Code: w.Code, File: w.File}
	known := x.warned[key]
	if len(x.warned) > 256 {
		clear(x.warned)
	}
	x.warned[key] = true
	x.mu.Unlock()
	if !known {
		x.o.Warn(w)
	}
}
