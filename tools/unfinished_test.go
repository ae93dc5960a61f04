package tools_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/test/unittest"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// processes is a machine on which one daemon process follows another.
type processes struct {
	t       *testing.T
	runs    string
	log     *commandlog.Log
	manager *unittest.Manager
	keep    bool
}

const planted = "sk-ant-planted-0d8f7a6b5c4e3f2a1b"

func newProcesses(t *testing.T) *processes {
	t.Helper()
	logDir := t.TempDir()
	return &processes{
		t: t, runs: filepath.Join(t.TempDir(), "runs"), manager: unittest.New(t),
		log: commandlog.New(filepath.Join(logDir, "commands.log"), func() time.Time { return time.Date(2026, 2, 20, 9, 15, 32, 0, time.UTC) }),
	}
}

// newGate returns the gate of a new process.
func (s *processes) newGate() *testGate {
	s.t.Helper()
	self, err := os.Executable()
	require.NoError(s.t, err)
	d := newTestGate(s.t, func(o *tools.Options) {
		redactor := secret.NewRedactor([]string{planted})
		o.Records.Recorder, o.Records.Redactor, o.KeepRuns = s.log, redactor, s.keep
		o.Executor = executor.New(executor.Options{
			Sandbox: newSandbox(s.t), MaxLines: 20, Redactor: redactor,
			Units: unit.New(unit.Options{Dir: s.runs, Recorder: self, Manager: s.manager}),
		})
	})
	d.log = s.log
	return d
}

// confirmed runs a command through a gate as part of a task.
func (d *testGate) confirmed(ctx context.Context, task, text string) tools.Outcome {
	d.t.Helper()
	j, refused := d.Prepare(newCall(d.t, "run_command", command(text)), "s", d.dir)
	require.Nil(d.t, refused)
	j.Origin = tools.Origin{Task: task, Channel: "cli"}
	return d.Run(ctx, j, allowing(), d.observe)
}

func (s *processes) names() []string {
	var names []string
	for _, u := range s.manager.Started() {
		names = append(names, u.Name)
	}
	return names
}

func (s *processes) runsLeft() []string {
	entries, _ := os.ReadDir(s.runs)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// ends counts the results in the audit chain.
func (s *processes) ends() int {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(s.log.Path()), "audit.jsonl"))
	require.NoError(s.t, err)
	return strings.Count(string(data), `"event":"end"`)
}

func TestAConfirmedCommandRunsInAUnitNamedAfterItsTask(t *testing.T) {
	s := newProcesses(t)
	d := s.newGate()
	out := d.confirmed(t.Context(), "t7", "echo one >&2; seq 1 1000; exit 3; touch x")
	step := out.Output.Steps[0]
	require.Equal(t, 3, step.Exit)
	require.Equal(t, "one\n", step.Stderr)
	require.True(t, step.Cut)
	require.Contains(t, step.Stdout, "[… cut: 3836 bytes, 980 lines left out …]\n996\n")
	require.Equal(t, 1, s.ends())

	d.confirmed(t.Context(), "t7", "touch "+filepath.Join(d.dir, "two"))
	d.confirmed(t.Context(), "", "touch three")
	d.call("run_command", command("uname -s"), nil)
	names := s.names()
	require.Len(t, names, 3, "what only reads runs in the sandbox")
	require.Equal(t, []string{"blunux-ai-run-t7.service", "blunux-ai-run-t7-2.service"}, names[:2])
	require.FileExists(t, filepath.Join(d.dir, "two"))
	require.Empty(t, s.runsLeft(), "nothing is kept of what was told")
}

func TestSecretsStayOutOfAUnitsOutputAndName(t *testing.T) {
	s := newProcesses(t)
	d := s.newGate()
	out := d.confirmed(t.Context(), "t1", "touch x; echo "+planted)
	require.Equal(t, "[redacted:anthropic-key]\n", out.Output.Steps[0].Stdout)
	require.NotContains(t, s.manager.Started()[0].Description, planted)
	require.Contains(t, s.manager.Started()[0].Description, "touch x")
}

