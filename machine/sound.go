package machine

import (
	"regexp"
	"strings"
	"sync"
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

var nodeRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ │├└─|]*(\*)?\s*(\d+)\.\s+(.*?)\s*\[vol: (\d+)\.(\d\d)( MUTED)?\]$`)
})

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
