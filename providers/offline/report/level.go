package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayVolumeIs      = i18n.T("지금 음량은 %[1]d%%예요(`%[2]s`).", "The volume is %[1]d%% (`%[2]s`).", "当前音量为 %[1]d%%（`%[2]s`）。")
	sayVolumeSilent  = i18n.T("지금 음량은 %[1]d%%이고 음소거되어 있어요(`%[2]s`).", "The volume is %[1]d%%, and it is muted (`%[2]s`).", "当前音量为 %[1]d%%，已静音（`%[2]s`）。")
	sayMicIs         = i18n.T("지금 마이크 음량은 %[1]d%%예요(`%[2]s`).", "The microphone's volume is %[1]d%% (`%[2]s`).", "当前麦克风音量为 %[1]d%%（`%[2]s`）。")
	sayMicSilent     = i18n.T("지금 마이크 음량은 %[1]d%%이고 음소거되어 있어요(`%[2]s`).", "The microphone's volume is %[1]d%%, and it is muted (`%[2]s`).", "当前麦克风音量为 %[1]d%%，已静音（`%[2]s`）。")
	sayBrightnessIs  = i18n.T("지금 화면 밝기는 %[1]d%%예요(`%[2]s`).", "The screen's brightness is %[1]d%% (`%[2]s`).", "当前屏幕亮度为 %[1]d%%（`%[2]s`）。")
	sayLevelAlready  = i18n.T("이미 그 상태라서 바꿀 것이 없어요.", "It is that way already, so there is nothing to change.", "已经是这样了，无需更改。")
	askLevel         = i18n.T("%[1]d%%로 바꿀까요? (`%[2]s`)", "Shall I set it to %[1]d%%? (`%[2]s`)", "要调到 %[1]d%% 吗？（`%[2]s`）")
	askMute          = i18n.T("음소거할까요? (`%[1]s`)", "Shall I mute it? (`%[1]s`)", "要静音吗？（`%[1]s`）")
	sayNoMixer       = i18n.T("음량을 다룰 프로그램이 없어요. `wpctl`(wireplumber 패키지)이나 `pactl`(libpulse 패키지)이 있어야 해요.", "Nothing here can set the volume: neither `wpctl` (package wireplumber) nor `pactl` (package libpulse) is installed.", "没有可以调节音量的程序：`wpctl`（wireplumber 软件包）和 `pactl`（libpulse 软件包）都没有安装。")
	sayLevelUnread   = i18n.T("지금 음량을 읽지 못해서 아무것도 바꾸지 않았어요(`%[1]s`). 소리 서비스가 꺼져 있을 수 있어요: \"소리가 안 나요\"라고 물어보세요.", "The volume could not be read, so I changed nothing (`%[1]s`). The sound service may be off: ask \"there is no sound\".", "无法读取当前音量，因此没有更改（`%[1]s`）。声音服务可能没有运行，可以问我“没有声音”。")
	sayNoBacklight   = i18n.T("밝기를 조절할 수 있는 화면이 없어요(`ls /sys/class/backlight`). 따로 있는 모니터라면 모니터의 버튼으로 조절하세요.", "No screen here lets its brightness be set (`ls /sys/class/backlight`). A separate monitor has buttons of its own for it.", "没有可以调节亮度的屏幕（`ls /sys/class/backlight`）。外接显示器请用它自己的按键调节。")
	sayNoDimmer      = i18n.T("밝기를 바꾸는 `brightnessctl`이 설치되어 있지 않아요.", "`brightnessctl`, which sets the brightness, is not installed.", "没有安装调节亮度的 `brightnessctl`。")
	sayBrightUnknown = i18n.T("화면 밝기를 읽지 못해서 아무것도 바꾸지 않았어요(`%[1]s`).", "The brightness could not be read, so I changed nothing (`%[1]s`).", "无法读取屏幕亮度，因此没有更改（`%[1]s`）。")
)

// level is a volume or brightness.
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

type levelForms struct{ wire, pulse, bright *regexp.Regexp }

var levelRegexps = sync.OnceValue(func() levelForms {
	return levelForms{
		wire:   regexp.MustCompile(`^Volume: (\d+\.\d+)( \[MUTED\])?$`),
		pulse:  regexp.MustCompile(`/\s*(\d{1,3})%\s*/`),
		bright: regexp.MustCompile(`^[^,]+,backlight,\d+,(\d{1,3})%,\d+$`),
	}
})

// level reports the volume or brightness, and offers the requested change.
func (q *inquiry) level() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	var s intent.Setting
	ok := q.Request != nil
	if ok {
		s, ok = q.Request.Setting()
	}
	switch {
	case !ok:
		return q.toolReply(q.first)
	case s.Thing == "brightness":
		return q.brightness(s)
	}
	return q.volume(s)
}

// isProgramMissing reports whether the program of a step is not installed.
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
			return Reply{Text: q.say(sayLevelUnread, m.state.Input["command"])}
		}
		return q.volumeFinding(s, m, now).reply()
	}
	return Reply{Text: q.say(sayNoMixer)}
}

