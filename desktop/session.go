package desktop

import (
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// managersProbe shows which package managers run: the computer must not go off under them.
var managersProbe = machine.Probe{"ps", "-C", "pacman,yay,paru,makepkg,packagekitd", "-o", "comm="}

// session locks, ends or interrupts the session, or the computer's run.
func session(w Wish, f *diagnose.Facts) Outcome {
	switch w.Act {
	case "lock":
		return lock(f)
	case "logout":
		return logout(f)
	case "cancel":
		return cancelShutdown(f)
	}
	if !f.Know(managersProbe, machine.NowProbe) {
		return Outcome{}
	}
	if f.Output(managersProbe).Stdout != "" && w.Amount == "" {
		return says(i18n.DeskSessionUpdating(strings.Join(strings.Fields(f.Output(managersProbe).Stdout), ", ")))
	}
	if w.Amount != "" && (w.Act == "suspend" || w.Act == "hibernate") {
		return w.sleepLater()
	}
	switch w.Act {
	case "suspend":
		return Outcome{}.with(diagnose.Run(i18n.DeskSuspend, "systemctl suspend", "", "", ""))
	case "hibernate":
		return Outcome{}.with(diagnose.Run(i18n.DeskHibernate, "systemctl hibernate", "", "", ""))
	}
	unsaved := says(i18n.DeskBootFine, i18n.DeskUnsaved)
	if !f.WillStart() {
		unsaved = says(i18n.DeskBootUnseen, i18n.DeskUnsaved)
	}
	for _, found := range diagnose.Reboot().Conclude(f) {
		if found.Certain && (found.Cause != "busy" || w.Amount == "") {
			o := Outcome{Says: []i18n.Text{found.Says}, Plan: found.Repair}
			if found.Advice != (i18n.Text{}) {
				o = o.and(found.Advice)
			}
			if w.Act == "reboot" || found.Cause == "busy" {
				return o
			}
			unsaved = Outcome{Says: append(o.Says, i18n.DeskUnsaved)} // off is the person's choice
			break
		}
	}
	if w.Amount != "" {
		return w.later(unsaved)
	}
	if w.Act == "reboot" {
		return unsaved.with(diagnose.Step{Step: plan.Step{Verb: "reboot"}, About: i18n.DeskReboot})
	}
	return unsaved.with(diagnose.Run(i18n.DeskShutdown, "systemctl poweroff", "", "", ""))
}

// later plans a shutdown or a restart: shutdown(8). The amount is minutes or a time such as 23:00.
func (w Wish) later(unsaved Outcome) Outcome {
	when, option, mode, about := w.Amount, "-h", "MODE=poweroff", i18n.DeskShutdownLater
	at := when
	if _, err := strconv.Atoi(when); err == nil {
		when, about = "+"+when, i18n.DeskShutdownIn
	}
	if w.Act == "reboot" {
		option, mode, about = "-r", "MODE=reboot", i18n.DeskRebootLater
		if when != at {
			about = i18n.DeskRebootIn
		}
	}
	return unsaved.with(diagnose.Run(about(at), "shutdown "+option+" "+when, machine.ScheduledShutdownProbe.String(), mode, "shutdown -c"))
}

// sleepTimer is the transient timer of a suspension that was asked for in advance.
const sleepTimer = "blunux-ai-sleep.timer"

// sleepProbe shows whether the timer is set.
var sleepProbe = machine.Probe{"systemctl", "--user", "is-active", sleepTimer}

// sleepLater plans to suspend or hibernate by a timer of the service manager (systemd-run(1)), which stop takes back.
func (w Wish) sleepLater() Outcome {
	when, about := "--on-calendar="+w.Amount, i18n.DeskSleepLater
	if _, err := strconv.Atoi(w.Amount); err == nil {
		when, about = "--on-active="+w.Amount+"m", i18n.DeskSleepIn
	}
	command := "systemd-run --user --unit=" + strings.TrimSuffix(sleepTimer, ".timer") + " " + when + " systemctl " + w.Act
	return Outcome{}.with(diagnose.Run(about(w.Amount), command, sleepProbe.String(), "active", "systemctl --user stop "+sleepTimer))
}

func cancelShutdown(f *diagnose.Facts) Outcome {
	if !f.Know(machine.ScheduledShutdownProbe, sleepProbe) {
		return Outcome{}
	}
	if strings.TrimSpace(f.Stdout(sleepProbe)) == "active" {
		return Outcome{}.with(diagnose.Run(i18n.DeskCancelSleep, "systemctl --user stop "+sleepTimer, "! "+sleepProbe.String(), "", ""))
	}
	s, err := machine.ParseScheduledShutdown([]byte(f.Stdout(machine.ScheduledShutdownProbe)))
	if err != nil {
		return says(i18n.DeskNoShutdown)
	}
	option := "-h "
	if s.Mode == "reboot" {
		option = "-r "
	}
	at := s.At.Local().Format("15:04")
	return says(i18n.DeskShutdownAt(at)).with(diagnose.Run(i18n.DeskCancelShutdown, "shutdown -c", "! "+machine.ScheduledShutdownProbe.String(), "", "shutdown "+option+at))
}

// lock locks the screen by the session manager, or by the desktop's own program.
func lock(f *diagnose.Facts) Outcome {
	if !f.Know(runsProbe, machine.SessionsProbe, machine.FileProbe("/usr/bin/swaylock"), machine.FileProbe("/usr/bin/hyprlock"), machine.FileProbe("/usr/bin/xflock4")) {
		return Outcome{}
	}
	has := func(program string) bool { return f.Stdout(machine.FileProbe("/usr/bin/"+program)) != "" }
	running := desktopOf(f)
	program := ""
	switch {
	case running == hyprland && has("hyprlock"):
		program = "hyprlock"
	case (running == sway || running == hyprland) && has("swaylock"):
		program = "swaylock"
	case running == sway:
		return missing("swaylock")
	case running == hyprland:
		return missing("hyprlock")
	case running == xfce && has("xflock4"):
		return Outcome{}.with(detached(i18n.DeskLock, "xflock4"))
	}
	if program != "" {
		locked := machine.Probe{"ps", "-C", program, "-o", "comm="}
		return Outcome{}.with(diagnose.Run(i18n.DeskLock, "systemd-run --user --collect -p ExitType=cgroup -- "+program, locked.String(), program, ""))
	}
	id := graphicalSession(f)
	if id == "" {
		return says(i18n.DeskNoSession)
	}
	look := ""
	if running == plasma || running == gnome {
		look = "loginctl show-session " + id + " -p LockedHint"
	}
	expect := ""
	if look != "" {
		expect = "LockedHint=yes"
	}
	return Outcome{}.with(diagnose.Run(i18n.DeskLock, "loginctl lock-session "+id, look, expect, ""))
}

// graphicalSession returns the session of the seat, "" if there is none: loginctl(1), "list-sessions".
func graphicalSession(f *diagnose.Facts) string {
	for _, row := range machine.Lines(f.Stdout(machine.SessionsProbe)) {
		if w := strings.Fields(row); len(w) > 3 && strings.HasPrefix(w[3], "seat") && strings.Trim(w[0], "0123456789c") == "" {
			return w[0]
		}
	}
	return ""
}

// logouts end the session of each desktop.
var logouts = map[string]string{
	plasma: "qdbus6 org.kde.Shutdown /Shutdown logout", gnome: "gnome-session-quit --logout --no-prompt", sway: "swaymsg exit",
	hyprland: "hyprctl dispatch exit", xfce: "xfce4-session-logout --logout",
}

func logout(f *diagnose.Facts) Outcome {
	if !f.Know(runsProbe, machine.SessionsProbe) {
		return Outcome{}
	}
	words := logouts[desktopOf(f)]
	if id := graphicalSession(f); words == "" && id != "" {
		words = "loginctl terminate-session " + id
	}
	if words == "" {
		return says(i18n.DeskNoSession)
	}
	return says(i18n.DeskUnsaved).with(diagnose.Run(i18n.DeskLogout, words, "", "", ""))
}

// profile shows or chooses the power profile: powerprofilesctl(1).
func profile(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.PowerProfileProbe) {
		return Outcome{}
	}
	if f.Output(machine.PowerProfileProbe).Missing != "" {
		return missing("powerprofilesctl")
	}
	now := strings.TrimSpace(f.Stdout(machine.PowerProfileProbe))
	if now == "" {
		return says(i18n.DeskProfileUnread)
	}
	out := says(i18n.DeskProfileIs(now))
	switch w.Act {
	case "show":
		return out
	case now:
		return out.and(i18n.DeskAlready)
	}
	return out.with(command(i18n.DeskProfileSet(w.Act), "powerprofilesctl", "set", w.Act))
}
