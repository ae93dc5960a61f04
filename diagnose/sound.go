package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Sound is the question why there is no sound, or why the microphone does not work.
func Sound() Topic {
	return Topic{ID: "sound", About: i18n.DiagnoseAboutSound, sound: soundWell, causes: []cause{
		{"modules-gone", when((*Facts).hasNoCard, lostModules)},
		{"driver-blocked", when((*Facts).hasNoCard, blocked(noCards, "snd"))},
		{"firmware-missing", when((*Facts).hasNoCard, soundFirmware)},
		{"service-masked", soundMasked},
		{"configuration", soundConfiguration},
		{"service-failed", soundFailed},
		{"service-stopped", soundStopped},
		{"two-servers", twoSoundServers},
		{"profile-off", profileOff},
		{"device-busy", soundBusy},
		{"no-seat", noSeat},
		{"microphone-muted", microphoneMuted},
		{"microphone-zero", microphoneZero},
		{"muted", soundMuted},
		{"volume-zero", soundZero},
		{"mixer-muted", mixerMuted},
		{"wrong-output", wrongOutput},
		{"no-card", when((*Facts).hasNoCard, noSoundCard)},
		{"no-output", noOutput},
	}}
}

var noCards = seeLine(machine.SoundCardsProbe, "--- no soundcards ---")

// hasNoCard reports whether the kernel has no sound card.
func (f *Facts) hasNoCard() bool {
	out, known := f.output(machine.SoundCardsProbe)
	return known && strings.Contains(out.Stdout, "no soundcards")
}

// soundFirmware finds that the firmware of Intel's sound processor is missing: Linux, sound/soc/sof/loader.c.
func soundFirmware(f *Facts) *Finding {
	look := machine.KernelLogProbe("sof")
	lines, _ := f.shown(look)
	line := lineWith(lines, "sof firmware file is missing", "direct firmware load for intel/sof")
	if line == "" {
		return nil
	}
	return proved(i18n.SoundFirmware, noCards, seeLine(look, line)).
		offer(i18n.DesktopFirmwareGoal, install(i18n.DesktopFirmwareGoal, "sof-firmware"))
}

func soundMasked(f *Facts) *Finding {
	if f.units(machine.SoundUnitsProbe).isActive("pulseaudio.service") {
		return nil
	}
	return masked(machine.SoundUnitsProbe, true, "pipewire.socket", "pipewire.service", "wireplumber.service",
		"pipewire-pulse.socket", "pipewire-pulse.service")(f)
}

var configurationFile = form(`(/home/\S+/\.config/(?:pipewire|wireplumber)/[\w./-]+|/etc/(?:pipewire|wireplumber)/[\w./-]+)`)

// soundConfiguration finds a configuration file that PipeWire cannot read: pipewire, src/pipewire/conf.c.
func soundConfiguration(f *Facts) *Finding {
	look := machine.SoundUnitsProbe
	u := f.units(look)
	if u == nil || u.isActive("pipewire.service") && u.isActive("wireplumber.service") {
		return nil
	}
	lines := slices.DeleteFunc(slices.Clone(f.lines(machine.SoundLogProbe)),
		func(line string) bool { return !configurationFile().MatchString(line) })
	line := lineWith(lines, "error", "invalid", "syntax", "failed")
	if line == "" {
		return nil
	}
	file, name := plain(configurationFile().FindString(line)), "pipewire.service"
	if u.isActive(name) {
		name = "wireplumber.service"
	}
	found := proved(i18n.SoundConfiguration(file, name), u.see(look, name), seeLine(machine.SoundLogProbe, line))
	if !strings.HasPrefix(file, "/home/") {
		return found.advise(i18n.SoundConfigurationAdvice(file))
	}
	aside := file + ".off"
	return found.offer(i18n.DesktopAside(file, aside),
		run(i18n.DesktopAside(file, aside), "mv -n -- "+file+" "+aside, "stat -c %n -- "+aside, aside,
			"mv -n -- "+aside+" "+file),
		control(i18n.DesktopStart(name), "restart", name, true))
}

func soundFailed(f *Facts) *Finding {
	for _, name := range []string{"pipewire.service", "wireplumber.service", "pipewire-pulse.service"} {
		if found := f.failed(machine.SoundUnitsProbe, true, name, machine.SoundLogProbe, "error", "fail", "cannot", "can't",
			"denied"); found != nil {
			return found.advise(i18n.SoundFailedAdvice(name))
		}
	}
	return nil
}

