package systemd_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/systemd"
)

// unit returns the settings of an embedded unit, values by key.
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

// Limits on processes and memory of the daemon and its children, systemd.resource-control(5).
func TestThreat26TheUnitBoundsWhatRunsInIt(t *testing.T) {
	service := unit(t, "blunux-ai-agent.service")
	require.Equal(t, []string{"512"}, service["TasksMax"])
	require.Equal(t, []string{"1G"}, service["MemoryHigh"])
	require.Equal(t, []string{"mixed"}, service["KillMode"], "what is left is killed with the daemon")
	require.Equal(t, []string{"20s"}, service["TimeoutStopSec"])
}

// Checks the list of restrictions. That each takes effect is tested with a real manager (e2e, hardening.sh).
func TestThreat33TheUnitTakesEveryRightThatNothingInItNeeds(t *testing.T) {
	service := unit(t, "blunux-ai-agent.service")
	for _, key := range []string{"NoNewPrivileges", "LockPersonality", "RestrictRealtime", "RestrictSUIDSGID"} {
		require.Equal(t, []string{"yes"}, service[key], key)
	}
	require.Equal(t, []string{"1"}, service["LimitCORE"], "a core file would hold keys, and 0 still feeds a collector of cores: core(5)")
	require.Equal(t, []string{"user mnt net ipc"}, service["RestrictNamespaces"], "those of the sandbox, no others")
	require.Equal(t, []string{"AF_UNIX AF_INET AF_INET6 AF_NETLINK"}, service["RestrictAddressFamilies"])
	require.Equal(t, []string{"native"}, service["SystemCallArchitectures"])
	require.Equal(t, []string{"EPERM"}, service["SystemCallErrorNumber"], "refused, not killed: programs go on without")
	require.Len(t, service["SystemCallFilter"], 3)
	require.True(t, strings.HasPrefix(service["SystemCallFilter"][0], "@system-service "))
	require.True(t, strings.HasPrefix(service["SystemCallFilter"][2], "~"))
	// These have no effect in a user manager, prevent the start, or hide the machine from the commands that
	// inspect it: docs/security.md, "The unit".
	for _, key := range []string{
		"PrivateUsers", "ProtectSystem", "ProtectHome", "ReadWritePaths", "PrivateTmp", "PrivateDevices", "ProtectClock", "ProtectHostname",
		"ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables", "ProtectControlGroups", "ProtectProc", "CapabilityBoundingSet",
		"MemoryDenyWriteExecute", "IPAddressDeny", "DevicePolicy",
	} {
		require.NotContains(t, service, key)
	}
}

// The units start only the daemon and the bridges, without environment variables, credentials or commands from
// elsewhere.
func TestThreat33TheUnitsStartOneProgramAndHandOutNoKey(t *testing.T) {
	entries, err := systemd.Units.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, entries, 10, "no other unit comes with the program")
	started := []string{}
	for _, e := range entries {
		for key, values := range unit(t, e.Name()) {
			require.NotContains(t, []string{
				"Environment", "EnvironmentFile", "PassEnvironment", "LoadCredential", "LoadCredentialEncrypted", "SetCredential", "ImportCredential",
			}, key, e.Name())
			if strings.HasPrefix(key, "Exec") && key != "ExecPaths" {
				started = append(started, values...)
			}
		}
	}
	slices.Sort(started)
	require.Equal(t, []string{"/bin/kill -HUP $MAINPID", "/usr/bin/blunux-ai daemon", "/usr/bin/blunux-discord-bridge", "/usr/bin/blunux-telegram-bridge", "/usr/bin/blunux-wa-bridge", "/usr/lib/blunux-ai/blunux-ai-gateway"}, started)
	for _, name := range []string{"blunux-ai-agent.socket", "blunux-ai-bridges.socket"} {
		require.Equal(t, []string{"0600"}, unit(t, name)["SocketMode"], name)
		require.Equal(t, []string{"0700"}, unit(t, name)["DirectoryMode"], name)
	}
	require.Equal(t, []string{"0077"}, unit(t, "blunux-ai-agent.service")["UMask"])
}

// bridgeUnits are the bridges' units, by messenger.
var bridgeUnits = func() map[string]string {
	units := map[string]string{}
	for _, c := range channel.WithBridge() {
		units[c.Name] = c.Unit
	}
	return units
}()

