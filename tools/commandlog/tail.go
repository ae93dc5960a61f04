package commandlog

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Tail returns the last n lines of the log, oldest first; none if there is no log yet. It reads only what it
// needs, and at most maxTail bytes. Of a line cut by that limit, it returns the end.
func (l *Log) Tail(n int) ([]string, error) {
	f, err := openToRead(l.path)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read the command log: %w", err)
	}
	for piece := int64(64 << 10); ; piece *= 4 {
		piece = min(piece, maxTail, fi.Size())
		data := make([]byte, piece)
		if _, err := f.ReadAt(data, fi.Size()-piece); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("cannot read the command log: %w", err)
		}
		text := strings.TrimSuffix(string(data), "\n")
		if whole := piece == fi.Size() || piece == maxTail; whole || strings.Count(text, "\n") >= n {
			return lastLines(text, n), nil
		}
	}
}

// maxTail is the maximum number of bytes that [Log.Tail] reads.
const maxTail = 16 << 20

func lastLines(text string, n int) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(len(lines)-n, 0):]
}
