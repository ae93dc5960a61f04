package memory

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// maxPCI bounds how much of the list of PCI devices is read, in bytes. The list has 1.5 million.
const maxPCI = 8 << 20

// pciVendors are vendors of graphics devices, for machines without the list.
var pciVendors = map[string]string{
	"8086": "Intel", "10de": "NVIDIA", "1002": "AMD", "1af4": "Virtio", "1234": "QEMU", "1b36": "QEMU", "15ad": "VMware",
	"80ee": "VirtualBox", "1414": "Hyper-V", "1013": "Cirrus", "102b": "Matrox", "1a03": "ASPEED",
}

// graphics returns the display controllers with their drivers: those of the PCI bus (class 03), else those of the
// kernel's graphics layer.
func (f factReader) graphics() []string {
	var all []string
	ids := ""
	for _, dir := range f.list("sys/bus/pci/devices") {
		if !strings.HasPrefix(strings.TrimSpace(f.read(dir+"/class")), "0x03") {
			continue
		}
		if ids == "" {
			ids = "\n" + f.pciIDs()
		}
		vendor, device := f.hex(dir+"/vendor"), f.hex(dir+"/device")
		all = append(all, withDriver(pciName(ids, vendor, device), f.driver(dir)))
	}
	if len(all) > 0 {
		return all
	}
	for _, dir := range f.list("sys/class/drm") {
		if driver := f.driver(dir + "/device"); strings.HasPrefix(path.Base(dir), "card") && driver != "" && !strings.Contains(path.Base(dir), "-") {
			all = append(all, driver)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (f factReader) hex(file string) string {
	return strings.TrimPrefix(strings.TrimSpace(f.read(file)), "0x")
}

func (f factReader) driver(dir string) string {
	target, err := os.Readlink(f.at(dir + "/driver"))
	if err != nil {
		return ""
	}
	return filepath.Base(target)
}

func withDriver(name, driver string) string {
	if driver == "" {
		return name
	}
	return name + " (driver " + driver + ")"
}

func (f factReader) pciIDs() string {
	for _, file := range []string{"usr/share/hwdata/pci.ids", "usr/share/misc/pci.ids"} {
		if text := f.readMost(file, maxPCI); text != "" {
			return text
		}
	}
	return ""
}

// pciName looks a device up in the list of PCI devices (pci-ids.ucw.cz):
// "VENDOR  name" with lines "\tDEVICE  name" below it.
func pciName(ids, vendor, device string) string {
	short := pciVendors[vendor]
	_, below, ok := strings.Cut(ids, "\n"+vendor+"  ")
	if !ok || vendor == "" {
		short = cmp.Or(short, "PCI "+vendor)
		return short + " " + device
	}
	name, below, _ := strings.Cut(below, "\n")
	short = cmp.Or(short, name)
	for line := range strings.Lines(below) {
		if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "#") {
			break
		}
		if rest, ok := strings.CutPrefix(line, "\t"+device+"  "); ok {
			return short + " " + strings.TrimSpace(rest)
		}
	}
	return short + " " + device
}

// fileSystems returns the file systems of the root and of the person's home. home is empty if it is on the root's.
func (f factReader) fileSystems() (root, home string) {
	at := f.getenv("HOME")
	longest := "/"
	mounts, _ := machine.ParseMountInfo([]byte(f.readMost("proc/self/mountinfo", 1<<20))) // none if it is unreadable
	for _, m := range mounts {
		switch {
		case m.Target == "/":
			root = mountText(m)
		case (at == m.Target || strings.HasPrefix(at, m.Target+"/")) && len(m.Target) >= len(longest):
			longest, home = m.Target, mountText(m)
		}
	}
	return root, home
}

// mountText returns the type of a file system with the options that matter for advice.
func mountText(m machine.Mount) string {
	var options []string
	for _, o := range m.Options {
		name, _, _ := strings.Cut(o, "=")
		if slices.Contains([]string{"ro", "noexec", "noatime", "compress", "compress-force", "subvol", "discard"}, name) && !slices.Contains(options, o) {
			options = append(options, o)
		}
	}
	if strings.HasPrefix(m.Source, "/dev/mapper/") || strings.HasPrefix(m.Source, "/dev/dm-") {
		options = append(options, "on "+m.Source)
	}
	if len(options) == 0 {
		return m.Type
	}
	return m.Type + " (" + strings.Join(options, ", ") + ")"
}
