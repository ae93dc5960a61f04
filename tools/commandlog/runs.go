package commandlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// RecordedRun is a command that was recorded to run.
type RecordedRun struct {
	Ref     Ref
	Task    string
	Class   Class
	Command string
	// Ended reports whether its result is recorded. Without one, it is unknown how far the command ran, or if
	// it started at all.
	Ended bool
	Exit  int
	Error string // why it could not be started or read
	// TimedOut and Cancelled report why it was stopped.
	TimedOut, Cancelled bool
}

// EndReason returns why the command ended early, timeout or cancelled, or "" if it did not.
func (r RecordedRun) EndReason() string {
	switch {
	case r.TimedOut:
		return "timeout"
	case r.Cancelled:
		return "cancelled"
	}
	return ""
}

// Position returns the current size of the audit trail in bytes, for [Log.RunsSince]; 0 if there is none.
func (l *Log) Position() int64 {
	f, err := openToRead(l.siblingPath(auditName))
	if f == nil || err != nil {
		return 0
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0
	}
	return fi.Size()
}

// RunsSince returns the commands of a task that were recorded after a position, in order. The task can have run them.
func (l *Log) RunsSince(task string, position int64) ([]RecordedRun, error) {
	f, err := openToRead(l.siblingPath(auditName))
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read the audit trail: %w", err)
	}
	if position < 0 || position > fi.Size() { // not the file that was measured
		position = 0
	}
	var all []RecordedRun
	r := bufio.NewReaderSize(io.NewSectionReader(f, position, fi.Size()-position), 64<<10)
	for {
		line, err := nextLine(r)
		if k, bad := decode(line); bad == nil {
			all = addRecord(all, k, task)
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the audit trail: %w", err)
		}
	}
}

// nextLine reads a line without its line feed. A line that is too long for a record is shortened.
func nextLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), err
		}
	}
}

// addRecord adds a record of a task, or the result of an added one.
func addRecord(all []RecordedRun, k link, task string) []RecordedRun {
	switch {
	case k.Event == eventRun && k.Task == task:
		return append(all, RecordedRun{Ref: Ref{k.Seq}, Task: k.Task, Class: k.Class, Command: Unescape(k.Command)})
	case k.Event == eventEnd:
		for i := range all {
			if all[i].Ref.seq == k.Of && k.Exit != nil {
				all[i].Ended, all[i].Exit, all[i].Error = true, *k.Exit, k.Error
				all[i].TimedOut, all[i].Cancelled = k.TimedOut, k.Error == ErrorCancelled
			}
		}
	}
	return all
}
