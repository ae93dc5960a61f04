// Package commandlog is the append-only record of every command that the program ran or refused to run. It has
// two files: commands.log for people, with one line per command ([Format]), and audit.jsonl as proof, a chain
// of hashed records (link.go). audit.head has the end of the chain (head.go).
//
// Line and record are on disk before a command runs; a command that cannot be recorded does not run ([Log.Begin]).
// After a crash, the next writer repairs the files (write.go). [Log.Verify] finds changes that no crash explains.
package commandlog

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Class is what happened to a command.
type Class string

// The classes.
const (
	Safe      Class = "SAFE"      // ran without a confirmation, only reads
	Confirmed Class = "CONFIRMED" // ran after a confirmation
	Blocked   Class = "BLOCKED"   // not run, can never be confirmed
	Cancelled Class = "CANCELLED" // not run, rejected or not answered
	Failed    Class = "FAILED"    // not run, it could not be started
	// Automation replaces SAFE and CONFIRMED in commands.log for commands of an automation
	// ([Entry.Automation]). Source: NARE TDD, section 14.
	Automation Class = "AUTOMATION"
)

// Record is one line of the log.
type Record struct {
	Time    time.Time // UTC, whole seconds
	Class   Class
	Command string
}

// Log appends to commands.log and audit.jsonl. It is safe for concurrent use, also by several processes.
type Log struct {
	path  string
	now   func() time.Time
	boot  string // id of the current boot; "" if unknown
	store store
	// witness is the path of a copy of the head outside of the log's directory; "" for none.
	witness string
	anchor  anchor // nil for none

	mu      sync.Mutex
	cached  *openFiles  // the files of the last record, nil if they are closed (cache.go)
	closing *time.Timer // closes them
}

// anchor stores heads where the user's own rights do not suffice to change or remove them.
type anchor interface {
	// keep stores that the log at path is on disk up to h.
	keep(path string, h Head) error
	// heads returns the stored heads of the log at path, at most the newest maxHeads.
	heads(path string) ([]Head, error)
}

// Head identifies a record of the chain by number and hash.
type Head struct {
	Seq  int64
	Hash string
}

// maxHeads is the number of heads in the systemd journal that a verification compares.
const maxHeads = 5000

// Open returns the log at path with both protections of its head: a copy in the file witness, in another
// directory, and one in the systemd journal after each synced record.
func Open(path, witness string) *Log {
	l := New(path, time.Now).SetWitness(witness)
	l.anchor = Journald{}
	return l
}

// SetWitness stores a copy of the head in a second file, in another directory, so that removing, emptying or
// restoring the log's own files is detected. Call it before the log is used.
func (l *Log) SetWitness(path string) *Log {
	l.witness = path
	return l
}

// New returns a log at path, usually commands.log; audit.jsonl and audit.head are in the same directory.
// Directory and files are created on first use, with modes 0700 and 0600.
func New(path string, now func() time.Time) *Log {
	return &Log{path: path, now: now, boot: bootID(), store: fileStore{}}
}

// bootID returns an id that changes with every boot, random(4).
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// Path returns the log's file.
func (l *Log) Path() string { return l.path }

// Format returns a record's line without the newline, as in NARE TDD section 14: the UTC time, the class padded
// to 11 characters, a blank, the escaped command.
//
//	[2026-02-20T09:15:32Z] SAFE        df -h
func Format(r Record) string { return formatLine(formatTime(r.Time), r.Class, Escape(r.Command)) }

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// formatLine formats a line from an already escaped command.
func formatLine(stamp string, class Class, command string) string {
	return fmt.Sprintf("[%s] %-11s %s", stamp, class, command)
}

// Parse parses a line of [Format].
func Parse(line string) (Record, error) {
	stamp, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "] ")
	if !ok || !strings.HasPrefix(line, "[") {
		return Record{}, fmt.Errorf("not a command log line: %q", line)
	}
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return Record{}, fmt.Errorf("not a command log line: %w", err)
	}
	class, command, ok := strings.Cut(rest, " ")
	if !ok {
		return Record{}, fmt.Errorf("not a command log line: %q", line)
	}
	if pad := 11 - len(class); pad > 0 {
		if len(command) < pad {
			return Record{}, fmt.Errorf("not a command log line: %q", line)
		}
		command = command[pad:]
	}
	return Record{at, Class(class), Unescape(command)}, nil
}
