package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// pendingCall prepares a call with a pending approval.
func pendingCall(t *testing.T, d *testGate) (tools.JudgedPlan, string) {
	t.Helper()
	text, file := d.touch()
	j, refused := d.Prepare(newCall(t, "run_command", command(text)), "s", d.dir)
	require.Nil(t, refused)
	require.Equal(t, safety.Confirm, j.Class)
	return j, file
}

// reloadJudged returns a judged call as it is after a restart.
func reloadJudged(t *testing.T, j tools.JudgedPlan) tools.JudgedPlan {
	t.Helper()
	data, err := json.Marshal(struct {
		Call tools.Call
		Plan tools.Plan
	}{j.Call, j.Plan})
	require.NoError(t, err)
	var back struct {
		Call tools.Call
		Plan tools.Plan
	}
	require.NoError(t, json.Unmarshal(data, &back))
	return tools.JudgedPlan{Call: back.Call, Plan: back.Plan, Session: j.Session}
}

// editStored returns a plan after one place of its stored form was changed.
func editStored(t *testing.T, p tools.Plan, old, with string) (edited tools.Plan) {
	t.Helper()
	data, err := json.Marshal(p)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(data), old), "%s", data)
	require.NoError(t, json.Unmarshal([]byte(strings.Replace(string(data), old, with, 1)), &edited))
	return edited
}

func TestAnApprovedPlanRunsAlsoAfterARestart(t *testing.T) {
	d := newTestGate(t)
	j, file := pendingCall(t, d)
	out := d.RunApproved(t.Context(), reloadJudged(t, j), j.Digest, nil, d.observe)
	require.Empty(t, out.Output.Refusal)
	require.FileExists(t, file)
	require.Equal(t, []string{"CONFIRMED   touch " + file}, d.logged())
	require.Equal(t, []string{"running", "done"}, d.states())
}

func TestThreat04WhatWasChangedAfterTheApprovalDoesNotRun(t *testing.T) {
	d := newTestGate(t)
	j, file := pendingCall(t, d)
	other := filepath.Join(d.dir, "other")
	changes := map[string]func(*tools.JudgedPlan){
		"the command": func(j *tools.JudgedPlan) { j.Plan.Commands = []shell.Command{{Shell: "touch " + other}} },
		"one more command": func(j *tools.JudgedPlan) {
			j.Plan.Commands = append(j.Plan.Commands, shell.Command{Shell: "touch " + other})
		},
		"one command fewer": func(j *tools.JudgedPlan) { j.Plan.Commands = nil },
		"shell to argv":     func(j *tools.JudgedPlan) { j.Plan.Commands = []shell.Command{{Argv: []string{"touch", file}}} },
		"the directory":     func(j *tools.JudgedPlan) { j.Plan.Dir = "/" },
		"the session":       func(j *tools.JudgedPlan) { j.Session = "other" },
		"the tool":          func(j *tools.JudgedPlan) { j.Plan.Tool = "install_package" },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			changed := reloadJudged(t, j)
			changed.Plan.Commands = slices.Clone(changed.Plan.Commands)
			change(&changed)
			out := d.RunApproved(t.Context(), changed, j.Digest, nil, d.observe)
			require.NotEmpty(t, out.Output.Refusal)
			if name != "one command fewer" {
				require.Equal(t, tools.RefusedMismatch, out.Output.Refusal)
				require.Contains(t, d.logged()[len(d.logged())-1], "CANCELLED ")
			}
			require.NoFileExists(t, file)
			require.NoFileExists(t, other)
		})
	}
	for _, digest := range []string{"", "sha256:", j.Digest + "0"} {
		require.Equal(t, tools.RefusedMismatch, d.RunApproved(t.Context(), reloadJudged(t, j), digest, nil, nil).Output.Refusal)
	}
	require.NoFileExists(t, file)
}

func TestThreat04ABlockedCommandCannotHaveBeenApproved(t *testing.T) {
	d := newTestGate(t)
	j, refused := d.Prepare(newCall(t, "run_command", command(blockedCommand)), "s", d.dir)
	require.Nil(t, refused)
	out := d.RunApproved(t.Context(), reloadJudged(t, j), j.Digest, nil, nil)
	require.Equal(t, tools.RefusedBlocked, out.Output.Refusal)
	require.Equal(t, []string{"BLOCKED     " + blockedCommand}, d.logged())
}

func TestAnApprovedPlanIsLoggedBeforeItRunsToo(t *testing.T) {
	d := newTestGate(t)
	j, file := pendingCall(t, d)
	require.NoError(t, os.MkdirAll(d.log.Path(), 0o700)) // a directory at the log's path
	out := d.RunApproved(t.Context(), reloadJudged(t, j), j.Digest, nil, nil)
	require.Equal(t, tools.RefusedLog, out.Output.Refusal)
	require.NoFileExists(t, file)
}

// TestTheSameCallHasTheSameDigest: a pending approval can only be answered later if judging the plan again
// gives the same digest.
func TestTheSameCallHasTheSameDigest(t *testing.T) {
	d := newTestGate(t)
	for _, text := range []string{
		"touch x", "touch   x # c", "a | b |c && d || ! e", "if true; then touch x; fi", "for i in 1 2; do touch $i; done", "cat <<E\nx\nE",
		"cat <<-'E' > y\n\tx\n\tE\n", "touch $'a\\nb' \"$(uname)\" `uname`", "f() { touch x; }; f", "{ touch x; } 2>&1 >y", "(touch x) &", "case a in a) touch x;; esac",
		"a=(1 2); touch ${a[@]}", "((i++))", "[[ -f x && y == z* ]]", "touch x \\\n  y", "time touch x", "echo a; # c\necho b > x", "coproc touch x", "touch 크롬 {a,b}{1..3}",
	} {
		j, refused := d.Prepare(newCall(t, "run_command", command(text)), "s", d.dir)
		require.Nil(t, refused)
		again, _ := d.Prepare(newCall(t, "run_command", command(j.Command())), "s", d.dir)
		require.Equal(t, j.Command(), again.Command(), "%s", text)
		require.Equal(t, j.Digest, again.Digest, "%s", text)
	}
}

func TestDifferentArgumentVectorsHaveDifferentDigests(t *testing.T) {
	d := newTestGate(t)
	digest := func(t require.TestingT, commands []shell.Command) string {
		j, refused := d.Prepare(newCall(t, "argv", map[string]any{"Commands": commands}), "s", d.dir)
		require.Nil(t, refused)
		return j.Digest
	}
	word := rapid.OneOf(rapid.SampledFrom([]string{"", " ", "a", "b", "a b", "a\nb", "'a'", `\`, ","}), rapid.String())
	vector := rapid.Map(rapid.SliceOfN(word, 1, 4), func(words []string) shell.Command {
		return shell.Command{Argv: append([]string{"touch"}, words...)}
	})
	plans := rapid.SliceOfN(vector, 1, 3)
	rapid.Check(t, func(t *rapid.T) {
		a, b := plans.Draw(t, "a"), plans.Draw(t, "b")
		require.Equal(t, slices.EqualFunc(a, b, func(x, y shell.Command) bool { return slices.Equal(x.Argv, y.Argv) }),
			digest(t, a) == digest(t, b))
	})
}
