package upgrade

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// The bounds of a text.
const (
	maxRows  = 40 // packages listed with their versions
	maxNames = 12 // names in a sentence
	maxNotes = 12 // lines of a question, which a messenger shows as a whole
)

// Text returns the preview for a person.
func (p Preview) Text(lang i18n.Lang) string {
	switch {
	case p.Problem != nil:
		return p.Problem.Text(lang)
	case p.IsEmpty() && len(p.Refusals) > 0:
		return strings.Join(p.notes(lang), "\n")
	case p.IsEmpty():
		return strings.Join(append([]string{i18n.UpgradeNothing.In(lang)}, p.notes(lang)...), "\n")
	}
	lines := []string{p.headline(lang)}
	for i, c := range p.Packages {
		if i == maxRows {
			lines = append(lines, "  "+i18n.UpgradeMore(p.Count-maxRows).In(lang))
			break
		}
		lines = append(lines, "  "+c.text(lang))
	}
	return strings.Join(append(lines, p.notes(lang)...), "\n")
}

// Short returns what a person needs to know before they agree: the figures, and what needs them.
func (p Preview) Short(lang i18n.Lang) string {
	switch {
	case p.Problem != nil:
		return p.Problem.Text(lang)
	case p.IsEmpty() && len(p.Refusals) == 0:
		return i18n.UpgradeNothing.In(lang)
	}
	notes := p.notes(lang)
	if len(notes) > maxNotes {
		notes = append(notes[:maxNotes], i18n.UpgradeMore(len(notes)-maxNotes).In(lang))
	}
	if p.IsEmpty() {
		return strings.Join(notes, "\n")
	}
	names := "  " + namesOf(p.Packages, func(c Change) string { return c.Name })
	return strings.Join(append([]string{p.headline(lang), names}, notes...), "\n")
}

func (p Preview) headline(lang i18n.Lang) string {
	return i18n.UpgradeCount(p.Count, i18n.Size(p.Download), signedSize(p.Growth)).In(lang)
}

func (c Change) text(lang i18n.Lang) string {
	if c.From == "" {
		return i18n.UpgradeRowNew(c.Name, c.To).In(lang)
	}
	return i18n.UpgradeRow(c.Name, c.From, c.To).In(lang)
}

// notes returns the lines below the packages.
func (p Preview) notes(lang i18n.Lang) (lines []string) {
	if len(p.Refusals) > 0 {
		lines = append(lines, i18n.UpgradeRefused.In(lang))
		for _, r := range p.Refusals {
			lines = append(lines, "  "+r.text(lang))
		}
	}
	for _, r := range p.Replaced {
		lines = append(lines, i18n.UpgradeReplaced(r.Name, r.By).In(lang))
	}
	for _, b := range p.Broken {
		lines = append(lines, i18n.UpgradeBroken(b.Package, b.Needs, b.Because).In(lang))
	}
	if len(p.Unknown) > 0 {
		lines = append(lines, i18n.UpgradeUnknown(namesOf(p.Unknown, func(b Broken) string { return b.Package })).In(lang))
	}
	for _, s := range p.Settings {
		lines = append(lines, s.text(lang))
	}
	if len(p.Units) > 0 {
		lines = append(lines, i18n.UpgradeUnits(namesOf(p.Units, func(u Unit) string { return u.Name })).In(lang))
	}
	switch {
	case len(p.Reboot) > 0:
		lines = append(lines, i18n.UpgradeRebootYes(namesOf(p.Reboot, func(n string) string { return n })).In(lang))
	case p.Count > 0:
		lines = append(lines, i18n.UpgradeRebootNo.In(lang))
	}
	for _, m := range p.Mounts {
		if m.Change == 0 && m.Image == 0 && len(p.Mounts) > 1 {
			continue
		}
		lines = append(lines, i18n.UpgradeMount(m.Target, signedSize(m.Change), i18n.Size(m.Free)).In(lang))
	}
	if len(p.Held) > 0 {
		lines = append(lines, i18n.UpgradeHeld(namesOf(p.Held, func(c Change) string { return c.Name })).In(lang))
	}
	if len(p.Damaged) > 0 {
		lines = append(lines, i18n.UpgradeDamaged(namesOf(p.Damaged, func(n string) string { return n })).In(lang))
	}
	if p.Stale > 0 {
		lines = append(lines, i18n.UpgradeStale(p.Stale).In(lang))
	}
	return append(lines, p.Keyring.notes(lang)...)
}

func (s Setting) text(lang i18n.Lang) string {
	if s.Certain {
		return i18n.UpgradeSettingCertain(s.Path).In(lang)
	}
	return i18n.UpgradeSettingLikely(s.Path).In(lang)
}

// oldKeyring is the age in days from which new packages can be signed with keys that a keyring does not have.
const oldKeyring = 180

func (k *Keyring) notes(lang i18n.Lang) (lines []string) {
	if k == nil {
		return nil
	}
	if k.Age > oldKeyring {
		lines = append(lines, i18n.UpgradeKeyringOld(k.Package, k.Age).In(lang))
	}
	if len(k.Unsigned) > 0 {
		lines = append(lines, i18n.UpgradeUnsigned(strings.Join(k.Unsigned, ", ")).In(lang))
	}
	return lines
}

func (r Refusal) text(lang i18n.Lang) string {
	switch {
	case len(r.Conflict) == 2:
		return i18n.UpgradeRefusedConflict(r.Conflict[0], r.Conflict[1]).In(lang)
	case r.Removing != "":
		return i18n.UpgradeRefusedRemoves(r.Package, r.Dependency, r.Removing).In(lang)
	case r.Installing != "":
		return i18n.UpgradeRefusedBreaks(r.Package, r.Dependency, r.Installing).In(lang)
	}
	return i18n.UpgradeRefusedMissing(r.Package, r.Dependency).In(lang)
}

// Text returns why there is no preview.
func (p Problem) Text(lang i18n.Lang) string {
	switch p.Code {
	case NoProgram:
		return i18n.UpgradeProblemNoProgram(p.Subject).In(lang)
	case BadSettings:
		return i18n.UpgradeProblemBadSettings(p.Subject, p.Detail).In(lang)
	case NoFetch:
		return i18n.UpgradeProblemNoFetch(p.Detail).In(lang)
	case NotDatabase:
		return i18n.UpgradeProblemNotDatabase(p.Subject).In(lang)
	case HalfDatabase:
		return i18n.UpgradeProblemHalfDatabase(p.Subject).In(lang)
	case LargeDatabase:
		return i18n.UpgradeProblemLargeDatabase(p.Subject).In(lang)
	case NoRoom:
		return i18n.UpgradeProblemNoRoom.In(lang)
	case TimedOut:
		return i18n.UpgradeProblemTimedOut.In(lang)
	case Refused:
		return i18n.UpgradeProblemRefused(p.Detail).In(lang)
	}
	return i18n.UpgradeProblemUnreadable(p.Detail).In(lang)
}

// signedSize returns a size with its sign.
func signedSize(bytes int64) string {
	if bytes < 0 {
		return "−" + i18n.Size(-bytes)
	}
	return "+" + i18n.Size(bytes)
}

// namesOf lists the first names of a list, each once.
func namesOf[T any](all []T, name func(T) string) string {
	var names []string
	seen := map[string]bool{}
	for _, v := range all {
		if n := name(v); !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	if len(names) > maxNames {
		names = append(names[:maxNames], "…")
	}
	return strings.Join(names, ", ")
}
