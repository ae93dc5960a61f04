package tools

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// maxParts is the number of reasons from which on a verdict can be incomplete.
const maxParts = 16

// personReasons are reasons that only a person can decide about.
var personReasons = slices.Concat(action.PersonReasons, []string{action.ReasonForeign, ReasonUserRule, ReasonUnnamedHost}, strings.Fields(`
	secret-file environment assignment substitution interpreter function directory background
	network-condition network-operand unknown-command unproven-operand too-many-wrappers too-long control-character
	unparsed unprintable unstable-print`))

// needsPerson reports whether a person must see a plan regardless of its programs and paths, for example because
// it has a warning.
func (j JudgedPlan) needsPerson() bool {
	return j.Class != safety.Confirm || j.isUnparsed || j.Plan.Action != nil || len(j.Warnings) > 0 || len(j.Parts) >= maxParts ||
		slices.ContainsFunc(j.Parts, func(r safety.Reason) bool { return slices.Contains(personReasons, r.Code) }) ||
		slices.ContainsFunc(j.Reasons, func(code string) bool { return slices.Contains(personReasons, code) })
}

// grantablePrograms are the programs that can be allowed for a session: they start no other program and read no script,
// so the same words do the same thing each time.
var grantablePrograms = strings.Fields(`
	touch mkdir rmdir cp mv rm ln chmod chown chgrp truncate tee mkfifo mktemp sync gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd
	: true false cd pwd echo printf test [ cat ls stat wc head tail cut tr grep basename dirname readlink realpath date sleep du df
	kill pkill killall renice notify-send dunstctl makoctl trash-put
	brightnessctl light xbacklight pactl pamixer amixer wpctl playerctl rfkill bluetoothctl nmcli powerprofilesctl
	setxkbmap xrandr wlr-randr kscreen-doctor xset gsettings dconf kwriteconfig5 kwriteconfig6 timedatectl localectl hostnamectl fcitx5-remote`)

// ungrantableReasons are reasons that a person must see each time.
var ungrantableReasons = slices.Concat(action.PersonReasons, strings.Fields(`
	interpreter wrapper script path-program unknown-command function too-long sudo substitution assignment background
	data-loss`))

// IsGrantable reports whether a plan can be allowed for a whole session: it gains no rights, and all its programs
// are known to do the same thing every time. A grant must not cover sudo, shells, interpreters or wrappers.
func (j JudgedPlan) IsGrantable() bool {
	if j.Plan.Typed != nil || j.Privileged || j.isUnparsed || j.isVague || len(j.Files) > 0 || len(j.Uncovered) > 0 {
		return false
	}
	return !slices.ContainsFunc(j.Reasons, func(code string) bool { return slices.Contains(ungrantableReasons, code) }) &&
		!slices.ContainsFunc(j.Programs, func(p string) bool { return !slices.Contains(grantablePrograms, p) })
}
