package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// blockedCommand is one nobody may allow, on a name that does not exist, so
// that a gate that fails this test does no harm.
const blockedCommand = "rm -rf /usr/there-is-no-such-name-of-ours"

// person answers confirmations with what the test wrote down, and remembers
// what they were shown.
type person struct {
	answers []tools.Decision
	shown   []tools.Judged
}

func (p *person) Approve(_ context.Context, j tools.Judged) tools.Decision {
	p.shown = append(p.shown, j)
	if len(p.answers) == 0 {
		return tools.Decision{} // nobody there
	}
	d := p.answers[0]
	p.answers = p.answers[1:]
	return d
}

func says(answers ...tools.Decision) *person { return &person{answers: answers} }

func allows() *person { return says(tools.Decision{Action: tools.AllowOnce}) }

func edits(command string, then ...tools.Decision) *person {
	return says(append([]tools.Decision{{Action: tools.Edit, Command: command}}, then...)...)
}

func (p *person) saw() []string {
	lines := []string{}
	for _, j := range p.shown {
		lines = append(lines, j.Command())
	}
	return lines
}

// recorderFunc is a recorder made of a function.
type recorderFunc func(commandlog.Class, string) error

func (f recorderFunc) Record(c commandlog.Class, command string) error { return f(c, command) }

// door is a gate with a real log, and a directory to leave traces in.
type door struct {
	*tools.Gate
	t      *testing.T
	dir    string
	log    *commandlog.Log
	events []tools.Event
}

// argvTool runs what its input says, to reach the gate with any plan.
func argvTool() tools.Tool {
	return tools.Tool{
		Definition: providers.ToolDefinition{Name: "argv"},
		Plan: func(env tools.Env, input json.RawMessage) (tools.Plan, error) {
			var in struct {
				Commands []tools.Command
				AtLeast  safety.Class
				Stop     bool
			}
			err := json.Unmarshal(input, &in)
			return tools.Plan{Tool: "argv", Commands: in.Commands, AtLeast: in.AtLeast, StopOnFailure: in.Stop, Timeout: env.Limits.Command}, err
		},
	}
}

func newDoor(t *testing.T, change ...func(*tools.Options)) *door {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	d := &door{t: t, dir: dir}
	logDir := t.TempDir()
	d.log = commandlog.New(filepath.Join(logDir, "commands.log"), func() time.Time { return time.Date(2026, 2, 20, 9, 15, 32, 0, time.UTC) })
	all, err := tools.All()
	require.NoError(t, err)
	o := tools.Options{
		Tools: append(all, argvTool()), Checker: safety.New(safety.Options{Home: "/home/blu"}),
		Executor: tools.NewExecutor(tools.ExecutorOptions{}), Recorder: d.log, Home: dir,
		Timeouts: tools.Timeouts{Command: plenty, Update: plenty},
	}
	for _, f := range change {
		f(&o)
	}
	d.Gate = tools.New(o)
	return d
}

// call takes a tool call through the gate.
func (d *door) call(name string, input any, approver tools.Approver) tools.Outcome {
	d.t.Helper()
	return d.callCtx(d.t.Context(), name, input, approver)
}

func (d *door) callCtx(ctx context.Context, name string, input any, approver tools.Approver) tools.Outcome {
	d.t.Helper()
	j, refused := d.Prepare(newCall(d.t, name, input), "s", d.dir)
	if refused != nil {
		return *refused
	}
	return d.Run(ctx, j, approver, d.observe)
}

func (d *door) observe(e tools.Event) { d.events = append(d.events, e) }

func newCall(t require.TestingT, name string, input any) tools.Call {
	raw, err := json.Marshal(input)
	require.NoError(t, err)
	return tools.Call{ID: "call-1", Name: name, Input: raw}
}

func command(text string) map[string]any { return map[string]any{"command": text} }

// touch is a command that asks, and the file that tells whether it ran.
func (d *door) touch() (text, file string) {
	file = filepath.Join(d.dir, "trace")
	return "touch " + file, file
}

