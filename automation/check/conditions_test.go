package check_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/i18n"
)

func df(size, used, free int64, target string) check.Output {
	return ok(fmt.Sprintf("F T S U A M\n/dev/sda1 ext4 %d %d %d %s\n", size, used, free, target))
}

func over(v float64) func(*check.Params) { return func(p *check.Params) { p.Over = &v } }

func TestADiskIsFullByItsShareOrByWhatIsLeft(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		out  check.Output
		want []string
		near int
	}{
		"half":                                  {df(100*gib, 50*gib, 50*gib, "/"), nil, 0},
		"just under":                            {df(100*gib, 89*gib, 11*gib, "/"), nil, 1},
		"over":                                  {df(100*gib, 90*gib, 10*gib, "/"), []string{"warning"}, 0},
		"nearly full":                           {df(100*gib, 97*gib, 3*gib, "/"), []string{"critical"}, 0},
		"less than a gibibyte left of much":     {df(20*gib, 19*gib+gib/4, gib/2, "/"), []string{"critical"}, 0},
		"less than a gibibyte left of a little": {df(gib, gib/2, gib/2, "/boot"), nil, 0},
	} {
		r := run(t, "disk", machine{"df": c.out}, nil)
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.Severity.String())
		}
		require.Equal(t, c.want, got, name)
		require.Len(t, r.Near, c.near, name)
		require.Empty(t, r.Unknown, name)
	}
}

func TestOnlyRealDisksCountAndEachOnce(t *testing.T) {
	r := run(t, "disk", laptop(t), nil)
	var keys []string
	for _, f := range r.Figures {
		keys = append(keys, f.Key)
	}
	require.Equal(t, []string{"disk:/", "disk:/boot", "disk:/run/media/kim/Backup Disk"}, keys)
	require.Empty(t, r.Unknown)
}

func TestADiskThatIsNotThereIsUnknown(t *testing.T) {
	r := run(t, "disk", machine{"df": fails(1, "df: /mnt/x: No such file or directory")}, func(p *check.Params) { p.Paths = []string{"/mnt/x"} })
	require.Empty(t, r.Findings)
	require.Equal(t, []check.Reason{check.ReasonAbsent}, reasons(r))
	require.True(t, r.Unknown[0].Covers("disk:/mnt/x"))
	require.False(t, r.Unknown[0].Covers("disk:/mnt/xy"))
}

func TestInodesThatAreMadeAsNeededDoNotRunOut(t *testing.T) {
	r := run(t, "inodes", machine{"df": ok("F T I U A M\n/dev/sda1 btrfs 0 0 0 /\n/dev/sdb1 ext4 1000 950 50 /srv\n/dev/sdc1 vfat - - - /boot\n")}, nil)
	require.Equal(t, []string{"inodes_full"}, codes(r))
	require.Equal(t, "inodes:/srv", r.Findings[0].Key)
}

func TestMemory(t *testing.T) {
	meminfo := func(available, swapFree int) check.Output {
		return ok(fmt.Sprintf("MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: %d kB\nSwapTotal: 1000 kB\nSwapFree: %d kB\n", available, swapFree))
	}
	calm := ok("some avg10=9.00 avg60=9.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.10 avg300=0.00 total=0\n")
	for name, c := range map[string]struct {
		m    machine
		want []string
		why  []check.Reason
	}{
		"fine":                       {machine{"cat /proc/meminfo": meminfo(500, 0), "cat /proc/pressure": calm}, nil, nil},
		"full":                       {machine{"cat /proc/meminfo": meminfo(50, 1000), "cat /proc/pressure": calm}, []string{"memory_full"}, nil},
		"scarce, and swap full":      {machine{"cat /proc/meminfo": meminfo(150, 10), "cat /proc/pressure": calm}, []string{"swap_full"}, nil},
		"waiting":                    {machine{"cat /proc/meminfo": meminfo(500, 0), "cat /proc/pressure": ok("full avg10=0 avg60=50.00 avg300=0 total=9\n")}, []string{"memory_pressure"}, nil},
		"a kernel without pressures": {machine{"cat /proc/meminfo": meminfo(500, 0), "cat /proc/pressure": fails(1, "cat: /proc/pressure/memory: No such file or directory")}, nil, []check.Reason{check.ReasonAbsent}},
		"nonsense":                   {machine{"cat /proc/meminfo": ok("MemTotal: 5 kB\n"), "cat /proc/pressure": ok("full\n")}, nil, []check.Reason{check.ReasonUnreadable, check.ReasonUnreadable}},
	} {
		r := run(t, "memory", c.m, nil)
		require.Equal(t, c.want, codes(r), name)
		require.Equal(t, c.why, reasons(r), name)
	}
}

