package machine

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	// JournalProbe shows what journalctl may read.
	JournalProbe = Probe{"journalctl", "--no-pager", "-n", "0"}
	// LastBootProbe shows how the log of the last boot ended.
	LastBootProbe = Probe{"journalctl", "-b", "-1", "--no-pager", "-n", "30"}
)

// logPrefix matches "Nov 21 09:12:33 host unit[12]: text" and ISO times, journalctl(1) -o short and short-iso.
var logPrefix = pattern(`^(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}(?:\.\d+)?|\d{4}-\d\d-\d\d[T ][\d:.,]+(?:[+-][\d:]+|Z)?|\d+월 [ \d]\d [\d:]{8}|\[\s*\d+\.\d+\])\s+(?:\S+\s+)?([^\s:\[]+)(?:\[\d+\])?:\s+(.*)$`)

// SplitLogLine splits a line of journalctl into the program that logged it and its text. ok is false for a line in
// another format.
func SplitLogLine(line string) (source, text string, ok bool) {
	m := logPrefix().FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

// LogLines returns the lines of journalctl without its own messages.
func LogLines(text []byte) []string {
	return slices.DeleteFunc(Lines(text), func(l string) bool { return strings.HasPrefix(l, "-- ") || IsNoJournal(l) })
}

// IsNoJournal reports whether journalctl found no files to read: "No journal files were found." or "… were opened due
// to insufficient permissions."
func IsNoJournal(line string) bool { return strings.HasPrefix(line, "No journal files were ") }

// JournalAccess is which part of the journal the user may read.
type JournalAccess struct {
	Absent  bool // there are no journals
	Denied  bool // none of them
	OwnOnly bool // only the messages of own programs
}

// ParseJournalAccess parses what journalctl prints on standard error about journals that it could not read (systemd,
// src/shared/journal-util.c, journal_access_check_and_warn). With JSON as output, journalctl prints no such hints.
func ParseJournalAccess(stderr []byte) JournalAccess {
	says := func(s string) bool { return strings.Contains(string(stderr), s) }
	return JournalAccess{
		Absent:  says("No journal files were found"),
		Denied:  says("insufficient permissions"),
		OwnOnly: says("not seeing messages from other users"),
	}
}

// JournalEntry is a message of the journal.
type JournalEntry struct {
	At       time.Time
	Priority int // of syslog(3)
	Source   string
	Text     string
	PID      string
}

// ParseJournal parses journalctl -o json: an object a line with the fields of systemd.journal-fields(7). Values are
// texts, lists of bytes if not printable, lists of texts if repeated, or null if too long (systemd, "Journal JSON
// Format"). Lines that begin with "-- " are journalctl's own. With an error, it returns the entries that it could read.
func ParseJournal(text []byte) ([]JournalEntry, error) {
	var out []JournalEntry
	var bad error
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		e, ok := parseEntry(line)
		switch {
		case ok:
			out = append(out, e)
		case line != "" && !strings.HasPrefix(line, "-- "):
			bad = &UnreadableError{"journalctl", line}
		}
	}
	return out, bad
}

func parseEntry(line string) (JournalEntry, bool) {
	var e struct {
		At         json.RawMessage `json:"__REALTIME_TIMESTAMP"`
		Message    json.RawMessage `json:"MESSAGE"`
		Priority   json.RawMessage `json:"PRIORITY"`
		Identifier json.RawMessage `json:"SYSLOG_IDENTIFIER"`
		Comm       json.RawMessage `json:"_COMM"`
		PID        json.RawMessage `json:"_PID"`
	}
	if json.Unmarshal([]byte(line), &e) != nil {
		return JournalEntry{}, false
	}
	micro, err := strconv.ParseInt(fieldText(e.At), 10, 64)
	if err != nil || micro <= 0 {
		return JournalEntry{}, false
	}
	priority, err := strconv.Atoi(fieldText(e.Priority))
	if err != nil {
		priority = 3
	}
	from := cmp.Or(fieldText(e.Identifier), fieldText(e.Comm), "?")
	return JournalEntry{time.UnixMicro(micro), priority, from, fieldText(e.Message), fieldText(e.PID)}, true
}

// fieldText returns the text of a field, or "".
func fieldText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var bytes []int
	if json.Unmarshal(raw, &bytes) == nil {
		b := make([]byte, len(bytes))
		for i, n := range bytes {
			b[i] = byte(n)
		}
		return string(b)
	}
	var several []json.RawMessage
	if json.Unmarshal(raw, &several) == nil && len(several) > 0 && json.Unmarshal(several[0], &s) == nil {
		return s
	}
	return ""
}
