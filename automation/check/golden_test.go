package check_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/i18n"
)

var update = flag.Bool("update", false, "write the golden files anew")

var languages = []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// examples returns a finding of every code, as checks make them.
func examples() []check.Finding {
	end := now.Add(9 * 24 * time.Hour).In(seoul)
	return []check.Finding{
		{Key: "disk:/", Severity: check.Warning, Code: "disk_full", Args: check.Args{Name: "/", Value: 92.3, Bytes: 31 << 30}, Fix: "sudo paccache -rk2  # pacman-contrib"},
		{Key: "inodes:/srv", Severity: check.Critical, Code: "inodes_full", Args: check.Args{Name: "/srv", Value: 99.7}},
		{Key: "memory:used", Severity: check.Warning, Code: "memory_full", Args: check.Args{Value: 93, Bytes: 900 << 20}},
		{Key: "memory:pressure", Severity: check.Critical, Code: "memory_pressure", Args: check.Args{Value: 44}},
		{Key: "memory:swap", Severity: check.Warning, Code: "swap_full", Args: check.Args{Value: 95}},
		{Key: "failed_units:system:docker.service", Severity: check.Warning, Code: "unit_failed", Args: check.Args{Name: "docker.service", Detail: "Docker Application Container Engine"}},
		{Key: "failed_units:user:sync.service", Severity: check.Warning, Code: "user_unit_failed", Args: check.Args{Name: "sync.service"}},
		{Key: "journal_errors:rate", Severity: check.Warning, Code: "journal_rate", Args: check.Args{Count: 1000, AtLeast: true, Limit: 100}},
		{Key: "journal_errors:new:0a", Severity: check.Notice, Code: "journal_new", Event: true, Args: check.Args{Name: "kernel", Detail: "usb 1-4: device descriptor read/64, error -71", Count: 3}},
		{Key: "journal_errors:more:1", Severity: check.Notice, Code: "journal_more", Event: true, Args: check.Args{Count: 7}},
		{Key: "updates", Severity: check.Notice, Code: "updates", Args: check.Args{Count: 27, Names: []string{"linux", "systemd", "firefox"}}},
		{Key: "updates", Severity: check.Notice, Code: "updates_need", Args: check.Args{Count: 14, Value: 1, Detail: "setting", Names: []string{"/etc/htoprc"}}},
		{Key: "updates", Severity: check.Notice, Code: "updates", Args: check.Args{Count: 2, Names: []string{"linux", "firefox"}, At: now.Add(-3 * 24 * time.Hour).In(seoul)}},
		{Key: "security_updates", Severity: check.Warning, Code: "security_updates", Args: check.Args{Count: 2, Names: []string{"openssl", "curl"}}},
		{Key: "security_updates", Severity: check.Notice, Code: "security_listed", Args: check.Args{Count: 1, Names: []string{"openssh"}}},
		{Key: "reboot", Severity: check.Notice, Code: "reboot_kernel", Args: check.Args{Name: "6.17.7-arch1-1", Detail: "6.17.8-arch1-1"}},
		{Key: "reboot", Severity: check.Warning, Code: "reboot_modules", Args: check.Args{Name: "6.17.7-arch1-1"}},
		{Key: "smart:/dev/sda:failing", Severity: check.Critical, Code: "smart_failing", Args: check.Args{Name: "sda"}},
		{Key: "smart:/dev/sda:warning", Severity: check.Warning, Code: "smart_warning", Args: check.Args{Name: "nvme0n1"}},
		{Key: "smart:/dev/sda:sectors", Severity: check.Warning, Code: "smart_sectors", Args: check.Args{Name: "sda", Count: 8}},
		{Key: "smart:/dev/nvme0n1:worn", Severity: check.Warning, Code: "smart_worn", Args: check.Args{Name: "nvme0n1", Value: 93}},
		{Key: "temperature:x", Severity: check.Warning, Code: "hot", Args: check.Args{Name: "Tctl (k10temp-pci-00c3)", Value: 91.4, Limit: 85}},
		{Key: "battery:BAT0", Severity: check.Notice, Code: "battery_worn", Args: check.Args{Name: "BAT0", Value: 53.9}},
		{Key: "certificates:/a", Severity: check.Notice, Code: "certificate_soon", Args: check.Args{Name: "/home/kim/web.crt", At: end, For: 9 * 24 * time.Hour}},
		{Key: "certificates:/a", Severity: check.Warning, Code: "certificate_expired", Args: check.Args{Name: "/home/kim/web.crt", At: end}},
		{Key: "backup:/mnt/b", Severity: check.Warning, Code: "backup_stale", Args: check.Args{Name: "/mnt/b", For: 7 * 24 * time.Hour}},
		{Key: "backup:/mnt/b", Severity: check.Warning, Code: "backup_missing", Args: check.Args{Name: "/mnt/b"}},
		{Key: "logins", Severity: check.Warning, Code: "logins_failed", Args: check.Args{Count: 34, For: 6 * time.Hour, Names: []string{"203.0.113.9 ×31", "sudo ×3"}}},
		{Key: "pacnew", Severity: check.Notice, Code: "pacnew", Args: check.Args{Count: 2, Names: []string{"pacman.conf.pacnew", "locale.gen.pacnew"}}},
		{Key: "orphans", Severity: check.Notice, Code: "orphans", Args: check.Args{Count: 31, Names: []string{"go", "cmake"}}},
		{Key: "network:route", Severity: check.Warning, Code: "network_none"},
		{Key: "network:gateway", Severity: check.Notice, Code: "network_gateway", Args: check.Args{Name: "192.168.0.1"}},
	}
}

