package tools_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/file"
	"github.com/nidoit/blunux-ai/tools/receipt"
)

// keeping is a gate with receipts on a machine with packages and services.
func keeping(t *testing.T, change ...func(*tools.Options)) (d *testGate, receipts *receipt.Store, state string) {
	t.Helper()
	receipts = receipt.New(t.TempDir(), time.Now)
	d, state = managed(t, append(change, func(o *tools.Options) { o.Receipts = receipts })...)
	return d, receipts, state
}

// putLine returns the command that gives a file another text.
func putLine(t *testing.T, receipts *receipt.Store, path, was, is string, info os.FileInfo) string {
	t.Helper()
	put := file.Put{Kept: receipts.Path(receipt.Digest([]byte(is))), Path: path, Was: file.Identity([]byte(was), info)}
	return strings.Join(append([]string{ownPath(t)}, put.Args()...), " ")
}

type fields = map[string]any

func planOf(list ...fields) fields { return fields{"goal": "a goal", "steps": list} }

func TestAPlanIsAskedOnceAndCheckedStepByStep(t *testing.T) {
	d, receipts, _ := keeping(t)
	file := filepath.Join(d.dir, "conf")
	require.NoError(t, os.WriteFile(file, []byte("a=1\nb=2\n"), 0o640))
	p := allowing()
	out := d.call("plan", planOf(
		fields{"id": "look", "verb": "run", "args": fields{"command": "cat " + file}},
		fields{"id": "web", "verb": "unit", "args": fields{"action": "start", "name": "web.service"}},
		fields{"id": "conf", "verb": "edit_file", "args": fields{"path": file, "old": "b=2", "new": "b=3"}},
		fields{"id": "made", "toolId": "system.run", "input": fields{"command": "touch " + d.dir + "/made"}, "check": "test -e " + d.dir + "/made", "undo": "rm " + d.dir + "/made"},
	), p)
	require.False(t, out.IsError, out.Text)
	require.Len(t, p.shown, 1)
	require.Len(t, p.shown[0].Lines(), 4)
	require.False(t, p.shown[0].IsGrantable(), "one yes, one use")
	require.Contains(t, out.Text, "[steps of the plan: look: done; web: done; conf: done; made: done]")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "a=1\nb=3\n", string(text))
	require.Equal(t, []plan.Code{plan.Running, plan.Written, plan.Confirmed}, codesOf(out))

	all, err := receipts.All()
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, out.Receipt, all[0].ID)
	require.True(t, all[0].IsDone())

	// And back.
	changed, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), changed.Mode().Perm())
	p = allowing()
	back := d.call("undo", fields{}, p)
	require.False(t, back.IsError, back.Text)
	require.Equal(t, []string{
		"rm " + d.dir + "/made",
		putLine(t, receipts, file, "a=1\nb=3\n", "a=1\nb=2\n", changed),
		"systemctl stop -- web.service",
	}, p.shown[0].Lines())
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "a=1\nb=2\n", string(text))
	require.NoFileExists(t, d.dir+"/made")
	require.Equal(t, tools.RefusedNoChange, d.call("undo", fields{}, allowing()).Output.Refusal, "it is taken back already")
}

func TestAFailedStepSkipsWhatDependsOnIt(t *testing.T) {
	d, receipts, _ := keeping(t)
	out := d.call("plan", planOf(
		fields{"id": "1", "verb": "unit", "args": fields{"action": "start", "name": "broken.service"}},
		fields{"id": "2", "verb": "run", "args": fields{"command": "touch " + d.dir + "/two"}},
		fields{"id": "3", "verb": "run", "args": fields{"command": "touch " + d.dir + "/three"}, "dependsOn": []string{}},
	), allowing())
	require.True(t, out.IsError)
	require.Contains(t, out.Text, "[steps of the plan: 1: failed; 2: skipped; 3: unproved]")
	require.NoFileExists(t, d.dir+"/two")
	require.FileExists(t, d.dir+"/three")
	all, err := receipts.All()
	require.NoError(t, err)
	require.Equal(t, []plan.State{plan.StepFailed, plan.StepSkipped, plan.StepUnproved}, statesOf(all[0]))
}

func statesOf(r receipt.Receipt) (states []plan.State) {
	for _, s := range r.Steps {
		states = append(states, s.State)
	}
	return states
}