func TestFailedUnits(t *testing.T) {
	r := run(t, "failed_units", machine{"systemctl --system": ok("[]\n"), "systemctl --user": recorded(t, "units-failed.json")}, nil)
	require.Equal(t, []string{"user_unit_failed"}, codes(r))
	require.Equal(t, "systemctl --user status sync-notes.service", r.Findings[0].Fix)

	old := machine{"systemctl --system": ok("x.service loaded failed failed X\n"), "systemctl --user": recorded(t, "units-failed.txt")}
	require.Equal(t, []string{"unit_failed", "user_unit_failed"}, codes(run(t, "failed_units", old, nil)), "a systemd without JSON")

	none := run(t, "failed_units", machine{"systemctl": fails(1, "Failed to connect to bus: Host is down")}, nil)
	require.Empty(t, none.Findings)
	require.Empty(t, none.Figures)
	require.Len(t, none.Unknown, 2)

	odd := run(t, "failed_units", machine{"systemctl": ok(`[{"unit":"a;reboot.service","active":"failed","description":"\u202egnp.exe"}]`)}, nil)
	require.Equal(t, "systemctl --failed", odd.Findings[0].Fix)
	require.NotContains(t, odd.Findings[0].Text(i18n.Korean), "\u202e")
}

func journalOf(at time.Time, texts ...string) check.Output {
	var b strings.Builder
	for i, text := range texts {
		line, _ := json.Marshal(map[string]string{
			"__REALTIME_TIMESTAMP": fmt.Sprint(at.Add(time.Duration(i) * time.Millisecond).UnixMicro()), "MESSAGE": text, "PRIORITY": "3", "SYSLOG_IDENTIFIER": "kernel",
		})
		b.Write(append(line, '\n'))
	}
	return ok(b.String())
}

func TestOnlyErrorsNotMetBeforeAreTold(t *testing.T) {
	var keep json.RawMessage
	look := func(at time.Time, texts ...string) check.Result {
		r := run(t, "journal_errors", machine{"journalctl --no-pager": ok("-- No entries --\n"), "journalctl -o": journalOf(at, texts...)}, func(p *check.Params) { p.Now, p.Previous = at.Add(time.Second), keep })
		keep = r.Keep
		return r
	}
	require.Empty(t, look(now, "ata1: error at sector 17", "old one").Findings, "the first look learns")
	require.Empty(t, look(now.Add(time.Hour), "ata1: error at sector 99").Findings, "only a number differs")
	r := look(now.Add(2*time.Hour), "nvme0: timeout, aborting /dev/nvme0n1", "nvme1: timeout, aborting /dev/nvme1n1", "ata1: error at sector 5")
	require.Equal(t, []string{"journal_new"}, codes(r))
	require.Equal(t, int64(2), r.Findings[0].Args.Count)
	require.True(t, r.Findings[0].Event)
	require.Empty(t, look(now.Add(2*time.Hour), "nvme0: timeout, aborting /dev/nvme0n1").Findings, "it was told")
	require.Empty(t, look(now.Add(29*24*time.Hour), "old one").Findings, "it was met less than a month ago")
	require.Equal(t, []string{"journal_new"}, codes(look(now.Add(65*24*time.Hour), "old one")))
	many := make([]string, 30)
	for i := range many {
		many[i] = "error of kind " + strings.Repeat("x", i+1)
	}
	r = look(now.Add(66*24*time.Hour), many...)
	require.Equal(t, []string{"journal_new", "journal_new", "journal_new", "journal_new", "journal_new", "journal_more"}, codes(r))
	require.Equal(t, int64(25), r.Findings[5].Args.Count)
}

