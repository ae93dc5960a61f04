package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	bluezState    = unitStateStep(false, "bluetooth")
	adapter       = command(machine.BluetoothProbe.String())
	knownDevices  = command(machine.BluetoothDevicesProbe.String())
	linkedDevices = command(machine.ConnectedDevicesProbe.String())
	bluezLog      = command("journalctl --no-pager -b -n 100 -u bluetooth")
)

// bluetooth checks the service, the radio, the adapter, then the devices. bluetoothctl hangs if the service
// does not run, so the adapter is queried only if it does.
func (q *inquiry) bluetooth() Reply {
	if q.output(bluezState, "") == nil {
		return q.toolReply(q.first)
	}
	f := q.firstBroken(q.bluezService, q.bluezRadio, q.bluezAdapter, q.bluezDevices)
	if f != nil && f.verdict == "" {
		return q.toolReply(q.first)
	}
	return f.reply()
}

func (q *inquiry) bluezService() *finding {
	state := unitStates(q.anyStdout(bluezState), "bluetooth")["bluetooth"]
	first := q.output(q.first, "")
	switch {
	case first != nil && strings.Contains(first.Stderr+first.Stdout, "could not be found"):
		return q.proposeInstall(q.found(i18n.HelperBluetoothBluezMissing), "bluez bluez-utils")
	case state == "":
		return &finding{}
	case state != "active" && state != "reloading":
		return q.found(i18n.HelperBluetoothBluezOff, q.say(i18n.HelperBluetoothBluezLine(state))).
			propose(intent.Call("manage_service", "action", "start", "name", "bluetooth"),
				q.say(i18n.HelperBluetoothAskStartBluez))
	}
	return nil
}

func (q *inquiry) bluezRadio() *finding {
	return q.radioOff("bluetooth", "rfkill unblock bluetooth", i18n.HelperRadioBluetoothHard, i18n.HelperRadioBluetoothSoft)
}

func (q *inquiry) bluezAdapter() *finding {
	if !q.collect(adapter, knownDevices, linkedDevices, bluezLog) {
		return nil
	}
	step := q.output(adapter, "")
	switch {
	case step == nil:
		return &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.resultOf(adapter).missing()}}
	case strings.Contains(step.Stdout+step.Stderr, "No default controller"):
		return q.found(i18n.HelperBluetoothNoAdapter, q.say(i18n.HelperBluetoothNoAdapterLine)).
			propose(intent.Call("read_logs", "since", "boot", "grep", "bluetooth"), q.say(i18n.HelperBluetoothAskBluezKernel))
	}
	switch powered := read(machine.ParseFields, step.Stdout)["Powered"]; powered {
	case "no":
		return q.found(i18n.HelperBluetoothAdapterOff, q.say(i18n.HelperBluetoothAdapterLine(q.say(i18n.HelperRadioIsNot)))).
			propose(command("bluetoothctl power on"), q.say(i18n.HelperBluetoothAskPowerOn))
	case "":
		return &finding{verdict: q.toolReply(q.first).Text, evidence: []string{q.say(i18n.HelperBluetoothAdapterUnseen)}}
	}
	return nil
}

func (q *inquiry) bluezDevices() *finding {
	known := read(machine.ParseBluetoothDevices, q.stdout(knownDevices))
	linked := read(machine.ParseBluetoothDevices, q.stdout(linkedDevices))
	name := func(d machine.BluetoothDevice) string { return d.Name }
	f := &finding{evidence: []string{q.say(i18n.HelperBluetoothAdapterLine(q.say(i18n.HelperRadioIs)))}}
	switch {
	case len(linked) > 0:
		f.verdict = q.say(i18n.HelperBluetoothBluezConnected(names(linked, 5, name)))
		f.note(q.say(i18n.HelperBluetoothKnownDevices(names(known, 5, name))))
	case !q.isDeviceList(knownDevices) || !q.isDeviceList(linkedDevices):
		f.verdict = q.say(i18n.HelperBluetoothGadgetsUnseen)
		return f
	case len(known) == 0:
		f.verdict, f.meaning = q.say(i18n.HelperBluetoothNoneKnown), q.say(i18n.HelperBluetoothPairFirst)
		return f
	default:
		f.verdict = q.say(i18n.HelperBluetoothNoneConnected)
		f.note(q.say(i18n.HelperBluetoothKnownDevices(names(known, 5, name))))
		connect := "bluetoothctl connect " + known[0].Address
		f.propose(command(connect), q.say(i18n.HelperBluetoothAskConnectDevice(known[0].Name, connect)))
	}
	q.bluezTrouble(f)
	return f
}

// isDeviceList reports whether a step printed a list of devices, possibly empty.
func (q *inquiry) isDeviceList(s intent.Step) bool {
	step := q.output(s, "")
	if step == nil || step.Exit != 0 || step.TimedOut {
		return false
	}
	return !slices.ContainsFunc(machine.Lines(step.Stdout), func(l string) bool { return !strings.Contains(l, "Device ") })
}

// bluezTrouble adds the worst line of the service's log and its meaning.
func (q *inquiry) bluezTrouble(f *finding) {
	for _, g := range groupLines(logLines(q.stdout(bluezLog)), 2) {
		if g.source != "bluetoothd" {
			continue
		}
		text := cutRunes(g.text, 120)
		if g.count > 1 {
			text = q.say(i18n.HelperBluetoothBluezLogTimes(text, g.count))
		}
		f.note(q.say(i18n.HelperBluetoothBluezLog(text)))
		switch low := strings.ToLower(g.text); {
		case strings.Contains(low, "protocol not available"):
			f.meaning = q.say(i18n.HelperBluetoothMeansAudio)
			restart := "systemctl --user restart wireplumber pipewire pipewire-pulse"
			f.propose(command(restart), q.say(i18n.HelperSoundAskRestartSound(restart)))
		case containsAny(low, "host is down", "page-timeout"):
			f.meaning = q.say(i18n.HelperBluetoothMeansAsleep)
		case containsAny(low, "authentication", "key missing", "permission denied"):
			f.meaning = q.say(i18n.HelperBluetoothMeansRepair)
		}
		return
	}
}

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
