package tools_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/test/unittest"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
)

// withShortTimeouts sets short timeouts for all commands.
func withShortTimeouts(o *tools.Options) {
	o.Timeouts = tools.Timeouts{Command: time.Second, Update: time.Second}
}

// TestThreat26ARunawayChildIsGoneAfterTheTimeout: a confirmed command can fork and ignore TERM. The command,
// its children and its pipes are gone after the timeout.
func TestThreat26ARunawayChildIsGoneAfterTheTimeout(t *testing.T) {
	d := newTestGate(t, withShortTimeouts)
	out := d.call("run_command", command(`trap "" TERM; for i in 1 2 3; do (trap "" TERM; echo $BASHPID; while :; do sleep 60; done) & done; echo $$; wait`), allowing())
	require.True(t, out.Output.Steps[0].TimedOut)
	list := unittest.PIDs(t, out.Output.Steps[0].Stdout)
	require.Len(t, list, 4)
	for _, pid := range list {
		unittest.WaitEnded(t, pid)
	}
}

// sudoWithPassword returns a directory with a sudo that needs a password: with -n it fails, without it only
// reads from the terminal.
func sudoWithPassword(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sudo"), []byte(`#!/bin/sh
echo "askpass:$SUDO_ASKPASS"
if [ "$1" = -n ]; then echo "sudo: a password is required" >&2; exit 1; fi
if [ "$1" = -S ]; then read -r password || { echo "sudo: no password was provided" >&2; exit 1; }; fi
if read -r password </dev/tty; then exec "$@"; fi 2>/dev/null
echo "sudo: a terminal is required to read the password" >&2
exit 1
`), 0o755))
	return dir
}

// TestThreat29SudoThatWantsAPasswordEndsAtOnce: a command has no terminal, no input and no askpass program, so
// sudo cannot ask for a password.
func TestThreat29SudoThatWantsAPasswordEndsAtOnce(t *testing.T) {
	t.Setenv("SUDO_ASKPASS", "/usr/bin/false")
	d := newTestGate(t, func(o *tools.Options) {
		o.Executor = executor.New(executor.Options{
			Path: []string{sudoWithPassword(t), "/usr/bin", "/bin"}, Getenv: os.Getenv, Sandbox: newSandbox(t),
		})
	})
	trace := filepath.Join(d.dir, "trace")
	for text, says := range map[string]string{
		"sudo -n touch " + trace: "a password is required", "sudo touch " + trace: "a terminal is required",
		"sudo -S touch " + trace: "no password was provided",
	} {
		p := allowing()
		out := d.call("run_command", command(text), p)
		require.True(t, p.shown[0].Privileged, text)
		require.True(t, out.IsError, text)
		require.False(t, out.Output.Steps[0].TimedOut, text)
		require.Contains(t, out.Text, says, text)
		require.Contains(t, out.Text, "askpass:\n", text)
		require.NoFileExists(t, trace)
	}
}

// TestThreat30HostileNamesReachNobody: the gate refuses such a name without a question, a command or a line in
// the log.
func TestThreat30HostileNamesReachNobody(t *testing.T) {
	d, p := newTestGate(t), allowing()
	for _, name := range []string{"-Rdd", "--config=/x", "--", "a;b", "$(x)", "a\nb;c", "`x`", "../x", "a b -y"} {
		for _, tool := range []string{"install_package", "remove_package", "package_info", "manage_service"} {
			out := d.call(tool, map[string]any{"name": name, "action": "start", "approved": true}, p)
			require.Equal(t, tools.RefusedInput, out.Output.Refusal, "%s %q", tool, name)
			require.True(t, out.IsError)
		}
	}
	require.Empty(t, p.shown)
	require.Empty(t, d.logged())
}
