package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// reaching are commands that reach another host and are Safe on their own.
var reaching = []string{
	"getent hosts a.example.org", "getent ahosts a.example.org", "ping -c1 a.example.org", "ping -c 2 -W 1 192.0.2.1", "dig +short a.example.org", "dig TXT a.example.org @192.0.2.1", "host -t mx a.example.org",
	"nslookup a.example.org", "whois a.example.org", "drill a.example.org", "tracepath -n a.example.org", "traceroute -n a.example.org", "mtr -r -c 3 a.example.org", "arping -c 2 192.0.2.1", "resolvectl query a.example.org",
	"avahi-resolve -n a.local", "smbclient -N -L a.example.org", "showmount -e a.example.org", "rpcinfo -p a.example.org", "yay -Ss a", "paru -Si a", "yay -Qua", "checkupdates", "reflector --country KR", "arch-audit",
	"docker search a", "snap find a", "curl -sI https://a.example.org", "busctl status org.example.A", "gdbus introspect --session --dest org.example.A --object-path /a", "qdbus org.example.A", "timeout 5 ping -c1 a.example.org",
	"LC_ALL=C getent hosts a.example.org", "systemd-resolve a.example.org", "ollama show a", "chronyc sources",
}

// conditions are texts in which another command decides whether or how often COMMAND runs.
var conditions = []string{
	"if grep -q x ~/notes.txt; then COMMAND; fi", "if true; then COMMAND; fi", "if COMMAND; then echo a; fi", "grep -q x ~/notes.txt && COMMAND", "true && COMMAND", "[ -f ~/notes.txt ] || COMMAND", "false || COMMAND",
	"for i in 1 2; do COMMAND; done", "for f in *; do COMMAND; done", "for ((i=0; i<3; i++)); do COMMAND; done", "while read -r l; do COMMAND; done < ~/notes.txt", "cat ~/notes.txt | while read -r l; do COMMAND; done",
	"case $(cat ~/notes.txt) in a*) COMMAND;; esac", "case a in a) COMMAND;; esac", "f() { COMMAND; }; f", "[[ $(< ~/notes.txt) == a* ]] && COMMAND", "x=$(COMMAND)", "echo \"$(COMMAND)\"", "echo `COMMAND`", "diff <(COMMAND) ~/notes.txt",
	"( COMMAND )", "{ COMMAND; }", "bash -c 'COMMAND'", "sh -c 'true && COMMAND'", "echo a | xargs COMMAND", "seq 3 | xargs -I% COMMAND", "xargs COMMAND < ~/notes.txt", "find . -name a -exec COMMAND {} \\;", "find . -maxdepth 1 -exec COMMAND \\;",
	"cat ~/notes.txt; COMMAND", "head -1 ~/notes.txt | wc -c; COMMAND", "grep x ~/notes.txt\nCOMMAND", "cat ~/notes.txt | COMMAND", "echo a | COMMAND", "COMMAND < ~/notes.txt", "ls; COMMAND", "cd /tmp; COMMAND", "set -e; true; COMMAND",
	"[ -f ~/notes.txt ] || exit 0; COMMAND", "ip route | grep -q x && COMMAND", "COMMAND | cat - ~/notes.txt", "COMMAND | grep -f ~/notes.txt", "! COMMAND", "time COMMAND", "COMMAND && COMMAND", "n=$(wc -c < ~/notes.txt); COMMAND",
	"echo \"$(cat ~/notes.txt)\"; COMMAND", "while read -r l; do break; done; COMMAND", "until false; do COMMAND; done", "timeout 5 bash -c 'COMMAND'", "env bash -c \"COMMAND\"", "eval 'COMMAND'", "COMMAND & wait", "coproc COMMAND",
	"jq . ~/a.json || COMMAND", "echo a && COMMAND", "COMMAND; cat ~/notes.txt; COMMAND", "exec COMMAND", "command COMMAND && cat a && COMMAND",
}

// TestS2NothingReachesAnotherHostConditionally checks that a program that reaches other hosts needs a
// confirmation if anything decides whether it runs.
func TestS2NothingReachesAnotherHostConditionally(t *testing.T) {
	c := testChecker()
	for _, command := range reaching {
		require.Equal(t, Safe, c.Judge(command).Class, "%s alone: %v", command, c.Judge(command).Reasons)
		for _, place := range conditions {
			v := c.Judge(strings.ReplaceAll(place, "COMMAND", command))
			require.NotEqual(t, Safe, v.Class, "%s", v.Command)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(reaching).Draw(t, "command")
		for range rapid.IntRange(1, 4).Draw(t, "depth") {
			place := rapid.SampledFrom(conditions).Draw(t, "place")
			if strings.Contains(place, "`") && strings.Contains(text, "`") {
				continue // the inner backquote ends the outer substitution, so that the command does not run
			}
			text = strings.ReplaceAll(place, "COMMAND", text)
		}
		require.NotEqual(t, Safe, c.Judge(text).Class, "%s", text)
	})
}

