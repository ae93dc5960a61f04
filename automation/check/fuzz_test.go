package check_test

import (
	"encoding/json"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/i18n"
)

// requireDisplayable fails if a result contains text that must not be displayed, or is not bounded.
func requireDisplayable(t *testing.T, r check.Result) {
	t.Helper()
	require.LessOrEqual(t, len(r.Findings), 50)
	require.LessOrEqual(t, len(r.Unknown), 50)
	require.Less(t, len(r.Keep), 64<<10)
	_, err := json.Marshal(r)
	require.NoError(t, err)
	for _, lang := range languages {
		report := check.Report(lang, r.Check, check.Notification{Silent: true}, r, nil, time.Time{})
		require.LessOrEqual(t, utf8.RuneCountInString(report), 1200)
		require.True(t, utf8.ValidString(report))
		for _, c := range report {
			// The variation selector of the marks is the only invisible character.
			require.True(t, c == '\n' || c == '\ufe0f' || unicode.IsPrint(c), "%U in %q", c, report)
		}
	}
}

func fuzz(f *testing.F, name, key string, seeds ...string) {
	for _, s := range seeds {
		f.Add(recorded(f, s).Stdout, 0)
	}
	f.Add("", 0)
	f.Add("a -> b\n", 1)
	base := laptop(f)
	f.Fuzz(func(t *testing.T, text string, exit int) {
		requireDisplayable(t, run(t, name, base.with(machine{key: {Stdout: text, Exit: exit}}), nil))
		requireDisplayable(t, run(t, name, base.with(machine{key: {Stderr: text, Exit: exit}}), nil))
		requireDisplayable(t, run(t, name, base.with(machine{key: {Stdout: text, Truncated: true}}), nil))
	})
}

func FuzzDisk(f *testing.F)   { fuzz(f, "disk", "df", "df.txt") }
func FuzzInodes(f *testing.F) { fuzz(f, "inodes", "df", "df.txt") }
func FuzzMemory(f *testing.F) { fuzz(f, "memory", "cat /proc/meminfo", "meminfo.txt", "pressure.txt") }

func FuzzUnits(f *testing.F) {
	fuzz(f, "failed_units", "systemctl --user", "units-failed.json", "units-failed.txt")
}

func FuzzUpdates(f *testing.F) {
	fuzz(f, "updates", "checkupdates", "updates-pending.txt", "updates-ignored.txt")
}

func FuzzArchAudit(f *testing.F) {
	fuzz(f, "security_updates", "arch-audit", "arch-audit.txt", "arch-audit-quiet.txt")
}

func FuzzSmart(f *testing.F) {
	fuzz(f, "smart", "smartctl", "smart-ata.json", "smart-nvme.json", "smart-rights.json", "smart-failing.json")
}
func FuzzDrives(f *testing.F)  { fuzz(f, "smart", "lsblk", "lsblk.json", "lsblk-desktop.json") }
func FuzzSensors(f *testing.F) { fuzz(f, "temperature", "sensors", "sensors.json") }
func FuzzBattery(f *testing.F) {
	fuzz(f, "battery", "cat /sys/class/power_supply/BAT0", "uevent-battery.txt")
}
func FuzzReboot(f *testing.F) { fuzz(f, "reboot", "find /usr/lib/modules", "modules.txt") }
func FuzzRoutes(f *testing.F) { fuzz(f, "network", "ip", "route.json") }
func FuzzPacnew(f *testing.F) { fuzz(f, "pacnew", "find /etc", "modules.txt") }

func FuzzJournal(f *testing.F) {
	for _, s := range []string{"journal.json", "logins.json", "journal-one.json"} {
		f.Add(recorded(f, s).Stdout, []byte(nil))
	}
	f.Add("-- No entries --\n", []byte(`{"kinds":{"a":1},"last":1}`))
	f.Fuzz(func(t *testing.T, text string, kept []byte) {
		m := machine{"journalctl --no-pager": ok("-- No entries --\n"), "journalctl -o": ok(text)}
		requireDisplayable(t, run(t, "logins", m, nil))
		first := run(t, "journal_errors", m, func(p *check.Params) { p.Previous = kept })
		requireDisplayable(t, first)
		if len(first.Unknown) == 0 {
			second := run(t, "journal_errors", m, func(p *check.Params) { p.Previous = first.Keep })
			for _, f := range second.Findings {
				require.False(t, f.Event, "told again: %v", f)
			}
		}
	})
}

func FuzzMemoryOfFindings(f *testing.F) {
	f.Add([]byte(`{"held":{"a":{"finding":{"key":"a","severity":"warning","code":"hot"},"looks":1,"told":"2026-01-01T00:00:00Z","as":"notice"}},"snoozed":"2026-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m check.Memory
		if json.Unmarshal(text, &m) != nil {
			return
		}
		m.Step(now, check.Policy{}, saw(finding("a", check.Warning)))
		for _, f := range m.Firing() {
			_ = f.Text(i18n.Korean)
		}
	})
}
