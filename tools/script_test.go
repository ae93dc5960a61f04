package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
)

// swappingApprover is a person who says yes after change was called.
type swappingApprover struct {
	shown  tools.JudgedPlan
	change func()
}

func (s *swappingApprover) Approve(_ context.Context, j tools.JudgedPlan) tools.Decision {
	s.shown = j
	s.change()
	return tools.Decision{Action: tools.AllowOnce}
}

func TestThreat05AScriptThatChangesAfterTheQuestionDoesNotRun(t *testing.T) {
	for name, form := range map[string]string{
		"by its path": "./work.sh", "by a shell": "bash work.sh", "behind quotes": `bash "wo"rk.sh`, "as input": "bash < work.sh",
		"sourced": ". ./work.sh", "behind a wrapper": "env -i bash work.sh", "through a link": "bash link.sh", "in a later part": "true && sh work.sh",
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestGate(t)
			script, trace := filepath.Join(d.dir, "work.sh"), filepath.Join(d.dir, "trace")
			write := func(text string) {
				require.NoError(t, os.WriteFile(script+".new", []byte(text), 0o755))
				require.NoError(t, os.Rename(script+".new", script))
			}
			write("#!/bin/sh\ntrue\n")
			require.NoError(t, os.Symlink(script, filepath.Join(d.dir, "link.sh")))

			p := &swappingApprover{change: func() { write("#!/bin/sh\ntouch " + trace + "\n") }}
			out := d.call("run_command", command(form), p)
			require.Len(t, p.shown.Files, 1, "the question names the file")
			require.Len(t, p.shown.Files[0].SHA256, 64)
			require.Equal(t, tools.RefusedMismatch, out.Output.Refusal)
			require.NoFileExists(t, trace)
			require.Contains(t, d.logged()[0], "CANCELLED ")

			// The changed script is a new question, and runs after it was shown.
			p.change = func() {}
			require.Empty(t, d.call("run_command", command(form), p).Output.Refusal)
			require.FileExists(t, trace)
		})
	}
}

func TestThreat04AProgramThatIsSwappedAfterTheQuestionDoesNotRun(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	program := func(dir string) { // #nosec: a test's own program
		require.NoError(t, os.WriteFile(filepath.Join(dir, "frob"), []byte("#!/bin/sh\ntouch trace\n"), 0o755))
	}
	program(second)
	d := newTestGate(t, func(o *tools.Options) {
		o.Executor = executor.New(executor.Options{Path: []string{first, second, "/usr/bin", "/bin"}, Sandbox: newSandbox(t)})
	})
	out := d.call("run_command", command("frob --now"), &swappingApprover{change: func() { program(first) }})
	require.Equal(t, tools.RefusedMismatch, out.Output.Refusal)
	require.NoFileExists(t, filepath.Join(d.dir, "trace"))
}

func TestThreat04AnApprovalIsForItsEnvironment(t *testing.T) {
	env := func(home string) func(*tools.Options) {
		return func(o *tools.Options) {
			o.Executor = executor.New(executor.Options{Sandbox: newSandbox(t), Getenv: func(name string) string {
				return map[string]string{"HOME": home, "DISPLAY": home}[name]
			}})
		}
	}
	d := newTestGate(t, env("/home/one"))
	j, file := pendingCall(t, d)
	elsewhere := newTestGate(t, env("/home/two"))
	require.Equal(t, tools.RefusedMismatch, elsewhere.RunApproved(t.Context(), reloadJudged(t, j), j.Digest, nil, nil).Output.Refusal)
	require.NoFileExists(t, file)
}

func TestWhatOnlyReadsIsBoundToNoFile(t *testing.T) {
	d := newTestGate(t)
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, "notes"), []byte("x"), 0o600))
	j, refused := d.Prepare(newCall(t, "run_command", command("cat notes")), "s", d.dir)
	require.Nil(t, refused)
	require.Empty(t, j.Files)
	// The operands of an ordinary program are not bound either: its name shows what it does with them.
	j, refused = d.Prepare(newCall(t, "run_command", command("mv notes other")), "s", d.dir)
	require.Nil(t, refused)
	require.Empty(t, j.Files)
}