// Checks the list of restrictions. That nothing else is accessible is tested with a real manager (e2e,
// bridges.sh).
func TestThreat33ABridgeSeesItsOwnDirectoryAndItsOwnSocket(t *testing.T) {
	for channel, name := range bridgeUnits {
		u := unit(t, name)
		require.Equal(t, []string{"%E/blunux-ai/" + channel + " %t/blunux-ai-bridges/" + channel}, u["BindPaths"], name)
		require.Equal(t, []string{"-%t/systemd/notify", "-/run/systemd/resolve -/run/NetworkManager -/run/resolvconf -/run/connman"}, u["BindReadOnlyPaths"], name)
		hidden := strings.Fields(strings.Join(u["TemporaryFileSystem"], " "))
		for _, dir := range []string{"%h:ro", "%t:ro,mode=0700", "%E/blunux-ai:ro,mode=0700", "/home:ro", "/root:ro", "/run:ro", "/var:ro"} {
			require.Contains(t, hidden, dir, name)
		}
		for _, key := range []string{
			"PrivateUsers", "PrivateTmp", "PrivateDevices", "PrivateIPC", "NoNewPrivileges", "LockPersonality", "RestrictRealtime", "RestrictSUIDSGID", "RestrictNamespaces",
			"MemoryDenyWriteExecute", "ProtectClock", "ProtectHostname", "ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables", "ProtectControlGroups",
		} {
			require.Equal(t, []string{"yes"}, u[key], "%s: %s", name, key)
		}
		require.Equal(t, []string{"strict"}, u["ProtectSystem"], name)
		require.Equal(t, []string{"AF_UNIX AF_INET AF_INET6 AF_NETLINK"}, u["RestrictAddressFamilies"], name)
		require.Equal(t, []string{""}, u["CapabilityBoundingSet"], name)
		require.Equal(t, []string{"0"}, u["LimitCORE"], "a core file would hold what people wrote")
		require.Equal(t, []string{"0077"}, u["UMask"], name)
		require.Equal(t, u["ExecStart"], u["ExecPaths"], "it starts nothing but itself")
		require.NotContains(t, u, "ReadWritePaths", name)
	}
}

// The exit codes are the programs' part.
func TestABridgesUnitStartsWhereSomebodyIsLoggedInAndRestsWhereThePersonIsNeeded(t *testing.T) {
	var listen []string
	for _, c := range channel.WithBridge() {
		require.Equal(t, []string{"%E/blunux-ai/" + c.Name + "/" + c.Login}, unit(t, c.Unit)["ConditionPathExists"])
		listen = append(listen, "%t/blunux-ai-bridges/"+c.Name+"/socket")
	}
	for _, name := range bridgeUnits {
		u := unit(t, name)
		require.Equal(t, []string{"on-failure"}, u["Restart"], name)
		require.Equal(t, []string{"75 78"}, u["RestartPreventExitStatus"], name)
		require.Equal(t, []string{"0"}, u["StartLimitIntervalSec"], "a bad day of the network is no reason to give up")
		require.Equal(t, []string{"notify"}, u["Type"], name)
		require.Equal(t, []string{"blunux-ai-bridges.socket"}, u["Requires"], "not the daemon, which may rest")
		require.Equal(t, []string{"64"}, u["TasksMax"], name)
		require.NotEmpty(t, u["MemoryHigh"], name)
	}
	sockets := unit(t, "blunux-ai-bridges.socket")
	require.Equal(t, append(listen, "%t/blunux-ai-bridges/gateway/socket", "%t/blunux-ai-bridges/fleet/socket"), sockets["ListenStream"])
	require.Equal(t, []string{"blunux-ai-agent.service"}, sockets["Service"])
	require.Equal(t, []string{"blunux-ai-agent.socket blunux-ai-bridges.socket"}, unit(t, "blunux-ai-agent.service")["Sockets"])
}

// TestThreat38TheGatewaysUnitHasOneListeningSocketAndNoWayToANetwork: that nothing else is accessible is tested with a real
// manager (e2e, gateway.sh).
func TestThreat38TheGatewaysUnitHasOneListeningSocketAndNoWayToANetwork(t *testing.T) {
	bridge, u := unit(t, "blunux-telegram-bridge.service"), unit(t, "blunux-ai-gateway.service")
	require.Equal(t, []string{"AF_UNIX"}, u["RestrictAddressFamilies"])
	require.Equal(t, []string{"%E/blunux-ai/gateway %t/blunux-ai-bridges/gateway"}, u["BindPaths"])
	require.Equal(t, []string{"-%t/systemd/notify -%t/blunux-fleet"}, u["BindReadOnlyPaths"])
	require.Equal(t, u["ExecStart"], u["ExecPaths"], "it starts nothing but itself")
	for key, values := range bridge {
		switch key {
		case "Description", "ConditionPathExists", "Requires", "After", "StartLimitIntervalSec", "ExecStart", "ExecPaths", "NoExecPaths", "Restart", "RestartSec",
			"RestartSteps", "RestartMaxDelaySec", "RestartPreventExitStatus", "MemoryHigh", "BindPaths", "BindReadOnlyPaths", "RestrictAddressFamilies", "WantedBy":
		default:
			require.Equal(t, values, u[key], "%s as for the bridges", key)
		}
	}
	socket := unit(t, "blunux-ai-gateway.socket")
	require.Equal(t, []string{"127.0.0.1:18789"}, socket["ListenStream"])
	require.Equal(t, []string{"%E/blunux-ai/gateway/tokens.json"}, socket["ConditionPathExists"])
}
