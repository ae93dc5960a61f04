package desktop

import (
	"strconv"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// maxIdle bounds after how long without use the screen goes off, in minutes.
const maxIdle = 300

// powerNotice makes Plasma read its power settings again (powerdevil, daemon/org.kde.Solid.PowerManagement.xml).
const powerNotice = "dbus-send --session --type=method_call --dest=org.kde.Solid.PowerManagement /org/kde/Solid/PowerManagement " +
	"org.kde.Solid.PowerManagement.refreshStatus"

// idleKeys returns what a desktop keeps of after how many minutes the screen goes off, 0 for never; the first one is the time.
func idleKeys(running string, minutes int) (keys []key, notice string) {
	switch running {
	case plasma:
		for _, profile := range []string{"AC", "Battery"} {
			set := "kwriteconfig6 --file powerdevilrc --group " + profile + " --group Display --key "
			if minutes > 0 {
				const name, usual = "TurnOffDisplayIdleTimeoutSec", "600"
				keys = append(keys, key{look: machine.PlasmaPowerProbe(profile, name, usual), set: set + name + " ", want: strconv.Itoa(minutes * 60), usual: usual})
			}
			const name, usual = "TurnOffDisplayWhenIdle", "true"
			keys = append(keys, key{look: machine.PlasmaPowerProbe(profile, name, usual), set: set + name + " ", want: strconv.FormatBool(minutes > 0), usual: usual})
		}
		return keys, powerNotice
	case gnome:
		return []key{{look: machine.IdleDelayProbe, sort: "uint32 ", set: "gsettings set org.gnome.desktop.session idle-delay ", want: strconv.Itoa(minutes * 60), usual: "300"}}, ""
	case xfce:
		for _, name := range []string{"dpms-on-ac-off", "dpms-on-battery-off"} {
			look := machine.PowerXfceProbe(name)
			keys = append(keys, key{look: look, set: look.String() + " -n -t uint -s ", want: strconv.Itoa(minutes), usual: "10"})
		}
	}
	return keys, ""
}

// blank turns the screen off now, or says or sets after how long without use it goes off.
func blank(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(runsProbe) {
		return Outcome{}
	}
	running := desktopOf(f)
	if w.Act == "now" {
		return blankNow(running)
	}
	minutes, about := w.number(0), i18n.DeskBlankNever
	if w.Act != "never" {
		about = i18n.DeskBlankAfter(minutes)
	}
	keys, notice := idleKeys(running, max(minutes, 1))
	if w.Act == "never" {
		keys, notice = idleKeys(running, 0)
	}
	switch {
	case len(keys) == 0:
		return says(i18n.DeskBlankElsewhere)
	case w.Act == "show":
		return blanksAfter(f, running, keys)
	case w.Act == "after" && (minutes < 1 || minutes > maxIdle):
		return says(i18n.DeskBlankBounds(maxIdle))
	}
	return setKeys(f, about, notice, keys...)
}

// blanksAfter says after how long the screen goes off while the computer is not used.
func blanksAfter(f *diagnose.Facts, running string, keys []key) Outcome {
	for _, k := range keys {
		if !f.Know(k.look) {
			return Outcome{}
		}
	}
	if name := f.Output(keys[0].look).Missing; name != "" {
		return missing(name)
	}
	n, err := strconv.Atoi(keys[0].now(f))
	if running != xfce {
		n /= 60
	}
	if err != nil || n <= 0 || running == plasma && keys[1].now(f) == "false" {
		return says(i18n.DeskBlankIsNever)
	}
	return says(i18n.DeskBlankIsAfter(n))
}

// blankNow turns the screen off until a key is pressed. Where only a command turns it on again, it says so.
func blankNow(running string) Outcome {
	off := map[string]string{
		plasma: "kscreen-doctor --dpms off",
		gnome:  "dbus-send --session --type=method_call --dest=org.gnome.ScreenSaver /org/gnome/ScreenSaver org.gnome.ScreenSaver.SetActive boolean:true",
		xfce:   "xset dpms force off",
	}[running]
	if off == "" {
		return says(i18n.DeskBlankNoKey)
	}
	return Outcome{}.with(diagnose.Run(i18n.DeskBlankNow, off, "", "", "")) // nothing shows whether it is off
}
