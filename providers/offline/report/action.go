package report

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
)

// action describes a command that changes something and its result. figure has one group for each argument of done.
type action struct {
	command         string // prefix of the command after sudo and its options
	ends            string // suffix of the command
	done            i18n.Text
	doneWith        func(figures []string) i18n.Text // replaces done if the text includes the figures
	figure          string
	fromCmd         bool // figure is matched against the command, not the output
	failed          string
	unchanged       i18n.Text
	unchangedOutput string // output if there was nothing to do
}

// actions are the commands that chains propose and that people request, in matching order.
var actions = []action{
	{command: "paccache -r", doneWith: func(f []string) i18n.Text { return i18n.HelperActionPruned(f[0], f[1]) }, figure: `finished: (\d+) packages? removed \(disk space saved: ([\d.]+ \w+)\)`, unchanged: i18n.HelperActionPrunedNone, unchangedOutput: "no candidate packages"},
	{command: "gio trash --empty", done: i18n.HelperActionTrashEmptied},
	{command: "nmcli radio wifi on", done: i18n.HelperActionWifiOn},
	{command: "nmcli radio wifi off", done: i18n.HelperActionWifiOff},
	{command: "nmcli connection up", done: i18n.HelperActionConnected, failed: "error:"},
	{command: "nmcli device connect", done: i18n.HelperActionConnected, failed: "error:"},
	{command: "nmcli connection down", done: i18n.HelperActionDisconnected, failed: "error:"},
	{command: "nmcli device set", done: i18n.HelperActionHandedOver},
	{command: "rfkill unblock", done: i18n.HelperActionUnblocked},
	{command: "rfkill block", done: i18n.HelperActionBlockedRadio},
	{command: "systemctl reboot", done: i18n.HelperActionRebooting},
	{command: "reboot", done: i18n.HelperActionRebooting},
	{command: "timedatectl set-ntp true", done: i18n.HelperActionNtpOn},
	{command: "timedatectl set-ntp false", done: i18n.HelperActionNtpOff},
	{command: "timedatectl set-timezone", doneWith: single(i18n.HelperActionZoneSet), figure: `set-timezone (\S+)`, fromCmd: true},
	{command: "timedatectl set-local-rtc", done: i18n.HelperActionRtcSet},
	{command: "hwclock --systohc", done: i18n.HelperActionRtcWritten},
	{command: "localectl set-locale", done: i18n.HelperActionLocaleSet},
	{command: "wpctl set-mute", done: i18n.HelperActionUnmuted, figure: `set-mute \S+ 0$`, fromCmd: true},
	{command: "wpctl set-mute", done: i18n.HelperActionNowMuted, figure: `set-mute \S+ 1$`, fromCmd: true},
	{command: "wpctl set-volume", doneWith: single(i18n.HelperActionVolumeSet), figure: `set-volume \S+ (\d+%)$`, fromCmd: true},
	{command: "pactl set-sink-mute", done: i18n.HelperActionUnmuted, figure: `mute \S+ 0$`, fromCmd: true},
	{command: "pactl set-sink-mute", done: i18n.HelperActionNowMuted, figure: `mute \S+ 1$`, fromCmd: true},
	{command: "pactl set-sink-volume", doneWith: single(i18n.HelperActionVolumeSet), figure: `volume \S+ (\d+%)$`, fromCmd: true},
	{command: "brightnessctl set", doneWith: single(i18n.HelperActionBrightnessSet), figure: `set (\d+%)$`, fromCmd: true},
	{command: "systemd-run --user --collect -p ExitType=cgroup -- ", doneWith: single(i18n.HelperActionOpened), figure: `-- (\S+)`, fromCmd: true},
	{command: "wpctl set-default", done: i18n.HelperActionOutputSet},
	{command: "systemctl --user restart wireplumber", done: i18n.HelperActionSoundRestarted},
	{command: "systemctl unmask", doneWith: single(i18n.HelperActionUnmasked), figure: `unmask (\S+?)(?:\.service)?$`, fromCmd: true},
	{command: "systemctl disable", doneWith: single(i18n.HelperActionUnitDisabled), figure: `disable (\S+?)(?:\.service)?$`, fromCmd: true},
	{command: "bluetoothctl power on", done: i18n.HelperActionBluetoothOn, figure: `succeeded`, failed: "failed"},
	{command: "bluetoothctl connect", done: i18n.HelperActionConnected, figure: `Connection successful`, failed: "failed to connect", unchanged: i18n.HelperActionBluetoothNo, unchangedOutput: "Failed to connect"},
	{command: "udisksctl mount", doneWith: single(i18n.HelperActionMounted), figure: `Mounted \S+ at (.+?)\.?$`},
	{command: "ntfsfix -d", done: i18n.HelperActionUnmarked, figure: `processed successfully`},
	{command: "cupsaccept", done: i18n.HelperActionPrinterOpen},
	{command: "lpoptions -d", done: i18n.HelperActionPrinterDefault},
	{command: "fcitx5 -d", done: i18n.HelperActionInputStarted},
	{command: "powerprofilesctl set power-saver", done: i18n.HelperActionSaverOn},
	{command: "iw dev ", ends: " set power_save off", done: i18n.HelperActionSavingOff},
	{command: "kill ", done: i18n.HelperActionAskedToEnd, unchanged: i18n.HelperActionAlreadyEnded, unchangedOutput: "No such process"},
}

