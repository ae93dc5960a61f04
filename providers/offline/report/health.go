package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	diskList   = command(machine.DrivesProbe.String())
	diskFaults = command("journalctl -k -b --no-pager -n 300 -g '" + diskFaultPattern + "'")
	mountList  = command(machine.MountsProbe.String())
	smartTool  = command("pacman -Q smartmontools")
)

// diskFaultPattern matches the lines in faultSigns. journalctl ignores case if the pattern is lower case.
const diskFaultPattern = "i/o error|medium error|unrecovered read|critical target|unc }|(ext4|btrfs|fat|f2fs|xfs).*(error|critical|corrupt|csum|checksum|recommended|shut)|read-?only|resetting link|reset controller|will reset|not ready; abort|timeout, abort|reset failure|probe failure"

func driveText(d machine.BlockDevice) string {
	kind := ""
	switch {
	case d.Transport == "usb":
		kind = "USB"
	case !isVirtual(d):
		kind = map[string]string{"0": "SSD", "1": "HDD"}[d.Rotational]
	}
	return strings.Join(nonEmpty(d.Name, d.Size, cutRunes(d.Model, 40), kind), " ")
}

func isVirtual(d machine.BlockDevice) bool {
	return d.Transport == "virtio" || strings.HasPrefix(d.Name, "vd") || strings.HasPrefix(d.Name, "xvd") || containsAny(d.Model, "QEMU", "VBOX", "VMware", "Virtual")
}

// drivesOf returns the whole disks of lsblk -d -P, without memory and images.
func drivesOf(text string) []machine.BlockDevice {
	return slices.DeleteFunc(read(machine.ParseBlockPairs, text), func(d machine.BlockDevice) bool {
		return d.Type != "disk" || quoteWord(d.Name) != d.Name || strings.HasPrefix(d.Name, "zram") || d.Size == "0B"
	})
}

// health reports what is known about the disks without administrator rights: the kernel's errors and read-only
// mounts. It offers to read the disk's SMART record.
func (q *inquiry) health() Reply {
	drives, seen := drivesOf(q.stdout(diskList)), q.diskLog()
	if len(drives) == 0 && seen == nil {
		rep := q.toolReply(q.first)
		rep.Text = joinBlocks(q.say(i18n.HelperHealthUnseen), rep.Text)
		return rep
	}
	if rep, absent := q.noSuchDrive(drives); absent {
		return rep
	}
	drives = q.askedDrives(drives)
	faults := q.faultsOf(drives, parseFaults(seen))
	f := q.worstFault(faults)
	f.note(q.faultLines(faults)...)
	f.note(q.readOnlyNotes(faults)...)
	f.note(q.driveLine(drives))
	q.offerSmart(f, drives, faults)
	return f.reply()
}

// diskLog returns the kernel's log lines about disks, nil if the log could not be read in full.
func (q *inquiry) diskLog() []string {
	s := q.output(diskFaults, "")
	if s == nil {
		return nil
	}
	lines := logLines(s.Stdout)
	if !isFullyRead(s) && len(parseFaults(lines)) == 0 {
		return nil
	}
	return append([]string{}, lines...)
}

func (q *inquiry) worstFault(faults []diskFault) *finding {
	for _, m := range readOnlyMounts(read(machine.ParseMounts, q.stdout(mountList))) {
		if hasMountError(m) || len(faults) > 0 && faults[0].kind == faultReadOnly {
			return &finding{verdict: q.say(i18n.HelperHealthReadOnly(m.Target))}
		}
	}
	if len(faults) == 0 {
		text := i18n.HelperHealthQuiet
		if q.diskLog() == nil {
			text = i18n.HelperHealthUnseen
		}
		return &finding{verdict: q.say(text)}
	}
	disk := cmp.Or(faults[0].disk, q.say(i18n.HelperHealthBus))
	switch faults[0].kind {
	case faultMedia:
		return q.found(i18n.HelperHealthMedia(disk))
	case faultStructure:
		return q.found(i18n.HelperHealthStructure(disk))
	case faultLink:
		return q.found(i18n.HelperHealthLink(disk))
	}
	return q.found(i18n.HelperHealthWasReadOnly)
}

