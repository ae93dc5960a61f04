package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailedServicesOfflineAreToldAsTheyAre: services that really failed, each in another way, and a running
// one. Nothing is changed without approval.
func TestFailedServicesOfflineAreToldAsTheyAre(t *testing.T) {
	t.Parallel()
	onABootedSystem(t, "offline-units.sh", "offline.before.sh", nil, "--group", "systemd-journal")
}

// TestLogsOfflineAreCountedTruly: for a user with access to the whole journal.
func TestLogsOfflineAreCountedTruly(t *testing.T) {
	t.Parallel()
	onABootedSystem(t, "offline-logs.sh", "offline.before.sh", nil, "--group", "systemd-journal")
}

// TestLogsOfflineOfAUserWhoMayNotReadThem: the answer covers the visible part and says so.
func TestLogsOfflineOfAUserWhoMayNotReadThem(t *testing.T) {
	t.Parallel()
	onABootedSystem(t, "offline-logs.sh", "offline.before.sh", nil)
}

// TestUpdatesOfflineAreOfferedAndAskBeforeTheyRun: including a kernel, and the effect of accepting the offer.
func TestUpdatesOfflineAreOfferedAndAskBeforeTheyRun(t *testing.T) {
	t.Parallel()
	onASystemWithPacman(t, "offline-packages.sh", "NOPASSWD: ALL")
}

// TestTheDevelopmentCorpusIsPlannedByTheProgram asks every request of the corpus with the real client and
// compares the tool of the first call. Nothing runs, and changes are planned only where the request wants one.
func TestTheDevelopmentCorpusIsPlannedByTheProgram(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "")
	d.write("config.toml", "[ai_agent]\nprovider = \"offline\"\n")
	text, err := os.ReadFile("../../providers/offline/intent/testdata/intents-dev.tsv")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if line[0] == '#' || len(f) < 3 {
			continue
		}
		var doc struct {
			Steps []struct{ Tool string }
			Why   string
		}
		out := d.client("ask", "--dry-run", "--json", "--", f[0])
		require.NoError(t, json.Unmarshal([]byte(out), &doc), "%s: %s", f[0], out)
		tools := strings.Split(f[2], "|")
		if len(doc.Steps) == 0 {
			require.True(t, slices.Contains(tools, "none") || slices.Contains(tools, "refuse"), "%s: %s", f[0], out)
			continue
		}
		require.Contains(t, tools, doc.Steps[0].Tool, "%s: %s", f[0], out)
		require.Contains(t, doc.Why, "score", f[0])
	}
	require.Empty(t, d.log(), "a plan runs nothing")
}

// TestTheDesktopIsOperatedAfterAYes: volume, brightness, Wi-Fi, lock, screenshot, do not disturb and time zone.
func TestTheDesktopIsOperatedAfterAYes(t *testing.T) {
	t.Parallel()
	onABootedSystem(t, "desktop.sh", "offline.before.sh", nil)
}

// TestBluetoothIsOperatedAfterAYes: by the real bluetoothctl, with a BlueZ of python-dbusmock.
func TestBluetoothIsOperatedAfterAYes(t *testing.T) {
	t.Parallel()
	onABootedSystem(t, "radio.sh", "radio.before.sh", nil)
}