func TestManyErrorsAnHour(t *testing.T) {
	texts := strings.Split(strings.Repeat("same,", 120), ",")
	r := run(t, "journal_errors", machine{"journalctl --no-pager": ok("-- No entries --\n"), "journalctl -o": journalOf(now.Add(-30*time.Minute), texts...)}, nil)
	require.Equal(t, []string{"journal_rate"}, codes(r))
	require.Len(t, run(t, "journal_errors", machine{"journalctl --no-pager": ok("-- No entries --\n"), "journalctl -o": journalOf(now.Add(-30*time.Minute), texts[:90]...)}, nil).Near, 1)
	require.Empty(t, codes(run(t, "journal_errors", machine{"journalctl --no-pager": ok("-- No entries --\n"), "journalctl -o": journalOf(now.Add(-2*time.Hour), texts...)}, nil)), "that was before")
}

func TestAJournalThisUserMayNotSee(t *testing.T) {
	world := func(says string) machine {
		return machine{"journalctl --no-pager": {Stdout: "-- No entries --\n", Stderr: says}, "journalctl -o": journalOf(now, "mine")}
	}
	hint := world("Hint: You are currently not seeing messages from other users and the system.\n      Users in groups 'adm', 'systemd-journal' can see all messages.\n")
	r := run(t, "journal_errors", hint, nil)
	require.Equal(t, []check.Reason{check.ReasonRights}, reasons(r))
	require.NotEmpty(t, r.Keep)
	r = run(t, "logins", hint, nil)
	require.True(t, r.Unknown[0].Covers("logins"))
	require.Empty(t, r.Figures)
	for says, why := range map[string]check.Reason{
		"No journal files were opened due to insufficient permissions.": check.ReasonRights,
		"No journal files were found.":                                  check.ReasonAbsent,
	} {
		require.Equal(t, []check.Reason{why}, reasons(run(t, "journal_errors", world(says), nil)), says)
	}
	odd := world("").with(machine{"journalctl -o": ok("what?\n")})
	require.Equal(t, []check.Reason{check.ReasonUnreadable}, reasons(run(t, "journal_errors", odd, nil)))
}

func TestARecordedJournal(t *testing.T) {
	r := run(t, "journal_errors", machine{"journalctl --no-pager": ok("-- No entries --\n"), "journalctl -o": recorded(t, "journal.json")}, func(p *check.Params) {
		p.Now = time.UnixMicro(1795356208600000)
		p.Previous = json.RawMessage(`{"kinds":{},"last":1}`)
	})
	require.Equal(t, []string{"journal_new", "journal_new"}, codes(r), "three that differ in numbers and paths are one")
	require.Equal(t, int64(3), r.Findings[0].Args.Count)
	require.Equal(t, "badbytes", r.Findings[1].Args.Detail)
}

