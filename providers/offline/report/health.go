package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
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

// isVirtual reports whether the disk belongs to a virtual machine.
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

// worstFault reports the worst known fault.
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
		return &finding{verdict: q.say(i18n.HelperHealthMedia(disk))}
	case faultStructure:
		return &finding{verdict: q.say(i18n.HelperHealthStructure(disk))}
	case faultLink:
		return &finding{verdict: q.say(i18n.HelperHealthLink(disk))}
	}
	return &finding{verdict: q.say(i18n.HelperHealthWasReadOnly)}
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
	var out []string
	for _, m := range readOnlyMounts(read(machine.ParseMounts, q.stdout(mountList))) {
		if !hasMountError(m) && len(out) < 3 {
			out = append(out, q.say(i18n.HelperHealthMounted(m.Target)))
		}
	}
	return out
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