// logged returns the log's lines without their time.
func (d *door) logged() []string {
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

func (d *door) states() []string {
	var list []string
	for _, e := range d.events {
		list = append(list, strings.TrimSpace(e.State+" "+e.Reason))
	}
	return list
}

func TestASafeCommandRunsUnaskedAndIsLogged(t *testing.T) {
	d, nobody := newDoor(t), says()
	out := d.call("run_command", command("uname   -s"), nobody)
	require.Empty(t, nobody.shown)
	require.Equal(t, providers.Output{Steps: []providers.Step{{Command: "uname -s", Stdout: "Linux\n"}}}, out.Output)
	require.Equal(t, "$ uname -s\nLinux\n", out.Text)
	require.False(t, out.IsError)
	require.Equal(t, []string{"SAFE        uname -s"}, d.logged(), "as it was judged, not as it was written")
}

func TestTheEventsTellWhatHappensInOrder(t *testing.T) {
	d := newDoor(t)
	d.call("run_command", command("uname -s"), nil)
	require.Len(t, d.events, 2)
	running, done := d.events[0], d.events[1]
	require.Positive(t, done.Took)
	done.Took = 0
	base := tools.Event{Call: "call-1", Name: "run_command", Class: "SAFE", Command: "uname -s", Input: json.RawMessage(`{"command":"uname -s"}`)}
	base.State = tools.StateRunning
	require.Equal(t, base, running)
	base.State, base.OutBytes = tools.StateDone, 6
	require.Equal(t, base, done)

	d.events = nil
	text, _ := d.touch()
	d.call("run_command", command(text), says())
	require.Equal(t, []string{"refused denied"}, d.states())
	require.Equal(t, "CONFIRM", d.events[0].Class)
	require.NotEmpty(t, d.events[0].Reasons)

	d.events = nil
	d.call("run_command", command("exit 3; "+text), allows())
	require.Equal(t, []string{"running", "done"}, d.states())
	require.Equal(t, 3, d.events[1].Exit)
}

func TestACommandIsLoggedBeforeItRuns(t *testing.T) {
	var file string
	var seen []string
	d := newDoor(t, func(o *tools.Options) {
		o.Recorder = recorderFunc(func(c commandlog.Class, command string) error {
			_, err := os.Stat(file)
			require.ErrorIs(t, err, os.ErrNotExist, "it ran before it was written down")
			seen = append(seen, string(c)+" "+command)
			return nil
		})
	})
	text, trace := d.touch()
	file = trace
	out := d.call("run_command", command(text), allows())
	require.False(t, out.IsError)
	require.FileExists(t, file)
	require.Equal(t, []string{"CONFIRMED " + text}, seen)
}

func TestWhatCannotBeLoggedDoesNotRun(t *testing.T) {
	full := errors.New("no space left on device")
	d := newDoor(t, func(o *tools.Options) {
		o.Recorder = recorderFunc(func(commandlog.Class, string) error { return full })
	})
	text, file := d.touch()
	out := d.call("run_command", command(text), allows())
	require.NoFileExists(t, file)
	require.Equal(t, tools.RefusedLog, out.Output.Refusal)
	require.Empty(t, out.Output.Steps)
	require.True(t, out.IsError)
	require.Contains(t, out.Text, "no space left on device")

	out = d.call("run_command", command("uname -s"), nil)
	require.Equal(t, tools.RefusedLog, out.Output.Refusal, "not even what only reads")
	require.NotContains(t, out.Text, "Linux")
	require.Equal(t, []string{"running", "refused log", "running", "refused log"}, d.states())

	out = d.call("run_command", command(blockedCommand), nil)
	require.Equal(t, tools.RefusedBlocked, out.Output.Refusal)
	require.Contains(t, out.Text, "no space left on device", "a refusal that cannot be logged says so")
}

func TestABlockedCommandNeverAsks(t *testing.T) {
	d, p := newDoor(t), allows()
	out := d.call("run_command", command(blockedCommand), p)
	require.Empty(t, p.shown)
	require.Equal(t, tools.RefusedBlocked, out.Output.Refusal)
	require.Contains(t, out.Text, "never allowed")
	require.Equal(t, []string{"BLOCKED     " + blockedCommand}, d.logged())
	require.Equal(t, []string{"refused blocked"}, d.states())
}

func TestAConfirmationShowsTheLiteralCommand(t *testing.T) {
	d, p := newDoor(t), says()
	text, _ := d.touch()
	d.call("run_command", command(text+"   'a  b' # hidden"), p)
	require.Equal(t, []string{text + " 'a  b'"}, p.saw(), "what would run, to the letter")
	j := p.shown[0]
	require.Equal(t, safety.Confirm, j.Class)
	require.Equal(t, "s", j.Session)
	require.Equal(t, d.dir, j.Plan.Dir)
	require.True(t, strings.HasPrefix(j.Digest, "sha256:"))
	require.NotEmpty(t, j.Reasons)
	require.Nil(t, j.Argv(), "a shell source has no argument vector")
}

func TestOnlyAYesIsAYes(t *testing.T) {
	for name, tc := range map[string]struct {
		answer  tools.Decision
		refusal string // "" when it runs
		logged  string // its class, "" for no line
	}{
		"allow once":            {tools.Decision{Action: tools.AllowOnce}, "", "CONFIRMED  "},
		"allow for a session":   {tools.Decision{Action: tools.AllowSession}, "", "CONFIRMED  "},
		"no":                    {tools.Decision{Action: tools.Reject}, tools.RefusedDenied, "CANCELLED  "},
		"no, with its reason":   {tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied}, tools.RefusedDenied, "CANCELLED  "},
		"nobody answered":       {tools.Decision{Action: tools.Reject, Reason: tools.RefusedExpired}, tools.RefusedExpired, "CANCELLED  "},
		"cancelled":             {tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}, tools.RefusedCancelled, "CANCELLED  "},
		"nobody could be asked": {tools.Decision{Action: tools.Reject, Reason: tools.RefusedQueued, Code: "K7QX"}, tools.RefusedQueued, ""},
		"nothing":               {tools.Decision{}, tools.RefusedDenied, "CANCELLED  "},
		"nonsense":              {tools.Decision{Action: "yes please"}, tools.RefusedDenied, "CANCELLED  "},
		"almost yes":            {tools.Decision{Action: "Allow_Once"}, tools.RefusedDenied, "CANCELLED  "},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDoor(t)
			text, file := d.touch()
			out := d.call("run_command", command(text), says(tc.answer))
			require.Equal(t, tc.refusal, out.Output.Refusal)
			require.Equal(t, tc.refusal != "", out.IsError)
			if tc.refusal == "" {
				require.FileExists(t, file)
			} else {
				require.NoFileExists(t, file)
				require.Equal(t, []string{"refused " + tc.refusal}, d.states())
			}
			want := []string{}
			if tc.logged != "" {
				want = append(want, tc.logged+" "+text)
			}
			require.Equal(t, want, d.logged())
			require.Equal(t, tc.answer.Code, out.Pending)
			if tc.answer.Code != "" {
				require.Contains(t, out.Text, tc.answer.Code)
			}
		})
	}
}

