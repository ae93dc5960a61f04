package machine

import (
	"path"
	"strings"
)

var (
	// KernelsProbe names the package of each installed kernel. [ParseKernels] reads it.
	KernelsProbe = Probe{"find", "/usr/lib/modules", "-maxdepth", "2", "-name", "pkgbase", "-exec", "grep", "-H", ".", "{}", "+"}
	// BootFilesProbe lists the files for booting. [ParseFindSizes] reads it.
	BootFilesProbe = Probe{"find", "/boot", "-xdev", "-maxdepth", "4", "-type", "f", "-printf", `%s %p\n`}
	// EFIFilesProbe lists the files of an EFI system partition on /efi. [ParseFindSizes] reads it.
	EFIFilesProbe = Probe{"find", "/efi", "-xdev", "-maxdepth", "4", "-type", "f", "-printf", `%s %p\n`}
	// BootEntriesProbe shows the entries of systemd-boot. [ParseConfigLines] reads it.
	BootEntriesProbe = Probe{"find", "/boot/loader/entries", "-name", "[!.]*.conf", "-exec", "grep", "-H", ".", "{}", "+"}
	// GrubProbe shows the kernels that GRUB starts. [ParseConfigLines] reads it.
	GrubProbe = Probe{"grep", "-H", "-E", "^[[:space:]]*(linux|initrd)[[:space:]]", "/boot/grub/grub.cfg"}
	// MkinitcpioProbe shows how images for booting are made. [ParseConfigLines] reads it.
	MkinitcpioProbe = Probe{"grep", "-H", "-E", "^(MODULES|HOOKS|BINARIES|FILES)", "/etc/mkinitcpio.conf"}
	// HooksProbe lists the hooks of mkinitcpio.
	HooksProbe = Probe{"ls", "/usr/lib/initcpio/install", "/etc/initcpio/install"}
	// PresetsProbe shows for which kernels images are made. [ParseConfigLines] reads it.
	PresetsProbe = Probe{"find", "/etc/mkinitcpio.d", "-name", "[!.]*.preset", "-exec", "grep", "-H", ".", "{}", "+"}
	// DefaultTargetProbe shows what the system starts.
	DefaultTargetProbe = Probe{"systemctl", "get-default"}
	// DisplayManagersProbe lists the installed display managers.
	DisplayManagersProbe = Probe{"systemctl", "list-unit-files", "--no-pager", "--no-legend", "sddm.service", "gdm.service", "lightdm.service", "ly.service", "greetd.service", "lxdm.service", "plasmalogin.service"}
	// DisplayManagerProbe shows the state of the display manager.
	DisplayManagerProbe = Probe{"systemctl", "show", "-p", "Id,LoadState,ActiveState,SubState,UnitFileState,Result,ExecMainStatus", "--", "display-manager.service"}
	// JobsProbe lists what systemd still starts or stops.
	JobsProbe = Probe{"systemctl", "list-jobs", "--no-pager", "--no-legend"}
)

// ConfigLine is a line of a configuration file.
type ConfigLine struct{ File, Text string }

// ParseConfigLines parses grep -H: "FILE:LINE". It skips comments.
func ParseConfigLines(text []byte) ([]ConfigLine, error) {
	return rows(lineRows(text, func(line string) (ConfigLine, bool) {
		file, said, ok := strings.Cut(line, ":")
		said = strings.TrimSpace(said)
		return ConfigLine{file, said}, ok && strings.HasPrefix(file, "/") && said != "" && !strings.HasPrefix(said, "#")
	}), text, "grep -H")
}

// BootFiles returns the files that a line of a boot entry names: "linux /vmlinuz-linux", "initrd /a.img /b.img" (Boot Loader
// Specification; GRUB manual, "linux" and "initrd"). They begin with "/".
func BootFiles(line string) (all []string) {
	words := strings.Fields(line)
	if len(words) < 2 {
		return nil
	}
	switch words[0] {
	case "initrd":
		words = words[1:]
	case "linux", "efi":
		words = words[1:2]
	default:
		return nil
	}
	for _, w := range words {
		if strings.HasPrefix(w, "/") {
			all = append(all, path.Clean(w))
		}
	}
	return all
}

// KernelRoot returns the value of root= in a line of a boot entry, "" if it has none.
func KernelRoot(line string) string {
	for _, w := range strings.Fields(line) {
		if v, ok := strings.CutPrefix(w, "root="); ok {
			return v
		}
	}
	return ""
}
