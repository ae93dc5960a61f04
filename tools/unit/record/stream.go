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

// Stream is what a command printed on one of its two outputs: all of it, or
// its beginning and its end.
//
// In the file the first keep bytes stand as they came, and behind them, in a
// ring, the last keep bytes. A file of at most 2*keep bytes is thus simply the
// text. Where there was more, a line stands behind the ring that says how many
// bytes and lines there were, which tells where the ring begins.
type Stream struct {
	Head, Tail []byte // Tail is empty unless something was left out between the two
	Bytes      int64  // of everything that was printed
	Lines      int64
}

// countLine is the line behind the ring, of fixed length.
const countLine = "%020d %020d\n"

// keeper writes a stream's file. It takes everything and never fails, so that
// the program that prints is never told that there is no room.
type keeper struct {
	mu           sync.Mutex
	file         *os.File
	keep         int64
	bytes, lines int64
	closed       bool // what comes now is read to nowhere
	err          error
}

func newKeeper(path string, keep int64) (*keeper, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return &keeper{file: f, keep: keep}, err
}

// Write keeps what fits.
func (k *keeper) Write(p []byte) (int, error) {
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
		offset, room := k.place(at)
		piece := p[:min(int64(len(p)), room)]
		_, k.err = k.file.WriteAt(piece, offset)
		at, p = at+int64(len(piece)), p[len(piece):]
	}
	if k.bytes > 2*k.keep && k.err == nil {
		_, k.err = k.file.WriteAt(fmt.Appendf(nil, countLine, k.bytes, k.lines), 2*k.keep)
	}
	return n, nil
}

// place returns where byte number at stands in the file, and how many may
// follow it there.
func (k *keeper) place(at int64) (offset, room int64) {
	if at < k.keep {
		return at, k.keep - at
	}
	in := (at - k.keep) % k.keep
	return k.keep + in, k.keep - in
}

// close ends the stream: it is on the disk, and what is printed from now on is
// not kept.
func (k *keeper) close() error {
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

// ReadStream reads a stream's file; keep is what it was written with.
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
	if err1 != nil || err2 != nil || total < 2*keep { // killed while it wrote them
		total, lines = 2*keep, int64(bytes.Count(data[:2*keep], []byte{'\n'}))
	}
	s.Bytes, s.Lines = total, lines
	at := (total - keep) % keep
	s.Tail = append(append(make([]byte, 0, keep), ring[at:]...), ring[:at]...)
	return s, nil
}
