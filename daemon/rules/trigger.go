package rules

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
)

// Trigger is an event that a rule may start with.
type Trigger struct {
	Kind automation.EventKind
	// Subject is the unit of [automation.EventUnitFailed].
	Subject string
	// Key identifies the occurrence: the id of a boot or of an invocation.
	Key string
	// Live reports that the event happened just now. Otherwise it was found later, and a new rule only records it.
	Live bool
}

// TriggerSource is a source of events.
type TriggerSource interface {
	// Watch reports events of the wanted kinds until ctx ends: those since an earlier daemon exited and new ones.
	// It calls clock if the clock jumped.
	Watch(ctx context.Context, wanted []automation.EventKind, happened func(Trigger), clock func())
}

// watchTriggers watches only the kinds of events that rules use, because each event wakes the process.
func (a *Automations) watchTriggers() {
	for a.life.RunCtx.Err() == nil {
		wanted := a.eventKinds()
		ctx, cancel := context.WithCancel(a.life.RunCtx)
		over := make(chan struct{})
		go func() {
			defer close(over)
			a.machine.Triggers.Watch(ctx, wanted, a.startMatching, a.runs.scheduler.Wake)
		}()
		for same := true; same; {
			select {
			case <-a.files.changed:
				same = slices.Equal(wanted, a.eventKinds())
			case <-a.life.RunCtx.Done():
				same = false
			}
		}
		cancel()
		<-over
	}
}

// eventKinds returns the kinds of events that enabled rules start with.
func (a *Automations) eventKinds() []automation.EventKind {
	var kinds []automation.EventKind
	for _, p := range a.All() {
		for _, text := range p.On {
			if e, err := automation.ParseEvent(text); err == nil && p.Enabled {
				kinds = append(kinds, e.Kind)
			}
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// startMatching starts the rules of an event.
func (a *Automations) startMatching(o Trigger) {
	for _, p := range a.All() {
		for _, text := range p.On {
			e, err := automation.ParseEvent(text)
			if err == nil && e.Kind == o.Kind && (o.Kind != automation.EventUnitFailed || e.Matches(o.Subject)) {
				a.runs.scheduler.HandleEvent(automation.Occurrence{Rule: p.Name, Event: text, Subject: o.Subject, Key: o.Key, Live: o.Live})
			}
		}
	}
}

// needsPolling reports whether an event cannot start the daemon while it is not running.
func needsPolling(text string) bool {
	e, err := automation.ParseEvent(text)
	return err == nil && (e.Kind.Waits() || e.Kind == automation.EventUnitFailed || e.Kind == automation.EventResume || e.Kind == automation.EventNetworkUp)
}

// watchedFiles returns the files whose changes start rules.
func (a *Automations) watchedFiles() []string {
	var files []string
	for _, p := range a.All() {
		for _, text := range p.On {
			e, err := automation.ParseEvent(text)
			isFile := e.Kind == automation.EventFile || e.Kind == automation.EventReady || e.Kind == automation.EventDownload
			if err == nil && isFile && p.Enabled {
				files = append(files, e.At(config.HomeDir(os.Getenv)).Path)
			}
		}
	}
	return files
}

// checkFiles starts the rules of files that have changed.
func (a *Automations) checkFiles() {
	for _, p := range a.All() {
		for _, text := range p.On {
			if e, err := automation.ParseEvent(text); err == nil && e.Kind == automation.EventFile {
				file := e.At(config.HomeDir(os.Getenv)).Path
				a.runs.scheduler.HandleEvent(automation.Occurrence{Rule: p.Name, Event: text, Key: fileState(file)})
			}
		}
	}
}

// fileState returns a string that changes with a file.
func fileState(file string) string {
	fi, err := os.Stat(file)
	if err != nil {
		return "none"
	}
	// Without the access time, which reading changes.
	return fmt.Sprint(fi.ModTime().UnixNano(), "-", fi.Size(), "-", uint32(fi.Mode()))
}
