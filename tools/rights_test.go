package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// fakeRights is a [tools.Rights] with a fixed rung.
type fakeRights struct {
	standing elevation.Status
	manages  bool
	forgot   int
}

func (c *fakeRights) Status(context.Context) elevation.Status   { return c.standing }
func (c *fakeRights) CanManageUnits(context.Context, bool) bool { return c.manages }
func (c *fakeRights) Forget()                                   { c.forgot++ }

// envWithRung is a desktop whose way to root's rights is rung.
func envWithRung(rung elevation.Rung, gone ...string) tools.Env {
	e := arch(gone...)
	e.Rights = func() elevation.Status { return elevation.Status{Rung: rung} }
	return e
}

func TestPlansTakeTheRung(t *testing.T) {
	byName := allTools(t)
	for _, test := range []struct {
		tool, input string
		env         tools.Env
		want        string
	}{
		{"update_system", `{}`, envWithRung(elevation.Run0), "run0 -- pacman -Syu --noconfirm"},
		{"update_system", `{}`, envWithRung(elevation.Pkexec), "pkexec pacman -Syu --noconfirm"},
		{"update_system", `{}`, envWithRung(elevation.Sudo), "sudo -n pacman -Syu --noconfirm"},
		{"remove_package", `{"name":"htop"}`, envWithRung(elevation.Run0, "yay"), "run0 -- pacman -Rns --noconfirm -- htop"},
		{"install_package", `{"name":"htop"}`, envWithRung(elevation.Sudo), "yay -S --noconfirm --sudoloop=false --sudo=sudo --sudoflags=-n -- htop"},
		{"install_package", `{"name":"htop"}`, envWithRung(elevation.Run0), "env PACMAN_AUTH=run0 yay -S --noconfirm --sudoloop=false --sudo=run0 --sudoflags= -- htop"},
		{"manage_service", `{"action":"restart","name":"sshd"}`, envWithRung(elevation.Pkexec), "pkexec systemctl restart -- sshd"},
		{"manage_service", `{"action":"enable","name":"sshd","user":true}`, envWithRung(elevation.Pkexec), "systemctl --user enable -- sshd"},
	} {
		p, err := byName[test.tool].Plan(test.env, json.RawMessage(test.input))
		require.NoError(t, err)
		require.Len(t, p.Commands, 1)
		require.Equal(t, test.want, p.Commands[0].String())
		require.Empty(t, p.Lacks)
		v := safety.New(safety.Options{}).JudgeArgv("/", p.Commands[0].Argv)
		require.Equal(t, safety.Confirm, v.Class, test.want)
		require.Equal(t, !strings.Contains(test.want, "--user"), v.Privileged || p.ByHand != nil, "the question says so: %s", test.want)
	}
	rule := envWithRung(elevation.Sudo)
	rule.CanManageUnits = func(files bool) bool { return !files }
	p, err := byName["manage_service"].Plan(rule, json.RawMessage(`{"action":"stop","name":"sshd"}`))
	require.NoError(t, err)
	require.Equal(t, "systemctl --no-ask-password stop -- sshd", p.Commands[0].String())
}

// TestWhatARungStartsIsJudgedAsItself: the verdict does not depend on the rung.
func TestWhatARungStartsIsJudgedAsItself(t *testing.T) {
	c := safety.New(safety.Options{Home: "/home/blu"})
	for _, rung := range []elevation.Rung{elevation.Run0, elevation.Pkexec, elevation.Sudo} {
		require.Equal(t, safety.Blocked, c.JudgeArgv("/", rung.Argv("rm", "-rf", "/usr")).Class, rung)
		v := c.JudgeArgv("/", rung.Argv("ls", "/"))
		require.Equal(t, safety.Confirm, v.Class, rung)
		require.True(t, v.Privileged, rung)
	}
}

func TestThreat29WhereNothingGivesRightsNobodyIsAsked(t *testing.T) {
	none := &fakeRights{standing: elevation.Status{Rung: elevation.None, Tried: []elevation.Step{
		{Rung: elevation.Run0, Reason: elevation.NotInstalled}, {Rung: elevation.Sudo, Reason: elevation.Password},
	}}}
	d := newTestGate(t, func(o *tools.Options) { o.Rights = none })
	for tool, want := range map[string]string{"update_system": "pacman -Syu", "manage_service": "systemctl restart sshd"} {
		p := allowing()
		j, refused := d.Prepare(newCall(t, tool, map[string]any{"action": "restart", "name": "sshd"}), "s", d.dir)
		require.Nil(t, refused)
		out := d.Run(t.Context(), j, p, nil)
		require.Empty(t, p.shown)
		require.Equal(t, tools.RefusedRights, out.Output.Refusal)
		require.Equal(t, []string{"run0: not_installed", "sudo: password"}, out.Output.RootProblems)
		require.Contains(t, out.Output.ManualCommand, want)
		require.Contains(t, out.Text, out.Output.ManualCommand)
		again := d.RunApproved(t.Context(), j, j.Digest, nil, nil)
		require.Equal(t, tools.RefusedRights, again.Output.Refusal, "nor does an older yes help")
	}
}

// TestThreat29ARungThatFailsIsTold: the step reports it immediately with the command for a terminal, and the
// ladder is probed again.
func TestThreat29ARungThatFailsIsTold(t *testing.T) {
	dir := t.TempDir()
	for program, says := range map[string]string{
		"sudo":   "sudo: a password is required",
		"pkexec": "Error executing command as another user: Request dismissed",
		"run0":   "Failed to start transient service unit: Interactive authentication required.",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\necho '"+says+"' >&2\nexit 1\n"), 0o755))
	}
	c := &fakeRights{standing: elevation.Status{Rung: elevation.Sudo}}
	d := newTestGate(t, func(o *tools.Options) {
		o.Rights = c
		o.Executor = executor.New(executor.Options{Path: []string{dir, "/usr/bin", "/bin"}, Sandbox: newSandbox(t)})
	})
	for command, want := range map[string]struct{ why, byHand string }{
		"sudo -n touch /tmp/x":          {"password", "sudo touch /tmp/x"},
		"pkexec touch /tmp/x":           {"dismissed", "pkexec touch /tmp/x"},
		"run0 -- touch /tmp/x":          {"no_agent", "run0 -- touch /tmp/x"},
		"sudo -n touch a; sudo -n rm b": {"password", "sudo touch a; sudo rm b"},
	} {
		before := c.forgot
		out := d.call("run_command", map[string]any{"command": command}, allowing())
		require.Empty(t, out.Output.Refusal, command)
		require.Equal(t, want.why, out.Output.Steps[0].Denied, command)
		require.Equal(t, want.byHand, out.Output.Steps[0].ManualCommand, command)
		require.Contains(t, out.Text, want.byHand)
		require.Equal(t, before+1, c.forgot)
	}
	out := d.call("run_command", map[string]any{"command": "touch " + filepath.Join(dir, "fine")}, allowing())
	require.Empty(t, out.Output.Steps[0].Denied)
}
