// Package commandlog keeps the append-only record of every command the
// program ran, was not allowed to run, or was told not to run, twice:
//
// commands.log is for people, one line a command, exactly as NARE TDD section
// 14 has it: the UTC time, the class padded to 11 characters, a blank, the
// command.
//
//	[2026-02-20T09:15:32Z] SAFE        df -h
//
// audit.jsonl beside it is for proof, one JSON object a line, each with the
// hash of the one before it. Line and record are on the disk before the
// command runs; whoever cannot write them runs nothing.
//
// # The chain
//
// A record's last two members are prev and hash. hash is the SHA-256, in
// lower-case hex, of the line's bytes without its line feed and without the
// hash member, that is of everything before `,"hash":` and a closing brace.
// prev is the hash of the record before it; of the first one it is the
// SHA-256 of "blunux-ai audit v1". Nothing is put in a canonical form: the
// bytes in the file are what is hashed, and a shell can check them:
//
//	sed 's/,"hash":"[0-9a-f]*"}$/}/' audit.jsonl | while IFS= read -r r; do printf %s "$r" | sha256sum; done
//
// seq counts from 1. log is how many bytes of commands.log the records up to
// this one account for. The events:
//
//   - chain: the first record. text is length and hash of the commands.log
//     from before there was a chain.
//   - run, refused: a command, with its line in commands.log made of time,
//     class and command; the class of a run with an automation is AUTOMATION
//     there, and what the verdict made of it here. run was written before the
//     command was started.
//   - end: how the command of record `of` ended. Not synced by itself.
//   - recovered: a line of commands.log whose record a crash prevented; the
//     command did not run. text is length and hash of the line.
//   - repair: what else a crash left. cut is length and hash of the bytes
//     before this record that are no record, text of a piece of a line in
//     commands.log; of is the record whose line had to be completed; lost is
//     how many records, none of them synced, went down with the machine:
//     their numbers are not given again.
//   - damage: what a writer found that no crash explains. It goes on
//     recording, and [Log.Verify] reports it for ever.
//
// A chain alone does not show that its end was taken away, so audit.head
// names the last record and its hash. It has two lines of fixed length that
// are overwritten in turn, each with a checksum, so that one is always whole:
// replacing the file by a rename, as is usual, cost 2 ms a record on ext4,
// twelve times the record itself.
//
// # Crashes
//
// One writer at a time holds a lock on commands.log. It overwrites the head with
// the beginnings of the hashes of what follows, writes the line, then the record,
// syncs both at once, then overwrites the head again; a command starts only after
// that. So a process killed at any byte leaves one of: a piece of
// a line; a line without a record; a line and a piece of a record; a record
// the head does not name yet. A power cut can besides leave a record without
// its whole line, and take records of the end of commands that were not
// synced, so that the head names more than there is; these two are excused
// only when the machine was started anew since (the head holds the boot id).
// The next writer puts each right and says so in a record; [Log.Verify]
// counts these, and calls everything else a problem.
//
// # What it proves
//
// A record or line that was changed, removed, moved, added or cut off at the end is
// found. A program with the user's own rights can rewrite all three files and the
// second head ([Log.Witness]) consistently, or restore an old copy of all four: there
// is no secret that the user does not have. It cannot change the systemd journal,
// which keeps the head after each synced record ([Open]), so [Log.Verify] finds that
// too, as long as the journal reaches back. Where there is no journal it does not.
// After a power cut an added line at the end of commands.log looks like one that the
// crash left without a record; it is shown as recovered, as never run.
package commandlog

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Class says what became of a command.
type Class string

// The classes.
const (
	Safe      Class = "SAFE"      // runs unasked, it only reads
	Confirmed Class = "CONFIRMED" // runs, a person said yes
	Blocked   Class = "BLOCKED"   // not run, nobody may allow it
	Cancelled Class = "CANCELLED" // not run, the person said no or nobody answered
	Failed    Class = "FAILED"    // not run, it could not be started
	// Automation stands in commands.log in the place of SAFE and CONFIRMED where a
	// command runs in an automation's name ([Entry.Automation]). Source: NARE TDD,
	// section 14.
	Automation Class = "AUTOMATION"
)

// Record is one line of the log.
type Record struct {
	Time    time.Time // UTC, whole seconds
	Class   Class
	Command string
}

// Log appends to commands.log and audit.jsonl. It is safe for concurrent use,
// also by several processes.
type Log struct {
	path  string
	now   func() time.Time
	boot  string // what tells one run of the machine from another; "" unknown
	store store
	mu    sync.Mutex
	// witness is a copy of the head outside the log's directory; "" for none.
	witness string
	anchor  anchor // nil for none
}

// anchor keeps heads where the user's own rights cannot change or remove them.
type anchor interface {
	// keep records that the log at path is on the disk up to h.
	keep(path string, h Head) error
	// heads returns what was kept of the log at path, at most maxHeads of the newest.
	heads(path string) ([]Head, error)
}

// Head names a record of the chain and its hash.
type Head struct {
	Seq  int64
	Hash string
}

// maxHeads bounds how many heads of the systemd journal a verification compares.
const maxHeads = 5000

// Open returns the log at path with both protections of its head: a copy in the file
// witness, in another directory, and one in the systemd journal after each synced record.
func Open(path, witness string) *Log {
	l := New(path, time.Now).Witness(witness)
	l.anchor = Journald{}
	return l
}

// Witness has the head kept in a second file, in another directory, so that the
// log's own files cannot be removed, emptied or put back together unseen. It is
// called before the log is used.
func (l *Log) Witness(path string) *Log {
	l.witness = path
	return l
}

// New returns a log at path, usually commands.log; audit.jsonl and audit.head
// stand in the same directory. Directory and files are made when first
// needed, with modes 0700 and 0600.
func New(path string, now func() time.Time) *Log {
	return &Log{path: path, now: now, boot: bootID(), store: disk{}}
}

// bootID is different after every start of the machine, random(4).
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// Path returns the log's file.
func (l *Log) Path() string { return l.path }

// Record appends a command of which nothing but class and text is known, like
// [Log.Begin], and returns when it is on the disk.
func (l *Log) Record(class Class, command string) error {
	_, err := l.Begin(Entry{Class: class, Command: command})
	return err
}

// Format returns a record's line without the newline.
func Format(r Record) string { return lineOf(stamp(r.Time), r.Class, Escape(r.Command)) }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// lineOf puts a line together; command is escaped already.
func lineOf(stamp string, class Class, command string) string {
	return fmt.Sprintf("[%s] %-11s %s", stamp, class, command)
}

// Parse reads a line that [Format] made.
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
