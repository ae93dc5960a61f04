package plan

import "github.com/nidoit/blunux-ai/machine"

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
