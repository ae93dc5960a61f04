package machine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// read returns what a reader finds in an output.
func read[T any](parse func([]byte) (T, error), output string) T {
	v, _ := parse([]byte(output))
	return v
}

// tryRead returns the value in an output, and whether it could be read.
func tryRead[T any](parse func([]byte) (T, error), output string) (T, bool) {
	v, err := parse([]byte(output))
	return v, err == nil
}

func TestTopTellsTheLastPicture(t *testing.T) {
	snap, ok := tryRead(ParseTop, "top - 09:00:01 up 1:02, 1 user, load average: 0,52, 0,58, 0,59\n%Cpu(s):  6,1 us,  2,0 sy,  0,0 ni, 90,0 id,  1,9 wa\n"+
		"    PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND\n 7 blu 20 0 1 822344 1 S 61,0 5,1 12:41.90 first\n"+
		"top - 09:00:03 up 1:02, 1 user, load average: 0,48, 0,57, 0,59\n%Cpu(s):  6,1 us,  2,0 sy,  0,0 ni, 90,0 id,  1,9 wa\n"+
		"    PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND\n 8 blu 20 0 11,5g 1,7g 1 D 7,0 5,1 12:41.90 Web Content\n 9 blu 20 0 1 4096 1 S 3,0 0,1 0:01.00 Web Content\n")
	require.True(t, ok)
	require.InDelta(t, 0.48, snap.Load, 0.001)
	require.InDelta(t, 8.1, snap.Busy, 0.001)
	require.InDelta(t, 1.9, snap.Waiting, 0.001)
	require.Equal(t, []string{"Web Content"}, snap.WaitingPrograms())
	require.Len(t, snap.Busiest(), 1)
	require.InDelta(t, 10.0, snap.Busiest()[0].CPU, 0.001)
	_, ok = tryRead(ParseTop, "command not found")
	require.False(t, ok)
}

func TestNewerKernels(t *testing.T) {
	require.True(t, IsNewerKernel("6.17.8-arch1-1", "6.17.7-arch1-2"))
	require.False(t, IsNewerKernel("6.17.7-arch1-1", "6.17.7-arch1-1"))
	require.True(t, IsNewerKernel("6.17.10-arch1-1", "6.17.9-arch1-1"))
	require.Equal(t, KernelFlavor("6.17.8-arch1-1"), KernelFlavor("6.17.7-arch1-1"))
	require.NotEqual(t, KernelFlavor("6.12.58-1-lts"), KernelFlavor("6.17.7-arch1-1"))
}

func TestCrashRows(t *testing.T) {
	require.Equal(t, []Crash{{"2026-11-19 21:14", "1203", "SIGSEGV", "/usr/bin/gnome-shell"}, {"2026-11-20 10:00", "9", "6", "/opt/my app/x"}},
		read(ParseCrashes, "TIME PID UID GID SIG COREFILE EXE SIZE\nThu 2026-11-19 21:14:03 KST    1203 1000 1000 SIGSEGV present  /usr/bin/gnome-shell          41.2M\n금 2026-11-20 10:00:00 KST 9 0 0 6 missing /opt/my app/x -\nnonsense\n"))
}

func TestBatteriesOfMiceAreNotTheMachines(t *testing.T) {
	require.Empty(t, read(ParseUPower, "Device: /org/freedesktop/UPower/devices/battery_hidpp_battery_0\n  power supply:         no\n  mouse\n    percentage:          50%\n"))
	require.Empty(t, Batteries(read(ParseSupplies, "POWER_SUPPLY_NAME=hid-1\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_SCOPE=Device\nPOWER_SUPPLY_CAPACITY=50\n")))
	two := Batteries(read(ParseSupplies, "POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_CAPACITY=50\nPOWER_SUPPLY_NAME=BAT1\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_CAPACITY=70\n"))
	require.Len(t, two, 2)
	require.Equal(t, "BAT1", two[1].Name)
}

