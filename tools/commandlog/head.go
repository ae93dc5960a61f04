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

// head is the content of audit.head: the last record of the chain and its hash. A chain alone does not show
// that its end was removed.
//
// The file has two lines of fixed length that are overwritten alternately, each with a checksum, so that one is always
// complete. Replacing the file by a rename, as is usual, cost 2 ms per record on ext4, twelve times the record itself.
type head struct {
	// n is the number of writes. The line with the higher n is the newer one.
	n    int64
	seq  int64
	hash string
	// synced is the last record known to be on disk. A power failure can remove later ones.
	synced int64
	boot   string
	// next and line announce the next write: the first digits of the hashes of the next record and of its line
	// in commands.log. Within one boot, nothing else can follow. "" if nothing is announced.
	next, line string
	// isOld reports that a version without announcements wrote the head.
	isOld bool
}

// announcedDigits is the number of hash digits in an announcement.
const announcedDigits = 32

// noField represents an empty field.
const noField = "-"

// slotSize is the length of each of the two lines in bytes. Neither line crosses a disk's sector, which is
// written atomically.
const slotSize = 256

// encode returns the head's line and its offset in the file. The line has n, seq, hash, synced, boot, next and line
// ("-" if unknown or empty) and the CRC-32 (IEEE) of everything before it, so that an incomplete line is detected.
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
	h := head{hash: f[2], boot: strings.TrimPrefix(f[4], noField), isOld: len(f) == 6}
	if !h.isOld {
		h.next, h.line = strings.TrimPrefix(f[5], noField), strings.TrimPrefix(f[6], noField)
	}
	var errs [3]error
	h.n, errs[0] = strconv.ParseInt(f[0], 10, 64)
	h.seq, errs[1] = strconv.ParseInt(f[1], 10, 64)
	h.synced, errs[2] = strconv.ParseInt(f[3], 10, 64)
	return h, errors.Join(errs[:]...) == nil && h.n > 0
}

// readHead returns the newer valid line, or a head with n 0 if there is none.
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
