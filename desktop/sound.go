package desktop

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// usualStep is the change of a level without an amount, in percent.
const usualStep = 10

// level returns the level that a wish leads to, between least and 100. ok is false for a wish of another kind.
func (w Wish) level(now, least int) (to int, ok bool) {
	switch w.Act {
	case "set":
		to = w.number(now)
	case "up":
		to = now + w.number(usualStep)
	case "down":
		to = now - w.number(usualStep)
	default:
		return 0, false
	}
	return max(least, min(to, 100)), true
}

// mixer is how the default output or microphone is looked at and set.
type mixer struct {
	volume, mute                 string // names of agent/plan
	wire, pulseMute, pulseVolume machine.Probe
	is, silent                   func(int) i18n.Text
	toSet                        func(int) i18n.Text
	toMute, toUnmute             i18n.Text
}

func mixerOf(verb string) mixer {
	if verb == "microphone" {
		return mixer{
			volume: "microphone-volume", mute: "microphone-mute",
			wire: machine.MicrophoneVolumeProbe, pulseMute: machine.PulseMicrophoneMuteProbe, pulseVolume: machine.PulseMicrophoneVolumeProbe,
			is: i18n.DeskMicIs, silent: i18n.DeskMicSilent, toSet: i18n.DeskMicSet, toMute: i18n.DeskMicMute, toUnmute: i18n.DeskMicUnmute,
		}
	}
	return mixer{
		volume: "volume", mute: "mute",
		wire: machine.OutputVolumeProbe, pulseMute: machine.PulseOutputMuteProbe, pulseVolume: machine.PulseOutputVolumeProbe,
		is: i18n.DeskVolumeIs, silent: i18n.DeskVolumeSilent, toSet: i18n.DeskVolumeSet, toMute: i18n.DeskVolumeMute, toUnmute: i18n.DeskVolumeUnmute,
	}
}

func volume(w Wish, f *diagnose.Facts) Outcome {
	m := mixerOf(w.Verb)
	if !f.Know(m.wire, m.pulseMute, m.pulseVolume) {
		return Outcome{}
	}
	now, err := machine.ParseVolume([]byte(f.Stdout(m.wire)))
	byPulse := err != nil
	if byPulse {
		var bad error
		now.Percent, err = machine.ParsePulseVolume([]byte(f.Stdout(m.pulseVolume)))
		now.Muted, bad = machine.ParsePulseMute([]byte(f.Stdout(m.pulseMute)))
		switch {
		case f.Output(m.wire).Missing != "" && f.Output(m.pulseVolume).Missing != "":
			return missing("wpctl", "pactl")
		case err != nil || bad != nil:
			return says(i18n.DeskVolumeUnread(m.wire.String()))
		}
	}
	sound := func(about i18n.Text, name, value string) diagnose.Step {
		step := typed(about, "sound", name, "", value)
		if byPulse {
			step.Program = "pactl"
		}
		return step
	}
	state := m.is
	if now.Muted {
		state = m.silent
	}
	out := says(state(now.Percent))
	to, isLevel := w.level(now.Percent, 0)
	switch {
	case w.Act == "mute" && now.Muted, w.Act == "unmute" && !now.Muted, isLevel && to == now.Percent && (w.Act == "set" || w.Act == "down" || !now.Muted):
		return out.and(i18n.DeskAlready)
	case w.Act == "mute":
		return out.with(sound(m.toMute, m.mute, "on"))
	case w.Act == "unmute":
		return out.with(sound(m.toUnmute, m.mute, "off"))
	case !isLevel:
		return out
	}
	set := sound(m.toSet(to), m.volume, strconv.Itoa(to)+"%")
	if now.Muted && w.Act == "up" {
		return out.with(sound(m.toUnmute, m.mute, "off"), set)
	}
	return out.with(set)
}

