package bridge_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet/bridge"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestAPolicyIsRootsAndSaysWhatConsolesApprove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.toml")
	p, err := bridge.ReadPolicy(path, os.Getuid())
	require.NoError(t, err)
	noon := time.Date(2026, 11, 28, 12, 0, 0, 0, time.Local)
	update := ipc.Ask{Tool: "update_system", Class: "CONFIRM", Command: "sudo -n pacman -Syu --noconfirm"}
	require.ErrorIs(t, p.Allow(update, noon), bridge.ErrNotRemote, "without a policy")

	require.NoError(
		t,
		os.WriteFile(
			path,
			[]byte("approve = [\"update_system\", \"manage_service\"]\nquiet = \"22:00-07:00\"\n"),
			0o644,
		),
	)
	p, err = bridge.ReadPolicy(path, os.Getuid())
	require.NoError(t, err)
	require.NoError(t, p.Allow(update, noon))
	require.ErrorIs(t, p.Allow(update, noon.Add(11*time.Hour)), bridge.ErrQuiet)
	for _, a := range []ipc.Ask{
		{Tool: "run_command", Class: "CONFIRM", Command: "userdel -r child"},
		{Tool: "remove_package", Class: "CONFIRM", Command: "sudo -n pacman -Rs linux"},
		{Tool: "install_package", Class: "CONFIRM", Command: "sudo -n pacman -S vim"}, // not in this policy
		{Tool: "manage_service", Class: "CONFIRM", Command: "sudo -n systemctl stop NetworkManager.service"},
		{Tool: "update_system", Class: "BLOCKED", Command: "sudo -n pacman -Syu"},
		{},
	} {
		require.ErrorIs(t, p.Allow(a, noon), bridge.ErrNotRemote, a.Command)
	}

	for _, text := range []string{"approve = [\"run_command\"]\n", "approve = [\"undo\"]\n", "approve = \"all\"\n", "nonsense = 1\n", "quiet = \"night\"\n", "approve = ["} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err = bridge.ReadPolicy(path, os.Getuid())
		require.ErrorContains(t, err, "only the person here decides", text)
	}
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	_, err = bridge.ReadPolicy(path, os.Getuid()+1)
	require.ErrorContains(t, err, "root", "a file of somebody else")
	require.NoError(t, os.Chmod(path, 0o666))
	_, err = bridge.ReadPolicy(path, os.Getuid())
	require.ErrorContains(t, err, "root", "a file that everybody can write")
}
