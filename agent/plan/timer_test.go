package plan

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func timer(name, when, command string) Step {
	return Step{ID: "backup", Verb: "timer", Args: map[string]string{"name": name, "when": when, "command": command}}
}

func TestATimerBecomesFilesAndAUnit(t *testing.T) {
	t.Parallel()
	s := timer("backup", "Mon *-*-* 02:00:00", `tar -cf "$HOME/b-$(date +%F).tar" ~/Documents\ x`)
	s.DependsOn, s.Check, s.Expect = []string{"tar"}, "systemctl --user list-timers", "backup"
	p, err := Plan{Goal: "g", Steps: []Step{
		{ID: "tar", Verb: "install", Args: map[string]string{"name": "tar"}},
		s,
		{ID: "last", Verb: "run", Args: map[string]string{"command": "true"}, DependsOn: []string{"backup"}},
	}}.Expand("/home/kim")
	require.NoError(t, err)
	require.Len(t, p.Steps, 5)
	require.Equal(t, Step{ID: "backup.1", Verb: "write_file", DependsOn: []string{"tar"}, Args: map[string]string{
		"path": "/home/kim/.config/systemd/user/backup.service",
		"content": "[Unit]\nDescription=backup\n\n[Service]\nType=oneshot\n" +
			`ExecStart=/bin/sh -c "tar -cf \"$$HOME/b-$$(date +%%F).tar\" ~/Documents\\ x"` + "\n",
	}}, p.Steps[1])
	require.Equal(t, Step{ID: "backup.2", Verb: "write_file", DependsOn: []string{"backup.1"}, Args: map[string]string{
		"path":    "/home/kim/.config/systemd/user/backup.timer",
		"content": "[Unit]\nDescription=backup\n\n[Timer]\nOnCalendar=Mon *-*-* 02:00:00\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
	}}, p.Steps[2])
	require.Equal(t, Step{
		ID: "backup.3", Verb: "unit", DependsOn: []string{"backup.2"}, Check: s.Check, Expect: s.Expect,
		Args: map[string]string{"action": "enable", "name": "backup.timer", "user": "true", "now": "true"},
	}, p.Steps[3])
	require.Equal(t, []string{"backup.3"}, p.Steps[4].DependsOn)
}

func TestWhatIsNoTimerIsRefused(t *testing.T) {
	t.Parallel()
	for _, s := range []Step{
		timer("a b", "daily", "x"), timer("../x", "daily", "x"), timer("-x", "daily", "x"), timer("x@1", "daily", "x"), timer("x.service", "daily", "x"),
		timer("blunux-ai-agent", "daily", "x"), timer("x", "daily\nUnit=y", "x"), timer("x", "-1", "x"), timer("x", "%h", "x"), timer("x", "daily", "a\nb"),
		timer("x", "daily", " "), timer("x", "daily", "a\x00"),
	} {
		_, err := Plan{Steps: []Step{s}}.Expand("/home/kim")
		require.ErrorContains(t, err, `step "backup": `, "%+v", s.Args)
	}
}

// TestSystemdReadsATimer: systemd accepts the files, and runs the command as it is written.
func TestSystemdReadsATimer(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	p, err := Plan{Steps: []Step{timer("backup.timer", "*-*-1,15 02:30 Asia/Seoul", `echo "100% of $HOME" 'it'"'"'s' \\ > /tmp/x`)}}.Expand("/home/kim")
	require.NoError(t, err)
	dir := t.TempDir()
	var files []string
	for _, s := range p.Steps[:2] {
		files = append(files, filepath.Join(dir, filepath.Base(s.Args["path"])))
		require.NoError(t, os.WriteFile(files[len(files)-1], []byte(s.Args["content"]), 0o600))
	}
	cmd := exec.Command("systemd-analyze", append([]string{"--user", "verify"}, files...)...)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "SYSTEMD_UNIT_PATH="+dir+":")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "backup", "%s", out)
}
