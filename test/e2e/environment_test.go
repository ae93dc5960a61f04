package e2e

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThreat33NoKeyReachesACommand: the daemon has keys in its environment and files. The environment and the
// open files of a command contain none.
func TestThreat33NoKeyReachesACommand(t *testing.T) {
	t.Parallel()
	const key = "sk-ant-kept-f81c3b7a90d24e65"
	d := newMachine(t, `
[[step]]
user = "dump"
[[step.tool]]
name = "run_command"
input = { command = "cp /proc/self/environ environment; ls -l /proc/self/fd > files" }
[[step]]
text = "dumped"
`)
	for _, name := range []string{
		"ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY", "OPENAI_API_KEY", "ZAI_API_KEY", "GEMINI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD_", "BLUNUX_AI_TOKEN",
	} {
		d.env = append(d.env, name+"="+key)
	}
	d.env = append(d.env, "CREDENTIALS_DIRECTORY="+d.home+"/credentials", "SSH_AUTH_SOCK="+d.home+"/agent", "NOTIFY_SOCKET="+d.home+"/notify")
	d.write("credentials/claude", key+"\n")
	require.Contains(t, d.run([]string{"y"}, "ask", "dump"), "dumped")

	environment, err := os.ReadFile(d.home + "/environment")
	require.NoError(t, err)
	require.NotContains(t, string(environment), key)
	names := []string{}
	for kv := range strings.SplitSeq(strings.TrimRight(string(environment), "\x00"), "\x00") {
		name, _, _ := strings.Cut(kv, "=")
		names = append(names, name)
	}
	require.Subset(t, []string{
		"HOME", "XDG_RUNTIME_DIR", "USER", "LOGNAME", "SHELL", "TZ", "PATH", "LC_ALL", "TERM", "NO_COLOR", "COLUMNS",
		"PAGER", "SYSTEMD_PAGER", "GIT_PAGER", "MANPAGER", "LESSSECURE", "SYSTEMD_COLORS", "MANOPT", "PWD", "SHLVL", "_", "OLDPWD",
	}, names)
	files, err := os.ReadFile(d.home + "/files")
	require.NoError(t, err)
	require.NotContains(t, string(files), "credentials")
	require.NotContains(t, string(files), "socket:")

	// The daemon's arguments, which other users can read, contain none either.
	words, err := os.ReadFile("/proc/" + strconv.Itoa(daemonPID(d.home+"/run/blunux-ai.sock")) + "/cmdline")
	require.NoError(t, err)
	require.NotContains(t, string(words), key)
}
