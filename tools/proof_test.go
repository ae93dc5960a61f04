package tools_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// managed is a gate on a machine with a package manager and a service manager whose state is in a directory.
// pacman installs what is not in the file broken. systemctl start makes a unit active, except those in broken.
func managed(t *testing.T, change ...func(*tools.Options)) (d *testGate, state string) {
	t.Helper()
	state, programs := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(state, "htop"), []byte("3.3.0-1"), 0o644))
	for name, script := range map[string]string{
		"pacman": `op=$1 code=0 names=
		for w; do case $w in -*) ;; never) ;; *) names="$names $w" ;; esac; done
		case $op in
		-S) for n in $names; do [ $n = broken ] || printf 1.0-1 > "$S/$n"; done ;;
		-R) for n in $names; do rm "$S/$n" || code=1; done ;;
		-Q) for n in $names; do if [ -e "$S/$n" ]; then echo "$n $(cat $S/$n)"; else echo "error: package '$n' was not found" >&2; code=1; fi; done ;;
		-Sg) code=1 ;;
		-Qu) cat "$S/updates" 2>/dev/null || code=1 ;;
		esac
		exit $code`,
		"systemctl": `verb= unit=
		for w; do case $w in -*|Id,*) ;; *) [ "$verb" ] && unit=$w || verb=$w ;; esac; done
		[ -e "$S/nosystem" ] && [ "$1" != --user ] && [ $verb != show ] && { echo "Failed to start $unit: Unit $unit not found." >&2; exit 5; }
		case $verb in
		start|restart) echo $(( $(cat "$S/$unit.count" 2>/dev/null) + 1 )) > "$S/$unit.count"; case $unit in broken*) echo failed > "$S/$unit.state" ;; *) echo active > "$S/$unit.state" ;; esac ;;
		stop) echo inactive > "$S/$unit.state" ;;
		show) echo Id=$unit; echo Type=notify; echo LoadState=loaded; echo ActiveState=$(cat "$S/$unit.state" 2>/dev/null || echo inactive)
			echo SubState=x; echo Result=success; echo UnitFileState=disabled; echo ActiveEnterTimestampMonotonic=$(cat "$S/$unit.count" 2>/dev/null || echo 0) ;;
		esac`,
	} {
		text := "#!/bin/sh\nS='" + state + "'\n" + script + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(programs, name), []byte(text), 0o755))
	}
	d = newTestGate(t, append([]func(*tools.Options){func(o *tools.Options) {
		o.Executor = executor.New(executor.Options{Path: []string{programs, "/usr/bin", "/bin"}, Sandbox: newSandbox(t)})
	}}, change...)...)
	return d, state
}

const showUnit = "systemctl show -p Id,Type,LoadState,ActiveState,SubState,Result,UnitFileState,ActiveEnterTimestampMonotonic,StateChangeTimestampMonotonic -- "

func TestAChangeIsCheckedAfterwards(t *testing.T) {
	d, _ := managed(t)
	out := d.call("run_command", command("pacman -S --noconfirm vlc"), allowing())
	require.False(t, out.IsError)
	require.Equal(t, []plan.Proof{{
		Action: plan.Install, Subject: "vlc", Outcome: plan.Done, Code: plan.Installed, State: "vlc 1.0-1", Check: "pacman -Q vlc",
	}}, out.Proofs)
	require.Equal(t, []string{"CONFIRMED   pacman -S --noconfirm vlc", "SAFE        pacman -Q --color never -- vlc"}, d.logged())
	require.Len(t, out.Output.Steps, 1)
	require.Equal(t, []providers.Step{{Command: "pacman -Q --color never -- vlc", Stdout: "vlc 1.0-1\n"}}, out.Output.Checks)
	require.Contains(t, out.Text, "$ pacman -Q --color never -- vlc\nvlc 1.0-1\n[check passed: install vlc: installed: vlc 1.0-1]\n")

	// Observers see each look as a separate call.
	require.Equal(t, []string{"running", "running", "done", "done"}, d.states())
	require.Equal(t, []string{"call-1", "call-1.check1", "call-1.check1", "call-1"}, []string{d.events[0].Call, d.events[1].Call, d.events[2].Call, d.events[3].Call})
	require.Equal(t, "SAFE", d.events[1].Class)
	require.Equal(t, "run_command", d.events[1].Name)
}

