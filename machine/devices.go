package machine

import (
	"slices"
	"strconv"
	"strings"
)

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

// USBProbe lists the USB devices.
var USBProbe = Probe{"lsusb"}

// USBDevice is a row of lsusb.
type USBDevice struct{ ID, Name string }

var usbRow = pattern(`^Bus \d+ Device \d+: ID ([0-9a-f]{4}:[0-9a-f]{4})\s*(.*)$`)

// ParseUSB parses lsusb(8). A machine without USB prints nothing.
func ParseUSB(text []byte) ([]USBDevice, error) {
	return matchingRows(text, "lsusb", usbRow,
		func(m []string) USBDevice { return USBDevice{m[1], strings.TrimSpace(m[2])} })
}

// IsHub reports whether the device is a hub, of the kernel's own or any other.
func (d USBDevice) IsHub() bool {
	return strings.HasPrefix(d.ID, "1d6b:") || strings.HasSuffix(strings.ToLower(d.Name), " hub")
}

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
	return matchingRows(text, "bluetoothctl devices", bluetoothDeviceRow, func(m []string) BluetoothDevice {
		return BluetoothDevice{m[1], cutRunes(m[2], 40)}
	})
}

// PrintingProbe lists the printers and their jobs.
var PrintingProbe = Probe{"lpstat", "-t"}

// PrintQueue is one printer of lpstat.
type PrintQueue struct {
	Name, Device, Reason string
	Since                string // when it was paused, as CUPS prints it
	Disabled, Rejecting  bool
	Ready                bool // lpstat reports it as enabled
}

// Printing is the output of lpstat -t.
type Printing struct {
	Queues      []PrintQueue
	DefaultName string // the default printer
	Jobs        int
	None        bool // lpstat reports that there is no printer
}

// Queue returns the printer of that name, which is added if it is not there.
func (p *Printing) Queue(name string) *PrintQueue {
	i := slices.IndexFunc(p.Queues, func(q PrintQueue) bool { return q.Name == name })
	if i < 0 {
		i, p.Queues = len(p.Queues), append(p.Queues, PrintQueue{Name: name})
	}
	return &p.Queues[i]
}

// jobName matches a job of lpstat: the printer and a number.
var jobName = pattern(`^\S+-\d+$`)

// ParsePrinting parses lpstat -t (lpstat(1)). The reason of a paused printer is on the indented line below it.
func ParsePrinting(text []byte) (Printing, error) {
	var p Printing
	paused, known := "", false
	for _, line := range Lines(text) {
		f := strings.Fields(line)
		reasonOf := paused
		paused = ""
		switch {
		case strings.HasPrefix(line, "scheduler is"):
			known = true
		case strings.HasPrefix(line, "no system default"), strings.Contains(line, "No destinations added"):
			p.None, known = true, true
		case strings.HasPrefix(line, "system default destination: "):
			p.DefaultName = strings.TrimPrefix(line, "system default destination: ")
		case strings.HasPrefix(line, "device for ") && len(f) >= 4:
			p.Queue(strings.TrimSuffix(f[2], ":")).Device = f[3]
		case strings.HasPrefix(line, "printer ") && len(f) >= 3:
			q := p.Queue(f[1])
			if f[2] == "disabled" {
				q.Disabled, paused = true, f[1]
				_, since, _ := strings.Cut(line, " since ")
				q.Since = cutRunes(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(since), "-")), 60)
			}
			q.Ready = !q.Disabled && strings.Contains(line, "enabled")
		case len(f) > 2 && f[1] == "not" && f[2] == "accepting":
			p.Queue(f[0]).Rejecting = true
		case strings.HasPrefix(line, " ") && reasonOf != "":
			p.Queue(reasonOf).Reason = cutRunes(strings.TrimSpace(line), 100)
		case len(f) >= 4 && jobName().MatchString(f[0]) && !strings.HasPrefix(line, " ") && f[1] != "accepting":
			p.Jobs++
		}
	}
	return readable(p, known || len(p.Queues) > 0, "lpstat")
}