func TestEveryCodeHasWordsInEveryLanguage(t *testing.T) {
	for _, lang := range languages {
		var b strings.Builder
		had := map[string]bool{}
		for _, f := range examples() {
			text := f.Text(lang)
			require.NotContains(t, text, "%!", f.Code)
			require.NotEqual(t, f.Code, text)
			b.WriteString(f.Code + ": " + text + "\n")
			had[f.Code] = true
		}
		for _, code := range check.Codes() {
			require.True(t, had[code], "no example of %s", code)
		}
		golden(t, "findings."+string(lang), b.String())
	}
}

func TestEveryReasonHasWords(t *testing.T) {
	for _, lang := range languages {
		var b strings.Builder
		for _, u := range []check.Unknown{
			{Subject: "smart", Reason: check.ReasonMissing, Name: "smartctl", Package: "smartmontools"},
			{Subject: "smart", Reason: check.ReasonMissing, Name: "foo"},
			{Subject: "certificates:/home/kim/a.pem", Reason: check.ReasonRefused, Name: "/home/kim/a.pem"},
			{Subject: "smart:/dev/sda", Reason: check.ReasonRights, Name: "/dev/sda"},
			{Subject: "temperature", Reason: check.ReasonUnreadable, Name: "sensors"},
			{Subject: "updates:now", Reason: check.ReasonFailed, Name: "checkupdates"},
			{Subject: "temperature", Reason: check.ReasonAbsent, Name: "sensors"},
			{Subject: "smart:/dev/vda", Reason: check.ReasonUnsupported, Name: "/dev/vda"},
			{Subject: "pacnew:unread", Reason: check.ReasonPartial, Name: "/etc"},
			{Subject: "certificates", Reason: check.ReasonTruncated},
		} {
			b.WriteString(u.Text(lang) + "\n")
		}
		golden(t, "unknown."+string(lang), b.String())
	}
}

// unhealthyMachine is a machine with many findings.
func unhealthyMachine(t testing.TB) machine {
	return laptop(t).with(machine{
		"df":                        ok("F T S U A M\n/dev/mapper/root btrfs 999653638144 979000000000 20653638144 /\n"),
		"systemctl --system":        recorded(t, "units-failed.json"),
		"smartctl -H -A -j /dev/sd": recorded(t, "smart-ata.json"),
		"sensors":                   ok(`{"k10temp-pci-00c3":{"Adapter":"PCI adapter","Tctl":{"temp1_input":91.400}}}`),
		"arch-audit":                recorded(t, "arch-audit.txt"),
		"find /usr/lib/modules":     ok("6.17.8-arch1-1\n6.17.8-arch1-1/kernel\n6.17.8-arch1-1/pkgbase\n6.17.7-arch1-1\n6.17.7-arch1-1/updates\n"),
		"find /etc":                 {Stdout: "/etc/pacman.conf.pacnew\n", Stderr: "find: ‘/etc/polkit-1/rules.d’: Permission denied\n", Exit: 1},
	})
}

