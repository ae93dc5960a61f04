package elevation

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandsTakeTheirRung(t *testing.T) {
	for rung, want := range map[Rung]string{
		Root: "pacman -Syu", Run0: "run0 -- pacman -Syu", Pkexec: "pkexec pacman -Syu", Sudo: "sudo -n pacman -Syu",
	} {
		argv := rung.Argv("pacman", "-Syu")
		require.Equal(t, want, strings.Join(argv, " "))
		require.Equal(t, []string{"pacman", "-Syu"}, StripRung(argv))
	}
}

// TestYayTakesItsRungBySettings: the options are from yay 12's pkg/settings/parser, where a value can follow
// "=" and be empty.
func TestYayTakesItsRungBySettings(t *testing.T) {
	for rung, want := range map[Rung]string{
		Sudo:   "yay -S --noconfirm --sudoloop=false --sudo=sudo --sudoflags=-n -- htop",
		Run0:   "env PACMAN_AUTH=run0 yay -S --noconfirm --sudoloop=false --sudo=run0 --sudoflags= -- htop",
		Pkexec: "env PACMAN_AUTH=pkexec yay -S --noconfirm --sudoloop=false --sudo=pkexec --sudoflags= -- htop",
		None:   "yay -S --noconfirm -- htop",
	} {
		require.Equal(t, want, strings.Join(rung.YayArgv("-S", "htop"), " "))
	}
}

func TestByHandIsWhatAPersonTypes(t *testing.T) {
	with := func(programs ...string) func(string) bool {
		return func(p string) bool { return slices.Contains(programs, p) }
	}
	for want, got := range map[string][]string{
		"sudo pacman -Syu":            ByHand(with("sudo", "run0"), "pacman", "-Syu", "--noconfirm"),
		"run0 pacman -S a b":          ByHand(with("run0", "pkexec"), "pacman", "-S", "--noconfirm", "--", "a", "b"),
		"pkexec systemctl stop x":     ByHand(with("pkexec"), "systemctl", "--no-ask-password", "stop", "--", "x"),
		"sudo systemctl restart sshd": ByHand(with(), "systemctl", "restart", "--", "sshd"),
		"yay -S htop":                 ByHand(with("sudo"), "yay", "-S", "--noconfirm", "--", "htop"),
	} {
		require.Equal(t, want, strings.Join(got, " "))
	}
}

// TestARefusalIsRecognised uses messages that the programs really print.
func TestARefusalIsRecognised(t *testing.T) {
	for stderr, want := range map[string]Reason{
		"sudo: a password is required\n": Password,
		"sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper\nsudo: a password is required\n": Password,
		"sudo: no askpass program specified, try setting SUDO_ASKPASS\n": Password,
		"sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root.\nsudo: If sudo is running in a container, you may need to adjust the container configuration to disable the flag.\n": NoNewRights,
		"tester is not in the sudoers file.\n":                                                 NotAllowed,
		"Sorry, user tester is not allowed to execute '/usr/bin/pacman -Syu' as root on vm.\n": NotAllowed,
		"Error creating textual authentication agent: Error opening current controlling terminal for the process (`/dev/tty'): No such device or address\n": NoAgent,
		"Error executing command as another user: No authentication agent found.\n":                                                                         NoAgent,
		"Error executing command as another user: Request dismissed\n":                                                                                      Dismissed,
		"Error executing command as another user: Not authorized\n\nThis incident has been reported.\n":                                                     NotAllowed,
		"Failed to start transient service unit: Interactive authentication required.\n":                                                                    NoAgent,
		"Failed to restart x.service: Interactive authentication required.\nSee system logs and 'systemctl status x.service' for details.\n":                NoAgent,
		"error: target not found: nosuch\n": "",
	} {
		require.Equal(t, want, DenialReason(1, stderr), stderr)
		require.Empty(t, DenialReason(0, stderr))
	}
}