var (
	actionSudo   = pattern(`^sudo(?: -n)* +`)
	actionFreed  = pattern(`freed ([\d.]+[BKMGT]?) of archived journals`)
	actionInodes = pattern(`^(\d+)\s+(/.*)$`)
)

// actionText reports a change in one sentence. It returns "" for an unknown command, or if the output does not show
// the result.
func (r *result) actionText(s *providers.Step) string {
	plain := actionSudo().ReplaceAllString(strings.TrimSpace(s.Command), "")
	if text := r.refusedActionText(s, plain); text != "" {
		return text
	}
	switch {
	case strings.HasPrefix(plain, "journalctl --vacuum"):
		return r.vacuumText(s)
	case strings.HasPrefix(plain, "du -x --inodes"):
		return r.manyFiles(s)
	case strings.ContainsAny(plain, ";&|<>\n"):
		return ""
	}
	for _, d := range actions {
		if text := r.matchAction(d, s, plain); text != "" {
			return text
		}
	}
	return ""
}

// matchAction reports a command as action d. It returns "" if the command is not d or failed.
func (r *result) matchAction(d action, s *providers.Step, plain string) string {
	if !strings.HasPrefix(plain, d.command) || !strings.HasSuffix(plain, d.ends) {
		return ""
	}
	printed := s.Stdout + "\n" + s.Stderr
	switch {
	case d.unchangedOutput != "" && strings.Contains(printed, d.unchangedOutput):
		return r.say(d.unchanged)
	case s.Exit != 0, s.TimedOut, s.MissingProgram != "",
		d.failed != "" && strings.Contains(strings.ToLower(printed), d.failed),
		containsAny(strings.ToLower(s.Stderr), "error", "fail", "denied", "cannot", "invalid"):
		return ""
	}
	return r.actionResult(d, plain, printed)
}

// vacuumText adds up the space that the journals freed.
func (r *result) vacuumText(s *providers.Step) string {
	sum, seen := 0.0, false
	for _, m := range actionFreed().FindAllStringSubmatch(s.Stdout+"\n"+s.Stderr, -1) {
		if n, ok := machine.ParseSize(m[1]); ok {
			sum, seen = sum+n, true
		}
	}
	switch {
	case !seen || s.Exit != 0:
		return ""
	case sum == 0:
		return r.say(i18n.HelperActionVacuumedNone)
	}
	return r.say(i18n.HelperActionVacuumed(formatSize(sum)))
}

// manyFiles names the deepest folder that holds at least half of all inodes, or else the first below the root.
func (r *result) manyFiles(s *providers.Step) string {
	all, best, count := 0, "", ""
	for _, line := range machine.Lines(s.Stdout) {
		m := actionInodes().FindStringSubmatch(line)
		if m == nil {
			return ""
		}
		n, _ := strconv.Atoi(m[1])
		all = max(all, n)
		if m[2] != "/" && (best == "" || n*2 >= all && strings.HasPrefix(m[2], best+"/")) {
			best, count = m[2], groupDigits(n)
		}
	}
	return r.sayIf(best != "", i18n.HelperActionManyFiles(r.tilde(best), count))
}

// groupDigits formats a number with commas.
func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// actionResult reports the result of an action. It returns "" if the figure that proves it is missing.
func (r *result) actionResult(d action, plain, printed string) string {
	if d.fromCmd {
		printed = plain
	}
	m := regexp.MustCompile(`(?m)` + d.figure).FindStringSubmatch(printed)
	switch {
	case m == nil:
		return ""
	case d.doneWith == nil:
		return r.say(d.done)
	}
	return r.say(d.doneWith(each(m[1:], func(a string) string { return cutRunes(machine.CleanLine(a), 80) })))
}

// single makes a text of the first figure.
func single(text func(string) i18n.Text) func([]string) i18n.Text {
	return func(figures []string) i18n.Text { return text(figures[0]) }
}

// refusedActionText reports a change that was not allowed or whose program is missing, and how to do it by hand.
func (r *result) refusedActionText(s *providers.Step, plain string) string {
	if s.Exit == 0 || s.TimedOut {
		return ""
	}
	low, byHand := strings.ToLower(s.Stderr), "sudo "+plain
	switch {
	case missingUnderSudo(s.Stderr) != "":
		return r.say(i18n.HelperActionNoProgram(missingUnderSudo(s.Stderr)))
	case containsAny(low, "a password is required", "a terminal is required"):
		return r.say(i18n.HelperActionNeedsPassword(strings.ReplaceAll(byHand, "sudo -n ", "sudo ")))
	case containsAny(low, "interactive authentication required", "not authorized", "you cannot perform this operation unless you are root"):
		return r.say(i18n.HelperActionNotAuthorised(byHand))
	}
	return ""
}

// missingUnderSudo returns the program that sudo did not find.
func missingUnderSudo(stderr string) string {
	for _, line := range machine.Lines(stderr) {
		if name, found := strings.CutPrefix(line, "sudo: "); found && strings.HasSuffix(name, ": command not found") {
			return strings.TrimSuffix(name, ": command not found")
		}
	}
	return ""
}