// TestS2PlainNetworkCommandsStaySafe checks which commands the checker still accepts, and their hosts.
func TestS2PlainNetworkCommandsStaySafe(t *testing.T) {
	c := testChecker()
	for command, hosts := range map[string][]string{
		"ping -c1 1.1.1.1":                                              {"1.1.1.1"},
		"ping -c 1 Archlinux.org. | tail -2":                            {"archlinux.org"},
		"ping -c1 1.1.1.1; ping -c1 archlinux.org":                      {"1.1.1.1", "archlinux.org"},
		"ping -c1 a.org || ping -c1 b.org":                              {"a.org", "b.org"},
		"ping -c1 a.org >/dev/null 2>&1 && echo online || echo offline": {"a.org"},
		"ip route; ping -c1 192.168.0.1; ping -c1 1.1.1.1":              {"1.1.1.1", "192.168.0.1"},
		"ip -br addr | grep UP; getent hosts archlinux.org":             {"archlinux.org"},
		"dig +short archlinux.org @8.8.8.8":                             {"8.8.8.8", "archlinux.org"},
		"ping -c1 1.1.1.1; cat ~/notes.txt":                             {"1.1.1.1"},
		"checkupdates; yay -Qua":                                        {"archlinux.org", "aur.archlinux.org"},
		"curl -sI https://archlinux.org/":                               {"archlinux.org"},
		"curl -sI -o /dev/null https://archlinux.org/packages":          {"https://archlinux.org/packages"},
		"curl -sI http://192.168.0.1:8080":                              {"http://192.168.0.1:8080"},
		"yay -Qm":                                                       nil,
		"getent passwd blu":                                             nil,
		"chronyc tracking":                                              nil,
		"for u in a b; do systemctl status $u; done | head":             nil,
		"systemctl --failed; df -h; free -h":                            nil,
		"ss -tn dst 192.168.0.10":                                       nil,
		"ss -Htlpn sport = 8099":                                        nil,
		"ss -tn '( sport eq 22 or dport != 443 )'":                      nil,
		"ss -o state established '( dport = :443 or sport = :https )'":  nil,
		"lsof -i tcp:22":                                                nil,
	} {
		v := c.Judge(command)
		require.Equal(t, Safe, v.Class, "%s: %v", command, v.Reasons)
		require.Equal(t, hosts, v.Hosts, "%s", command)
	}
}

// unknownWords are operands that are not literal.
var unknownWords = []string{
	`"$(uname -n).x.org"`, "$(whoami).x.org", "`id -un`.x.org", `"${USER}.x.org"`, "$HOSTNAME.x.org", "$h", `"${h}.x.org"`, "${h:-a.org}", "*.org", "a?.org", "[ab].org", "{a,b}.org", "a.{org,com}", "{1..3}.x.org", "~.x.org", "$((1+2)).x.org",
	"$RANDOM.x.org", "$1.x.org", `"$@"`, "$'a\\x2eorg'", `$"a.org"`, "<(echo a)", "a\\.org", "${#h}.x.org", "$?.x.org", "$!.org", `"$(cat ~/notes.txt | head -c 20).x.org"`,
}

