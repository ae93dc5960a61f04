package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/journal"
)

// lastGood stores when the daemon must be started, according to the last valid configuration. Its file is
// automations/timetable.json.
type lastGood struct {
	Due    []time.Time `json:"due"`
	Files  []string    `json:"files"`  // watched by rules
	Config []string    `json:"config"` // the configuration's files
}

func (a *automations) lastGoodFile() string {
	return joinHome(a.o.Paths.AutomationState(), "timetable.json")
}

// keepLastGood stores when the daemon must be started.
func (a *automations) keepLastGood(g lastGood) error {
	var newer *journal.VersionError
	if _, err := a.readLastGood(); errors.As(err, &newer) {
		return err
	}
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(a.o.Paths.AutomationState(), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(a.lastGoodFile(), journal.Stamp(data), 0o600)
}

func (a *automations) readLastGood() (lastGood, error) {
	var g lastGood
	data, err := os.ReadFile(a.lastGoodFile())
	if err == nil {
		err = journal.CheckVersion(a.lastGoodFile(), data)
	}
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		return lastGood{}, fmt.Errorf("cannot read the last timetable: %w", err)
	}
	return g, nil
}

// wanted returns when the daemon must be started. Without a valid configuration these are the stored times and
// files, the next due times by the rules' schedules, and changes of the configuration. keep reports that nothing
// is stored and the service manager's timer must not be changed.
func (a *automations) wanted() (at []time.Time, files []string, keep bool) {
	if rt := a.runtime.Load(); rt != nil {
		at, files = a.wakeTimes(), a.watchedFiles()
		if err := a.keepLastGood(lastGood{at, files, rt.ConfigFiles}); err != nil {
			a.Daemon.o.Log.Warn().Err(err).Msg("cannot save the timetable")
		}
		return at, files, false
	}
	g, err := a.readLastGood()
	if err != nil || len(g.Due)+len(g.Files) == 0 {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.Daemon.o.Log.Warn().Err(err).Msg("wake timer unchanged")
		}
		return nil, nil, err != nil
	}
	at = slices.DeleteFunc(append(g.Due, a.wakeTimes()...), func(t time.Time) bool { return !t.After(a.o.Now()) })
	for _, p := range a.all() {
		if next, ok := a.planned(p); ok {
			at = append(at, next)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	at = slices.CompactFunc(at, time.Time.Equal)
	return at[:min(len(at), wakes)], a.mending(g), false
}

// mending returns the files whose change starts the daemon while the configuration is invalid: those that rules
// watch, and the configuration's own.
func (a *automations) mending(g lastGood) []string {
	files := append(slices.Clone(g.Files), g.Config...)
	files = append(files, a.o.Paths.Config())
	if ce := (*config.Error)(nil); errors.As(a.lastConfigError(), &ce) && ce.File != "" {
		files = append(files, ce.File)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// planned returns when a rule is due next by its schedule alone.
func (a *automations) planned(p automation.Planned) (time.Time, bool) {
	if !p.Enabled || p.Times == nil {
		return time.Time{}, false
	}
	return p.Times.Next(a.o.Now(), a.o.Zone())
}
