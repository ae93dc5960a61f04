package automation

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// The kinds of events that a reminder waits for. Each is a state that lasts, so it can be looked for at any time.
const (
	EventProcess  EventKind = "process"  // a process has ended
	EventUnit     EventKind = "unit"     // a unit of systemd is no longer active
	EventDownload EventKind = "download" // a directory has no unfinished download
	EventReady    EventKind = "ready"    // a file exists and does not grow
	EventHost     EventKind = "host"     // a host answers
	EventBattery  EventKind = "battery"  // the battery is charged to a percentage
	EventLow      EventKind = "low"      // the battery has run down to a percentage
)

var waitKinds = []EventKind{EventProcess, EventUnit, EventDownload, EventReady, EventHost, EventBattery, EventLow}

// Waits reports whether a reminder waits for this kind of event.
func (k EventKind) Waits() bool { return slices.Contains(waitKinds, k) }

// ProcessID identifies a process: the kernel uses the number of an ended one again, but not with the same start.
type ProcessID struct {
	PID   int
	Start uint64 // in clock ticks since boot, the 22nd field of /proc/PID/stat (proc_pid_stat(5))
	Name  string // for people
}

func (p ProcessID) String() string { return fmt.Sprintf("%d:%d:%s", p.PID, p.Start, p.Name) }

var (
	processText = lazyregexp.New(`^([1-9][0-9]{0,9}):([0-9]{1,19}):([^:\s/]{1,64})$`)
	// hostName matches a name of DNS (RFC 1123, section 2.1).
	hostName = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9-]{0,62})?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,62})?)*\.?$`)
)

// IsHost reports whether a text is an address or a name of a host.
func IsHost(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil && !strings.Contains(text, "%") || len(text) <= 253 && hostName.MatchString(text) && !strings.HasSuffix(text, "-")
}

// waitEvent parses the argument of an event that a reminder waits for.
func waitEvent(kind EventKind, argument string) (Event, error) {
	bad := &EventError{Code: string(kind), Part: argument}
	switch kind {
	case EventProcess:
		m := processText.FindStringSubmatch(argument)
		if m == nil {
			return Event{}, bad
		}
		pid, errPID := strconv.Atoi(m[1])
		start, err := strconv.ParseUint(m[2], 10, 64)
		if errPID != nil || err != nil {
			return Event{}, bad
		}
		return Event{Kind: kind, Process: ProcessID{pid, start, m[3]}}, nil
	case EventUnit:
		e, err := unitEvent(kind, argument)
		if err == nil && strings.ContainsAny(e.Unit, "*?[") {
			return Event{}, &EventError{Code: "unit", Part: argument}
		}
		return e, err
	case EventHost:
		if !IsHost(argument) {
			return Event{}, bad
		}
		return Event{Kind: kind, Host: argument}, nil
	}
	n, err := strconv.Atoi(argument)
	if err != nil || n < 1 || n > 100 {
		return Event{}, bad
	}
	return Event{Kind: kind, Percent: n}, nil
}

// argument returns the part of an event after the colon.
func (e Event) argument() string {
	switch e.Kind {
	case EventProcess:
		return e.Process.String()
	case EventHost:
		return e.Host
	case EventBattery, EventLow:
		return strconv.Itoa(e.Percent)
	}
	return e.Unit + e.Path
}