func soundStopped(f *Facts) *Finding {
	look := machine.SoundUnitsProbe
	u := f.units(look)
	if u.isActive("pulseaudio.service") || u.isActive("pulseaudio.socket") {
		return nil
	}
	for _, name := range []string{"pipewire", "wireplumber", "pipewire-pulse"} {
		unit, socket := name+".service", name+".socket"
		if u[unit]["LoadState"] != "loaded" || u[unit]["ActiveState"] != "inactive" || u.isActive(socket) {
			continue
		}
		start := unit
		if u[socket]["LoadState"] == "loaded" {
			start = socket
		}
		return proved(i18n.DesktopStopped(unit), u.see(look, unit)).
			offer(i18n.DesktopStart(start), u.start(start, true)...)
	}
	return nil
}

func twoSoundServers(f *Facts) *Finding {
	look := machine.SoundUnitsProbe
	u := f.units(look)
	if !u.isActive("pulseaudio.service") || !u.isActive("pipewire-pulse.service") {
		return nil
	}
	both := " pulseaudio.service pulseaudio.socket"
	return proved(i18n.SoundTwo, u.see(look, "pulseaudio.service"), u.see(look, "pipewire-pulse.service")).
		offer(i18n.SoundTwoGoal,
			run(i18n.SoundTwoGoal, "systemctl --user disable --now"+both,
				"systemctl --user show -p ActiveState pulseaudio.service", "ActiveState=inactive",
				"systemctl --user enable --now"+both),
			control(i18n.DesktopStart("pipewire-pulse"), "restart", "pipewire-pulse.service", true))
}

func profileOff(f *Facts) *Finding {
	cards, _ := parse(f, machine.CardProfilesProbe, machine.ParseCardProfiles)
	for _, c := range cards {
		if c.Active != "off" || c.Best == "" || plain(c.Best) != c.Best || strings.HasPrefix(c.Name, "bluez") ||
			slices.ContainsFunc(cards, func(o machine.CardProfile) bool {
				return o.Active != "off" &&
					strings.Contains(o.Active, "output")
			}) {
			continue
		}
		set := "pactl set-card-profile " + c.Name + " "
		return proved(i18n.SoundProfile(c.Name), seeLine(machine.CardProfilesProbe, c.Name+" Active Profile: off")).
			offer(i18n.SoundProfileGoal(c.Best), run(i18n.SoundProfileGoal(c.Best), set+c.Best, "pactl list cards",
				"Active Profile: "+c.Best, set+"off"))
	}
	return nil
}

// audio returns the outputs, from wpctl status.
func (f *Facts) audio() machine.Audio {
	a, _ := parse(f, machine.AudioProbe, machine.ParseAudio) // without PipeWire there are none
	return a
}

func (f *Facts) hasOnlyDummy() bool {
	sinks := f.audio().Sinks
	return len(sinks) == 1 && sinks[0].Name == "Dummy Output"
}

// soundBusy finds a program that has the output for itself: fuser(1), -v, on the standard error.
func soundBusy(f *Facts) *Finding {
	if !f.hasOnlyDummy() {
		return nil
	}
	out, known := f.output(machine.SoundUsersProbe)
	if !known || out.Cut {
		return nil
	}
	for _, u := range machine.FileUsers(out.Stdout, out.Stderr) {
		if strings.HasPrefix(u.File, "/dev/snd/pcm") && strings.HasSuffix(u.File, "p") &&
			!slices.Contains([]string{"pipewire", "wireplumber", "pulseaudio"}, u.Program) && isWhole(u.PID) {
			return proved(i18n.SoundBusy(machine.CleanLine(u.Program), u.PID, machine.CleanLine(u.File)),
				seeLine(machine.SoundUsersProbe, u.File+" "+u.Program), see(machine.AudioProbe, i18n.DiagnoseLine("Dummy Output"))).
				advise(i18n.SoundBusyAdvice(u.PID))
		}
	}
	return nil
}

// noSeat finds that the person is logged in without a seat, so that the devices are not theirs: sd-login(3).
func noSeat(f *Facts) *Finding {
	if !f.hasOnlyDummy() || f.hasNoCard() {
		return nil
	}
	look := machine.SessionsProbe
	rows := f.lines(look)
	user, member, known := f.inSession("audio")
	if len(rows) == 0 || member || !known {
		return nil
	}
	for _, row := range rows {
		if w := strings.Fields(row); len(w) > 3 && w[2] == user && strings.HasPrefix(w[3], "seat") {
			return nil
		}
	}
	return likely(i18n.SoundSeat(user), see(machine.AudioProbe, i18n.DiagnoseLine("Dummy Output")),
		seeLine(look, rows[0])).advise(i18n.SoundSeatAdvice)
}

