package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

func everything(string) bool { return true }

func TestSettingsAreRecognized(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"timedatectl set-timezone Asia/Seoul":                                            "timezone [] Asia/Seoul",
		"sudo timedatectl --no-ask-password set-timezone Etc/GMT+9":                      "timezone [] Etc/GMT+9",
		"pkexec timedatectl set-ntp yes":                                                 "ntp [] on",
		"sudo hostnamectl set-hostname seoul":                                            "hostname [] seoul",
		"run0 hostnamectl hostname --static seoul.example":                               "hostname [] seoul.example",
		"localectl set-locale ko_KR.UTF-8":                                               "locale [] LANG=ko_KR.UTF-8",
		"localectl set-locale LC_TIME=C LANG=ko_KR.utf8":                                 "locale [] LANG=ko_KR.utf8 LC_TIME=C",
		"xdg-mime default firefox.desktop x-scheme-handler/http x-scheme-handler/ftp":    "default-app [x-scheme-handler/http x-scheme-handler/ftp] firefox.desktop",
		"xdg-settings set default-web-browser firefox.desktop":                           "browser [] firefox.desktop",
		"sudo loginctl enable-linger kim":                                                "linger [kim] on",
		"loginctl disable-linger kim":                                                    "linger [kim] off",
		"sudo chown mysql:mysql /var/lib/mysql":                                          "owner [/var/lib/mysql] mysql:mysql",
		"sudo chown 999 '/srv/my data'":                                                  "owner [/srv/my data] 999",
		"sudo chgrp wheel /srv":                                                          "owner [/srv] :wheel",
		"chmod 0600 /home/kim/key":                                                       "mode [/home/kim/key] 600",
		"chmod 00755 /srv":                                                               "mode [/srv] 00755",
		"chmod 000 /srv":                                                                 "mode [/srv] 0",
		"sudo cupsenable HP_LaserJet":                                                    "printer [HP_LaserJet] enabled",
		"cupsdisable HP_LaserJet":                                                        "printer [HP_LaserJet] disabled",
		"nmcli networking off":                                                           "networking [] off",
		"nmcli r wifi on":                                                                "wifi [] on",
		"rfkill block wlan":                                                              "wifi [] off",
		"nmcli con up 'Home: WiFi 집'":                                                    "profile [Home: WiFi 집] up",
		"nmcli c down id Home":                                                           "profile [Home] down",
		"nmcli connection up uuid f87862d4-ed75-4dad-889c-f9694b50c7b6":                  "profile [f87862d4-ed75-4dad-889c-f9694b50c7b6] up",
		"nmcli con mod Home ipv4.dns '1.1.1.1 8.8.8.8' ipv4.ignore-auto-dns yes":         "dns [Home] 1.1.1.1,8.8.8.8",
		"nmcli con mod Home ipv4.ignore-auto-dns no ipv4.dns ''":                         "dns [Home] auto",
		"nmcli con mod Home ipv4.dns '' ipv4.ignore-auto-dns yes":                        "dns [Home] none",
		"nmcli con mod id Home ipv4.dns 9.9.9.9":                                         "dns [Home] 9.9.9.9,keep",
		"nmcli con mod Home ipv6.dns 2606:4700::1111":                                    "dns6 [Home] 2606:4700::1111,keep",
		"nmcli connection modify Home connection.autoconnect no":                         "autoconnect [Home] off",
		"wpctl set-volume @DEFAULT_AUDIO_SINK@ 0.4":                                      "volume [] 40%",
		"wpctl set-volume @DEFAULT_SINK@ 5%-":                                            "volume [] 5%-",
		"pactl set-sink-volume @DEFAULT_SINK@ +10%":                                      "volume [] 10%+",
		"pactl set-source-volume @DEFAULT_SOURCE@ 30%":                                   "microphone-volume [] 30%",
		"wpctl set-mute @DEFAULT_AUDIO_SINK@ toggle":                                     "mute [] toggle",
		"pactl set-source-mute @DEFAULT_SOURCE@ 1":                                       "microphone-mute [] on",
		"wpctl set-default 44":                                                           "output [] 44",
		"pactl set-default-sink alsa_output.pci-0000_00_1f.3.analog-stereo":              "output [] alsa_output.pci-0000_00_1f.3.analog-stereo",
		"pactl set-default-source mic":                                                   "microphone [] mic",
		"bluetoothctl power off":                                                         "bluetooth [] off",
		"rfkill unblock bluetooth":                                                       "bluetooth-radio [] on",
		"udisksctl mount -b /dev/sdb1":                                                   "mount [/dev/sdb1] mounted",
		"sudo umount /mnt/disk":                                                          "mount [/mnt/disk] unmounted",
		"/usr/bin/mount /boot":                                                           "mount [/boot] mounted",
		"brightnessctl set 40%":                                                          "brightness [] 40%",
		"powerprofilesctl set power-saver":                                               "power-profile [] power-saver",
		"gsettings set org.gnome.settings-daemon.plugins.color night-light-enabled true": "night-light [] on",
		"kwriteconfig6 --notify --file kwinrc --group NightColor --key Active false":     "night-light [] off",
		"gsettings set org.gnome.desktop.notifications show-banners false":               "notifications [] off",
	} {
		v := verbOf(t, command)
		require.Equal(t, Set, v.Action, command)
		require.Equal(t, want, fmt.Sprintf("%s %v %s", v.Setting, v.Targets, v.Value), command)
	}
	for _, command := range []string{"systemctl reboot", "sudo reboot", "systemctl --no-ask-password reboot", "shutdown -r now"} {
		require.Equal(t, Verb{Action: Reboot}, verbOf(t, command), command)
	}
}

