package automation

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// EventKind is a kind of event.
type EventKind string

// The kinds of events.
const (
	EventBoot       EventKind = "boot"        // the machine was started
	EventResume     EventKind = "resume"      // it resumed from sleep
	EventNetworkUp  EventKind = "network_up"  // the network became reachable
	EventLogin      EventKind = "login"       // the person logged in
	EventUnitFailed EventKind = "unit_failed" // a unit of systemd failed
	EventFile       EventKind = "file"        // a file changed
)

var eventKinds = []EventKind{
	EventBoot, EventResume, EventNetworkUp, EventLogin, EventUnitFailed, EventFile,
	EventProcess, EventUnit, EventDownload, EventReady, EventHost, EventBattery, EventLow,
}

// Event is a trigger of a rule.
type Event struct {
	Kind EventKind
	Unit string // for unit_failed: its name or a glob; "" means any. For unit: its name
	Path string // for file, ready and download: absolute, or below "~/"
	// Process, Host and Percent are what the kinds process, host, battery and low wait for.
	Process ProcessID
	Host    string
	Percent int
}

// EventError reports an invalid event.
type EventError struct {
	Code string // unknown, argument, unit or path
	Part string
	Near string // a similar word; "" if there is none
}

func (e *EventError) Error() string { return "cannot read the event: " + e.Text(i18n.English) }

// Text explains the error and its fix in a language.
func (e *EventError) Text(lang i18n.Lang) string {
	return i18n.EventError(lang, e.Code, e.Part, e.Near)
}

// unitText matches the characters of a unit's name (systemd.unit(5), "Description") and of a glob.
var unitText = lazyregexp.New(`^[A-Za-z0-9:_.\\@*?\[\]-]{1,255}$`)

// unitSuffix matches a unit's type (systemd.unit(5)).
var unitSuffix = lazyregexp.New(`\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$`)

// ParseEvent parses boot, resume, network_up, login, unit_failed, unit_failed:NAME, file:PATH, or what a reminder waits
// for: process:PID:START:NAME, unit:NAME, download:DIR, ready:PATH, host:NAME, battery:PERCENT. A unit's NAME without a
// type is a service; globs are those of path.Match. It fails with an [*EventError].
func ParseEvent(text string) (Event, error) {
	kindText, rest, has := strings.Cut(strings.TrimSpace(text), ":")
	kind := EventKind(kindText)
	switch {
	case !slices.Contains(eventKinds, kind):
		return Event{}, &EventError{Code: "unknown", Part: kindText, Near: nearest(kindText, names(eventKinds))}
	case kind == EventUnitFailed && has:
		return unitEvent(kind, rest)
	case kind == EventFile, kind == EventReady, kind == EventDownload:
		return fileEvent(kind, rest)
	case kind.Waits():
		return waitEvent(kind, rest)
	case has:
		return Event{}, &EventError{Code: "argument", Part: kindText}
	}
	return Event{Kind: kind}, nil
}

func unitEvent(kind EventKind, unit string) (Event, error) {
	_, bad := path.Match(unit, "")
	if !unitText.MatchString(unit) || bad != nil {
		return Event{}, &EventError{Code: "unit", Part: unit}
	}
	if !unitSuffix.MatchString(unit) && !strings.ContainsAny(unit, "*?[") {
		unit += ".service"
	}
	return Event{Kind: kind, Unit: unit}, nil
}

func fileEvent(kind EventKind, file string) (Event, error) {
	if kind == EventDownload {
		file = strings.TrimSuffix(file, "/")
	}
	if !isPath(file) || strings.HasSuffix(file, "/") {
		return Event{}, &EventError{Code: "path", Part: file}
	}
	if below, ok := strings.CutPrefix(file, "~/"); ok {
		return Event{Kind: kind, Path: "~/" + filepath.Clean("/" + below)[1:]}, nil
	}
	return Event{Kind: kind, Path: filepath.Clean(file)}, nil
}

// isPath reports whether a text is an absolute path or one below the home.
func isPath(file string) bool {
	return (strings.HasPrefix(file, "/") || strings.HasPrefix(file, "~/")) && len(file) > 1 && len(file) <= 4096 && !strings.ContainsFunc(file, unicode.IsControl)
}

// At returns the event with ~ in its path replaced by home.
func (e Event) At(home string) Event {
	if below, ok := strings.CutPrefix(e.Path, "~/"); ok && home != "" {
		e.Path = filepath.Join(home, below)
	}
	return e
}

// Matches reports whether the event matches a failed unit.
func (e Event) Matches(unit string) bool {
	if e.Kind != EventUnitFailed {
		return false
	}
	if e.Unit == "" || e.Unit == unit {
		return true
	}
	ok, err := path.Match(e.Unit, unit)
	return ok && err == nil
}

// String formats the event for [ParseEvent].
func (e Event) String() string {
	if argument := e.argument(); argument != "" {
		return string(e.Kind) + ":" + argument
	}
	return string(e.Kind)
}

// Words describes the event in a language: "부팅할 때", "when the machine starts".
func (e Event) Words(lang i18n.Lang) string {
	if e.Kind == EventProcess {
		return i18n.EventText(lang, string(e.Kind), e.Process.Name)
	}
	return i18n.EventText(lang, string(e.Kind), e.argument())
}

// Said returns what a reminder says that waited for the event.
func (e Event) Said(lang i18n.Lang) string {
	argument := e.argument()
	if e.Kind == EventProcess {
		argument = e.Process.Name
	}
	return i18n.WaitSays(lang, string(e.Kind), argument)
}

func names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}
