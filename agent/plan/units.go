package plan

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// unitOptions are the options for which systemctl does what its verb says to the units that it names: systemctl(1).
var unitOptions = []string{"--user", "--system", "--now", "--no-ask-password", "--no-pager", "--quiet", "-q"}

var unitActions = []Action{Start, Stop, Restart, Reload, Enable, Disable, Mask, Unmask}

// recognizeUnits returns the verb of systemctl's words.
func recognizeUnits(words []string) (Verb, bool) {
	var v Verb
	var operands []string
	for i, word := range words {
		if word == "--" {
			operands = append(operands, words[i+1:]...)
			break
		}
		if !strings.HasPrefix(word, "-") {
			operands = append(operands, word)
			continue
		}
		if !slices.Contains(unitOptions, word) {
			return Verb{}, false
		}
		v.User, v.Now = v.User || word == "--user", v.Now || word == "--now"
	}
	if v.User && slices.Contains(words, "--system") || len(operands) < 2 || len(operands) > maxTargets {
		return Verb{}, false
	}
	v.Action = Action(operands[0])
	if !slices.Contains(unitActions, v.Action) || v.Now && !slices.Contains([]Action{Enable, Disable, Mask}, v.Action) {
		return Verb{}, false
	}
	for _, name := range operands[1:] {
		if !IsUnitName(name) {
			return Verb{}, false
		}
		if !slices.Contains(v.Targets, name) {
			v.Targets = append(v.Targets, name)
		}
	}
	return v, true
}

func (v Verb) show() []string { return machine.UnitsProbe(v.User, v.Targets...) }

// shownUnit is the look at one unit as a person would type it.
func (v Verb) shownUnit(name string) string {
	if v.User {
		return "systemctl --user show " + name
	}
	return "systemctl show " + name
}

// unit are the properties of a unit.
type unit map[string]string

// unitsOf returns the units of a look, none if it cannot be read.
func unitsOf(look Look) (units []unit) {
	if !look.Ran || look.Exit != 0 {
		return nil
	}
	rows, err := machine.ParseUnitProperties([]byte(look.Stdout))
	if err != nil {
		return nil
	}
	for _, row := range rows {
		units = append(units, row)
	}
	return units
}

// judgeUnits judges the change of each unit.
func (v Verb) judgeUnits(before, after []Look) []Proof {
	var was, is []unit
	if len(before) > 0 {
		was = unitsOf(before[0])
	}
	if len(after) > 0 {
		is = unitsOf(after[0])
	}
	proofs := make([]Proof, len(v.Targets))
	for i, name := range v.Targets {
		p := Proof{Subject: name, Outcome: Unproved, Code: NoLook, Check: v.shownUnit(name)}
		if len(is) == len(v.Targets) {
			earlier := unit(nil)
			if len(was) == len(v.Targets) {
				earlier = was[i]
			}
			p.Subject, p.State = is[i].name(name), v.stateOf(is[i])
			p.Outcome, p.Code = v.judgeUnit(earlier, is[i])
		}
		proofs[i] = p
	}
	return proofs
}

// changesFiles reports whether the verb changes when units are started.
func (v Verb) changesFiles() bool {
	return slices.Contains([]Action{Enable, Disable, Mask, Unmask}, v.Action)
}

// name returns the unit's name with its type.
func (u unit) name(asked string) string {
	if id := u["Id"]; IsUnitName(id) {
		return id
	}
	return asked
}

// stateOf returns the part of a unit's state that the verb decides about, in systemd's words.
func (v Verb) stateOf(u unit) string {
	var states []string
	if s := u["UnitFileState"]; s != "" && v.changesFiles() {
		states = append(states, s)
	}
	if v.Now || !v.changesFiles() {
		states = append(states, u.runState())
	}
	load := u["LoadState"]
	if load != "loaded" && !slices.ContainsFunc(states, func(s string) bool { return strings.HasPrefix(s, load) }) {
		states = append(states, load)
	}
	return strings.Join(states, ", ")
}

// runState returns whether a unit runs: "failed (exit-code)", "active (running)".
func (u unit) runState() string {
	var more []string
	if sub := u["SubState"]; sub != "" && sub != u["ActiveState"] {
		more = append(more, sub)
	}
	if result := u["Result"]; result != "" && result != "success" {
		more = append(more, result)
	}
	if len(more) == 0 {
		return u["ActiveState"]
	}
	return u["ActiveState"] + " (" + strings.Join(more, ", ") + ")"
}