// faultLines formats the last line of each of the worst faults.
func (q *inquiry) faultLines(faults []diskFault) []string {
	var out []string
	for _, f := range faults {
		if len(out) == 2 || strings.HasPrefix(f.disk, "ata") && f.kind == faults[0].kind && f.disk != faults[0].disk {
			continue // the port of a disk that is listed already
		}
		text := cutRunes(journalText(f.line), 120)
		if when := timestampOf(f.line); when != "" {
			text = when + " " + text
		}
		out = append(out, q.say(i18n.HelperHealthFault(f.count, text)))
	}
	return out
}

// readOnlyNotes lists read-only mounts without a kernel error.
func (q *inquiry) readOnlyNotes(faults []diskFault) []string {
	if len(faults) > 0 && faults[0].kind == faultReadOnly {
		return nil
	}
	all := readOnlyMounts(read(machine.ParseMounts, q.stdout(mountList)))
	mounts := filter(all, func(m machine.Mount) bool { return !hasMountError(m) })
	return each(mounts[:min(3, len(mounts))],
		func(m machine.Mount) string { return q.say(i18n.HelperHealthMounted(m.Target)) })
}

func (q *inquiry) driveLine(drives []machine.BlockDevice) string {
	names := each(drives[:min(5, len(drives))], driveText)
	if len(names) == 0 {
		return q.say(i18n.HelperHealthNoDisks)
	}
	return q.say(i18n.HelperHealthDisks(strings.Join(names, ", ")))
}

// offerSmart proposes to read the SMART record of the worst disk, or else of the first internal one.
func (q *inquiry) offerSmart(f *finding, drives []machine.BlockDevice, faults []diskFault) {
	real := slices.DeleteFunc(slices.Clone(drives), isVirtual)
	switch {
	case len(drives) == 0:
		return
	case len(real) == 0:
		f.meaning = q.say(i18n.HelperHealthVirtual)
		return
	}
	f.meaning = q.say(i18n.HelperHealthSmart)
	if s := q.output(smartTool, ""); s != nil && strings.Contains(s.Stderr, "was not found") {
		f.propose(intent.Call("install_package", "name", "smartmontools"), q.say(i18n.HelperHealthAskHealthTool))
		return
	}
	disk := q.namedDrive(real)
	if disk == "" {
		disk = suspectDrive(real, faults)
	}
	f.propose(smartStep(disk), q.say(i18n.HelperHealthAskHealth(disk, smartCommand(disk))))
}

// namedDrive returns the disk whose path the question names, "" for none.
func (q *inquiry) namedDrive(drives []machine.BlockDevice) string {
	if q.Request == nil {
		return ""
	}
	for _, d := range drives {
		if path := q.Request.Path(); path == "/dev/"+d.Name || strings.HasPrefix(path, "/dev/"+d.Name) && namedDisk(path) == d.Name {
			return d.Name
		}
	}
	return ""
}

// suspectDrive returns the disk of the worst fault, or else the first one that is not on USB.
func suspectDrive(drives []machine.BlockDevice, faults []diskFault) string {
	for _, f := range faults {
		for _, d := range drives {
			if f.disk == d.Name || f.disk != "" && strings.HasPrefix(d.Name, f.disk+"n") {
				return d.Name
			}
		}
	}
	if i := slices.IndexFunc(drives, func(d machine.BlockDevice) bool { return d.Transport != "usb" }); i >= 0 {
		return drives[i].Name
	}
	return drives[0].Name
}

// What the kernel reports about a disk, from the mildest to the worst.
const (
	faultLink      = iota + 1 // no response, link reset
	faultStructure            // the file system on it is damaged
	faultMedia                // reading or writing failed
	faultReadOnly             // remounted read-only
)

// diskFault collects the kernel's lines of one kind about one disk.
type diskFault struct {
	kind  int
	disk  string // "sda", "nvme0n1", "ata1"; "" if the line names none
	line  string // the last line
	count int
}

