package report

import (
	"regexp"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	soundUnits   = []string{"pipewire", "pipewire-pulse", "wireplumber"}
	soundState   = command("wpctl status")
	soundCards   = command("cat /proc/asound/cards")
	soundKernel  = command(`journalctl --no-pager -k -b -n 100 -g "sof|snd_|hdaudio"`)
	soundRestart = "systemctl --user restart wireplumber pipewire pipewire-pulse"
)

// audioNode is an output or a microphone of wpctl status.
type audioNode struct {
	id, name       string
	volume         int // percent
	muted, current bool
}

func (n audioNode) hdmi() bool {
	return containsAny(strings.ToLower(n.name), "hdmi", "displayport", "display port")
}

var nodeRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ │├└─|]*(\*)?\s*(\d+)\.\s+(.*?)\s*\[vol: (\d+)\.(\d\d)( MUTED)?\]$`)
})

// parseAudio parses the outputs and microphones of wpctl status (wireplumber): sections with headings, the
// default marked with a star.
func parseAudio(text string) (sinks, sources []audioNode, ok bool) {
	part, section := "", ""
	for _, line := range outputLines(text) {
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
		n := audioNode{id: f[2], name: cutRunes(f[3], 60), muted: f[6] != "", current: f[1] != ""}
		if whole, good := parseNumber(f[4] + "." + f[5]); good && whole <= 10 {
			n.volume = int(whole*100 + 0.5)
		}
		switch section {
		case "Sinks:":
			sinks = append(sinks, n)
		case "Sources:":
			sources = append(sources, n)
		}
	}
	return sinks, sources, ok
}

// currentNode returns the default node, or the only one.
func currentNode(list []audioNode) *audioNode {
	for i := range list {
		if list[i].current || len(list) == 1 {
			return &list[i]
		}
	}
	return nil
}

// parseSoundCards parses /proc/asound/cards: " 0 [PCH ]: HDA-Intel - HDA Intel PCH". none reports that the
// kernel found no card.
func parseSoundCards(text string) (cards []string, none bool) {
	for _, line := range outputLines(text) {
		if _, name, ok := strings.Cut(line, "]: "); ok {
			if _, card, ok := strings.Cut(name, " - "); ok {
				name = card
			}
			cards = append(cards, name)
		}
	}
	return cards, strings.Contains(text, "no soundcards")
}

// sound checks the sound server, the card, then the volume.
func (q *inquiry) sound() Reply {
	if !q.collect(q.first, unitStateStep(true, soundUnits...), soundState, soundCards) {
		return Reply{}
	}
	if q.output(soundState, "") == nil && q.output(soundCards, "") == nil {
		return q.toolReply(q.first)
	}
	return conclude(q.firstBroken(q.soundServer, q.soundCard, q.soundLevel))
}

func (q *inquiry) soundServer() *finding {
	is := unitStates(q.anyStdout(unitStateStep(true, soundUnits...)), soundUnits...)
	if is == nil || is["pipewire"] == "active" && is["wireplumber"] == "active" && is["pipewire-pulse"] == "active" {
		return nil
	}
	if sinks, _, ok := parseAudio(q.stdout(soundState)); ok && len(sinks) > 0 && is["pipewire-pulse"] == "active" {
		return nil // another session manager is active
	}
	f := &finding{verdict: q.say(i18n.HelperSoundDown)}
	f.note(q.say(i18n.HelperSoundUnits(is["pipewire"], is["pipewire-pulse"], is["wireplumber"])))
	f.propose(command(soundRestart), q.say(i18n.HelperSoundAskRestartSound(soundRestart)))
	return f
}

func (q *inquiry) soundCard() *finding {
	sinks, _, ok := parseAudio(q.stdout(soundState))
	cards, none := parseSoundCards(q.stdout(soundCards))
	real := false
	for _, s := range sinks {
		real = real || s.name != "Dummy Output"
	}
	switch {
	case none && !real:
		return q.noSoundCard()
	case ok && !real:
		f := &finding{verdict: q.say(i18n.HelperSoundNoSink)}
		if len(cards) > 0 {
			f.note(q.say(i18n.HelperSoundCardsLine(strings.Join(cards[:min(3, len(cards))], ", "))))
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
	f := &finding{verdict: q.say(i18n.HelperSoundNoCard), evidence: []string{q.say(i18n.HelperSoundNoCardLine)}}
	for _, line := range journalLines(q.stdout(soundKernel)) {
		if containsAny(line, "intel/sof", "sof firmware", "SOF firmware") && containsAny(line, "failed", "missing") {
			m := journalRegexps().prefix.FindStringSubmatch(line)
			if m != nil {
				line = m[2]
			}
			f.note(q.say(i18n.HelperSoundFirmwareLine(cutRunes(line, 120))))
			f.meaning = q.say(i18n.HelperSoundFirmwareMeans)
			f.propose(intent.Call("install_package", "name", "sof-firmware"), q.say(i18n.HelperPackagesAskInstallIt("sof-firmware")))
			return f
		}
	}
	f.propose(intent.Call("read_logs", "since", "boot", "grep", "snd"), q.say(i18n.HelperSoundAskSoundLog))
	return f
}

// soundLevel checks the default output: muted, silent, or the wrong one.
func (q *inquiry) soundLevel() *finding {
	sinks, sources, ok := parseAudio(q.stdout(soundState))
	if !ok {
		running, _, _ := strings.Cut(q.toolReply(q.first).Text, "\n") // the unit's state at boot says nothing about sound
		f := &finding{verdict: running}
		f.note(q.say(i18n.HelperSoundUnseen))
		return f
	}
	f := &finding{}
	if q.reportQuietSink(f, currentNode(sinks)) {
		return f
	}
	mic := currentNode(sources)
	switch {
	case mic == nil:
		f.note(q.say(i18n.HelperSoundMicNone))
	case mic.muted:
		f.verdict = q.say(i18n.HelperSoundMicMuted(mic.name))
		unmute := "wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 0"
		f.propose(command(unmute), q.say(i18n.HelperSoundAskUnmute(unmute)))
		return f
	default:
		f.note(q.say(i18n.HelperSoundSourceLine(mic.name, mic.volume)))
	}
	q.reportSink(f, sinks)
	return f
}

// reportQuietSink reports a default output that is muted or too quiet.
func (q *inquiry) reportQuietSink(f *finding, sink *audioNode) bool {
	if sink == nil {
		return false
	}
	line := i18n.HelperSoundSinkLine
	if sink.muted {
		line = i18n.HelperSoundSinkMuted
	}
	f.note(q.say(line(sink.name, sink.volume)))
	switch {
	case sink.muted:
		unmute := "wpctl set-mute @DEFAULT_AUDIO_SINK@ 0"
		f.verdict = q.say(i18n.HelperSoundMuted(sink.name))
		f.propose(command(unmute), q.say(i18n.HelperSoundAskUnmute(unmute)))
	case sink.volume <= 3:
		louder := "wpctl set-volume @DEFAULT_AUDIO_SINK@ 50%"
		f.verdict = q.say(i18n.HelperSoundVolumeZero(sink.name, sink.volume))
		f.propose(command(louder), q.say(i18n.HelperSoundAskVolume(louder)))
	default:
		return false
	}
	return true
}

// reportSink reports sound that goes to a monitor although there are speakers.
func (q *inquiry) reportSink(f *finding, sinks []audioNode) {
	f.verdict, f.meaning = q.say(i18n.HelperSoundFine), q.say(i18n.HelperSoundElse)
	sink := currentNode(sinks)
	if sink == nil || !sink.hdmi() {
		return
	}
	f.meaning = q.say(i18n.HelperSoundOnlyHdmi)
	for _, s := range sinks {
		if !s.hdmi() && s.name != "Dummy Output" {
			to := "wpctl set-default " + s.id
			f.verdict, f.meaning = q.say(i18n.HelperSoundPlaysHdmi(sink.name, s.name)), ""
			f.propose(command(to), q.say(i18n.HelperSoundAskSpeakers(to)))
			return
		}
	}
}
