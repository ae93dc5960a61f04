package report

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	openEntry = pattern(`^/usr/share/applications/[A-Za-z0-9][A-Za-z0-9._+-]*\.desktop$`)
	openExec  = pattern(`^[A-Za-z0-9/][A-Za-z0-9._/+-]*(?: [A-Za-z0-9._/+=:,@-]+)*$`)
	openField = pattern(` ?%[a-zA-Z]`)
)

// open looks up how to start a desktop program, and offers to start it as a unit of the user's service manager,
// so that it outlives this request.
func (q *inquiry) open() Reply {
	if q.Request == nil || q.Request.ProgramToOpen() == nil {
		return q.toolReply(q.first)
	}
	name := q.Request.ProgramToOpen().Package
	s := q.output(q.first, "")
	byHand := Reply{Text: q.say(i18n.HelperOpenByHand(name))}
	switch {
	case s == nil || s.TimedOut:
		return byHand
	case s.Exit == 1 && strings.Contains(s.Stderr, "was not found"):
		return q.proposeInstall(q.found(i18n.HelperOpenNotHere(name)), name).reply()
	case s.Exit != 0:
		return byHand
	}
	switch entry := desktopEntry(s.Stdout, name); {
	case entry != "":
		return q.openEntry(name, entry)
	case s.Cut || !strings.Contains(s.Stdout, "/usr/"):
		return byHand
	}
	return Reply{Text: q.say(i18n.HelperOpenNoEntry(name))}
}

// openEntry reads the command of a menu entry (Desktop Entry Specification, Exec).
func (q *inquiry) openEntry(name, entry string) Reply {
	exec := command("grep -m1 ^Exec= " + entry)
	if !q.collect(exec) {
		return Reply{}
	}
	_, line, _ := strings.Cut(strings.TrimSpace(q.stdout(exec)), "Exec=")
	line = strings.TrimSpace(openField().ReplaceAllString(line, ""))
	if !openExec().MatchString(line) {
		return Reply{Text: q.say(i18n.HelperOpenByHand(name))}
	}
	text := "systemd-run --user --collect -- " + line
	return q.found(i18n.HelperOpenOpens(name, entry)).
		propose(command(text), q.say(i18n.HelperOpenAskOpen(name, text))).reply()
}

// desktopEntry returns the menu entry among a package's files whose name is most similar, "" for none.
func desktopEntry(files, name string) string {
	best, rank := "", 0
	head, _, _ := strings.Cut(name, "-")
	for _, file := range machine.Lines(files) {
		if !openEntry().MatchString(file) {
			continue
		}
		base := strings.ToLower(strings.TrimSuffix(path.Base(file), ".desktop"))
		n := 1
		switch {
		case base == name:
			n = 4
		case base == head || strings.HasSuffix(base, "."+head):
			n = 3
		case strings.Contains(base, head) && !strings.Contains(base, "handler"):
			n = 2
		}
		if n > rank {
			best, rank = file, n
		}
	}
	return best
}

type level struct {
	percent int
	muted   bool
	command string // the command that printed it
}

// mixer is a program that reads and sets volumes.
type mixer struct {
	state, mutes   intent.Step // mutes is a separate step if state does not include it
	setTo, setMute string      // with %d
}

// mixers returns the mixers for a device, the preferred one first.
func mixers(thing string) []mixer {
	wire, pulse, kind := "@DEFAULT_AUDIO_SINK@", "@DEFAULT_SINK@", "sink"
	if thing == "microphone" {
		wire, pulse, kind = "@DEFAULT_AUDIO_SOURCE@", "@DEFAULT_SOURCE@", "source"
	}
	return []mixer{
		{state: command("wpctl get-volume " + wire), setTo: "wpctl set-volume " + wire + " %d%%", setMute: "wpctl set-mute " + wire + " %d"},
		{
			state: command("pactl get-" + kind + "-volume " + pulse), mutes: command("pactl get-" + kind + "-mute " + pulse),
			setTo: "pactl set-" + kind + "-volume " + pulse + " %d%%", setMute: "pactl set-" + kind + "-mute " + pulse + " %d",
		},
	}
}

func (q *inquiry) level() Reply {
	if q.Request == nil {
		return q.toolReply(q.first)
	}
	switch s, ok := q.Request.Setting(); {
	case !ok:
		return q.toolReply(q.first)
	case s.Thing == "brightness":
		return q.brightness(s)
	default:
		return q.volume(s)
	}
}

func (q *inquiry) isProgramMissing(s intent.Step) bool {
	r := q.resultOf(s)
	return r != nil && r.out != nil && len(r.steps) > 0 && r.steps[len(r.steps)-1].MissingProgram != ""
}

func (q *inquiry) volume(s intent.Setting) Reply {
	for _, m := range mixers(s.Thing) {
		if !q.collect(m.state) {
			return Reply{}
		}
		if q.isProgramMissing(m.state) {
			continue
		}
		if m.mutes.Tool != "" && !q.collect(m.mutes) {
			return Reply{}
		}
		now, ok := q.volumeNow(m)
		if !ok {
			return Reply{Text: q.say(i18n.HelperLevelUnread(m.state.Input["command"].(string)))}
		}
		return q.volumeFinding(s, m, now).reply()
	}
	return Reply{Text: q.say(i18n.HelperLevelNoMixer)}
}