func TestThreat36PlansThatAreRefused(t *testing.T) {
	d, _, _ := keeping(t)
	run := func(command string) fields { return fields{"verb": "run", "args": fields{"command": command}} }
	with := func(s fields, more ...any) fields {
		for i := 0; i < len(more); i += 2 {
			s[more[i].(string)] = more[i+1]
		}
		return s
	}
	many := make([]fields, 10000)
	for i := range many {
		many[i] = run("true")
	}
	for name, c := range map[string]struct {
		steps []fields
		want  string
	}{
		"a cycle":             {[]fields{with(run("a"), "id", "x", "dependsOn", []string{"y"}), with(run("b"), "id", "y", "dependsOn", []string{"x"})}, `step "x": waits for itself`},
		"an unknown verb":     {[]fields{{"verb": "fly"}}, `step "1": there is no verb "fly"`},
		"one id twice":        {[]fields{with(run("a"), "id", "x"), with(run("b"), "id", "x")}, `step "x": two steps have this id`},
		"too many steps":      {many, "from step 33 on too many"},
		"no steps":            {[]fields{}, "the plan has no steps"},
		"a check that writes": {[]fields{with(run("true"), "check", "touch /tmp/x")}, `step "1": its check "touch /tmp/x" may change something`},
		"a blocked undo":      {[]fields{with(run("true"), "undo", blockedCommand)}, `step "1": its undo`},
		"no such step":        {[]fields{with(run("true"), "dependsOn", []string{"z"})}, `step "1": depends on "z", which is no step`},
		"no such argument":    {[]fields{{"verb": "run", "args": fields{"command": "true", "sudo": "yes"}}}, `step "1": run has no argument "sudo"`},
	} {
		out := d.call("plan", planOf(c.steps...), allowing())
		require.Equal(t, tools.RefusedInput, out.Output.Refusal, name)
		require.Contains(t, out.Text, c.want, name)
	}
	out := d.call("plan", planOf(fields{"verb": "timer", "args": fields{"name": "x", "when": "daily", "command": blockedCommand}}), allowing())
	require.Contains(t, out.Text, "is never allowed, at no time")
	out = d.call("plan", planOf(run("true"), run(blockedCommand)), allowing())
	require.Equal(t, tools.RefusedBlocked, out.Output.Refusal)
	require.Empty(t, d.events[:0])
}

func TestLooksRunWithoutAQuestionSideBySide(t *testing.T) {
	d, receipts, _ := keeping(t)
	p := allowing()
	out := d.call("plan", planOf(
		fields{"id": "1", "verb": "run", "args": fields{"command": "uname -s"}},
		fields{"id": "2", "verb": "run", "args": fields{"command": "cat /nosuch"}},
		fields{"id": "3", "verb": "run", "args": fields{"command": "uname -m"}},
	), p)
	require.Empty(t, p.shown)
	require.Len(t, out.Output.Steps, 3)
	require.Contains(t, out.Text, "[steps of the plan: 1: done; 2: done; 3: done]")
	all, err := receipts.All()
	require.NoError(t, err)
	require.Empty(t, all, "nothing was changed")
}

// TestThreat36AnotherWayIsAskedAnew: what fails is tried another way only after another question, and counts as done only then.
func TestThreat36AnotherWayIsAskedAnew(t *testing.T) {
	unit := planOf(fields{"id": "a", "verb": "unit", "args": fields{"action": "start", "name": "mine.service"}}, fields{"id": "b", "verb": "run", "args": fields{"command": "touch b"}})
	for name, c := range map[string]struct {
		answers []tools.Decision
		want    string
		ran     bool
	}{
		"yes": {[]tools.Decision{{Action: tools.AllowOnce}, {Action: tools.AllowOnce}}, "a: done; b: unproved", true},
		"no":  {[]tools.Decision{{Action: tools.AllowOnce}, {Action: tools.Reject, Reason: tools.RefusedDenied}}, "a: failed; b: skipped", false},
	} {
		d, _, state := keeping(t)
		require.NoError(t, os.WriteFile(filepath.Join(state, "nosystem"), nil, 0o644))
		p := answering(c.answers...)
		out := d.call("plan", unit, p)
		require.Contains(t, out.Text, "[steps of the plan: "+c.want+"]", name)
		require.Equal(t, []string{"systemctl start -- mine.service\ntouch b", "systemctl --user start -- mine.service"}, p.saw(), name)
		_, err := os.Stat(filepath.Join(d.dir, "b"))
		require.Equal(t, c.ran, err == nil, name)
	}
}

