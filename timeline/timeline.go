// Package timeline puts what changed on this machine in one order, by anyone. Each [Event] names its source.
package timeline

import (
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Source is where an event is recorded.
type Source string

// The sources.
const (
	Packages  Source = "pacman.log"
	Assistant Source = "assistant"
	Journal   Source = "journal"
	Files     Source = "files"
)

// Kind is what happened.
type Kind string

// The kinds. The first five are libalpm's words (lib/libalpm/log.c).
const (
	Installed   Kind = "installed"
	Upgraded    Kind = "upgraded"
	Downgraded  Kind = "downgraded"
	Removed     Kind = "removed"
	Reinstalled Kind = "reinstalled"
	Booted      Kind = "booted"
	Failed      Kind = "failed" // a unit, for the first time in the span
	Written     Kind = "written"
	Created     Kind = "created"
	Deleted     Kind = "deleted"
	Done        Kind = "done" // through the assistant
)

// Event is one change. From and To are versions, for files sizes in bytes; "" where there is none.
type Event struct {
	At     time.Time `json:"at"`
	Source Source    `json:"source"`
	Kind   Kind      `json:"kind"`
	Object string    `json:"object"`
	From   string    `json:"from,omitempty"`
	To     string    `json:"to,omitempty"`
	// Lines are some of a text file's lines that went ("- …") and came ("+ …").
	Lines []string `json:"lines,omitempty"`
	// Until is set if the time is not exact: the change is between At and Until.
	Until *time.Time `json:"until,omitempty"`
}

// Text says what happened.
func (e Event) Text(lang i18n.Lang) string {
	switch e.Kind {
	case Installed:
		return i18n.TimelineInstalled(e.Object, e.To).In(lang)
	case Upgraded:
		return i18n.TimelineUpgraded(e.Object, e.From, e.To).In(lang)
	case Downgraded:
		return i18n.TimelineDowngraded(e.Object, e.From, e.To).In(lang)
	case Removed:
		return i18n.TimelineRemoved(e.Object, e.To).In(lang)
	case Reinstalled:
		return i18n.TimelineReinstalled(e.Object, e.To).In(lang)
	case Booted:
		return i18n.TimelineBooted(e.Object).In(lang)
	case Failed:
		return i18n.TimelineFailed(e.Object).In(lang)
	case Written:
		return i18n.TimelineWritten(e.Object).In(lang)
	case Created:
		return i18n.TimelineCreated(e.Object).In(lang)
	case Deleted:
		return i18n.TimelineDeleted(e.Object).In(lang)
	}
	return i18n.TimelineDone(e.Object).In(lang)
}

// Row is the event as a line: the time, the source and the text.
func (e Event) Row(lang i18n.Lang) string {
	at := e.At.Local().Format("2006-01-02 15:04")
	if e.Until != nil {
		at += "–" + e.Until.Local().Format("15:04")
	}
	return at + " · " + string(e.Source) + " · " + e.Text(lang)
}

// Span is a time. A zero From or To has no bound.
type Span struct{ From, To time.Time }

// Has reports whether a time is in the span.
func (s Span) Has(at time.Time) bool {
	return (s.From.IsZero() || !at.Before(s.From)) && (s.To.IsZero() || at.Before(s.To))
}

// Sort returns the events of a span, the latest first.
func Sort(all []Event, span Span) []Event {
	all = slices.DeleteFunc(slices.Clone(all), func(e Event) bool { return !span.Has(e.At) })
	sorting.Stably(all, func(a, b Event) int { return b.At.Compare(a.At) })
	return all
}

// FirstFailures returns the first failure of each unit of a list in order of time.
func FirstFailures(all []Event) []Event {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(e Event) bool {
		again := e.Kind == Failed && seen[e.Object]
		seen[e.Object] = seen[e.Object] || e.Kind == Failed
		return again
	})
}

// Names are what belongs to a thing: packages, and words that its files and units contain.
type Names struct {
	Packages []string
	Words    []string
}

// About returns the events that are about a thing. Boots are kept, because what breaks often breaks after one.
func About(all []Event, n Names) []Event {
	return slices.DeleteFunc(slices.Clone(all), func(e Event) bool {
		switch e.Source {
		case Packages:
			return !slices.Contains(n.Packages, e.Object)
		case Journal:
			if e.Kind == Booted {
				return false
			}
		}
		return !slices.ContainsFunc(n.Words, func(w string) bool { return w != "" && strings.Contains(strings.ToLower(e.Object), strings.ToLower(w)) })
	})
}