func TestUpdates(t *testing.T) {
	r := run(t, "updates", laptop(t), nil)
	require.Equal(t, []string{"linux", "mesa", "openssl", "firefox", "libfoo"}, r.Findings[0].Args.Names)
	require.Equal(t, int64(7), r.Findings[0].Args.Count)
	require.Empty(t, codes(run(t, "updates", laptop(t), over(8))))
	require.Empty(t, codes(run(t, "updates", machine{"checkupdates": {Exit: 2}}, nil)))

	r = run(t, "updates", withoutPrograms(laptop(t), "checkupdates"), nil)
	require.Equal(t, []string{"mesa"}, r.Findings[0].Args.Names, "what is ignored is not told")
	require.Equal(t, time.Unix(1772900000, 0).Unix(), r.Findings[0].Args.At.Unix())
	require.Equal(t, check.Unknown{Subject: "updates:now", Reason: check.ReasonMissing, Name: "checkupdates", Package: "pacman-contrib"}, r.Unknown[0])
	require.False(t, r.Unknown[0].Covers("updates"))

	r = run(t, "updates", machine{"checkupdates": fails(1, "==> ERROR: Cannot fetch updates"), "pacman": {Exit: 1}, "find": ok("1772900000.5\n")}, nil)
	require.Empty(t, r.Findings)
	require.Equal(t, []check.Reason{check.ReasonFailed}, reasons(r), "by old lists there are none, but nobody knows of today")
	require.Equal(t, []check.Reason{check.ReasonUnreadable}, reasons(run(t, "updates", machine{"checkupdates": ok("<html>")}, nil)))
	require.Equal(t, []check.Reason{check.ReasonFailed}, reasons(run(t, "updates", machine{"pacman": fails(1, "error: failed to initialize alpm library")}, nil)))
}

// TestUpdatesSayWhatNeedsThePerson: the gravest thing of a preview is in the line, and its command shows the rest.
func TestUpdatesSayWhatNeedsThePerson(t *testing.T) {
	const packages = `"digest":"sha256:1","count":14,"packages":[{"name":"zlib","to":"2"},{"name":"linux","to":"6"}]`
	for name, c := range map[string]struct{ preview, want string }{
		"nothing":   {"{" + packages + "}", "14 updates available: linux, zlib and 12 more."},
		"a setting": {"{" + packages + `,"settings":[{"path":"/etc/htoprc","package":"htop"}]}`, "14 updates, 1 needs you: " + i18n.UpgradeSettingLikely("/etc/htoprc").In(i18n.English)},
		"a package that breaks": {
			"{" + packages + `,"broken":[{"package":"foo-bin","file":"/usr/bin/foo","needs":"libx.so.1","because":"libx"}],"settings":[{"path":"/etc/a","package":"a"}]}`,
			"14 updates, 2 need you: " + i18n.UpgradeBroken("foo-bin", "libx.so.1", "libx").In(i18n.English),
		},
	} {
		r := run(t, "updates", laptop(t).with(machine{"blunux-ai": ok(c.preview)}), nil)
		require.Len(t, r.Findings, 1, name)
		require.Equal(t, c.want, r.Findings[0].Text(i18n.English), name)
		require.Equal(t, "blunux-aictl upgrade --preview", r.Findings[0].Fix)
	}
	require.Empty(t, run(t, "updates", laptop(t).with(machine{"blunux-ai": ok(`{"digest":"sha256:0","count":0,"packages":[]}`)}), nil).Findings)
	r := run(t, "updates", laptop(t).with(machine{"blunux-ai": fails(1, "")}), nil)
	require.Equal(t, int64(7), r.Findings[0].Args.Count, "without a preview the list counts")
}

func TestSecurityUpdates(t *testing.T) {
	r := run(t, "security_updates", laptop(t).with(machine{"arch-audit": recorded(t, "arch-audit.txt")}), nil)
	require.Equal(t, []string{"openssl", "curl"}, r.Findings[0].Args.Names, "the grave one first")
	require.Equal(t, check.Warning, r.Findings[0].Severity)
	r = run(t, "security_updates", laptop(t).with(machine{"arch-audit": recorded(t, "arch-audit-quiet.txt")}), nil)
	require.Equal(t, check.Notice, r.Findings[0].Severity)
	require.Empty(t, run(t, "security_updates", laptop(t), nil).Findings)
	require.Equal(t, []check.Reason{check.ReasonFailed}, reasons(run(t, "security_updates", laptop(t).with(machine{"arch-audit": {Exit: 1, Stdout: "Cannot fetch data from https://security.archlinux.org, please check your network connection!\n"}}), nil)))

	r = run(t, "security_updates", withoutPrograms(laptop(t), "arch-audit"), nil)
	require.Equal(t, []string{"security_listed"}, codes(r))
	require.Equal(t, []string{"firefox", "linux", "openssl"}, r.Findings[0].Args.Names)
}

