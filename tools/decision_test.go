package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

func TestABlockedCommandNeverAsks(t *testing.T) {
	d, p := newTestGate(t), allowing()
	out := d.call("run_command", command(blockedCommand), p)
	require.Empty(t, p.shown)
	require.Equal(t, tools.RefusedBlocked, out.Output.Refusal)
	require.Contains(t, out.Text, "never allowed")
	require.Equal(t, []string{"BLOCKED     " + blockedCommand}, d.logged())
	require.Equal(t, []string{"refused blocked"}, d.states())
}

func TestAConfirmationShowsTheLiteralCommand(t *testing.T) {
	d, p := newTestGate(t), answering()
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
		refusal string // "" if it runs
		logged  string // class of its log line, "" for no line
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
			d := newTestGate(t)
			text, file := d.touch()
			out := d.call("run_command", command(text), answering(tc.answer))
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

type blockingApprover struct{ asked chan struct{} }

func (b blockingApprover) Approve(ctx context.Context, _ tools.JudgedPlan) tools.Decision {
	close(b.asked)
	<-ctx.Done()
	return tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}
}

func TestThreat09APersonWhoGoesAwayDuringThePromptMeansNo(t *testing.T) {
	d := newTestGate(t)
	text, file := d.touch()
	ctx, cancel := context.WithCancel(t.Context())
	b := blockingApprover{make(chan struct{})}
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

func TestAutonomyReadOnlyDoesNotEvenAsk(t *testing.T) {
	d := newTestGate(t, func(o *tools.Options) { o.ReadOnly = true })
	text, file := d.touch()
	p := allowing()
	out := d.call("run_command", command(text), p)
	require.Empty(t, p.shown)
	require.Equal(t, tools.RefusedReadOnly, out.Output.Refusal)
	require.NoFileExists(t, file)
	require.Equal(t, []string{"CANCELLED   " + text}, d.logged())

	j, _ := d.Prepare(newCall(t, "run_command", command(text)), "s", d.dir)
	require.Equal(t, tools.RefusedReadOnly, d.RunApproved(t.Context(), j, j.Digest, nil, nil).Output.Refusal, "nor does an old approval help")
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
			d, p := newTestGate(t), allowing()
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
			out = d.RunApproved(t.Context(), j, j.Digest, nil, nil)
			require.Equal(t, tools.RefusedUnparsed, out.Output.Refusal, "nor does an approval help")
			require.NoFileExists(t, file)
		})
	}
	d := newTestGate(t)
	require.Equal(t, tools.RefusedBlocked, d.call("run_command", command(blockedCommand+" 'x"), nil).Output.Refusal)
}

func TestAPlanWithoutACommandIsRefused(t *testing.T) {
	d := newTestGate(t)
	for _, commands := range [][]shell.Command{nil, {{}}, {{Argv: []string{"uname"}}, {}}} {
		out := d.call("argv", map[string]any{"Commands": commands}, allowing())
		require.Equal(t, tools.RefusedUnparsed, out.Output.Refusal)
	}
}

func TestACallThatMakesNoSenseIsAnErrorForTheModel(t *testing.T) {
	d := newTestGate(t)
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

func TestThreat03AModelCannotApproveItself(t *testing.T) {
	d, p := newTestGate(t), answering()
	text, file := d.touch()
	out := d.call("run_command", map[string]any{"command": text, "approved": true, "action": "allow_once", "class": "SAFE", "confirm": "yes"}, p)
	require.Equal(t, []string{text}, p.saw())
	require.Equal(t, tools.RefusedDenied, out.Output.Refusal)
	require.NoFileExists(t, file)
}

func TestAToolThatChangesAsksWhateverTheCheckerThinks(t *testing.T) {
	d, p := newTestGate(t), answering()
	d.call("argv", map[string]any{"Commands": []shell.Command{{Argv: []string{"uname"}}}, "AtLeast": "CONFIRM"}, p)
	require.Equal(t, []string{"uname"}, p.saw())
	d.call("argv", map[string]any{"Commands": []shell.Command{{Argv: []string{"uname"}}, {Shell: "touch x"}}}, p)
	require.Equal(t, []string{"uname", "uname\ntouch x"}, p.saw(), "the worst of all commands counts, and all are shown")
}