func TestOtherCommandsAreNotSettings(t *testing.T) {
	t.Parallel()
	for command := range strings.Lines(`timedatectl
timedatectl set-timezone
timedatectl set-timezone UTC UTC
timedatectl set-timezone -- UTC
timedatectl set-timezone ../etc
timedatectl -H host set-timezone UTC
timedatectl --machine=box set-timezone UTC
timedatectl set-time 12:00
hostnamectl hostname
hostnamectl --pretty set-hostname x
hostnamectl set-hostname 'a b'
localectl set-locale
localectl set-locale PATH=x
localectl set-locale LANG=C LANG=C
localectl set-locale C ko_KR.UTF-8
xdg-mime default firefox.desktop
xdg-mime default firefox text/html
xdg-mime default /tmp/x.desktop text/html
sudo xdg-mime default firefox.desktop text/html
sudo wpctl set-mute @DEFAULT_AUDIO_SINK@ 1
loginctl enable-linger
chown -R me /srv
chown me /a /b
chown me ../a
chown me: /a
chown --reference=/b /a
chmod u+x /a
chmod -R 755 /a
chmod 999 /a
chmod 755 /a/../b
cupsdisable -c HP
nmcli connection up
nmcli connection up id
nmcli connection up Home ifname wlan0
nmcli con mod Home ipv4.dns example.org
nmcli con mod Home ipv4.dns 2606:4700::1111
nmcli con mod Home ipv4.dns auto
nmcli con mod Home +ipv4.dns 1.1.1.1
nmcli con mod Home ipv4.dns 1.1.1.1 ipv6.dns 2606:4700::1111
nmcli radio all off
rfkill block all
wpctl set-volume 46 40%
wpctl set-volume @DEFAULT_AUDIO_SINK@ 900%
wpctl set-volume -l 1.0 @DEFAULT_AUDIO_SINK@ 5%+
wpctl set-volume @DEFAULT_AUDIO_SINK@ -- 5%
pactl set-sink-volume @DEFAULT_SINK@ 65536
pactl set-sink-volume 0 40%
pactl -s other set-sink-mute @DEFAULT_SINK@ 1
pactl set-default-sink @NONE@
pactl set-default-sink 3
bluetoothctl power
bluetoothctl connect 00:11:22:33:44:55
mount -o remount,rw /
mount /dev/sdb1 /mnt
mount -a
umount -l /mnt
umount relative
udisksctl mount -b /mnt
udisksctl mount -b /dev/sdb1 -o rw
systemctl reboot --force
shutdown -r +5
./timedatectl set-timezone UTC
`) {
		argv, literal := shell.ParseLiteral(strings.TrimSpace(command))
		require.True(t, literal, command)
		v, ok := Recognize(argv)
		require.False(t, ok, "%s: %+v", command, v)
	}
}

// sample draws targets and values of a setter, and prints its look as its program does (recorded in machine/testdata).
type sample struct {
	name, program  string
	targets        []string
	values         []string                           // that it can be
	wanted         []string                           // that can be asked for, if others
	print          func(value, target string) Look    // nil: a line with the value
	after          func(wanted, before string) string // what the program makes of it; nil: the wanted value
	cannotGoBackTo func(value, target string) bool    // nil: every value
}

func oneLine(text string) Look { return printed(text+"\n", "", 0) }

func asLine(value, _ string) Look { return oneLine(value) }

// words prints "on" and "off" in a program's words.
func words(on, off string) func(string, string) Look {
	return func(value, _ string) Look {
		if value == "on" {
			return oneLine(on)
		}
		return oneLine(off)
	}
}

func printRadio(kind string) func(string, string) Look {
	return func(value, _ string) Look {
		soft := map[string]string{"on": "0", "off": "1"}[value]
		text := ""
		for i, k := range []string{"bluetooth", "wlan", "wwan"} {
			state := "0"
			if k == kind {
				state = soft
			}
			text += fmt.Sprintf("/sys/class/rfkill/rfkill%d/type:%s\n/sys/class/rfkill/rfkill%d/soft:%s\n/sys/class/rfkill/rfkill%d/hard:0\n", i, k, i, state, i)
		}
		return printed(text, "", 0)
	}
}

func printDNS(value, _ string) Look {
	servers, auto := strings.CutSuffix(value, "auto")
	flag := map[bool]string{true: "no", false: "yes"}[auto]
	return oneLine(strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(servers, "none"), ","), ":", `\:`) + "\n" + flag)
}

func printOwnership(owner, mode string) Look {
	user, group, _ := strings.Cut(owner, ":")
	id := func(name string) string {
		if _, err := strconv.Atoi(name); err == nil {
			return name
		}
		return fmt.Sprint(100 + len(name))
	}
	return oneLine(user + " " + group + " " + id(user) + " " + id(group) + " " + mode + " regular file")
}

