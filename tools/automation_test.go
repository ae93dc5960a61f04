package tools_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/safety"
)

func TestANewAutomationIsShownWholeAndAlwaysAsked(t *testing.T) {
	d, b := newScheduleGate(t)
	yes := answering(tools.Decision{Action: tools.AllowSession})
	j := d.judgeCall(newCall(t, "schedule", in{"cron": "0 9 * * *", "task": "메모리 확인해줘"}))
	j.Origin = tools.Origin{Task: "t1", Channel: "telegram:42"}
	out := d.Run(t.Context(), j, yes, d.observe)
	require.Empty(t, out.Output.Refusal)

	j = yes.shown[0]
	require.Equal(t, []string{
		"blunux-ai", "automations", "add", "--name", "메모리-확인해줘", "--schedule", "0 9 * * *", "--", "메모리 확인해줘",
	}, j.Argv())
	require.Equal(t, safety.Confirm, j.Class)
	require.Equal(t, []string{action.ReasonNewAutomation}, j.Reasons)
	require.Equal(t, []string{
		"automation-comes: 메모리-확인해줘 [0 9 * * *] every day at 09:00 · on · do 메모리 확인해줘",
		"automation-next: 2026-02-21 09:00 KST, 2026-02-22 09:00 KST",
		"automation-reads",
	}, j.Warnings)
	require.False(t, j.IsGrantable(), "each is looked at")
	require.False(t, j.IsReadOnly())
	require.Equal(t, "telegram:42", b.from.Channel, "who is told where nothing is said")
	require.Equal(t, "$ "+j.Command()+"\nadded: 메모리-확인해줘 [0 9 * * *] every day at 09:00 · on · do 메모리 확인해줘 · tell telegram:42 · next 2026-02-21 09:00 KST\n", out.Text)
	require.Equal(t, []string{"CONFIRMED   " + j.Command()}, d.logged())

	before := len(b.rules)
	require.Equal(t, tools.RefusedDenied, d.call("schedule", in{"cron": "07:00", "task": "x"}, answering(tools.Decision{Action: tools.Reject})).Output.Refusal)
	require.Len(t, b.rules, before)
}

func TestANewAutomationHasANameOfItsOwn(t *testing.T) {
	d, _ := newScheduleGate(t)
	for _, test := range []struct {
		input in
		want  string
	}{
		{in{"cron": "07:00", "task": "list failed services"}, "list-failed-services"},
		{in{"cron": "07:00", "task": "disk watch"}, "disk-watch-2"},
		{in{"cron": "07:00", "task": "", "check": "memory", "over": 80}, "watch-memory"},
		{in{"cron": "07:00", "task": "🔋"}, "watch"},
	} {
		require.Equal(t, test.want, d.judgeCall(newCall(t, "schedule", test.input)).Argv()[4])
	}
	out := d.call("schedule", in{"cron": "07:00", "task": "x", "name": "Disk Watch"}, allowing())
	require.Equal(t, tools.RefusedInput, out.Output.Refusal)
	require.Contains(t, out.Text, "change_automation")
}

func TestListingIsSafeAndTellsEverything(t *testing.T) {
	d, b := newScheduleGate(t)
	out := d.call("list_automations", in{}, answering())
	require.Equal(t, `$ blunux-ai automations list
디스크 확인 [0 9 * * *] every day at 09:00 · on · do 디스크 확인해줘 · tell desktop · next 2026-02-21 09:00 KST · last 2026-02-20 09:00 KST RAN
disk-watch [*/30 * * * *, boot] every 30 minutes; at boot · on · check disk 90
`, out.Text)
	require.Equal(t, []string{"SAFE        blunux-ai automations list"}, d.logged())
	require.True(t, d.judgeCall(newCall(t, "list_automations", in{})).IsReadOnly())
	b.rules = nil
	require.Contains(t, d.call("list_automations", in{}, answering()).Text, "there are no automations")
}

