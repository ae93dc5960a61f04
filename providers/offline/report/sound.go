package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	soundUnits   = []string{"pipewire", "pipewire-pulse", "wireplumber"}
	soundState   = command(machine.AudioProbe.String())
	soundCards   = command(machine.SoundCardsProbe.String())
	soundKernel  = command(`journalctl --no-pager -k -b -n 100 -g "sof|snd_|hdaudio"`)
	soundRestart = "systemctl --user restart wireplumber pipewire pipewire-pulse"
)

func isHDMI(n machine.AudioNode) bool {
	return containsAny(strings.ToLower(n.Name), "hdmi", "displayport", "display port")
}

// currentNode returns the default node, or the only one.
func currentNode(list []machine.AudioNode) *machine.AudioNode {
	i := slices.IndexFunc(list, func(n machine.AudioNode) bool { return n.Current || len(list) == 1 })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// sound checks the sound server, the card, then the volume.
func (q *inquiry) sound() Reply {
	if q.output(soundState, "") == nil && q.output(soundCards, "") == nil {
		return q.toolReply(q.first)
	}
	return q.firstBroken(q.soundServer, q.soundCard, q.soundLevel).reply()
}

func (q *inquiry) soundServer() *finding {
	is := unitStates(q.anyStdout(unitStateStep(true, soundUnits...)), soundUnits...)
	if is == nil || is["pipewire"] == "active" && is["wireplumber"] == "active" && is["pipewire-pulse"] == "active" {
		return nil
	}
	if audio := read(machine.ParseAudio, q.stdout(soundState)); len(audio.Sinks) > 0 && is["pipewire-pulse"] == "active" {
		return nil // another session manager is active
	}
	f := q.found(i18n.HelperSoundDown)
	f.note(q.say(i18n.HelperSoundUnits(is["pipewire"], is["pipewire-pulse"], is["wireplumber"])))
	f.propose(command(soundRestart), q.say(i18n.HelperSoundAskRestartSound(soundRestart)))
	return f
}

func (q *inquiry) soundCard() *finding {
	audio, ok := tryRead(machine.ParseAudio, q.stdout(soundState))
	cards, known := tryRead(machine.ParseSoundCards, q.stdout(soundCards))
	none := known && len(cards) == 0
	real := slices.ContainsFunc(audio.Sinks, func(s machine.AudioNode) bool { return s.Name != "Dummy Output" })
	switch {
	case none && !real:
		return q.noSoundCard()
	case ok && !real:
		f := q.found(i18n.HelperSoundNoSink)
		if len(cards) > 0 {
			f.note(q.say(i18n.HelperSoundCardsLine(firstOf(cards, 3))))
		}
		f.propose(command(soundRestart), q.say(i18n.HelperSoundAskRestartSound(soundRestart)))
		return f
	}
	return nil
}

// noSoundCard searches the kernel's log for missing firmware.
func (q *inquiry) noSoundCard() *finding {
	if !q.collect(soundKernel) {
		return nil
	}
	f := q.found(i18n.HelperSoundNoCard, q.say(i18n.HelperSoundNoCardLine))
	for _, line := range logLines(q.stdout(soundKernel)) {
		if containsAny(line, "intel/sof", "sof firmware", "SOF firmware") && containsAny(line, "failed", "missing") {
			f.note(q.say(i18n.HelperSoundFirmwareLine(cutRunes(journalText(line), 120))))
			f.meaning = q.say(i18n.HelperSoundFirmwareMeans)
			q.proposeInstall(f, "sof-firmware")
			return f
		}
	}
	f.propose(intent.Call("read_logs", "since", "boot", "grep", "snd"), q.say(i18n.HelperSoundAskSoundLog))
	return f
}

// soundLevel checks the default output: muted, silent, or the wrong one.
func (q *inquiry) soundLevel() *finding {
	audio, ok := tryRead(machine.ParseAudio, q.stdout(soundState))
	if !ok {
		running, _, _ := strings.Cut(q.toolReply(q.first).Text, "\n") // the unit's state at boot says nothing about sound
		f := &finding{verdict: running}
		f.note(q.say(i18n.HelperSoundUnseen))
		return f
	}
	f := &finding{}
	if q.reportQuietSink(f, currentNode(audio.Sinks)) {
		return f
	}
	mic := currentNode(audio.Sources)
	switch {
	case mic == nil:
		f.note(q.say(i18n.HelperSoundMicNone))
	case mic.Muted:
		f.verdict = q.say(i18n.HelperSoundMicMuted(mic.Name))
		q.proposeCommand(f, "wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 0", i18n.HelperSoundAskUnmute)
		return f
	default:
		f.note(q.say(i18n.HelperSoundSourceLine(mic.Name, mic.Volume)))
	}
	q.reportSink(f, audio.Sinks)
	return f
}

// reportQuietSink reports a default output that is muted or too quiet.
func (q *inquiry) reportQuietSink(f *finding, sink *machine.AudioNode) bool {
	if sink == nil {
		return false
	}
	line := i18n.HelperSoundSinkLine
	if sink.Muted {
		line = i18n.HelperSoundSinkMuted
	}
	f.note(q.say(line(sink.Name, sink.Volume)))
	switch {
	case sink.Muted:
		unmute := "wpctl set-mute @DEFAULT_AUDIO_SINK@ 0"
		f.verdict = q.say(i18n.HelperSoundMuted(sink.Name))
		f.propose(command(unmute), q.say(i18n.HelperSoundAskUnmute(unmute)))
	case sink.Volume <= 3:
		louder := "wpctl set-volume @DEFAULT_AUDIO_SINK@ 50%"
		f.verdict = q.say(i18n.HelperSoundVolumeZero(sink.Name, sink.Volume))
		f.propose(command(louder), q.say(i18n.HelperSoundAskVolume(louder)))
	default:
		return false
	}
	return true
}

// reportSink reports sound that goes to a monitor although there are speakers.
func (q *inquiry) reportSink(f *finding, sinks []machine.AudioNode) {
	f.verdict, f.meaning = q.say(i18n.HelperSoundFine), q.say(i18n.HelperSoundElse)
	sink := currentNode(sinks)
	if sink == nil || !isHDMI(*sink) {
		return
	}
	f.meaning = q.say(i18n.HelperSoundOnlyHdmi)
	for _, s := range sinks {
		if !isHDMI(s) && s.Name != "Dummy Output" {
			to := "wpctl set-default " + s.ID
			f.verdict, f.meaning = q.say(i18n.HelperSoundPlaysHdmi(sink.Name, s.Name)), ""
			f.propose(command(to), q.say(i18n.HelperSoundAskSpeakers(to)))
			return
		}
	}
}