// volumeNow reads the volume from wpctl, or else from pactl.
func (q *inquiry) volumeNow(m mixer) (level, bool) {
	l := level{command: m.state.Input["command"].(string)}
	if v, ok := tryRead(machine.ParseVolume, q.stdout(m.state)); ok {
		l.percent, l.muted = v.Percent, v.Muted
		return l, true
	}
	percent, ok := tryRead(machine.ParsePulseVolume, q.stdout(m.state))
	if !ok || m.mutes.Tool == "" {
		return l, false
	}
	l.percent, l.muted = percent, strings.HasSuffix(strings.TrimSpace(q.stdout(m.mutes)), "yes")
	return l, true
}

func (q *inquiry) volumeFinding(s intent.Setting, m mixer, now level) *finding {
	say := i18n.HelperLevelVolumeIs
	switch {
	case s.Thing == "microphone" && now.muted:
		say = i18n.HelperLevelMicSilent
	case s.Thing == "microphone":
		say = i18n.HelperLevelMicIs
	case now.muted:
		say = i18n.HelperLevelVolumeSilent
	}
	f := q.found(say(now.percent, now.command))
	switch {
	case s.Act == "mute" && now.muted, s.Act == "unmute" && !now.muted:
		f.meaning = q.say(i18n.HelperLevelAlready)
	case s.Act == "mute":
		q.proposeCommand(f, fmt.Sprintf(m.setMute, 1), i18n.HelperLevelAskMute)
	case s.Act == "unmute":
		q.proposeCommand(f, fmt.Sprintf(m.setMute, 0), i18n.HelperSoundAskUnmute)
	default:
		q.proposeLevel(f, s, now.percent, 0, m.setTo)
	}
	return f
}

// proposeLevel proposes the requested level, between least and 100.
func (q *inquiry) proposeLevel(f *finding, s intent.Setting, now, least int, form string) {
	to, known := map[string]int{"set": s.Percent, "up": now + s.Percent, "down": now - s.Percent}[s.Act]
	switch to = max(least, min(to, 100)); {
	case !known:
	case to == now:
		f.meaning = q.say(i18n.HelperLevelAlready)
	default:
		text := fmt.Sprintf(form, to)
		f.propose(command(text), q.say(i18n.HelperLevelAskLevel(to, text)))
	}
}

// minBrightness is the lowest brightness in percent, so that the screen stays readable.
const minBrightness = 5

var backlights = command("ls /sys/class/backlight")

// brightness reads brightnessctl -m. If that program is missing, it reads the kernel's files.
func (q *inquiry) brightness(s intent.Setting) Reply {
	if now, ok := tryRead(machine.ParseBrightness, q.stdout(q.first)); ok {
		out := &finding{verdict: q.say(i18n.HelperLevelBrightnessIs(now, "brightnessctl"))}
		q.proposeLevel(out, s, now, minBrightness, "brightnessctl set %d%%")
		return out.reply()
	}
	if !q.collect(backlights) {
		return Reply{}
	}
	ls := q.output(backlights, "")
	if ls == nil || ls.TimedOut || ls.Exit < 0 || ls.Exit > 2 || ls.Exit != 0 && !strings.Contains(ls.Stderr, "No such file") {
		return Reply{Text: q.say(i18n.HelperLevelBrightUnknown("ls /sys/class/backlight"))}
	}
	names := strings.Fields(ls.Stdout)
	switch {
	case ls.Exit != 0 || len(names) == 0:
		return Reply{Text: q.say(i18n.HelperLevelNoBacklight)}
	case !q.isProgramMissing(q.first) || quoteWord(names[0]) != names[0]:
		return Reply{Text: q.say(i18n.HelperLevelBrightUnknown("brightnessctl -m"))}
	}
	return q.brightnessFromKernel(s, names[0])
}

// brightnessFromKernel reports the brightness from the kernel's files and proposes to install the program that sets it.
func (q *inquiry) brightnessFromKernel(s intent.Setting, name string) Reply {
	at := "/sys/class/backlight/" + name
	files := command("cat " + at + "/brightness " + at + "/max_brightness")
	if !q.collect(files) {
		return Reply{}
	}
	f := &finding{}
	if lines := strings.Fields(q.stdout(files)); len(lines) == 2 {
		now, err := strconv.Atoi(lines[0])
		if most, bad := strconv.Atoi(lines[1]); err == nil && bad == nil && most > 0 && now >= 0 && now <= most {
			f.verdict = q.say(i18n.HelperLevelBrightnessIs((now*100+most/2)/most, at))
		}
	}
	if s.Act == "" && f.verdict != "" {
		return f.reply()
	}
	f.verdict = joinBlocks(f.verdict, q.say(i18n.HelperLevelNoDimmer))
	q.proposeInstall(f, "brightnessctl")
	return f.reply()
}
