package fleet_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// confinement returns the lines of a unit that confine its program, without names of channels and programs.
func confinement(t *testing.T, path, channel string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(text), "PrivateUsers=yes\n")
	require.True(t, ok, path)
	rest, _, _ = strings.Cut(rest, "[Install]")
	return strings.ReplaceAll(strings.ReplaceAll(rest, "blunux-"+channel+"-bridge", "PROGRAM"), "/"+channel, "/CHANNEL")
}

func TestTheBridgeIsConfinedAsAMessengersIs(t *testing.T) {
	require.Equal(
		t,
		confinement(t, "../systemd/blunux-telegram-bridge.service", "telegram"),
		confinement(t, "blunux-fleet-bridge.service", "fleet"),
	)
}

// TestTheUnitsWorkUnderARealUserManager sets up a fleet of one computer as docs/fleet.md says.
func TestTheUnitsWorkUnderARealUserManager(t *testing.T) {
	bin, err := programs()
	require.NoError(t, err)
	own, err := ownPrograms()
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "units") // of a user who is not root
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	for _, from := range []string{bin, own} {
		out, err := exec.Command("cp", "-r", from+"/.", dir).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	absolute := func(path string) string {
		path, err := filepath.Abs(path)
		require.NoError(t, err)
		return path
	}
	story, err := os.ReadFile("testdata/units.sh")
	require.NoError(t, err)
	for name, from := range map[string]string{"systemd": "../systemd", "fleet": "."} { // the user may not read this directory
		require.NoError(t, os.Mkdir(filepath.Join(dir, name+".d"), 0o755))
		units, err := filepath.Glob(from + "/blunux-*.s*")
		require.NoError(t, err)
		for _, u := range units {
			text, err := os.ReadFile(u)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+".d", filepath.Base(u)), text, 0o644))
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "story.sh"), story, 0o755))
	before := "mkdir /run/policy && echo 'approve = [\"manage_service\"]' >/run/policy/fleet.toml\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "before.sh"), []byte(before), 0o755))
	cmd := exec.Command("bash", absolute("../test/e2e/testenv/systemd-user.sh"), "--before", filepath.Join(dir, "before.sh"),
		"--net", // another server may listen on this machine
		"--env", "BIN="+dir, "--env", "SYSTEMD="+dir+"/systemd.d", "--env", "FLEET="+dir+"/fleet.d",
		"--", "bash", filepath.Join(dir, "story.sh"))
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		t.Skipf("no real systemd here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "story complete", "%s", out)
}
