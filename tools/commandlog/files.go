package commandlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// The file names in reports.
const (
	logName   = "commands.log"
	auditName = "audit.jsonl"
	headName  = "audit.head"
)

func (l *Log) siblingPath(name string) string { return filepath.Join(filepath.Dir(l.path), name) }

// store writes to the disk. Tests replace it by one that fails in the middle.
type store interface {
	// put writes all of p at an offset, or appends it if the offset is negative.
	put(f *os.File, p []byte, at int64) error
	// sync returns when the file's content and length are on disk.
	sync(f *os.File) error
}

// fileStore is the real store.
type fileStore struct{}

func (fileStore) put(f *os.File, p []byte, at int64) error {
	var err error
	if at < 0 {
		_, err = f.Write(p)
	} else {
		_, err = f.WriteAt(p, at)
	}
	return err
}

func (fileStore) sync(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// openFiles are the three files, opened by the writer that holds the lock.
type openFiles struct {
	*Log
	state
	log, audit, head *os.File
	witnessFile      *os.File // nil if there is none
	hasNewFile       bool     // a file is new: its name is not on disk yet
	record           []byte   // the last written record
	marks            []mark   // of the files, when the lock was last released
}

// files returns the open files.
func (b *openFiles) files() []*os.File {
	list := []*os.File{b.log, b.audit, b.head}
	if b.witnessFile != nil {
		list = append(list, b.witnessFile)
	}
	return list
}

// paths returns the paths of the open files.
func (b *openFiles) paths() []string {
	list := []string{b.path, b.siblingPath(auditName), b.siblingPath(headName)}
	if b.witnessFile != nil {
		list = append(list, b.Log.witness)
	}
	return list
}

// open opens the three files and waits for the lock on them.
func (l *Log) open() (*openFiles, error) {
	b := &openFiles{Log: l}
	err := b.openFile(&b.log, l.path, os.O_APPEND)
	if err == nil {
		err = lock(b.log, disk.Exclusive)
	}
	if err == nil {
		err = b.openFile(&b.audit, l.siblingPath(auditName), os.O_APPEND)
	}
	if err == nil {
		err = b.openFile(&b.head, l.siblingPath(headName), 0)
	}
	if err == nil && b.Log.witness != "" {
		err = b.openFile(&b.witnessFile, b.Log.witness, 0)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *openFiles) openFile(to **os.File, path string, flags int) error {
	f, fresh, err := openToWrite(path, flags)
	*to, b.hasNewFile = f, b.hasNewFile || fresh
	return err
}

// close closes the files, which also releases the lock.
func (b *openFiles) close() {
	for _, f := range []*os.File{b.witnessFile, b.head, b.audit, b.log} {
		if f != nil {
			f.Close()
		}
	}
}

// openToWrite opens or creates a file. It fails if there is a link, a pipe or a device, and removes the
// permissions of other users.
func openToWrite(path string, flags int) (f *os.File, fresh bool, err error) {
	flags |= os.O_RDWR | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	f, err = os.OpenFile(path, flags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, false, err
		}
		fresh = true
		f, err = os.OpenFile(path, flags|os.O_CREATE, 0o600)
	}
	if err != nil {
		return nil, false, err
	}
	if err := makePrivate(f); err != nil {
		f.Close()
		return nil, false, err
	}
	return f, fresh, nil
}

// makePrivate refuses anything but a regular file, because a pipe would block, and removes the permissions of other
// users.
func makePrivate(f *os.File) error {
	fi, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !fi.Mode().IsRegular():
		return errors.New("not a regular file")
	case fi.Mode().Perm()&0o077 != 0:
		return f.Chmod(0o600)
	}
	return nil
}

// openToRead opens a file, or returns nil if it does not exist.
func openToRead(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the command log: %w", err)
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot read the command log: %w", err)
	}
	return f, nil
}

// lock waits for the lock that excludes other writers in this and other processes.
func lock(f *os.File, mode disk.Mode) error {
	if err := disk.Lock(f, mode); err != nil {
		return fmt.Errorf("cannot lock: %w", err)
	}
	return nil
}

// syncBoth syncs log and records concurrently. Both syncs wait for the file system's journal, so one after the
// other would take twice as long.
func (b *openFiles) syncBoth() error {
	var log error
	var wg sync.WaitGroup
	wg.Go(func() { log = b.store.sync(b.log) })
	err := b.store.sync(b.audit)
	wg.Wait()
	if err = errors.Join(log, err); err != nil {
		return fmt.Errorf("cannot sync: %w", err)
	}
	return nil
}

// syncNew syncs the first head and the names of new files before the first command runs.
func (b *openFiles) syncNew() error {
	_ = disk.SyncDir(filepath.Dir(b.path)) // the records themselves are synced below
	b.hasNewFile = false
	return b.store.sync(b.head)
}

// size returns a file's length, or 0 for nil.
func size(f *os.File) (int64, error) {
	if f == nil {
		return 0, nil
	}
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Size(), nil
}

// endsLine reports whether the first n bytes of a file end with a complete line, which is true for n = 0.
func endsLine(f io.ReaderAt, n int64) (bool, error) {
	if n == 0 {
		return true, nil
	}
	var last [1]byte
	_, err := f.ReadAt(last[:], n-1)
	return last[0] == '\n', err
}

// readLine returns a line with its line feed, and its length. Of a line that is too long for a record, it only
// returns the beginning.
func readLine(r *bufio.Reader) (text []byte, n int64, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		n += int64(len(piece))
		if len(text) <= maxLine {
			text = append(text, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, n, err
		}
	}
}