func TestReboot(t *testing.T) {
	kept := laptop(t).with(machine{
		"find /usr/lib/modules":         ok("6.9.7-arch1-1\n6.9.7-arch1-1/kernel\n6.9.7-arch1-1/pkgbase\n6.10.1-arch1-1/pkgbase\n6.12.58-1-lts/pkgbase\n"),
		"uname":                         ok("6.9.7-arch1-1\n"),
		"grep -s -H . /usr/lib/modules": ok("/usr/lib/modules/6.12.58-1-lts/pkgbase:linux-lts\n/usr/lib/modules/6.9.7-arch1-1/pkgbase:linux\n/usr/lib/modules/6.10.1-arch1-1/pkgbase:linux\n"),
	})
	require.Empty(t, codes(run(t, "reboot", laptop(t), nil)))
	require.Equal(t, []string{"reboot_modules"}, codes(run(t, "reboot", laptop(t).with(machine{"uname": ok("6.17.6-arch1-1\n")}), nil)))
	r := run(t, "reboot", kept, nil)
	require.Equal(t, []string{"reboot_kernel"}, codes(r))
	require.Equal(t, "6.10.1-arch1-1", r.Findings[0].Args.Detail)
	require.Equal(t, []check.Reason{check.ReasonAbsent}, reasons(run(t, "reboot", laptop(t).with(machine{"find /usr/lib/modules": fails(1, "find: ‘/usr/lib/modules’: No such file or directory")}), nil)))
}

func TestDisksThatTellOfTheirHealth(t *testing.T) {
	smart := func(file string) check.Result {
		return run(t, "smart", machine{"lsblk": recorded(t, "lsblk-desktop.json"), "smartctl": recorded(t, file)}, nil)
	}
	require.Empty(t, smart("smart-nvme.json").Findings)
	require.Equal(t, []string{"smart_sectors", "smart_sectors"}, codes(smart("smart-ata.json")))
	r := smart("smart-failing.json")
	require.Equal(t, []string{"smart_failing", "smart_sectors", "smart_worn"}, codes(r)[:3])
	require.Equal(t, check.Critical, r.Findings[0].Severity)
	require.Equal(t, []check.Reason{check.ReasonRights, check.ReasonRights}, reasons(smart("smart-rights.json")))
	require.Equal(t, []check.Reason{check.ReasonFailed, check.ReasonFailed}, reasons(smart("smart-virtual.json")))
	r = run(t, "smart", machine{"lsblk": recorded(t, "lsblk.json")}, nil)
	require.Equal(t, []check.Unknown{{Subject: "smart", Reason: check.ReasonMissing, Name: "smartctl", Package: "smartmontools"}}, r.Unknown)
}

func TestTemperature(t *testing.T) {
	require.Empty(t, run(t, "temperature", laptop(t), nil).Findings)
	require.Equal(t, 54.25, run(t, "temperature", laptop(t), nil).Figures[0].Value)
	require.Equal(t, []string{"hot"}, codes(run(t, "temperature", laptop(t), over(50))))
	chip := func(c, crit float64) machine {
		return machine{"sensors": ok(fmt.Sprintf(`{"coretemp-isa-0000":{"Adapter":"x","Core 0":{"temp2_input":%v,"temp2_crit":%v}}}`, c, crit))}
	}
	require.Empty(t, run(t, "temperature", chip(90, 100), nil).Findings, "its own limit is higher")
	require.Equal(t, check.Warning, run(t, "temperature", chip(96, 100), nil).Findings[0].Severity)
	require.Equal(t, check.Critical, run(t, "temperature", chip(101, 100), nil).Findings[0].Severity)

	require.Equal(t, 61.0, run(t, "temperature", withoutPrograms(laptop(t), "sensors"), nil).Figures[0].Value, "the kernel's own")
	r := run(t, "temperature", machine{"sensors": fails(1, "No sensors found!")}, nil)
	require.Equal(t, []check.Reason{check.ReasonAbsent}, reasons(r))
	require.Equal(t, []check.Reason{check.ReasonUnreadable}, reasons(run(t, "temperature", machine{"sensors": ok("{")}, nil)))
}

