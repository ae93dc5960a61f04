package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/test/unittest"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// blockedCommand is a command that is always blocked. It names a file that does not exist, so a gate that fails
// this test does no harm.
const blockedCommand = "rm -rf /usr/there-is-no-such-name-of-ours"

// plenty is a timeout that no test should reach.
const plenty = 5 * time.Minute

func TestMain(m *testing.M) {
	unittest.RunRecorder()
	goleak.VerifyTestMain(m)
}

// person answers confirmations with the given answers, and records the questions.
type person struct {
	answers []tools.Decision
	shown   []tools.JudgedPlan
}

func (p *person) Approve(_ context.Context, j tools.JudgedPlan) tools.Decision {
	p.shown = append(p.shown, j)
	if len(p.answers) == 0 {
		return tools.Decision{} // no one is there
	}
	d := p.answers[0]
	p.answers = p.answers[1:]
	return d
}

func answering(answers ...tools.Decision) *person { return &person{answers: answers} }

func allowing() *person { return answering(tools.Decision{Action: tools.AllowOnce}) }

func editing(command string, then ...tools.Decision) *person {
	return answering(append([]tools.Decision{{Action: tools.Edit, Command: command}}, then...)...)
}

func (p *person) saw() []string {
	lines := []string{}
	for _, j := range p.shown {
		lines = append(lines, j.Command())
	}
	return lines
}

// recorderFunc implements a recorder with a function.
type recorderFunc func(commandlog.Class, string) error

func (f recorderFunc) Begin(e commandlog.Entry) (commandlog.Ref, error) {
	return commandlog.Ref{}, f(e.Class, e.Command)
}

func (recorderFunc) End(commandlog.Ref, commandlog.Result) error { return nil }

func (recorderFunc) HasEnd(commandlog.Ref) (bool, error) { return false, nil }

// testGate is a gate with a real log, and a directory for files that commands create.
type testGate struct {
	*tools.Gate
	t      *testing.T
	dir    string
	log    *commandlog.Log
	events []tools.Event
}

// argvTool runs the commands in its input, to test the gate with any plan.
func argvTool() tools.Tool {
	return tools.Tool{
		Definition: providers.ToolDefinition{Name: "argv"},
		Plan: func(env tools.Env, input json.RawMessage) (tools.Plan, error) {
			var in struct {
				Commands []shell.Command
				AtLeast  safety.Class
			}
			err := json.Unmarshal(input, &in)
			return tools.Plan{Tool: "argv", Commands: in.Commands, AtLeast: in.AtLeast, Timeout: env.Limits.Command}, err
		},
	}
}

// newSandbox returns a real sandbox, whose files are removed with the test.
func newSandbox(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	return sandbox.New(sandbox.Options{Dir: filepath.Join(t.TempDir(), "sandbox")})
}

func newTestGate(t *testing.T, change ...func(*tools.Options)) *testGate {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	d := &testGate{t: t, dir: dir}
	logDir := t.TempDir()
	d.log = commandlog.New(filepath.Join(logDir, "commands.log"), func() time.Time { return time.Date(2026, 2, 20, 9, 15, 32, 0, time.UTC) })
	all, err := tools.All()
	require.NoError(t, err)
	o := tools.Options{
		Tools: append(all, argvTool()), Checker: safety.New(safety.Options{Home: "/home/blu"}),
		Executor: executor.New(executor.Options{Sandbox: newSandbox(t)}), Records: steps.Records{Recorder: d.log}, Home: dir,
		Timeouts: tools.Timeouts{Command: plenty, Update: plenty}, Putter: ownPath(t),
	}
	for _, f := range change {
		f(&o)
	}
	d.Gate = tools.New(o)
	return d
}

// ownPath returns the path of the test's own program, which replaces files too.
func ownPath(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

// call takes a tool call through the gate.
func (d *testGate) call(name string, input any, approver tools.Approver) tools.Outcome {
	d.t.Helper()
	return d.callCtx(d.t.Context(), name, input, approver)
}

func (d *testGate) callCtx(ctx context.Context, name string, input any, approver tools.Approver) tools.Outcome {
	d.t.Helper()
	j, refused := d.Prepare(newCall(d.t, name, input), "s", d.dir)
	if refused != nil {
		return *refused
	}
	return d.Run(ctx, j, approver, d.observe)
}

func (d *testGate) observe(e tools.Event) { d.events = append(d.events, e) }

func newCall(t require.TestingT, name string, input any) tools.Call {
	raw, err := json.Marshal(input)
	require.NoError(t, err)
	return tools.Call{ID: "call-1", Name: name, Input: raw}
}

func command(text string) map[string]any { return map[string]any{"command": text} }

// touch returns a command that needs a confirmation, and the file that it creates.
func (d *testGate) touch() (text, file string) {
	file = filepath.Join(d.dir, "trace")
	return "touch " + file, file
}

// logged returns the log's lines without their times.
func (d *testGate) logged() []string {
	d.t.Helper()
	lines, err := d.log.Tail(1000)
	require.NoError(d.t, err)
	got := []string{}
	for _, line := range lines {
		rest, ok := strings.CutPrefix(line, "[2026-02-20T09:15:32Z] ")
		require.True(d.t, ok, line)
		got = append(got, rest)
	}
	return got
}

func (d *testGate) states() []string {
	var list []string
	for _, e := range d.events {
		list = append(list, strings.TrimSpace(e.State+" "+e.Reason))
	}
	return list
}
