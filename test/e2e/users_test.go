package e2e

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ordinaryUser is an ordinary user with an empty home and no runtime directory, as in a container.
type ordinaryUser struct {
	t    *testing.T
	uid  int
	home string
	tmp  string
}

func newSomebody(t *testing.T, uid int) *ordinaryUser {
	t.Helper()
	if os.Geteuid() != 0 {
		skip(t, "only root can be somebody else")
	}
	base, err := os.MkdirTemp("", "blunux-user-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(base, 0o755))
	s := &ordinaryUser{t, uid, filepath.Join(base, "home"), filepath.Join(base, "tmp")}
	for _, dir := range []string{s.home, s.tmp} {
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.Chown(dir, uid, uid))
	}
	t.Cleanup(func() {
		s.run("pkill", "-u", strconv.Itoa(uid), "-f", "blunux-ai daemon")
		require.Eventually(t, func() bool {
			_, code := s.run("pgrep", "-u", strconv.Itoa(uid), "-f", "blunux-ai daemon")
			return code == 1
		}, time.Minute, 10*time.Millisecond, "its daemon does not end")
		require.NoError(t, os.RemoveAll(base))
	})
	return s
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// run runs a program as this user.
func (s *ordinaryUser) run(name string, args ...string) (string, int) {
	s.t.Helper()
	if ours := filepath.Join(binaries, name); exists(ours) {
		name = ours
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"HOME=" + s.home, "TMPDIR=" + s.tmp, "PATH=" + binaries + ":/usr/bin:/bin", "LANG=C.UTF-8", "GORACE=" + raceOptions, "BLUNUX_AI_AUTOMATIONS=off"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.uid)}}
	out, err := cmd.CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		require.NoError(s.t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (s *ordinaryUser) socket() string {
	return filepath.Join(s.tmp, "blunux-ai-"+strconv.Itoa(s.uid), "blunux-ai.sock")
}

// TestAnOrdinaryUserInABareContainer: without XDG_RUNTIME_DIR and /run/user, the socket is in a private
// directory below the temporary one.
func TestAnOrdinaryUserInABareContainer(t *testing.T) {
	t.Parallel()
	s := newSomebody(t, 4251)
	out, code := s.run("blunux-aictl", "ask", "disk full?")
	require.Zero(t, code, out)
	require.Contains(t, out, "%")
	out, code = s.run("blunux-aictl", "ask", "디스크 용량 얼마나 남았어?")
	require.Zero(t, code, out)
	require.Regexp(t, "[가-힣]", out)
	fi, err := os.Stat(filepath.Dir(s.socket()))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), fi.Mode().Perm())
	require.EqualValues(t, s.uid, fi.Sys().(*syscall.Stat_t).Uid)
}

// TestThreat13AnotherUserIsNotServed: not even root. The connection is closed before a byte is read.
func TestThreat13AnotherUserIsNotServed(t *testing.T) {
	t.Parallel()
	s := newSomebody(t, 4252)
	out, code := s.run("blunux-aictl", "status")
	require.Zero(t, code, out)

	c, err := net.DialTimeout("unix", s.socket(), 5*time.Second)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	_, _ = c.Write([]byte("{\"type\":\"action\",\"action\":\"ping\",\"from\":\"x\"}\n"))
	got, err := io.ReadAll(c)
	require.Empty(t, got)
	if err != nil {
		require.ErrorIs(t, err, syscall.ECONNRESET)
	}

	// The client also rejects a socket of another user.
	cmd := exec.Command(filepath.Join(binaries, "blunux-aictl"), "status")
	cmd.Env = []string{"HOME=" + t.TempDir(), "BLUNUX_AI_SOCK=" + s.socket(), "PATH=/usr/bin"}
	text, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 3, cmd.ProcessState.ExitCode(), "%s", text)
	require.Contains(t, string(text), "belongs to uid 4252, not to you (uid 0)")
}

// TestThreat14APlantedDirectoryIsRefused: another user has created the private directory first.
func TestThreat14APlantedDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	s := newSomebody(t, 4253)
	require.NoError(t, os.Mkdir(filepath.Dir(s.socket()), 0o777))
	out, code := s.run("blunux-aictl", "ask", "disk full?")
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "belongs to uid 0, not to you (uid 4253)")
	require.Contains(t, out, "BLUNUX_AI_SOCK")
	out, code = s.run("blunux-ai", "daemon")
	require.NotZero(t, code)
	require.Contains(t, out, "belongs to uid 0, not to you")
}

// TestAHomeThatCannotBeWrittenIsToldWithWhatHelps: no command runs, because it could not be logged.
func TestAHomeThatCannotBeWrittenIsToldWithWhatHelps(t *testing.T) {
	t.Parallel()
	s := newSomebody(t, 4254)
	require.NoError(t, os.Chmod(s.home, 0o500))
	out, code := s.run("blunux-aictl", "ask", "disk full?")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "permission denied")
	require.Contains(t, out, "ls -ld "+s.home)
	require.NotContains(t, out, "Source:")
	require.NoError(t, os.Chmod(s.home, 0o700))
	out, code = s.run("blunux-aictl", "ask", "disk full?")
	require.Zero(t, code, "it works as soon as the home does: %s", out)
}
