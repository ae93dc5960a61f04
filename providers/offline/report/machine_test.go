package report

import (
	"maps"
	"slices"
	"testing"

	"github.com/nidoit/blunux-ai/machine"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

func TestSensorLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		h    machine.Temperature
		want float64
	}{
		"none named":           {machine.Temperature{}, 90},
		"Intel, high below":    {machine.Temperature{High: 80, Crit: 100}, 90},
		"Intel, high and crit": {machine.Temperature{High: 100, Crit: 100}, 97},
		"NVMe":                 {machine.Temperature{High: 81.8, Crit: 84.8}, 81.8},
		"critical only":        {machine.Temperature{Crit: 119}, 109},
		"a nonsense limit":     {machine.Temperature{High: 20}, 90},
	} {
		require.InDelta(t, tt.want, tt.h.Limit(), 0.01, name)
	}
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
