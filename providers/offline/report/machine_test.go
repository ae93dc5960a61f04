package report

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

func TestSensorLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		h    heat
		want float64
	}{
		"none named":           {heat{}, 90},
		"Intel, high below":    {heat{high: 80, crit: 100}, 90},
		"Intel, high and crit": {heat{high: 100, crit: 100}, 97},
		"NVMe":                 {heat{high: 81.8, crit: 84.8}, 81.8},
		"critical only":        {heat{crit: 119}, 109},
		"a nonsense limit":     {heat{high: 20}, 90},
	} {
		require.InDelta(t, tt.want, tt.h.limit(), 0.01, name)
	}
}

func TestTopTellsTheLastPicture(t *testing.T) {
	snap, ok := parseTop("top - 09:00:01 up 1:02, 1 user, load average: 0,52, 0,58, 0,59\n%Cpu(s):  6,1 us,  2,0 sy,  0,0 ni, 90,0 id,  1,9 wa\n" +
		"    PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND\n 7 blu 20 0 1 822344 1 S 61,0 5,1 12:41.90 first\n" +
		"top - 09:00:03 up 1:02, 1 user, load average: 0,48, 0,57, 0,59\n%Cpu(s):  6,1 us,  2,0 sy,  0,0 ni, 90,0 id,  1,9 wa\n" +
		"    PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND\n 8 blu 20 0 11,5g 1,7g 1 D 7,0 5,1 12:41.90 Web Content\n 9 blu 20 0 1 4096 1 S 3,0 0,1 0:01.00 Web Content\n")
	require.True(t, ok)
	require.InDelta(t, 0.48, snap.load, 0.001)
	require.InDelta(t, 8.1, snap.busy, 0.001)
	require.InDelta(t, 1.9, snap.waiting, 0.001)
	require.Equal(t, []string{"Web Content"}, snap.waitingPrograms())
	require.Len(t, snap.busiest(), 1)
	require.InDelta(t, 10.0, snap.busiest()[0].cpu, 0.001)
	_, ok = parseTop("command not found")
	require.False(t, ok)
}

func TestNewerKernels(t *testing.T) {
	require.True(t, newerKernel("6.17.8-arch1-1", "6.17.7-arch1-2"))
	require.False(t, newerKernel("6.17.7-arch1-1", "6.17.7-arch1-1"))
	require.True(t, newerKernel("6.17.10-arch1-1", "6.17.9-arch1-1"))
	require.Equal(t, flavor("6.17.8-arch1-1"), flavor("6.17.7-arch1-1"))
	require.NotEqual(t, flavor("6.12.58-1-lts"), flavor("6.17.7-arch1-1"))
}

func TestCrashRows(t *testing.T) {
	require.Equal(t, []crash{{"2026-11-19 21:14", "1203", "SIGSEGV", "/usr/bin/gnome-shell"}, {"2026-11-20 10:00", "9", "6", "/opt/my app/x"}},
		parseCrashes("TIME PID UID GID SIG COREFILE EXE SIZE\nThu 2026-11-19 21:14:03 KST    1203 1000 1000 SIGSEGV present  /usr/bin/gnome-shell          41.2M\n금 2026-11-20 10:00:00 KST 9 0 0 6 missing /opt/my app/x -\nnonsense\n"))
}

func TestBatteriesOfMiceAreNotTheMachines(t *testing.T) {
	require.Empty(t, parseUPower("Device: /org/freedesktop/UPower/devices/battery_hidpp_battery_0\n  power supply:         no\n  mouse\n    percentage:          50%\n"))
	require.Empty(t, parseSupplies("POWER_SUPPLY_NAME=hid-1\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_SCOPE=Device\nPOWER_SUPPLY_CAPACITY=50\n"))
	two := parseSupplies("POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_CAPACITY=50\nPOWER_SUPPLY_NAME=BAT1\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_CAPACITY=70\n")
	require.Len(t, two, 2)
	require.Equal(t, "BAT1", two[1].name)
}

// TestChainsEndWhateverIsPutOut gives the recorded outputs to the wrong steps, cut at any point. A chain must
// not panic and must answer within five rounds.
func TestChainsEndWhateverIsPutOut(t *testing.T) {
	firsts := map[string]intent.Step{
		"disk": diskStep, "slow": topCPU, "updates": intent.Call("check_updates"), "errors": intent.Call("read_logs", "priority", "err"), "crash": intent.Call("read_logs", "priority", "err"),
		"boot": intent.Call("check_boot"), "temperature": heatStep, "battery": intent.Call("check_hardware", "scope", "battery"), "busy": topCPU, "running": intent.Call("check_processes", "name", "firefox"),
	}
	texts := []string{"", "\n", "df -h", "top - 1\n%Cpu(s): 1 id\n", "Nov 22 08:00:01 h kernel: I/O error, dev sda\n", "Startup finished in 1s (kernel) = 1s", "a 1 -> 2\n", "6.17.8-arch1-1\n"}
	for _, name := range []string{"df-full.txt", "df-btrfs.txt", "free-tight.txt", "ps-mem.txt", "sensors.txt", "upower.txt", "boot-time.txt", "blame.txt", "du.txt", "find.txt", "journal-errors.txt", "failed-units.txt", "updates.txt"} {
		texts = append(texts, recorded(t, name))
	}
	questions := []string{"디스크 왜 꽉 찼어?", "no space left on device", "컴퓨터가 왜 꺼졌어?", "why is it so slow?"}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(firsts))).Draw(rt, "chain")
		c := Case{Lang: rapid.SampledFrom([]i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese}).Draw(rt, "lang"), Home: "/home/blu", RequestedSteps: []intent.Step{firsts[name]}, Diagnoses: []string{name}}
		c.Request = intent.BuiltIn().Read(rapid.SampledFrom(questions).Draw(rt, "question"))
		next := c.RequestedSteps
		for round := 0; len(next) > 0; round++ {
			require.Less(rt, round, 6, name)
			for _, s := range next {
				text := rapid.SampledFrom(texts).Draw(rt, "text")
				text = text[:rapid.IntRange(0, len(text)).Draw(rt, "cut")]
				step := providers.Step{Command: rapid.SampledFrom([]string{"df -h", "du -x", "find /", "systemd-analyze time", "systemd-analyze critical-chain", "checkupdates", "pacman -Qu", "pgrep -a", "ps aux"}).Draw(rt, "command"), Stdout: text, Exit: rapid.IntRange(-1, 2).Draw(rt, "exit"), TimedOut: rapid.Bool().Draw(rt, "late")}
				if rapid.IntRange(0, 5).Draw(rt, "missing") == 0 {
					step.MissingProgram = "program"
				}
				c.Results = append(c.Results, Result{Tool: s.Tool, Input: s.Input, Output: &providers.Output{Steps: []providers.Step{step}}})
			}
			rep := c.Answer()
			next = rep.Next
			if len(next) == 0 {
				require.NotEmpty(rt, rep.Text, name)
				require.NotContains(rt, rep.Text, "%!")
				require.Less(rt, len(rep.Text), 12000)
			}
		}
	})
}
