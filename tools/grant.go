package tools

import "slices"

// grantablePrograms are the programs that can be allowed for a session: they start no other program and read no script,
// so the same words do the same thing each time.
var grantablePrograms = set(`
	touch mkdir rmdir cp mv rm ln chmod chown chgrp truncate tee mkfifo mktemp sync gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd
	: true false cd pwd echo printf test [ cat ls stat wc head tail cut tr grep basename dirname readlink realpath date sleep du df
	kill pkill killall renice notify-send dunstctl makoctl trash-put
	brightnessctl light xbacklight pactl pamixer amixer wpctl playerctl rfkill bluetoothctl nmcli powerprofilesctl
	setxkbmap xrandr wlr-randr kscreen-doctor xset gsettings dconf kwriteconfig5 kwriteconfig6 timedatectl localectl hostnamectl fcitx5-remote`)

// ungrantableReasons are reasons that a person must see each time.
var ungrantableReasons = set(ReasonUntrustedNote + ` ` + ReasonForgetNote + ` ` + ReasonRewriteNote + ` ` + ReasonNewAutomation + ` ` + ReasonChangeAutomation + ` ` +
	ReasonPauseAutomation + ` ` + ReasonRemoveAutomation + ` ` + ReasonSendFile + `
	interpreter wrapper script path-program unknown-command function too-long sudo substitution assignment background data-loss`)

// IsGrantable reports whether a plan can be allowed for a whole session: it gains no rights, and all its programs
// are known to do the same thing every time. A grant must not cover sudo, shells, interpreters or wrappers.
func (j JudgedPlan) IsGrantable() bool {
	if j.Privileged || j.isUnparsed || j.isVague || len(j.Files) > 0 || len(j.Uncovered) > 0 {
		return false
	}
	return !slices.ContainsFunc(j.Reasons, func(code string) bool { return ungrantableReasons[code] }) &&
		!slices.ContainsFunc(j.Programs, func(p string) bool { return !grantablePrograms[p] })
}
