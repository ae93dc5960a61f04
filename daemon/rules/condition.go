package rules

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/renameio/v2"
	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/daemon/look"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/rs/zerolog"
)

// observation is an observation of a rule's condition.
type observation struct {
	Text   string `json:"text"`
	Fired  bool   `json:"fired,omitempty"`  // something is new or worse
	Urgent bool   `json:"urgent,omitempty"` // something new is critical
	Silent bool   `json:"silent,omitempty"`
}

// conditionState is the stored state of one rule's condition, in its own file.
type conditionState struct {
	file  string
	Rule  string          `json:"rule"`
	Watch check.Memory    `json:"watch"`
	Keep  json.RawMessage `json:"keep,omitempty"`
	// Figures are those of the last report, At its time.
	Figures []check.Figure `json:"figures,omitempty"`
	At      time.Time      `json:"at,omitzero"`
	// Run is the run whose observation was not reported yet, and Sight that observation. After a crash it is
	// reported without another check.
	Run   string      `json:"run,omitempty"`
	Sight observation `json:"sight,omitzero"`
	// newer is set if a newer program wrote the file, which is then not written.
	newer *journal.VersionError
}

// conditions are the stored states of the rules' conditions.
type conditions struct {
	dir string
	now func() time.Time
	log zerolog.Logger
	mu  sync.Mutex // held from reading a state until it is stored
}

// load loads the state of a rule's condition. If the file cannot be read, the state is empty.
func (cs *conditions) load(rule automation.Rule) *conditionState {
	sum := sha256.Sum256([]byte(rule.Name))
	l := &conditionState{}
	file := filepath.Join(cs.dir, hex.EncodeToString(sum[:8])+".json")
	data, err := os.ReadFile(file)
	if err == nil {
		err = journal.CheckVersion(file, data)
	}
	var newer *journal.VersionError
	if errors.As(err, &newer) {
		cs.log.Error().Err(err).Str("automation", rule.Name).Msg("cannot read condition state")
		return &conditionState{file: file, Rule: rule.Name, newer: newer}
	}
	if err == nil {
		err = json.Unmarshal(data, l)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		cs.log.Warn().Err(err).Str("automation", rule.Name).Msg("condition state discarded")
		l = &conditionState{}
	}
	l.file, l.Rule = file, rule.Name
	return l
}

func (l *conditionState) save() error {
	if l.newer != nil {
		return fmt.Errorf("cannot save condition state: %w", l.newer)
	}
	data, err := json.Marshal(l)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(l.file), 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(l.file, journal.AddVersion(data), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot save condition state: %w", err)
	}
	return nil
}

// markReported records that the observation of a run was reported.
func (cs *conditions) markReported(rule automation.Rule, run automation.Run) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if l := cs.load(rule); l.Run == run.ID {
		l.Run, l.Sight = "", observation{}
		_ = l.save() // a repeated report has the same id and is sent once
	}
}

// checkCondition checks a rule's condition.
func (a *Automations) checkCondition(ctx context.Context, rt *settings.Runtime, run automation.Run, rule automation.Rule) (observation, error) {
	l := a.conditions.load(rule)
	if l.Run == run.ID {
		return l.Sight, nil
	}
	c, known := check.Lookup(rule.Check)
	if !known {
		return observation{}, fmt.Errorf("unknown condition %q", rule.Check)
	}
	now := a.machine.Now()
	runner := &look.Runner{
		Runtime: rt, Key: post.KeyOf(post.AutomationChannel, sessionOf(rule)), Name: "check",
		Origin: tools.Origin{Task: taskOf(run), Channel: post.AutomationChannel, Automation: run.Rule},
	}
	res, err := c.Run(ctx, runner, check.Params{
		Over: rule.Over, Within: rule.Within, Paths: rule.Paths, Now: now, Zone: a.machine.Zone(), Home: rt.Config.Home, Previous: l.Keep,
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return observation{}, err
	}
	policy := check.Policy{After: rule.After, Again: rule.Again}
	causes := a.causes(ctx, rt, rule, run, newsOf(l.Watch.Step(now, policy, res))) // before the lock: it takes time
	a.conditions.mu.Lock()
	defer a.conditions.mu.Unlock()
	l = a.conditions.load(rule) // a snooze may have been set in the meantime
	_, snoozed := l.Watch.Snoozed(now)
	step := l.Watch.Step(now, policy, res)
	news := newsOf(step)
	l.Run, l.Keep = run.ID, res.Keep
	l.Sight = observation{
		Silent: step.Silent && (snoozed || !alwaysReports(rule, run)), Fired: len(news) > 0,
		Urgent: slices.ContainsFunc(news, func(f check.Finding) bool { return f.Severity == check.Critical }),
	}
	if !l.Sight.Silent {
		l.Sight.Text = rt.Redact(check.Report(a.langOf(rule), rule.Name, step, res, l.Figures, l.At) + causes)
		l.Figures, l.At = res.Figures, now
	}
	return l.Sight, l.save()
}

// newsOf returns the findings that a person does not know.
func newsOf(n check.Notification) []check.Finding { return slices.Concat(n.New, n.Worse) }

// alwaysReports reports whether a run sends its result even if nothing was found.
func alwaysReports(rule automation.Rule, run automation.Run) bool {
	return rule.Check == "health" || run.Event == automation.Manual
}

// snooze mutes a rule for a while and returns the end of that time.
func (cs *conditions) snooze(rule string, span time.Duration) time.Time {
	until := cs.now().Add(span)
	cs.mu.Lock()
	defer cs.mu.Unlock()
	l := cs.load(automation.Rule{Name: rule})
	l.Watch.Snooze(until)
	if err := l.save(); err != nil {
		cs.log.Warn().Err(err).Str("automation", rule).Msg("cannot save snooze")
	}
	return until
}
