package session

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"
)

const (
	maxCached      = 8       // conversations with cached lines
	maxCachedBytes = 1 << 20 // total size of cached lines in their files, in bytes
	endLen         = 256     // bytes at the end of a file that identify it
)

// fileState identifies the content of a file. The end of the content distinguishes a file from one that replaced it
// with the same inode number, size and times.
type fileState struct {
	dev, ino     uint64
	size         int64
	mtime, ctime syscall.Timespec
	end          string
}

// stateOf returns the state of a locked file with a description. ok is false if it cannot be read.
func (s *Store) stateOf(f *os.File, fi fs.FileInfo) (st fileState, ok bool) {
	sys, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return fileState{}, false
	}
	end := make([]byte, min(sys.Size, endLen))
	if err := s.readAt(f, end, sys.Size-int64(len(end))); err != nil {
		return fileState{}, false
	}
	return fileState{sys.Dev, sys.Ino, sys.Size, sys.Mtim, sys.Ctim, string(end)}, true
}

// readAt reads len(data) bytes of a file, or less at the end of the file.
func (s *Store) readAt(f *os.File, data []byte, at int64) error {
	if s.onRead != nil {
		s.onRead(len(data))
	}
	if _, err := f.ReadAt(data, at); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// cachedTail has the parsed lines at the end of a file in one state. It is never modified.
type cachedTail struct {
	file  string
	state fileState
	lines []*tailLine // consecutive, the latest first
}

// bytes returns the size of the lines in the file.
func (t *cachedTail) bytes() int64 {
	if len(t.lines) == 0 {
		return 0
	}
	return t.state.size - t.lines[len(t.lines)-1].at
}

// tailCache has the parsed lines of the conversations used last. It is safe for concurrent use.
type tailCache struct {
	mu    sync.Mutex
	tails []*cachedTail // the latest used first
}

// get returns the lines of a file, the latest first, if they are cached and the file has this state.
func (c *tailCache) get(file string, state fileState) (lines []*tailLine, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.tails, func(t *cachedTail) bool { return t.file == file })
	if i < 0 {
		return nil, false
	}
	t := c.tails[i]
	c.tails = slices.Delete(c.tails, i, i+1)
	if t.state != state {
		return nil, false
	}
	c.tails = slices.Insert(c.tails, 0, t)
	return t.lines, true
}

// put adds the lines of a file, which must still be locked, and drops the least recently used ones.
func (c *tailCache) put(t *cachedTail) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tails = slices.DeleteFunc(c.tails, func(old *cachedTail) bool { return old.file == t.file })
	if t.bytes() > maxCachedBytes {
		return
	}
	c.tails = slices.Insert(c.tails, 0, t)
	left := int64(maxCachedBytes)
	for i, t := range c.tails {
		if left -= t.bytes(); left < 0 || i == maxCached {
			c.tails = slices.Delete(c.tails, i, len(c.tails))
			return
		}
	}
}

// drop removes the lines of a file.
func (c *tailCache) drop(file string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tails = slices.DeleteFunc(c.tails, func(t *cachedTail) bool { return t.file == file })
}
