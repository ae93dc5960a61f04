package plan

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/machine"
)

// The first alternatives of nmcli's words are used, the others are recognised: nmcli(1), "abbreviations".
const (
	nmConnection = "nmcli connection|conn|con|c "
	nmModify     = nmConnection + "modify|mod|m "
)

func always(string) bool { return true }

func isOff(value string) bool { return value == "off" }

// settings are the values that are recognised, checked and taken back. Each comment names where the output of the look
// is described.
var settings = []setting{
	// timedatectl(1), "set-timezone", "show"; org.freedesktop.timedate1(5), Timezone.
	{
		verb: "setting", name: "timezone", value: valueOf(isZone),
		setters: []setter{{
			forms: []form{{words: "timedatectl set-timezone VALUE"}}, options: []string{"--no-ask-password"}, root: true,
			look: fixed(machine.TimeZoneProbe), read: reads(machine.ParseTimeZone, itself),
		}},
	},
	// timedatectl(1), "set-ntp"; org.freedesktop.timedate1(5), NTP: whether a service for it is active. It is started
	// after the answer.
	{
		verb: "setting", name: "ntp", value: onOff, settle: time.Second,
		setters: []setter{{
			forms: []form{{words: "timedatectl set-ntp VALUE"}}, options: []string{"--no-ask-password"}, root: true,
			spell: spelled("on=true", "off=false"), look: fixed(machine.NTPProbe), read: reads(machine.ParseYesNo, switchText),
		}},
	},
	// hostnamectl(1), "hostname", "--static". The older form has all versions.
	{
		verb: "setting", name: "hostname", value: valueOf(isHostname),
		setters: []setter{{
			forms:   []form{{words: "hostnamectl set-hostname VALUE"}, {words: "hostnamectl hostname VALUE"}},
			options: []string{"--no-ask-password", "--static"}, root: true,
			look: fixed(machine.HostnameProbe), read: reads(machine.ParseHostname, itself),
		}},
	},
	// localectl(1), "status", "set-locale"; locale.conf(5).
	{
		verb: "setting", name: "locale", value: localeValue, same: sameLocale, back: localeBack,
		setters: []setter{{
			forms: []form{{words: "localectl set-locale VALUES"}}, options: []string{"--no-ask-password"}, root: true,
			look: fixed(machine.LocaleProbe), read: reads(machine.ParseSystemLocale, readLocale),
		}},
	},
	// xdg-mime(1), "default", "query default".
	{
		verb: "setting", name: "default-app", personal: true, isTarget: isMediaType, value: valueOf(isDesktopEntry),
		setters: []setter{{
			forms: []form{{words: "xdg-mime default VALUE TARGETS"}},
			look:  machine.DefaultApplicationProbe, read: reads(machine.ParseDesktopEntry, itself),
		}},
	},
	// xdg-settings(1), "set", "get".
	{
		verb: "setting", name: "browser", personal: true, value: valueOf(isDesktopEntry),
		setters: []setter{{
			forms: []form{{words: "xdg-settings set default-web-browser VALUE"}},
			look:  fixed(machine.DefaultBrowserProbe), read: reads(machine.ParseDesktopEntry, itself),
		}},
	},
	// loginctl(1), "enable-linger", "show-user"; org.freedesktop.login1(5), User.Linger.
	{
		verb: "setting", name: "linger", isTarget: isUser, value: onOff,
		setters: []setter{{
			forms:   []form{{"loginctl enable-linger TARGET", "on"}, {"loginctl disable-linger TARGET", "off"}},
			options: []string{"--no-ask-password"}, root: true,
			look: machine.LingerProbe, read: readLinger, shown: "loginctl show-user -p Linger TARGET",
		}},
	},
	// chown(1), chgrp(1), stat(1), "-c". chown also clears the bits that change the user or the group.
	{
		verb: "setting", name: "owner", isTarget: isPath, value: valueOf(isOwner), also: "mode",
		setters: []setter{{
			forms: []form{{words: "chown VALUE TARGET"}}, root: true,
			look: machine.OwnershipProbe, read: reads(machine.ParseOwnership, ownerOf), matches: hasOwner,
		}, {
			forms: []form{{words: "chgrp VALUE TARGET"}}, root: true, value: groupValue, spell: spellGroup,
			look: machine.OwnershipProbe, read: reads(machine.ParseOwnership, ownerOf), matches: hasOwner,
		}},
	},
	// chmod(1), stat(1), "-c". Symbolic modes are not recognised: they depend on the umask.
	{
		verb: "setting", name: "mode", isTarget: isPath, value: modeValue, back: exactMode,
		setters: []setter{{
			forms: []form{{words: "chmod VALUE TARGET"}}, root: true,
			look: machine.OwnershipProbe, read: reads(machine.ParseOwnership, modeOf), matches: hasMode,
		}},
	},
	// cupsenable(8), lpstat(1), "-p". A reason is for people.
	{
		verb: "setting", name: "printer", isTarget: isPrinter, value: oneOf("enabled enable on", "disabled disable off"),
		setters: []setter{{
			forms: []form{{"cupsenable TARGET", "enabled"}, {"cupsdisable TARGET", "disabled"}}, root: true,
			look: machine.PrinterProbe, read: readPrinter,
		}},
	},

	// nmcli(1), "networking".
	{
		verb: "network", name: "networking", value: onOff, cutsOff: isOff,
		setters: []setter{{
			forms: []form{{words: "nmcli networking|net|n VALUE"}},
			look:  fixed(machine.NetworkingProbe), read: reads(machine.ParseEnabled, switchText),
		}},
	},
	// nmcli(1), "radio"; rfkill(8), and sysfs-class-rfkill of the kernel's ABI.
	{
		verb: "network", name: "wifi", value: onOff, cutsOff: isOff,
		setters: []setter{{
			forms: []form{{words: "nmcli radio|rad|r wifi|w VALUE"}},
			look:  fixed(machine.WifiRadioProbe), read: reads(machine.ParseEnabled, switchText),
		}, rfkill("wifi|wlan", "wlan")},
	},
	// nmcli(1), "connection show", "up", "down"; "-t" for the escapes.
	{
		verb: "network", name: "profile", isTarget: isProfile, value: oneOf("up on", "down off"), cutsOff: always,
		setters: []setter{{
			forms: []form{
				{nmConnection + "up|u TARGET", "up"}, {nmConnection + "down|d TARGET", "down"},
				{nmConnection + "up|u id|uuid TARGET", "up"}, {nmConnection + "down|d id|uuid TARGET", "down"},
			},
			look: func(string) machine.Probe { return slices.Clone(machine.ActiveProfilesProbe) }, read: readProfile,
		}},
	},
	// nm-settings-nmcli(5), "ipv4.dns", "ipv4.ignore-auto-dns". A connection uses them when it is made the next time.
	{
		verb: "network", name: "dns", isTarget: isProfile, value: dnsValue(netip.Addr.Is4), same: sameDNS,
		resolve: resolveDNS, cutsOff: always, setters: dnsSetters("ipv4", netip.Addr.Is4),
	},
	{
		verb: "network", name: "dns6", isTarget: isProfile, value: dnsValue(netip.Addr.Is6), same: sameDNS,
		resolve: resolveDNS, cutsOff: always, setters: dnsSetters("ipv6", netip.Addr.Is6),
	},
	// nm-settings-nmcli(5), "connection.autoconnect".
	{
		verb: "network", name: "autoconnect", isTarget: isProfile, value: onOff,
		setters: []setter{{
			forms: []form{{words: nmModify + "TARGET connection.autoconnect VALUE"}, {words: nmModify + "id TARGET connection.autoconnect VALUE"}},
			spell: spelled("on=yes", "off=no"), look: machine.AutoconnectProbe, read: reads(machine.ParseYesNo, switchText),
		}},
	},

	// wpctl(1), "get-volume", "inspect"; pactl(1). The look of each program shows what the same program sets.
	{
		verb: "sound", name: "volume", personal: true, value: volumeValue, same: sameVolume, resolve: resolveVolume,
		setters: []setter{
			wireSetter("set-volume @DEFAULT_AUDIO_SINK@|@DEFAULT_SINK@ VALUE", machine.OutputVolumeProbe, wireVolume, nil, readWireVolume),
			pulseSetter("set-sink-volume @DEFAULT_SINK@ VALUE", machine.PulseOutputVolumeProbe, pulseVolume, spellPulse, readPulseVolume),
		},
	},
	{
		verb: "sound", name: "mute", personal: true, value: muteValue, resolve: resolveMute,
		setters: []setter{
			wireSetter("set-mute @DEFAULT_AUDIO_SINK@|@DEFAULT_SINK@ VALUE", machine.OutputVolumeProbe, nil, spellMute, readWireMute),
			pulseSetter("set-sink-mute @DEFAULT_SINK@ VALUE", machine.PulseOutputMuteProbe, nil, spellMute, readPulseMute),
		},
	},
	{
		verb: "sound", name: "output", personal: true, value: valueOf(isSoundNode),
		setters: []setter{
			nodeSetter(machine.OutputProbe), pulseSetter("set-default-sink VALUE", machine.PulseOutputProbe, pulseNode, pulseNode, readPulseName),
		},
	},
	{
		verb: "sound", name: "microphone-volume", personal: true, value: volumeValue, same: sameVolume, resolve: resolveVolume,
		setters: []setter{
			wireSetter("set-volume @DEFAULT_AUDIO_SOURCE@|@DEFAULT_SOURCE@ VALUE", machine.MicrophoneVolumeProbe, wireVolume, nil, readWireVolume),
			pulseSetter("set-source-volume @DEFAULT_SOURCE@ VALUE", machine.PulseMicrophoneVolumeProbe, pulseVolume, spellPulse, readPulseVolume),
		},
	},
	{
		verb: "sound", name: "microphone-mute", personal: true, value: muteValue, resolve: resolveMute,
		setters: []setter{
			wireSetter("set-mute @DEFAULT_AUDIO_SOURCE@|@DEFAULT_SOURCE@ VALUE", machine.MicrophoneVolumeProbe, nil, spellMute, readWireMute),
			pulseSetter("set-source-mute @DEFAULT_SOURCE@ VALUE", machine.PulseMicrophoneMuteProbe, nil, spellMute, readPulseMute),
		},
	},
	{
		verb: "sound", name: "microphone", personal: true, value: valueOf(isSoundNode),
		setters: []setter{pulseSetter("set-default-source VALUE", machine.PulseMicrophoneProbe, pulseNode, pulseNode, readPulseName)},
	},

	// bluetoothctl(1), "power", "show".
	{
		verb: "bluetooth", name: "bluetooth", value: onOff,
		setters: []setter{{
			forms: []form{{words: "bluetoothctl power VALUE"}}, look: fixed(machine.BluetoothProbe), read: readBluetooth,
		}},
	},
	// rfkill(8), and sysfs-class-rfkill of the kernel's ABI.
	{verb: "bluetooth", name: "bluetooth-radio", value: onOff, setters: []setter{rfkill("bluetooth", "bluetooth")}},

	// udisksctl(1), mount(8), umount(8); findmnt(8), "--json".
	{
		verb: "mount", name: "mount", isTarget: isPath, value: oneOf("mounted mount on", "unmounted unmount umount off"), back: mountBack,
		setters: []setter{{
			forms: []form{
				{"udisksctl mount -b|--block-device TARGET", "mounted"}, {"udisksctl unmount -b|--block-device TARGET", "unmounted"},
			},
			options: []string{"--no-user-interaction"}, isTarget: isDevice, look: lookAtMount, read: readMount,
		}, {
			forms: []form{{"mount TARGET", "mounted"}, {"umount TARGET", "unmounted"}}, root: true, look: lookAtMount, read: readMount,
		}},
	},
}