func TestThreat35ASuccessThatTheCheckContradictsIsAnError(t *testing.T) {
	d, _ := managed(t)
	out := d.call("run_command", command("pacman -S broken htop"), allowing())
	require.Equal(t, 0, out.Output.Steps[0].Exit)
	require.True(t, out.IsError)
	require.True(t, out.Output.Contradicted)
	require.Equal(t, []plan.Code{plan.Installed, plan.NotInstalled}, codesOf(out))
	require.Contains(t, out.Text, "[check failed: install broken: not_installed. The change is not there: do not say that it is]")

	out = d.call("run_command", command("systemctl start broken.service"), allowing())
	require.True(t, out.Output.Contradicted)
	require.Equal(t, []plan.Code{plan.NotRunning}, codesOf(out))
	require.Equal(t, "failed (x)", out.Proofs[0].State)
}

func codesOf(out tools.Outcome) (codes []plan.Code) {
	for _, p := range out.Proofs {
		codes = append(codes, p.Code)
	}
	return codes
}

// TestAStateBeforeIsReadBeforeTheChange: a restart is only proved by another start than the one before.
func TestAStateBeforeIsReadBeforeTheChange(t *testing.T) {
	d, state := managed(t)
	require.Equal(t, []plan.Code{plan.Running}, codesOf(d.call("manage_service", map[string]any{"action": "start", "name": "web.service"}, allowing())))
	require.Equal(t, []plan.Code{plan.Restarted}, codesOf(d.call("run_command", command("systemctl restart web.service"), allowing())))
	require.Equal(t, []string{
		"SAFE        " + showUnit + "web.service", "CONFIRMED   systemctl restart web.service", "SAFE        " + showUnit + "web.service",
	}, d.logged()[3:])
	require.Equal(t, []plan.Code{plan.Removed}, codesOf(d.call("run_command", command("pacman -R htop"), allowing())))
	require.NoFileExists(t, filepath.Join(state, "htop"))
	require.Equal(t, []plan.Code{plan.CommandFailed}, codesOf(d.call("run_command", command("pacman -R htop"), allowing())))
}

func TestOnlyConfirmedAndRecognisedCommandsAreChecked(t *testing.T) {
	d, _ := managed(t)
	file := filepath.Join(d.dir, "trace")
	for _, c := range []string{
		"pacman -S vlc; touch " + file, "pacman -S vlc > " + file, "systemctl start $X", "systemctl daemon-reload", "pacman -S --overwrite '*' vlc",
		"touch " + file, "FOO=1 pacman -S vlc", "bash -c 'pacman -S vlc'",
	} {
		out := d.call("run_command", command(c), allowing())
		require.NotEmpty(t, out.Output.Steps, c)
		require.Empty(t, out.Proofs, c)
		require.Empty(t, out.Output.Checks, c)
		require.NotContains(t, out.Text, "check", c)
	}
	require.Empty(t, d.call("run_command", command("pacman -Q htop"), answering()).Proofs)
	before := len(d.logged())
	out := d.call("run_command", command("systemctl start web.service"), answering(tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied}))
	require.Empty(t, out.Proofs)
	require.Equal(t, []string{"CANCELLED   systemctl start web.service"}, d.logged()[before:], "nothing was looked at either")
}