func TestTheDailyReport(t *testing.T) {
	well, unwell := run(t, "health", laptop(t), nil), run(t, "health", unhealthyMachine(t), nil)
	yesterday := []check.Figure{
		{Key: "disk:/", Value: 61, Unit: check.Percent},
		{Key: "memory", Value: 3, Unit: check.Percent},
		{Key: "updates", Value: 3, Unit: check.Number},
		{Key: "temperature", Value: 60, Unit: check.Celsius},
	}
	calm := run(t, "health", laptop(t).with(machine{"checkupdates": check.Output{Exit: 2}}), nil)
	since := now.Add(-24 * time.Hour)
	for _, lang := range languages {
		var m check.Memory
		for name, report := range map[string]string{
			"health-first": check.Report(lang, "health", check.Notification{Silent: true}, well, nil, time.Time{}),
			"health-calm":  check.Report(lang, "health", check.Notification{Silent: true}, calm, yesterday, since),
			"health-ill":   check.Report(lang, "아침 점검", m.Step(now, check.Policy{}, unwell), unwell, yesterday, since),
			"health-blind": check.Report(lang, "health", check.Notification{Silent: true}, run(t, "health", failingRunner{check.ErrMissing}, nil), nil, time.Time{}),
		} {
			require.LessOrEqual(t, utf8.RuneCountInString(report), 1200)
			golden(t, name+"."+string(lang), report+"\n")
		}
		require.Len(t, strings.Split(check.Report(lang, "health", check.Notification{Silent: true}, calm, yesterday, since), "\n"), 2)
	}
}

func TestWhatChangedIsToldInAFewLines(t *testing.T) {
	full := ok("F T S U A M\n/dev/sda1 ext4 500000000000 460000000000 40000000000 /home\n")
	fuller := ok("F T S U A M\n/dev/sda1 ext4 500000000000 499500000000 500000000 /home\n")
	fine := ok("F T S U A M\n/dev/sda1 ext4 500000000000 100000000000 400000000000 /home\n")
	for _, lang := range languages {
		var m check.Memory
		var b strings.Builder
		step := func(df check.Output, later time.Duration) {
			r := run(t, "disk", machine{"df": df}, nil)
			told := m.Step(now.Add(later), check.Policy{Again: 24 * time.Hour}, r)
			if !told.Silent {
				b.WriteString(check.Report(lang, "disk", told, r, nil, time.Time{}) + "\n---\n")
			}
		}
		step(full, 0)
		step(full, time.Hour)
		step(full, 25*time.Hour)
		step(fuller, 26*time.Hour)
		step(fine, 27*time.Hour)
		step(fine, 28*time.Hour)
		r := run(t, "disk", machine{"df": fine}, nil)
		b.WriteString(check.Report(lang, "disk", check.Notification{Silent: true}, r, nil, time.Time{}) + "\n---\n")
		r = run(t, "disk", failingRunner{check.ErrRefused}, nil)
		b.WriteString(check.Report(lang, "disk", check.Notification{Silent: true}, r, nil, time.Time{}) + "\n")
		golden(t, "changes."+string(lang), b.String())
	}
}

func TestAReportHasRoomForAPhoneOnly(t *testing.T) {
	var r check.Result
	for range 12 {
		r.Findings = append(r.Findings, examples()...)
	}
	for _, u := range strings.Split(strings.Repeat("x,", 60), ",") {
		r.Unknown = append(r.Unknown, check.Unknown{Subject: u, Reason: check.ReasonFailed, Name: strings.Repeat(u, 90)})
	}
	for _, lang := range languages {
		report := check.Report(lang, strings.Repeat("이름", 100), check.Notification{Silent: true}, r, nil, time.Time{})
		require.LessOrEqual(t, utf8.RuneCountInString(report), 1200)
		require.Greater(t, utf8.RuneCountInString(report), 600)
	}
}

func TestFiguresAreComparedAsTheyAreShown(t *testing.T) {
	f := check.Figure{Key: "disk:/", Name: "/", Value: 62.4, Unit: check.Percent}
	require.Equal(t, "디스크 / 62% (지난번보다 +1%p)", f.Text(i18n.Korean, &check.Figure{Key: "disk:/", Value: 60.6, Unit: check.Percent}))
	require.Equal(t, "디스크 / 62% (지난번과 같음)", f.Text(i18n.Korean, &check.Figure{Key: "disk:/", Value: 61.6, Unit: check.Percent}))
	require.Equal(t, "Disk / 62%", f.Text(i18n.English, nil))
	n := check.Figure{Key: "updates", Value: 1200, Unit: check.Number, AtLeast: true}
	require.Equal(t, "更新 ≥1,200 个 (较上次 +1,190)", n.Text(i18n.Chinese, &check.Figure{Key: "updates", Value: 10, Unit: check.Number}))
}
