package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

func replyToCommand(s providers.Step) Reply {
	r := &result{tool: "run_command", lang: i18n.English, steps: []providers.Step{s}, out: &providers.Output{Steps: []providers.Step{s}}}
	return r.compose()
}

func TestDeedsAreToldInOneSentence(t *testing.T) {
	password := providers.Step{Exit: 1, Stderr: "sudo: a password is required\n"}
	for command, tt := range map[string]struct {
		step providers.Step
		want string
	}{
		"sudo -n paccache -rk2":                                 {providers.Step{Stdout: "==> finished: 12 packages removed (disk space saved: 1.25 GiB)\n"}, "Deleted 12 old package files and freed 1.25 GiB."},
		"sudo -n paccache -rk3":                                 {providers.Step{Stdout: "==> no candidate packages found for pruning\n"}, "No old package files to delete."},
		"paccache -rk1":                                         {providers.Step{Exit: 1, Stderr: "sudo: a terminal is required to read the password\n"}, "I couldn't run it: it needs the administrator password. Run it in a terminal: `sudo paccache -rk1`"},
		"sudo -n journalctl --vacuum-size=200M":                 {providers.Step{Stderr: "Deleted archived journal /var/log/journal/x/system@1.journal (128M).\nVacuuming done, freed 3.5G of archived journals from /var/log/journal/x.\nVacuuming done, freed 0B of archived journals from /run/log/journal.\n"}, "Deleted old system logs and freed 3.5 GiB."},
		"sudo -n journalctl --vacuum-time=2d":                   {providers.Step{Stderr: "Vacuuming done, freed 0B of archived journals from /var/log/journal.\n"}, "No old logs to delete (0 B freed)."},
		"sudo -n timedatectl set-ntp true":                      {password, "I couldn't run it: it needs the administrator password. Run it in a terminal: `sudo timedatectl set-ntp true`"},
		"timedatectl set-ntp false":                             {providers.Step{Exit: 1, Stderr: "Failed to set ntp: Interactive authentication required.\n"}, "I couldn't run it without administrator rights. Run it in a terminal: `sudo timedatectl set-ntp false`"},
		"nmcli radio wifi on":                                   {providers.Step{}, "Wi-Fi is on. A saved network connects shortly."},
		"nmcli connection up id 'a b'":                          {providers.Step{Stdout: "Connection successfully activated (D-Bus active path: /x)\n"}, "Connected."},
		"rfkill unblock all":                                    {providers.Step{}, "Wireless is unblocked. Try connecting now."},
		"systemctl reboot":                                      {providers.Step{}, "The computer is restarting."},
		"wpctl set-mute @DEFAULT_AUDIO_SINK@ 0":                 {providers.Step{}, "Unmuted."},
		"wpctl set-mute @DEFAULT_AUDIO_SINK@ 1":                 {providers.Step{}, "Muted."},
		"bluetoothctl power on":                                 {providers.Step{Stdout: "Changing power on succeeded\n"}, "Bluetooth is on."},
		"bluetoothctl connect AC:BF:71:01:02:03":                {providers.Step{Exit: 1, Stdout: "Attempting to connect to AC:BF:71:01:02:03\nFailed to connect: org.bluez.Error.Failed br-connection-page-timeout\n"}, "The device didn't connect. Make sure it's on and nearby, then try again."},
		"gio trash --empty":                                     {providers.Step{}, "Emptied the trash."},
		"kill 5121":                                             {providers.Step{Exit: 1, Stderr: "bash: line 1: kill: (5121) - No such process\n"}, "It had already exited."},
		"sudo -n systemctl disable NetworkManager-wait-online":  {providers.Step{Stderr: "Removed '/etc/systemd/system/x'.\n"}, "NetworkManager-wait-online no longer starts at boot."},
		"udisksctl mount -b /dev/sda1":                          {providers.Step{Stdout: "Mounted /dev/sda1 at /run/media/blu/MY STICK\n"}, "Mounted at /run/media/blu/MY STICK."},
		"sudo -n rankmirrors x":                                 {providers.Step{Exit: 1, Stderr: "sudo: rankmirrors: command not found\n"}, "I couldn't run it: `rankmirrors` isn't installed."},
		"du -x --inodes --max-depth=3 / 2>/dev/null | sort -rn": {providers.Step{Stdout: "1000 /\n900 /var\n800 /var/spool\n60 /home\n"}, "The folder with the most files is /var/spool: 800 inodes."},
	} {
		step := tt.step
		step.Command = command
		require.Equal(t, tt.want, replyToCommand(step).Text, command)
	}
}

