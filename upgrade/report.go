package upgrade

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
)

// Report is a preview with what speaks against the upgrade now. Programs and models read it as JSON.
type Report struct {
	Preview
	Guard []Finding `json:"guard"`
	// News are those of Arch Linux since the last full upgrade, newest first. Boot are the findings because of which the computer
	// would not start again, before the upgrade. Recipes are the packages of no repository whose build recipe is held.
	News    []machine.NewsItem    `json:"news,omitempty"`
	Boot    []machine.BootFinding `json:"boot,omitempty"`
	Recipes []string              `json:"held_recipes,omitempty"`
}

// Gather completes a preview: it looks at what speaks against the upgrade, and leaves only the services that run.
func Gather(ctx context.Context, p Preview, look func(ctx context.Context, command string) diagnose.Output) Report {
	r := Report{Preview: p, Guard: []Finding{}}
	if p.Problem != nil || p.IsEmpty() {
		return r
	}
	r.Guard = Guard(ctx, p, look)
	if len(p.Units) > 0 {
		r.Units = onlyRunning(p.Units, gather(ctx, []machine.Probe{machine.RunningServicesProbe, machine.RunningUserServicesProbe}, look))
	}
	return r
}

// Complete adds to a report what a person reads before they agree, and what stops nothing. news returns the page with the news
// of Arch Linux as the tool fetch_page writes it, "" for none.
func (r *Report) Complete(ctx context.Context, look func(ctx context.Context, command string) diagnose.Output, news func(ctx context.Context) string) {
	if r.Problem != nil || r.IsEmpty() {
		return
	}
	var group sync.WaitGroup
	group.Go(func() {
		next, _ := machine.ParseNextStart([]byte(look(ctx, machine.NextStartProbe.String()).Stdout)) // nothing if it is unreadable
		r.Boot = slices.DeleteFunc(next.Findings, func(f machine.BootFinding) bool { return f.Weight != machine.BootRed })
	})
	group.Go(func() { r.Recipes = heldRecipes(ctx, look) })
	group.Go(func() {
		last, err := machine.ParseLastFullUpgrade([]byte(look(ctx, machine.FullUpgradesProbe.String()).Stdout))
		if err != nil || last.IsZero() {
			return // all news would be new
		}
		_, page, _ := strings.Cut(news(ctx), "\n\n")
		items, _ := machine.ParseArchNews([]byte(page)) // none if it is unreadable
		r.News = machine.NewsSince(items, last)
	})
	group.Wait()
}

// maxRecipes bounds the build recipes that are looked at before an upgrade, which does not build them.
const maxRecipes = 5

// heldRecipes returns the packages of the AUR with an update whose recipe is held.
func heldRecipes(ctx context.Context, look func(ctx context.Context, command string) diagnose.Output) (held []string) {
	for _, helper := range []string{"yay", "paru"} {
		rows, err := machine.ParseUpdates([]byte(look(ctx, helper+" -Qua").Stdout))
		if err != nil || len(rows) == 0 {
			continue
		}
		for _, u := range rows[:min(len(rows), maxRecipes)] {
			var found struct {
				Held bool `json:"held"`
			}
			line, _, _ := strings.Cut(look(ctx, "blunux-ai aur check --json -- "+u.Name).Stdout, "\n")
			if json.Unmarshal([]byte(line), &found) == nil && found.Held {
				held = append(held, u.Name)
			}
		}
		break
	}
	return held
}

// onlyRunning returns the units that run. Those of a manager that does not answer stay.
func onlyRunning(units []Unit, seen map[string]diagnose.Output) (running []Unit) {
	for _, u := range units {
		probe := machine.RunningServicesProbe
		if u.User {
			probe = machine.RunningUserServicesProbe
		}
		out := seen[probe.String()]
		rows, err := machine.ParseUnits([]byte(out.Stdout))
		if out.Unseen || out.Exit != 0 || err != nil {
			running = append(running, u)
			continue
		}
		for _, row := range rows {
			if u.Matches(row.Name) {
				running = append(running, Unit{row.Name, u.User, u.Packages})
			}
		}
	}
	return running
}