func TestWhatChangesOrSilencesAnAutomationIsAskedAndShown(t *testing.T) {
	const disk = "디스크 확인 [0 9 * * *] every day at 09:00 · on · do 디스크 확인해줘 · tell desktop"
	for _, test := range []struct {
		tool     string
		input    in
		argv     []string
		reason   string
		warnings []string
		check    func(*testing.T, *timetable)
	}{
		{
			"change_automation",
			in{"name": "디스크확인", "enabled": false},
			[]string{"disable", "--", "디스크 확인"},
			action.ReasonPauseAutomation,
			[]string{"automation-goes: " + disk},
			func(t *testing.T, b *timetable) { require.False(t, b.rules[0].Enabled) },
		},
		{
			"change_automation",
			in{"name": "DISK WATCH", "enabled": true},
			[]string{"enable", "--", "disk-watch"},
			action.ReasonChangeAutomation, nil,
			func(t *testing.T, b *timetable) { require.True(t, b.rules[1].Enabled) },
		},
		{
			"change_automation",
			in{"name": "디스크 확인", "schedule": "08:00", "task": "디스크랑 메모리", "notify": "cli,none"},
			[]string{"edit", "--schedule", "08:00", "--notify", "cli", "--notify", "none", "--", "디스크 확인", "디스크랑 메모리"},
			action.ReasonChangeAutomation,
			[]string{
				"automation-goes: " + disk,
				"automation-comes: 디스크 확인 [08:00] every day at 09:00 · on · do 디스크랑 메모리 · tell cli, none",
				"automation-next: 2026-02-21 09:00 KST", "automation-reads",
			},
			func(t *testing.T, b *timetable) { require.Equal(t, "08:00", b.rules[0].Schedule) },
		},
		{
			"change_automation",
			in{"name": "디스크 확인", "snooze": "2d"},
			[]string{"snooze", "--", "디스크 확인", "2d"},
			action.ReasonPauseAutomation,
			[]string{"automation-goes: " + disk},
			func(t *testing.T, b *timetable) { require.InDelta(t, 48, b.silent.Hours(), 0) },
		},
		{
			"remove_automation",
			in{"name": "확인해줘"},
			[]string{"remove", "--", "디스크 확인"},
			action.ReasonRemoveAutomation,
			[]string{"automation-goes: " + disk},
			func(t *testing.T, b *timetable) { require.Len(t, b.rules, 1) },
		},
	} {
		d, b := newScheduleGate(t)
		yes := allowing()
		out := d.call(test.tool, test.input, yes)
		require.Empty(t, out.Output.Refusal, "%s %s", test.argv, out.Text)
		require.Len(t, yes.shown, 1, "%s", test.argv)
		j := yes.shown[0]
		require.Equal(t, append([]string{"blunux-ai", "automations"}, test.argv...), j.Argv())
		require.Equal(t, []string{test.reason}, j.Reasons)
		if test.warnings != nil {
			require.Equal(t, test.warnings, j.Warnings)
		}
		require.False(t, j.IsGrantable())
		test.check(t, b)
	}
}

func TestAShortSilenceThatThePersonAskedForIsNotAskedAbout(t *testing.T) {
	d, b := newScheduleGate(t)
	call := newCall(t, "change_automation", in{"name": "disk watch", "snooze": "1d"})
	j := d.judgeCall(call)
	require.Equal(t, safety.Safe, j.Class)
	require.False(t, j.IsReadOnly(), "it changes something")
	out := d.Run(t.Context(), j, answering(), nil)
	require.Contains(t, out.Text, "silent until 2026-02-21 09:00 KST: disk-watch")
	require.InDelta(t, 24, b.silent.Hours(), 0)
	require.Equal(t, []string{"SAFE        blunux-ai automations snooze -- disk-watch 1d"}, d.logged())

	require.Equal(t, safety.Confirm, d.judgeCall(untrustedCall(call, "what is in README?")).Class, "others may have written it")
	require.Equal(t, safety.Confirm, d.judgeCall(tools.Call{ID: "c", Name: call.Name, Input: call.Input, Mixed: true}).Class)
	require.Equal(t, safety.Safe, d.judgeCall(untrustedCall(call, "snooze disk watch for a day please")).Class, "the person's own words")
	require.Equal(t, safety.Confirm, d.judgeCall(untrustedCall(call, "what did the disk watch say?")).Class, "the person named it, and no silence")
	require.Equal(t, safety.Confirm, d.judgeCall(untrustedCall(call, "be quiet")).Class, "nor which")
	require.Equal(t, safety.Confirm, d.judgeCall(untrustedCall(call, "")).Class, "a program that calls by itself has no words")
	ours := newCall(t, "change_automation", in{"name": "디스크", "snooze": "1d"})
	b.rules = b.rules[:1]
	require.Equal(t, safety.Safe, d.judgeCall(untrustedCall(ours, "디스크 경고 하루만 조용히")).Class)
	b.rules = append(b.rules, action.Automation{Name: "disk-watch", Check: "disk", Enabled: true})
	require.Equal(t, safety.Confirm, d.judgeCall(newCall(t, "change_automation", in{"name": "disk watch", "snooze": "25h"})).Class)
	require.Equal(t, safety.Safe, d.judgeCall(newCall(t, "change_automation", in{"name": "disk watch", "snooze": "0"})).Class)
}