// volume returns the volume of the default output or microphone, from PipeWire or PulseAudio.
func (f *Facts) volume(wire, mute, percent machine.Probe) (v machine.Volume, muteLook, volumeLook machine.Probe, ok bool) {
	if v, err := parse(f, wire, machine.ParseVolume); err == nil {
		return v, wire, wire, true
	}
	muted, errMute := parse(f, mute, machine.ParsePulseMute)
	n, errVolume := parse(f, percent, machine.ParsePulseVolume)
	return machine.Volume{Percent: n, Muted: muted}, mute, percent, errMute == nil && errVolume == nil
}

func microphoneMuted(f *Facts) *Finding {
	v, look, _, ok := f.microphoneVolume()
	if !ok || !v.Muted {
		return nil
	}
	return proved(i18n.SoundMicrophone, seeLine(look, "MUTED")).
		offer(i18n.SoundMicrophoneGoal, unmute(i18n.SoundMicrophoneGoal, v, look, "source", "SOURCE"))
}

func microphoneZero(f *Facts) *Finding {
	v, _, look, ok := f.microphoneVolume()
	if !ok || v.Muted || v.Percent > 3 {
		return nil
	}
	return proved(i18n.SoundMicrophoneZero(v.Percent), seeLine(look, f.stdout(look))).
		offer(i18n.SoundMicrophoneUp, setVolume(i18n.SoundMicrophoneUp, look, "source", "SOURCE", "60"))
}

// microphoneVolume is the volume of the default microphone, if the question is about it.
func (f *Facts) microphoneVolume() (v machine.Volume, muteLook, volumeLook machine.Probe, ok bool) {
	if !f.asks(i18n.DesktopWordsMicrophone) {
		return v, nil, nil, false
	}
	return f.volume(machine.MicrophoneVolumeProbe, machine.PulseMicrophoneMuteProbe, machine.PulseMicrophoneVolumeProbe)
}

// setVolume returns the step that raises a volume from zero, in percent.
func setVolume(about i18n.Text, look machine.Probe, kind, wire, percent string) Step {
	if look[0] == "wpctl" {
		set := "wpctl set-volume @DEFAULT_AUDIO_" + wire + "@ "
		return run(about, set+percent+"%", look.String(), "0."+percent, set+"0%")
	}
	set := "pactl set-" + kind + "-volume @DEFAULT_" + wire + "@ "
	return run(about, set+percent+"%", look.String(), percent+"%", set+"0%")
}

func unmute(about i18n.Text, v machine.Volume, look machine.Probe, kind, wire string) Step {
	if look[0] == "wpctl" {
		set := "wpctl set-mute @DEFAULT_AUDIO_" + wire + "@ "
		return run(about, set+"0", look.String(), fmt.Sprintf("Volume: %d.%02d\n", v.Percent/100, v.Percent%100),
			set+"1") // "[MUTED]" is gone
	}
	set := "pactl set-" + kind + "-mute @DEFAULT_" + wire + "@ "
	return run(about, set+"0", look.String(), "no", set+"1")
}

// outputVolume is the volume of the default output, if the question is not about a microphone.
func (f *Facts) outputVolume() (v machine.Volume, muteLook, volumeLook machine.Probe, ok bool) {
	if f.asks(i18n.DesktopWordsMicrophone) {
		return v, nil, nil, false
	}
	return f.volume(machine.OutputVolumeProbe, machine.PulseOutputMuteProbe, machine.PulseOutputVolumeProbe)
}

// current returns the default one of some outputs or microphones, or the only one. Without any, ok is false.
func current(all []machine.AudioNode) (n machine.AudioNode, ok bool) {
	i := slices.IndexFunc(all, func(n machine.AudioNode) bool { return n.Current || len(all) == 1 })
	if i < 0 {
		return n, false
	}
	return all[i], true
}

// withOutput adds the default output to what is seen, if it is known.
func (f *Facts) withOutput(seen Evidence) []Evidence {
	if n, ok := current(f.audio().Sinks); ok {
		return []Evidence{seen, see(machine.AudioProbe, nodeText(n, i18n.SoundSink))}
	}
	return []Evidence{seen}
}

func soundMuted(f *Facts) *Finding {
	v, look, _, ok := f.outputVolume()
	if !ok || !v.Muted {
		return nil
	}
	return proved(i18n.SoundMuted, f.withOutput(seeLine(look, "MUTED"))...).
		offer(i18n.SoundMutedGoal, unmute(i18n.SoundMutedGoal, v, look, "sink", "SINK"))
}

func soundZero(f *Facts) *Finding {
	v, _, look, ok := f.outputVolume()
	if !ok || v.Percent > 3 {
		return nil
	}
	return proved(i18n.SoundZero(v.Percent), f.withOutput(seeLine(look, f.stdout(look)))...).
		offer(i18n.SoundZeroGoal, setVolume(i18n.SoundZeroGoal, look, "sink", "SINK", "40"))
}

