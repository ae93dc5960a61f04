package commandlog

import (
	"encoding/json"
	"fmt"
	"time"
)

// Entry is a command as it is written down before it runs, or because it was
// not to be run. All but class and command may be empty.
type Entry struct {
	Class   Class
	Command string
	Tool    string // the tool the model called
	Dir     string // working directory
	Task    string // the message it belongs to
	Session string // the conversation
	Channel string // where the message came from
	// Automation is the name of the rule it is run for; "" for a person's message.
	Automation string
	Approver   string // who said yes or no, and through what
	Digest     string // of what was approved
	Reason     string // why it was not run, a refusal code
}

// Ref names a record, for its end to be added. It can be kept as JSON, for a
// program that comes later to add it.
type Ref struct{ seq int64 }

// MarshalJSON returns the record's number.
func (r Ref) MarshalJSON() ([]byte, error) { return json.Marshal(r.seq) }

// UnmarshalJSON reads what MarshalJSON made.
func (r *Ref) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &r.seq) }

// Result is how a command ended.
type Result struct {
	Exit     int // as a shell would report it; -1 when it did not start
	Took     time.Duration
	TimedOut bool
	Error    string // why it could not be started or read, "" when it was; or [ErrorCancelled]
}

// ErrorCancelled is the error of a command that a person stopped.
const ErrorCancelled = "cancelled"

// Begin writes a command down in commands.log and audit.jsonl and returns
// when both are on the disk, so that it may run. It fails when a file is a
// link, cannot be written or cannot be synced; then nothing may run.
func (l *Log) Begin(e Entry) (Ref, error) {
	k := link{
		Event: eventRefused, Class: e.Class, Command: Escape(e.Command), Tool: e.Tool, Dir: e.Dir, Task: e.Task,
		Session: e.Session, Channel: e.Channel, Automation: e.Automation, Approver: e.Approver, Digest: e.Digest, Reason: e.Reason,
	}
	if e.Class == Safe || e.Class == Confirmed {
		k.Event = eventRun
	}
	err := l.write(func(b *books) error { return b.begin(&k) })
	return Ref{k.Seq}, err
}

// End adds how a command ended. It does not wait for the disk: a machine that
// loses power may lose it, and says so when it writes again.
func (l *Log) End(ref Ref, r Result) error {
	ms := r.Took.Milliseconds()
	k := link{Event: eventEnd, Of: ref.seq, Exit: &r.Exit, MS: &ms, TimedOut: r.TimedOut, Error: r.Error}
	return l.write(func(b *books) error { return b.finish(&k) })
}

// write opens and locks the files, puts right what a crash left, and lets f
// write.
func (l *Log) write(f func(*books) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := l.open()
	if err == nil {
		defer b.close()
		err = b.settle()
	}
	if err == nil {
		err = f(b)
	}
	if err != nil {
		return fmt.Errorf("cannot write the command log: %w", err)
	}
	return nil
}
