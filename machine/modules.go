package machine

import "strings"

var (
	// BlacklistProbe shows which modules the administrator keeps from loading: modprobe.d(5). [ParseConfigLines] reads it.
	BlacklistProbe = Probe{"find", "/etc/modprobe.d", "-name", "[!.]*.conf", "-exec", "grep", "-H", "-E", "^[[:space:]]*(blacklist|install)[[:space:]]", "{}", "+"}
	// LoadedModulesProbe lists the loaded modules.
	LoadedModulesProbe = Probe{"cat", "/proc/modules"}
)

// LoadedModules returns the names of /proc/modules (proc_modules(5)).
func LoadedModules(text string) (all []string) {
	for _, line := range Lines(text) {
		name, _, _ := strings.Cut(line, " ")
		all = append(all, name)
	}
	return all
}

// FirmwareProbe lists a firmware file in each form that the kernel can load.
func FirmwareProbe(file string) Probe {
	return Probe{"find", "/usr/lib/firmware", "-path", "/usr/lib/firmware/" + file + "[.xz]*", "-o", "-path", "/usr/lib/firmware/" + file}
}

// FirmwarePackage returns the package of Arch Linux that has a firmware file, "" if it is not known: linux-firmware is split by
// vendor.
func FirmwarePackage(file string) string {
	for _, p := range [][2]string{
		{"iwlwifi", "intel"},
		{"intel/", "intel"},
		{"i915/", "intel"},
		{"xe/", "intel"},
		{"amdgpu/", "amdgpu"},
		{"radeon/", "radeon"},
		{"nvidia/", "nvidia"},
		{"ath", "atheros"},
		{"qca/", "atheros"},
		{"ar3k", "atheros"},
		{"brcm/", "broadcom"},
		{"cypress/", "broadcom"},
		{"rtw", "realtek"},
		{"rtl", "realtek"},
		{"mediatek/", "mediatek"},
		{"mt7", "mediatek"},
		{"mrvl/", "marvell"},
		{"qcom/", "qcom"},
		{"cirrus/", "cirrus"},
	} {
		if strings.HasPrefix(file, p[0]) {
			return "linux-firmware-" + p[1]
		}
	}
	return ""
}
