package report

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	runningKernel = command("uname -r")
	moduleTrees   = command("ls /usr/lib/modules")
	usbKernel     = command(`journalctl --no-pager -k -b -n 150 -g "usb|sd[a-z]|FAT-fs|EXT4-fs|exfat|ntfs|I/O error"`)
	usbDisks      = command("lsblk -P -o NAME,SIZE,TYPE,TRAN,FSTYPE,LABEL,MOUNTPOINT")
)

// usbVolume is a USB disk or a partition of one.
type usbVolume struct{ name, size, kind, fsType, label, mount string }

func (v usbVolume) String() string {
	return strings.Join(nonEmpty("/dev/"+v.name, v.size, v.fsType, v.label), " ")
}

var pairForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([A-Z]+)="([^"]*)"`) })

// parseUSBDisks parses lsblk -P and returns the USB disks with their partitions, whose names begin with the
// disk's.
func parseUSBDisks(text string) []usbVolume {
	var out []usbVolume
	var disks []string
	for _, line := range outputLines(text) {
		m := map[string]string{}
		for _, p := range pairForm().FindAllStringSubmatch(line, -1) {
			m[p[1]] = cutRunes(p[2], 60)
		}
		name := m["NAME"]
		switch {
		case name == "" || quoteWord(name) != name:
			continue
		case m["TRAN"] == "usb":
			disks = append(disks, name)
		case !slices.ContainsFunc(disks, func(d string) bool { return name != d && strings.HasPrefix(name, d) }):
			continue
		}
		out = append(out, usbVolume{name, m["SIZE"], m["TYPE"], m["FSTYPE"], m["LABEL"], m["MOUNTPOINT"]})
	}
	return out
}

// usbTrouble returns the last kernel line about a failed device, and the kind of failure. A read error counts
// if it names one of the USB disks.
func usbTrouble(lines []string, disks []usbVolume) (line string, kind i18n.Text) {
	onUSB := func(low string) bool {
		return slices.ContainsFunc(disks, func(v usbVolume) bool { return strings.Contains(low, v.name) })
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
	return usbTrouble(journalLines(q.stdout(usbKernel)), parseUSBDisks(q.stdout(usbDisks)))
}

// usb checks the kernel's modules, the devices and the disks.
func (q *inquiry) usb() Reply {
	if !q.collect(q.first, runningKernel, moduleTrees, usbKernel, usbDisks) {
		return Reply{}
	}
	list := q.toolReply(q.first)
	f := q.firstBroken(q.staleKernel, q.usbStorage, q.usbComplaint)
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

func firstParagraph(s string) string {
	head, _, _ := strings.Cut(s, "\n\n")
	return head
}

// staleKernel reports a running kernel whose modules an update has removed.
func (q *inquiry) staleKernel() *finding {
	running := strings.TrimSpace(q.stdout(runningKernel))
	trees := slices.DeleteFunc(strings.Fields(q.stdout(moduleTrees)), func(f string) bool { return !kernelRelease().MatchString(f) })
	if !kernelRelease().MatchString(running) || len(trees) == 0 || slices.Contains(trees, running) {
		return nil
	}
	f := &finding{verdict: q.say(i18n.HelperUsbOldKernel(running))}
	f.note(q.say(i18n.HelperUsbKernelsThere(strings.Join(trees[:min(4, len(trees))], ", "), running)))
	q.offerPower(f, false)
	return f
}

// usbStorage reports on a stick or disk: mounted, not mounted, or unreadable.
func (q *inquiry) usbStorage() *finding {
	var volumes []usbVolume
	for _, v := range parseUSBDisks(q.stdout(usbDisks)) {
		if v.kind == "part" || v.fsType != "" || v.mount != "" {
			volumes = append(volumes, v)
		}
	}
	bad, _ := q.usbTrouble()
	for _, v := range volumes {
		if v.fsType != "" && v.mount == "" {
			return q.unmountedFinding(v, bad)
		}
	}
	switch {
	case bad != "":
		return nil
	case len(volumes) > 0 && volumes[0].mount != "":
		return &finding{verdict: q.say(i18n.HelperUsbMounted(volumes[0].mount)), evidence: []string{q.say(i18n.HelperUsbDisk(volumes[0].String()))}}
	}
	if disks := parseUSBDisks(q.stdout(usbDisks)); len(disks) > 0 {
		return &finding{verdict: q.say(i18n.HelperUsbNoFs(disks[0].String())), evidence: []string{q.say(i18n.HelperUsbDisk(disks[0].String()))}}
	}
	return nil
}

// unmountedFinding offers to mount a volume. One that Windows left open is not forced.
func (q *inquiry) unmountedFinding(v usbVolume, bad string) *finding {
	f := &finding{verdict: q.say(i18n.HelperUsbUnmounted(v.String())), evidence: []string{q.say(i18n.HelperUsbDisk(v.String()))}}
	for _, line := range journalLines(q.stdout(usbKernel)) {
		if strings.Contains(line, "("+v.name+")") && strings.Contains(line, "volume is dirty") {
			unmark := "sudo -n ntfsfix -d /dev/" + v.name
			f.verdict, f.meaning = q.say(i18n.HelperUsbDirty(v.String())), q.say(i18n.HelperUsbDirtyMeans)
			f.note(q.complaintLine(line)...)
			f.propose(command(unmark), q.say(i18n.HelperUsbAskNtfsFix(unmark)))
			return f
		}
	}
	f.note(q.complaintLine(bad)...)
	mount := "udisksctl mount -b /dev/" + v.name
	f.propose(command(mount), q.say(i18n.HelperUsbAskMount(mount)))
	return f
}

func (q *inquiry) complaintLine(line string) []string {
	if line == "" {
		return nil
	}
	if m := journalRegexps().prefix.FindStringSubmatch(line); m != nil {
		line = m[2]
	}
	return []string{q.say(i18n.HelperUsbKernelLine(cutRunes(line, 120)))}
}

func (q *inquiry) usbComplaint() *finding {
	line, kind := q.usbTrouble()
	if line == "" {
		return nil
	}
	return &finding{verdict: q.say(kind), evidence: q.complaintLine(line)}
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
