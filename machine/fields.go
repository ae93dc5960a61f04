package machine

import "strings"

var (
	// CPUProbe describes the processor.
	CPUProbe = Probe{"lscpu"}
	// LocaleProbe shows the language and the keyboard.
	LocaleProbe = Probe{"localectl", "status"}
	// BluetoothProbe describes the Bluetooth adapter.
	BluetoothProbe = Probe{"bluetoothctl", "show"}
)

// ParseFields parses "Key: value" lines with any indentation, as lscpu, localectl, bluetoothctl show and coredumpctl
// info print them. The first non-empty value of a key wins.
func ParseFields(text []byte) (map[string]string, error) {
	out := map[string]string{}
	for _, line := range Lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if k := strings.TrimSpace(key); ok && out[k] == "" {
			out[k] = strings.TrimSpace(value)
		}
	}
	return readable(out, len(out) > 0, "fields")
}