// judgeUnit judges the change of one unit. was is nil if its state before is not known.
func (v Verb) judgeUnit(was, is unit) (Outcome, Code) {
	switch v.Action {
	case Start:
		return is.judgeRunning()
	case Restart:
		return is.judgeRestarted(was)
	case Reload:
		return is.judgeReloaded(was)
	case Stop:
		return is.judgeStopped()
	case Enable:
		outcome, code := is.judgeEnabled()
		if v.Now && outcome == Done {
			if outcome, code = is.judgeRunning(); outcome == Done {
				code = EnabledRunning
			}
		}
		return outcome, code
	case Disable:
		outcome, code := is.judgeDisabled()
		return v.andStopped(is, outcome, code, DisabledStopped)
	case Mask:
		if !is.isMasked() {
			return Failed, NotMasked
		}
		return v.andStopped(is, Done, Masked, MaskedStopped)
	default:
		if is.isMasked() {
			return Failed, StillMasked
		}
		return Done, Unmasked
	}
}

// andStopped judges whether a unit is also stopped, if the verb stops it.
func (v Verb) andStopped(is unit, outcome Outcome, code, both Code) (Outcome, Code) {
	if !v.Now || outcome != Done {
		return outcome, code
	}
	if outcome, code = is.judgeStopped(); outcome == Done {
		code = both
	}
	return outcome, code
}

// judgeRunning judges whether a unit is active. A oneshot service is inactive after it has done its work, and systemd
// forgets whether it has.
func (u unit) judgeRunning() (Outcome, Code) {
	switch u["ActiveState"] {
	case "active", "reloading", "refreshing":
		return Done, Running
	case "inactive":
		if u["Type"] == "oneshot" && u["Result"] == "success" && u["LoadState"] == "loaded" {
			return Unproved, Silent
		}
		return Failed, NotRunning
	case "failed", "deactivating", "maintenance":
		return Failed, NotRunning
	case "activating":
		if u["SubState"] == "auto-restart" || u["SubState"] == "auto-restart-queued" {
			return Failed, NotRunning
		}
	}
	return Unproved, Silent
}

// differs reports whether a property differs from the one before. known is false if either is not known.
func (u unit) differs(was unit, property string) (differs, known bool) {
	return u[property] != was[property], u[property] != "" && was[property] != ""
}

// judgeRestarted judges whether a unit is active, and became so after the look before. A reload does not count as that.
func (u unit) judgeRestarted(was unit) (Outcome, Code) {
	outcome, code := u.judgeRunning()
	differs, known := u.differs(was, "ActiveEnterTimestampMonotonic")
	switch {
	case outcome != Done:
		return outcome, code
	case !known:
		return Unproved, Silent
	case !differs:
		return Failed, NotRestarted
	}
	return Done, Restarted
}

// judgeReloaded judges whether a running unit was in the state reloading since before: its state has changed, but not its
// invocation. Mounts and some others are reloaded without a change of their state.
func (u unit) judgeReloaded(was unit) (Outcome, Code) {
	outcome, code := u.judgeRunning()
	if outcome != Done {
		return outcome, code
	}
	if differs, known := u.differs(was, "StateChangeTimestampMonotonic"); !differs || !known {
		return Unproved, Silent
	}
	return Done, Reloaded
}

// judgeStopped judges whether nothing of a unit runs. A unit that failed does not run either.
func (u unit) judgeStopped() (Outcome, Code) {
	switch u["ActiveState"] {
	case "inactive", "failed":
		return Done, Stopped
	case "active", "reloading", "refreshing", "activating":
		return Failed, StillRunning
	}
	return Unproved, Silent
}

// judgeEnabled judges a unit file's state: systemctl(1), "is-enabled".
func (u unit) judgeEnabled() (Outcome, Code) {
	switch state := u["UnitFileState"]; state {
	case "enabled", "enabled-runtime":
		return Done, Enabled
	case "disabled", "static", "masked", "masked-runtime", "linked", "linked-runtime", "bad":
		return Failed, NotEnabled
	default: // alias, indirect, generated, transient: others decide
		if state == "" && u["LoadState"] != "loaded" {
			return Failed, NotEnabled
		}
		return Unproved, Silent
	}
}

func (u unit) judgeDisabled() (Outcome, Code) {
	switch u["UnitFileState"] {
	case "disabled":
		return Done, Disabled
	case "enabled", "enabled-runtime":
		return Failed, StillEnabled
	}
	return Unproved, Silent
}

func (u unit) isMasked() bool {
	return u["UnitFileState"] == "masked" || u["UnitFileState"] == "masked-runtime" || u["LoadState"] == "masked"
}
