package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
)

// An edit replaces the model's command by the person's own. It is judged like any other command (security,
// threats 4 and 10).

func TestABlockedEditIsRefused(t *testing.T) {
	d, p := newTestGate(t), editing(blockedCommand, tools.Decision{Action: tools.AllowOnce})
	text, file := d.touch()
	out := d.call("run_command", command(text), p)
	require.Equal(t, tools.RefusedBlocked, out.Output.Refusal)
	require.Equal(t, []string{text}, p.saw(), "nobody is asked about what nobody may allow")
	require.NoFileExists(t, file)
	require.Equal(t, []string{"BLOCKED     " + blockedCommand}, d.logged())
}

func TestAnEditThatOnlyReadsRuns(t *testing.T) {
	d, p := newTestGate(t), editing("uname -s")
	text, file := d.touch()
	out := d.call("run_command", command(text), p)
	require.Equal(t, "$ uname -s\nLinux\n", out.Text)
	require.Equal(t, []string{text}, p.saw())
	require.NoFileExists(t, file)
	require.Equal(t, []string{"SAFE        uname -s"}, d.logged())
	require.Equal(t, "uname -s", d.events[0].Command, "what ran is told, not what was asked for")
	require.Equal(t, "call-1", d.events[0].Call)
}

func TestAnEditWithinTheSameReasonsRuns(t *testing.T) {
	d := newTestGate(t)
	text, file := d.touch()
	other := filepath.Join(d.dir, "other")
	p := editing("touch  " + other)
	out := d.call("run_command", command(text), p)
	require.Empty(t, out.Output.Refusal)
	require.Len(t, p.shown, 1)
	require.NoFileExists(t, file)
	require.FileExists(t, other)
	require.Equal(t, []string{"CONFIRMED   touch " + other}, d.logged())
}

func TestAnEditThatDoesMoreAsksAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		asked, edit string
	}{
		"for another reason":     {"touch %s", "touch %s && uname >%s.out"},
		"with more rights":       {"touch %s", "sudo -n touch %s"},
		"from a tool to a shell": {"touch %s", "touch %s &"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestGate(t)
			_, file := d.touch()
			asked, edit := strings.ReplaceAll(tc.asked, "%s", file), strings.ReplaceAll(tc.edit, "%s", file)
			p := editing(edit, tools.Decision{Action: tools.Reject})
			out := d.call("run_command", command(asked), p)
			require.Equal(t, []string{asked, edit}, p.saw(), "shown again, as it would run")
			require.Equal(t, tools.RefusedDenied, out.Output.Refusal)
			require.NoFileExists(t, file)
			require.NoFileExists(t, file+".out")
			require.Equal(t, []string{"CANCELLED   " + edit}, d.logged())
			require.NotEqual(t, p.shown[0].Digest, p.shown[1].Digest)
		})
	}
}

func TestAnEditMayBeEditedAgain(t *testing.T) {
	d := newTestGate(t)
	text, file := d.touch()
	more := text + " && uname >" + file + ".out"
	p := editing(more, tools.Decision{Action: tools.Edit, Command: "uname -s"})
	out := d.call("run_command", command(text), p)
	require.Equal(t, []string{text, more}, p.saw())
	require.Equal(t, "$ uname -s\nLinux\n", out.Text)

	p = editing(more, tools.Decision{Action: tools.AllowOnce})
	d.call("run_command", command(text), p)
	require.FileExists(t, file)
	require.FileExists(t, file+".out")
}

func TestAnEditThatIsNoCommandIsANo(t *testing.T) {
	for _, edit := range []string{"", "  \n", "touch 'x", "# only words"} {
		d, p := newTestGate(t), editing(edit, tools.Decision{Action: tools.AllowOnce})
		text, file := d.touch()
		out := d.call("run_command", command(text), p)
		require.Contains(t, []string{tools.RefusedInput, tools.RefusedUnparsed}, out.Output.Refusal)
		require.Len(t, p.shown, 1)
		require.NoFileExists(t, file)
		require.Len(t, d.logged(), 1)
		require.Contains(t, d.logged()[0], "CANCELLED ", "%q", edit)
	}
}

func TestAToolsCommandCanBeEdited(t *testing.T) {
	programs := onlyThese(t, "uname", "bash")
	require.NoError(t, os.WriteFile(filepath.Join(programs, "yay"), []byte("#!/bin/false\n"), 0o755))
	d := newTestGate(t, func(o *tools.Options) {
		o.Executor = executor.New(executor.Options{Path: []string{programs}, Sandbox: newSandbox(t)})
	})
	p := editing("uname -s")
	out := d.call("install_package", map[string]any{"name": "htop"}, p)
	require.Equal(t, []string{"yay -S --noconfirm -- htop"}, p.saw())
	require.Equal(t, "$ uname -s\nLinux\n", out.Text)
}