// output lists the outputs, or chooses one by a part of its name.
func output(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.AudioProbe) {
		return Outcome{}
	}
	if f.Output(machine.AudioProbe).Missing != "" {
		return missing("wpctl")
	}
	a, err := machine.ParseAudio([]byte(f.Stdout(machine.AudioProbe)))
	if err != nil || len(a.Sinks) == 0 {
		return says(i18n.DeskOutputNone)
	}
	out, current := says(i18n.DeskOutputs), ""
	var fits []machine.AudioNode
	for _, n := range a.Sinks {
		row := n.Name
		if n.Current {
			row, current = "✓ "+n.Name, n.ID
		}
		out.Rows = append(out.Rows, row)
		if w.Object != "" && matches(n.Name, outputWords(w.Object)...) {
			fits = append(fits, n)
		}
	}
	switch {
	case w.Act == "list":
		return out
	case len(fits) == 0 && w.Object != "":
		return out.and(i18n.DeskOutputNoSuch(w.Object))
	case len(fits) != 1:
		return out.and(i18n.DeskWhich)
	case fits[0].ID == current:
		return out.and(i18n.DeskAlready)
	}
	return out.with(command(i18n.DeskOutputUse(fits[0].Name), "wpctl", "set-default", fits[0].ID))
}

// outputWords returns the words of names of outputs that a kind of output means.
func outputWords(object string) []string {
	bluetooth := []string{"buds", "airpods", "headset", "wh-", "wf-", "bluetooth"}
	names := map[string][]string{
		"hdmi": {"displayport"}, "headphones": append([]string{"headphone", "earphone"}, bluetooth...), "speakers": {"speaker", "analog", "built-in"},
		"bluetooth": bluetooth,
	}[strings.ToLower(object)]
	return append([]string{object}, names...)
}

// matches reports whether a name contains one of some words, in any case.
func matches(name string, words ...string) bool {
	low := strings.ToLower(name)
	for _, w := range words {
		if strings.Contains(low, strings.ToLower(w)) {
			return true
		}
	}
	return false
}

// recording reports which programs use the camera or a microphone.
func recording(w Wish, f *diagnose.Facts) Outcome {
	look := machine.RecordersProbe
	if w.Act == "camera" {
		look = machine.CameraUsersProbe
	}
	if !f.Know(look) {
		return Outcome{}
	}
	if f.Output(look).Missing != "" {
		return missing(look[0])
	}
	names := machine.Recorders(f.Stdout(look))
	if w.Act == "camera" {
		out := f.Output(look)
		for _, u := range machine.FileUsers(out.Stdout, out.Stderr) {
			names = append(names, u.Program)
		}
	}
	switch {
	case len(names) == 0 && f.Output(look).Stderr != "":
		return says(i18n.DeskRecordingUnread(look.String()))
	case len(names) == 0:
		return says(i18n.DeskRecordingNone(look.String()))
	}
	out := says(i18n.DeskRecordingUsed)
	for _, name := range names {
		if name = machine.CleanLine(name); !slices.Contains(out.Rows, name) {
			out.Rows = append(out.Rows, name)
		}
	}
	return out
}

// playerctl's words of a wish, and what its status is then.
var playerActs = map[string]struct {
	word, expect, back string
	about              i18n.Text
}{
	"play":     {"play", "Playing", "playerctl pause", i18n.DeskMediaPlay},
	"pause":    {"pause", "Paused", "playerctl play", i18n.DeskMediaPause},
	"next":     {"next", "", "playerctl previous", i18n.DeskMediaNext},
	"previous": {"previous", "", "playerctl next", i18n.DeskMediaPrevious},
}

// media operates the player that was used last: playerctl(1), MPRIS.
func media(w Wish, f *diagnose.Facts) Outcome {
	if !f.Know(machine.MediaStatusProbe, machine.MediaTitleProbe) {
		return Outcome{}
	}
	if f.Output(machine.MediaStatusProbe).Missing != "" {
		return missing("playerctl")
	}
	status := strings.TrimSpace(f.Stdout(machine.MediaStatusProbe))
	if status == "" {
		return says(i18n.DeskMediaNone)
	}
	out := says(i18n.DeskMediaPaused)
	if status == "Playing" {
		out = says(i18n.DeskMediaPlays)
	}
	if title := strings.Trim(machine.CleanLine(f.Stdout(machine.MediaTitleProbe)), " -"); title != "" {
		out.Rows = []string{title}
	}
	act, ok := playerActs[w.Act]
	switch {
	case !ok:
		return out
	case act.expect == status:
		return out.and(i18n.DeskAlready)
	case act.expect == "":
		return out.with(diagnose.Run(act.about, "playerctl "+act.word, "", "", act.back))
	}
	return out.with(diagnose.Run(act.about, "playerctl "+act.word, "playerctl status", act.expect, act.back))
}