// Matches reports whether a running unit has the unit's file: that of a template has many.
func (u Unit) Matches(name string) bool {
	if name == u.Name {
		return true
	}
	template, suffix, ok := strings.Cut(u.Name, "@.")
	return ok && strings.HasPrefix(name, template+"@") && strings.HasSuffix(name, "."+suffix)
}

// Worst returns the findings of a level or above.
func (r Report) Worst(least Level) (all []Finding) {
	for _, f := range r.Guard {
		if f.Level.weight() >= least.weight() {
			all = append(all, f)
		}
	}
	return all
}

// Text returns the report for a person.
func (r Report) Text(lang i18n.Lang) string { return r.around(r.Preview.Text(lang), lang) }

// Short returns what a person needs to know before they agree.
func (r Report) Short(lang i18n.Lang) string { return r.around(r.Preview.Short(lang), lang) }

// shownNews bounds the news of a text.
const shownNews = 3

// around adds to the text of a preview what the looks have shown.
func (r Report) around(text string, lang i18n.Lang) string {
	lines := []string{text}
	for _, f := range r.Guard {
		if f.Level != Pass {
			lines = append(lines, f.Text(lang))
		}
	}
	for _, f := range r.Boot {
		lines = append(lines, i18n.UpgradeBoot(diagnose.NextStartText(f).In(lang)).In(lang))
	}
	for _, name := range r.Recipes {
		lines = append(lines, i18n.UpgradeRecipe(name).In(lang))
	}
	for _, n := range r.News[:min(len(r.News), shownNews)] {
		lines = append(lines, i18n.UpgradeNews(n.Date, machine.CleanLine(n.Title), n.Address).In(lang))
	}
	return strings.Join(lines, "\n")
}

// Text returns a finding for a person, "" if nothing speaks against the upgrade.
func (f Finding) Text(lang i18n.Lang) string {
	text := f.reason().In(lang)
	switch f.Level {
	case Stop:
		return i18n.UpgradeGuardStop(text).In(lang)
	case Hold:
		return i18n.UpgradeGuardHold(text).In(lang)
	}
	return text
}

func (f Finding) reason() i18n.Text {
	switch f.Reason {
	case BatteryLow:
		return i18n.UpgradeGuardBattery(f.Subject)
	case Metered:
		return i18n.UpgradeGuardMetered(f.Subject)
	case Recording:
		return i18n.UpgradeGuardRecording(f.Subject)
	case CameraInUse:
		return i18n.UpgradeGuardCamera(f.Subject)
	case OtherSession:
		return i18n.UpgradeGuardSession(f.Subject)
	case PacmanRuns:
		return i18n.UpgradeGuardPacman(f.Subject)
	case LockLeft:
		return i18n.UpgradeGuardLock
	case NoRoomThere:
		return i18n.UpgradeGuardNoRoom(f.Subject, f.Detail)
	case LittleRoom:
		return i18n.UpgradeGuardLittleRoom(f.Subject, f.Detail)
	case RebootDue:
		return i18n.UpgradeGuardReboot(f.Subject)
	}
	return i18n.Text{}
}

// Brief bounds the lists of a preview, so that it fits into the output of a command: the packages that are more than a program
// stay first. Omitted says how many packages are left out.
func (p Preview) Brief() Preview {
	const most, packages = 40, 150
	p.Totals()
	if len(p.Packages) > packages {
		p.Packages = slices.Clone(p.Packages)
		sorting.Stably(p.Packages, func(a, b Change) int { return rank(a) - rank(b) })
		p.Omitted += len(p.Packages) - packages
		p.Packages = p.Packages[:packages]
	}
	p.Replaced, p.Refusals, p.Held = first(p.Replaced, most), first(p.Refusals, most), first(p.Held, most)
	p.Units, p.Broken, p.Unknown = first(p.Units, most), first(p.Broken, most), first(p.Unknown, most)
	p.Settings, p.Damaged = first(p.Settings, most), first(p.Damaged, most)
	return p
}

func rank(c Change) int {
	if c.Kind != "" {
		return 0
	}
	return 1
}

func first[T any](list []T, most int) []T { return list[:min(len(list), most)] }
