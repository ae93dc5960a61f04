package diagnose

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Disk is the question whether a disk is failing. The object is its device; without one, all disks are looked at, or the
// one that the kernel reports.
func Disk() Topic {
	return Topic{ID: "disk", Object: ADevice, About: i18n.DiagnoseAboutDisk, sound: diskSound, causes: []cause{
		{"failed", ofRecord(isFailing, i18n.HelperSmartFailed)},
		{"unreadable", ofRecord(isUnreadable, i18n.HelperSmartUnread)},
		{"read-only", diskReadOnly},
		{"errors", kernelReports(i18n.HelperHealthMedia, "i/o error", "medium error", "unrecovered read error", "{ unc }",
			"critical target error", "disabling device after reset failure", "removing after probe failure")},
		{"damaged", kernelReports(i18n.HelperHealthStructure, "ext4-fs error", "btrfs error", "btrfs critical", "csum failed",
			"checksum verify failed", "metadata corruption", "fat-fs error", "f2fs-fs error", "running e2fsck is recommended")},
		{"worn", ofRecord(isWorn, i18n.HelperSmartSpent)},
		{"link", kernelReports(i18n.HelperHealthLink, "hard resetting link", "reset controller", "controller is down; will reset",
			"device not ready; aborting", "timeout, aborting")},
		{"patched", ofRecord(isPatched, i18n.HelperSmartPatched)},
		{"mounted-read-only", diskMountedReadOnly},
	}}
}

func isFailing(rec machine.SmartRecord) bool { return strings.HasPrefix(rec.Verdict, "FAIL") }
func isUnreadable(rec machine.SmartRecord) bool {
	return !isFailing(rec) && (rec.Pending > 0 || rec.Lost > 0)
}

func isPatched(rec machine.SmartRecord) bool {
	return !isFailing(rec) && !isUnreadable(rec) && !isWorn(rec) && rec.Reallocated > 0
}

func isWorn(rec machine.SmartRecord) bool {
	isSpare := rec.Spare != machine.SmartUnknown && rec.SpareLimit != machine.SmartUnknown && rec.Spare <= rec.SpareLimit
	isOld := rec.Used >= 90 || rec.Left != machine.SmartUnknown && rec.Left <= 10
	return !isFailing(rec) && !isUnreadable(rec) && (isSpare || isOld || rec.Warning != "")
}

// drives returns the disks in question.
func (f *Facts) drives() (all []machine.BlockDevice) {
	list, _ := parse(f, machine.DrivesProbe, machine.ParseBlockPairs) // none if it cannot be read
	suspect := machine.DiskOf(f.logged(faultWords...))
	for _, d := range list {
		isAsked := f.Object == "" || f.Object == "/dev/"+d.Name
		if d.Type != "disk" || plain(d.Name) != d.Name || strings.HasPrefix(d.Name, "zram") || d.Size == "0B" || !isAsked {
			continue
		}
		if f.Object == "" && suspect != "" && (d.Name == suspect || strings.HasPrefix(d.Name, suspect+"n")) {
			return []machine.BlockDevice{d}
		}
		all = append(all, d)
	}
	return all[:min(8, len(all))]
}

// faultWords are of the kernel's messages about a disk that does not answer or cannot be read.
var faultWords = []string{
	"i/o error, dev", "medium error, dev", "target error, dev", "fs error (device", "btrfs error (device", "remounting filesystem read-only",
	"reset controller", "controller is down; will reset", "timeout, aborting",
}

// smart returns a disk's own record of its health. ok is false if it is not known: it needs rights, the disk has none, or its
// adapter does not pass it on. smartctl finds the way to most adapters of USB disks; where it asks for one, that of most is tried.
func (f *Facts) smart(device string) (rec machine.SmartRecord, look machine.Probe, ok bool) {
	for _, kind := range []string{"", "sat"} {
		look = machine.SmartProbe(device, kind)
		out, known := f.output(look) // it exits with bits that describe the disk
		report, err := machine.ParseSmartJSON([]byte(out.Stdout))
		if err != nil && strings.TrimSpace(out.Stdout) != "" {
			f.unreadable[look.String()] = Unreadable
		}
		if rec, ok = report.Record(); !report.NeedsKind() || ok {
			return rec, look, ok && known
		}
	}
	return rec, look, false
}