func printVolume(program string) func(string, string) Look {
	return func(value, _ string) Look {
		n := percentOf(value)
		if program == "wpctl" {
			return oneLine(fmt.Sprintf("Volume: %d.%02d", n/100, n%100))
		}
		return oneLine(fmt.Sprintf("Volume: front-left: 1 / %3d%% / -23.88 dB,   front-right: 1 /   7%% / -23.88 dB\n        balance 0.00", n))
	}
}

func stepVolume(wanted, before string) string { v, _ := resolveVolume(wanted, before); return v }

func toggled(wanted, before string) string { v, _ := resolveMute(wanted, before); return v }

func printMount(value, target string) Look {
	if value == "unmounted" {
		return printed("", "", 1)
	}
	return oneLine(fmt.Sprintf(`{"filesystems": [{"target":%q, "source":"/dev/sdb1", "fstype":"ext4"}]}`, target))
}

func printPrinter(value, name string) Look {
	if value == "disabled" {
		return oneLine("printer " + name + " disabled since Sat Nov 21 09:10:00 2026 -\n\tpaper jam")
	}
	return oneLine("printer " + name + " is idle.  enabled since Sat Nov 21 09:10:00 2026")
}

// setLocale does what localectl does: it keeps what is not named, and drops what equals LANG.
func setLocale(wanted, before string) string {
	all := map[string]string{}
	for word := range strings.FieldsSeq(before + " " + wanted) {
		key, value, _ := strings.Cut(word, "=")
		all[key] = value
	}
	var out []string
	for key, value := range all {
		if key == "LANG" || value != all["LANG"] {
			out = append(out, key+"="+value)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func printLocale(value, _ string) Look {
	if value == "" {
		value = "(unset)"
	}
	return oneLine("System Locale: " + strings.ReplaceAll(value, " ", "\n               ") + "\n    VC Keymap: (unset)")
}

var (
	switches = []string{"on", "off"}
	profiles = []string{"Home", "Home: WiFi 집", "f87862d4-ed75-4dad-889c-f9694b50c7b6"}
	volumes  = []string{"0%", "1%", "40%", "99%", "150%"}
	steps    = []string{"40%", "5%+", "10%-", "+5%", "100%-", "0%"}
	nodes    = []string{"speaker", "alsa_output.pci-0000_00_1f.3.hdmi-stereo", "bluez_output.00_1B_66.1"}
	paths    = []string{"/srv/data", "/var/lib/my sql", "/집/$(x)", "/a'b"}
)

var samples = []sample{
	{name: "timezone", program: "timedatectl", values: []string{"UTC", "Asia/Seoul", "America/Argentina/Buenos_Aires", "Etc/GMT+9"}},
	{name: "ntp", program: "timedatectl", values: switches, print: words("yes", "no")},
	{name: "hostname", program: "hostnamectl", values: []string{"a", "seoul", "pc-1.example.org"}},
	{
		name: "locale", program: "localectl", values: []string{"", "LANG=ko_KR.UTF-8", "LANG=C.UTF-8 LC_TIME=en_GB.UTF-8", "LANG=de_DE.UTF-8 LANGUAGE=de:en"},
		wanted: []string{"ko_KR.utf8", "LANG=en_US.UTF-8 LC_TIME=C", "LC_PAPER=ko_KR.UTF-8"}, print: printLocale, after: setLocale,
		cannotGoBackTo: func(v, _ string) bool { return v == "" },
	},
	{
		name: "default-app", program: "xdg-mime", targets: []string{"text/html", "x-scheme-handler/https", "image/svg+xml"},
		values: []string{"", "firefox.desktop", "org.kde.kate.desktop"}, wanted: []string{"firefox.desktop", "vim.desktop"}, print: printEntry,
		cannotGoBackTo: func(v, _ string) bool { return v == "" },
	},
	{
		name: "browser", program: "xdg-settings", values: []string{"", "firefox.desktop", "org.kde.falkon.desktop"}, wanted: []string{"firefox.desktop"},
		print: printEntry, cannotGoBackTo: func(v, _ string) bool { return v == "" },
	},
	{name: "linger", program: "loginctl", targets: []string{"kim", "_x-1"}, values: switches, print: func(value, _ string) Look {
		if value == "off" {
			return printed("", "Failed to get user: User ID 1000 is not logged in or lingering\n", 1)
		}
		return oneLine("yes")
	}},
	{
		name: "owner", program: "chown", targets: paths, values: []string{"root:root", "mysql:mysql", "1234:100"},
		wanted: []string{"kim", "kim:users", ":wheel", "1000:1000"}, print: func(v, _ string) Look { return printOwnership(v, "644") }, after: setOwner,
	},
	{
		name: "owner", program: "chgrp", targets: paths, values: []string{"root:root", "root:wheel"}, wanted: []string{":users"},
		print: func(v, _ string) Look { return printOwnership(v, "644") }, after: setOwner,
		cannotGoBackTo: func(string, string) bool { return true }, // chown does
	},
	{
		name: "mode", program: "chmod", targets: paths, values: []string{"0", "644", "755", "4755", "1777"}, wanted: []string{"0600", "755", "00644", "0"},
		print: func(v, _ string) Look { return printOwnership("a:b", v) },
		after: func(wanted, _ string) string {
			return strings.TrimLeft(wanted[:len(wanted)-1], "0") + wanted[len(wanted)-1:]
		},
	},
	{name: "printer", program: "cupsdisable", targets: []string{"HP", "HP_LaserJet-2"}, values: []string{"enabled", "disabled"}, print: printPrinter},
	{name: "networking", program: "nmcli", values: switches, print: words("enabled", "disabled")},
	{name: "wifi", program: "nmcli", values: switches, print: words("enabled", "disabled")},
	{name: "wifi", program: "rfkill", values: switches, print: printRadio("wlan")},
	{name: "profile", program: "nmcli", targets: profiles, values: []string{"up", "down"}, print: func(value, target string) Look {
		other := "Wired connection 2:c998973a-c1a2-3308-93bc-3d36a6f3ef24:activating\n"
		if value == "down" {
			return printed(other, "", 0)
		}
		name, id := target, "92b5802c-08e3-4cb5-98aa-83d9ef9befcd"
		if len(target) == 36 {
			name, id = "x", target
		}
		return printed(other+strings.ReplaceAll(name, ":", `\:`)+":"+id+":activated\n", "", 0)
	}},
	{name: "dns", program: "nmcli", targets: profiles, values: []string{"auto", "none", "1.1.1.1", "1.1.1.1,8.8.8.8,auto"}, print: printDNS},
	{name: "dns6", program: "nmcli", targets: profiles, values: []string{"auto", "none", "2606:4700::1111", "2001:db8::1,auto"}, print: printDNS},
	{name: "autoconnect", program: "nmcli", targets: profiles, values: switches, print: words("yes", "no")},
	{name: "volume", program: "wpctl", values: volumes, wanted: steps, print: printVolume("wpctl"), after: stepVolume},
	{name: "volume", program: "pactl", values: volumes, wanted: steps, print: printVolume("pactl"), after: stepVolume},
	{name: "microphone-volume", program: "wpctl", values: volumes, wanted: steps, print: printVolume("wpctl"), after: stepVolume},
	{name: "microphone-volume", program: "pactl", values: volumes, wanted: steps, print: printVolume("pactl"), after: stepVolume},
	{name: "mute", program: "wpctl", values: switches, wanted: []string{"on", "off", "toggle"}, print: words("Volume: 0.45 [MUTED]", "Volume: 0.45"), after: toggled},
	{name: "mute", program: "pactl", values: switches, wanted: []string{"on", "off", "toggle"}, print: words("Mute: yes", "Mute: no"), after: toggled},
	{name: "microphone-mute", program: "wpctl", values: switches, wanted: []string{"on", "toggle"}, print: words("Volume: 1.00 [MUTED]", "Volume: 1.00"), after: toggled},
	{name: "microphone-mute", program: "pactl", values: switches, wanted: []string{"on", "toggle"}, print: words("Mute: yes", "Mute: no"), after: toggled},
	{
		name: "output", program: "wpctl", values: nodes, wanted: []string{"1", "2", "3"},
		print: func(value, _ string) Look {
			return oneLine(fmt.Sprintf("id %d, type PipeWire:Interface:Node\n  * media.class = \"Audio/Sink\"\n  * node.name = %q", slices.Index(nodes, value)+1, value))
		},
		after:          func(wanted, _ string) string { n, _ := strconv.Atoi(wanted); return nodes[n-1] },
		cannotGoBackTo: func(string, string) bool { return true }, // pactl does, by name
	},
	{name: "output", program: "pactl", values: nodes},
	{name: "microphone", program: "pactl", values: nodes},
	{name: "bluetooth", program: "bluetoothctl", values: switches, print: words("Controller 8C:8D:28:44:55:67 (public)\n\tPowered: yes\n", "Controller 8C:8D:28:44:55:67 (public)\n\tPowered: no\n")},
	{name: "brightness", program: "brightnessctl", values: []string{"5%", "40%", "100%"}, print: func(value, _ string) Look {
		return oneLine(fmt.Sprintf("intel_backlight,backlight,%d,%d%%,100", percentOf(value), percentOf(value)))
	}},
	{name: "power-profile", program: "powerprofilesctl", values: []string{"performance", "balanced", "power-saver"}},
	{name: "night-light", program: "gsettings", values: switches, print: words("true", "false")},
	{name: "night-light", program: "kwriteconfig6", values: switches, print: words("true", "false")},
	{name: "notifications", program: "gsettings", values: switches, print: words("true", "false")},
	{name: "bluetooth-radio", program: "rfkill", values: switches, print: printRadio("bluetooth")},
	{name: "mount", program: "udisksctl", targets: []string{"/dev/sdb1", "/dev/disk/by-uuid/1-2"}, values: []string{"mounted", "unmounted"}, print: printMount},
	{
		name: "mount", program: "mount", targets: []string{"/mnt/my disk", "/boot", "/run/media/kim/USB"}, values: []string{"mounted", "unmounted"}, print: printMount,
		cannotGoBackTo: func(v, target string) bool { return v == "mounted" && target == "/run/media/kim/USB" },
	},
}

func printEntry(value, _ string) Look {
	if value == "" {
		return printed("", "", 0)
	}
	return oneLine(value)
}

func setOwner(wanted, before string) string {
	user, group, _ := strings.Cut(wanted, ":")
	was, wasGroup, _ := strings.Cut(before, ":")
	if user == "" {
		user = was
	}
	if group == "" {
		group = wasGroup
	}
	return user + ":" + group
}

func (s sample) look(value, target string) Look {
	if s.print == nil {
		return asLine(value, target)
	}
	return s.print(value, target)
}

// installed are the programs of the sample.
func (s sample) installed(program string) bool {
	return program == s.program || s.program == "cupsdisable" && program == "cupsenable" || s.program == "mount" && program == "umount"
}

// step returns a step that sets one of the wanted values.
func (s sample) step(t *rapid.T) (step Step, target string) {
	wanted := s.wanted
	if wanted == nil {
		wanted = s.values
	}
	row, _ := findSetting(s.name)
	step = Step{Verb: row.verb, Args: map[string]string{"name": s.name, "value": rapid.SampledFrom(wanted).Draw(t, "wanted")}}
	if s.targets != nil {
		target = rapid.SampledFrom(s.targets).Draw(t, "target")
		step.Args["target"] = target
	}
	return step, target
}

func TestEverySetterHasASample(t *testing.T) {
	t.Parallel()
	for _, row := range settings() {
		for _, w := range row.setters {
			program, _, _ := strings.Cut(w.forms[len(w.forms)-1].words, " ")
			require.True(t, slices.ContainsFunc(samples, func(s sample) bool {
				return s.name == row.name && s.installed(program)
			}), "%s by %s", row.name, program)
		}
	}
}

// TestStepsBecomeCommandsThatAreRecognized: for each setting of a step, its command is recognised as the same change, with
// root's rights too unless it is the person's own, and its looks run without a question.
func TestStepsBecomeCommandsThatAreRecognized(t *testing.T) {
	t.Parallel()
	checker := safety.New(safety.Options{Home: "/home/kim", User: "kim", Dir: "/home/kim", EvalSymlinks: filepath.EvalSymlinks, Glob: filepath.Glob})
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(samples).Draw(t, "sample")
		step, target := s.step(t)
		command, err := step.Command(s.installed)
		require.NoError(t, err)
		require.True(t, s.installed(command.Argv[0]))
		got, ok := Recognize(command.Argv)
		require.True(t, ok, command.Argv)
		require.Equal(t, command.Verb, got)
		require.Equal(t, s.name, got.Setting)
		row, _ := findSetting(s.name)
		value, ok := row.value(step.Args["value"])
		require.True(t, ok)
		require.Equal(t, value, got.Value)
		require.Equal(t, []string{target}, got.subjects())
		_, elevated := Recognize(append([]string{"sudo", "-n"}, command.Argv...))
		require.Equal(t, !row.personal, elevated)
		require.False(t, command.Root && row.personal)
		parsed, literal := shell.ParseLiteral(shell.CommandLine(command.Argv))
		require.True(t, literal)
		require.Equal(t, command.Argv, parsed)
		for _, look := range got.Before() {
			v := checker.Judge(shell.CommandLine(look))
			require.Equal(t, safety.Safe, v.Class, "%q: %v", look, v.Reasons)
		}
	})
}

// TestSettingsGoForwardAndBack: a change is proved if its value shows and contradicted if the one before still does, and
// the step that takes its effect back leads to the value before.
func TestSettingsGoForwardAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(samples).Draw(t, "sample")
		step, target := s.step(t)
		before := rapid.SampledFrom(s.values).Draw(t, "before")
		command, err := step.Command(s.installed)
		require.NoError(t, err)
		v, was := command.Verb, []Look{s.look(before, target)}
		row, w, _ := v.row()
		read, ok := w.read(was[0], target)
		require.True(t, ok)
		require.Equal(t, before, read)

		value := v.Value
		if s.after != nil {
			value = s.after(value, before)
		}
		is := []Look{s.look(value, target)}
		proofs := v.Judge(was, is, 0)
		require.Len(t, proofs, 1)
		require.Equal(t, IsSet, proofs[0].Code, "%+v", proofs[0])
		require.Equal(t, nameOf(s.name, target), proofs[0].Subject)
		require.Equal(t, value, proofs[0].State)
		require.Equal(t, CommandFailed, v.Judge(was, is, 1)[0].Code)
		require.Equal(t, NoLook, v.Judge(was, []Look{{}}, 0)[0].Code)

		effects := v.Effects(was, is)
		if value == before {
			require.Empty(t, effects)
			return
		}
		require.Equal(t, []Effect{{Kind: KindSetting, Name: nameOf(s.name, target), Before: before, After: value}}, effects)
		same := w.matches != nil && w.matches(was[0], v.Value) || row.same != nil && row.same(before, value)
		if unchanged := v.Judge(was, was, 0)[0]; !same {
			require.Contains(t, []Code{NotSet, Silent}, unchanged.Code)
		}

		back, ok := restoreSetting(effects[0])
		if s.cannotGoBackTo != nil && s.cannotGoBackTo(before, target) {
			if ok {
				_, err = back.Command(s.installed)
				require.Error(t, err)
			}
			return
		}
		require.True(t, ok, "%+v", effects)
		command, err = back.Command(s.installed)
		require.NoError(t, err)
		value = command.Verb.Value
		if s.after != nil {
			value = s.after(value, effects[0].After)
		}
		require.Equal(t, before, value)
		require.Equal(t, IsSet, command.Verb.Judge(is, was, 0)[0].Code)
		if again := command.Verb.Effects(is, was); len(again) > 0 {
			require.Equal(t, before, again[0].After)
		}
	})
}

