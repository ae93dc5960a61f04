package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/executor"
)

// formerApproval is a line of testdata/former-plans.jsonl: what version 1.0 stored of an approval, and its digest if
// that does not depend on the machine.
type formerApproval struct {
	Digest string     `json:"digest"`
	Call   tools.Call `json:"call"`
	Plan   tools.Plan `json:"plan"`
}

func formerApprovals(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "former-plans.jsonl"))
	require.NoError(t, err)
	byTool := map[string]string{}
	for line := range strings.Lines(string(data)) {
		var f formerApproval
		require.NoError(t, json.Unmarshal([]byte(line), &f))
		byTool[f.Call.Name] = line
	}
	return byTool
}

func decodeFormer(t *testing.T, line string) (f formerApproval, j tools.JudgedPlan) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(line), &f))
	return f, tools.JudgedPlan{Call: f.Call, Plan: f.Plan, Session: "s"}
}

// TestApprovalsOfTheFormerFormKeepTheirDigests: an approval that waits while the program is updated can still be
// answered, and is stored in the present form from then on.
func TestApprovalsOfTheFormerFormKeepTheirDigests(t *testing.T) {
	s := &fakeServer{digest: "sha256:1"}
	notes, b := newNoteGate(t, func(o *tools.Options) { o.Services.Foreign = s; o.Executor = executor.New(executor.Options{}) })
	rules, store := newScheduleGate(t, func(o *tools.Options) { o.Executor = executor.New(executor.Options{}) })
	all := formerApprovals(t)
	require.Len(t, all, 9)
	for name, line := range all {
		t.Run(name, func(t *testing.T) {
			d := notes
			if strings.Contains(line, `"by":"timetable"`) {
				d = rules
			}
			f, j := decodeFormer(t, line)
			again := d.Judge(j)
			if f.Digest != "" {
				require.Equal(t, f.Digest, again.Digest)
			}
			stored, err := json.Marshal(j.Plan)
			require.NoError(t, err)
			require.NotContains(t, string(stored), `"Commands"`)
			if strings.Contains(line, `"by":`) {
				require.NotContains(t, string(stored), `"argv"`, "an action is no command line")
			}
			reloaded := d.Judge(reloadJudged(t, j))
			require.Equal(t, again.Digest, reloaded.Digest)
			require.Equal(t, again.Command(), reloaded.Command())
			require.Equal(t, again.Class, reloaded.Class)
			require.Equal(t, again.Reasons, reloaded.Reasons)
		})
	}
	run := func(d *testGate, name string) tools.Outcome {
		f, j := decodeFormer(t, all[name])
		return d.RunApproved(t.Context(), j, f.Digest, nil, nil)
	}
	require.Empty(t, run(notes, "forget").Output.Refusal)
	require.Empty(t, b.notes)
	require.Empty(t, run(notes, "notes_add").Output.Refusal)
	require.JSONEq(t, `{"at":1.5,"text":"it's <mine>"}`, string(s.called[0].Input))
	before := len(store.rules)
	require.Empty(t, run(rules, "remove_automation").Output.Refusal)
	require.Len(t, store.rules, before-1)
}

func TestThreat04AFormerApprovalThatWasChangedDoesNotRun(t *testing.T) {
	for _, edit := range []struct{ tool, old, with string }{
		{"forget", `"--","nas"`, `"--","tea"`},
		{"forget", `"forget","--"`, `"forget","--key","x","--"`},
		{"forget", `"memory","forget"`, `"memory","erase"`},
		{"forget", `"by":"notes"`, `"by":"server"`},
		{"forget", `"by":"notes"`, `"by":"other"`},
		{"forget", `"by":"notes",`, ``},
		{"forget", `"against":"sha256:7`, `"against":"sha256:8`},
		{"forget", `"Commands":[`, `"Commands":[{"shell":"touch x"},`},
		{"forget", `"Commands":[`, `"commands":[{"shell":"touch x"}],"Commands":[`},
		{"forget", `"Commands":`, `"commands":`},
		{"update_user", `"Commands":[`, `"Commands":[{"argv":["blunux-ai","memory","forget","--","nas"],"by":"notes"},`},
		{"notes_add", `{\"at\":1.5,`, `{\"at\": 1.5,`},
		{"notes_add", `"mcp","notes"`, `"mcp","other"`},
	} {
		t.Run(edit.tool+" "+edit.with, func(t *testing.T) {
			s := &fakeServer{digest: "sha256:1"}
			d, b := newNoteGate(t, func(o *tools.Options) { o.Services.Foreign = s; o.Executor = executor.New(executor.Options{}) })
			line := formerApprovals(t)[edit.tool]
			require.Equal(t, 1, strings.Count(line, edit.old), line)
			f, j := decodeFormer(t, strings.Replace(line, edit.old, edit.with, 1))
			out := d.RunApproved(t.Context(), j, f.Digest, nil, nil)
			require.NotEmpty(t, out.Output.Refusal)
			require.Empty(t, s.called)
			require.Len(t, b.notes, 1)
			require.Equal(t, []string{"Name: Blu"}, b.user)
			require.NoFileExists(t, filepath.Join(d.dir, "x"))
		})
	}
}

func TestAStoredFileToSendIsReadInBothForms(t *testing.T) {
	d, m := newSendGate(t)
	file := filepath.Join(d.dir, "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	j, refused := d.Prepare(newCall(t, "send_file", in{"path": file}), "s", d.dir)
	require.Nil(t, refused)
	former, err := json.Marshal(map[string]any{
		"Tool": "send_file", "AtLeast": "CONFIRM", "Reason": action.ReasonSendFile, "Timeout": j.Plan.Timeout, "Dir": j.Plan.Dir,
		"Commands": []any{map[string]any{"argv": j.Argv(), "by": "courier", "against": j.Plan.Against}},
	})
	require.NoError(t, err)
	for _, k := range []tools.JudgedPlan{reloadJudged(t, j), {Call: j.Call, Plan: j.Plan, Session: j.Session}} {
		k.Origin.Channel = "telegram"
		require.Empty(t, d.RunApproved(t.Context(), k, j.Digest, nil, nil).Output.Refusal)
		require.NoError(t, json.Unmarshal(former, &j.Plan))
	}
	require.Len(t, m.sent, 1)
}