func TestANameOfNoAutomationOrOfSeveralIsRefusedWithThoseThereAre(t *testing.T) {
	d, b := newScheduleGate(t)
	b.rules = append(b.rules, action.Automation{Name: "disk health", Action: "SMART", Enabled: true})
	for name, want := range map[string]string{
		"printer": `There are: 디스크 확인, disk-watch, disk health`,
		"disk":    `several automations: disk-watch, disk health`,
		"🙂":       "There are",
	} {
		for tool, input := range map[string]in{"remove_automation": {"name": name}, "change_automation": {"name": name, "snooze": "1h"}} {
			yes := allowing()
			out := d.call(tool, input, yes)
			require.Equal(t, tools.RefusedInput, out.Output.Refusal)
			require.Contains(t, out.Text, want)
			require.Empty(t, yes.shown, "nobody is asked")
		}
	}
	require.Empty(t, d.logged())
}

func TestThreat04AnAutomationThatChangedSinceItWasShownIsNotTouched(t *testing.T) {
	for name, call := range map[string]tools.Call{
		"pause":  newCall(t, "change_automation", in{"name": "disk-watch", "enabled": false}),
		"edit":   newCall(t, "change_automation", in{"name": "disk-watch", "schedule": "08:00"}),
		"snooze": newCall(t, "change_automation", in{"name": "disk-watch", "snooze": "2d"}),
		"remove": newCall(t, "remove_automation", in{"name": "disk-watch"}),
		"add":    newCall(t, "schedule", in{"cron": "07:00", "task": "x", "name": "new"}),
	} {
		t.Run(name, func(t *testing.T) {
			d, b := newScheduleGate(t)
			edit := func() {
				b.rules[1].Action = "something else"
				b.rules = append(b.rules, action.Automation{Name: "new"})
			}
			out := d.Run(t.Context(), d.judgeCall(call), approvingAfter(edit), nil)
			require.Equal(t, tools.RefusedMismatch, out.Output.Refusal)
			require.Len(t, b.rules, 3)
			require.True(t, b.rules[1].Enabled)
			require.Zero(t, b.silent)
			require.Contains(t, d.logged()[0], "CANCELLED   blunux-ai automations ")

			d, _ = newScheduleGate(t)
			j := d.judgeCall(call)
			other := reloadJudged(t, j)
			other.Plan.Against = "sha256:0"
			require.NotEmpty(t, d.RunApproved(t.Context(), other, j.Digest, nil, nil).Output.Refusal)
			require.Empty(t, d.RunApproved(t.Context(), reloadJudged(t, j), j.Digest, nil, nil).Output.Refusal, "later, and unchanged")
		})
	}
}

// TestAnAutomationChangesNoAutomations: otherwise a page that its turn reads could make the automation repeat
// forever, or silence the checks.
func TestAnAutomationChangesNoAutomations(t *testing.T) {
	for name, call := range map[string]tools.Call{
		"itself":   newCall(t, "change_automation", in{"name": "disk-watch", "schedule": "08:00"}),
		"a pause":  newCall(t, "change_automation", in{"name": "디스크 확인", "enabled": false}),
		"a snooze": newCall(t, "change_automation", in{"name": "디스크 확인", "snooze": "1h"}),
		"new":      newCall(t, "schedule", in{"cron": "07:00", "task": "x"}),
		"gone":     newCall(t, "remove_automation", in{"name": "disk-watch"}),
		"by hand":  newCall(t, "run_command", command("blunux-aictl automations add --schedule 07:00 -- x")),
		"by path":  newCall(t, "run_command", command("/usr/bin/blunux-ai 'auto'mations remove x")),
		"wrapped":  newCall(t, "run_command", command("timeout 5 blunux-aictl automations disable x")),
	} {
		t.Run(name, func(t *testing.T) {
			d, b := newScheduleGate(t)
			j := d.judgeCall(call)
			j.Origin = tools.Origin{Task: "t1", Automation: "disk-watch"}
			yes := allowing()
			require.Equal(t, tools.RefusedSelfChange, d.Run(t.Context(), j, yes, d.observe).Output.Refusal)
			require.Empty(t, yes.shown)
			late := reloadJudged(t, j)
			late.Origin = j.Origin
			require.Equal(t, tools.RefusedSelfChange, d.RunApproved(t.Context(), late, j.Digest, nil, nil).Output.Refusal)
			require.Len(t, b.rules, 2)
			require.Zero(t, b.silent)
			require.Contains(t, d.logged()[0], "CANCELLED   ")
		})
	}
	d, _ := newScheduleGate(t)
	j := d.judgeCall(newCall(t, "list_automations", in{}))
	j.Origin.Automation = "disk-watch"
	require.Empty(t, d.Run(t.Context(), j, answering(), nil).Output.Refusal, "it may look")
	require.Equal(t, []string{"AUTOMATION  blunux-ai automations list"}, d.logged())
}

