package boot

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// mount is a file system that is mounted, or should be.
type mount = machine.Mount

// readMounts returns what is mounted, nil if it cannot be known.
func (t *tree) readMounts() []mount {
	text, _ := os.ReadFile(t.at("/proc/self/mountinfo")) // it has no size
	all, err := machine.ParseMountInfo(text)
	if err != nil {
		return nil
	}
	return all
}

// identifiers are the directories of udev with a link for each value: udev, 60-persistent-storage.rules.
var identifiers = map[string]string{
	"UUID": "by-uuid", "PARTUUID": "by-partuuid", "LABEL": "by-label", "PARTLABEL": "by-partlabel",
}

// hasDevice reports whether a disk has what a word names: UUID=…, LABEL=… or /dev/…. known is false if no one can tell.
func (t *tree) hasDevice(word string) (has, known bool) {
	if strings.HasPrefix(word, "/dev/") {
		return t.exists(word), !strings.HasPrefix(word, "/dev/mapper/") && t.exists("/dev/disk")
	}
	key, value, _ := strings.Cut(word, "=")
	dir, ok := identifiers[strings.ToUpper(key)]
	if !ok || !t.exists("/dev/disk/by-uuid") {
		return false, false
	}
	value = strings.Trim(value, `"`)
	links, _ := os.ReadDir(t.at(path.Join("/dev/disk", dir)))
	return slices.ContainsFunc(links, func(l os.DirEntry) bool {
		return strings.EqualFold(strings.NewReplacer(`\x20`, " ", `\x2f`, "/").Replace(l.Name()), value)
	}), true
}

// checkRoot checks that a disk has the root file system that an entry names, or the encrypted volume with it: mkinitcpio(8),
// hook encrypt; systemd-cryptsetup-generator(8).
func (t *tree) checkRoot(e machine.BootEntry) {
	for _, word := range strings.Fields(e.Options) {
		device := ""
		switch key, value, _ := strings.Cut(word, "="); key {
		case "root":
			device = value
		case "cryptdevice":
			device, _, _ = strings.Cut(value, ":")
		case "rd.luks.name":
			value, _, _ = strings.Cut(value, "=")
			device = "UUID=" + value
		case "rd.luks.uuid":
			device = "UUID=" + strings.TrimPrefix(value, "luks-")
		}
		if has, known := t.hasDevice(device); device != "" && known && !has {
			t.add(weight(e), machine.RootMissing, device, "", e.File)
		}
	}
}

// checkMounts checks the file systems of fstab: those for booting must be mounted, and each that is not optional must be on
// a disk (fstab(5); systemd.mount(5), "nofail").
func (t *tree) checkMounts() {
	for _, m := range machine.ParseFSTab([]byte(t.read("/etc/fstab"))) {
		optional := m.HasOption("noauto") || m.HasOption("nofail") ||
			slices.ContainsFunc(m.Options, func(o string) bool { return strings.HasPrefix(o, "x-systemd.automount") })
		has, known := t.hasDevice(m.Source)
		switch {
		case optional:
		case known && !has && m.Type == "swap":
			t.add(machine.BootNote, machine.MountMissing, m.Type, m.Source, "/etc/fstab")
		case known && !has:
			t.add(machine.BootRed, machine.MountMissing, m.Target, m.Source, "/etc/fstab")
		case slices.Contains(places, m.Target) && t.mounts != nil && !t.isMounted(m.Target):
			t.add(machine.BootRed, machine.NotMounted, m.Target, m.Source, "/etc/fstab")
		}
	}
}

func (t *tree) isMounted(target string) bool {
	return slices.ContainsFunc(t.mounts, func(m mount) bool { return m.Target == target })
}
