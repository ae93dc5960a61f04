package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/timeline"
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

// Timeline is what changed on this machine, by anyone.
type Timeline interface {
	// Events returns what changed in a span, the latest first, and the sources that could not be read. A thing, such as a
	// program, bounds it to what is about that. A messenger's sender learns what was done in their own conversation only.
	Events(ctx context.Context, span timeline.Span, thing string, from Origin, session string) ([]timeline.Event, []timeline.Source, error)
}

// historyAction lists what was done.
type historyAction struct {
	Day string `json:"day,omitempty"`
	// Everything lists all changes of this machine, also those that others made, and Thing those of one thing.
	Everything bool   `json:"everything,omitempty"`
	Thing      string `json:"thing,omitempty"`
}

// maxChanges bounds how many changes are listed.
const maxChanges = 30

// RecentChanges plans to list what was done: on a day ("today", "yesterday", 2026-11-25), in the last seven days ("week"),
// or the latest changes without one.
// With everything, also what others changed, and with a thing, what is about that.
func RecentChanges(in struct {
	Day, Thing string
	Everything bool
},
) (Action, error) {
	h := historyAction{Day: strings.ToLower(strings.TrimSpace(in.Day)), Thing: in.Thing, Everything: in.Everything || in.Thing != ""}
	if _, _, ok := DaySpan(h.Day, time.Now()); !ok {
		return nil, fmt.Errorf("%q is no day: today, yesterday, week, 3d for three days, or a date such as 2026-11-25", in.Day)
	}
	if !h.isValid() {
		return nil, errors.New("a thing is the name of a program, package or unit, or the path of a file")
	}
	return h, nil
}

func (h historyAction) isValid() bool {
	_, _, ok := DaySpan(h.Day, time.Now())
	return ok && IsObject(h.Thing)
}

// DaySpan returns the time that words for a day mean: today, yesterday, week (the last seven days), 3d for three days, or a
// date such as 2026-11-25. No words mean all: zero times.
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
	if n, err := strconv.Atoi(strings.TrimSuffix(day, "d")); err == nil && strings.HasSuffix(day, "d") && n > 0 && n <= 365 {
		return now.AddDate(0, 0, -n), now, true
	}
	from, err := time.ParseInLocation(time.DateOnly, day, now.Location())
	return from, from.AddDate(0, 0, 1), err == nil
}

// Argv returns the command line of the action.
func (h historyAction) Argv() []string {
	argv := []string{"blunux-aictl", "changes"}
	if h.Everything && h.Thing == "" {
		argv = append(argv, "--all")
	}
	if h.Day != "" {
		argv = append(argv, "--day", h.Day)
	}
	if h.Thing != "" {
		argv = append(argv, h.Thing)
	}
	return argv
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
func (h historyAction) Do(ctx context.Context, s Services, c Call, to io.Writer) (Result, error) {
	if h.Everything {
		return Result{}, h.listAll(ctx, s, c, to)
	}
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

// maxListed bounds how many changes of this machine are listed.
const maxListed = 200

// listAll writes an event a line as JSON, the latest first, then the sources that could not be read.
func (h historyAction) listAll(ctx context.Context, s Services, c Call, to io.Writer) error {
	if s.Timeline == nil {
		return errors.New("there is no timeline here")
	}
	from, until, _ := DaySpan(h.Day, s.History.Now())
	events, unseen, err := s.Timeline.Events(ctx, timeline.Span{From: from, To: until}, h.Thing, c.Origin, c.Session)
	if err != nil {
		return err
	}
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	for _, e := range events[:min(len(events), maxListed)] {
		if err := out.Encode(e); err != nil {
			return err
		}
	}
	return out.Encode(struct {
		More   int               `json:"earlier_changes_not_listed,omitempty"`
		Unseen []timeline.Source `json:"not_looked_at,omitempty"`
	}{max(len(events)-maxListed, 0), unseen})
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

// maxObject bounds the name of what a look is about, in bytes.
const maxObject = 200

// IsObject reports whether a text can be the name of what a look is about: it can be a word of a command.
func IsObject(s string) bool {
	ordinary := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._/:@+-~", r)
	}
	return len(s) <= maxObject && !strings.HasPrefix(s, "-") && strings.IndexFunc(s, func(r rune) bool { return !ordinary(r) }) < 0
}
