package child

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"
)

// The limits for logged standard error.
const (
	maxErrorLine  = 512 // bytes
	maxErrorLines = 20  // a minute
)

// lineLog passes what is written to it to log, line by line.
type lineLog struct {
	log func(line string)

	mu      sync.Mutex
	partial []byte
	since   time.Time
	count   int
}

// NewLineLog returns a Start.Errors that passes the standard error of a program to log, a line at a time. It cuts long
// lines and limits the lines of a minute.
func NewLineLog(log func(line string)) io.Writer { return &lineLog{log: log} }

// Write implements [io.Writer].
func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		if room := maxErrorLine - len(l.partial); room > 0 {
			l.partial = append(l.partial, line[:min(len(line), room)]...)
		}
		if whole {
			l.logLine(strings.TrimSpace(string(l.partial)))
			l.partial = l.partial[:0]
		}
		p = rest
	}
	return n, nil
}

func (l *lineLog) logLine(line string) {
	if now := time.Now(); now.Sub(l.since) >= time.Minute {
		l.since, l.count = now, 0
	}
	l.count++
	switch {
	case line == "" || l.count > maxErrorLines:
	case l.count == maxErrorLines:
		l.log("too many lines, skipping the rest of this minute")
	default:
		l.log(line)
	}
}
