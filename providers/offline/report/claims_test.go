package report

import (
	"maps"
	"os"
	"path/filepath"
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
		"memory": memoryStep, "disk": diskStep, "folder": intent.Call("find_large", "path", "~/Downloads"), "slow": topCPU, "updates": intent.Call("check_updates"), "errors": intent.Call("read_logs", "priority", "err"),
		"crash": intent.Call("read_logs", "priority", "err"), "boot": intent.Call("check_boot"), "ready": intent.Call("diagnose", "topic", "reboot", "lang", "en"), "history": intent.Call("read_logs", "log", "packages"), "undo": intent.Call("recent_changes"), "news": intent.Call("fetch_page", "url", intent.ArchNews), "did": intent.Call("recent_changes", "day", "today"), "orphans": intent.Call("list_packages", "filter", "orphans"), "temperature": heatStep, "battery": intent.Call("check_hardware", "scope", "battery"),
		"busy": topCPU, "running": intent.Call("check_processes", "name", "firefox"), "health": intent.Call("check_hardware", "scope", "disk"),
		"hostname": command("uname -n"), "wish": intent.Call("desktop", "verb", "volume", "act", "show", "lang", "en"),
		"timeline": intent.Call("recent_changes", "everything", true), "cause": intent.Call("diagnose", "topic", "update", "lang", "en"), "rootlook": command("sudo -n nft list ruleset"), "pacnew": intent.Call("pacnew", "lang", "en"), "eject": usbDisks, "drive": diskList, intent.TroubleLock: command("ls -l --time-style=long-iso /var/lib/pacman/db.lck"), intent.TroubleSignature: command("pacman -Q archlinux-keyring"), intent.TroubleDatabase: intent.Call("check_updates"), intent.TroubleSudo: command("id"),
	})
	return all
}

func TestEveryChainIsHeldToItsClaims(t *testing.T) {
	claiming := slices.DeleteFunc(slices.Collect(maps.Keys(diagnoses)), func(name string) bool { return name == "forget" || name == "automation" }) // these two claim nothing about the machine
	require.ElementsMatch(t, claiming, slices.Collect(maps.Keys(allChains())))
}

// claims are words that call something fine or broken.
var claims = []string{
	"is fine", "You have room", "has free space", "no disk error", "is synchronized", "look fine", "accepts jobs", "accepting jobs", "Bluetooth is on", "Connected: ", "is online", "No failed services", "No errors",
	"That's normal.", "no cause for slowness", "up to date", "is connected", "No crash", "No program crash", "shutdown was normal", "is running", "That's fast", "No program uses much CPU",
	"isn't running", "has failed", "is blocked", "is off by a switch", "no sound card", "no output", "is muted", "and muted", "switched off", "doesn't respond", "isn't responding", "does not answer", "no signal from a cable", "is paused", "is low", "no shortage of space", "is full", "is off",
	"no device", "No USB device", "shows no USB storage", "no usable Wi-Fi", "No Wi-Fi", "Not connected to a Wi-Fi", "No update", "caused by overheating", "restarting looks safe", "No package changes", "Reading or writing failed", "no record here", "There is no folder",
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

// TestEveryClaimIsInATextOfTheHelper finds claims that a change of the texts has made useless.
func TestEveryClaimIsInATextOfTheHelper(t *testing.T) {
	texts := catalogue(t)
	for _, claim := range claims {
		if !strings.Contains(texts, claim) {
			t.Error(claim)
		}
	}
}

// catalogue reads the texts of the helper and of causes.
func catalogue(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../../i18n/catalogue/helper/*.toml")
	require.NoError(t, err)
	causes, err := filepath.Glob("../../../i18n/catalogue/causes-*.toml")
	require.NoError(t, err)
	files = append(append(files, causes...), "../../../i18n/catalogue/desk.toml")
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
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
