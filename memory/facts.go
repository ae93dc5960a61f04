package memory

import (
	"cmp"
	"encoding/binary"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf16"

	"github.com/nidoit/blunux-ai/machine"
)

// maxFact bounds how much of a system file is read, in bytes.
const maxFact = 64 << 10

// factReader reads facts about a machine from the files below root.
type factReader struct {
	root   string
	getenv func(string) string
}

func (f factReader) at(file string) string { return filepath.Join(f.root, file) }

// read returns the beginning of a file, or "" if it cannot be read. It follows links, because /etc/os-release is
// one, and does not block on pipes.
func (f factReader) read(file string) string { return f.readMost(file, maxFact) }

func (f factReader) readMost(file string, most int64) string {
	r, err := os.OpenFile(f.at(file), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer r.Close()
	if fi, err := r.Stat(); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return ""
	}
	return string(data)
}

// exists reports whether a file exists. A file without permission to look counts as missing.
func (f factReader) exists(file string) bool {
	_, err := os.Stat(f.at(file))
	return err == nil
}

func (f factReader) list(dir string) []string {
	entries, _ := os.ReadDir(f.at(dir)) // unreadable directories are skipped
	var all []string
	for _, e := range entries {
		all = append(all, path.Join(dir, e.Name()))
	}
	return all
}

func (f factReader) firstProgram(names ...string) string {
	for _, n := range names {
		if f.exists("usr/bin/" + n) {
			return n
		}
	}
	return ""
}

func (f factReader) session() string {
	if t := f.getenv("XDG_SESSION_TYPE"); t != "" && t != "unspecified" {
		return t
	}
	switch {
	case f.getenv("WAYLAND_DISPLAY") != "":
		return "wayland"
	case f.getenv("DISPLAY") != "":
		return "x11"
	}
	return ""
}

// inputMethod returns the input method named by the environment, else by the files that set it.
func (f factReader) inputMethod() string {
	names := []string{"GTK_IM_MODULE", "QT_IM_MODULE", "XMODIFIERS"}
	for _, n := range names {
		if m := f.method(f.getenv(n)); m != "" {
			return m
		}
	}
	home := f.getenv("HOME")
	files := slices.Concat([]string{path.Join(home, ".pam_environment"), path.Join(home, ".xprofile")},
		f.list(path.Join(home, ".config/environment.d")), []string{"etc/environment"}, f.list("etc/environment.d"), f.list("etc/profile.d"))
	for _, file := range files[:min(len(files), 64)] {
		for line := range strings.Lines(f.read(file)) {
			k, v, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
			if m := f.method(v); m != "" && slices.Contains(names, strings.TrimSpace(k)) {
				return m
			}
		}
	}
	return ""
}

func (f factReader) method(value string) string {
	value = strings.ToLower(value)
	if strings.Contains(value, "fcitx") {
		if m := f.firstProgram("fcitx5"); m != "" {
			return m
		}
		return "fcitx"
	}
	for _, m := range []string{"ibus", "kime", "nimf", "uim", "scim"} {
		if strings.Contains(value, m) {
			return m
		}
	}
	return ""
}

func (f factReader) locale() string {
	for _, file := range []string{"etc/locale.conf", "etc/default/locale"} {
		if l := machine.ParseAssignments([]byte(f.read(file)))["LANG"]; l != "" {
			return l
		}
	}
	return ""
}

func (f factReader) timeZone() string {
	target, err := os.Readlink(f.at("etc/localtime"))
	if _, zone, ok := strings.Cut(target, "zoneinfo/"); err == nil && ok {
		return zone
	}
	return strings.TrimSpace(f.read("etc/timezone"))
}

// firmware reports UEFI if the kernel provides /sys/firmware/efi, and BIOS on other PCs, which have DMI tables.
func (f factReader) firmware() string {
	switch {
	case f.exists("sys/firmware/efi"):
		return "UEFI"
	case f.exists("sys/class/dmi/id"):
		return "BIOS"
	}
	return ""
}

// loaderInfo is the EFI variable with the boot loader's name (https://systemd.io/BOOT_LOADER_INTERFACE/): four
// bytes of attributes, then UTF-16.
const loaderInfo = "sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

func (f factReader) bootLoader() string {
	if data := []byte(f.readMost(loaderInfo, 512)); len(data) > 4 {
		var text []uint16
		for data = data[4:]; len(data) >= 2; data = data[2:] {
			text = append(text, binary.LittleEndian.Uint16(data))
		}
		if name := plainText(string(utf16.Decode(text))); name != "" {
			return name
		}
	}
	for _, l := range []struct{ name, files string }{
		{"Limine", "boot/limine.conf boot/limine/limine.conf boot/limine.cfg boot/EFI/limine/limine.conf etc/default/limine"},
		{"systemd-boot", "boot/loader/loader.conf efi/loader/loader.conf boot/efi/loader/loader.conf"},
		{"rEFInd", "boot/refind_linux.conf boot/EFI/refind/refind.conf"},
		{"GRUB", "boot/grub/grub.cfg boot/grub2/grub.cfg etc/default/grub"},
	} {
		if slices.ContainsFunc(strings.Fields(l.files), f.exists) {
			return l.name
		}
	}
	return ""
}

// chassis maps the chassis types of the SMBIOS specification (7.4.1). Without that table, a machine with a
// battery is a laptop.
func (f factReader) chassis() string {
	switch strings.TrimSpace(f.read("sys/class/dmi/id/chassis_type")) {
	case "8", "9", "10", "14", "31", "32":
		return "laptop"
	case "30":
		return "tablet"
	case "3", "4", "5", "6", "7", "13", "15", "16", "24", "34", "35", "36":
		return "desktop"
	case "17", "23", "28", "29":
		return "server"
	}
	for _, supply := range f.list("sys/class/power_supply") {
		if strings.TrimSpace(f.read(supply+"/type")) == "Battery" && strings.TrimSpace(f.read(supply+"/scope")) != "Device" {
			return "laptop"
		}
	}
	return ""
}

// kernels returns the packages whose modules are installed, by their names on Arch.
func (f factReader) kernels() []string {
	var all []string
	for _, dir := range f.list("usr/lib/modules") {
		if base := strings.TrimSpace(f.read(dir + "/pkgbase")); base != "" {
			all = append(all, base)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// user returns the current user's name from the environment, else from /etc/passwd.
func (f factReader) user() string {
	if name := f.getenv("USER"); name != "" {
		return name
	}
	id := strconv.Itoa(os.Getuid())
	for line := range strings.Lines(f.read("etc/passwd")) {
		if fields := strings.Split(line, ":"); len(fields) > 2 && fields[2] == id {
			return fields[0]
		}
	}
	return ""
}

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
