package commandlog

import (
	"encoding/json"
	"fmt"
	"time"
)

// Entry is a command that is about to run or was refused. All fields except class and command can be empty.
type Entry struct {
	Class   Class
	Command string
	Tool    string // the tool the model called
	Dir     string // working directory
	Task    string // id of the message
	Session string // id of the conversation
	Channel string // channel of the message
	// Automation is the name of the automation that runs it; "" for a person's message.
	Automation string
	Approver   string // who decided, and on which channel
	Digest     string // of the approved plan
	Reason     string // refusal code if it was not run
}

// Ref identifies a record, to add its result later. It can be stored as JSON, for another process to do that.
type Ref struct{ seq int64 }

// MarshalJSON returns the record's number.
func (r Ref) MarshalJSON() ([]byte, error) { return json.Marshal(r.seq) }

// UnmarshalJSON parses the output of MarshalJSON.
func (r *Ref) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &r.seq) }

// Result is the result of a command.
type Result struct {
	Exit     int // exit status as in a shell; -1 if it did not start
	Took     time.Duration
	TimedOut bool
	Error    string // why it could not be started or read, [ErrorCancelled], or ""
}

// ErrorCancelled is the error of a command that a person cancelled.
const ErrorCancelled = "cancelled"

// Begin records a command in commands.log and audit.jsonl and returns when both are on disk. If it fails
// because a file is a link, or cannot be written or synced, the command must not run.
func (l *Log) Begin(e Entry) (Ref, error) {
	k := link{
		Event: eventRefused, Class: e.Class, Command: Escape(e.Command), Tool: e.Tool, Dir: e.Dir, Task: e.Task,
		Session: e.Session, Channel: e.Channel, Automation: e.Automation, Approver: e.Approver, Digest: e.Digest, Reason: e.Reason,
	}
	if e.Class == Safe || e.Class == Confirmed {
		k.Event = eventRun
	}
	err := l.write(func(b *openFiles) error { return b.begin(&k) })
	return Ref{k.Seq}, err
}

// End records a command's result. It does not wait for the disk: a power failure can lose the result, which the
// next writer then records.
func (l *Log) End(ref Ref, r Result) error {
	ms := r.Took.Milliseconds()
	k := link{Event: eventEnd, Of: ref.seq, Exit: &r.Exit, MS: &ms, TimedOut: r.TimedOut, Error: r.Error}
	return l.write(func(b *openFiles) error { return b.finish(&k) })
}

// write locks the files, repairs what a crash left, and calls f.
func (l *Log) write(f func(*openFiles) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := l.take()
	if err == nil {
		err = f(b)
		l.release(b, err != nil)
	}
	if err != nil {
		return fmt.Errorf("cannot write the command log: %w", err)
	}
	return nil
}

// Record appends a command with only class and text, like [Log.Begin], and returns when it is on disk.
func (l *Log) Record(class Class, command string) error {
	_, err := l.Begin(Entry{Class: class, Command: command})
	return err
}
