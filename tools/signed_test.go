package tools_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// signed are the commands that a person signed, as they would type them.
var signed = [][]string{
	{"sudo", "pacman", "-Syu"},
	{"paccache", "-rk2"},
	{"touch", "/srv/a b"},
	{"touch", "*.log"},
	{"touch", "$HOME"},
	{"sudo", "systemctl", "restart", "docker"},
	{"yay", "-S", "htop"},
	{"rm", "-rf", "/usr/there-is-no-such-name-of-ours"},
	{"df", "-h"},
	{"bash", "-c", "touch /srv/x"},
}

func TestOnlyWhatWasSignedWordForWordIsExactly(t *testing.T) {
	d := newTestGate(t)
	for source, want := range map[string]bool{
		"sudo pacman -Syu":                    true,
		"paccache -rk2":                       true,
		"paccache   '-rk2'":                   true,
		`"paccache" -rk2`:                     true,
		"paccache -rk2 # tidy up":             true,
		"paccache -rk2;":                      true,
		"touch '/srv/a b'":                    true,
		`touch /srv/a\ b`:                     true,
		"touch '*.log'":                       true,
		`touch \*.log`:                        true,
		"touch '$HOME'":                       true,
		"touch *.log":                         false,
		"touch $HOME":                         false,
		`touch "$HOME"`:                       false,
		`touch $'*.log'`:                      false,
		"touch /srv/a b":                      false,
		"pacman -Syu":                         false,
		"sudo -n pacman -Syu":                 false,
		"sudo pacman -Sy -u":                  false,
		"sudo pacman -Syu htop":               false,
		"sudo pacman -Syu --noconfirm":        false,
		"sudo  pacman":                        false,
		"pacman sudo -Syu":                    false,
		"X=1 paccache -rk2":                   false,
		"PATH=/tmp paccache -rk2":             false,
		"env paccache -rk2":                   false,
		"env X=1 paccache -rk2":               false,
		"command paccache -rk2":               false,
		"exec paccache -rk2":                  false,
		"timeout 5 paccache -rk2":             false,
		"/usr/bin/paccache -rk2":              false,
		"./paccache -rk2":                     false,
		"paccache -rk2; touch x":              false,
		"paccache -rk2 && touch x":            false,
		"touch x || paccache -rk2":            false,
		"paccache -rk2 | tee x":               false,
		"paccache -rk2 &":                     false,
		"! paccache -rk2":                     false,
		"paccache -rk2 > x":                   false,
		"paccache -rk2 2>&1":                  false,
		"paccache -rk2 <<< x":                 false,
		"(paccache -rk2)":                     false,
		"{ paccache -rk2; }":                  false,
		"time paccache -rk2":                  false,
		"paccache -rk{1,2}":                   false,
		"paccache $(echo -rk2)":               false,
		"paccache `echo -rk2`":                false,
		"paccache -rk2 ''":                    false,
		"Paccache -rk2":                       false,
		"paccache\n-rk2":                      false,
		"if true; then paccache -rk2; fi":     false,
		"for i in 1; do paccache -rk2; done":  false,
		"paccache() { rm x; }; paccache -rk2": false,
		"bash -c 'touch /srv/x'":              false, // the argument is run as a program
		blockedCommand:                        false, // never, not even when signed
		"df -h":                               false, // no confirmation needed
	} {
		j := d.judgeCall(newCall(t, "run_command", command(source)))
		require.Equal(t, want, j.MatchesSigned(signed), "%s %v %v", source, j.Reasons, j.Warnings)
		require.False(t, j.MatchesSigned(nil))
		require.False(t, j.MatchesSigned([][]string{{}}))
	}
}

func TestATildeIsNotAWordThatWasSigned(t *testing.T) {
	d := newTestGate(t)
	list := [][]string{{"touch", "~/x"}, {"touch", "a=~/x"}}
	require.False(t, d.judgeCall(newCall(t, "run_command", command("touch ~/x"))).MatchesSigned(list), "bash puts a directory there")
	require.False(t, d.judgeCall(newCall(t, "run_command", command("touch a=~/x"))).MatchesSigned(list))
	require.True(t, d.judgeCall(newCall(t, "run_command", command("touch '~/x'"))).MatchesSigned(list))
}

