package upgrade

import "path"

// kinds are the packages of Arch Linux that are more than a program, by name as path.Match reads it. The first row counts.
var kinds = []struct {
	pattern string
	kind    Kind
	reboot  bool // what runs goes on with the old one until the computer restarts
}{
	{"linux-api-headers", "", false},
	{"linux-headers", Module, false},
	{"linux-*-headers", Module, false},
	{"linux-docs", "", false},
	{"linux-*-docs", "", false},
	{"linux-firmware*", Firmware, true},
	{"linux-tools*", "", false},
	{"linux-atm", "", false},
	{"linux-pam", "", false},
	{"amd-ucode", Firmware, true},
	{"intel-ucode", Firmware, true},
	{"sof-firmware", Firmware, true},
	{"linux", Kernel, true},
	{"linux-lts*", Kernel, true},
	{"linux-zen*", Kernel, true},
	{"linux-hardened*", Kernel, true},
	{"linux-rt*", Kernel, true},
	{"linux-cachyos*", Kernel, true},
	{"linux-xanmod*", Kernel, true},
	{"linux-amd*", Kernel, true},
	{"linux-clear*", Kernel, true},
	{"linux-mainline*", Kernel, true},
	{"linux-surface*", Kernel, true},
	{"nvidia-utils", Driver, true},
	{"nvidia-*utils", Driver, true},
	{"nvidia-settings", "", false},
	{"nvidia*", Driver, true},
	{"*-dkms", Module, true},
	{"dkms", Module, false},
	{"virtualbox-host-modules-arch", Module, true},
	{"broadcom-wl", Module, true},
	{"zfs-linux*", Module, true},
	{"mesa", Driver, false},
	{"vulkan-*", Driver, false},
	{"xf86-video-*", Driver, false},
	{"libva-*-driver", Driver, false},
	{"systemd", System, true},
	{"glibc", System, true},
	{"dbus", System, true},
	{"dbus-broker", System, true},
	{"cryptsetup", System, true},
	{"lvm2", System, true},
}

// KindOf returns what a package is to the system.
func KindOf(name string) Kind {
	kind, _ := look(name)
	return kind
}

// NeedsReboot reports whether the computer must restart to use a new version of a package.
func NeedsReboot(name string) bool {
	_, reboot := look(name)
	return reboot
}

func look(name string) (kind Kind, reboot bool) {
	for _, k := range kinds {
		if matched, err := path.Match(k.pattern, name); matched && err == nil {
			return k.kind, k.reboot
		}
	}
	return "", false
}