var faultSigns = []struct {
	kind  int
	signs []string
}{
	{faultReadOnly, []string{"remounting filesystem read-only", "forced readonly", "shutting down filesystem"}},
	{faultMedia, []string{"i/o error", "medium error", "unrecovered read error", "{ unc }", "critical target error", "disabling device after reset failure", "removing after probe failure"}},
	{faultStructure, []string{"ext4-fs error", "btrfs error", "btrfs critical", "csum failed", "checksum verify failed", "metadata corruption", "metadata i/o error", "fat-fs error", "f2fs-fs error", "running e2fsck is recommended"}},
	{faultLink, []string{"hard resetting link", "reset controller", "controller is down; will reset", "device not ready; aborting", "timeout, aborting"}},
}

// faultName finds the disk that a line names, without its partition.
var faultName = pattern(`\b(?:(sd[a-z]{1,2})\d*|(nvme\d+(?:n\d+)?)(?:p\d+)?|(mmcblk\d+)(?:p\d+)?|(vd[a-z])\d*|(dm-\d+)|(ata\d+)(?:\.\d+)?)\b`)

func faultKind(line string) int {
	low := strings.ToLower(line)
	for _, f := range faultSigns {
		if containsAny(low, f.signs...) {
			return f.kind
		}
	}
	return 0
}

// namedDisk returns the disk that a line names, "" for none.
func namedDisk(line string) string {
	m := faultName().FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return cmp.Or(m[1:]...)
}

// parseFaults parses the kernel's log. The worst kind comes first, then the most frequent.
func parseFaults(lines []string) []diskFault {
	var out []diskFault
	for _, line := range lines {
		text := journalText(line)
		kind := faultKind(text)
		if kind == 0 {
			continue
		}
		disk := namedDisk(text)
		i := slices.IndexFunc(out, func(f diskFault) bool { return f.kind == kind && f.disk == disk })
		if i < 0 {
			i, out = len(out), append(out, diskFault{kind: kind, disk: disk})
		}
		out[i].line = line
		out[i].count++
	}
	sorting.Stably(out, func(a, b diskFault) int {
		return cmp.Or(-cmp.Compare(a.kind, b.kind), cmp.Compare(a.portRank(), b.portRank()), -cmp.Compare(a.count, b.count))
	})
	return out
}

// portRank sorts disks before the ports they are attached to.
func (f diskFault) portRank() int {
	if f.disk == "" || strings.HasPrefix(f.disk, "ata") {
		return 1
	}
	return 0
}

// journalText returns a journal line without time, host and source.
func journalText(line string) string {
	if _, text, ok := machine.SplitLogLine(line); ok {
		return text
	}
	return line
}

// readOnlyMedia are file systems that are always read-only.
var readOnlyMedia = set("iso9660", "udf", "squashfs", "erofs", "cramfs", "romfs")

// hasMountError reports whether the kernel remounted a file system read-only after an error.
func hasMountError(m machine.Mount) bool {
	return slices.Contains(m.Options, "emergency_ro") || slices.Contains(m.Options, "shutdown")
}

// readOnlyMounts returns the disks that are mounted read-only, each once: bind mounts repeat a device.
func readOnlyMounts(all []machine.Mount) []machine.Mount {
	var out []machine.Mount
	for _, m := range all {
		switch {
		case !strings.HasPrefix(m.Source, "/dev/") || strings.HasPrefix(m.Source, "/dev/loop") || readOnlyMedia[m.Type]:
		case !hasMountError(m) && !slices.Contains(m.Options, "ro"):
		case slices.ContainsFunc(out, func(o machine.Mount) bool { return o.Source == m.Source }):
		default:
			out = append(out, m)
		}
	}
	return out
}

func smartCommand(disk string) string { return "sudo -n smartctl -H -A /dev/" + disk }

// smartStep reads a disk's own verdict and values.
func smartStep(disk string) intent.Step { return command(smartCommand(disk)) }

