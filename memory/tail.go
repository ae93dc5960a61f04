package memory

import (
	"bytes"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// readTail returns at most n bytes from the end of a file as valid UTF-8, beginning at the start of a line if
// possible, and whether the text was cut.
func (m *Memory) readTail(name string, n int64) (text string, isCut bool, err error) {
	f, err := m.open(name, os.O_RDONLY)
	if err != nil {
		return "", false, fault("read", m.path(name), name, err)
	}
	defer f.Close()
	data, isCut, err := readEnd(f, n)
	if err == nil && bytes.IndexByte(data, 0) >= 0 && !utf8.Valid(data) {
		data, err = nil, errNotText
	}
	return strings.ToValidUTF8(string(data), "\ufffd"), isCut, fault("read", m.path(name), name, err)
}

func readEnd(f *os.File, n int64) ([]byte, bool, error) {
	fi, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	isCut := fi.Size() > n
	if isCut {
		if _, err := f.Seek(-n, io.SeekEnd); err != nil {
			return nil, false, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, n))
	if err == nil && isCut {
		data = fromLineStart(data)
	}
	return data, isCut, err
}

// fromLineStart drops the incomplete first line. If there is no other line, it drops only an incomplete first
// character.
func fromLineStart(data []byte) []byte {
	if _, after, ok := bytes.Cut(data, []byte{'\n'}); ok && len(bytes.TrimSpace(after)) > 0 {
		return after
	}
	for i := 0; i < min(utf8.UTFMax, len(data)); i++ {
		if utf8.RuneStart(data[i]) {
			return data[i:]
		}
	}
	return data
}
