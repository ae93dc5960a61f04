package commandlog

import (
	"bytes"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/internal/disk"
)

// The files stay open between records, so that most records neither open nor decode anything. Every record still takes
// the lock, and then checks that the files are the same ones and end as this writer left them ([openFiles.isUnchanged]).
// In all other cases it opens and inspects them again.

// cacheTime is how long the files stay open after a record.
const cacheTime = 10 * time.Second

// take returns the files, locked and repaired.
func (l *Log) take() (*openFiles, error) {
	if b := l.cached; b != nil {
		l.cached = nil
		l.closing.Stop()
		if lock(b.log, disk.Exclusive) == nil && b.isUnchanged() {
			return b, nil
		}
		b.close()
	}
	b, err := l.open()
	if err != nil {
		return nil, err
	}
	if err := b.repairEnd(); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// release releases the lock and caches the files, or closes them if the next record has to inspect them.
func (l *Log) release(b *openFiles, failed bool) {
	if failed || !b.mark() || disk.Unlock(b.log) != nil {
		b.close()
		return
	}
	l.cached, l.closing = b, time.AfterFunc(cacheTime, l.closeFiles)
}

// closeFiles closes the files until the next record.
func (l *Log) closeFiles() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cached != nil {
		l.closing.Stop()
		l.cached.close()
		l.cached = nil
	}
}

// mark stores how the files are now. It returns false if an inspection would find anything, or if a file has another
// length than this writer gave it.
func (b *openFiles) mark() bool {
	s := b.state
	if !s.isClean() || s.isUnended || b.hasNewFile || s.head.n < 2 || s.head.seq != s.last.Seq {
		return false
	}
	b.marks = b.marks[:0]
	for _, f := range b.files() {
		m, err := markOf(int(f.Fd()), "")
		if err != nil {
			return false
		}
		b.marks = append(b.marks, m)
	}
	return b.marks[0].size == uint64(s.last.Log) && b.marks[1].size == uint64(s.end) && b.marks[2].size == 2*slotSize
}

// isUnchanged reports whether the files are still the ones at their paths and as they were at the last mark, so that an
// inspection would find the same state. The time of the last change does not suffice, because it does not distinguish
// changes within a few milliseconds: the ends of the files, which an inspection reads, are compared too.
func (b *openFiles) isUnchanged() bool {
	for i, path := range b.paths() {
		if m, err := markOf(unix.AT_FDCWD, path); err != nil || m != b.marks[i] {
			return false
		}
	}
	if b.witnessFile != nil && !isHead(b.witnessFile, b.marks[3].size, b.state.witness) {
		return false
	}
	ended, err := endsLine(b.log, b.last.Log)
	return err == nil && ended && b.endsWithRecord() && isHead(b.head, b.marks[2].size, b.state.head)
}

// endsWithRecord reports whether audit.jsonl ends with the last written record.
func (b *openFiles) endsWithRecord() bool {
	start := b.end - int64(len(b.record))
	if ended, err := endsLine(b.audit, start); err != nil || !ended {
		return false
	}
	text := make([]byte, len(b.record))
	_, err := b.audit.ReadAt(text, start)
	return err == nil && bytes.Equal(text, b.record)
}

// isHead reports whether a file has this head.
func isHead(f io.ReaderAt, size uint64, want head) bool {
	h, err := readHead(f, int64(size))
	return err == nil && h == want
}

// mark identifies a file and its state. Every change of a file's content, rights or attributes changes its ctime, which
// only the kernel sets.
type mark struct {
	mount, inode, size     uint64
	major, minor, uid, gid uint32
	mode                   uint16
	modified, changed      unix.StatxTimestamp
}

// markOf returns the mark of a path or, if the path is empty, of an open file. It does not follow a link.
func markOf(fd int, path string) (mark, error) {
	var st unix.Statx_t
	const fields = unix.STATX_BASIC_STATS | unix.STATX_MNT_ID
	err := unix.Statx(fd, path, unix.AT_EMPTY_PATH|unix.AT_SYMLINK_NOFOLLOW, fields, &st)
	return mark{
		mount: st.Mnt_id, inode: st.Ino, size: st.Size,
		major: st.Dev_major, minor: st.Dev_minor, uid: st.Uid, gid: st.Gid,
		mode: st.Mode, modified: st.Mtime, changed: st.Ctime,
	}, err
}