// TestALookThatWouldNeedAConfirmationDoesNotRun: one of the person's rules, or a missing sandbox.
func TestALookThatWouldNeedAConfirmationDoesNotRun(t *testing.T) {
	for name, change := range map[string]func(*tools.Options){
		"rule": func(o *tools.Options) {
			o.Rules = tools.Rules{Own: []tools.Rule{{Name: "no queries", Pattern: regexp.MustCompile(`pacman -Q`), Action: tools.RuleConfirm}}}
		},
		"blocked": func(o *tools.Options) {
			o.Rules = tools.Rules{Own: []tools.Rule{{Name: "no queries", Pattern: regexp.MustCompile(`pacman -Q`), Action: tools.RuleBlock}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := managed(t, change)
			out := d.call("run_command", command("pacman -S --noconfirm vlc"), allowing())
			require.Equal(t, []plan.Code{plan.NoLook}, codesOf(out))
			require.Equal(t, plan.Unproved, out.Proofs[0].Outcome)
			require.False(t, out.IsError)
			require.Equal(t, []string{"CONFIRMED   pacman -S --noconfirm vlc"}, d.logged())
			require.Contains(t, out.Text, "[not proved: install vlc: no_look. Do not say that it worked]")
		})
	}
}

func TestAnApprovedPlanIsCheckedToo(t *testing.T) {
	d, _ := managed(t)
	j, refused := d.Prepare(newCall(t, "run_command", command("pacman -S vlc")), "s", d.dir)
	require.Nil(t, refused)
	require.Equal(t, []plan.Code{plan.Installed}, codesOf(d.RunApproved(t.Context(), j, j.Digest, nil, nil)))

	out := d.RunApproved(t.Context(), j, "sha256:other", nil, nil)
	require.Equal(t, tools.RefusedMismatch, out.Output.Refusal)
	require.Empty(t, out.Proofs)
}

// TestACommandThatWasLeftIsChecked: without the state before.
func TestACommandThatWasLeftIsChecked(t *testing.T) {
	d, _ := managed(t)
	proofs, text := d.CheckLeft(t.Context(), steps.Note{CallID: "call-1", Task: "t1", Session: "s", Command: "systemctl restart web.service"}, providers.Step{})
	require.Len(t, proofs, 1)
	require.Equal(t, plan.NotRunning, proofs[0].Code)
	require.Contains(t, text, "[check failed: restart web.service: not_running")
	proofs, text = d.CheckLeft(t.Context(), steps.Note{Command: "touch x"}, providers.Step{})
	require.Empty(t, proofs)
	require.Empty(t, text)
}

// TestATypedPacmanCommandRunsUnattended: the person sees exactly what runs, with the rights that work here and
// without a question on a closed input.
func TestATypedPacmanCommandRunsUnattended(t *testing.T) {
	d, state := managed(t)
	p := allowing()
	out := d.call("run_command", command("sudo pacman -S vlc"), p)
	want := "sudo -n pacman -S --noconfirm vlc"
	if os.Geteuid() == 0 {
		want = "pacman -S --noconfirm vlc"
	}
	require.Equal(t, []string{want}, p.saw())
	require.Equal(t, []string{"package-install"}, p.shown[0].Reasons[:1])
	require.True(t, p.shown[0].Privileged)
	if os.Geteuid() == 0 {
		require.Equal(t, []plan.Code{plan.Installed}, codesOf(out))
		require.FileExists(t, filepath.Join(state, "vlc"))
	}
	for typed, literal := range map[string]string{
		"sudo pacman -S --noconfirm vlc": "sudo pacman -S --noconfirm vlc", // complete
		"sudo pacman -S vlc; ls":         "sudo pacman -S vlc; ls",         // more than one command
		"sudo pacman -Sc":                "sudo pacman -Sc",                // nothing that is recognised
	} {
		require.Equal(t, literal, d.judgeCall(newCall(t, "run_command", command(typed))).Command())
	}

	// A person's own text, and a command that was signed, run as they are written.
	p = editing("sudo pacman -S mpv", tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied})
	d.call("run_command", command("touch "+filepath.Join(d.dir, "x")), p)
	require.Equal(t, "sudo pacman -S mpv", p.saw()[1])
	j, refused := d.Prepare(tools.CommandCall("auto-0", strings.Fields("sudo pacman -Syu")), "s", d.dir)
	require.Nil(t, refused)
	require.Equal(t, "sudo pacman -Syu", j.Command())
	require.True(t, j.MatchesSigned([][]string{{"sudo", "pacman", "-Syu"}}))
}

// TestALookIsRecordedForItsTask: with its own class and no digest of an approval.
func TestALookIsRecordedForItsTask(t *testing.T) {
	var entries []commandlog.Entry
	d, _ := managed(t, func(o *tools.Options) { o.Records.Recorder = entryRecorder{&entries} })
	j, refused := d.Prepare(newCall(t, "run_command", command("pacman -S vlc")), "s", d.dir)
	require.Nil(t, refused)
	j.Origin = tools.Origin{Task: "t1", Channel: "cli", Automation: "night"}
	d.Run(t.Context(), j, allowing(), nil)
	require.Len(t, entries, 2)
	look := entries[1]
	require.Equal(t, commandlog.Safe, look.Class)
	require.Equal(t, []string{"t1", "cli", "night", "s", "run_command", ""}, []string{look.Task, look.Channel, look.Automation, look.Session, look.Tool, look.Digest})
}

type entryRecorder struct{ entries *[]commandlog.Entry }

func (r entryRecorder) Begin(e commandlog.Entry) (commandlog.Ref, error) {
	*r.entries = append(*r.entries, e)
	return commandlog.Ref{}, nil
}
func (entryRecorder) End(commandlog.Ref, commandlog.Result) error { return nil }
func (entryRecorder) HasEnd(commandlog.Ref) (bool, error)         { return false, nil }