func TestTerseFieldsMayHoldColons(t *testing.T) {
	require.Equal(t, []string{"wlan0", "wifi", "connected", "my:net\\"}, SplitTerse(`wlan0:wifi:connected:my\:net\\`))
	require.Equal(t, []string{""}, SplitTerse(""))
	require.Equal(t, []string{"a", ""}, SplitTerse(`a:`))
}

func TestAudioNodesOfVideoDoNotCount(t *testing.T) {
	a, ok := tryRead(ParseAudio, "Audio\n ├─ Sinks:\n │  *   55. Speakers (x)    [vol: 1.25]\n ├─ Sources:\n │      56. Mic   [vol: 0.05 MUTED]\nVideo\n ├─ Sources:\n │  *   62. Cam   [vol: 1.00]\n")
	require.True(t, ok)
	require.Equal(t, []AudioNode{{ID: "55", Name: "Speakers (x)", Volume: 125, Current: true}}, a.Sinks)
	require.Equal(t, []AudioNode{{ID: "56", Name: "Mic", Volume: 5, Muted: true}}, a.Sources)
}

func TestClockDrift(t *testing.T) {
	clock := func(rtc, local string) Clock {
		c, _ := tryRead(ParseClock, "Local time: Sun 2026-11-22 10:00:00 KST\nUniversal time: Sun 2026-11-22 01:00:00 UTC\nRTC time: "+rtc+"\nTime zone: Asia/Seoul (KST, +0900)\nRTC in local TZ: "+local+"\n")
		return c
	}
	require.Equal(t, 9*time.Hour, clock("Sun 2026-11-22 10:00:00", "no").Drift())
	require.Zero(t, clock("Sun 2026-11-22 10:00:00", "yes").Drift())
	require.Zero(t, clock("n/a", "no").Drift())
}

func TestPrintersOfLpstat(t *testing.T) {
	p := read(ParsePrinting, "scheduler is running\nno system default destination\ndevice for A: usb://x\nprinter A disabled since Sat Nov 21 09:10:00 2026 -\n\tOut of paper\nA-7  blu  11264  Sat Nov 21 09:11:00 2026\nA not accepting requests since Sat -\n\tRejecting Jobs\n")
	require.Equal(t, []PrintQueue{{Name: "A", Device: "usb://x", Reason: "Out of paper", Since: "Sat Nov 21 09:10:00 2026", Disabled: true, Rejecting: true}}, p.Queues)
	require.Equal(t, 1, p.Jobs)
	require.Empty(t, p.DefaultName)
}

func TestOrphansNameWhoCanUseThem(t *testing.T) {
	require.Equal(t, []Orphan{
		{Name: "blunux-orphan", Version: "0.1-1", Size: "0.00 B"},
		{Name: "blunux-viewer", Version: "2.0-1", Size: "1.20 MiB", OptionalFor: []string{"blunux-hello", "htop"}},
	}, read(ParseOrphans, string(recorded(t, "orphans.txt"))))
	_, ok := tryRead(ParseOrphans, "Name : a\nVersion : 1\nRequired By : b\n")
	require.False(t, ok, "a package that is required is no orphan")
}

func TestOwnersOfPaths(t *testing.T) {
	require.Equal(t, []Owner{{"/var/lib/a b", false, Ownership{"root", "root", "0", "0", "700", true}}}, read(ParseOwners, "root root 0 0 700 directory:/var/lib/a b\n"))
	require.True(t, read(ParseOwners, "app app 9 9 777 symbolic link:/var/lib/app/x\n")[0].Link)
}

func TestPermissionsOfAnOwner(t *testing.T) {
	dir := Ownership{User: "root", Group: "app", Mode: "2750"}
	require.True(t, dir.Allows("root", MayWrite))
	require.True(t, dir.Allows("app", MayEnter))
	require.False(t, dir.Allows("app", MayWrite))
	require.False(t, dir.Allows("other", MayEnter))
	require.True(t, Ownership{User: "app", Mode: "700"}.Allows("app", MayWrite))
	require.False(t, Ownership{User: "app", Mode: "500"}.Allows("app", MayWrite))
}