// mixerMuted finds the card's own switch off: amixer(1), scontents. The speaker's may be off because of headphones.
func mixerMuted(f *Facts) *Finding {
	if v, _, _, ok := f.outputVolume(); ok && v.Muted || f.asks(i18n.DesktopWordsMicrophone) {
		return nil
	}
	control, off := "", ""
	for _, line := range f.lines(machine.MixerProbe) {
		if name, in := strings.CutPrefix(line, "Simple mixer control '"); in {
			control, _, _ = strings.Cut(name, "'")
		}
		if strings.Contains(line, "Playback") && strings.HasSuffix(line, "[off]") &&
			slices.Contains([]string{"Master", "Speaker"}, control) && off != "Master" {
			off = control
		}
	}
	if off == "" {
		return nil
	}
	found := likely(i18n.SoundMixer(off), seeLine(machine.MixerProbe, off+" [off]"))
	found.Certain = off == "Master"
	set := "amixer -c 0 sset " + off + " "
	return found.offer(i18n.SoundMixerGoal(off), run(i18n.SoundMixerGoal(off), set+"unmute", "amixer -c 0 sget "+off,
		"[on]", set+"mute"))
}

// wrongOutput finds that a monitor's output is chosen while there is another one.
func wrongOutput(f *Facts) *Finding {
	if f.asks(i18n.DesktopWordsMicrophone) {
		return nil
	}
	sinks := f.audio().Sinks
	at := slices.IndexFunc(sinks, func(n machine.AudioNode) bool { return n.Current })
	other := slices.IndexFunc(sinks, func(n machine.AudioNode) bool {
		return !n.Current && !isMonitor(n) && n.Name != "Dummy Output"
	})
	if at < 0 || other < 0 || !isMonitor(sinks[at]) && sinks[at].Name != "Dummy Output" || !isWhole(sinks[other].ID) {
		return nil
	}
	goal := i18n.SoundOutputGoal(sinks[other].Name)
	return likely(i18n.SoundOutput(sinks[at].Name, sinks[other].Name), seeLine(machine.AudioProbe, "* "+sinks[at].Name)).
		offer(goal, run(goal, "wpctl set-default "+sinks[other].ID, machine.OutputProbe.String(), "id "+sinks[other].ID+",",
			"wpctl set-default "+sinks[at].ID))
}

func isMonitor(n machine.AudioNode) bool {
	return lineWith([]string{n.Name}, "hdmi", "displayport", "display port") != ""
}

func noSoundCard(*Facts) *Finding {
	return proved(i18n.SoundNoCard, noCards).advise(i18n.SoundNoCardAdvice)
}

// noOutput finds that the sound server offers no output of a card that the kernel has.
func noOutput(f *Facts) *Finding {
	cards, _ := parse(f, machine.SoundCardsProbe, machine.ParseSoundCards)
	audio, err := parse(f, machine.AudioProbe, machine.ParseAudio)
	if u := f.units(machine.SoundUnitsProbe); err != nil || len(cards) == 0 || len(audio.Sinks) > 0 && !f.hasOnlyDummy() ||
		!u.isActive("wireplumber.service") {
		return nil
	}
	return likely(i18n.SoundNoOutput, seeLine(machine.SoundCardsProbe, cards[0]),
		see(machine.AudioProbe, i18n.DesktopNone)).
		offer(i18n.SoundRestartGoal, control(i18n.SoundRestartGoal, "restart", "pipewire.service", true),
			control(i18n.SoundRestartGoal, "restart", "wireplumber.service", true))
}

// soundWell says how loud the default output and microphone are.
func soundWell(f *Facts) *Finding {
	audio := f.audio()
	output, ok := current(audio.Sinks)
	if !ok {
		return nil
	}
	well := likely(i18n.SoundFine, see(machine.AudioProbe, nodeText(output, i18n.SoundSink)),
		see(machine.AudioProbe, i18n.SoundSourceNone)).advise(i18n.SoundElse)
	if microphone, ok := current(audio.Sources); ok {
		well.Evidence[1].Text = nodeText(microphone, i18n.SoundSource)
	}
	if isMonitor(output) {
		well.Advice = i18n.SoundOnlyMonitor
	}
	return well
}

func nodeText(n machine.AudioNode, text func(name string, volume int) i18n.Text) i18n.Text {
	t := text(machine.CleanLine(n.Name), n.Volume)
	if n.Muted {
		t = i18n.SoundNodeMuted(t)
	}
	return t
}