func TestALinkToASignedProgramIsAnother(t *testing.T) {
	d := newTestGate(t)
	program, other := filepath.Join(d.dir, "tidy"), filepath.Join(d.dir, "link")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700))
	require.NoError(t, os.Symlink(program, other))
	list := [][]string{{program, "all"}}
	require.True(t, d.judgeCall(newCall(t, "run_command", command(program+" all"))).MatchesSigned(list))
	for _, source := range []string{other + " all", "./tidy all", d.dir + "/./tidy all", d.dir + "//tidy all", program, program + " all all"} {
		require.False(t, d.judgeCall(newCall(t, "run_command", command(source))).MatchesSigned(list), source)
	}
}

func TestSeveralCommandsAreExactlyWhereEachIs(t *testing.T) {
	d := newTestGate(t)
	plan := func(commands ...shell.Command) tools.JudgedPlan {
		return d.judgeCall(newCall(t, "argv", in{"Commands": commands}))
	}
	one, two := shell.Command{Argv: []string{"paccache", "-rk2"}}, shell.Command{Shell: "touch '/srv/a b'"}
	require.True(t, plan(one, two).MatchesSigned(signed))
	require.True(t, plan(two, one).MatchesSigned(signed), "they are a list of what may be run, in any order")
	require.False(t, plan(one, shell.Command{Argv: []string{"touch", "/srv/a", "b"}}).MatchesSigned(signed))
	require.False(t, plan(one, shell.Command{Argv: []string{"df", "-h", "/"}}).MatchesSigned(signed), "also what only reads")
	require.False(t, plan().MatchesSigned(signed))
}

func TestOurOwnToolsAreExactlyWhatIsTypedByHand(t *testing.T) {
	for _, rung := range []elevation.Rung{elevation.Sudo, elevation.Run0, elevation.Pkexec} {
		d := newTestGate(t, func(o *tools.Options) { o.Rights = &fakeRights{standing: elevation.Status{Rung: rung}} })
		byHand := elevation.ByHand(func(string) bool { return true }, "pacman", "-Syu", "--noconfirm")
		j := d.judgeCall(newCall(t, "update_system", in{}))
		require.Equal(t, safety.Confirm, j.Class)
		require.True(t, j.MatchesSigned([][]string{j.Plan.ByHand}), "%s %v", j.Command(), j.Reasons)
		require.True(t, j.MatchesSigned([][]string{j.Argv()}), "as the plan has it: %s", j.Command())
		require.False(t, j.MatchesSigned([][]string{{"pacman", "-Syu"}}))
		require.Equal(t, byHand[1:], j.Plan.ByHand[1:])

		j = d.judgeCall(newCall(t, "manage_service", in{"action": "restart", "name": "docker"}))
		require.True(t, j.MatchesSigned([][]string{j.Plan.ByHand}))
		j = d.judgeCall(newCall(t, "install_package", in{"name": "htop"}))
		require.True(t, j.MatchesSigned([][]string{j.Plan.ByHand}), "%s %v", j.Command(), j.Reasons)
		require.False(t, d.judgeCall(newCall(t, "manage_service", in{"action": "stop", "name": "docker"})).MatchesSigned([][]string{j.Plan.ByHand}))
	}
	d := newTestGate(t, func(o *tools.Options) {
		o.Rights = &fakeRights{standing: elevation.Status{Rung: elevation.None, Tried: []elevation.Step{{Rung: elevation.Sudo, Reason: "password"}}}}
	})
	j := d.judgeCall(newCall(t, "update_system", in{}))
	require.False(t, j.MatchesSigned([][]string{j.Plan.ByHand, j.Argv()}), "nothing gives the rights")
}

