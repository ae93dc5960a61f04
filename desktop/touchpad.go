package desktop

import (
	"strconv"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// touchpad switches the touchpad, or the direction in which it scrolls.
//
// Sources: gsettings-desktop-schemas, org.gnome.desktop.peripherals.touchpad; sway-input(5); Hyprland wiki, Variables, Touchpad.
func touchpad(w Wish, f *diagnose.Facts) Outcome {
	about := map[string]i18n.Text{
		"on": i18n.DeskTouchpadOn, "off": i18n.DeskTouchpadOff, "natural": i18n.DeskTouchpadNatural, "traditional": i18n.DeskTouchpadTraditional,
	}[w.Act]
	if !f.Know(runsProbe) {
		return Outcome{}
	}
	scrolls := w.Act == "natural" || w.Act == "traditional"
	switch running := desktopOf(f); {
	case running == plasma:
		return says(i18n.DeskTouchpadElsewhere).with(detached(i18n.DeskTouchpadSettings, "systemsettings kcm_touchpad"))
	case running == gnome && scrolls:
		return setKeys(f, about, "", touchpadKey("natural-scroll", strconv.FormatBool(w.Act == "natural"), "true"))
	case running == gnome:
		return setKeys(f, about, "", touchpadKey("send-events", map[string]string{"on": "enabled", "off": "disabled"}[w.Act], "enabled"))
	case running == sway && scrolls:
		return swayTouchpad(about, "natural_scroll", w.Act == "natural")
	case running == sway:
		return swayTouchpad(about, "events", w.Act == "on")
	case running == hyprland && scrolls:
		const name = "input:touchpad:natural_scroll"
		look := machine.Probe{"hyprctl", "getoption", name}
		yes, no := "hyprctl keyword "+name+" true", "hyprctl keyword "+name+" false"
		if w.Act == "natural" {
			return Outcome{}.with(diagnose.Run(about, yes, look.String(), "int: 1", no))
		}
		return Outcome{}.with(diagnose.Run(about, no, look.String(), "int: 0", yes))
	}
	return says(i18n.DeskTouchpadElsewhere)
}

func touchpadKey(name, want, usual string) key {
	const schema = "org.gnome.desktop.peripherals.touchpad"
	return key{look: machine.Probe{"gsettings", "get", schema, name}, set: "gsettings set " + schema + " " + name + " ", want: want, usual: usual}
}

// swayTouchpad sets a switch of Sway's touchpads.
func swayTouchpad(about i18n.Text, name string, on bool) Outcome {
	set := "swaymsg input type:touchpad " + name + " "
	shown := map[string]string{"events": "send_events", "natural_scroll": "natural_scroll"}[name]
	to, back := "disabled", "enabled"
	if on {
		to, back = back, to
	}
	return Outcome{}.with(diagnose.Run(about, set+to, machine.SwayInputsProbe.String(), `"`+shown+`": "`+to+`"`, set+back))
}