// past is what was done in a test.
type past struct{ receipts []receipt.Receipt }

func (p *past) Changes() ([]receipt.Receipt, error) { return p.receipts, nil }

func (*past) Ran(from, to time.Time, session string) (read, refused int, err error) {
	return int(to.Sub(from).Hours()), len(session), nil
}

func (*past) Now() time.Time { return time.Date(2026, 11, 26, 20, 0, 0, 0, time.UTC) }

func TestRecentChangesAreThoseOfADayAndOfAMessengersOwnConversation(t *testing.T) {
	change := func(id, session, began string) receipt.Receipt {
		at, err := time.Parse(time.RFC3339, began)
		require.NoError(t, err)
		return receipt.Receipt{ID: id, Session: session, Began: at, Steps: []receipt.Step{{Command: "touch " + id, State: plan.StepUnproved}}}
	}
	p := &past{[]receipt.Receipt{
		change("U1", "s", "2026-11-24T10:00:00Z"), change("U2", "other", "2026-11-25T10:00:00Z"), change("U3", "s", "2026-11-25T23:59:00Z"),
		change("U4", "s", "2026-11-26T19:00:00Z"),
	}}
	d, _, _ := keeping(t, func(o *tools.Options) { o.Services.History = p })
	for _, c := range []struct{ day, channel, want, counts string }{
		{"", "cli", "U4 U3 U2 U1", `"commands_that_only_read":0,"commands_not_run":0`},
		{"yesterday", "cli", "U3 U2", `"commands_that_only_read":24,"commands_not_run":0`},
		{"yesterday", "bridge", "U3", `"commands_that_only_read":24,"commands_not_run":1`},
		{"yesterday", "telegram", "U3", `"commands_that_only_read":24,"commands_not_run":1`},
		{"today", "cli", "U4", `"commands_that_only_read":20`},
		{"week", "cli", "U4 U3 U2 U1", `"commands_that_only_read":188`},
		{"2026-11-24", "cli", "U1", `"commands_that_only_read":24`},
	} {
		j, refused := d.Prepare(newCall(t, "recent_changes", fields{"day": c.day}), "s", d.dir)
		require.Nil(t, refused)
		j.Origin.Channel = c.channel
		out := d.Run(t.Context(), j, nil, nil)
		require.Contains(t, out.Text, c.counts, c.day)
		var ids []string
		for _, m := range regexp.MustCompile(`"id":"(U\d)"`).FindAllStringSubmatch(out.Text, -1) {
			ids = append(ids, m[1])
		}
		require.Equal(t, c.want, strings.Join(ids, " "), c.day)
	}
	require.Equal(t, tools.RefusedInput, d.call("recent_changes", fields{"day": "someday"}, nil).Output.Refusal)
}

func TestPackagesThatAChangeNeedsStayInTheCache(t *testing.T) {
	d, receipts, _ := keeping(t)
	clean := func(command string) tools.JudgedPlan {
		j, refused := d.Prepare(newCall(t, "run_command", fields{"command": command}), "s", d.dir)
		require.Nil(t, refused)
		return j
	}
	require.Equal(t, "sudo -n paccache -rk2", clean("sudo -n paccache -rk2").Command())
	_, err := receipts.Begin(receipt.Receipt{Steps: []receipt.Step{{Command: "pacman -Syu", State: plan.StepDone, Effects: []plan.Effect{
		{Kind: plan.KindPackage, Name: "lib32-x", Before: "1:2.0-1", After: "1:2.1-1"}, {Kind: plan.KindPackage, Name: "new", After: "1-1"},
	}}}})
	require.NoError(t, err)
	require.Equal(t, "sudo -n paccache --ignore lib32-x -rk2", clean("sudo -n paccache -rk2").Command())
	require.Equal(t, "paccache -dk2", clean("paccache -dk2").Command())
	require.Contains(t, clean("sudo pacman -Sc").Warnings, "pins: lib32-x")
	require.NotContains(t, clean("sudo pacman -S cc").Warnings, "pins: lib32-x")
	require.Contains(t, clean("sudo rm /var/cache/pacman/pkg/lib32-x-1:2.0-1-x86_64.pkg.tar.zst").Warnings, "pins: lib32-x")
	require.NotContains(t, clean("sudo rm /var/cache/pacman/pkg/other-2.0-1-x86_64.pkg.tar.zst").Warnings, "pins: lib32-x")
}

