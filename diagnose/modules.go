package diagnose

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Modules is the question why a device is not recognised. The object is the device's name; the looks are the same
// without it.
func Modules() Topic {
	return Topic{ID: "modules", Object: ADevice, About: i18n.DiagnoseAboutModules, sound: stickWell, causes: []cause{
		{"kernel-replaced", kernelReplaced},
		{"blacklisted", blacklisted},
		{"firmware-missing", firmwareMissing},
		{"radio-blocked", radioBlocked},
		{"dkms-missing", dkmsMissing},
		{"over-current", overCurrent},
		{"cable", badCable},
		{"uas", uasAborts},
		{"stick-dirty", stickDirty},
		{"stick-unmounted", stickUnmounted},
		{"stick-failing", stickFailing},
		{"stick-empty", stickEmpty},
	}}
}

// common are the modules of common hardware, which no one misses by mistake.
var common = []string{
	"usb_storage", "uas", "btusb", "bluetooth", "uvcvideo", "snd_hda_intel", "snd_usb_audio", "iwlwifi", "ath9k",
	"ath10k_pci", "ath11k_pci", "r8169", "e1000e", "igb", "usbhid",
	"hid_generic", "psmouse", "i2c_hid_acpi", "xhci_pci", "rtw88_core", "rtw89_core", "mt7921e", "brcmfmac", "exfat",
	"ntfs3", "vfat", "fuse", "loop", "cdc_ether", "rndis_host", "joydev", "xpad",
}

// blacklisted finds that the administrator's settings keep a module of common hardware from loading.
func blacklisted(f *Facts) *Finding {
	look := machine.BlacklistProbe
	lines, _ := parse(f, look, machine.ParseConfigLines)
	loaded := machine.LoadedModules(f.stdout(machine.LoadedModulesProbe))
	for _, line := range lines {
		w := strings.Fields(line.Text)
		if len(w) < 2 || w[0] == "install" && (len(w) < 3 || !strings.HasSuffix(w[2], "/true") &&
			!strings.HasSuffix(w[2], "/false")) {
			continue
		}
		module := strings.ReplaceAll(plain(w[1]), "-", "_")
		if module == "" || len(loaded) == 0 || slices.Contains(loaded, module) || !slices.Contains(common, module) ||
			plain(line.File) != line.File {
			continue
		}
		found := proved(i18n.DeviceBlacklisted(module, line.File, w[0]), seeLine(look, line.File+": "+line.Text),
			see(machine.LoadedModulesProbe, i18n.DeviceNotLoaded(module)))
		about := i18n.DeviceBlacklistedGoal(module, line.File)
		word := plain(w[1])
		return found.offer(about, run(about, `sudo -n sed -i -E 's|^(\s*`+w[0]+`\s+`+word+`\b)|#\1|' `+line.File,
			"grep -n "+word+" "+line.File, "#",
			`sudo -n sed -i -E 's|^#(\s*`+w[0]+`\s+`+word+`\b)|\1|' `+line.File),
			run(i18n.DeviceLoad(module), "sudo -n modprobe "+module, "grep -w "+module+" /proc/modules", module,
				"sudo -n modprobe -r "+module))
	}
	return nil
}

var firmwareFile = form(`(?:firmware load for |failed to load firmware |firmware file )["']?([\w./+-]+\.[\w]+)`)

// firmwareMissing finds firmware that the kernel did not find and that is not installed.
func firmwareMissing(f *Facts) *Finding {
	line := f.logged("direct firmware load for")
	m := firmwareFile().FindStringSubmatch(line)
	if m == nil || plain(m[1]) == "" || !strings.Contains(line, "error -2") || strings.Contains(m[1], "..") {
		return nil
	}
	look := machine.FirmwareProbe(m[1])
	driver, _, _ := strings.Cut(line, " ")
	out, known := f.output(look)
	if !known || strings.TrimSpace(out.Stdout) != "" || f.logged("loaded firmware version") != "" &&
		strings.Contains(f.logged("loaded firmware version"), driver) {
		return nil
	}
	name := machine.FirmwarePackage(m[1])
	if name == "" {
		return proved(i18n.DeviceFirmware(driver, m[1]), seeLine(machine.KernelMessagesProbe, line),
			see(look, i18n.StartAbsentSeen)).advise(i18n.DeviceFirmwareAdvice(m[1]))
	}
	has := machine.InstalledProbe(name)
	if out, known = f.output(has); !known || out.Exit == 0 {
		return likely(i18n.DeviceFirmwareLikely(driver, m[1]), seeLine(machine.KernelMessagesProbe, line)).
			advise(i18n.DeviceFirmwareAdvice(m[1]))
	}
	return proved(i18n.DeviceFirmwarePackage(driver, m[1], name), seeLine(machine.KernelMessagesProbe, line),
		see(look, i18n.StartAbsentSeen), see(has, i18n.StartAbsentPackage(name))).
		offer(i18n.MountHelperGoal(name), install(i18n.MountHelperGoal(name), name))
}

// radioBlocked finds a transmitter that is switched off.
func radioBlocked(f *Facts) *Finding {
	look := machine.BlockedRadiosProbe
	radios, _ := parse(f, look, machine.ParseRadios)
	for _, r := range radios {
		isAsked := r.Kind == "bluetooth" && f.mentions(i18n.DiagnoseWordsBluetooth) || r.Kind == "wlan" &&
			f.mentions(i18n.DiagnoseWordsWifi)
		switch {
		case !isAsked || !r.Hard && !r.Soft:
		case r.Hard:
			return proved(i18n.DeviceHard(r.Kind, r.ID), seeLine(look, r.ID+" hard:1")).advise(i18n.DeviceHardAdvice)
		default:
			about := i18n.DeviceSoftGoal(r.Kind)
			return proved(i18n.DeviceSoft(r.Kind, r.ID), seeLine(look, r.ID+" soft:1")).
				offer(about, run(about, "rfkill unblock "+r.Kind, "grep -h . /sys/class/rfkill/"+plain(r.ID)+"/soft", "0",
					"rfkill block "+r.Kind))
		}
	}
	return nil
}

