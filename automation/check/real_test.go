package check_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// localRunner runs SAFE commands on this machine.
type localRunner struct{}

func (localRunner) Run(ctx context.Context, argv ...string) (check.Output, error) {
	if v := judge().JudgeArgv("", argv); v.Class != safety.Safe {
		return check.Output{}, fmt.Errorf("%w: %v", check.ErrRefused, v.Reasons)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return check.Output{}, fmt.Errorf("%w: %s", check.ErrMissing, argv[0])
	case err != nil && !errors.As(err, &exit):
		return check.Output{}, err
	}
	return check.Output{Stdout: stdout.String(), Stderr: stderr.String(), Exit: cmd.ProcessState.ExitCode()}, nil
}

func TestEveryCheckRunsOnThisMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("asks this machine")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fresh"), []byte("x"), 0o600))
	for _, name := range check.Names() {
		r := run(t, name, localRunner{}, func(p *check.Params) {
			p.Now, p.Home = time.Now(), dir
			if name == "backup" {
				p.Paths = []string{dir}
			}
		})
		requireDisplayable(t, r)
		switch name {
		case "disk", "memory":
			require.NotEmpty(t, r.Figures, "%s: %v", name, r.Unknown)
		case "backup":
			require.Empty(t, r.Findings)
			require.Empty(t, r.Unknown)
		}
		t.Log(check.Report(i18n.Korean, name, check.Notification{Silent: true}, r, nil, time.Time{}))
	}
}

func TestABackupIsAsOldAsItsNewestFile(t *testing.T) {
	if testing.Short() {
		t.Skip("asks this machine")
	}
	dir := t.TempDir()
	look := func(path string, later time.Duration) check.Result {
		return run(t, "backup", localRunner{}, func(p *check.Params) { p.Now, p.Paths = time.Now().Add(later), []string{path} })
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "in ner"), 0o755))
	file := filepath.Join(dir, "in ner", "copy")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Chtimes(file, time.Unix(1e9, 0), time.Unix(1e9, 0)))
	require.Empty(t, look(dir, time.Hour).Findings, "a copy has the time of what it is a copy of")
	require.Equal(t, []string{"backup_stale"}, codes(look(dir, 10*24*time.Hour)))
	require.Equal(t, 7*24*time.Hour, look(dir, 10*24*time.Hour).Findings[0].Args.For)
	require.Equal(t, []string{"backup_stale"}, codes(look(file, 3*24*time.Hour)))
	require.Equal(t, []string{"backup_missing"}, codes(look(filepath.Join(dir, "nothing"), 0)))
}

func TestUpdatesOfARealPacman(t *testing.T) {
	if testing.Short() {
		t.Skip("makes packages")
	}
	// makepkg runs as another user, who has no access to t.TempDir.
	dir, err := os.MkdirTemp("", "pacman")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	out, err := exec.Command("bash", "../../test/e2e/testenv/pacman-root.sh", dir).CombinedOutput()
	var failed *exec.ExitError
	if os.Geteuid() != 0 || errors.As(err, &failed) && failed.ExitCode() == 77 {
		skip(t, "no pacman here: "+string(out))
	}
	require.NoError(t, err, "%s", out)
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	require.Empty(t, run(t, "updates", localRunner{}, nil).Findings)
	require.Empty(t, run(t, "updates", localRunner{}, nil).Unknown)
	require.NoError(t, exec.Command("repo-update").Run())
	r := run(t, "updates", localRunner{}, nil)
	require.Equal(t, []string{"linux"}, r.Findings[0].Args.Names[:1])
	require.Empty(t, r.Unknown)
	require.Equal(t, 1.0, run(t, "orphans", localRunner{}, nil).Figures[0].Value)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// skip skips a test with a reason. In CI, where everything is installed, it fails instead.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
