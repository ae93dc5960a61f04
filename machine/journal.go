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

var logStamp = pattern(`^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d|\d+월 [ \d]\d \d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d)`)

// LogTime returns the time at the beginning of a line of journalctl, to the minute, "" if there is none.
func LogTime(line string) string {
	if m := logStamp().FindStringSubmatch(line); m != nil {
		return strings.Replace(m[1], "T", " ", 1)
	}
	return ""
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

// FailedUnitsProbe lists the failed units.
var FailedUnitsProbe = Probe{"systemctl", "--failed", "--no-pager"}

// UnitStatus is the output of systemctl status for one unit.
type UnitStatus struct {
	Unit, Description string
	Load, Enabled     string
	Active            string // "active (running) since …"
	MainPID           string
	Log               []string
}

// ParseUnitStatus parses systemctl status (systemctl(1)).
func ParseUnitStatus(text []byte) (UnitStatus, error) {
	var st UnitStatus
	inLog, ok := false, false
	for i, line := range Lines(text) {
		t := strings.TrimSpace(line)
		key, value, found := strings.Cut(t, ": ")
		switch {
		case i == 0 && !found || i == 0 && strings.Contains(key, " - "):
			st.Unit, st.Description, _ = strings.Cut(strings.TrimLeft(t, "●○×↻•* "), " - ")
		case key == "Loaded" && st.Load == "":
			st.Load = value
			st.Enabled = enabledOf(value)
		case key == "Active" && st.Active == "":
			st.Active, ok = value, true
		case key == "Main PID":
			st.MainPID = value
			inLog = false
		case logPrefix().MatchString(t):
			inLog = true
			fallthrough
		case inLog:
			st.Log = append(st.Log, t)
		}
	}
	return readable(st, ok, "systemctl status")
}

// enabledOf returns the second field between the brackets of Loaded: "loaded
// (/usr/lib/systemd/system/x.service; enabled; preset: disabled)".
func enabledOf(loaded string) string {
	_, rest, ok := strings.Cut(loaded, "(")
	if ok && strings.HasPrefix(loaded, "masked") {
		return "masked"
	}
	_, rest, _ = strings.Cut(strings.TrimSuffix(rest, ")"), ";")
	enabled, _, _ := strings.Cut(rest, ";")
	return strings.TrimSpace(enabled)
}

// Unit is one row of systemctl list-units.
type Unit struct {
	Name        string `json:"unit"`
	Load        string `json:"load"`
	Active      string `json:"active"`
	Sub         string `json:"sub"`
	Description string `json:"description"`
}

var loadStates = []string{"loaded", "not-found", "masked", "error", "bad-setting", "merged"}

// ParseUnits parses systemctl list-units and --failed (systemctl(1)): UNIT LOAD ACTIVE SUB DESCRIPTION after an
// optional mark. It skips the legend.
func ParseUnits(text []byte) ([]Unit, error) {
	out := lineRows(text, func(line string) (u Unit, ok bool) {
		f := strings.Fields(strings.TrimLeft(strings.TrimSpace(line), "●○×↻•* "))
		if len(f) < 4 || !strings.Contains(f[0], ".") || !slices.Contains(loadStates, f[1]) {
			return u, false
		}
		return Unit{f[0], f[1], f[2], f[3], strings.Join(f[4:], " ")}, true
	})
	empty := len(Lines(text)) == 0 || strings.Contains(string(text), "0 loaded")
	return readable(out, len(out) > 0 || empty, "systemctl list-units")
}

// ParseUnitsJSON parses systemctl list-units --output=json (systemctl(1)): a list of objects.
func ParseUnitsJSON(text []byte) ([]Unit, error) {
	var out []Unit
	err := json.Unmarshal(text, &out)
	ok := err == nil && out != nil && !slices.ContainsFunc(out, func(u Unit) bool { return u.Name == "" })
	return readable(out, ok, "systemctl list-units")
}

// unitStates are the words of systemctl is-active (systemctl(1)).
var unitStates = []string{
	"active", "inactive", "failed", "activating", "deactivating", "reloading", "refreshing", "maintenance", "unknown",
}

// ParseUnitStates parses systemctl is-active: one word a line, in the order of the units' names.
func ParseUnitStates(text []byte, names ...string) (map[string]string, error) {
	lines := Lines(text)
	if len(lines) != len(names) {
		return nil, &UnreadableError{Source: "systemctl is-active"}
	}
	out := make(map[string]string, len(names))
	for i, n := range names {
		out[n] = strings.TrimSpace(lines[i])
		if !slices.Contains(unitStates, out[n]) {
			return nil, &UnreadableError{"systemctl is-active", lines[i]}
		}
	}
	return out, nil
}

// UnitsProbe shows the states of units, of the user manager or of the system's.
func UnitsProbe(user bool, names ...string) Probe {
	p := Probe{"systemctl"}
	if user {
		p = append(p, "--user")
	}
	p = append(p, "show", "-p", "Id,Type,LoadState,ActiveState,SubState,Result,UnitFileState,ActiveEnterTimestampMonotonic,StateChangeTimestampMonotonic", "--")
	return append(p, names...)
}

// ParseUnitProperties parses systemctl show: KEY=VALUE lines, with a blank line between units.
func ParseUnitProperties(text []byte) ([]map[string]string, error) {
	var out []map[string]string
	for block := range strings.SplitSeq(string(text), "\n\n") {
		m := map[string]string{}
		for _, line := range Lines(block) {
			if k, v, ok := strings.Cut(line, "="); ok {
				m[k] = v
			}
		}
		if m["LoadState"] != "" {
			out = append(out, m)
		}
	}
	return rows(out, text, "systemctl show")
}
