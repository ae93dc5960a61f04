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
	}
	return false
}

// Restore returns the commands that set back what the verb changes at once, without the elevation that the command has;
// none if the looks before it do not show a state that it changes.
func (v Verb) Restore(before []Look) [][]string {
	if len(before) == 0 {
		return nil
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