// askers are commands with HOST in place of a host.
var askers = []string{
	"ping -c1 HOST", "ping -c 1 -W 2 HOST", "getent hosts HOST", "getent ahosts a.org HOST", "dig +short HOST", "dig TXT HOST", "dig a.org @HOST", "dig -x HOST", "dig -q HOST", "dig -t HOST a.org", "dig -c HOST a.org", "host HOST", "host -t HOST a.org", "host a.org HOST",
	"nslookup HOST", "nslookup a.org HOST", "whois HOST", "drill HOST", "drill @HOST a.org", "tracepath HOST", "traceroute HOST", "mtr -r -c1 HOST", "arping -c1 HOST", "resolvectl query HOST", "resolvectl query -t HOST a.org", "systemd-resolve HOST",
	"avahi-resolve -n HOST", "avahi-browse -t HOST", "ss dst HOST", "ss -tn dst HOST", "lsof -i@HOST", "lsof -i @HOST", "arp HOST", "ipcalc HOST", "smbclient -N -L HOST", "showmount -e HOST", "rpcinfo -p HOST", "curl -sI https://HOST/",
	"curl -sI https://a.org/HOST", "docker search HOST", "snap find HOST", "yay -Ss HOST", "yay -Si HOST", "paru -Gp HOST", "busctl status HOST", "busctl introspect HOST /a", "gdbus introspect --session --dest HOST --object-path /a",
	"dbus-send --print-reply --dest=HOST / org.freedesktop.DBus.ListNames", "qdbus HOST", "ollama show HOST", "ping -c1 -p HOST a.org", "ping -c1 -s HOST a.org", "ping -c HOST a.org", "ping -c1 -t HOST a.org", "ping -c1 -I HOST a.org", "dig -p HOST a.org",
	"traceroute -p HOST a.org", "tracepath -p HOST a.org", "mtr -r -c1 -P HOST a.org", "avahi-resolve -a HOST", "timeout 5 ping -c1 HOST", "reflector --country HOST", "LC_ALL=C ping -c1 HOST",
}

func TestS3OperandsOfNetworkProgramsAreLiteral(t *testing.T) {
	c := testChecker()
	rapid.Check(t, func(t *rapid.T) {
		command := strings.ReplaceAll(rapid.SampledFrom(askers).Draw(t, "asker"), "HOST", rapid.SampledFrom(unknownWords).Draw(t, "word"))
		require.NotEqual(t, Safe, c.Judge(command).Class, "%s", command)
		require.NotEqual(t, Safe, c.Judge("h=a.org; "+command).Class, "%s", command)
	})
	for _, asker := range askers {
		for _, word := range unknownWords {
			command := strings.ReplaceAll(asker, "HOST", word)
			require.NotEqual(t, Safe, c.Judge(command).Class, "%s", command)
		}
	}
	for _, command := range []string{
		"seq 3 | xargs -I% dig %.x.org", "echo a | xargs host", `ss dst "$(uname -n).x.org"`, "ss dst pin4711.x.org", "ss -tn dst pin.x.org:443", "lsof -i@pin.x.org", "arp pin.x.org", "ipcalc pin.x.org",
	} {
		require.NotEqual(t, Safe, c.Judge(command).Class, "%s", command)
	}
}

// TestS15WhatCarriesDataBesidesTheHostIsAskedAbout checks the options, types and ports that could carry data to
// a named host.
func TestS15WhatCarriesDataBesidesTheHostIsAskedAbout(t *testing.T) {
	c := testChecker()
	for _, command := range []string{
		"ping -c1 -p 70696e a.org", "ping -c1 -s 4711 a.org", "ping -c1 -Q 47 a.org", "ping -c1 -m 4711 a.org", "ping -c1 -T tsonly a.org", "dig TYPE4711 a.org", "dig -t TYPE4711 a.org", "dig -p 4711 a.org", "dig +subnet=47.11.0.0/16 a.org", "dig +cookie=0011223344556677 a.org",
		"dig +ednsopt=65001:70696e a.org", "dig -b 127.0.0.1 a.org", "dig CLASS4711 a.org", "host -t TYPE4711 a.org", "host -c 4711 a.org", "nslookup -type=TYPE4711 a.org", "nslookup -port=4711 a.org", "resolvectl query -t TYPE4711 a.org", "resolvectl openpgp pin@a.org",
		"traceroute -p 4711 a.org", "traceroute -s 1.2.3.4 a.org", "traceroute -g b.org a.org", "traceroute a.org 4711", "tracepath -p 4711 a.org", "tracepath -l 4711 a.org", "mtr -r -c1 -P 4711 a.org", "mtr -r -c1 -s 4711 a.org", "avahi-browse -t _pin4711._tcp",
		"curl -sI https://a.org/?pin=4711", "curl -sI https://pin@a.org/", "curl -sI -H 'X: 4711' https://a.org", "curl -sI -A pin https://a.org", "curl -s https://a.org -d pin", "curl -sI -L https://a.org", "curl -sI -o x https://a.org", "drill TYPE4711 a.org",
		"ipcalc -o a.org", "arping -c1 -s 1.2.3.4 192.0.2.1",
	} {
		require.Equal(t, Confirm, c.Judge(command).Class, "%s", command)
	}
}