func TestBattery(t *testing.T) {
	r := run(t, "battery", laptop(t), nil)
	require.Equal(t, []string{"battery_worn"}, codes(r))
	require.Len(t, r.Figures, 1, "a mouse's battery is not the computer's")
	require.Empty(t, r.Unknown)
	require.Empty(t, run(t, "battery", laptop(t), over(50)).Findings)
	require.Len(t, run(t, "battery", laptop(t), over(53)).Near, 1)
	none := run(t, "battery", machine{"find": ok("")}, nil)
	require.Empty(t, none.Unknown, "a desktop has none, and that is fine")
}

func TestLogins(t *testing.T) {
	r := run(t, "logins", machine{"journalctl --no-pager": ok("-- No entries --\n"), "journalctl -o": recorded(t, "logins.json")}, over(1))
	require.Equal(t, []string{"logins_failed"}, codes(r))
	require.Equal(t, int64(6), r.Findings[0].Args.Count, "each failure once, however often it is told")
	require.Equal(t, []string{"sudo ×3", "2001:db8::7 ×1", "203.0.113.9 ×1"}, r.Findings[0].Args.Names)
	require.Empty(t, run(t, "logins", machine{"journalctl --no-pager": ok("-- No entries --\n"), "journalctl -o": recorded(t, "logins.json")}, nil).Findings)
	require.Len(t, run(t, "logins", machine{"journalctl --no-pager": ok("-- No entries --\n"), "journalctl -o": recorded(t, "logins.json")}, over(7)).Near, 1)
}

func TestPacnewAndOrphans(t *testing.T) {
	denied := check.Output{Stdout: "/etc/pacman.conf.pacnew\n/etc/a\x1bb.pacnew\n/etc/cut", Stderr: "find: ‘/etc/x’: Permission denied\n", Exit: 1}
	r := run(t, "pacnew", machine{"find": denied}, nil)
	require.Equal(t, []string{"pacman.conf.pacnew"}, r.Findings[0].Args.Names)
	require.Equal(t, []check.Reason{check.ReasonPartial}, reasons(r))
	require.False(t, r.Unknown[0].Covers("pacnew"))
	r = run(t, "pacnew", machine{
		"find /etc": ok(""), "find /boot/loader": ok("1763600000.5\t10\t/boot/loader/loader.conf.pacnew\n"),
		"grep -rhE": ok("boot/loader/loader.conf\td41d8cd98f00b204e9800998ecf8427e\n"),
	}, nil)
	require.Equal(t, []string{"loader.conf.pacnew"}, r.Findings[0].Args.Names)
	require.Empty(t, r.Unknown)

	require.Empty(t, run(t, "orphans", machine{"pacman": {Exit: 1}}, nil).Findings)
	require.Equal(t, []string{"orphans"}, codes(run(t, "orphans", machine{"pacman": ok("a\nb\nc\n")}, over(2))))
	require.Equal(t, []check.Reason{check.ReasonUnreadable}, reasons(run(t, "orphans", machine{"pacman": ok("$(reboot)\n")}, nil)))
	require.Equal(t, []check.Reason{check.ReasonFailed}, reasons(run(t, "orphans", machine{"pacman": fails(1, "error: could not lock")}, nil)))
}

func TestNetwork(t *testing.T) {
	require.Empty(t, run(t, "network", laptop(t), nil).Findings)
	require.Equal(t, []string{"network_none"}, codes(run(t, "network", machine{"ip": ok("[]")}, nil)))
	require.Equal(t, []string{"network_gateway"}, codes(run(t, "network", laptop(t).with(machine{"ping": {Exit: 1}}), nil)))
	require.Equal(t, []check.Reason{check.ReasonUnreadable}, reasons(run(t, "network", machine{"ip": ok(`[{"dst":"default","gateway":"-f"}]`)}, nil)))
}