var (
	// AudioProbe lists the outputs and microphones.
	AudioProbe = Probe{"wpctl", "status"}
	// SoundCardsProbe lists the sound cards of the kernel.
	SoundCardsProbe = Probe{"cat", "/proc/asound/cards"}
)

// AudioNode is an output or a microphone of wpctl status.
type AudioNode struct {
	ID, Name       string
	Volume         int // percent
	Muted, Current bool
}

var nodeRow = pattern(`^[ │├└─|]*(\*)?\s*(\d+)\.\s+(.*?)\s*\[vol: (\d+)\.(\d\d)( MUTED)?\]$`)

// Audio is the output of wpctl status.
type Audio struct{ Sinks, Sources []AudioNode }

// ParseAudio parses the outputs and microphones of wpctl status (wireplumber, src/tools/wpctl.c): sections with
// headings, the default marked with a star.
func ParseAudio(text []byte) (Audio, error) {
	var a Audio
	part, section, ok := "", "", false
	for _, line := range Lines(text) {
		bare := strings.TrimLeft(line, " │├└─|")
		switch {
		case line == "Audio" || line == "Video" || line == "Settings":
			part = line
		case strings.HasSuffix(bare, ":") && !strings.Contains(bare, ". "):
			section = bare
		}
		ok = ok || part == "Audio"
		f := nodeRow().FindStringSubmatch(line)
		if f == nil || part != "Audio" {
			continue
		}
		n := AudioNode{ID: f[2], Name: cutRunes(f[3], 60), Muted: f[6] != "", Current: f[1] != ""}
		if whole, good := ParseNumber(f[4] + "." + f[5]); good && whole <= 10 {
			n.Volume = int(whole*100 + 0.5)
		}
		switch section {
		case "Sinks:":
			a.Sinks = append(a.Sinks, n)
		case "Sources:":
			a.Sources = append(a.Sources, n)
		}
	}
	return readable(a, ok, "wpctl")
}

// ParseSoundCards parses /proc/asound/cards (Linux, sound/core/init.c): " 0 [PCH ]: HDA-Intel - HDA Intel PCH".
func ParseSoundCards(text []byte) ([]string, error) {
	var cards []string
	for _, line := range Lines(text) {
		if _, name, ok := strings.Cut(line, "]: "); ok {
			if _, card, ok := strings.Cut(name, " - "); ok {
				name = card
			}
			cards = append(cards, name)
		}
	}
	return readable(cards, len(cards) > 0 || strings.Contains(string(text), "no soundcards"), "/proc/asound/cards")
}

// Volume is the volume of an output or a microphone.
type Volume struct {
	Percent int
	Muted   bool
}

var wireVolume = pattern(`^Volume: (\d+\.\d+)( \[MUTED\])?$`)

// ParseVolume parses wpctl get-volume (wireplumber, src/tools/wpctl.c): "Volume: 0.40 [MUTED]".
func ParseVolume(text []byte) (Volume, error) {
	f := wireVolume().FindStringSubmatch(strings.TrimSpace(string(text)))
	if f == nil {
		return Volume{}, &UnreadableError{Source: "wpctl"}
	}
	n, ok := ParseNumber(f[1])
	return readable(Volume{int(n*100 + 0.5), f[2] != ""}, ok && n <= 10, "wpctl")
}

var pulseVolume = pattern(`/\s*(\d{1,3})%\s*/`)

// ParsePulseVolume returns the first percentage of pactl get-sink-volume (pactl(1)), whose other words are localised.
func ParsePulseVolume(text []byte) (int, error) {
	f := pulseVolume().FindSubmatch(text)
	if f == nil {
		return 0, &UnreadableError{Source: "pactl"}
	}
	return strconv.Atoi(string(f[1]))
}

var brightnessForm = pattern(`^[^,]+,backlight,\d+,(\d{1,3})%,\d+$`)