func TestWhatAPersonMustSeeIsNeverExactly(t *testing.T) {
	d := newTestGate(t)
	call := newCall(t, "run_command", command("paccache -rk2"))
	require.True(t, d.judgeCall(call).MatchesSigned(signed))
	require.False(t, d.judgeCall(untrustedCall(call, "paccache -rk2")).MatchesSigned(signed), "the turn has read what others wrote")
	rule := tools.Rules{Own: []tools.Rule{{Name: "mine", Pattern: regexp.MustCompile("paccache"), Action: tools.RuleConfirm}}}
	require.False(t, newTestGate(t, func(o *tools.Options) { o.Rules = rule }).judgeCall(call).MatchesSigned(signed), "the person's own rule")
	mixed := call
	mixed.Mixed = true
	require.False(t, d.judgeCall(mixed).MatchesSigned(signed))
	j := d.judgeCall(call)
	j.Warnings = []string{"persistence: x"}
	require.False(t, j.MatchesSigned(signed))
	list := [][]string{{"touch", "/home/blu/.bashrc"}, {"touch", "/etc/cron.d/x"}, {"crontab", "x"}}
	require.False(t, d.judgeCall(newCall(t, "run_command", command("touch /etc/cron.d/x"))).MatchesSigned(list))
	require.False(t, d.judgeCall(newCall(t, "run_command", command("crontab x"))).MatchesSigned(list))

	d, _ = newScheduleGate(t)
	j = d.judgeCall(newCall(t, "remove_automation", in{"name": "disk-watch"}))
	require.False(t, j.MatchesSigned([][]string{j.Argv()}), "what is carried out inside is asked about")
}

// TestNothingButTheSignedWordsIsExactly: with any text added around signed words, either exactly those words
// run, or the command does not match.
func TestNothingButTheSignedWordsIsExactly(t *testing.T) {
	d := newTestGate(t)
	pieces := []string{"paccache", "-rk2", " ", ";", "&", "|", "'", `"`, "\\", "$", "(", ")", "{", "}", "<", ">", "*", "~", "=", "!", "#", "\n", "x", "''", "env", "`"}
	rapid.Check(t, func(rt *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(rt, "source"), "")
		j, refused := d.Prepare(newCall(rt, "run_command", command(source)), "s", d.dir)
		if refused != nil || !j.MatchesSigned(signed) {
			return
		}
		bare := strings.NewReplacer("'", "", `"`, "", "\\", "").Replace(j.Command())
		bare, _, _ = strings.Cut(bare, "#")
		require.Equal(rt, []string{"paccache", "-rk2"}, strings.Fields(strings.TrimRight(bare, "; \n")), source)
	})
}

// TestD8aSigningAsksWhatRunningAsks: signing accepts the same commands as the check when the command is due.
func TestD8aSigningAsksWhatRunningAsks(t *testing.T) {
	mine := tools.Rule{Name: "mine", Pattern: regexp.MustCompile("docker"), Action: tools.RuleConfirm}
	d := newTestGate(t, func(o *tools.Options) {
		o.Rules = tools.Rules{Own: []tools.Rule{mine}, Dangerous: []*regexp.Regexp{regexp.MustCompile("mkfifo")}}
	})
	for _, tt := range []struct{ line, code string }{
		{"df -h", ""}, // no confirmation needed
		{"paccache -rk2", ""},
		{"sudo pacman -Syu", ""},
		{"/srv/tidy.sh all", ""},
		{"systemctl --user restart syncthing", ""},
		{"touch '~/x'", ""},
		{"touch '*.log'", ""},
		{"touch '$HOME'", ""},
		{"sh script.sh", "interpreter"},
		{"bash -c 'touch /srv/x'", "interpreter"},
		{"sudo sh script.sh", "interpreter"},
		{"env X=1 paccache -rk2", "assignment"},
		{"nice sh script.sh", "interpreter"},
		{"cat /home/blu/.ssh/id_ed25519", "secret-file"},
		{"docker compose up", "user-rule"},
		{"mkfifo x", "dangerous-pattern"},
		{"crontab x", "persistence"},
		{blockedCommand, "delete-root"},
	} {
		argv := words(t, tt.line)
		o := d.Obstacle(argv)
		j := d.judgeCall(tools.CommandCall("1", argv))
		require.Equal(t, o == nil, j.MatchesSigned([][]string{argv}) || j.Class == safety.Safe, tt.line)
		if tt.code == "" {
			require.Nil(t, o, tt.line)
			continue
		}
		require.NotNil(t, o, tt.line)
		code, _, _ := strings.Cut(o.Reason.Code+o.Warning, ": ")
		require.Equal(t, tt.code, code, tt.line)
		require.Equal(t, tt.line == blockedCommand, o.Blocked, tt.line)
		require.Equal(t, code == "user-rule" || code == "dangerous-pattern", o.OwnRule(), tt.line)
	}
}

// words returns the words of a line whose only quotes are apostrophes.
func words(t *testing.T, line string) []string {
	var argv []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			argv = append(argv, part)
		} else {
			argv = append(argv, strings.Fields(part)...)
		}
	}
	require.NotEmpty(t, argv)
	return argv
}
