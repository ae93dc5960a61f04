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

var eventKinds = []EventKind{EventBoot, EventResume, EventNetworkUp, EventLogin, EventUnitFailed, EventFile}

// Event is a trigger of a rule.
type Event struct {
	Kind EventKind
	Unit string // for unit_failed: its name or a glob; "" means any
	Path string // for file: absolute, or below "~/"
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

// ParseEvent parses boot, resume, network_up, login, unit_failed, unit_failed:NAME or file:PATH. A NAME without a
// type is a service; globs are those of path.Match. It fails with an [*EventError].
func ParseEvent(text string) (Event, error) {
	kindText, rest, has := strings.Cut(strings.TrimSpace(text), ":")
	kind := EventKind(kindText)
	switch {
	case !slices.Contains(eventKinds, kind):
		return Event{}, &EventError{Code: "unknown", Part: kindText, Near: nearest(kindText, names(eventKinds))}
	case kind == EventUnitFailed && has:
		return unitEvent(rest)
	case kind == EventFile:
		return fileEvent(rest)
	case has:
		return Event{}, &EventError{Code: "argument", Part: kindText}
	}
	return Event{Kind: kind}, nil
}

func unitEvent(unit string) (Event, error) {
	_, bad := path.Match(unit, "")
	if !unitText.MatchString(unit) || bad != nil {
		return Event{}, &EventError{Code: "unit", Part: unit}
	}
	if !unitSuffix.MatchString(unit) && !strings.ContainsAny(unit, "*?[") {
		unit += ".service"
	}
	return Event{Kind: EventUnitFailed, Unit: unit}, nil
}

func fileEvent(file string) (Event, error) {
	if !isPath(file) || strings.HasSuffix(file, "/") {
		return Event{}, &EventError{Code: "path", Part: file}
	}
	if below, ok := strings.CutPrefix(file, "~/"); ok {
		return Event{Kind: EventFile, Path: "~/" + filepath.Clean("/" + below)[1:]}, nil
	}
	return Event{Kind: EventFile, Path: filepath.Clean(file)}, nil
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
	if argument := e.Unit + e.Path; argument != "" {
		return string(e.Kind) + ":" + argument
	}
	return string(e.Kind)
}

// Words describes the event in a language: "부팅할 때", "when the machine starts".
func (e Event) Words(lang i18n.Lang) string {
	return i18n.EventText(lang, string(e.Kind), e.Unit+e.Path)
}

func names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}
