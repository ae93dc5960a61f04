package e2e

import "testing"

// TestFailedServicesOfflineAreToldAsTheyAre: services that really failed, each
// its own way, and the one that is well; nothing is changed without a yes.
func TestFailedServicesOfflineAreToldAsTheyAre(t *testing.T) {
	onABootedSystem(t, "offline-units.sh", "offline.before.sh", nil, "--group", "systemd-journal")
}

// TestLogsOfflineAreCountedTruly: of a user who may read the whole journal.
func TestLogsOfflineAreCountedTruly(t *testing.T) {
	onABootedSystem(t, "offline-logs.sh", "offline.before.sh", nil, "--group", "systemd-journal")
}

// TestLogsOfflineOfAUserWhoMayNotReadThem: the part that can be seen is told,
// and that it is a part.
func TestLogsOfflineOfAUserWhoMayNotReadThem(t *testing.T) {
	onABootedSystem(t, "offline-logs.sh", "offline.before.sh", nil)
}

// TestUpdatesOfflineAreOfferedAndAskBeforeTheyRun: a kernel among them, and
// what a yes to the offer does.
func TestUpdatesOfflineAreOfferedAndAskBeforeTheyRun(t *testing.T) {
	onASystemWithPacman(t, "offline-packages.sh", "NOPASSWD: ALL")
}