// TestWhatIsNoValueIsRefused: no words become options, further operands or control characters of a command.
func TestWhatIsNoValueIsRefused(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`-{1,2}[a-zA-Z=/]{0,9}`), rapid.StringMatching(`[ -~]{0,12}`), rapid.SampledFrom([]string{
		"a\nb", "a\x00", "\x1b[0m", "a b", "../x", "@DEFAULT_SINK@", "é", "on\n", "40%%", "1e9", "NaN", "0x1", "1.1.1.1%lo",
	}))
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SampledFrom(settings()).Draw(t, "row")
		target := ""
		if row.isTarget != nil {
			target = text.Draw(t, "target")
		}
		step := Step{Verb: row.verb, Args: map[string]string{"name": row.name, "target": target, "value": text.Draw(t, "value")}}
		command, err := step.Command(everything)
		if err != nil {
			return
		}
		operand := command.Argv[1:]
		for _, word := range operand {
			negative := row.verb == "sound" && strings.Trim(word, "-+0123456789%") == "" // pactl's step down
			require.False(t, strings.HasPrefix(word, "-") && word != "-b" && !negative, command.Argv)
			require.True(t, word == "" || isPlainText(strings.TrimLeft(word, "-"), 2000), "%q", command.Argv)
		}
	})
	for _, s := range []Step{
		{Verb: "setting", Args: map[string]string{"name": "volume", "value": "40%"}},
		{Verb: "setting", Args: map[string]string{"name": "timezone", "value": "UTC", "target": "x"}},
		{Verb: "setting", Args: map[string]string{"name": "linger", "value": "on"}},
		{Verb: "sound", Args: map[string]string{"name": "volume", "value": "loud"}},
		{Verb: "install", Args: map[string]string{"name": "vlc"}},
	} {
		_, err := s.Command(everything)
		require.Error(t, err, "%+v", s)
	}
}

// TestTheInstalledProgramSetsAValue: a step names no program.
func TestTheInstalledProgramSetsAValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		step, installed, want string
		root                  bool
	}{
		{"sound volume 40%", "wpctl pactl", "wpctl set-volume @DEFAULT_AUDIO_SINK@ 40%", false},
		{"sound volume 5%-", "pactl", "pactl set-sink-volume @DEFAULT_SINK@ -5%", false},
		{"sound volume 40%", "", "cannot set volume: wpctl or pactl is not installed", false},
		{"sound output speaker", "wpctl pactl", "pactl set-default-sink speaker", false},
		{"sound output speaker", "wpctl", "cannot set output: pactl is not installed", false},
		{"network wifi off", "rfkill", "rfkill block wifi", false},
		{"network wifi off", "nmcli rfkill", "nmcli radio wifi off", false},
		{"network dns 1.1.1.1 Home", "nmcli", "nmcli connection modify Home ipv4.dns 1.1.1.1 ipv4.ignore-auto-dns yes", false},
		{"network dns auto Home", "nmcli", "nmcli connection modify Home ipv4.dns  ipv4.ignore-auto-dns no", false},
		{"setting owner :wheel /srv", "chown chgrp", "chown :wheel /srv", true},
		{"mount mount mounted /dev/sdb1", "udisksctl mount", "udisksctl mount -b /dev/sdb1", false},
		{"mount mount mounted /dev/sdb1", "mount", "mount /dev/sdb1", true},
		{"mount mount unmounted /mnt", "udisksctl mount umount", "umount /mnt", true},
	} {
		f := append(strings.Fields(c.step), "")
		command, err := Step{Verb: f[0], Args: map[string]string{"name": f[1], "value": f[2], "target": f[3]}}.
			Command(func(program string) bool { return slices.Contains(strings.Fields(c.installed), program) })
		if err != nil {
			require.EqualError(t, err, c.want)
			continue
		}
		require.Equal(t, c.want, strings.Join(command.Argv, " "))
		require.Equal(t, c.root, command.Root, c.want)
	}
	command, err := Step{Verb: "bluetooth", Args: map[string]string{"value": "on"}}.Command(everything)
	require.NoError(t, err)
	require.Equal(t, []string{"bluetoothctl", "power", "on"}, command.Argv)
	command, err = Step{Verb: "mount", Args: map[string]string{"target": "/mnt", "value": "on"}}.Command(everything)
	require.NoError(t, err)
	require.Equal(t, []string{"mount", "/mnt"}, command.Argv)
	command, err = Step{Verb: "reboot"}.Command(everything)
	require.NoError(t, err)
	require.Equal(t, Command{Argv: []string{"systemctl", "reboot"}, Verb: Verb{Action: Reboot}}, command)
}

