package tools

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/shell"
)

func cellsFor(t *testing.T, text string) (cells []executor.Cell, apart bool) {
	t.Helper()
	v := safety.New(safety.Options{Home: "/home/blu", User: "blu"}).Judge(text)
	require.Equal(t, safety.Safe, v.Class, "%s: %v", text, v.Reasons)
	return cellsOf(shell.Command{Shell: v.Source}, v)
}

// TestS1ACommandsCellIsItsOwn checks that no command gets an opening that only another command of the same line
// needs.
func TestS1ACommandsCellIsItsOwn(t *testing.T) {
	for text, want := range map[string][]string{
		"getent hosts localhost; dkms status":                     {"network", "closed"},
		"getent hosts localhost; cat notes.txt":                   {"network", "closed"},
		"systemctl --failed; df -h; free -h":                      {"reading bus", "mounts", "closed"},
		"ls ~ && docker ps || pactl info":                         {"closed", "socket of docker", "socket of pulse, socket of pipewire"},
		"for u in a b; do systemctl status $u; done | head":       {"reading bus"},
		"systemctl is-active a; for i in 1 2; do docker ps; done": {"reading bus", "socket of docker"},
		"ps aux | grep a; ss -tlnp":                               {"closed", "network view, other processes"},
		"timeout 5 ping -c1 1.1.1.1; ls":                          {"network", "closed"},
		"cat a b":                                                 {"closed"},
		"docker ps | head -3":                                     {"socket of docker"},
		"x=1; echo $x; df -h":                                     {"mounts"},
		"cd /tmp && ls":                                           {"closed"},
		"lsblk | grep -c sd; upower -i $(upower -e | grep BAT)":   {"mounts", "reading bus"},
	} {
		cells, apart := cellsFor(t, text)
		require.True(t, apart, text)
		var got []string
		for _, c := range cells {
			got = append(got, c.Needs.String())
		}
		require.Equal(t, want, got, text)
	}
}

func TestS1WhatCannotBeTakenApartIsAskedAbout(t *testing.T) {
	for _, text := range []string{
		"for f in a b; do cat $f; docker ps; done", "x=a; cat $x; docker ps; echo $x", "docker ps | cat - notes.txt", "cd /tmp && cat a && docker ps", "if docker ps; then cat notes.txt; fi", "{ xrandr; cat notes.txt; }",
		"echo $(docker ps) $(cat notes.txt)", "f() { cat notes.txt; }; docker ps; f", "dkms status | xargs docker inspect --format '{{.Name}}'",
	} {
		v := safety.New(safety.Options{Home: "/home/blu", User: "blu"}).Judge(text)
		if v.Class != safety.Safe {
			continue // it needs a confirmation anyway
		}
		_, apart := cellsOf(shell.Command{Shell: v.Source}, v)
		require.False(t, apart, text)
	}
	for _, text := range []string{
		"if command -v nvidia-smi >/dev/null; then nvidia-smi; else lspci; fi", "for c in $(docker ps -q); do docker top $c; done", "n=$(docker ps -q | wc -l); echo $n", "pactl info | grep Default; x=1; echo $x",
	} {
		_, apart := cellsFor(t, text)
		require.True(t, apart, text)
	}
}

// TestS1NoNetworkIsShared checks that a cell with network access only has one command that reaches other hosts,
// and filters.
func TestS1NoNetworkIsShared(t *testing.T) {
	for _, text := range []string{"ping -c1 1.1.1.1; cat a", "ip route; ping -c1 1.1.1.1; df -h; cat a", "getent hosts localhost | grep a; dig a.org; ls", "checkupdates; pacman -Q; du -sh /var"} {
		v := safety.New(safety.Options{Home: "/home/blu", User: "blu"}).Judge(text)
		require.Equal(t, safety.Safe, v.Class, "%s %v", text, v.Reasons)
		for i, p := range v.Parts {
			n, ok := needsOf(p, p.Source)
			require.True(t, ok, text)
			reading := slices.ContainsFunc(p.Uses, func(u safety.Use) bool {
				return !u.Neutral && !sandbox.NeedsOf(u.Programs, "").HasNetwork()
			})
			require.False(t, n.HasNetwork() && reading, "%s: part %d", text, i)
		}
	}
}