// overCurrent finds a USB port that was switched off because of too much current.
func overCurrent(f *Facts) *Finding {
	line := f.logged("over-current condition", "over-current change")
	if line == "" {
		return nil
	}
	return proved(i18n.DeviceCurrent, seeLine(machine.KernelMessagesProbe, line)).advise(i18n.DeviceCurrentAdvice)
}

// badCable finds a USB device that does not answer.
func badCable(f *Facts) *Finding {
	line := f.logged("device descriptor read/", "unable to enumerate usb device", "device not accepting address")
	if line == "" {
		return nil
	}
	return likely(i18n.DeviceCable, seeLine(machine.KernelMessagesProbe, line)).advise(i18n.DeviceCableAdvice)
}

// uasAborts finds a USB disk that does not work with the driver uas.
func uasAborts(f *Facts) *Finding {
	line := f.logged("uas_eh_abort_handler", "uas_eh_device_reset_handler")
	if line == "" {
		return nil
	}
	return likely(i18n.DeviceUas, seeLine(machine.KernelMessagesProbe, line)).advise(i18n.DeviceUasAdvice)
}

// sticks returns the USB disks with their partitions, if the question is about USB. A stick that is not mounted is no
// fault
// otherwise.
func (f *Facts) sticks() []machine.BlockDevice {
	if !f.mentions(i18n.DiagnoseWordsUsb) {
		return nil
	}
	all, _ := parse(f, machine.VolumesProbe, machine.ParseBlockPairs)
	return machine.USBVolumes(all)
}

// unmountedStick returns a USB volume with a file system that is not mounted.
func (f *Facts) unmountedStick() (v machine.BlockDevice, ok bool) {
	all := f.sticks()
	i := slices.IndexFunc(all, func(v machine.BlockDevice) bool { return v.FSType != "" && v.Mount == "" })
	if i < 0 {
		return v, false
	}
	return all[i], true
}

// stickDirty finds a stick that Windows did not close: Linux, fs/ntfs3/super.c.
func stickDirty(f *Facts) *Finding {
	v, ok := f.unmountedStick()
	line := f.logged("volume is dirty")
	if !ok || !strings.Contains(line, "("+v.Name+")") {
		return nil
	}
	found := proved(i18n.DeviceDirty(v.Title()), seeLine(machine.VolumesProbe, v.Title()),
		seeLine(machine.KernelMessagesProbe, line)).advise(i18n.DeviceDirtyAdvice).
		offer(i18n.DeviceDirtyGoal, run(i18n.DeviceDirtyGoal, "sudo -n ntfsfix -d /dev/"+v.Name, "", "", ""))
	found.Repair.Ask = i18n.DeviceDirtyAsk
	return found
}

func stickUnmounted(f *Facts) *Finding {
	v, ok := f.unmountedStick()
	if !ok || stickDirty(f) != nil {
		return nil
	}
	goal, device := i18n.DeviceMountGoal(v.Name), "/dev/"+v.Name
	return proved(i18n.DeviceUnmounted(v.Title()), seeLine(machine.VolumesProbe, v.Title())).
		offer(goal, run(goal, "udisksctl mount -b "+device, "findmnt -n -o TARGET "+device, "/",
			"udisksctl unmount -b "+device))
}

// stickFailing finds errors of reading a USB disk that the kernel logged.
func stickFailing(f *Facts) *Finding {
	line := f.logged("i/o error", "medium error", "fat-fs error", "ext4-fs error")
	if !slices.ContainsFunc(f.sticks(), func(v machine.BlockDevice) bool { return strings.Contains(line, v.Name) }) {
		return nil
	}
	return likely(i18n.DeviceFailing, seeLine(machine.KernelMessagesProbe, line))
}

// stickEmpty finds a USB disk without any file system.
func stickEmpty(f *Facts) *Finding {
	all := f.sticks()
	if len(all) == 0 || stickFailing(f) != nil || slices.ContainsFunc(all,
		func(v machine.BlockDevice) bool { return v.FSType != "" || v.Mount != "" }) {
		return nil
	}
	return proved(i18n.DeviceEmpty(all[0].Title()), seeLine(machine.VolumesProbe, all[0].Title()))
}

// stickWell says where a USB disk can be opened, or that none was plugged in.
func stickWell(f *Facts) *Finding {
	all := f.sticks()
	if i := slices.IndexFunc(all, func(v machine.BlockDevice) bool { return v.Mount != "" }); i >= 0 {
		return likely(i18n.DeviceMounted(machine.CleanLine(all[i].Mount)), seeLine(machine.VolumesProbe, all[i].Title()))
	}
	out, known := f.output(machine.KernelMessagesProbe)
	if !known || out.Exit != 0 || out.Cut || out.Stderr != "" || !f.mentions(i18n.DiagnoseWordsUsb) ||
		f.logged("usb-storage", "uas") != "" || !strings.Contains(out.Stdout, "usb") {
		return nil
	}
	return likely(i18n.DeviceSilent, see(machine.KernelMessagesProbe, i18n.DesktopNone))
}
