package plan

import (
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// soundSettings are those of the default output and the default microphone: wpctl(1), "get-volume", "inspect";
// pactl(1). The look of each program shows what the same program sets.
func soundSettings() []setting {
	output := soundSetters{
		wire: "@DEFAULT_AUDIO_SINK@|@DEFAULT_SINK@", pulse: "sink",
		wireVolume: machine.OutputVolumeProbe, pulseVolume: machine.PulseOutputVolumeProbe,
		pulseMute: machine.PulseOutputMuteProbe, pulseName: machine.PulseOutputProbe,
	}
	microphone := soundSetters{
		wire: "@DEFAULT_AUDIO_SOURCE@|@DEFAULT_SOURCE@", pulse: "source",
		wireVolume: machine.MicrophoneVolumeProbe, pulseVolume: machine.PulseMicrophoneVolumeProbe,
		pulseMute: machine.PulseMicrophoneMuteProbe, pulseName: machine.PulseMicrophoneProbe,
	}
	volume := setting{verb: "sound", personal: true, value: volumeValue, same: sameVolume, resolve: resolveVolume}
	mute := setting{verb: "sound", personal: true, value: muteValue, resolve: resolveMute}
	node := setting{verb: "sound", personal: true, value: valueOf(isSoundNode)}
	return []setting{
		volume.with("volume", output.volume()...), mute.with("mute", output.mute()...),
		node.with("output", nodeNumber(), output.node()),
		volume.with("microphone-volume", microphone.volume()...), mute.with("microphone-mute", microphone.mute()...),
		node.with("microphone", microphone.node()),
	}
}

// with returns the setting with a name and its setters.
func (s setting) with(name string, setters ...setter) setting {
	s.name, s.setters = name, setters
	return s
}

// soundSetters are the words and the looks of an output or a microphone.
type soundSetters struct {
	wire, pulse                                   string
	wireVolume, pulseVolume, pulseMute, pulseName machine.Probe
}

func (s soundSetters) volume() []setter {
	return []setter{{
		forms: []form{{words: "wpctl set-volume " + s.wire + " VALUE"}}, value: wireVolume,
		look: fixed(s.wireVolume), read: readWireVolume,
	}, {
		forms: []form{{words: s.pactl("volume") + " VALUE"}}, value: pulseVolume, spell: spellPulse,
		look: fixed(s.pulseVolume), read: readPulseVolume,
	}}
}

func (s soundSetters) mute() []setter {
	return []setter{{
		forms: []form{{words: "wpctl set-mute " + s.wire + " VALUE"}}, spell: spellMute,
		look: fixed(s.wireVolume), read: readWireMute,
	}, {
		forms: []form{{words: s.pactl("mute") + " VALUE"}}, spell: spellMute,
		look: fixed(s.pulseMute), read: readPulseMute,
	}}
}

// pactl returns a command for the default output or microphone.
func (s soundSetters) pactl(property string) string {
	return "pactl set-" + s.pulse + "-" + property + " @DEFAULT_" + strings.ToUpper(s.pulse) + "@"
}

// node returns the setter that chooses the default by its name, which lasts.
func (s soundSetters) node() setter {
	return setter{
		forms: []form{{words: "pactl set-default-" + s.pulse + " VALUE"}}, value: pulseNode, spell: pulseNode,
		look: fixed(s.pulseName), read: readPulseName,
	}
}

// nodeNumber returns the setter that chooses a default by its number, which wpctl has instead of names. The number may
// be a microphone's: an output that has another one proves nothing.
func nodeNumber() setter {
	return setter{
		forms: []form{{words: "wpctl set-default VALUE"}}, value: valueOf(isNodeID), spell: valueOf(isNodeID),
		look: fixed(machine.OutputProbe), read: reads(machine.ParseSoundNode, nodeName),
		matches: hasSoundNode, onlyProves: true,
	}
}

// volumeValue returns a volume in percent, or a step up or down: "40%", "5%+", "5%-".
func volumeValue(text string) (string, bool) {
	sign := ""
	if text != "" && strings.IndexByte("+-", text[0]) >= 0 {
		text, sign = text[1:], text[:1]
	} else if text != "" && strings.IndexByte("+-", text[len(text)-1]) >= 0 {
		text, sign = text[:len(text)-1], text[len(text)-1:]
	}
	n, ok := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseUint(n, 10, 16)
	return strconv.FormatUint(percent, 10) + "%" + sign, ok && err == nil && percent <= 150 && len(n) <= 3
}

// wireVolume returns a volume of wpctl(1): a fraction or percents, and the sign behind them.
func wireVolume(text string) (string, bool) {
	if text == "" || strings.IndexByte("+-", text[0]) >= 0 {
		return "", false
	}
	number, sign := strings.TrimRight(text, "+-"), ""
	if len(text)-len(number) > 1 {
		return "", false
	}
	sign = text[len(number):]
	if strings.HasSuffix(number, "%") {
		return volumeValue(text)
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.Trim(number, "0123456789.") != "" || f < 0 || f > 1.5 {
		return "", false
	}
	return strconv.Itoa(int(f*100+0.5)) + "%" + sign, true
}

// pulseVolume returns a volume of pactl(1): percents, and the sign before them.
func pulseVolume(text string) (string, bool) {
	value, ok := volumeValue(text)
	return value, ok && strings.HasSuffix(text, "%")
}

func spellPulse(value string) (string, bool) {
	n := strings.TrimRight(value, "+-")
	return value[len(n):] + n, true
}

func percentOf(volume string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(volume, "%"))
	if err != nil {
		return -1
	}
	return n
}

// resolveVolume returns the volume that a step up or down leads to.
func resolveVolume(value, before string) (string, bool) {
	n := strings.TrimRight(value, "+-")
	if n == value {
		return value, true
	}
	was, step := percentOf(before), percentOf(n)
	if strings.HasSuffix(value, "-") {
		step = -step
	}
	return strconv.Itoa(max(0, was+step)) + "%", was >= 0
}

// sameVolume reports whether two volumes are equal as far as they are shown: sound servers round them.
func sameVolume(is, wanted string) bool {
	a, b := percentOf(is), percentOf(wanted)
	return a >= 0 && b >= 0 && a-b <= 1 && b-a <= 1
}

func volumeText(percent int) string { return strconv.Itoa(percent) + "%" }

var muteValue = oneOf("on yes true 1 y t", "off no false 0 n f", "toggle")

// resolveMute returns what a toggle leads to.
func resolveMute(value, before string) (string, bool) {
	if value != "toggle" {
		return value, true
	}
	return map[string]string{"on": "off", "off": "on"}[before], before == "on" || before == "off"
}

var spellMute = spelled("on=1", "off=0", "toggle=toggle")

func readWireVolume(l Look, target string) (string, bool) {
	return reads(machine.ParseVolume, func(v machine.Volume) string { return volumeText(v.Percent) })(l, target)
}

func readWireMute(l Look, target string) (string, bool) {
	return reads(machine.ParseVolume, func(v machine.Volume) string { return switchText(v.Muted) })(l, target)
}

func readPulseVolume(l Look, target string) (string, bool) {
	return reads(machine.ParsePulseVolume, volumeText)(l, target)
}

func readPulseMute(l Look, target string) (string, bool) {
	return reads(machine.ParsePulseMute, switchText)(l, target)
}

func readPulseName(l Look, target string) (string, bool) {
	return reads(machine.ParsePulseName, itself)(l, target)
}

func nodeName(n machine.SoundNode) string { return n.Name }

// pulseNode returns the name of a node. The numbers of pactl are others than those of wpctl.
func pulseNode(text string) (string, bool) { return text, isSoundNode(text) && !isNodeID(text) }

func isSoundNode(text string) bool { return isOf(text, "_", "_.:+~-", 250) }

func isNodeID(text string) bool {
	return isOf(text, "", "", 9) && strings.Trim(text, "0123456789") == ""
}

// hasSoundNode reports whether a look shows a node, by name or by number.
func hasSoundNode(l Look, wanted string) bool {
	n, err := machine.ParseSoundNode([]byte(l.Stdout))
	return err == nil && (n.Name == wanted || n.ID == wanted)
}
