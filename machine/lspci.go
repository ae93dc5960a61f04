package machine

import "strings"

// PCIProbe lists the PCI devices with their drivers.
var PCIProbe = Probe{"lspci", "-nnk"}

// PCIDevice is a device of lspci with its driver, "" for none.
type PCIDevice struct{ Class, Model, Driver string }

// pciRow matches "00:02.0 VGA compatible controller [0300]: Intel …".
var pciRow = pattern(`^\S+ ([^:]+?)(?: \[[0-9a-f]{4}\])?: (.*)$`)

// ParsePCI parses lspci -nnk (lspci(8)): devices, with the driver line below them.
func ParsePCI(text []byte) ([]PCIDevice, error) {
	var out []PCIDevice
	inDevice := false
	for _, line := range Lines(text) {
		if m := pciRow().FindStringSubmatch(line); m != nil {
			out = append(out, PCIDevice{Class: m[1], Model: m[2]})
			inDevice = true
			continue
		}
		if !strings.HasPrefix(line, " ") {
			inDevice = false
		}
		if _, driver, ok := strings.Cut(line, "Kernel driver in use: "); ok && inDevice {
			out[len(out)-1].Driver = strings.TrimSpace(driver)
		}
	}
	return rows(out, text, "lspci")
}
