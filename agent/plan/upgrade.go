package plan

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// consistency shows whether the database of installed packages is consistent: pacman(8), -Dk.
var consistency = machine.Probe{"pacman", "-Dk"}

// failedUnits are the looks before and after an upgrade that show which units have failed.
func failedUnits() [][]string {
	return [][]string{slices.Clone(machine.FailedUnitsProbe), slices.Clone(machine.FailedUserUnitsProbe)}
}

// upgradedLooks are the looks after an upgrade: what is left, whether the packages fit together, which units have failed, and
// whether the computer will start again.
func upgradedLooks() [][]string {
	looks := [][]string{slices.Clone(machine.KnownUpdatesProbe), slices.Clone(consistency)}
	return append(append(looks, failedUnits()...), slices.Clone(machine.NextStartProbe))
}

// judgeUpgraded judges an upgrade of all packages. What is sound beside the versions is not told.
func judgeUpgraded(before, after []Look) []Proof {
	proofs := []Proof{judgeCurrent(after)}
	if len(after) < len(upgradedLooks()) {
		return proofs
	}
	if look := after[1]; look.Ran && look.Exit != 0 && strings.TrimSpace(look.Stdout+look.Stderr) != "" {
		proofs = append(proofs, Proof{
			Outcome: Failed, Code: Inconsistent, Subject: "database", Check: "pacman -Dk",
			State: list(machine.Lines([]byte(look.Stderr + look.Stdout))),
		})
	}
	for i, user := range []bool{false, true} {
		if len(before) <= i {
			break
		}
		if names := newlyFailed(before[i], after[2+i]); len(names) > 0 {
			proofs = append(proofs, Proof{
				Outcome: Failed, Code: NewlyFailed, Subject: "units", User: user, State: list(names),
				Check: strings.Join(failedUnits()[i][:len(failedUnits()[i])-1], " "),
			})
		}
	}
	if p, ok := judgeNextStart(after[len(after)-1]); ok {
		proofs = append(proofs, p)
	}
	return proofs
}

// newlyFailed returns the units that have failed since the look before.
func newlyFailed(before, after Look) (names []string) {
	was, unread := machine.ParseUnits([]byte(before.Stdout))
	is, failed := machine.ParseUnits([]byte(after.Stdout))
	if !before.Ran || !after.Ran || unread != nil || failed != nil {
		return nil
	}
	for _, u := range is {
		if !slices.ContainsFunc(was, func(w machine.Unit) bool { return w.Name == u.Name }) {
			names = append(names, u.Name)
		}
	}
	return names
}

// judgeNextStart returns the proof that the computer will not start again, if that is so.
func judgeNextStart(look Look) (p Proof, ok bool) {
	next, err := machine.ParseNextStart([]byte(look.Stdout))
	if !look.Ran || err != nil || next.Worst() != machine.BootRed {
		return p, false
	}
	var found []string
	for _, f := range next.Findings {
		if f.Weight == machine.BootRed {
			found = append(found, machine.CleanLine(strings.TrimSpace(string(f.Code)+" "+f.Subject)))
		}
	}
	return Proof{Outcome: Failed, Code: NoNextStart, Subject: "boot", Check: "blunux-ai boot", State: list(found)}, true
}

// judgeCurrent judges whether all packages are current: pacman -Qu lists what is left of the repositories, and exits with 1 if that
// is nothing.
func judgeCurrent(after []Look) Proof {
	p := Proof{Outcome: Unproved, Code: NoLook, Check: "pacman -Qu"}
	if len(after) == 0 || !after[0].Ran || after[0].Stdout == "" && strings.TrimSpace(after[0].Stderr) != "" {
		return p
	}
	rows, err := machine.ParseUpdates([]byte(after[0].Stdout))
	if err != nil || (after[0].Exit == 0) != (len(rows) > 0) {
		return p
	}
	var left, ignored []string
	for _, u := range rows {
		row := u.Name + " " + u.From + " -> " + u.To
		if u.Ignored {
			ignored = append(ignored, row)
		} else {
			left = append(left, row)
		}
	}
	switch {
	case len(left) > 0:
		p.Outcome, p.Code, p.State = Failed, NotCurrent, list(left)
	case len(ignored) > 0:
		p.Outcome, p.Code, p.State = Done, CurrentIgnored, list(ignored)
	default:
		p.Outcome, p.Code = Done, Current
	}
	return p
}
