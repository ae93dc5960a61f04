package machine

import (
	"strings"
)

var (
	// KernelsProbe names the package of each installed kernel. [ParseKernels] reads it.
	KernelsProbe = Probe{"find", "/usr/lib/modules", "-maxdepth", "2", "-name", "pkgbase", "-exec", "grep", "-H", ".", "{}", "+"}
	// BootFilesProbe lists the files for booting. [ParseFindSizes] reads it.
	BootFilesProbe = Probe{"find", "/boot", "-xdev", "-maxdepth", "4", "-type", "f", "-printf", `%s %p\n`}
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
