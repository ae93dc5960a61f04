package commandlog

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// head is what audit.head says of the chain's end.
type head struct {
	// n counts how often the head was written; the higher of the two lines
	// is the newer.
	n    int64
	seq  int64
	hash string
	// synced is the last record known to be on the disk. A power cut may take
	// those after it.
	synced int64
	boot   string
	// next and line name what is about to be written: the beginnings of the
	// hashes of the next record and of its line in commands.log. Within one run
	// of the machine nothing else can follow. "" where nothing is announced.
	next, line string
	// older reports a head of a version that announced nothing.
	older bool
}

// announced is how many digits of a hash an announcement has.
const announced = 32

// noField stands for an empty field.
const noField = "-"

// slotSize is the length of one of the file's two lines, in bytes. Neither
// crosses a disk's sector, which is written as a whole.
const slotSize = 256

// encode returns the head's line and its place in the file: n, seq, hash,
// synced, boot, next and line ("-" when unknown or empty) and the CRC-32 (IEEE)
// of all before it, so that half a line is none.
func (h head) encode() (line []byte, at int64) {
	text := fmt.Sprintf("%d %d %s %d %s %s %s ", h.n, h.seq, h.hash, h.synced,
		cmp.Or(h.boot, noField), cmp.Or(h.next, noField), cmp.Or(h.line, noField))
	text += fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
	return fmt.Appendf(nil, "%-*s\n", slotSize-1, text), (h.n - 1) % 2 * slotSize
}

func decodeHead(line string) (head, bool) {
	line, ended := strings.CutSuffix(line, "\n")
	line = strings.TrimRight(line, " ")
	f := strings.Split(line, " ")
	crc := f[len(f)-1]
	if !ended || len(f) != 6 && len(f) != 8 || fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(line[:len(line)-len(crc)]))) != crc {
		return head{}, false
	}
	h := head{hash: f[2], boot: strings.TrimPrefix(f[4], noField), older: len(f) == 6}
	if !h.older {
		h.next, h.line = strings.TrimPrefix(f[5], noField), strings.TrimPrefix(f[6], noField)
	}
	var errs [3]error
	h.n, errs[0] = strconv.ParseInt(f[0], 10, 64)
	h.seq, errs[1] = strconv.ParseInt(f[1], 10, 64)
	h.synced, errs[2] = strconv.ParseInt(f[3], 10, 64)
	return h, errors.Join(errs[:]...) == nil && h.n > 0
}

// readHead returns the newer whole line; its n is 0 when there is none.
func readHead(f io.ReaderAt, size int64) (newest head, err error) {
	b := make([]byte, min(size, 2*slotSize))
	if len(b) == 0 {
		return head{}, nil
	}
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return head{}, err
	}
	for ; len(b) >= slotSize; b = b[slotSize:] {
		if h, ok := decodeHead(string(b[:slotSize])); ok && h.n > newest.n {
			newest = h
		}
	}
	return newest, nil
}
