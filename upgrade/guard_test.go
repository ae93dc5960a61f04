package upgrade_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/upgrade"
)

// seen are what looks print on a machine on which nothing speaks against an upgrade.
func seen(changed map[string]diagnose.Output) func(context.Context, string) diagnose.Output {
	all := map[string]diagnose.Output{
		machine.LockProbe.String():            {Exit: 2, Stderr: "ls: cannot access '/var/lib/pacman/db.lck': No such file or directory\n"},
		machine.PackageProgramsProbe.String(): {Exit: 1},
		machine.UPowerProbe.String():          {Stdout: battery("charging", "30", "yes")},
		machine.MeteredProbe.String():         {Stdout: "GENERAL.DEVICE:eth0\nGENERAL.STATE:100 (connected)\nGENERAL.METERED:no (guessed)\n"},
		machine.RecordingsProbe.String():      {},
		machine.CameraUsersProbe.String():     {Exit: 1},
		machine.SessionsProbe.String():        {Stdout: "2 1000 blu seat0 1 user tty2 no -\n"},
		machine.IDProbe.String():              {Stdout: "uid=1000(blu) gid=1000(blu) groups=1000(blu)\n"},
		machine.KernelProbe.String():          {Stdout: "6.9.1-arch1-1\n"},
		machine.ModuleTreesProbe.String():     {Stdout: "6.9.1-arch1-1\n"},
	}
	for command, out := range changed {
		all[command] = out
	}
	return func(_ context.Context, command string) diagnose.Output {
		out, ok := all[command]
		out.Unseen = out.Unseen || !ok
		return out
	}
}

func battery(state, percent, online string) string {
	return "Device: /org/freedesktop/UPower/devices/line_power_AC\n  line-power\n    online:              " + online +
		"\n\nDevice: /org/freedesktop/UPower/devices/battery_BAT0\n  native-path:          BAT0\n  power supply:         yes\n  battery\n    state:               " +
		state + "\n    percentage:          " + percent + "%\n\nDaemon:\n  daemon-version:  1\n"
}