// records returns the records of the disks in question that are known, and the disks whose record is not. A virtual disk has none.
func (f *Facts) records() (known []diskRecord, unread []string) {
	for _, d := range f.drives() {
		if d.IsVirtual() {
			continue
		}
		device := "/dev/" + d.Name
		if rec, look, ok := f.smart(device); ok {
			known = append(known, diskRecord{rec, device, look})
		} else {
			unread = append(unread, device)
		}
	}
	return known, unread
}

type diskRecord struct {
	machine.SmartRecord
	device string
	look   machine.Probe
}

// withUnread adds which disks have a record that was not read.
func (f *Facts) withUnread(found *Finding) *Finding {
	if _, unread := f.records(); len(unread) > 0 {
		found.Evidence = append(found.Evidence, see(machine.DrivesProbe, i18n.DiskUnread(strings.Join(unread, ", "))))
	}
	return found
}

const hoursOfYear = 8760

// smartSeen are the values of a record.
func smartSeen(look machine.Probe, rec machine.SmartRecord) (seen []Evidence) {
	add := func(known bool, text i18n.Text) {
		if known {
			seen = append(seen, see(look, text))
		}
	}
	has := func(value int) bool { return value != machine.SmartUnknown }
	add(rec.Verdict != "", i18n.DiagnoseLine(rec.Verdict))
	add(has(rec.Reallocated) && has(rec.Pending), i18n.HelperSmartSectors(rec.Reallocated, rec.Pending))
	add(has(rec.Lost), i18n.HelperSmartLost(rec.Lost))
	add(rec.Warning != "", i18n.HelperSmartWarning(rec.Warning))
	add(has(rec.Used), i18n.HelperSmartWear(rec.Used))
	add(has(rec.Left), i18n.HelperSmartLeft(rec.Left))
	add(has(rec.Spare) && has(rec.SpareLimit), i18n.HelperSmartSpare(rec.Spare, rec.SpareLimit))
	add(rec.Cable > 0, i18n.HelperSmartCable(rec.Cable))
	add(rec.Hours >= hoursOfYear, i18n.HelperSmartYears(strconv.Itoa(rec.Hours), float64(rec.Hours)/hoursOfYear))
	add(has(rec.Hours) && rec.Hours < hoursOfYear, i18n.HelperSmartHours(strconv.Itoa(rec.Hours)))
	add(has(rec.Heat), i18n.HelperSmartHeat(rec.Heat))
	return seen
}

// ofRecord finds a disk whose own record shows a fault.
func ofRecord(applies func(machine.SmartRecord) bool, says func(disk string) i18n.Text) func(*Facts) *Finding {
	return func(f *Facts) *Finding {
		known, _ := f.records()
		for _, r := range known {
			if applies(r.SmartRecord) {
				return f.withUnread(proved(says(r.device), smartSeen(r.look, r.SmartRecord)...))
			}
		}
		return nil
	}
}

// diskReadOnly finds a file system that the kernel made read-only after an error.
func diskReadOnly(f *Facts) *Finding {
	for _, m := range f.mounts() {
		if !strings.HasPrefix(m.Source, "/dev/") || !m.HasOption("emergency_ro") && !m.HasOption("shutdown") ||
			f.Object != "" && !strings.HasPrefix(m.Source, f.Object) {
			continue
		}
		return proved(i18n.HelperHealthReadOnly(m.Target), seeLine(machine.MountsProbe, m.Source+" "+m.Target+" "+strings.Join(m.Options, ","))).
			showing(machine.KernelMessagesProbe, f.logged("("+path.Base(m.Source), "(device "+path.Base(m.Source)))
	}
	return nil
}

