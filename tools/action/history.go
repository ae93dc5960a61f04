package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/tools/receipt"
)

// History is what was done through this program.
type History interface {
	// Changes returns what approved changes did, oldest first.
	Changes() ([]receipt.Receipt, error)
	// Ran counts the commands that began in a time, those that only read and those that were refused. A session bounds it
	// to one conversation, "" means all.
	Ran(from, to time.Time, session string) (read, refused int, err error)
	Now() time.Time
}

// historyAction lists what was done.
type historyAction struct {
	Day string `json:"day,omitempty"`
}

// maxChanges bounds how many changes are listed.
const maxChanges = 30

// RecentChanges plans to list what was done: on a day ("today", "yesterday", 2026-11-25), in the last seven days ("week"),
// or the latest changes without one.
func RecentChanges(in struct{ Day string }) (Action, error) {
	h := historyAction{Day: strings.ToLower(strings.TrimSpace(in.Day))}
	if !h.isValid() {
		return nil, fmt.Errorf("%q is no day: today, yesterday, week, or a date such as 2026-11-25", in.Day)
	}
	return h, nil
}

func (h historyAction) isValid() bool {
	_, _, ok := DaySpan(h.Day, time.Now())
	return ok
}

// DaySpan returns the time that words for a day mean: today, yesterday, week (the last seven days) or a date such as
// 2026-11-25. No words mean all, which zero times stand for.
func DaySpan(day string, now time.Time) (from, to time.Time, ok bool) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch day {
	case "":
		return from, to, true
	case "today":
		return midnight, now, true
	case "yesterday":
		return midnight.AddDate(0, 0, -1), midnight, true
	case "week":
		return midnight.AddDate(0, 0, -7), now, true
	}
	from, err := time.ParseInLocation(time.DateOnly, day, now.Location())
	return from, from.AddDate(0, 0, 1), err == nil
}

// Argv returns the command line that stands for the action.
func (h historyAction) Argv() []string {
	if h.Day == "" {
		return []string{"blunux-aictl", "changes"}
	}
	return []string{"blunux-aictl", "changes", "--day", h.Day}
}

func (historyAction) Kind() string { return KindHistory }

func (historyAction) Changes() bool { return false }

func (h historyAction) Pin(Services) (Action, string, error) { return h, "", nil }

func (historyAction) Judge(Services, Call) Verdict { return Verdict{} }

func (historyAction) Ready(context.Context, Services, Call) error { return nil }

func (historyAction) Edit(string) (Action, error) {
	return nil, errors.New("there is nothing to edit in a list of changes")
}

// listedChange is a change as the tool lists it.
type listedChange struct {
	Time      string        `json:"time"`
	ID        string        `json:"id"`
	Channel   string        `json:"channel,omitempty"`
	Goal      string        `json:"goal,omitempty"`
	Steps     []listedStep  `json:"steps"`
	Effects   []plan.Effect `json:"effects,omitempty"`
	TakesBack string        `json:"takes_back,omitempty"`
	TakenBack string        `json:"taken_back,omitempty"`
}

type listedStep struct {
	Command string `json:"command"`
	State   string `json:"state"`
}

// listedCounts are the commands that changed nothing.
type listedCounts struct {
	Read    int `json:"commands_that_only_read"`
	Refused int `json:"commands_not_run"`
	More    int `json:"earlier_changes_not_listed,omitempty"`
}

// IsAtMachine reports whether a channel is that of the person at this machine, who may know everything that was done. All
// others, also those that are not known, learn what was done in their own conversation.
func IsAtMachine(channel string) bool { return slices.Contains([]string{"", "cli", "tui"}, channel) }

// Do writes a change a line as JSON, the latest first, then the numbers of the other commands. A messenger's sender reads
// what was done in their own conversation; people at the machine read everything.
func (h historyAction) Do(_ context.Context, s Services, c Call, to io.Writer) (Result, error) {
	session := ""
	if !IsAtMachine(c.Origin.Channel) {
		session = c.Session
	}
	from, until, _ := DaySpan(h.Day, s.History.Now())
	all, err := s.History.Changes()
	if err != nil {
		return Result{}, err
	}
	takenBack := receipt.TakenBack(all)
	all = slices.DeleteFunc(slices.Clone(all), func(r receipt.Receipt) bool {
		outside := !from.IsZero() && (r.Began.Before(from) || !r.Began.Before(until))
		return outside || session != "" && r.Session != session || !r.HasChanges()
	})
	slices.Reverse(all)
	counts := listedCounts{More: max(len(all)-maxChanges, 0)}
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	for _, r := range all[:len(all)-counts.More] {
		if err := out.Encode(listed(r, takenBack[r.ID])); err != nil {
			return Result{}, err
		}
	}
	if !from.IsZero() {
		if counts.Read, counts.Refused, err = s.History.Ran(from, until, session); err != nil {
			return Result{}, err
		}
	}
	return Result{}, out.Encode(counts)
}

func listed(r receipt.Receipt, takenBack string) listedChange {
	l := listedChange{
		Time: r.Began.Format("2006-01-02 15:04"), ID: r.ID, Channel: r.Channel, Goal: r.Goal,
		Effects: r.Effects(), TakesBack: r.TakesBack, TakenBack: takenBack,
	}
	for _, s := range r.Steps {
		if s.Looks {
			continue
		}
		state := string(s.State)
		switch s.State {
		case plan.StepWaiting:
			state = "not run"
		case plan.StepRunning:
			state = "unknown whether it finished"
		}
		l.Steps = append(l.Steps, listedStep{s.Command, state})
	}
	return l
}
