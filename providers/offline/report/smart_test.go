package report

import (
	"testing"

	"github.com/nidoit/blunux-ai/machine"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
)

func TestSmartVerdicts(t *testing.T) {
	good := machine.SmartRecord{Verdict: "PASSED", Reallocated: 0, Pending: 0, Lost: 0, Cable: machine.SmartUnknown, Used: machine.SmartUnknown, Left: machine.SmartUnknown, Spare: machine.SmartUnknown, SpareLimit: machine.SmartUnknown, Hours: machine.SmartUnknown, Heat: machine.SmartUnknown}
	with := func(change func(*machine.SmartRecord)) machine.SmartRecord {
		rec := good
		change(&rec)
		return rec
	}
	for name, tt := range map[string]struct {
		rec  machine.SmartRecord
		want func(disk string) i18n.Text
	}{
		"fine":         {good, i18n.HelperSmartFine},
		"failed":       {with(func(r *machine.SmartRecord) { r.Verdict = "FAILED" }), i18n.HelperSmartFailed},
		"no verdict":   {with(func(r *machine.SmartRecord) { r.Verdict = "" }), i18n.HelperSmartNoWord},
		"unknown word": {with(func(r *machine.SmartRecord) { r.Verdict = "UNKNOWN" }), i18n.HelperSmartNoWord},
		"pending":      {with(func(r *machine.SmartRecord) { r.Pending = 1 }), i18n.HelperSmartUnread},
		"media errors": {with(func(r *machine.SmartRecord) { r.Lost = 3 }), i18n.HelperSmartUnread},
		"reallocated":  {with(func(r *machine.SmartRecord) { r.Reallocated = 24 }), i18n.HelperSmartPatched},
		"worn":         {with(func(r *machine.SmartRecord) { r.Used = 97 }), i18n.HelperSmartSpent},
		"little left":  {with(func(r *machine.SmartRecord) { r.Left = 4 }), i18n.HelperSmartSpent},
		"no spare":     {with(func(r *machine.SmartRecord) { r.Spare, r.SpareLimit = 9, 10 }), i18n.HelperSmartSpent},
		"warning":      {with(func(r *machine.SmartRecord) { r.Warning = "0x04" }), i18n.HelperSmartSpent},
		"only passed": {with(func(r *machine.SmartRecord) {
			r.Reallocated, r.Pending, r.Lost = machine.SmartUnknown, machine.SmartUnknown, machine.SmartUnknown
		}), i18n.HelperSmartPassed},
	} {
		require.Equal(t, tt.want("sda").In("en"), smartVerdict(tt.rec)("sda").In("en"), name)
	}
}

func TestSmartReadsWhatDisksPrint(t *testing.T) {
	rec, ok := tryRead(machine.ParseSmart, "  9 Power_On_Hours          0x0032   097   097   000    Old_age   Always       -       12345h+30m+05.120s\n"+
		"194 Temperature_Celsius     0x0022   036   048   000    Old_age   Always       -       36 (Min/Max 18/48)\n"+
		"177 Wear_Leveling_Count     0x0013   095   095   000    Pre-fail  Always       -       87\n"+
		"197 Current_Pending_Sector  0x0032   100   100   ---    Old_age   Always       -       0\n")
	require.True(t, ok)
	require.Equal(t, []int{12345, 36, 95, 0, machine.SmartUnknown}, []int{rec.Hours, rec.Heat, rec.Left, rec.Pending, rec.Reallocated})
	rec, ok = tryRead(machine.ParseSmart, "SMART Health Status: OK\n")
	require.True(t, ok)
	require.Equal(t, i18n.HelperSmartPassed("sda").In("en"), smartVerdict(rec)("sda").In("en"))
	_, ok = tryRead(machine.ParseSmart, "SMART support is: Unavailable - device lacks SMART capability.\n")
	require.False(t, ok)
	rec, ok = tryRead(machine.ParseSmart, "Critical Warning:                   0x04\nPercentage Used:                    104%\nPower On Hours:                     4,321\n")
	require.True(t, ok)
	require.Equal(t, []any{"0x04", 104, 4321, ""}, []any{rec.Warning, rec.Used, rec.Hours, rec.Verdict})
}

