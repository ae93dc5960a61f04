package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	usbKernel = command(`journalctl --no-pager -k -b -n 150 -g "usb|sd[a-z]|FAT-fs|EXT4-fs|exfat|ntfs|I/O error"`)
	usbDisks  = command(machine.VolumesProbe.String())
)

// volumeText names a USB disk or a partition of one.
func volumeText(v machine.BlockDevice) string {
	return strings.Join(nonEmpty("/dev/"+v.Name, v.Size, v.FSType, v.Label), " ")
}

// usbVolumes returns the USB disks with their partitions, whose names begin with the disk's.
func usbVolumes(all []machine.BlockDevice) []machine.BlockDevice {
	var out []machine.BlockDevice
	var disks []string
	for _, v := range all {
		switch {
		case quoteWord(v.Name) != v.Name:
			continue
		case v.Transport == "usb":
			disks = append(disks, v.Name)
		case !slices.ContainsFunc(disks, func(d string) bool { return v.Name != d && strings.HasPrefix(v.Name, d) }):
			continue
		}
		out = append(out, v)
	}
	return out
}

// usbTrouble returns the last kernel line about a failed device, and the kind of failure. A read error counts
// if it names one of the USB disks.
func usbTrouble(lines []string, disks []machine.BlockDevice) (line string, kind i18n.Text) {
	onUSB := func(low string) bool {
		return slices.ContainsFunc(disks, func(v machine.BlockDevice) bool { return strings.Contains(low, v.Name) })
	}
	for _, l := range slices.Backward(lines) {
		low := strings.ToLower(l)
		switch {
		case containsAny(low, "device descriptor read", "not accepting address", "unable to enumerate", "cannot enable"):
			return l, i18n.HelperUsbNoAnswer
		case containsAny(low, "over-current", "insufficient available bus power"):
			return l, i18n.HelperUsbPower
		case containsAny(low, "i/o error", "medium error", "fat-fs error", "ext4-fs error") && onUSB(low):
			return l, i18n.HelperUsbBroken
		}
	}
	return "", i18n.Text{}
}

func (q *inquiry) usbTrouble() (line string, kind i18n.Text) {
	return usbTrouble(logLines(q.stdout(usbKernel)), usbVolumes(read(machine.ParseBlockPairs, q.stdout(usbDisks))))
}

// usb checks the kernel's modules, the devices and the disks.
func (q *inquiry) usb() Reply {
	list := q.toolReply(q.first)
	f := q.firstBroken(q.staleKernel, q.usbStorage, func() *finding {
		line, kind := q.usbTrouble()
		if line == "" {
			return nil
		}
		return q.found(kind, q.complaintLine(line))
	})
	if len(q.needed) > 0 {
		return Reply{}
	}
	if f == nil {
		if q.isKernelSilent() {
			list.Text = joinBlocks(q.say(i18n.HelperUsbSilent), firstParagraph(list.Text))
			list.Offer = nil
		}
		return list
	}
	return f.reply()
}

// staleKernel reports a running kernel whose modules an update has removed.
func (q *inquiry) staleKernel() *finding {
	running := strings.TrimSpace(q.stdout(kernelInUse))
	trees := read(machine.ParseModuleTrees, q.stdout(kernelModules))
	if !machine.IsKernelRelease(running) || len(trees) == 0 || slices.Contains(trees, running) {
		return nil
	}
	f := q.found(i18n.HelperUsbOldKernel(running))
	f.note(q.say(i18n.HelperUsbKernelsThere(firstOf(trees, 4), running)))
	q.offerPower(f, false)
	return f
}

// usbStorage reports on a stick or disk: mounted, not mounted, or unreadable.
func (q *inquiry) usbStorage() *finding {
	disks := usbVolumes(read(machine.ParseBlockPairs, q.stdout(usbDisks)))
	volumes := filter(disks, func(v machine.BlockDevice) bool {
		return v.Type == "part" || v.FSType != "" || v.Mount != ""
	})
	bad, _ := q.usbTrouble()
	for _, v := range volumes {
		if v.FSType != "" && v.Mount == "" {
			return q.unmountedFinding(v, bad)
		}
	}
	switch {
	case bad != "":
		return nil
	case len(volumes) > 0 && volumes[0].Mount != "":
		return q.found(i18n.HelperUsbMounted(volumes[0].Mount), q.say(i18n.HelperUsbDisk(volumeText(volumes[0]))))
	case len(disks) > 0:
		return q.found(i18n.HelperUsbNoFs(volumeText(disks[0])), q.say(i18n.HelperUsbDisk(volumeText(disks[0]))))
	}
	return nil
}

// unmountedFinding offers to mount a volume. One that Windows left open is not forced.
func (q *inquiry) unmountedFinding(v machine.BlockDevice, bad string) *finding {
	f := q.found(i18n.HelperUsbUnmounted(volumeText(v)), q.say(i18n.HelperUsbDisk(volumeText(v))))
	for _, line := range logLines(q.stdout(usbKernel)) {
		if strings.Contains(line, "("+v.Name+")") && strings.Contains(line, "volume is dirty") {
			f.verdict, f.meaning = q.say(i18n.HelperUsbDirty(volumeText(v))), q.say(i18n.HelperUsbDirtyMeans)
			f.note(q.complaintLine(line))
			return q.proposeCommand(f, "sudo -n ntfsfix -d /dev/"+v.Name, i18n.HelperUsbAskNtfsFix)
		}
	}
	f.note(q.complaintLine(bad))
	return q.proposeCommand(f, "udisksctl mount -b /dev/"+v.Name, i18n.HelperUsbAskMount)
}

func (q *inquiry) complaintLine(line string) string {
	return q.fact(i18n.HelperUsbKernelLine, cutRunes(journalText(line), 120))
}

// isKernelSilent reports whether the kernel's log was read and mentions no USB storage.
func (q *inquiry) isKernelSilent() bool {
	step := q.output(usbKernel, "")
	return step != nil && isFullyRead(step) && !strings.Contains(step.Stdout, "usb-storage") && !strings.Contains(step.Stdout, "uas")
}

// unitLog returns the step that reads a unit's log since boot.
func (q *inquiry) unitLog(unit string) intent.Step {
	return intent.Call("read_logs", "unit", unit, "since", "boot")
}
