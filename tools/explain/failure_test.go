package explain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/explain"
)

func TestAFailureLeadsToItsQuestion(t *testing.T) {
	for _, c := range []struct {
		command, output string
		status          []int
		program, topic  string
		object          string
	}{
		{"htopp -d 5", "bash: htopp: command not found", []int{127}, "htopp", "start", "htopp"},
		{"sudo htopp", "sudo: htopp: command not found", []int{1}, "htopp", "", ""},
		{"sudo systemctl restart nginx", "Job for nginx.service failed because the control process exited with error code.", []int{1}, "systemctl", "unit", "nginx"},
		{"systemctl --user start foo.timer", "", []int{1}, "systemctl", "unit", "foo.timer"},
		{"sudo pacman -Syu", "error: failed to commit transaction (conflicting files)", []int{1}, "pacman", "update", ""},
		{"vlc", "vlc: error while loading shared libraries: libx264.so.164: cannot open shared object file", []int{127}, "vlc", "start", "vlc"},
		{"cp a /mnt/b", "cp: error writing '/mnt/b': No space left on device", []int{1}, "cp", "full", ""},
		{"touch /mnt/a", "touch: cannot touch '/mnt/a': Read-only file system", []int{1}, "touch", "mount", ""},
		{"curl https://exmaple.org", "curl: (6) Could not resolve host: exmaple.org", []int{6}, "curl", "internet", "exmaple.org"},
		{"git pull", "fatal: unable to access: SSL certificate problem: certificate has expired", []int{1}, "git", "certificate", ""},
		{"node server.js", "Error: listen EADDRINUSE: address already in use :::3000", []int{1}, "node", "port", "3000"},
		{"./run.sh", "bash: ./run.sh: Permission denied", []int{126}, "run.sh", "rights", "./run.sh"},
		{"cat /etc/shadow", "cat: /etc/shadow: Permission denied", []int{1}, "cat", "rights", "/etc/shadow"},
		{"sudo ls", "kim is not in the sudoers file.", []int{1}, "ls", "sudo", ""},
		{"python app.py", "ModuleNotFoundError: No module named 'requests'", []int{1}, "python", "foreign", "python"},
		{"sleep 9", "", []int{137}, "sleep", "memory", ""},
		{"true | sh -c 'exit 3' | cat", "", []int{0, 3, 0}, "sh", "", ""},
		{"grep -q x file | wc", "", []int{2, 0}, "grep", "", ""},
		{"make", "make: *** [Makefile:3: all] Error 2", []int{2}, "make", "", ""},
		{"if [ ;", "", []int{2}, "", "", ""},
	} {
		r := explain.Failure{Command: c.command, Status: c.status, Output: c.output}.Read()
		require.Equal(t, []string{c.program, c.topic, c.object}, []string{r.Program, r.Topic, r.Object}, c.command)
		if c.topic != "" {
			topic, known := diagnose.Lookup(c.topic)
			require.True(t, known, c.topic)
			require.False(t, topic.Requires && c.object == "", c.command)
		}
	}
}

func TestAFailureSaysWhatItsStatusMeans(t *testing.T) {
	for status, want := range map[int]string{
		0: "x succeeded (exit status 0).", 1: "x ended with exit status 1.", 126: "x could not be started", 127: "There is no program x",
		130: "x was stopped with Ctrl-C.", 137: "x was killed (KILL)", 139: "x crashed (SEGV)", 143: "x ended by the signal TERM.", 255: "x ended with exit status 255.",
	} {
		require.Contains(t, explain.Failure{Command: "x", Status: []int{status}}.Read().Text(i18n.English), want)
	}
	r := explain.Failure{Command: "make", Status: []int{2}, Output: "cc -c a.c\na.c:1: error: unknown type name\nmake: *** [all] Error 1\nwhy"}.Read()
	require.Equal(t, "make: *** [all] Error 1", r.Line)
}

func FuzzFailure(f *testing.F) {
	f.Add("cat x | grep y", "cat: x: No such file or directory", 1)
	f.Fuzz(func(t *testing.T, command, output string, status int) {
		r := explain.Failure{Command: command, Status: []int{status, 0}, Output: output}.Read()
		_ = r.Text(i18n.Korean)
	})
}
