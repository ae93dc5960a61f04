package tools_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/shell"
)

func TestASafeCommandRunsUnaskedAndIsLogged(t *testing.T) {
	d, nobody := newTestGate(t), answering()
	out := d.call("run_command", command("uname   -s"), nobody)
	require.Empty(t, nobody.shown)
	require.Equal(t, providers.Output{Steps: []providers.Step{{Command: "uname -s", Stdout: "Linux\n"}}}, out.Output)
	require.Equal(t, "$ uname -s\nLinux\n", out.Text)
	require.False(t, out.IsError)
	require.Equal(t, []string{"SAFE        uname -s"}, d.logged(), "as it was judged, not as it was written")
}

func TestTheEventsTellWhatHappensInOrder(t *testing.T) {
	d := newTestGate(t)
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
	d.call("run_command", command(text), answering())
	require.Equal(t, []string{"refused denied"}, d.states())
	require.Equal(t, "CONFIRM", d.events[0].Class)
	require.NotEmpty(t, d.events[0].Reasons)

	d.events = nil
	d.call("run_command", command("exit 3; "+text), allowing())
	require.Equal(t, []string{"running", "done"}, d.states())
	require.Equal(t, 3, d.events[1].Exit)
}

func TestACommandIsLoggedBeforeItRuns(t *testing.T) {
	var file string
	var seen []string
	d := newTestGate(t, func(o *tools.Options) {
		o.Records.Recorder = recorderFunc(func(c commandlog.Class, command string) error {
			_, err := os.Stat(file)
			require.ErrorIs(t, err, os.ErrNotExist, "it ran before it was written down")
			seen = append(seen, string(c)+" "+command)
			return nil
		})
	})
	text, trace := d.touch()
	file = trace
	out := d.call("run_command", command(text), allowing())
	require.False(t, out.IsError)
	require.FileExists(t, file)
	require.Equal(t, []string{"CONFIRMED " + text}, seen)
}

func TestWhatCannotBeLoggedDoesNotRun(t *testing.T) {
	full := errors.New("no space left on device")
	d := newTestGate(t, func(o *tools.Options) {
		o.Records.Recorder = recorderFunc(func(commandlog.Class, string) error { return full })
	})
	text, file := d.touch()
	out := d.call("run_command", command(text), allowing())
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

func TestThreat17EveryCommandIsOneLogLineWhateverItContains(t *testing.T) {
	d := newTestGate(t)
	want := 0
	rapid.Check(t, func(rt *rapid.T) {
		arg := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\n\r\t\x1b\x85\u2028\u202e ]'\"\\SAFE")))).Draw(rt, "arg")
		if rapid.Bool().Draw(rt, "shell") {
			d.call("run_command", command("echo "+arg), answering())
		} else {
			d.call("argv", map[string]any{"Commands": []shell.Command{{Argv: []string{"echo", arg}}}}, answering())
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
