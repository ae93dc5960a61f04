package commandlog

import (
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
}

// slotSize is the length of one of the file's two lines, in bytes. Neither
// crosses a disk's sector, which is written as a whole.
const slotSize = 256

// encode returns the head's line and where it stands in the file: n, seq,
// hash, synced, boot ("-" when unknown) and the CRC-32 (IEEE) of all before
// it, so that half a line is none.
func (h head) encode() (line []byte, at int64) {
	boot := h.boot
	if boot == "" {
		boot = "-"
	}
	text := fmt.Sprintf("%d %d %s %d %s ", h.n, h.seq, h.hash, h.synced, boot)
	text += fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
	return fmt.Appendf(nil, "%-*s\n", slotSize-1, text), (h.n - 1) % 2 * slotSize
}

func decodeHead(line string) (head, bool) {
	line, ended := strings.CutSuffix(line, "\n")
	line = strings.TrimRight(line, " ")
	f := strings.Split(line, " ")
	if !ended || len(f) != 6 || fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(line[:len(line)-len(f[5])]))) != f[5] {
		return head{}, false
	}
	h := head{hash: f[2], boot: strings.TrimPrefix(f[4], "-")}
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
