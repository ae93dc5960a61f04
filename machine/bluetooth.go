package machine

var (
	// BluetoothDevicesProbe lists the paired Bluetooth devices.
	BluetoothDevicesProbe = Probe{"bluetoothctl", "devices"}
	// ConnectedDevicesProbe lists the connected Bluetooth devices.
	ConnectedDevicesProbe = Probe{"bluetoothctl", "devices", "Connected"}
)

// BluetoothDevice is one Bluetooth device.
type BluetoothDevice struct{ Address, Name string }

var bluetoothDeviceRow = pattern(`^Device ((?:[0-9A-F]{2}:){5}[0-9A-F]{2}) (.+)$`)

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