// smartVerdict returns the verdict on the record, worst first.
func smartVerdict(rec machine.SmartRecord) func(disk string) i18n.Text {
	worn := rec.Used >= 90 || rec.Left != machine.SmartUnknown && rec.Left <= 10 || rec.Spare != machine.SmartUnknown && rec.SpareLimit != machine.SmartUnknown && rec.Spare <= rec.SpareLimit
	switch {
	case strings.HasPrefix(rec.Verdict, "FAIL"):
		return i18n.HelperSmartFailed
	case rec.Verdict != "PASSED":
		return i18n.HelperSmartNoWord
	case rec.Pending > 0 || rec.Lost > 0:
		return i18n.HelperSmartUnread
	case worn || rec.Warning != "":
		return i18n.HelperSmartSpent
	case rec.Reallocated > 0:
		return i18n.HelperSmartPatched
	case rec.Reallocated == machine.SmartUnknown && rec.Pending == machine.SmartUnknown && rec.Lost == machine.SmartUnknown:
		return i18n.HelperSmartPassed
	}
	return i18n.HelperSmartFine
}

func (r *result) smartFacts(rec machine.SmartRecord) []string {
	fact := func(value int, text func(int) i18n.Text) string {
		return r.sayIf(value != machine.SmartUnknown, text(value))
	}
	sectors := rec.Reallocated != machine.SmartUnknown && rec.Pending != machine.SmartUnknown
	spare := rec.Spare != machine.SmartUnknown && rec.SpareLimit != machine.SmartUnknown
	years := rec.Hours >= 8760
	return nonEmpty(
		r.sayIf(sectors, i18n.HelperSmartSectors(rec.Reallocated, rec.Pending)),
		fact(rec.Lost, i18n.HelperSmartLost),
		r.fact(i18n.HelperSmartWarning, rec.Warning),
		fact(rec.Used, i18n.HelperSmartWear),
		fact(rec.Left, i18n.HelperSmartLeft),
		r.sayIf(spare, i18n.HelperSmartSpare(rec.Spare, rec.SpareLimit)),
		r.sayIf(rec.Cable > 0, i18n.HelperSmartCable(rec.Cable)),
		r.sayIf(years, i18n.HelperSmartYears(groupDigits(rec.Hours), float64(rec.Hours)/8760)),
		r.sayIf(!years && rec.Hours != machine.SmartUnknown, i18n.HelperSmartHours(groupDigits(rec.Hours))),
		fact(rec.Heat, i18n.HelperSmartHeat),
	)
}

// smart reports smartctl's output. Its exit status is a set of flags, most of which describe the disk and not
// the command.
func (r *result) smart(s *providers.Step) Reply {
	words := strings.Fields(s.Command)
	disk := words[len(words)-1]
	if rec, ok := tryRead(machine.ParseSmart, s.Stdout); ok {
		return Reply{Text: joinBlocks(r.say(smartVerdict(rec)(disk)), bullets(r.smartFacts(rec)))}
	}
	printed := s.Stdout + "\n" + s.Stderr
	switch {
	case strings.Contains(printed, "smartctl: command not found") || s.MissingProgram == "smartctl":
		step := intent.Call("install_package", "name", "smartmontools")
		return Reply{Text: r.say(i18n.HelperSmartAskInstallSmart), Offer: &step}
	case strings.Contains(printed, "USB bridge") && quoteWord(disk) == disk && !strings.Contains(s.Command, " -d "):
		again := fmt.Sprintf("sudo -n smartctl -d sat -H -A %s", disk)
		return Reply{Text: r.say(i18n.HelperSmartBridge(disk))}.
			offering(command(again), r.say(i18n.HelperSmartAskSmartBridge(again)))
	case containsAny(printed, "Unable to detect device type", "SMART support is: Unavailable",
		"device lacks SMART capability", "USB bridge"):
		return Reply{Text: r.say(i18n.HelperSmartNone(disk))}
	case containsAny(printed, "No such device", "open device"):
		return Reply{Text: joinBlocks(r.say(i18n.HelperSmartOpenFail(disk)), quote(essentialLines(printed, 2)))}
	}
	return Reply{}
}

func isSmart(command string) bool {
	return strings.HasPrefix(actionSudo().ReplaceAllString(command, ""), "smartctl ")
}