// TestNothingIsDoneThatDidNotHappen uses outputs that do not show success.
func TestNothingIsDoneThatDidNotHappen(t *testing.T) {
	for _, step := range []providers.Step{
		{Command: "sudo -n paccache -rk2"},
		{Command: "bluetoothctl power on", Stdout: "Failed to set power: org.bluez.Error.Blocked\n"},
		{Command: "bluetoothctl power on"},
		{Command: "nmcli radio wifi on", Exit: 8, Stderr: "Error: NetworkManager is not running.\n"},
		{Command: "nmcli connection up id x", Stdout: "Error: Connection activation failed.\n"},
		{Command: "gio trash --empty", Stderr: "gio: Error trashing file: Operation not supported\n"},
		{Command: "gio trash --empty", TimedOut: true, Exit: -1},
		{Command: "gio trash --empty; false"},
		{Command: "systemctl reboot", Exit: 1, Stderr: "Call to Reboot failed: There's already a shutdown or sleep operation in progress\n"},
		{Command: "wpctl set-mute @DEFAULT_AUDIO_SINK@ toggle"},
		{Command: "rfkill unblock wifi", Exit: 1, Stderr: "rfkill: cannot open /dev/rfkill: Permission denied\n"},
		{Command: "du -x --inodes / | sort", Stdout: "nonsense\n"},
		{Command: "sudo -n journalctl --vacuum-size=1M", Stderr: "Failed to parse\n", Exit: 1},
	} {
		text := replyToCommand(step).Text
		for _, d := range actions {
			if d.figure == "" {
				require.NotEqual(t, d.done.In(i18n.English), text, step.Command)
			}
		}
		require.Contains(t, text, step.Command)
	}
}

// TestASuccessThatACheckContradictsIsNotClaimed: only the command and its output are reported.
func TestASuccessThatACheckContradictsIsNotClaimed(t *testing.T) {
	for tool, command := range map[string]string{
		"manage_service": "systemctl start -- nginx", "install_package": "sudo -n pacman -S --noconfirm -- nginx", "run_command": "sudo -n systemctl enable nginx",
	} {
		steps := []providers.Step{{Command: command}}
		r := &result{tool: tool, lang: i18n.English, input: map[string]any{"name": "nginx", "action": "start"}, steps: steps, out: &providers.Output{Steps: steps, Contradicted: true}}
		rep := r.compose()
		require.Contains(t, rep.Text, "Ran `"+command+"`. No output (exit code 0).")
		require.NotContains(t, rep.Text, "Started")
		require.NotContains(t, rep.Text, "Installed")
		require.Equal(t, tool == "manage_service", rep.Offer != nil, "the log may say why")
	}
}

// TestServicesWithOldLibrariesAreOfferedARestart: as one plan, and without one nothing is asked.
func TestServicesWithOldLibrariesAreOfferedARestart(t *testing.T) {
	s := providers.Step{Command: "sudo -n pacman -Syu --noconfirm", Stdout: "upgrading openssl...\n"}
	reply := func(lang i18n.Lang, out providers.Output) Reply {
		out.Steps = []providers.Step{s}
		return (&result{tool: "update_system", lang: lang, steps: out.Steps, out: &out}).compose()
	}
	require.Nil(t, reply(i18n.English, providers.Output{}).Offer)
	for lang, words := range map[i18n.Lang]string{i18n.English: "Shall I restart", i18n.Korean: "다시 시작할까요", i18n.Chinese: "要重启"} {
		rep := reply(lang, providers.Output{OldServices: []string{"cups.service", "sshd.service"}, OldUserServices: []string{"pipewire.service"}})
		require.Contains(t, rep.Text, words)
		require.Contains(t, rep.Text, "cups.service, sshd.service, pipewire.service")
		require.Equal(t, "plan", rep.Offer.Tool)
		require.False(t, rep.Offer.IsReadOnly())
		require.Len(t, stepsOf(*rep.Offer), 3)
		require.Equal(t, map[string]string{"action": "restart", "name": "pipewire.service", "user": "true"}, stepsOf(*rep.Offer)[2].Args)
	}
}
