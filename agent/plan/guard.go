package plan

import (
	"slices"
	"strings"
	"time"
)

// GuardTime is how long a guarded change stays without the person's word: a mistake can cut them off, so that they could
// no longer take it back.
const GuardTime = 60 * time.Second

// guardedUnits carry the way to this machine: network, remote login, firewall and display.
var guardedUnits = []string{
	"sshd", "ssh", "NetworkManager", "systemd-networkd", "systemd-resolved", "iwd", "wpa_supplicant", "dhcpcd", "connman",
	"firewalld", "nftables", "iptables", "ip6tables", "ufw", "display-manager", "sddm", "gdm", "lightdm", "lxdm", "ly", "greetd",
	"tailscaled", "wg-quick", "openvpn-client", "openvpn-server", "strongswan", "warp-svc",
}

// isGuardedUnit reports whether a unit carries the way to this machine.
func isGuardedUnit(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, "@")
	return slices.Contains(guardedUnits, name)
}

// IsGuarded reports whether the verb can cut the person off, so that it must go back by itself without their word.
func (v Verb) IsGuarded() bool {
	switch v.Action {
	case Start, Stop:
		return slices.ContainsFunc(v.Targets, isGuardedUnit)
	case Enable, Disable, Mask:
		return v.Now && slices.ContainsFunc(v.Targets, isGuardedUnit)
	case Firewall, Link, Display:
		return true
	case Set:
		return v.cutsOff()
	}
	return false
}

// Restore returns the commands that set back what the verb changes at once, without the elevation that the command has;
// none if the looks before it do not show a state that it changes.
func (v Verb) Restore(before []Look) [][]string {
	switch v.Action {
	case Link:
		return [][]string{{"ip", "link", "set", v.Targets[0], "up"}}
	case Display:
		return [][]string{{"xrandr", "--auto"}}
	}
	if len(before) == 0 {
		return nil
	}
	if v.Action == Set {
		return v.settingsBack(before)
	}
	units := unitsOf(before[0])
	if len(units) != len(v.Targets) {
		return nil
	}
	var commands [][]string
	for i, name := range v.Targets {
		action := ""
		switch was := units[i].running(); {
		case v.Action == Start || v.Action == Enable:
			if was == "inactive" {
				action = "stop"
			}
		case was == "active":
			action = "start"
		}
		if action == "" {
			continue
		}
		if v.Action == Mask {
			commands = append(commands, v.systemctl("unmask", name))
		}
		commands = append(commands, v.systemctl(action, name))
	}
	return commands
}

func (v Verb) systemctl(action, name string) []string {
	words := []string{"systemctl"}
	if v.User {
		words = append(words, "--user")
	}
	return append(words, "--no-ask-password", action, "--", name)
}

// Save returns the shell commands that save the firewall's rules in a file and restore them from it, "" for other verbs:
// nft(8), "list ruleset", iptables-save(8), iptables-restore(8).
func (v Verb) Save(file string) (save, restore string) {
	if v.Action != Firewall {
		return "", ""
	}
	if program := v.Targets[0]; program != "nft" {
		return program + "-save >" + file, program + "-restore " + file
	}
	return "{ echo flush ruleset; nft -s list ruleset; } >" + file, "nft -f " + file
}

// firewallChanges are the words with which nft and iptables change rules: nft(8), iptables(8).
var firewallChanges = []string{
	"add", "create", "insert", "replace", "delete", "destroy", "flush", "rename", "-f", "--file",
	"-A", "-D", "-I", "-R", "-F", "-X", "-P", "-N", "-E", "--append", "--delete", "--insert", "--replace", "--flush", "--policy",
}

// recognizeCut returns the verb of a command that can cut the person off and has no check.
func recognizeCut(words []string) (Verb, bool) {
	has := func(list ...string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(list, w) })
	}
	switch program := programOf(words[0]); program {
	case "ip": // ip-link(8): ip link set [dev] NAME down
		if len(words) > 3 && words[1] == "link" && words[2] == "set" && words[len(words)-1] == "down" {
			name := words[len(words)-2]
			return Verb{Action: Link, Targets: []string{name}}, isOf(name, "_", "._-", 15)
		}
		return Verb{}, false
	case "xrandr":
		return Verb{Action: Display, Targets: []string{"xrandr"}}, has("--output", "-s", "--size", "--mode", "--off", "-o", "--rotate")
	default:
		return Verb{Action: Firewall, Targets: []string{program}}, has(firewallChanges...)
	}
}
