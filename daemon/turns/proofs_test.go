package turns

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// proofs are one of each code.
var proofs = []plan.Proof{
	{Action: plan.Install, Subject: "vlc", Outcome: plan.Done, Code: plan.Installed, State: "vlc 3.0-1"},
	{Action: plan.Remove, Subject: "vlc1", Outcome: plan.Done, Code: plan.Removed, State: "package 'vlc1' was not found"},
	{Action: plan.Upgrade, Subject: "1", Outcome: plan.Done, Code: plan.Current},
	{Action: plan.Upgrade, Subject: "2", Outcome: plan.Done, Code: plan.CurrentIgnored, State: "linux 1 -> 2"},
	{Action: plan.Upgrade, Subject: "3", Outcome: plan.Failed, Code: plan.NotCurrent, State: "linux 1 -> 2"},
	{Action: plan.Install, Subject: "vlc2", Outcome: plan.Failed, Code: plan.NotInstalled},
	{Action: plan.Remove, Subject: "vlc3", Outcome: plan.Failed, Code: plan.StillInstalled, State: "vlc3 3.0-1"},
	{Action: plan.Install, Subject: "vlc4", Outcome: plan.Unproved, Code: plan.NoLook},
	{Action: plan.Install, Subject: "vlc5", Outcome: plan.Unproved, Code: plan.Silent},
	{Action: plan.Install, Subject: "vlc6", Outcome: plan.Unproved, Code: plan.Silent, State: "vlc6 1"},
	{Action: plan.Install, Subject: "vlc7", Outcome: plan.Unproved, Code: plan.CommandFailed},
	{Action: plan.Install, Subject: "vlc8", Outcome: plan.Unproved, Code: plan.CommandFailed, State: "vlc8 1"},
}

func TestEveryProofHasALineInEachLanguage(t *testing.T) {
	t.Parallel()
	all := proofs
	for code := range unitFacts {
		outcome := plan.Done
		if strings.HasPrefix(string(code), "not_") || strings.HasPrefix(string(code), "still_") {
			outcome = plan.Failed
		}
		all = append(all, plan.Proof{Action: plan.Start, Subject: string(code) + ".service", Outcome: outcome, Code: code, State: "failed (exit-code)"})
	}
	mark := map[plan.Outcome]string{plan.Done: "✓ ", plan.Failed: "✗ ", plan.Unproved: "· "}
	for _, p := range all {
		p.Check = "systemctl show x"
		seen := map[string]bool{}
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			line := describeProofs([]plan.Proof{p}, lang)
			require.True(t, strings.HasPrefix(line, mark[p.Outcome]), line)
			require.NotContains(t, line, "\n")
			require.NotRegexp(t, regexp.MustCompile(`\{|\}|%!`), line)
			if p.Code != plan.CommandFailed || p.State != "" {
				require.Contains(t, line, "`systemctl show x`")
			}
			if p.State != "" && p.Code != plan.Removed {
				require.Contains(t, line, p.State)
			}
			require.False(t, seen[line], line)
			seen[line] = true
		}
	}
}

func TestProofsEndAnAnswer(t *testing.T) {
	t.Parallel()
	failed := plan.Proof{Action: plan.Start, Subject: "a.service", Outcome: plan.Failed, Code: plan.NotRunning, State: "failed", Check: "systemctl show a"}
	mended := failed
	mended.Outcome, mended.Code, mended.State = plan.Done, plan.Running, "active (running)"
	require.Equal(t, "It runs!\n\n✗ Checked: a.service is not running: failed (`systemctl show a`)", appendProofs("It runs!", []plan.Proof{failed}, i18n.English))
	require.Equal(t, "✓ 확인: a.service가 실행 중이에요: active (running) (`systemctl show a`)", appendProofs("", []plan.Proof{failed, mended}, i18n.Korean))
	require.Equal(t, "fine", appendProofs("fine", nil, i18n.English))
	require.Equal(t, []ipc.Check{{Action: "start", Subject: "a.service", Result: ipc.CheckFailed, Code: "not_running", State: "failed", Command: "systemctl show a"}}, checksOf([]plan.Proof{mended, failed}))
	require.Empty(t, checksOf(nil))
}
