package machine

import "strings"

// USBProbe lists the USB devices.
var USBProbe = Probe{"lsusb"}

// USBDevice is a row of lsusb.
type USBDevice struct{ ID, Name string }

var usbRow = pattern(`^Bus \d+ Device \d+: ID ([0-9a-f]{4}:[0-9a-f]{4})\s*(.*)$`)

// ParseUSB parses lsusb(8). A machine without USB prints nothing.
func ParseUSB(text []byte) ([]USBDevice, error) {
	var out []USBDevice
	for _, line := range Lines(text) {
		if m := usbRow().FindStringSubmatch(line); m != nil {
			out = append(out, USBDevice{m[1], strings.TrimSpace(m[2])})
		}
	}
	return rows(out, text, "lsusb")
}

// IsHub reports whether the device is a hub, of the kernel's own or any other.
func (d USBDevice) IsHub() bool {
	return strings.HasPrefix(d.ID, "1d6b:") || strings.HasSuffix(strings.ToLower(d.Name), " hub")
}
