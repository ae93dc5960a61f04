package memory

import (
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

func (f factReader) packageManager() string {
	return f.firstProgram("pacman", "apt", "dnf", "zypper", "apk", "xbps-install", "emerge")
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
