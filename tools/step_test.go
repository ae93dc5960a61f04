package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/shell"
)

func TestACallCancelledWhileItRunsIsRefused(t *testing.T) {
	d := newTestGate(t)
	ctx, cancel := context.WithCancel(t.Context())
	approver := answering(tools.Decision{Action: tools.AllowOnce})
	j, refused := d.Prepare(newCall(t, "argv", map[string]any{
		"Commands": []shell.Command{{Argv: []string{"sleep", "600"}}, {Argv: []string{"touch", filepath.Join(d.dir, "second")}}}, "AtLeast": "CONFIRM",
	}), "s", d.dir)
	require.Nil(t, refused)
	out := d.Run(ctx, j, approver, func(e tools.Event) {
		d.observe(e)
		if e.State == tools.StateRunning {
			cancel()
		}
	})
	require.Equal(t, tools.RefusedCancelled, out.Output.Refusal)
	require.NoFileExists(t, filepath.Join(d.dir, "second"))
	require.Equal(t, []string{"running", "refused cancelled"}, d.states())
}

func TestAMissingProgramIsToldBeforeAsking(t *testing.T) {
	dir := t.TempDir()
	d := newTestGate(t, func(o *tools.Options) {
		o.Executor = executor.New(executor.Options{Path: []string{dir}, Sandbox: newSandbox(t)})
	})
	p := allowing()
	out := d.call("install_package", map[string]any{"name": "htop"}, p)
	require.Empty(t, p.shown)
	require.Equal(t, tools.RefusedMissing, out.Output.Refusal)
	require.Contains(t, out.Text, "yay is not installed (Arch package: yay (AUR))")
	require.Equal(t, "yay", out.Output.Steps[0].MissingProgram)
	require.Equal(t, []string{"FAILED      yay -S --noconfirm -- htop"}, d.logged())
	require.Equal(t, []string{"refused missing"}, d.states())

	d.events = nil
	out = d.call("update_system", nil, p)
	require.Empty(t, p.shown)
	first := "sudo"
	if os.Getuid() == 0 {
		first = "pacman"
	}
	require.Equal(t, first, out.Output.Steps[0].MissingProgram)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sudo"), nil, 0o755))
	out = d.call("update_system", nil, p)
	require.Equal(t, "pacman", out.Output.Steps[0].MissingProgram, "the program behind sudo is looked for too")
	require.Empty(t, p.shown)

	out = d.call("check_hardware", map[string]any{"scope": "temperature"}, p)
	require.Empty(t, out.Output.Refusal)
	require.True(t, out.IsError)
	require.Equal(t, "$ sensors\n[the program sensors is not installed (Arch package: lm_sensors)]\n", out.Text)
	require.Equal(t, "sensors", out.Output.Steps[0].MissingProgram)
	require.Equal(t, "FAILED      sensors", d.logged()[len(d.logged())-1])
}

func TestCommandsOfAPlanRunOneAfterTheOther(t *testing.T) {
	d := newTestGate(t)
	steps := []shell.Command{
		{Argv: []string{"uname", "-s"}}, {Argv: []string{"cat", "/there/is/no/such/file"}}, {Argv: []string{"sensors-of-nobody"}}, {Argv: []string{"uname", "-o"}},
	}
	out := d.call("argv", map[string]any{"Commands": steps, "AtLeast": "CONFIRM"}, nil)
	require.Equal(t, tools.RefusedMissing, out.Output.Refusal, "before a change everything must be there")

	d = newTestGate(t)
	steps[2] = shell.Command{Argv: []string{"lspci", "-nnk"}}
	d.Gate = newTestGate(t, func(o *tools.Options) {
		o.Records.Recorder = d.log
		o.Executor = executor.New(executor.Options{Path: []string{onlyThese(t, "uname", "cat")}, Sandbox: newSandbox(t)})
	}).Gate
	out = d.call("argv", map[string]any{"Commands": steps}, nil)
	require.Equal(t, []string{
		"SAFE        uname -s", "SAFE        cat /there/is/no/such/file", "FAILED      lspci -nnk", "SAFE        uname -o",
	}, d.logged())
	require.False(t, out.IsError, "some of it worked")
	require.Equal(t, `$ uname -s
Linux
$ cat /there/is/no/such/file
[stderr]
cat: /there/is/no/such/file: No such file or directory
[exit 1]
$ lspci -nnk
[the program lspci is not installed (Arch package: pciutils)]
$ uname -o
GNU/Linux
`, out.Text)
	require.Equal(t, 4, len(out.Output.Steps))
}

// onlyThese returns a directory with links to some programs.
func onlyThese(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		file, err := executor.New(executor.Options{}).FindProgram(p)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(file, filepath.Join(dir, p)))
	}
	return dir
}

func TestWhatAModelReadsOfAStep(t *testing.T) {
	d := newTestGate(t, func(o *tools.Options) { o.Timeouts.Command = 2 * time.Second })
	for text, want := range map[string]string{
		"true":              "[no output, exit 0]\n",
		"false":             "[exit 1]\n",
		"echo -n x":         "x\n",
		"echo x >&2":        "[stderr]\nx\n",
		"kill -9 $$":        "[exit 137]\n",
		"sleep 600":         "[timed out after 2 s, killed]\n",
		"echo x; sleep 600": "x\n[timed out after 2 s, killed]\n",
	} {
		out := d.call("run_command", command(text), allowing())
		_, after, _ := strings.Cut(out.Text, "\n")
		require.True(t, strings.HasSuffix(out.Text, want), "%s: %q", text, after)
		require.Equal(t, strings.Contains(want, "exit 1") || strings.Contains(want, "timed out"), out.IsError, text)
		require.Equal(t, strings.Contains(want, "timed out"), out.Output.Steps[0].TimedOut, text)
	}
}

func TestTheWorkingDirectoryIsThePersonsOrHome(t *testing.T) {
	d := newTestGate(t)
	sub := filepath.Join(d.dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	file := filepath.Join(d.dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Chdir(d.dir)
	for dir, want := range map[string]string{
		sub: sub, sub + "/../sub/": sub, "": d.dir, filepath.Join(d.dir, "gone"): d.dir, file: d.dir,
		"sub": d.dir, ".": d.dir, // relative paths are ambiguous
	} {
		j, refused := d.Prepare(newCall(t, "run_command", command("pwd")), "s", dir)
		require.Nil(t, refused)
		require.Equal(t, want, j.Plan.Dir, dir)
		out := d.Run(t.Context(), j, nil, nil)
		require.Equal(t, want+"\n", out.Output.Steps[0].Stdout)
	}
	homeless := newTestGate(t, func(o *tools.Options) { o.Home = "/there/is/no/such/home" })
	j, _ := homeless.Prepare(newCall(t, "run_command", command("pwd")), "s", "")
	require.Equal(t, "/", j.Plan.Dir)
}