// volumeNow parses "Volume: 0.40 [MUTED]" (wpctl) or the first percentage (pactl), whose text is localised.
func (q *inquiry) volumeNow(m mixer) (level, bool) {
	text := strings.TrimSpace(q.stdout(m.state))
	l := level{command: m.state.Input["command"].(string)}
	if f := levelRegexps().wire.FindStringSubmatch(text); f != nil {
		whole, ok := parseNumber(f[1])
		l.percent, l.muted = int(whole*100+0.5), f[2] != ""
		return l, ok && whole <= 10
	}
	f := levelRegexps().pulse.FindStringSubmatch(text)
	if f == nil || m.mutes.Tool == "" {
		return l, false
	}
	l.percent, _ = strconv.Atoi(f[1])
	l.muted = strings.HasSuffix(strings.TrimSpace(q.stdout(m.mutes)), "yes")
	return l, true
}

func (q *inquiry) volumeFinding(s intent.Setting, m mixer, now level) finding {
	say := map[bool]i18n.Text{false: sayVolumeIs, true: sayVolumeSilent}[now.muted]
	if s.Thing == "microphone" {
		say = map[bool]i18n.Text{false: sayMicIs, true: sayMicSilent}[now.muted]
	}
	f := finding{verdict: q.say(say, now.percent, now.command)}
	switch {
	case s.Act == "mute" && now.muted, s.Act == "unmute" && !now.muted:
		f.meaning = q.say(sayLevelAlready)
	case s.Act == "mute":
		text := fmt.Sprintf(m.setMute, 1)
		f.propose(command(text), q.say(askMute, text))
	case s.Act == "unmute":
		text := fmt.Sprintf(m.setMute, 0)
		f.propose(command(text), q.say(askUnmute, text))
	default:
		q.proposeLevel(&f, s, now.percent, 0, m.setTo)
	}
	return f
}

// proposeLevel proposes the requested level, between least and 100.
func (q *inquiry) proposeLevel(f *finding, s intent.Setting, now, least int, form string) {
	to := s.Percent
	switch s.Act {
	case "up":
		to = now + s.Percent
	case "down":
		to = now - s.Percent
	case "set":
	default:
		return
	}
	if to = max(least, min(to, 100)); to == now {
		f.meaning = q.say(sayLevelAlready)
		return
	}
	text := fmt.Sprintf(form, to)
	f.propose(command(text), q.say(askLevel, to, text))
}

// minBrightness is the lowest brightness in percent, so that the screen stays readable.
const minBrightness = 5

var backlights = command("ls /sys/class/backlight")

// brightness parses "intel_backlight,backlight,9600,50%,19200" (brightnessctl -m). If that program is missing,
// it reads the kernel's files.
func (q *inquiry) brightness(s intent.Setting) Reply {
	if f := levelRegexps().bright.FindStringSubmatch(strings.TrimSpace(q.stdout(q.first))); f != nil {
		now, _ := strconv.Atoi(f[1])
		out := finding{verdict: q.say(sayBrightnessIs, now, "brightnessctl")}
		q.proposeLevel(&out, s, now, minBrightness, "brightnessctl set %d%%")
		return out.reply()
	}
	if !q.collect(backlights) {
		return Reply{}
	}
	ls := q.output(backlights, "")
	if ls == nil || ls.TimedOut || ls.Exit < 0 || ls.Exit > 2 || ls.Exit != 0 && !strings.Contains(ls.Stderr, "No such file") {
		return Reply{Text: q.say(sayBrightUnknown, "ls /sys/class/backlight")}
	}
	names := strings.Fields(ls.Stdout)
	switch {
	case ls.Exit != 0 || len(names) == 0:
		return Reply{Text: q.say(sayNoBacklight)}
	case !q.isProgramMissing(q.first) || quoteWord(names[0]) != names[0]:
		return Reply{Text: q.say(sayBrightUnknown, "brightnessctl -m")}
	}
	return q.brightnessFromKernel(s, names[0])
}

// brightnessFromKernel reports the brightness from the kernel's files and proposes to install the program that sets
// it.
func (q *inquiry) brightnessFromKernel(s intent.Setting, name string) Reply {
	at := "/sys/class/backlight/" + name
	files := command("cat " + at + "/brightness " + at + "/max_brightness")
	if !q.collect(files) {
		return Reply{}
	}
	f := finding{}
	if lines := strings.Fields(q.stdout(files)); len(lines) == 2 {
		now, err := strconv.Atoi(lines[0])
		most, bad := strconv.Atoi(lines[1])
		if err == nil && bad == nil && most > 0 && now >= 0 && now <= most {
			f.verdict = q.say(sayBrightnessIs, (now*100+most/2)/most, at)
		}
	}
	if s.Act == "" && f.verdict != "" {
		return f.reply()
	}
	f.verdict = joinBlocks(f.verdict, q.say(sayNoDimmer))
	f.propose(intent.Call("install_package", "name", "brightnessctl"), q.say(askInstallIt, "brightnessctl"))
	return f.reply()
}
