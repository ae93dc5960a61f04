package systemd_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/systemd"
)

// unit returns what an embedded unit sets, values by key.
func unit(t *testing.T, name string) map[string][]string {
	t.Helper()
	text, err := systemd.Units.ReadFile(name)
	require.NoError(t, err)
	set := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			set[key] = append(set[key], value)
		}
	}
	return set
}

// TestThreat26TheUnitBoundsWhatRunsInIt: processes and memory of the daemon
// and everything it starts, systemd.resource-control(5).
func TestThreat26TheUnitBoundsWhatRunsInIt(t *testing.T) {
	service := unit(t, "blunux-ai-agent.service")
	require.Equal(t, []string{"512"}, service["TasksMax"])
	require.Equal(t, []string{"1G"}, service["MemoryHigh"])
	require.Equal(t, []string{"mixed"}, service["KillMode"], "what is left is killed with the daemon")
	require.Equal(t, []string{"20s"}, service["TimeoutStopSec"])
}

// TestThreat33TheUnitTakesEveryRightThatNothingInItNeeds is the list; that each
// of them bites, a story under a real manager shows (e2e, hardening.sh).
func TestThreat33TheUnitTakesEveryRightThatNothingInItNeeds(t *testing.T) {
	service := unit(t, "blunux-ai-agent.service")
	for _, key := range []string{"NoNewPrivileges", "LockPersonality", "RestrictRealtime", "RestrictSUIDSGID"} {
		require.Equal(t, []string{"yes"}, service[key], key)
	}
	require.Equal(t, []string{"0"}, service["LimitCORE"], "a core file would hold keys")
	require.Equal(t, []string{"user mnt net ipc"}, service["RestrictNamespaces"], "those of the sandbox, no others")
	require.Equal(t, []string{"AF_UNIX AF_INET AF_INET6 AF_NETLINK"}, service["RestrictAddressFamilies"])
	require.Equal(t, []string{"native"}, service["SystemCallArchitectures"])
	require.Equal(t, []string{"EPERM"}, service["SystemCallErrorNumber"], "refused, not killed: programs go on without")
	require.Len(t, service["SystemCallFilter"], 3)
	require.True(t, strings.HasPrefix(service["SystemCallFilter"][0], "@system-service "))
	require.True(t, strings.HasPrefix(service["SystemCallFilter"][2], "~"))
	// What does nothing in a user's manager, ends the start, or hides the machine
	// from the commands that are to tell of it: docs/security.md, "The unit".
	for _, key := range []string{
		"PrivateUsers", "ProtectSystem", "ProtectHome", "ReadWritePaths", "PrivateTmp", "PrivateDevices", "ProtectClock", "ProtectHostname",
		"ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables", "ProtectControlGroups", "ProtectProc", "CapabilityBoundingSet",
		"MemoryDenyWriteExecute", "IPAddressDeny", "DevicePolicy",
	} {
		require.NotContains(t, service, key)
	}
}

// TestThreat33TheUnitsStartOneProgramAndHandOutNoKey: nothing but the daemon,
// with no environment, credential or command of anybody else's.
func TestThreat33TheUnitsStartOneProgramAndHandOutNoKey(t *testing.T) {
	entries, err := systemd.Units.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, entries, 4, "no other unit comes with the program")
	started := []string{}
	for _, e := range entries {
		for key, values := range unit(t, e.Name()) {
			require.NotContains(t, []string{
				"Environment", "EnvironmentFile", "PassEnvironment", "LoadCredential", "LoadCredentialEncrypted", "SetCredential", "ImportCredential",
			}, key, e.Name())
			if strings.HasPrefix(key, "Exec") {
				started = append(started, values...)
			}
		}
	}
	slices.Sort(started)
	require.Equal(t, []string{"/bin/kill -HUP $MAINPID", "/usr/bin/blunux-ai daemon"}, started)
	require.Equal(t, []string{"0600"}, unit(t, "blunux-ai-agent.socket")["SocketMode"])
	require.Equal(t, []string{"0077"}, unit(t, "blunux-ai-agent.service")["UMask"])
}