// diskMountedReadOnly finds a file system that is mounted read-only, although it can be written to: on purpose or after an error.
func diskMountedReadOnly(f *Facts) *Finding {
	for _, m := range f.mounts() {
		isMedium := slices.Contains([]string{"iso9660", "udf", "squashfs", "erofs", "cramfs", "romfs"}, m.Type)
		if strings.HasPrefix(m.Source, "/dev/") && !strings.HasPrefix(m.Source, "/dev/loop") && !isMedium && m.HasOption("ro") &&
			strings.HasPrefix(m.Source, f.Object) && diskReadOnly(f) == nil {
			return likely(i18n.HelperHealthMounted(m.Target), seeLine(machine.MountsProbe, m.Source+" "+m.Target+" "+strings.Join(m.Options, ",")))
		}
	}
	return nil
}

// kernelReports finds that the kernel reports a fault of a disk. Whether the disk is failing, or only its cable, its own record decides.
func kernelReports(says func(disk string) i18n.Text, words ...string) func(*Facts) *Finding {
	return func(f *Facts) *Finding {
		line := f.logged(words...)
		disk := machine.DiskOf(line)
		isAsked := f.Object == "" || strings.HasPrefix(f.Object, "/dev/"+disk) || strings.HasPrefix(disk, "ata")
		if line == "" || disk == "" || !isAsked || diskReadOnly(f) != nil {
			return nil
		}
		found := likely(says(disk), seeLine(machine.KernelMessagesProbe, line))
		known, _ := f.records()
		for _, r := range known {
			found.Evidence = append(found.Evidence, smartSeen(r.look, r.SmartRecord)...)
		}
		return found
	}
}

// diskSound reports what is known of disks without a fault.
func diskSound(f *Facts) *Finding {
	drives := f.drives()
	if len(drives) == 0 || !f.hasKernelLog() {
		return nil
	}
	found := proved(i18n.HelperHealthQuiet)
	known, unread := f.records()
	var fine, silent []string
	for _, r := range known {
		found.Evidence = append(found.Evidence, smartSeen(r.look, r.SmartRecord)...)
		if r.Verdict == "PASSED" {
			fine = append(fine, r.device)
		} else {
			silent = append(silent, r.device)
		}
	}
	switch {
	case len(fine) == 1:
		found.Says = i18n.HelperSmartFine(fine[0])
	case len(fine) > 1:
		found.Says = i18n.DiskFine(strings.Join(fine, ", "))
	case len(silent) > 0:
		found.Says = i18n.HelperSmartNoWord(strings.Join(silent, ", "))
	}
	for _, d := range drives {
		if device := "/dev/" + d.Name; d.IsVirtual() || slices.Contains(unread, device) && len(known) == 0 {
			found.Evidence = append(found.Evidence, seeLine(machine.DrivesProbe, d.Name+" "+d.Size+" "+machine.CleanLine(d.Model)))
		}
	}
	if !slices.ContainsFunc(drives, func(d machine.BlockDevice) bool { return !d.IsVirtual() }) {
		found.Advice = i18n.HelperHealthVirtual
	}
	if len(known) == 0 {
		return found // the kernel's log says nothing of one disk only
	}
	return f.withUnread(found)
}

// hasKernelLog reports whether the kernel's log was read. It is never empty, and the kernel writes English.
func (f *Facts) hasKernelLog() bool {
	out, known := f.output(machine.KernelMessagesProbe)
	isThere := slices.ContainsFunc(machine.LogLines([]byte(out.Stdout)), func(line string) bool {
		return strings.ContainsFunc(line, isLatin)
	})
	if known && out.Exit == 0 && !isThere {
		f.unreadable[machine.KernelMessagesProbe.String()] = NoLog
	}
	return known && isThere && out.Exit == 0 && !out.isRefused()
}

func isLatin(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }
