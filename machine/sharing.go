package machine

import (
	"slices"
	"strconv"
	"strings"
)

var (
	// RegulatoryProbe shows the country whose rules for radio hold: iw(8).
	RegulatoryProbe = Probe{"iw", "reg", "get"}
	// WireGuardProbe lists the interfaces of WireGuard: their type in sysfs.
	WireGuardProbe = Probe{"grep", "-s", "-H", "-e", "^DEVTYPE=wireguard", "/sys/class/net/*/uevent"}
	// TrafficProbe shows how much each interface has received and sent. [ParseTraffic] reads it.
	TrafficProbe = Probe{"cat", "/proc/net/dev"}
	// LinkServersProbe shows the name servers of each interface, LinkDomainsProbe for which names they are asked. [ParseLinkValues]
	// reads both.
	LinkServersProbe = Probe{"resolvectl", "dns"}
	LinkDomainsProbe = Probe{"resolvectl", "domain"}
	// VconsoleProbe shows the keyboard and the font of the console: vconsole.conf(5).
	VconsoleProbe = Probe{"grep", "-s", "-n", "-H", "-e", "^KEYMAP=", "-e", "^FONT=", "/etc/vconsole.conf"}
	// TriggerKeysProbe shows the keys that switch the input method of fcitx5. [ParseTriggerKeys] reads it.
	TriggerKeysProbe = Probe{"sed", "-n", `/TriggerKeys\]/,/^$/p`, "~/.config/fcitx5/config"}
	// PlasmaKeysProbe shows the global shortcuts of Plasma that have a space bar or the Korean keys. [ParsePlasmaKeys] reads it.
	PlasmaKeysProbe = Probe{"grep", "-s", "-n", "-i", "-e", "+Space", "-e", "Hangul", "~/.config/kglobalshortcutsrc"}
	// KeyringLogProbe shows what the modules that unlock a keyring at login say: pam_gnome_keyring, pam_kwallet5.
	KeyringLogProbe = Probe{"journalctl", "-b", "--no-pager", "-q", "-o", "cat", "-n", "50", "-g", "(gkr-pam|pam_kwallet)"}
	// AutologinProbe shows who is logged in without a password: sddm.conf(5), LightDM and GDM.
	AutologinProbe = Probe{
		"grep", "-s", "-n", "-H", "-r", "-e", "^User=.", "-e", "^autologin-user=.", "-e", "^AutomaticLogin=.",
		"/etc/sddm.conf", "/etc/sddm.conf.d", "/etc/lightdm", "/etc/gdm",
	}
	// NodeProbe shows the version of Node.js.
	NodeProbe = Probe{"node", "--version"}
	// FlatpakOptionsProbe lists runtimes with what is reported about them, such as that they get no updates any more.
	FlatpakOptionsProbe = Probe{"flatpak", "list", "--runtime", "--columns=ref,options"}
)

// KeymapProbe lists the files of a keyboard of the console, ConsoleFontProbe those of a font.
func KeymapProbe(name string) Probe {
	return Probe{"find", "/usr/share/kbd/keymaps", "-type", "f", "-name", name + ".map*"}
}

// ConsoleFontProbe lists the files of a font of the console.
func ConsoleFontProbe(name string) Probe {
	return Probe{"find", "/usr/share/kbd/consolefonts", "-type", "f", "-name", name + ".*"}
}

// Traffic is what an interface has received and sent, in bytes.
type Traffic struct {
	Device         string
	Received, Sent uint64
}

// ParseTraffic parses [TrafficProbe]: proc_pid_net(5), dev. The columns are eight figures each for receiving and sending.
func ParseTraffic(text []byte) ([]Traffic, error) {
	var all []Traffic
	for _, line := range Lines(string(text)) {
		name, figures, ok := strings.Cut(line, ":")
		f := strings.Fields(figures)
		if !ok || len(f) != 16 {
			continue
		}
		received, err := strconv.ParseUint(f[0], 10, 64)
		sent, errSent := strconv.ParseUint(f[8], 10, 64)
		if err == nil && errSent == nil {
			all = append(all, Traffic{strings.TrimSpace(name), received, sent})
		}
	}
	return rows(all, text, "/proc/net/dev")
}

// LinkValues are the name servers or the domains of an interface.
type LinkValues struct {
	Device string
	Values []string
}

// ParseLinkValues parses [LinkServersProbe] and [LinkDomainsProbe]: "Link 2 (wlan0): 192.168.0.1".
func ParseLinkValues(text []byte) ([]LinkValues, error) {
	var all []LinkValues
	for _, line := range Lines(string(text)) {
		_, rest, ok := strings.Cut(line, "(")
		name, values, ends := strings.Cut(rest, "):")
		if ok && ends && strings.HasPrefix(line, "Link ") {
			all = append(all, LinkValues{name, strings.Fields(values)})
		}
	}
	return rows(all, text, "resolvectl")
}

// foldKey returns a key combination in one form: fcitx5 writes Control+space, Plasma Ctrl+Space. The modifiers are in order.
func foldKey(key string) string {
	parts := strings.Split(strings.ToLower(strings.TrimSpace(key)), "+")
	for i, p := range parts {
		switch p {
		case "control":
			parts[i] = "ctrl"
		case "super":
			parts[i] = "meta"
		}
	}
	slices.Sort(parts[:len(parts)-1])
	return strings.Join(parts, "+")
}

// ParseTriggerKeys parses [TriggerKeysProbe]: "0=Control+space", as fcitx5 names keys (fcitx-utils, Key). The result is lower case
// with ctrl and meta.
func ParseTriggerKeys(text []byte) ([]string, error) {
	var all []string
	for _, line := range Lines(string(text)) {
		number, key, ok := strings.Cut(line, "=")
		if _, err := strconv.Atoi(number); ok && err == nil && key != "" {
			all = append(all, foldKey(key))
		}
	}
	return rows(all, text, "fcitx5's configuration")
}

// Shortcut is a global shortcut: its action, and its keys in the form of [ParseTriggerKeys].
type Shortcut struct {
	Name string
	Keys []string
}

// ParsePlasmaKeys parses [PlasmaKeysProbe]: "12:name=Ctrl+Space\tMeta+Space,none,title". The first of three values are the keys in use.
func ParsePlasmaKeys(text []byte) ([]Shortcut, error) {
	var all []Shortcut
	for _, line := range Lines(string(text)) {
		_, entry, ok := strings.Cut(line, ":")
		name, value, has := strings.Cut(entry, "=")
		keys, _, _ := strings.Cut(value, ",")
		if !ok || !has {
			continue
		}
		s := Shortcut{Name: strings.TrimSpace(name)}
		for key := range strings.SplitSeq(strings.ReplaceAll(keys, `\t`, "\t"), "\t") {
			s.Keys = append(s.Keys, foldKey(key))
		}
		all = append(all, s)
	}
	return rows(all, text, "kglobalshortcutsrc")
}
