package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

func TestAPolicyIsRootsAndSaysWhatConsolesApprove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.toml")
	p, err := config.ReadPolicy(path, os.Getuid())
	require.NoError(t, err)
	noon := time.Date(2026, 11, 28, 12, 0, 0, 0, time.Local)
	const update = "sudo -n pacman -Syu --noconfirm"
	require.ErrorIs(t, p.Allow("update_system", update, noon), config.ErrNotRemote, "without a policy")

	require.NoError(
		t,
		os.WriteFile(
			path,
			[]byte("approve = [\"update_system\", \"manage_service\"]\nquiet = \"22:00-07:00\"\n"),
			0o644,
		),
	)
	p, err = config.ReadPolicy(path, os.Getuid())
	require.NoError(t, err)
	require.NoError(t, p.Allow("update_system", update, noon))
	require.ErrorIs(t, p.Allow("update_system", update, noon.Add(11*time.Hour)), config.ErrQuiet)
	for _, a := range [][2]string{
		{"run_command", "userdel -r child"},
		{"remove_package", "sudo -n pacman -Rs linux"},
		{"install_package", "sudo -n pacman -S vim"}, // not in this policy
		{"manage_service", "sudo -n systemctl stop NetworkManager.service"},
		{},
	} {
		require.ErrorIs(t, p.Allow(a[0], a[1], noon), config.ErrNotRemote, a[1])
	}

	for _, text := range []string{"approve = [\"run_command\"]\n", "approve = [\"undo\"]\n", "approve = \"all\"\n", "nonsense = 1\n", "quiet = \"night\"\n", "approve = ["} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err = config.ReadPolicy(path, os.Getuid())
		require.ErrorContains(t, err, "only the person here decides", text)
	}
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	_, err = config.ReadPolicy(path, os.Getuid()+1)
	require.ErrorContains(t, err, "root", "a file of somebody else")
	require.NoError(t, os.Chmod(path, 0o666))
	_, err = config.ReadPolicy(path, os.Getuid())
	require.ErrorContains(t, err, "root", "a file that everybody can write")
}
