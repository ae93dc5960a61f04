package plan

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// deviceSettings are those of printers, Bluetooth and disks.
func deviceSettings() []setting {
	return []setting{
		// cupsenable(8); lpstat(1), "-p".
		{
			verb: "setting", name: "printer", isTarget: isPrinter,
			value: oneOf("enabled enable on", "disabled disable off"),
			setters: []setter{{
				forms: []form{{"cupsenable TARGET", "enabled"}, {"cupsdisable TARGET", "disabled"}}, root: true,
				look: machine.PrinterProbe, read: readPrinter,
			}},
		},
		// bluetoothctl(1), "power", "show".
		{
			verb: "bluetooth", name: "bluetooth", value: onOff,
			setters: []setter{{
				forms: []form{{words: "bluetoothctl power VALUE"}},
				look:  fixed(machine.BluetoothProbe), read: readBluetooth,
			}},
		},
		// rfkill(8), and sysfs-class-rfkill of the kernel's ABI.
		{
			verb: "bluetooth", name: "bluetooth-radio", value: onOff,
			setters: []setter{rfkill("bluetooth", "bluetooth")},
		},
		// udisksctl(1), mount(8), umount(8); findmnt(8), "--json".
		{
			verb: "mount", name: "mount", isTarget: isPath, back: mountBack,
			value: oneOf("mounted mount on", "unmounted unmount umount off"),
			setters: []setter{{
				forms: []form{
					{"udisksctl mount -b|--block-device TARGET", "mounted"},
					{"udisksctl unmount -b|--block-device TARGET", "unmounted"},
				},
				options: []string{"--no-user-interaction"}, isTarget: isDevice, look: lookAtMount, read: readMount,
			}, {
				forms: []form{{"mount TARGET", "mounted"}, {"umount TARGET", "unmounted"}}, root: true,
				look: lookAtMount, read: readMount,
			}},
		},
	}
}

func isDevice(text string) bool {
	return isPath(text) && strings.HasPrefix(text, "/dev/") && isOf(text, "/", "/._:+-", 255)
}

func isPrinter(text string) bool { return isOf(text, "_", "_.-", 127) }

// readBluetooth reads whether the adapter is on.
func readBluetooth(l Look, _ string) (string, bool) {
	if !l.Ran || l.Exit != 0 {
		return "", false
	}
	fields, err := machine.ParseFields([]byte(l.Stdout))
	power := fields["Powered"]
	return switchText(power == "yes"), err == nil && (power == "yes" || power == "no")
}

// readPrinter reads whether a printer prints or is paused.
func readPrinter(l Look, target string) (string, bool) {
	if !l.Ran || l.Exit != 0 {
		return "", false
	}
	p, err := machine.ParsePrinting([]byte(l.Stdout))
	q := p.Queue(target)
	if q.Disabled {
		return "disabled", err == nil
	}
	return "enabled", err == nil && q.Ready
}

func lookAtMount(target string) machine.Probe {
	if isDevice(target) {
		return machine.MountedDeviceProbe(target)
	}
	return machine.MountPointProbe(target)
}

// readMount reads whether something is mounted. findmnt prints nothing and exits with 1 if not. An automount point that
// was not used yet is not.
func readMount(l Look, _ string) (string, bool) {
	if l.Ran && l.Exit == 1 && l.Stdout == "" && strings.TrimSpace(l.Stderr) == "" {
		return "unmounted", true
	}
	return reads(machine.ParseFoundMounts, func(mounts []machine.Mount) string {
		if slices.ContainsFunc(mounts, func(m machine.Mount) bool { return m.Type != "autofs" }) {
			return "mounted"
		}
		return "unmounted"
	})(l, "")
}

// mountBack returns whether something was mounted. What was mounted by path below the directories of udisks has no line
// in fstab(5), by which mount could find it again.
func mountBack(target, before, _ string) (string, bool) {
	removable := strings.HasPrefix(target, "/run/media/") || strings.HasPrefix(target, "/media/")
	return before, before != "mounted" || !removable
}