func TestWhatRunsInAnAutomationsNameIsRecordedSo(t *testing.T) {
	d, _ := newScheduleGate(t)
	text, file := d.touch()
	for _, command := range []string{"df -h /", text, blockedCommand} {
		j := d.judgeCall(newCall(t, "run_command", in{"command": command}))
		j.Origin = tools.Origin{Task: "t1", Automation: "디스크 확인"}
		d.Run(t.Context(), j, allowing(), nil)
	}
	require.FileExists(t, file)
	require.Equal(t, []string{"AUTOMATION  df -h /", "AUTOMATION  " + text, "BLOCKED     " + blockedCommand}, d.logged())
	audit, err := os.ReadFile(filepath.Join(filepath.Dir(d.log.Path()), "audit.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(audit), `"automation":"디스크 확인"`))
	report, err := d.log.Verify()
	require.NoError(t, err)
	require.True(t, report.OK)
}

func TestNoAutonomyChangesAutomationsUnasked(t *testing.T) {
	full := func(o *tools.Options) {
		o.Full = autonomy.Allowance{Commands: []string{"blunux-ai", "schedule"}, Workspace: o.Home}
	}
	only := func(o *tools.Options) { o.ReadOnly = true }
	for tool, input := range map[string]in{
		"schedule": {"cron": "07:00", "task": "x"}, "remove_automation": {"name": "disk-watch"}, "change_automation": {"name": "disk-watch", "enabled": false},
	} {
		d, b := newScheduleGate(t, full)
		require.Equal(t, tools.RefusedDenied, d.call(tool, input, answering()).Output.Refusal)
		require.Len(t, b.rules, 2)
		d, b = newScheduleGate(t, only)
		require.Equal(t, tools.RefusedReadOnly, d.call(tool, input, allowing()).Output.Refusal)
		require.Len(t, b.rules, 2)
	}
	d, b := newScheduleGate(t, only)
	require.Equal(t, tools.RefusedReadOnly, d.call("change_automation", in{"name": "disk-watch", "snooze": "1h"}, allowing()).Output.Refusal)
	require.Zero(t, b.silent)
	require.Contains(t, d.call("list_automations", in{}, answering()).Text, "disk-watch")
	require.NotContains(t, definitions(newTestGate(t)), "schedule", "without a timetable there are no such tools")
}

func TestBadInputOfTheTimetableIsRefused(t *testing.T) {
	d, _ := newScheduleGate(t)
	for name, inputs := range map[string][]in{
		"schedule": {
			{},
			{"cron": "07:00"},
			{"task": "x"},
			{"cron": "soon", "task": "x"},
			{"cron": "07:00", "task": "x", "over": 9},
			{"cron": "07:00", "task": strings.Repeat("가", 2000)},
			{"cron": "--help", "task": "x"},
			{"cron": "07:00", "task": "x", "name": "a\nb"},
			{"cron": "07:00", "task": "x", "notify": strings.Repeat("desktop ", 9)},
			{"cron": "07:00", "task": "x", "notify": "--all"},
			{"cron": 7, "task": "x"},
		},
		"change_automation": {
			{},
			{"name": "disk-watch"},
			{"name": "disk-watch", "enabled": true, "snooze": "1d"},
			{"name": "disk-watch", "snooze": "a while"},
			{"name": "disk-watch", "snooze": "31d"},
			{"name": "disk-watch", "snooze": "-1d"},
			{"name": "disk-watch", "check": "memory"},
			{"name": "disk-watch", "schedule": "soon"},
			{"enabled": true},
		},
		"remove_automation": {{}, {"name": " "}},
	} {
		for _, input := range inputs {
			require.Equal(t, tools.RefusedInput, d.call(name, input, allowing()).Output.Refusal, "%s %v", name, input)
		}
	}
	key := "sk-ant-api03-" + strings.Repeat("xY3z", 24)
	out := d.call("schedule", in{"cron": "07:00", "task": "log in with " + key}, allowing())
	require.Equal(t, tools.RefusedSecret, out.Output.Refusal)
	require.Empty(t, d.logged())
}

func TestATimetableThatFailsSaysWhy(t *testing.T) {
	d, b := newScheduleGate(t)
	b.fail = errors.New("cannot write automations.d/managed.toml: no space left on device")
	out := d.call("schedule", in{"cron": "07:00", "task": "x"}, allowing())
	require.Contains(t, out.Text, "not done: cannot write automations.d/managed.toml: no space left on device")
	require.True(t, out.IsError)
}

func TestThePersonsEditOfANewAutomationIsWhatIsAdded(t *testing.T) {
	for text, want := range map[string]action.Automation{
		"메모리도 봐줘": {Name: "x", Schedule: "07:00", Action: "메모리도 봐줘"},
		"blunux-aictl automations add --name late --schedule 22:00 -- 'look at it'": {Name: "late", Schedule: "22:00", Action: "look at it"},
	} {
		d, b := newScheduleGate(t)
		out := d.call("schedule", in{"cron": "07:00", "task": "x"}, editing(text, tools.Decision{Action: tools.AllowOnce}))
		require.Empty(t, out.Output.Refusal, out.Text)
		got := b.rules[2]
		require.Equal(t, want, action.Automation{Name: got.Name, Schedule: got.Schedule, Action: got.Action})
	}
	d, b := newScheduleGate(t)
	for text, call := range map[string]tools.Call{
		"blunux-ai automations remove -- disk-watch": newCall(t, "schedule", in{"cron": "07:00", "task": "x"}),
		"disk-watch": newCall(t, "remove_automation", in{"name": "disk-watch"}),
	} {
		require.Equal(t, tools.RefusedInput, d.Run(t.Context(), d.judgeCall(call), editing(text), nil).Output.Refusal)
	}
	require.Len(t, b.rules, 2)
}

// TestEveryTextOfAnAutomationComesThroughItsCommandLine: for any text, the confirmed command line is what is
// stored.
func TestEveryTextOfAnAutomationComesThroughItsCommandLine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d, b := newScheduleGate(t)
		word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"--", "--name", "-x", "'; rm -rf ~; '", "$(id)", "a\nb", "·", " · on", "0", "list"}))
		input := in{"cron": "07:00", "task": word.Draw(rt, "task"), "name": word.Draw(rt, "name"), "notify": word.Draw(rt, "notify")}
		call := newCall(t, "schedule", input)
		j, refused := d.Prepare(call, "s", d.dir)
		if refused != nil {
			require.Equal(rt, tools.RefusedInput, refused.Output.Refusal, refused.Text)
			return
		}
		out := d.Run(context.Background(), j, allowing(), nil)
		require.Empty(rt, out.Output.Refusal, out.Text)
		added := b.rules[2]
		require.Equal(rt, j.Argv()[len(j.Argv())-1], added.Action)
		require.Contains(rt, j.Argv(), added.Name)
		lines := strings.Split(strings.TrimSuffix(out.Output.Steps[0].Stdout, "\n"), "\n")
		require.Len(rt, lines, 1)
	})
}

func TestDefinitionsAreInTheOrderOfTheTools(t *testing.T) {
	all, err := tools.All()
	require.NoError(t, err)
	var want []providers.ToolDefinition
	for _, tool := range all {
		if tool.Definition.Name != "send_file" { // offered by Deliveries only
			want = append(want, tool.Definition)
		}
	}
	d, _ := newNoteGate(t, func(o *tools.Options) {
		o.Services.Automations, o.Services.History, o.Services.Web, o.Services.Browser = &timetable{}, &past{}, &fakeWeb{}, &fakeBrowser{}
	})
	require.Equal(t, want, d.Definitions()[:len(want)])
	require.Equal(t, "check_disk", want[0].Name)
}