func TestWhatCutsSomeoneOffIsSetBack(t *testing.T) {
	t.Parallel()
	home := oneLine("Home:f87862d4-ed75-4dad-889c-f9694b50c7b6:activated")
	for _, c := range []struct {
		command string
		before  Look
		want    [][]string
	}{
		{"nmcli radio wifi off", oneLine("enabled"), [][]string{{"nmcli", "radio", "wifi", "on"}}},
		{"rfkill block wifi", printRadio("wlan")("on", ""), [][]string{{"rfkill", "unblock", "wifi"}}},
		{"sudo nmcli con down Home", home, [][]string{{"nmcli", "connection", "up", "Home"}}},
		{"nmcli con down Work", home, nil}, // it is down already
		{"nmcli con mod Home ipv4.dns 9.9.9.9", oneLine("1.1.1.1\nno"), [][]string{
			{"nmcli", "connection", "modify", "Home", "ipv4.dns", "1.1.1.1", "ipv4.ignore-auto-dns", "no"},
		}},
		{"nmcli radio wifi off", Look{}, nil},
	} {
		require.Equal(t, c.want, verbOf(t, c.command).Restore([]Look{c.before}), c.command)
	}
}

func TestSettingsThatCanCutSomeoneOff(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"nmcli radio wifi off": true, "nmcli radio wifi on": false, "rfkill block wifi": true, "nmcli networking off": true,
		"nmcli con down Home": true, "nmcli con up Work": true, "nmcli con mod Home ipv4.dns 1.1.1.1": true,
		"timedatectl set-timezone UTC": false, "systemctl reboot": false, "bluetoothctl power off": false,
	} {
		require.Equal(t, want, verbOf(t, command).IsGuarded(), command)
	}
}