// blocks waits for the end of its context, as somebody does who never answers.
type blocks struct{ asked chan struct{} }

func (b blocks) Approve(ctx context.Context, _ tools.Judged) tools.Decision {
	close(b.asked)
	<-ctx.Done()
	return tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}
}

func TestThreat9APersonWhoGoesAwayDuringThePromptMeansNo(t *testing.T) {
	d := newDoor(t)
	text, file := d.touch()
	ctx, cancel := context.WithCancel(t.Context())
	b := blocks{make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() {
		out := d.callCtx(ctx, "run_command", command(text), b)
		require.Equal(t, tools.RefusedCancelled, out.Output.Refusal)
	})
	<-b.asked
	cancel()
	wg.Wait()
	require.NoFileExists(t, file)
	require.Equal(t, []string{"CANCELLED   " + text}, d.logged())
}

func TestACallCancelledWhileItRunsIsRefused(t *testing.T) {
	d := newDoor(t)
	ctx, cancel := context.WithCancel(t.Context())
	approver := says(tools.Decision{Action: tools.AllowOnce})
	j, refused := d.Prepare(newCall(t, "argv", map[string]any{
		"Commands": []tools.Command{{Argv: []string{"sleep", "600"}}, {Argv: []string{"touch", filepath.Join(d.dir, "second")}}}, "AtLeast": "CONFIRM",
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

func TestAutonomyReadOnlyDoesNotEvenAsk(t *testing.T) {
	d := newDoor(t, func(o *tools.Options) { o.ReadOnly = true })
	text, file := d.touch()
	p := allows()
	out := d.call("run_command", command(text), p)
	require.Empty(t, p.shown)
	require.Equal(t, tools.RefusedReadOnly, out.Output.Refusal)
	require.NoFileExists(t, file)
	require.Equal(t, []string{"CANCELLED   " + text}, d.logged())

	j, _ := d.Prepare(newCall(t, "run_command", command(text)), "s", d.dir)
	require.Equal(t, tools.RefusedReadOnly, d.RunApproved(t.Context(), j, j.Digest, nil).Output.Refusal, "nor does an old approval help")
	require.NoFileExists(t, file)
	require.Empty(t, d.call("run_command", command("uname -s"), nil).Output.Refusal)
}

func TestWhatCannotBeParsedIsNotRun(t *testing.T) {
	for name, text := range map[string]string{
		"an open quote":     "touch %s 'x",
		"an open bracket":   "(touch %s",
		"nothing but words": "# touch %s",
		"a hidden sign":     "touch %s\u202e",
		"a control":         "touch %s\x1b",
		"too long":          "touch %s " + strings.Repeat("x ", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			d, p := newDoor(t), allows()
			_, file := d.touch()
			text := strings.ReplaceAll(text, "%s", file)
			j, refused := d.Prepare(newCall(t, "run_command", command(text)), "s", d.dir)
			require.Nil(t, refused)
			require.NotEqual(t, safety.Safe, j.Class)
			out := d.Run(t.Context(), j, p, d.observe)
			require.Equal(t, tools.RefusedUnparsed, out.Output.Refusal)
			require.Empty(t, p.shown)
			require.Len(t, d.logged(), 1)
			require.True(t, strings.HasPrefix(d.logged()[0], "CANCELLED "), "a command that cannot be parsed is a no, and logged")
			out = d.RunApproved(t.Context(), j, j.Digest, nil)
			require.Equal(t, tools.RefusedUnparsed, out.Output.Refusal, "nor does an approval help")
			require.NoFileExists(t, file)
		})
	}
	d := newDoor(t)
	require.Equal(t, tools.RefusedBlocked, d.call("run_command", command(blockedCommand+" 'x"), nil).Output.Refusal)
}

func TestAPlanWithoutACommandIsRefused(t *testing.T) {
	d := newDoor(t)
	for _, commands := range [][]tools.Command{nil, {{}}, {{Argv: []string{"uname"}}, {}}} {
		out := d.call("argv", map[string]any{"Commands": commands}, allows())
		require.Equal(t, tools.RefusedUnparsed, out.Output.Refusal)
	}
}

func TestAMissingProgramIsToldBeforeAsking(t *testing.T) {
	dir := t.TempDir()
	d := newDoor(t, func(o *tools.Options) { o.Executor = tools.NewExecutor(tools.ExecutorOptions{Path: []string{dir}}) })
	p := allows()
	out := d.call("install_package", map[string]any{"name": "htop"}, p)
	require.Empty(t, p.shown)
	require.Equal(t, tools.RefusedMissing, out.Output.Refusal)
	require.Contains(t, out.Text, "yay is not installed (Arch package: yay (AUR))")
	require.Equal(t, "yay", out.Output.Steps[0].Missing)
	require.Equal(t, []string{"FAILED      yay -S --noconfirm -- htop"}, d.logged())
	require.Equal(t, []string{"refused missing"}, d.states())

	d.events = nil
	out = d.call("update_system", nil, p)
	require.Empty(t, p.shown)
	first := "sudo"
	if os.Getuid() == 0 {
		first = "pacman"
	}
	require.Equal(t, first, out.Output.Steps[0].Missing)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sudo"), nil, 0o755))
	out = d.call("update_system", nil, p)
	require.Equal(t, "pacman", out.Output.Steps[0].Missing, "the program behind sudo is looked for too")
	require.Empty(t, p.shown)

	out = d.call("check_hardware", map[string]any{"scope": "temperature"}, p)
	require.Empty(t, out.Output.Refusal)
	require.True(t, out.IsError)
	require.Equal(t, "$ sensors\n[the program sensors is not installed (Arch package: lm_sensors)]\n", out.Text)
	require.Equal(t, "sensors", out.Output.Steps[0].Missing)
	require.Equal(t, "FAILED      sensors", d.logged()[len(d.logged())-1])
}

func TestCommandsOfAPlanRunOneAfterTheOther(t *testing.T) {
	d := newDoor(t)
	steps := []tools.Command{
		{Argv: []string{"uname", "-s"}}, {Argv: []string{"cat", "/there/is/no/such/file"}}, {Argv: []string{"sensors-of-nobody"}}, {Argv: []string{"uname", "-o"}},
	}
	out := d.call("argv", map[string]any{"Commands": steps, "AtLeast": "CONFIRM"}, nil)
	require.Equal(t, tools.RefusedMissing, out.Output.Refusal, "before a change everything must be there")

	d = newDoor(t)
	steps[2] = tools.Command{Argv: []string{"lspci", "-nnk"}}
	d.Gate = newDoor(t, func(o *tools.Options) {
		o.Recorder = d.log
		o.Executor = tools.NewExecutor(tools.ExecutorOptions{Path: []string{onlyThese(t, "uname", "cat")}})
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

	out = d.call("argv", map[string]any{"Commands": steps, "Stop": true}, nil)
	require.Len(t, out.Output.Steps, 2, "a plan may end at the first failure")
}

// onlyThese makes a program directory with links to some programs.
func onlyThese(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		file, err := tools.NewExecutor(tools.ExecutorOptions{}).Look(p)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(file, filepath.Join(dir, p)))
	}
	return dir
}

func TestWhatAModelReadsOfAStep(t *testing.T) {
	d := newDoor(t, func(o *tools.Options) { o.Timeouts.Command = 300 * time.Millisecond })
	for text, want := range map[string]string{
		"true":              "[no output, exit 0]\n",
		"false":             "[exit 1]\n",
		"echo -n x":         "x\n",
		"echo x >&2":        "[stderr]\nx\n",
		"kill -9 $$":        "[exit 137]\n",
		"sleep 600":         "[timed out, killed]\n",
		"echo x; sleep 600": "x\n[timed out, killed]\n",
	} {
		out := d.call("run_command", command(text), allows())
		_, after, _ := strings.Cut(out.Text, "\n")
		require.True(t, strings.HasSuffix(out.Text, want), "%s: %q", text, after)
		require.Equal(t, strings.Contains(want, "exit 1") || strings.Contains(want, "timed out"), out.IsError, text)
		require.Equal(t, strings.Contains(want, "timed out"), out.Output.Steps[0].TimedOut, text)
	}
}

func TestACallThatMakesNoSenseIsAnErrorForTheModel(t *testing.T) {
	d := newDoor(t)
	j, out := d.Prepare(tools.Call{ID: "c", Name: "approve", Input: json.RawMessage(`{"id":"a7"}`)}, "s", d.dir)
	require.Equal(t, tools.RefusedUnknown, out.Output.Refusal, "threat 3: a made-up approve tool")
	require.Contains(t, out.Text, `there is no tool "approve"`)
	require.Equal(t, "c", j.Call.ID)
	for _, input := range []string{`{"_malformed":"{\"name\": \"ht"}`, `{"name":"-Rdd"}`, `[]`, ``} {
		_, out = d.Prepare(tools.Call{Name: "install_package", Input: json.RawMessage(input)}, "s", d.dir)
		require.Equal(t, tools.RefusedInput, out.Output.Refusal, input)
		require.True(t, out.IsError)
	}
	require.Empty(t, d.logged(), "there was no command")
}

func TestThreat3AModelCannotApproveItself(t *testing.T) {
	d, p := newDoor(t), says()
	text, file := d.touch()
	out := d.call("run_command", map[string]any{"command": text, "approved": true, "action": "allow_once", "class": "SAFE", "confirm": "yes"}, p)
	require.Equal(t, []string{text}, p.saw())
	require.Equal(t, tools.RefusedDenied, out.Output.Refusal)
	require.NoFileExists(t, file)
}

func TestAToolThatChangesAsksWhateverTheCheckerThinks(t *testing.T) {
	d, p := newDoor(t), says()
	d.call("argv", map[string]any{"Commands": []tools.Command{{Argv: []string{"uname"}}}, "AtLeast": "CONFIRM"}, p)
	require.Equal(t, []string{"uname"}, p.saw())
	d.call("argv", map[string]any{"Commands": []tools.Command{{Argv: []string{"uname"}}, {Shell: "touch x"}}}, p)
	require.Equal(t, []string{"uname", "uname\ntouch x"}, p.saw(), "the worst of all commands counts, and all are shown")
}

func TestTheWorkingDirectoryIsThePersonsOrHome(t *testing.T) {
	d := newDoor(t)
	sub := filepath.Join(d.dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	file := filepath.Join(d.dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Chdir(d.dir)
	for dir, want := range map[string]string{
		sub: sub, sub + "/../sub/": sub, "": d.dir, filepath.Join(d.dir, "gone"): d.dir, file: d.dir,
		"sub": d.dir, ".": d.dir, // relative to whom?
	} {
		j, refused := d.Prepare(newCall(t, "run_command", command("pwd")), "s", dir)
		require.Nil(t, refused)
		require.Equal(t, want, j.Plan.Dir, dir)
		out := d.Run(t.Context(), j, nil, nil)
		require.Equal(t, want+"\n", out.Output.Steps[0].Stdout)
	}
	homeless := newDoor(t, func(o *tools.Options) { o.Home = "/there/is/no/such/home" })
	j, _ := homeless.Prepare(newCall(t, "run_command", command("pwd")), "s", "")
	require.Equal(t, "/", j.Plan.Dir)
}

func TestThreat17EveryCommandIsOneLogLineWhateverItContains(t *testing.T) {
	d := newDoor(t)
	want := 0
	rapid.Check(t, func(rt *rapid.T) {
		arg := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\n\r\t\x1b\x85\u2028\u202e ]'\"\\SAFE")))).Draw(rt, "arg")
		if rapid.Bool().Draw(rt, "shell") {
			d.call("run_command", command("echo "+arg), says())
		} else {
			d.call("argv", map[string]any{"Commands": []tools.Command{{Argv: []string{"echo", arg}}}}, says())
		}
		want++
		lines, err := d.log.Tail(100_000)
		require.NoError(rt, err)
		require.Len(rt, lines, want)
		r, err := commandlog.Parse(lines[want-1])
		require.NoError(rt, err)
		require.Contains(rt, []commandlog.Class{commandlog.Safe, commandlog.Cancelled, commandlog.Blocked}, r.Class)
	})
}

func TestDefinitionsAreInTheOrderOfTheTools(t *testing.T) {
	all, err := tools.All()
	require.NoError(t, err)
	var want []providers.ToolDefinition
	for _, tool := range all {
		want = append(want, tool.Definition)
	}
	require.Equal(t, want, newDoor(t).Definitions()[:len(all)])
	require.Equal(t, "check_disk", want[0].Name)
}