func TestANameInUseIsPassedOver(t *testing.T) {
	s := newProcesses(t)
	require.NoError(t, os.MkdirAll(filepath.Join(s.runs, "t1"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.runs, "t1", "job.json"), []byte("{}"), 0o600))
	out := s.newGate().confirmed(t.Context(), "t1", "touch x")
	require.Zero(t, out.Output.Steps[0].Exit)
	require.Equal(t, []string{"blunux-ai-run-t1-2.service"}, s.names())
}

func TestWithoutAManagerACommandRunsAsAChild(t *testing.T) {
	s := newProcesses(t)
	s.manager.StartError = errors.New("there is none")
	d := s.newGate()
	text, file := d.touch()
	out := d.confirmed(t.Context(), "t1", text)
	require.Zero(t, out.Output.Steps[0].Exit)
	require.FileExists(t, file)
	require.Empty(t, s.runsLeft())
	require.Equal(t, 1, s.ends())
}

func TestACommandInAUnitThatCannotBeStartedSaysWhy(t *testing.T) {
	s := newProcesses(t)
	d := s.newGate()
	file := filepath.Join(d.dir, "script")
	require.NoError(t, os.WriteFile(file, []byte("#!/there/is/no/interpreter\n"), 0o755))
	out := d.call("argv", map[string]any{"Commands": []shell.Command{{Argv: []string{file}}}}, allowing())
	require.Equal(t, -1, out.Output.Steps[0].Exit)
	require.Contains(t, out.Output.Steps[0].Stderr, "no such file")
	require.Equal(t, []string{"CONFIRMED   " + file, "FAILED      " + file}, d.logged())
}

func TestAUnitsTimeIsUp(t *testing.T) {
	s := newProcesses(t)
	d := s.newGate()
	j, refused := d.Prepare(newCall(t, "run_command", command("echo before; touch x; sleep 600")), "s", d.dir)
	require.Nil(t, refused)
	j.Plan.Timeout = time.Second
	out := d.Run(t.Context(), j, allowing(), nil)
	step := out.Output.Steps[0]
	require.True(t, step.TimedOut)
	require.Equal(t, 143, step.Exit)
	require.Equal(t, "before\n", step.Stdout)
}

// leave starts a command that waits for a line on a pipe, then ends the gate's context with why.
func (s *processes) leave(why error) (fifo string, out tools.Outcome) {
	s.t.Helper()
	d := s.newGate()
	begun := filepath.Join(d.dir, "begun")
	fifo = filepath.Join(d.dir, "go")
	require.NoError(s.t, syscall.Mkfifo(begun, 0o600))
	require.NoError(s.t, syscall.Mkfifo(fifo, 0o600))
	ctx, cancel := context.WithCancelCause(s.t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		_, err := os.ReadFile(begun) // returns after the command has closed it
		cancel(errors.Join(err, why))
	})
	text := "echo >" + begun + "; read x <" + fifo + "; echo $x " + planted + "; touch " + filepath.Join(d.dir, "trace")
	out = d.confirmed(ctx, "t9", text)
	done.Wait()
	return fifo, out
}

