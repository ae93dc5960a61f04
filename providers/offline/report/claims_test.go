package report

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// allChains maps all chains to a call that starts each.
func allChains() map[string]intent.Step {
	all := maps.Clone(deviceChains)
	maps.Copy(all, map[string]intent.Step{
		"memory": memoryStep, "disk": diskStep, "slow": topCPU, "updates": intent.Call("check_updates"), "errors": intent.Call("read_logs", "priority", "err"),
		"crash": intent.Call("read_logs", "priority", "err"), "boot": intent.Call("check_boot"), "ready": readyStep, "history": intent.Call("read_logs", "log", "packages"), "temperature": heatStep, "battery": intent.Call("check_hardware", "scope", "battery"),
		"busy": topCPU, "running": intent.Call("check_processes", "name", "firefox"), "health": intent.Call("check_hardware", "scope", "disk"),
		"hostname": command("uname -n"), "level": command("wpctl get-volume @DEFAULT_AUDIO_SINK@"), "open": command("pacman -Qlq firefox"),
		"eject": usbDisks, "drive": diskList, intent.TroubleLock: pacmanLock, intent.TroubleSignature: keyringVersion, intent.TroubleDatabase: intent.Call("check_updates"), intent.TroubleSudo: whoAmI,
	})
	return all
}

func TestEveryChainIsHeldToItsClaims(t *testing.T) {
	claiming := slices.DeleteFunc(slices.Collect(maps.Keys(diagnoses)), func(name string) bool { return name == "forget" || name == "automation" }) // these two claim nothing about the machine
	require.ElementsMatch(t, claiming, slices.Collect(maps.Keys(allChains())))
}

// claims are words that call something fine or broken.
var claims = []string{
	"is fine", "There is room", "no disk error", "is synchronised", "look right", "looks right", "accepts jobs", "Bluetooth is on", "is online", "No service has failed", "There are no errors",
	"That is normal", "Nothing stands out", "up to date", "is set up for", "is connected", "No crash", "No program crash", "orderly", "is running", "That is quick", "nothing would make it slow", "Nothing uses much CPU",
	"is not running", "has failed", "is blocked", "is switched off", "no sound card", "no output", "is muted", "not powered", "does not answer", "no cable", "is paused", "is short", "is full", "is off",
	"No input method", "was never generated", "no font", "is not set", "no device", "No USB device", "no sign of USB", "Nothing is wrong", "are not running", "no Wi-Fi", "No Wi-Fi", "No update", "went down", "a restart looks safe", "No package was changed", "Reading or writing failed",
}

// unreadableOutputs contain no information, whichever command printed them.
var unreadableOutputs = map[string]providers.Step{
	"not permitted": {Exit: 126, Stderr: "bash: permission denied\n"},
	"killed":        {Exit: 137},
	"late":          {Exit: -1, TimedOut: true},
	"missing":       {Exit: -1, MissingProgram: "program"},
	"broken":        {Stdout: "\xff\xfe ???\n"},
	"broken error":  {Exit: 2, Stdout: "\xff\xfe ???\n", Stderr: "Input/output error\n"},
	"Korean":        {Stdout: "상태: 알 수 없음\n"},
	"huge":          {Stdout: strings.Repeat("lorem ipsum dolor sit amet\n", 20000), Cut: true},
}

func TestNothingIsClaimedOfWhatCouldNotBeRead(t *testing.T) {
	for name, first := range allChains() {
		for kind, step := range unreadableOutputs {
			text := followIn(t, i18n.English, name, first, step).Text
			for _, claim := range claims {
				if strings.Contains(text, claim) {
					t.Errorf("%s, %s: %q in\n%s", name, kind, claim, text)
				}
			}
		}
	}
}
