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
	{Action: plan.Upgrade, Subject: "database", Outcome: plan.Failed, Code: plan.Inconsistent, State: "missing 'lib>=2' dependency for 'app'"},
	{Action: plan.Upgrade, Subject: "files", Outcome: plan.Failed, Code: plan.DamagedFiles, State: "htop: /usr/bin/htop (Size mismatch)"},
	{Action: plan.Upgrade, Subject: "services", Outcome: plan.Unproved, Code: plan.OldServices, State: "cups.service sshd.service"},
	{Action: plan.Upgrade, Subject: "session", Outcome: plan.Unproved, Code: plan.OldSession, State: "dbus.service"},
	{Action: plan.Upgrade, Subject: "units", Outcome: plan.Failed, Code: plan.NewlyFailed, State: "nginx.service"},
	{Action: plan.Upgrade, Subject: "boot", Outcome: plan.Failed, Code: plan.NoNextStart, State: "image-cut /boot/initramfs-linux.img"},
	{Action: plan.Install, Subject: "vlc2", Outcome: plan.Failed, Code: plan.NotInstalled},
	{Action: plan.Remove, Subject: "vlc3", Outcome: plan.Failed, Code: plan.StillInstalled, State: "vlc3 3.0-1"},
	{Action: plan.Install, Subject: "vlc4", Outcome: plan.Unproved, Code: plan.NoLook},
	{Action: plan.Install, Subject: "vlc5", Outcome: plan.Unproved, Code: plan.Silent},
	{Action: plan.Install, Subject: "vlc6", Outcome: plan.Unproved, Code: plan.Silent, State: "vlc6 1"},
	{Action: plan.Open, Subject: "firefox", Outcome: plan.Done, Code: plan.Opened, State: "run-r1.service"},
	{Action: plan.Open, Subject: "xdg-open ~/a.pdf", Outcome: plan.Unproved, Code: plan.NotSeen},
	{Action: plan.Print, Subject: "a.pdf", Outcome: plan.Done, Code: plan.Queued, State: "Office-12"},
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

func TestSettingsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		subject, state, wanted string
		ko, en, zh             string
	}{
		{
			"timezone", "Asia/Seoul", "", "✓ 확인: 시간대는 Asia/Seoul이에요 (`look`)", "✓ Checked: the time zone is Asia/Seoul (`look`)", "✓ 已检查：时区：Asia/Seoul（`look`）",
		}, {
			"timezone", "UTC", "Asia/Seoul", "✗ 확인해 보니 시간대는 Asia/Seoul이 아니라 UTC예요 (`look`)",
			"✗ Checked: the time zone is UTC, not Asia/Seoul (`look`)", "✗ 检查发现：时区：UTC，而不是 Asia/Seoul（`look`）",
		}, {
			"wifi", "off", "", "✓ 확인: 와이파이는 꺼져 있어요 (`look`)", "✓ Checked: Wi-Fi is off (`look`)", "✓ 已检查：Wi-Fi：已关闭（`look`）",
		}, {
			"default-app text/html", "", "firefox.desktop", "✗ 확인해 보니 text/html의 기본 앱은 설정되어 있지 않아요 (`look`)",
			"✗ Checked: the default application for text/html is not set (`look`)", "✗ 检查发现：text/html 的默认应用：未设置（`look`）",
		}, {
			"profile Home: 집", "up", "", "✓ 확인: 네트워크 연결 Home: 집은 연결되어 있어요 (`look`)", "✓ Checked: the connection Home: 집 is up (`look`)", "✓ 已检查：网络连接 Home: 집：已连接（`look`）",
		}, {
			"mount /mnt", "unmounted", "mounted", "✗ 확인해 보니 /mnt는 마운트되어 있지 않아요 (`look`)", "✗ Checked: /mnt is not mounted (`look`)", "✗ 检查发现：/mnt：未挂载（`look`）",
		}, {
			"hostname", "off", "", "✓ 확인: 컴퓨터 이름은 off예요 (`look`)", "✓ Checked: the host name is off (`look`)", "✓ 已检查：主机名：off（`look`）",
		},
	} {
		p := plan.Proof{Action: plan.Set, Subject: c.subject, Outcome: plan.Done, Code: plan.IsSet, State: c.state, Check: "look"}
		if c.wanted != "" {
			p.Outcome, p.Code, p.Wanted = plan.Failed, plan.NotSet, c.wanted
		}
		for lang, want := range map[i18n.Lang]string{i18n.Korean: c.ko, i18n.English: c.en, i18n.Chinese: c.zh} {
			require.Equal(t, want, describeProofs([]plan.Proof{p}, lang))
		}
	}
	restarting := describeProofs([]plan.Proof{{Action: plan.Reboot, Outcome: plan.Unproved, Code: plan.Restarting}}, i18n.English)
	require.Equal(t, "· The computer restarts. I can't check that from here: look when it is back.", restarting)
	accepted := describeProofs([]plan.Proof{{Action: plan.Leave, Outcome: plan.Unproved, Code: plan.Accepted}}, i18n.English)
	require.Equal(t, "· The request was accepted. Not proved: I can't see from here whether it happened.", accepted)
}

func TestEverySettingHasANameInEachLanguage(t *testing.T) {
	t.Parallel()
	count := 0
	for verb := range plan.Verbs {
		for _, name := range plan.SettingNames(verb) {
			count++
			require.Contains(t, i18n.SettingNames(), name)
		}
	}
	require.Len(t, i18n.SettingNames(), count)
}