// TestAFileThatWasEditedSinceIsNamed: taking a change back would overwrite what somebody did to the file since.
func TestAFileThatWasEditedSinceIsNamed(t *testing.T) {
	d, _, _ := keeping(t)
	file := filepath.Join(d.dir, "conf")
	out := d.call("plan", planOf(fields{"verb": "write_file", "args": fields{"path": file, "content": "ours\n"}}), allowing())
	require.False(t, out.IsError, out.Text)
	require.NoError(t, os.WriteFile(file, []byte("theirs\n"), 0o644))
	p := answering(tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied})
	d.call("undo", fields{"id": out.Receipt}, p)
	require.Equal(t, []string{file}, p.shown[0].Plan.Later)
}

// TestThreat36AFileThatChangedAfterTheQuestionIsNotOverwritten: a yes is about the text that was shown.
func TestThreat36AFileThatChangedAfterTheQuestionIsNotOverwritten(t *testing.T) {
	d, _, _ := keeping(t)
	file := filepath.Join(d.dir, "conf")
	require.NoError(t, os.WriteFile(file, []byte("a\n"), 0o644))
	j, refused := d.Prepare(newCall(t, "plan", planOf(fields{"verb": "edit_file", "args": fields{"path": file, "old": "a", "new": "b"}})), "s", d.dir)
	require.Nil(t, refused)
	require.Equal(t, "-a\n+b", j.Plan.Diffs[0])
	require.NoError(t, os.WriteFile(file, []byte("a and more\n"), 0o644))
	require.Equal(t, tools.RefusedMismatch, d.Run(t.Context(), j, allowing(), nil).Output.Refusal)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "a and more\n", string(text))
}

// TestThreat36AFileWithSecretsIsNeitherShownNorKept: a model would learn from refusals what a key contains.
func TestThreat36AFileWithSecretsIsNeitherShownNorKept(t *testing.T) {
	d, receipts, _ := keeping(t, func(o *tools.Options) { o.Home = "/home/blu" })
	for _, step := range []fields{
		{"verb": "edit_file", "args": fields{"path": "/home/blu/.ssh/id_ed25519", "old": "PRIVATE", "new": "x"}},
		{"verb": "write_file", "args": fields{"path": "~/.ssh/id_ed25519", "content": "x"}},
		{"verb": "write_file", "args": fields{"path": "/etc/shadow", "content": "x"}},
	} {
		out := d.call("plan", planOf(step), allowing())
		require.Contains(t, out.Text, "can hold keys or passwords", step)
	}
	all, err := receipts.All()
	require.NoError(t, err)
	require.Empty(t, all)
	link := filepath.Join(d.dir, "link")
	require.NoError(t, os.Symlink("/etc/shadow", link))
	require.Contains(t, d.call("plan", planOf(fields{"verb": "edit_file", "args": fields{"path": link, "old": "a", "new": "b"}}), allowing()).Text, "can hold keys")
}

func TestAChangeThatIsTooLongToReadIsRefused(t *testing.T) {
	d, _, _ := keeping(t)
	out := d.call("plan", planOf(fields{"verb": "write_file", "args": fields{"path": d.dir + "/x", "content": strings.Repeat("line\n", 600)}}), allowing())
	require.Contains(t, out.Text, "would change in 600 lines: at most 500")
}

// TestAMessengersSenderTakesBackTheirOwnChangesOnly: and does not learn what was done elsewhere.
func TestAMessengersSenderTakesBackTheirOwnChangesOnly(t *testing.T) {
	d, receipts, _ := keeping(t)
	id, err := receipts.Begin(receipt.Receipt{Session: "agent:main:session:cli/default", Steps: []receipt.Step{{
		Command: "touch x", State: plan.StepDone, Effects: []plan.Effect{{Kind: plan.KindCommand, Name: "touch x", Before: "rm x"}},
	}}})
	require.NoError(t, err)
	for session, want := range map[string]string{
		"agent:main:session:telegram/7": tools.RefusedNoChange, "agent:main:session:bridge/82": tools.RefusedNoChange, "agent:main:session:cli/other": "", "agent:main:session:cli/default": "",
	} {
		for _, input := range []fields{{}, {"id": id}} {
			_, refused := d.Prepare(newCall(t, "undo", input), session, d.dir)
			got := ""
			if refused != nil {
				got = refused.Output.Refusal
			}
			require.Equal(t, want, got, "%s %v", session, input)
		}
	}
}