func TestSmartTellsWhatKeptItFromReading(t *testing.T) {
	for text, step := range map[string]providers.Step{
		"`smartctl` isn't installed": {Exit: 1, Stderr: "sudo: smartctl: command not found\n"},
		"provides no SMART values":   {Exit: 1, Stdout: "/dev/vda: Unable to detect device type\n"},
		"couldn't open":              {Exit: 2, Stdout: "Smartctl open device: /dev/sdz failed: No such device\n"},
		"through its USB adapter":    {Exit: 1, Stdout: "/dev/sdb: Unknown USB bridge [0x152d:0x0578 (0x214)]\n"},
		"administrator password":     {Exit: 1, Stderr: "sudo: a password is required\n"},
	} {
		step.Command = "sudo -n smartctl -H -A /dev/sdb"
		require.Contains(t, replyToCommand(step).Text, text)
	}
}

func TestFaultsOfTheKernel(t *testing.T) {
	got := parseFaults([]string{
		"Nov 22 08:00:00 h kernel: FAT-fs (sdb1): Volume was not properly unmounted. Some data may be corrupt. Please run fsck.",
		"Nov 22 08:00:00 h kernel: BTRFS info (device nvme0n1p2): bdev /dev/nvme0n1p2 errs: wr 0, rd 0, flush 0, corrupt 2, gen 0",
		"Nov 22 08:00:00 h kernel: ata3: SATA link down (SStatus 0 SControl 300)",
		"Nov 22 08:00:00 h kernel: EXT4-fs (sda2): re-mounted 0b1c ro.",
		"Nov 22 08:01:00 h kernel: nvme nvme0: I/O tag 6 QID 5 timeout, reset controller",
		"Nov 22 08:02:00 h kernel: BTRFS error (device sda2): parent transid verify failed",
		"Nov 22 08:03:00 h kernel: critical medium error, dev sdaa, sector 100",
		"Nov 22 08:03:01 h kernel: ata1.00: error: { UNC }",
	})
	var told []diskFault
	for _, f := range got {
		told = append(told, diskFault{kind: f.kind, disk: f.disk, count: f.count})
	}
	require.Equal(t, []diskFault{{kind: faultMedia, disk: "sdaa", count: 1}, {kind: faultMedia, disk: "ata1", count: 1}, {kind: faultStructure, disk: "sda", count: 1}, {kind: faultLink, disk: "nvme0", count: 1}}, told)
	require.Equal(t, "nvme0n1", suspectDrive([]machine.BlockDevice{{Name: "sda"}, {Name: "nvme0n1"}}, []diskFault{{kind: faultLink, disk: "nvme0"}}))
	require.Equal(t, "nvme0n1", suspectDrive([]machine.BlockDevice{{Name: "sdb", Transport: "usb"}, {Name: "nvme0n1"}}, nil))
}

func TestReadOnlyMounts(t *testing.T) {
	got := readOnlyMounts(read(machine.ParseMounts, "/dev/sda1 /my\\040data ext4 ro,relatime,emergency_ro 0 0\n/dev/sr0 /run/media/cd iso9660 ro 0 0\n/dev/loop0 /snap squashfs ro 0 0\n/dev/sdb1 / ext4 rw,errors=remount-ro 0 0\n/dev/sdc1 /x ext4 ro 0 0\n/dev/sdc1 /y ext4 ro 0 0\ntmpfs /sys ro ro 0 0\nnonsense\n"))
	require.Len(t, got, 2)
	require.Equal(t, []any{"/dev/sda1", "/my data", true}, []any{got[0].Source, got[0].Target, hasMountError(got[0])})
	require.Equal(t, []any{"/dev/sdc1", "/x", false}, []any{got[1].Source, got[1].Target, hasMountError(got[1])})
}