// TestSettingsAreJudged: values that only look equal, that do not last or that depend on the one before.
func TestSettingsAreJudged(t *testing.T) {
	t.Parallel()
	stat := func(owner, mode, kind string) Look { return oneLine(owner + " 27 27 " + mode + " " + kind) }
	for _, c := range []struct {
		name, command string
		before, after Look
		outcome       Outcome
		code          Code
		state, wanted string
	}{{
		"not set", "timedatectl set-timezone Asia/Seoul", oneLine("UTC"), oneLine("UTC"), Failed, NotSet, "UTC", "Asia/Seoul",
	}, {
		"no service answers", "timedatectl set-timezone Asia/Seoul", oneLine("UTC"), printed("", "Failed to connect to bus\n", 1), Unproved, NoLook, "", "Asia/Seoul",
	}, {
		"another spelling of the encoding", "localectl set-locale ko_KR.utf8", Look{}, oneLine("System Locale: LANG=ko_KR.UTF-8"), Done, IsSet, "LANG=ko_KR.UTF-8", "LANG=ko_KR.utf8",
	}, {
		"localed leaves out what equals LANG", "localectl set-locale LANG=C LC_TIME=C", Look{}, oneLine("System Locale: LANG=C"), Done, IsSet, "LANG=C", "LANG=C LC_TIME=C",
	}, {
		"a connection that is being made", "nmcli con up Home", Look{}, oneLine("Home:f87862d4-ed75-4dad-889c-f9694b50c7b6:activating"), Unproved, Silent, "activating", "up",
	}, {
		"the volume is rounded", "pactl set-sink-volume @DEFAULT_SINK@ 33%", Look{}, oneLine("Volume: mono: 1 /  32% / -1 dB"), Done, IsSet, "32%", "33%",
	}, {
		"a step from an unknown volume", "wpctl set-volume @DEFAULT_AUDIO_SINK@ 5%+", Look{}, oneLine("Volume: 0.45"), Unproved, Silent, "45%", "4%",
	}, {
		"a step that changes nothing", "wpctl set-volume @DEFAULT_AUDIO_SINK@ 5%+", oneLine("Volume: 0.45"), oneLine("Volume: 0.45"), Failed, NotSet, "45%", "50%",
	}, {
		"the number of a microphone", "wpctl set-default 50", Look{}, oneLine("id 43, type PipeWire:Interface:Node\n  * node.name = \"speaker\""), Unproved, Silent, "speaker", "50",
	}, {
		"a toggle", "wpctl set-mute @DEFAULT_AUDIO_SINK@ toggle", oneLine("Volume: 0.45"), oneLine("Volume: 0.45 [MUTED]"), Done, IsSet, "on", "on",
	}, {
		"servers besides those of the network", "nmcli con mod Home ipv4.dns 9.9.9.9", oneLine("1.1.1.1\nno"), oneLine("9.9.9.9\nno"), Done, IsSet, "9.9.9.9,auto", "9.9.9.9,auto",
	}, {
		"no servers any more", "nmcli con mod Home ipv4.dns ''", oneLine("1.1.1.1\nyes"), oneLine("\nyes"), Done, IsSet, "none", "none",
	}, {
		"another form of an address", "nmcli con mod Home ipv6.dns 2001:db8:0::1 ipv6.ignore-auto-dns yes", Look{}, oneLine(`2001\:db8\:\:1` + "\nyes"), Done, IsSet, "2001:db8::1", "2001:db8:0::1",
	}, {
		"owner by number", "chown 27:27 /srv", Look{}, stat("mysql mysql", "755", "directory"), Done, IsSet, "mysql:mysql", "27:27",
	}, {
		"only the user", "chown mysql /srv", Look{}, stat("mysql root", "755", "directory"), Done, IsSet, "mysql:root", "mysql",
	}, {
		"another owner", "chown mysql:mysql /srv", Look{}, stat("root root", "755", "directory"), Failed, NotSet, "root:root", "mysql:mysql",
	}, {
		"a directory keeps its set-group-ID bit", "chmod 755 /srv", Look{}, stat("a b", "2755", "directory"), Done, IsSet, "2755", "755",
	}, {
		"a file does not", "chmod 755 /srv/x", Look{}, stat("a b", "4755", "regular file"), Failed, NotSet, "4755", "755",
	}, {
		"exactly", "chmod 00755 /srv", Look{}, stat("a b", "2755", "directory"), Failed, NotSet, "2755", "00755",
	}, {
		"an unknown user", "loginctl enable-linger nosuch", Look{}, printed("", "Failed to look up user nosuch: No such process\n", 1), Unproved, NoLook, "", "on",
	}, {
		"no radio", "rfkill block wifi", Look{}, printed("", "find: '/sys/class/rfkill': No such file or directory\n", 1), Unproved, NoLook, "", "off",
	}, {
		"no adapter", "bluetoothctl power on", Look{}, oneLine("No default controller available"), Unproved, NoLook, "", "on",
	}, {
		"no such printer", "cupsenable HP", Look{}, printed("", "lpstat: Invalid destination name in list \"HP\".\n", 1), Unproved, NoLook, "", "enabled",
	}, {
		"an automount point that was not used", "umount /mnt", Look{}, oneLine(`{"filesystems":[{"target":"/mnt","source":"systemd-1","fstype":"autofs"}]}`), Done, IsSet, "unmounted", "unmounted",
	}} {
		v := verbOf(t, c.command)
		got := v.Judge([]Look{c.before}, []Look{c.after}, 0)
		require.Len(t, got, 1, c.name)
		if c.code == Silent && c.wanted == "4%" {
			c.wanted = got[0].Wanted // it is not known
		}
		require.Equal(t, []any{c.outcome, c.code, c.state, c.wanted}, []any{got[0].Outcome, got[0].Code, got[0].State, got[0].Wanted}, c.name)
	}
}

