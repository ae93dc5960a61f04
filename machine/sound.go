package machine

import (
	"strconv"
	"strings"
)

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
