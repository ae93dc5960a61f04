package plan

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/machine"
)

// desktopSettings are those of the screen, notifications and power.
func desktopSettings() []setting {
	gsettings := func(path string) string { return "gsettings set " + path + " VALUE" }
	trueFalse := spelled("on=true", "off=false")
	return []setting{
		// brightnessctl(1), "set", "-m".
		{
			verb: "setting", name: "brightness", personal: true, value: brightnessValue, same: sameVolume,
			setters: []setter{{
				forms: []form{{words: "brightnessctl set|s VALUE"}},
				look:  fixed(machine.BrightnessProbe), read: reads(machine.ParseBrightness, volumeText),
			}},
		},
		// powerprofilesctl(1), "set", "get".
		{
			verb: "setting", name: "power-profile", value: oneOf("performance", "balanced", "power-saver"),
			setters: []setter{{
				forms: []form{{words: "powerprofilesctl set VALUE"}},
				look:  fixed(machine.PowerProfileProbe), read: reads(machine.ParsePowerProfile, itself),
			}},
		},
		// GNOME: gsettings-desktop-schemas, org.gnome.settings-daemon.plugins.color. KWin: src/plugins/nightlight/nightlightsettings.kcfg.
		{
			verb: "setting", name: "night-light", personal: true, value: onOff,
			setters: []setter{{
				forms: []form{{words: gsettings("org.gnome.settings-daemon.plugins.color night-light-enabled")}}, spell: trueFalse,
				look: fixed(machine.NightLightProbe), read: reads(machine.ParseTrueFalse, switchText),
			}, {
				forms: []form{{words: "kwriteconfig6 --notify --file kwinrc --group NightColor --key Active VALUE"}}, spell: trueFalse,
				look: fixed(machine.NightColorProbe), read: reads(machine.ParseTrueFalse, switchText),
			}},
		},
		// gsettings-desktop-schemas, org.gnome.desktop.notifications.
		{
			verb: "setting", name: "notifications", personal: true, value: onOff,
			setters: []setter{{
				forms: []form{{words: gsettings("org.gnome.desktop.notifications show-banners")}}, spell: trueFalse,
				look: fixed(machine.BannersProbe), read: reads(machine.ParseTrueFalse, switchText),
			}},
		},
	}
}

// brightnessValue returns a brightness in percent. Steps up and down are not recognised.
func brightnessValue(text string) (string, bool) {
	value, ok := volumeValue(text)
	percent := percentOf(value)
	return value, ok && percent >= 0 && percent <= 100
}

// opening begins a command that starts a program as a transient unit: systemd-run(1).
var opening = strings.Fields("systemd-run --user --collect -p ExitType=cgroup --")

// leaving are the commands that ask for the end of the session or the computer's run, which nothing can look at afterwards.
var leaving = []string{
	"systemctl suspend", "systemctl hibernate", "systemctl poweroff", "qdbus6 org.kde.Shutdown /Shutdown logout",
	"gnome-session-quit --logout --no-prompt", "swaymsg exit", "hyprctl dispatch exit", "xfce4-session-logout --logout",
}

// recognizeDesktop returns the verb of a command that opens a program, prints a file, or leaves the session.
func recognizeDesktop(words []string, elevated bool) (Verb, bool) {
	n := len(opening)
	switch {
	case elevated:
	case len(words) > n && slices.Equal(words[:n], opening):
		return Verb{Action: Open, Targets: words[n:]}, true
	case len(words) == 3 && programOf(words[0]) == "lp" && words[1] == "--": // lp(1)
		return Verb{Action: Print, Targets: words[2:]}, true
	case slices.Contains(leaving, strings.Join(words, " ")),
		len(words) == 3 && words[0] == "loginctl" && words[1] == "terminate-session":
		return Verb{Action: Leave}, true
	}
	return Verb{}, false
}

// desktopLook is the look before and after a program is opened or a file is printed.
func (v Verb) desktopLook() []string {
	if v.Action == Print {
		return machine.AllPrintJobsProbe
	}
	return machine.RunningUserServicesProbe
}

// judgeDesktop judges what [recognizeDesktop] recognises: a unit or a print job proves it that was not there before. A program
// that ended at once may have failed, or have passed its work to one that ran already.
func (v Verb) judgeDesktop(before, after []Look) []Proof {
	if v.Action == Leave {
		return []Proof{{Outcome: Unproved, Code: Accepted}}
	}
	p := Proof{Subject: strings.Join(v.Targets, " "), Outcome: Unproved, Code: NoLook, Check: strings.Join(v.desktopLook(), " ")}
	was, known := v.namesOf(before)
	is, now := v.namesOf(after)
	if !known || !now {
		return []Proof{p}
	}
	p.Code = NotSeen
	for _, name := range is {
		if !slices.Contains(was, name) {
			p.Outcome, p.Code, p.State = Done, Opened, name
			if v.Action == Print {
				p.Code = Queued
			}
		}
	}
	return []Proof{p}
}

// namesOf returns the print jobs, or the transient units of the opened program, that a look shows.
func (v Verb) namesOf(looks []Look) (names []string, known bool) {
	if len(looks) != 1 || !looks[0].Ran || looks[0].Exit != 0 {
		return nil, false
	}
	if v.Action == Print {
		for _, line := range machine.Lines(looks[0].Stdout) {
			names = append(names, strings.Fields(line)[0])
		}
		return names, true
	}
	units, err := machine.ParseUnits([]byte(looks[0].Stdout))
	for _, u := range units {
		if v.isDescription(u.Description) {
			names = append(names, u.Name)
		}
	}
	return names, err == nil
}

// isDescription reports whether a transient unit's description is of the opened command: the path of its program, and the
// same other words. systemd-run(1) describes a unit by its command line; how it quotes words depends on the version.
func (v Verb) isDescription(text string) bool {
	text = strings.TrimPrefix(text, "[systemd-run] ")
	program, arguments, _ := strings.Cut(text, " ")
	got, wanted := unquoted(arguments), unquoted(strings.Join(v.Targets[1:], " "))
	head, tail, home := strings.Cut(wanted, "~") // the shell replaced it
	same := got == wanted || home && len(got) > len(wanted) && strings.HasPrefix(got, head) && strings.HasSuffix(got, tail)
	return same && path.Base(program) == path.Base(v.Targets[0])
}

// unquoted returns a text without blanks and without what quotes words.
func unquoted(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("\"'\\$", r) {
			return -1
		}
		return r
	}, text)
}