func TestEveryTypeOfADefaultApplicationIsChecked(t *testing.T) {
	t.Parallel()
	v := verbOf(t, "xdg-mime default firefox.desktop text/html image/png")
	before, after := []Look{oneLine("a.desktop"), printed("", "", 0)}, []Look{oneLine("firefox.desktop"), oneLine("gimp.desktop")}
	require.Len(t, v.Before(), 2)
	next, more := v.Next(nil, after[:1])
	require.True(t, more)
	require.Equal(t, []string{"xdg-mime", "query", "default", "image/png"}, next)
	_, more = v.Next(nil, after)
	require.False(t, more)
	proofs := v.Judge(before, after, 0)
	require.Equal(t, []Code{IsSet, NotSet}, []Code{proofs[0].Code, proofs[1].Code})
	require.Equal(t, "xdg-mime query default text/html", proofs[0].Check)
	require.Equal(t, "set default-app image/png: not_set: gimp.desktop, not firefox.desktop", proofs[1].String())
	require.Len(t, v.Effects(before, after), 2)
}

// TestAnOwnerGoesBackWithItsMode: chown clears the set-user-ID bit.
func TestAnOwnerGoesBackWithItsMode(t *testing.T) {
	t.Parallel()
	v := verbOf(t, "chown kim /usr/local/bin/x")
	effects := v.Effects([]Look{oneLine("root root 0 0 4755 regular file")}, []Look{oneLine("kim root 1000 0 755 regular file")})
	p, lost := TakeBack("", effects, nil, nil)
	require.Empty(t, lost)
	var commands []string
	for _, s := range p.Steps {
		c, err := s.Command(everything)
		require.NoError(t, err)
		commands = append(commands, strings.Join(c.Argv, " "))
	}
	require.Equal(t, []string{"chown root:root /usr/local/bin/x", "chmod 04755 /usr/local/bin/x"}, commands)
}

func TestARestartIsNotChecked(t *testing.T) {
	t.Parallel()
	v := verbOf(t, "systemctl reboot")
	require.Empty(t, v.Before())
	_, more := v.Next(nil, nil)
	require.False(t, more)
	require.Equal(t, []Proof{{Action: Reboot, Outcome: Unproved, Code: Restarting}}, v.Judge(nil, nil, 0))
	require.Equal(t, CommandFailed, v.Judge(nil, nil, 1)[0].Code)
	require.Empty(t, v.Effects(nil, nil))
	upgraded := Proof{Action: Upgrade, Outcome: Done, Code: Current}
	require.Len(t, Latest([]Proof{upgraded, {Action: Reboot, Outcome: Unproved, Code: Restarting}}), 2)
}

func TestALaterValueReplacesAnEarlierOne(t *testing.T) {
	t.Parallel()
	proof := func(subject, state string) Proof { return Proof{Action: Set, Subject: subject, State: state} }
	require.Equal(t, []Proof{proof("dns Home", "1.1.1.1"), proof("volume", "50%")},
		Latest([]Proof{proof("volume", "40%"), proof("dns Home", "1.1.1.1"), proof("volume", "50%")}))
}

// TestTheToolNamesAllVerbs: a model knows only the verbs that the description of the tool lists. A wrong name of a setting
// is answered with all of them.
func TestTheToolNamesAllVerbs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../tools/tool/plan.md")
	require.NoError(t, err)
	for verb := range Verbs {
		require.Contains(t, string(text), verb)
		if names := SettingNames(verb); len(names) > 0 {
			_, err := Step{Verb: verb, Args: map[string]string{"name": "?"}}.Command(everything)
			require.ErrorContains(t, err, strings.Join(names, ", "))
		}
	}
}