func TestBackup(t *testing.T) {
	at := func(p *check.Params) { p.Paths = []string{"/mnt/b"} }
	fresh := machine{"find": ok("1773000000.5\n")}
	require.Empty(t, run(t, "backup", fresh, at).Findings)
	gone := run(t, "backup", machine{"find": fails(1, "find: ‘/mnt/b’: No such file or directory")}, at)
	require.Equal(t, []string{"backup_missing"}, codes(gone))
	month := fmt.Sprintf("find -H /mnt/b -xdev -type f -newerct @%d", now.Add(-30*24*time.Hour).Unix())
	stale := run(t, "backup", machine{"find": ok(""), month: ok("1771000000.5\n")}, at)
	require.Equal(t, []string{"backup_stale"}, codes(stale))
	require.Equal(t, 7*24*time.Hour, stale.Findings[0].Args.For)
	require.Equal(t, []check.Reason{check.ReasonRights}, reasons(run(t, "backup", machine{"find": fails(1, "find: ‘/mnt/b/x’: Permission denied")}, at)))
}

func TestNothingIsCalledFineWhenNothingWorks(t *testing.T) {
	for _, world := range []check.Runner{failingRunner{check.ErrMissing}, failingRunner{check.ErrRefused}, failingRunner{errBroken}, machine{}, constantRunner(""), constantRunner("\x00\xff garbage \x1b[2J"), constantRunner("[]x"), constantRunner("null"), deniedRunner{}} {
		for _, name := range check.Names() {
			r := run(t, name, world, func(p *check.Params) {
				if name == "backup" {
					p.Paths = []string{"/mnt/b"}
				}
			})
			// These print nothing if there is nothing to report, and null can be the name of a package.
			may := ""
			if e, ok := world.(constantRunner); ok {
				may = map[constantRunner]string{"": "journal_errors logins battery backup security_updates", "null": "orphans battery"}[e]
			}
			if !strings.Contains("certificates pacnew "+may, name) {
				require.NotEmpty(t, r.Unknown, "%s on %v", name, world)
			}
			report := check.Report(i18n.English, name, check.Notification{Silent: true}, r, nil, time.Time{})
			require.NotContains(t, report, "\x1b")
		}
	}
}

func TestParametersThatACheckCannotUseAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		check string
		p     check.Params
		code  string
	}{
		"a limit over all":     {"disk", check.Params{Over: new(101.0)}, "range"},
		"a limit of nothing":   {"updates", check.Params{Over: new(0.0)}, "range"},
		"a limit not used":     {"reboot", check.Params{Over: new(1.0)}, "unused"},
		"a span not used":      {"disk", check.Params{Within: time.Hour}, "unused"},
		"a span too short":     {"logins", check.Params{Within: time.Second}, "range"},
		"paths not used":       {"health", check.Params{Paths: []string{"/"}}, "unused"},
		"no paths":             {"backup", check.Params{}, "needed"},
		"too many paths":       {"disk", check.Params{Paths: make([]string, 21)}, "many"},
		"a path from anywhere": {"disk", check.Params{Paths: []string{"home"}}, "path"},
		"a path with a break":  {"disk", check.Params{Paths: []string{"/a\nb"}}, "path"},
	} {
		found, _ := check.Lookup(c.check)
		var bad *check.ParamError
		require.ErrorAs(t, found.Validate(c.p), &bad, name)
		require.Equal(t, c.code, bad.Code, name)
		for _, lang := range languages {
			require.NotContains(t, bad.Text(lang), "%!", name)
		}
		_, err := found.Run(t.Context(), machine{}, c.p)
		require.Error(t, err)
	}
	_, known := check.Lookup("nonsense")
	require.False(t, known)
}