func TestTheGuard(t *testing.T) {
	t.Parallel()
	room := func(free, change, fetch, image int64) []upgrade.Mount {
		return []upgrade.Mount{{Target: "/", Free: free, Change: change, Fetch: fetch, Image: image}}
	}
	const gib = 1 << 30
	for name, c := range map[string]struct {
		look   machine.Probe
		out    diagnose.Output
		mounts []upgrade.Mount
		level  upgrade.Level
		reason upgrade.Reason
		rule   string
	}{
		"nothing":             {level: upgrade.Pass},
		"discharging":         {look: machine.UPowerProbe, out: diagnose.Output{Stdout: battery("discharging", "39", "no")}, level: upgrade.Hold, reason: upgrade.BatteryLow, rule: "battery"},
		"enough charge":       {look: machine.UPowerProbe, out: diagnose.Output{Stdout: battery("discharging", "40", "no")}, level: upgrade.Pass},
		"no battery":          {look: machine.UPowerProbe, out: diagnose.Output{Unseen: true}, level: upgrade.Pass},
		"metered":             {look: machine.MeteredProbe, out: diagnose.Output{Stdout: "GENERAL.DEVICE:wlan0\nGENERAL.STATE:100 (connected)\nGENERAL.METERED:yes\n"}, level: upgrade.Hold, reason: upgrade.Metered, rule: "metered"},
		"metered, not in use": {look: machine.MeteredProbe, out: diagnose.Output{Stdout: "GENERAL.DEVICE:wlan0\nGENERAL.STATE:30 (disconnected)\nGENERAL.METERED:yes\n"}, level: upgrade.Pass},
		"no NetworkManager":   {look: machine.MeteredProbe, out: diagnose.Output{Exit: 8, Stderr: "Error: NetworkManager is not running.\n"}, level: upgrade.Pass},
		"a call":              {look: machine.RecordingsProbe, out: diagnose.Output{Stdout: "Source Output #1\n\tCorked: no\n\t\tapplication.name = \"Zoom\"\n"}, level: upgrade.Hold, reason: upgrade.Recording, rule: "recording"},
		"a paused recorder":   {look: machine.RecordingsProbe, out: diagnose.Output{Stdout: "Source Output #1\n\tCorked: yes\n\t\tapplication.name = \"Zoom\"\n"}, level: upgrade.Pass},
		"a camera":            {look: machine.CameraUsersProbe, out: diagnose.Output{Stdout: " 4711", Stderr: "                     USER        PID ACCESS COMMAND\n/dev/video0:         blu        4711 F.... cheese\n"}, level: upgrade.Hold, reason: upgrade.CameraInUse, rule: "camera"},
		"someone else":        {look: machine.SessionsProbe, out: diagnose.Output{Stdout: "2 1000 blu seat0\n5 1001 kim seat0\n"}, level: upgrade.Warn, reason: upgrade.OtherSession, rule: "sessions"},
		"root over the net":   {look: machine.SessionsProbe, out: diagnose.Output{Stdout: "2 1000 blu seat0\n5 0 root -\n"}, level: upgrade.Pass},
		"pacman runs":         {look: machine.LockProbe, out: diagnose.Output{Stdout: "/var/lib/pacman/db.lck\n"}, level: upgrade.Stop, reason: upgrade.LockLeft, rule: "pacman"},
		"old kernel":          {look: machine.ModuleTreesProbe, out: diagnose.Output{Stdout: "6.10.2-arch1-1\n"}, level: upgrade.Warn, reason: upgrade.RebootDue, rule: "reboot"},
		"full":                {mounts: room(gib, 2*gib, 0, 0), level: upgrade.Stop, reason: upgrade.NoRoomThere, rule: "room"},
		"full of downloads":   {mounts: room(gib, 0, 2*gib, 0), level: upgrade.Stop, reason: upgrade.NoRoomThere, rule: "room"},
		"nearly full":         {mounts: room(gib, gib-1<<20, 0, 0), level: upgrade.Warn, reason: upgrade.LittleRoom, rule: "room"},
		"it shrinks":          {mounts: room(gib, -gib, 0, 0), level: upgrade.Pass},
		"no room for images":  {mounts: room(1<<20, 0, 0, 60<<20), level: upgrade.Stop, reason: upgrade.NoRoomThere, rule: "room"},
		"little for images":   {mounts: room(50<<20, 0, 0, 60<<20), level: upgrade.Warn, reason: upgrade.LittleRoom, rule: "room"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := map[string]diagnose.Output{}
			if c.look != nil {
				changed[c.look.String()] = c.out
			}
			p := upgrade.Preview{Digest: "x", Count: 1, Download: 1, Packages: []upgrade.Change{{Name: "a", To: "2"}}, Mounts: c.mounts}
			r := upgrade.Gather(t.Context(), p, seen(changed))
			worst := r.Worst(upgrade.Warn)
			if c.level == upgrade.Pass {
				require.Empty(t, worst)
				return
			}
			require.Len(t, worst, 1)
			require.Equal(t, c.level, worst[0].Level)
			require.Equal(t, c.reason, worst[0].Reason)
			require.Equal(t, c.rule, worst[0].Rule)
			for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
				require.NotEmpty(t, worst[0].Text(lang))
			}
		})
	}
	out := seen(map[string]diagnose.Output{
		machine.LockProbe.String():            {Stdout: "/var/lib/pacman/db.lck\n"},
		machine.PackageProgramsProbe.String(): {Stdout: " 4711 pacman\n"},
	})
	r := upgrade.Gather(t.Context(), upgrade.Preview{Count: 1}, out)
	require.Equal(t, upgrade.Finding{Rule: "pacman", Level: upgrade.Stop, Reason: upgrade.PacmanRuns, Subject: "pacman"}, r.Worst(upgrade.Stop)[0])
}

func TestOnlyRunningServicesAreNamed(t *testing.T) {
	t.Parallel()
	p := upgrade.Preview{Count: 1, Units: []upgrade.Unit{{Name: "sshd.service"}, {Name: "getty@.service"}, {Name: "off.service"}, {Name: "pipewire.service", User: true}}}
	r := upgrade.Gather(t.Context(), p, seen(map[string]diagnose.Output{
		machine.RunningServicesProbe.String():     {Stdout: "sshd.service loaded active running OpenSSH\ngetty@tty2.service loaded active running Getty\n"},
		machine.RunningUserServicesProbe.String(): {Exit: 1, Stderr: "Failed to connect to bus\n"},
	}))
	require.Equal(t, []upgrade.Unit{{Name: "sshd.service"}, {Name: "getty@tty2.service"}, {Name: "pipewire.service", User: true}}, r.Units)
}

// TestABriefPreviewFitsIntoAnOutput: 1,500 packages in less than the 50 KiB that a command may print, with the same figures.
func TestABriefPreviewFitsIntoAnOutput(t *testing.T) {
	t.Parallel()
	p := upgrade.Preview{Digest: "x"}
	for range 1500 {
		p.Packages = append(p.Packages, upgrade.Change{Name: "a-package-with-a-long-name", Repository: "extra", From: "1:2.3.4.r5-1", To: "1:2.3.5.r6-1", Download: 12345678, Size: 12345678})
	}
	p.Packages = append(p.Packages, upgrade.Change{Name: "linux", To: "6", Kind: upgrade.Kernel})
	b := p.Brief()
	require.Equal(t, 1501, b.Count)
	require.Equal(t, "linux", b.Packages[0].Name)
	require.EqualValues(t, 1500*12345678, b.Growth)
	require.Less(t, len(b.Packages)*180, 40<<10)
	require.Equal(t, b.Count, len(b.Packages)+b.Omitted)
}
