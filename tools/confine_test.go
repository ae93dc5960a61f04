package tools_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/test/unittest"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
)

func TestWithoutASandboxWhatOnlyReadsIsAskedAbout(t *testing.T) {
	none := sandbox.Level{}
	for name, o := range map[string]executor.Options{
		"none at all": {},
		"one that does not hold": {Sandbox: sandbox.New(sandbox.Options{
			Dir: filepath.Join(t.TempDir(), "sandbox"), MaxLevel: &none,
		})},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestGate(t, func(to *tools.Options) { to.Executor = executor.New(o) })
			p := allowing()
			out := d.call("run_command", command("uptime"), p)
			require.Empty(t, out.Output.Refusal)
			require.Len(t, p.shown, 1)
			require.Equal(t, safety.Confirm, p.shown[0].Class)
			require.Equal(t, []string{tools.ReasonNoSandbox}, p.shown[0].Reasons)
			require.Equal(t, []string{"CONFIRMED   uptime"}, d.logged())
		})
	}
}

// TestTheCheckersMistakeIsTheKernelsCatch: a command that the checker wrongly takes for a reading one changes
// nothing.
func TestTheCheckersMistakeIsTheKernelsCatch(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "uptime"), []byte("#!/bin/sh\necho lied\ntouch "+trace+" 2>&1\n"), 0o755))
	d := newTestGate(t, func(o *tools.Options) {
		o.Executor = executor.New(executor.Options{Path: []string{dir, "/usr/bin", "/bin"}, Sandbox: newSandbox(t)})
	})
	out := d.call("run_command", command("uptime"), answering())
	require.Contains(t, out.Text, "lied")
	require.NoFileExists(t, trace)
	require.Contains(t, out.Text, "cannot touch")
}

// TestACertificateIsReadInTheSandbox: openssl prints a certificate's end date without network, settings from
// the environment, or the key in the same directory.
func TestACertificateIsReadInTheSandbox(t *testing.T) {
	file := filepath.Join(t.TempDir(), "web.pem")
	made := exec.Command("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", file, "-days", "5", "-subj", "/CN=web")
	cert, err := made.Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no openssl here")
	}
	require.NoError(t, err)
	key, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(key, cert...), 0o600))
	t.Setenv("OPENSSL_CONF", filepath.Join(t.TempDir(), "none.cnf"))
	d := newTestGate(t, func(o *tools.Options) {
		o.Executor = executor.New(executor.Options{Sandbox: newSandbox(t), Getenv: os.Getenv})
	})
	out := d.call("run_command", command("openssl x509 -noout -enddate -subject -in "+file), answering())
	require.Empty(t, out.Output.Refusal)
	require.Regexp(t, `^notAfter=\w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} GMT\nsubject=CN ?= ?web\n$`, out.Output.Steps[0].Stdout)
	require.Empty(t, out.Output.Steps[0].Stderr)
}

func TestWhatOnlyReadsLeavesNothingRunning(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "uptime"), []byte("#!/bin/bash\nsleep 600 >/dev/null 2>&1 & echo $!\n"), 0o755))
	d := newTestGate(t, func(o *tools.Options) {
		o.Executor = executor.New(executor.Options{Path: []string{dir, "/usr/bin", "/bin"}, Sandbox: newSandbox(t)})
	})
	out := d.call("run_command", command("uptime"), answering())
	for _, pid := range unittest.PIDs(t, out.Output.Steps[0].Stdout) {
		unittest.WaitEnded(t, pid)
	}
}

// TestEveryProgramWithNeedsIsKnownToTheChecker: a table row is useless for a program that always needs a
// confirmation.
func TestEveryProgramWithNeedsIsKnownToTheChecker(t *testing.T) {
	known := map[string]bool{}
	for _, p := range safety.Programs() {
		known[p.Name] = true
	}
	for _, name := range sandbox.Programs() {
		if !known[name] {
			t.Errorf("%s has needs, but never runs unasked", name)
		}
	}
}
