package upgrade

import (
	"context"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Report is a preview with what speaks against the upgrade now. Programs and models read it as JSON.
type Report struct {
	Preview
	Guard []Finding `json:"guard"`
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
func (r Report) Text(lang i18n.Lang) string { return withGuard(r.Preview.Text(lang), r.Guard, lang) }

// Short returns what a person needs to know before they agree.
func (r Report) Short(lang i18n.Lang) string { return withGuard(r.Preview.Short(lang), r.Guard, lang) }

func withGuard(text string, guard []Finding, lang i18n.Lang) string {
	lines := []string{text}
	for _, f := range guard {
		if f.Level != Pass {
			lines = append(lines, f.Text(lang))
		}
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
		slices.SortStableFunc(p.Packages, func(a, b Change) int { return rank(a) - rank(b) })
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
