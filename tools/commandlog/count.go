package commandlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"
)

// maxCounted bounds how much of the audit trail [Log.Count] reads, in bytes from its end.
const maxCounted = 16 << 20

// Count counts the commands that were recorded in a time: those that only read, and those that did not run. A session
// bounds it to one conversation, "" means all. Of a very long trail, only the end counts.
func (l *Log) Count(from, to time.Time, session string) (read, refused int, err error) {
	f, err := openToRead(l.siblingPath(auditName))
	if f == nil || err != nil {
		return 0, 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0, 0, fmt.Errorf("cannot read the audit trail: %w", err)
	}
	start := max(fi.Size()-maxCounted, 0)
	r := bufio.NewReaderSize(io.NewSectionReader(f, start, fi.Size()-start), 64<<10)
	for {
		line, err := nextLine(r)
		k, bad := decode(line)
		at, badTime := time.Parse(time.RFC3339, k.Time)
		if bad == nil && badTime == nil && !at.Before(from) && at.Before(to) && (session == "" || k.Session == session) {
			switch {
			case k.Event == eventRun && k.Class == Safe:
				read++
			case k.Class == Blocked || k.Class == Cancelled:
				refused++
			}
		}
		if errors.Is(err, io.EOF) {
			return read, refused, nil
		}
		if err != nil {
			return read, refused, fmt.Errorf("cannot read the audit trail: %w", err)
		}
	}
}