// rfkill returns the setter that blocks the radios of a kind by software.
func rfkill(words, kind string) setter {
	shown, _, _ := strings.Cut(words, "|")
	return setter{
		forms: []form{{"rfkill unblock " + words, "on"}, {"rfkill block " + words, "off"}},
		look:  fixed(machine.BlockedRadiosProbe), read: readRadio(kind), shown: "rfkill list " + shown,
	}
}

// dnsSetters are the setters of the name servers of a connection: alone, with those of the network, and without a change
// of whether those are used.
func dnsSetters(family string, isFamily func(netip.Addr) bool) []setter {
	servers, automatic := family+".dns VALUE", family+".ignore-auto-dns "
	value := dnsValue(isFamily)
	mode := func(ending string, lists ...string) setter {
		w := setter{
			look: func(profile string) machine.Probe { return machine.ProfileDNSProbe(profile, family) },
			read: reads(machine.ParseProfileDNS, dnsText),
			value: func(word string) (string, bool) {
				if word == "" {
					return cmp.Or(strings.TrimPrefix(ending, ","), dnsNone), true
				}
				list, ok := value(word)
				return list + ending, ok && list == strings.Join(addressesOf(list), ",")
			},
			spell: func(value string) (string, bool) {
				addresses := addressesOf(value)
				list := strings.Join(addresses, ",")
				if value == dnsNone {
					return "", ending == ""
				}
				return list, value == strings.TrimPrefix(list+ending, ",")
			},
		}
		for _, list := range lists {
			w.forms = append(w.forms, form{words: nmModify + "TARGET " + list}, form{words: nmModify + "id TARGET " + list})
		}
		return w
	}
	return []setter{
		mode("", servers+" "+automatic+"yes|true|on|1", automatic+"yes|true|on|1 "+servers),
		mode(","+dnsAuto, servers+" "+automatic+"no|false|off|0", automatic+"no|false|off|0 "+servers),
		mode(","+dnsKeep, servers),
	}
}

func wireSetter(words string, look machine.Probe, value, spell func(string) (string, bool), read func(Look, string) (string, bool)) setter {
	return setter{forms: []form{{words: "wpctl " + words}}, value: value, spell: spell, look: fixed(look), read: read}
}

func pulseSetter(words string, look machine.Probe, value, spell func(string) (string, bool), read func(Look, string) (string, bool)) setter {
	return setter{forms: []form{{words: "pactl " + words}}, value: value, spell: spell, look: fixed(look), read: read}
}

// nodeSetter chooses an output by its number, which wpctl has instead of names.
func nodeSetter(look machine.Probe) setter {
	w := wireSetter("set-default VALUE", look, valueOf(isNodeID), valueOf(isNodeID), reads(machine.ParseSoundNode, nodeName))
	w.matches = hasSoundNode
	return w
}
