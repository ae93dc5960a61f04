package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Outcome is what a check shows about a change.
type Outcome string

// The outcomes.
const (
	Done     Outcome = "done"     // the check proves it
	Unproved Outcome = "unproved" // the check could not run, or says nothing
	Failed   Outcome = "failed"   // the check contradicts it
)

// Code names what a check shows.
type Code string

// The codes of [Done].
const (
	Installed       Code = "installed"
	Removed         Code = "removed"
	Current         Code = "current"
	CurrentIgnored  Code = "current_ignored" // but for packages that the configuration excludes
	Running         Code = "running"
	Stopped         Code = "stopped"
	Restarted       Code = "restarted"
	Reloaded        Code = "reloaded"
	Enabled         Code = "enabled"
	EnabledRunning  Code = "enabled_running"
	Disabled        Code = "disabled"
	DisabledStopped Code = "disabled_stopped"
	Masked          Code = "masked"
	MaskedStopped   Code = "masked_stopped"
	Unmasked        Code = "unmasked"
	Written         Code = "written"
	Deleted         Code = "deleted"
	Confirmed       Code = "confirmed" // the step's own check
	IsSet           Code = "is_set"
	Opened          Code = "opened"       // a program runs that was not there before
	Queued          Code = "queued"       // a print job
	OldServices     Code = "old_services" // services go on with what an upgrade replaced; a restart helps
	OldSession      Code = "old_session"  // the same, and only the session's or the computer's end helps
	Snapshots       Code = "snapshots"    // there is one from before an upgrade and one from after it
	NoSnapshot      Code = "no_snapshot"  // one of them could not be taken; the upgrade went on
)

// The codes of [Failed].
const (
	NotInstalled   Code = "not_installed"
	StillInstalled Code = "still_installed"
	NotCurrent     Code = "not_current"
	NotRunning     Code = "not_running"
	StillRunning   Code = "still_running"
	NotRestarted   Code = "not_restarted"
	NotEnabled     Code = "not_enabled"
	StillEnabled   Code = "still_enabled"
	NotMasked      Code = "not_masked"
	StillMasked    Code = "still_masked"
	NotWritten     Code = "not_written"
	NotDeleted     Code = "not_deleted"
	Denied         Code = "denied"    // by the step's own check
	WentBack       Code = "went_back" // nobody said in time that it stays
	NotSet         Code = "not_set"
	Inconsistent   Code = "inconsistent"  // packages do not fit together
	NewlyFailed    Code = "newly_failed"  // units that did not fail before
	NoNextStart    Code = "no_next_start" // the computer would not start again
	DamagedFiles   Code = "damaged_files" // files of changed packages are missing or have other contents
)

// The codes of [Unproved].
const (
	NoLook        Code = "no_look"        // the check could not run, or its output is not readable
	Silent        Code = "silent"         // it ran, and does not show whether the change is there
	Restarting    Code = "restarting"     // the computer restarts: nothing can look before it is back
	CommandFailed Code = "command_failed" // the command failed; the check shows what is there now
	NoCheck       Code = "no_check"       // nothing checks it
	NotSeen       Code = "not_seen"       // neither a new program nor a new print job is there
	Accepted      Code = "accepted"       // the request to leave was accepted: nothing can look afterwards
)

// Proof is what the check of a change shows about its subject.
type Proof struct {
	Action  Action
	Subject string // packages, a unit or a setting ([CutSetting]); "" for all packages
	User    bool   // it is a unit of the user manager
	Outcome Outcome
	Code    Code
	State   string // the current state, in the words of the program that shows it
	Wanted  string // of settings: the value that was to be set
	Check   string // the command that shows it, as a person would type it
}

// String describes the proof for a model.
func (p Proof) String() string {
	subject := strings.TrimSpace(string(p.Action) + " " + p.Subject)
	text := fmt.Sprintf("%s: %s", subject, p.Code)
	if p.State != "" {
		text += ": " + p.State
	}
	if p.Code == NotSet {
		text += ", not " + p.Wanted
	}
	return text
}

// maxListed bounds how many packages a proof names.
const maxListed = 8

// list joins names for a sentence, and counts those that do not fit.
func list(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s, … (+%d)", strings.Join(names[:maxListed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// aspects of a subject that an action decides about.
const (
	aspectPackage = 1 << iota
	aspectRun
	aspectBoot
	aspectMask
	aspectFile
	aspectOther
	aspectSetting
	aspectReboot
)

func (p Proof) aspects() int {
	switch p.Action {
	case Start, Stop, Restart, Reload:
		return aspectRun
	case Mask, Unmask:
		return aspectMask
	case Write, Delete:
		return aspectFile
	case Run:
		return aspectOther
	case Set:
		return aspectSetting
	case Reboot:
		return aspectReboot
	case Enable, Disable:
		if p.Code == EnabledRunning || p.Code == DisabledStopped {
			return aspectBoot | aspectRun
		}
		return aspectBoot
	}
	return aspectPackage
}

// Latest returns the proofs without those that a later change of the same subject has made obsolete.
func Latest(proofs []Proof) []Proof {
	var latest []Proof
	for i, p := range proofs {
		if !slices.ContainsFunc(proofs[i+1:], func(later Proof) bool { return later.supersedes(p) }) {
			latest = append(latest, p)
		}
	}
	return latest
}

func (p Proof) supersedes(earlier Proof) bool {
	return p.Subject == earlier.Subject && p.User == earlier.User && earlier.aspects()&^p.aspects() == 0
}