// ParseBrightness parses brightnessctl -m (brightnessctl(1)): "intel_backlight,backlight,9600,50%,19200".
func ParseBrightness(text []byte) (int, error) {
	f := brightnessForm().FindStringSubmatch(strings.TrimSpace(string(text)))
	if f == nil {
		return 0, &UnreadableError{Source: "brightnessctl"}
	}
	return strconv.Atoi(f[1])
}

var (
	// OutputVolumeProbe shows the volume of the default output (wpctl(1), "get-volume").
	OutputVolumeProbe = Probe{"wpctl", "get-volume", "@DEFAULT_AUDIO_SINK@"}
	// MicrophoneVolumeProbe shows the volume of the default microphone.
	MicrophoneVolumeProbe = Probe{"wpctl", "get-volume", "@DEFAULT_AUDIO_SOURCE@"}
	// OutputProbe describes the default output (wpctl(1), "inspect").
	OutputProbe = Probe{"wpctl", "inspect", "@DEFAULT_AUDIO_SINK@"}
	// MicrophoneProbe describes the default microphone.
	MicrophoneProbe = Probe{"wpctl", "inspect", "@DEFAULT_AUDIO_SOURCE@"}

	// PulseOutputVolumeProbe shows the volume of the default output (pactl(1), "get-sink-volume").
	PulseOutputVolumeProbe = Probe{"pactl", "get-sink-volume", "@DEFAULT_SINK@"}
	// PulseOutputMuteProbe shows whether the default output is muted.
	PulseOutputMuteProbe = Probe{"pactl", "get-sink-mute", "@DEFAULT_SINK@"}
	// PulseOutputProbe names the default output.
	PulseOutputProbe = Probe{"pactl", "get-default-sink"}
	// PulseMicrophoneVolumeProbe shows the volume of the default microphone.
	PulseMicrophoneVolumeProbe = Probe{"pactl", "get-source-volume", "@DEFAULT_SOURCE@"}
	// PulseMicrophoneMuteProbe shows whether the default microphone is muted.
	PulseMicrophoneMuteProbe = Probe{"pactl", "get-source-mute", "@DEFAULT_SOURCE@"}
	// PulseMicrophoneProbe names the default microphone.
	PulseMicrophoneProbe = Probe{"pactl", "get-default-source"}
)

var (
	soundNodeID   = pattern(`(?m)^id (\d+), type PipeWire:Interface:Node$`)
	soundNodeName = pattern(`(?m)^\s*\*?\s*node\.name = "([^"\s]+)"$`)
	pulseName     = pattern(`^[A-Za-z0-9_][A-Za-z0-9_.:+~-]{0,250}$`)
)

// SoundNode is an output or a microphone of PipeWire. Its name lasts; its number is valid until the service restarts.
type SoundNode struct{ ID, Name string }

// ParseSoundNode parses wpctl inspect (wireplumber, src/tools/wpctl.c): "id 43, type PipeWire:Interface:Node", and the
// properties below, a line each.
func ParseSoundNode(text []byte) (SoundNode, error) {
	id, name := soundNodeID().FindSubmatch(text), soundNodeName().FindSubmatch(text)
	if id == nil || name == nil {
		return SoundNode{}, &UnreadableError{Source: "wpctl"}
	}
	return SoundNode{string(id[1]), string(name[1])}, nil
}

// ParsePulseMute parses pactl get-sink-mute (pulseaudio, src/utils/pactl.c): "Mute: yes".
func ParsePulseMute(text []byte) (bool, error) {
	value, ok := strings.CutPrefix(strings.TrimSuffix(string(text), "\n"), "Mute: ")
	return readable(value == "yes", ok && (value == "yes" || value == "no"), "pactl")
}

// ParsePulseName parses pactl get-default-sink: the name of an output.
func ParsePulseName(text []byte) (string, error) { return oneValue(text, "pactl", pulseName) }

// PrinterProbe shows the state of a printer (lpstat(1), "-p"). [ParsePrinting] reads it.
func PrinterProbe(name string) Probe { return Probe{"lpstat", "-p", name} }
