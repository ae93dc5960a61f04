package machine

import (
	"regexp"
	"sync"
)

// BluetoothDevice is one Bluetooth device.
type BluetoothDevice struct{ Address, Name string }

var bluetoothDeviceRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Device ((?:[0-9A-F]{2}:){5}[0-9A-F]{2}) (.+)$`)
})

// ParseBluetoothDevices parses bluetoothctl devices (bluetoothctl(1)).
func ParseBluetoothDevices(text []byte) ([]BluetoothDevice, error) {
	var out []BluetoothDevice
	for _, line := range Lines(text) {
		if m := bluetoothDeviceRow().FindStringSubmatch(line); m != nil {
			out = append(out, BluetoothDevice{m[1], cutRunes(m[2], 40)})
		}
	}
	return rows(out, text, "bluetoothctl devices")
}
