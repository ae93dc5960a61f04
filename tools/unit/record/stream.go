package record

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Stream is a command's output on stdout or stderr: all of it, or its beginning and its end.
//
// The file starts with the first keep bytes, followed by a ring buffer of the last keep bytes. So a file of at
// most 2*keep bytes is simply the text. If there was more, the ring is followed by a line with the numbers of
// bytes and lines, which also determine where the ring begins.
type Stream struct {
	Head, Tail []byte // Tail is empty unless bytes between head and tail are missing
	Bytes      int64  // of the complete output
	Lines      int64
}

// countLine is the line after the ring, of fixed length.
const countLine = "%020d %020d\n"

// streamWriter writes a stream's file. Its Write never fails, so that the program never gets a write error.
type streamWriter struct {
	mu           sync.Mutex
	file         *os.File
	keep         int64
	bytes, lines int64
	closed       bool // further output is discarded
	err          error
}

func newStreamWriter(path string, keep int64) (*streamWriter, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return &streamWriter{file: f, keep: keep}, err
}

// Write stores what fits.
func (k *streamWriter) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(p)
	if k.closed {
		return n, nil
	}
	at := k.bytes
	k.bytes += int64(n)
	k.lines += int64(bytes.Count(p, []byte{'\n'}))
	for len(p) > 0 && k.err == nil {
		offset, room := k.offsetOf(at)
		piece := p[:min(int64(len(p)), room)]
		_, k.err = k.file.WriteAt(piece, offset)
		at, p = at+int64(len(piece)), p[len(piece):]
	}
	if k.bytes > 2*k.keep && k.err == nil {
		_, k.err = k.file.WriteAt(fmt.Appendf(nil, countLine, k.bytes, k.lines), 2*k.keep)
	}
	return n, nil
}

// offsetOf returns the offset of byte number at in the file, and how many bytes fit there.
func (k *streamWriter) offsetOf(at int64) (offset, room int64) {
	if at < k.keep {
		return at, k.keep - at
	}
	in := (at - k.keep) % k.keep
	return k.keep + in, k.keep - in
}

// close syncs and closes the file. Later output is discarded.
func (k *streamWriter) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return k.err
	}
	k.closed = true
	if err := k.file.Sync(); k.err == nil {
		k.err = err
	}
	if err := k.file.Close(); k.err == nil {
		k.err = err
	}
	return k.err
}

// ReadStream reads a stream's file that was written with the same keep.
func ReadStream(dir, name string, keep int64) (Stream, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return Stream{}, fmt.Errorf("cannot read the output: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 2*keep+int64(len(fmt.Sprintf(countLine, 0, 0)))))
	if err != nil {
		return Stream{}, fmt.Errorf("cannot read the output: %w", err)
	}
	if int64(len(data)) <= 2*keep {
		return Stream{Head: data, Bytes: int64(len(data)), Lines: int64(bytes.Count(data, []byte{'\n'}))}, nil
	}
	s := Stream{Head: data[:keep]}
	ring := data[keep : 2*keep]
	first, second, _ := strings.Cut(strings.TrimSuffix(string(data[2*keep:]), "\n"), " ")
	total, err1 := strconv.ParseInt(first, 10, 64)
	lines, err2 := strconv.ParseInt(second, 10, 64)
	if err1 != nil || err2 != nil || total < 2*keep { // killed while writing them
		total, lines = 2*keep, int64(bytes.Count(data[:2*keep], []byte{'\n'}))
	}
	s.Bytes, s.Lines = total, lines
	at := (total - keep) % keep
	s.Tail = append(append(make([]byte, 0, keep), ring[at:]...), ring[:at]...)
	return s, nil
}
