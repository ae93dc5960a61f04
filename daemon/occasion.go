package daemon

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/nidoit/blunux-ai/automation"
)

// Occasion is something that a rule may begin with.
type Occasion struct {
	Kind automation.EventKind
	// Subject is the unit of [automation.EventUnitFailed].
	Subject string
	// Key tells this occurrence from others: a boot's id, an invocation's.
	Key string
	// Live reports that it happened just now. Otherwise it was found to be so, and a
	// rule that is new only takes note of it.
	Live bool
}

// Occasions tells what happens.
type Occasions interface {
	// Watch tells of what has happened since a former daemon left and of what happens,
	// of the kinds that are wanted, and that the clock must be looked at, until ctx
	// ends.
	Watch(ctx context.Context, wanted []automation.EventKind, happened func(Occasion), clock func())
}

// watchOccasions listens to what rules wait for, and to nothing else: whoever listens
// is woken by all that happens.
func (a *automations) watchOccasions() {
	for a.living.Err() == nil {
		wanted := a.kinds()
		ctx, cancel := context.WithCancel(a.living)
		over := make(chan struct{})
		go func() {
			defer close(over)
			a.o.Occasions.Watch(ctx, wanted, a.happened, a.scheduler.Wake)
		}()
		for same := true; same; {
			select {
			case <-a.rulesChanged:
				same = slices.Equal(wanted, a.kinds())
			case <-a.living.Done():
				same = false
			}
		}
		cancel()
		<-over
	}
}

// kinds are the kinds of events that rules wait for.
func (a *automations) kinds() []automation.EventKind {
	var kinds []automation.EventKind
	for _, p := range a.all() {
		for _, text := range p.On {
			if e, err := automation.ParseEvent(text); err == nil && p.Enabled {
				kinds = append(kinds, e.Kind)
			}
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// happened begins the rules of an occasion.
func (a *automations) happened(o Occasion) {
	for _, p := range a.all() {
		for _, text := range p.On {
			e, err := automation.ParseEvent(text)
			if err == nil && e.Kind == o.Kind && (o.Kind != automation.EventUnitFailed || e.Matches(o.Subject)) {
				a.scheduler.Happened(automation.Occurrence{Rule: p.Name, Event: text, Subject: o.Subject, Key: o.Key, Live: o.Live})
			}
		}
	}
}

// unheard reports whether nothing tells of an event while the daemon is away.
func unheard(text string) bool {
	e, err := automation.ParseEvent(text)
	return err == nil && (e.Kind == automation.EventUnitFailed || e.Kind == automation.EventResume || e.Kind == automation.EventNetworkUp)
}

// watchedFiles are the files whose changes rules begin with.
func (a *automations) watchedFiles() []string {
	var files []string
	for _, p := range a.all() {
		for _, text := range p.On {
			if e, err := automation.ParseEvent(text); err == nil && e.Kind == automation.EventFile && p.Enabled {
				files = append(files, e.At(homeDir(os.Getenv)).Path)
			}
		}
	}
	return files
}

// lookAtFiles begins the rules of files that have changed.
func (a *automations) lookAtFiles() {
	for _, p := range a.all() {
		for _, text := range p.On {
			if e, err := automation.ParseEvent(text); err == nil && e.Kind == automation.EventFile {
				file := e.At(homeDir(os.Getenv)).Path
				a.scheduler.Happened(automation.Occurrence{Rule: p.Name, Event: text, Key: stateOf(file)})
			}
		}
	}
}

// stateOf names a state of a file, which a change of it changes.
func stateOf(file string) string {
	fi, err := os.Stat(file)
	if err != nil {
		return "none"
	}
	// Not when it was read last, which stat(2) tells too.
	return fmt.Sprint(fi.ModTime().UnixNano(), "-", fi.Size(), "-", uint32(fi.Mode()))
}