func TestWhatIsLeftRunningIsPickedUpOnce(t *testing.T) {
	s := newProcesses(t)
	fifo, out := s.leave(executor.ErrStopping)
	require.Equal(t, tools.RefusedStopping, out.Output.Refusal)
	require.Zero(t, s.ends(), "its end is not written by whoever left it")

	next := s.newGate()
	left, err := next.UnfinishedRuns(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	l := left[0]
	require.Equal(t, []any{"t9", "s", "cli", "call-1", "run_command", 0, 1}, []any{l.Task, l.Session, l.Channel, l.CallID, l.Tool, l.Index, l.Of})
	require.NotContains(t, l.Command, planted)
	require.Equal(t, "blunux-ai-run-t9.service", l.Unit())

	stopping, cancel := context.WithCancelCause(t.Context())
	cancel(executor.ErrStopping)
	_, err = l.Wait(stopping)
	require.ErrorIs(t, err, executor.ErrStillRunning, "it still runs")
	require.Zero(t, s.ends())

	// The next process but one gets the result, and dies before storing it.
	require.NoError(t, os.WriteFile(fifo, []byte("told\n"), 0))
	left, err = s.newGate().UnfinishedRuns(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	step, err := left[0].Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, "told [redacted:anthropic-key]\n", step.Stdout)
	require.Zero(t, step.Exit)
	require.FileExists(t, filepath.Join(filepath.Dir(fifo), "trace"))

	left, err = s.newGate().UnfinishedRuns(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	again, err := left[0].Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, step, again)
	require.Equal(t, 1, s.ends())
	require.NoError(t, left[0].Remove())
	left, err = s.newGate().UnfinishedRuns(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, 1, len(s.names()), "started once")
	report, err := s.log.Verify()
	require.NoError(t, err)
	require.True(t, report.OK)
}

func TestAnyOtherEndOfATurnEndsItsCommand(t *testing.T) {
	s := newProcesses(t)
	fifo, out := s.leave(context.Canceled)
	require.Equal(t, tools.RefusedCancelled, out.Output.Refusal)
	require.Equal(t, 1, s.ends())
	require.Empty(t, s.runsLeft())
	require.NoFileExists(t, filepath.Join(filepath.Dir(fifo), "trace"))
}

func TestWhatWentDownWithTheMachineIsUnknown(t *testing.T) {
	s := newProcesses(t)
	fifo, _ := s.leave(executor.ErrStopping)
	pid, err := s.manager.MainPID("blunux-ai-run-t9.service")
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	left, err := s.newGate().UnfinishedRuns(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	step, err := left[0].Wait(t.Context())
	require.NoError(t, err)
	require.True(t, step.Interrupted)
	require.Equal(t, -1, step.Exit)
	require.Equal(t, 1, s.ends())
	require.NoError(t, left[0].Remove())
	require.NoError(t, os.WriteFile(fifo, []byte("for the orphan\n"), 0))
}

func TestResultsStayUntilTheirTaskIsSettled(t *testing.T) {
	s := newProcesses(t)
	s.keep = true
	d := s.newGate()
	d.confirmed(t.Context(), "t1", "touch x; echo kept")
	d.confirmed(t.Context(), "t2", "touch x")
	require.Equal(t, []string{"t1", "t2"}, s.runsLeft())
	require.NoError(t, d.ReleaseRuns("t2"))
	require.Equal(t, []string{"t1"}, s.runsLeft())

	left, err := s.newGate().UnfinishedRuns(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	step, err := left[0].Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, "kept\n", step.Stdout)
	require.Equal(t, 2, s.ends(), "both had theirs")
	require.NoError(t, left[0].Remove())
}

// locks is an inhibitor that records its locks.
type locks struct {
	held []string
	open int
	err  error
}

func (l *locks) Inhibit(_ context.Context, why string) (func(), error) {
	if l.err != nil {
		return nil, l.err
	}
	l.held = append(l.held, why)
	l.open++
	return func() { l.open-- }, nil
}

func TestTheMachineIsKeptAwakeWhilePackagesChange(t *testing.T) {
	for text, want := range map[string][]string{
		"pacman -Rns --noconfirm -- x": {"pacman"},
		"sudo -n env A=b yay -Syu":     {"yay"},
		"touch x && makepkg --version": {"makepkg"},
		"touch x":                      nil,
		"echo pacman >x":               nil,
		"uname -s":                     nil,
		"touch x | flatpak uninstall":  {"flatpak"},
	} {
		t.Run(text, func(t *testing.T) {
			l := &locks{}
			bin := onlyThese(t, "true", "uname", "touch", "bash", "env")
			for _, name := range []string{"pacman", "yay", "makepkg", "sudo", "flatpak"} {
				require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755))
			}
			d := newTestGate(t, func(o *tools.Options) {
				o.Inhibitor = l
				o.Executor = executor.New(executor.Options{Path: []string{bin}, Sandbox: newSandbox(t)})
			})
			d.call("run_command", command(text), allowing())
			require.Equal(t, want, l.held)
			require.Zero(t, l.open, "it is given back")
		})
	}
	l := &locks{err: errors.New("no logind")}
	d := newTestGate(t, func(o *tools.Options) { o.Inhibitor = l })
	out := d.call("argv", map[string]any{"Commands": []shell.Command{{Argv: []string{"touch", filepath.Join(d.dir, "pacman")}}}}, allowing())
	require.Empty(t, out.Output.Refusal)
}
