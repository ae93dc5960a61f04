package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/renameio/v2"
	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// wakePlan stores when the daemon must be started, according to the last valid configuration. Its file is
// automations/timetable.json.
type wakePlan struct {
	Due    []time.Time `json:"due"`
	Files  []string    `json:"files"`  // watched by rules
	Config []string    `json:"config"` // the configuration's files
}

func (a *Automations) wakePlanFile() string {
	return filepath.Join(a.files.paths.AutomationState(), "timetable.json")
}

// saveWakePlan stores when the daemon must be started.
func (a *Automations) saveWakePlan(g wakePlan) error {
	var newer *journal.VersionError
	if _, err := a.readWakePlan(); errors.As(err, &newer) {
		return err
	}
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(a.files.paths.AutomationState(), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(a.wakePlanFile(), journal.AddVersion(data), 0o600)
}

func (a *Automations) readWakePlan() (wakePlan, error) {
	var g wakePlan
	data, err := os.ReadFile(a.wakePlanFile())
	if err == nil {
		err = journal.CheckVersion(a.wakePlanFile(), data)
	}
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		return wakePlan{}, fmt.Errorf("cannot read the last timetable: %w", err)
	}
	return g, nil
}

// wakeTargets returns when the daemon must be started. Without a valid configuration these are the stored times and
// files, the next due times by the rules' schedules, and changes of the configuration. keep reports that nothing
// is stored and the service manager's timer must not be changed.
func (a *Automations) wakeTargets() (at []time.Time, files []string, keep bool) {
	if rt := a.settings.Current(); rt != nil {
		at, files = a.wakeTimes(), a.watchedFiles()
		if err := a.saveWakePlan(wakePlan{at, files, rt.Config.Files}); err != nil {
			a.log.Warn().Err(err).Msg("cannot save the timetable")
		}
		return at, files, false
	}
	g, err := a.readWakePlan()
	if err != nil || len(g.Due)+len(g.Files) == 0 {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.log.Warn().Err(err).Msg("wake timer unchanged")
		}
		return nil, nil, err != nil
	}
	at = slices.DeleteFunc(append(g.Due, a.wakeTimes()...), func(t time.Time) bool { return !t.After(a.machine.Now()) })
	for _, p := range a.All() {
		if next, ok := a.nextPlanned(p); ok {
			at = append(at, next)
		}
	}
	sorting.By(at, time.Time.Compare)
	at = slices.CompactFunc(at, time.Time.Equal)
	return at[:min(len(at), maxWakes)], a.wakeFiles(g), false
}

// wakeFiles returns the files whose change starts the daemon while the configuration is invalid: those that rules
// watch, and the configuration's own.
func (a *Automations) wakeFiles(g wakePlan) []string {
	files := append(slices.Clone(g.Files), g.Config...)
	files = append(files, a.files.paths.Config())
	if ce := (*config.Error)(nil); errors.As(a.settings.LastConfigError(), &ce) && ce.File != "" {
		files = append(files, ce.File)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// nextPlanned returns when a rule is due next by its schedule alone.
func (a *Automations) nextPlanned(p automation.ScheduledRule) (time.Time, bool) {
	if !p.Enabled || p.Times == nil {
		return time.Time{}, false
	}
	return p.Times.Next(a.machine.Now(), a.machine.Zone())
}
