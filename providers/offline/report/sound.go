package report

import (
	"regexp"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	saySoundDown     = i18n.T("소리를 맡는 프로그램이 멈춰 있어서 소리가 나지 않아요.", "The programs that make sound are not running.", "负责声音的程序没有运行，所以没有声音。")
	saySoundUnits    = i18n.T("pipewire %[1]s, pipewire-pulse %[2]s, wireplumber %[3]s(`systemctl --user is-active`)", "pipewire %[1]s, pipewire-pulse %[2]s, wireplumber %[3]s (`systemctl --user is-active`)", "pipewire %[1]s，pipewire-pulse %[2]s，wireplumber %[3]s（`systemctl --user is-active`）")
	askRestartSound  = i18n.T("소리 서비스를 다시 시작할까요? (`%[1]s`)", "Shall I restart the sound services? (`%[1]s`)", "要重启声音服务吗？（`%[1]s`）")
	sayNoCard        = i18n.T("커널이 사운드 카드를 하나도 찾지 못했어요.", "The kernel has found no sound card.", "内核没有找到任何声卡。")
	sayNoCardLine    = i18n.T("사운드 카드: 없음(`/proc/asound/cards`)", "Sound cards: none (`/proc/asound/cards`)", "声卡：无（`/proc/asound/cards`）")
	sayCardsLine     = i18n.T("사운드 카드: %[1]s(`/proc/asound/cards`)", "Sound cards: %[1]s (`/proc/asound/cards`)", "声卡：%[1]s（`/proc/asound/cards`）")
	sayFirmwareLine  = i18n.T("커널 로그: %[1]s", "Kernel log: %[1]s", "内核日志：%[1]s")
	sayFirmwareMeans = i18n.T("이 카드에는 펌웨어(sof-firmware)가 필요해요. 설치하면 다음 부팅부터 쓰여요. 재부팅하기 전에 \"재부팅해도 돼?\"라고 물어보세요.", "This card needs its firmware (sof-firmware); once installed, it is used from the next boot. Before you reboot, ask \"can I reboot?\".", "这块声卡需要固件（sof-firmware），安装后从下次启动起生效。重启前请先问“可以重启吗”。")
	askSoundLog      = i18n.T("커널 로그에서 소리 장치 오류를 찾아볼까요?", "Shall I look for sound errors in the kernel log?", "要在内核日志中查找声音设备的错误吗？")
	sayNoSink        = i18n.T("사운드 카드는 있지만 소리를 내보낼 출력 장치가 잡히지 않았어요.", "There is a sound card, but no output to play to.", "有声卡，但没有可用的输出设备。")
	sayMuted         = i18n.T("기본 출력 장치(%[1]s)가 음소거되어 있어요.", "The default output (%[1]s) is muted.", "默认输出设备（%[1]s）已静音。")
	sayVolumeZero    = i18n.T("기본 출력 장치(%[1]s)의 음량이 %[2]d%%예요.", "The volume of the default output (%[1]s) is %[2]d%%.", "默认输出设备（%[1]s）的音量为 %[2]d%%。")
	saySinkLine      = i18n.T("기본 출력: %[1]s, 음량 %[2]d%%(`wpctl status`)", "Default output: %[1]s, volume %[2]d%% (`wpctl status`)", "默认输出：%[1]s，音量 %[2]d%%（`wpctl status`）")
	saySinkMuted     = i18n.T("기본 출력: %[1]s, 음량 %[2]d%%, 음소거(`wpctl status`)", "Default output: %[1]s, volume %[2]d%%, muted (`wpctl status`)", "默认输出：%[1]s，音量 %[2]d%%，已静音（`wpctl status`）")
	saySourceLine    = i18n.T("기본 마이크: %[1]s, 음량 %[2]d%%(`wpctl status`)", "Default microphone: %[1]s, volume %[2]d%% (`wpctl status`)", "默认麦克风：%[1]s，音量 %[2]d%%（`wpctl status`）")
	sayMicMuted      = i18n.T("소리 출력에는 문제가 보이지 않지만, 마이크(%[1]s)가 음소거되어 있어요.", "The output looks right, but the microphone (%[1]s) is muted.", "声音输出没有发现问题，但麦克风（%[1]s）已静音。")
	sayMicNone       = i18n.T("마이크: 없음(`wpctl status`)", "Microphone: none (`wpctl status`)", "麦克风：无（`wpctl status`）")
	askUnmute        = i18n.T("음소거를 풀까요? (`%[1]s`)", "Shall I unmute it? (`%[1]s`)", "要取消静音吗？（`%[1]s`）")
	askVolume        = i18n.T("음량을 50%%로 올릴까요? (`%[1]s`)", "Shall I set it to 50%%? (`%[1]s`)", "要调到 50%% 吗？（`%[1]s`）")
	sayPlaysHDMI     = i18n.T("소리가 모니터(HDMI) 쪽(%[1]s)으로 나가고 있어요. 스피커는 %[2]s{이에요/예요}.", "Sound goes to the monitor (HDMI): %[1]s. The speakers are %[2]s.", "声音输出到显示器（HDMI）：%[1]s。扬声器是 %[2]s。")
	askSpeakers      = i18n.T("스피커로 바꿀까요? (`%[1]s`)", "Shall I switch to the speakers? (`%[1]s`)", "要切换到扬声器吗？（`%[1]s`）")
	sayOnlyHDMI      = i18n.T("출력이 모니터(HDMI)뿐이에요. 스피커나 이어폰이 꽂혀 있는지 확인해 주세요.", "The monitor (HDMI) is the only output; check that speakers or headphones are plugged in.", "只有显示器（HDMI）一个输出；请检查扬声器或耳机是否插好。")
	saySoundFine     = i18n.T("소리 설정에는 문제가 보이지 않아요.", "The sound setup looks right.", "声音设置没有发现问题。")
	saySoundElse     = i18n.T("그래도 안 들리면 그 프로그램 자체의 음량과, 스피커·이어폰의 연결과 전원을 확인해 주세요.", "If nothing is heard, check the volume of that program, and the plug and power of the speakers.", "如果仍听不到，请检查该程序自身的音量以及扬声器的连接和电源。")
	saySoundUnseen   = i18n.T("출력 장치의 상태는 알아보지 못했어요(`wpctl status`).", "The state of the outputs could not be read (`wpctl status`).", "无法读取输出设备的状态（`wpctl status`）。")
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
	f := &finding{verdict: q.say(saySoundDown)}
	f.note(q.say(saySoundUnits, is["pipewire"], is["pipewire-pulse"], is["wireplumber"]))
	f.propose(command(soundRestart), q.say(askRestartSound, soundRestart))
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
		f := &finding{verdict: q.say(sayNoSink)}
		if len(cards) > 0 {
			f.note(q.say(sayCardsLine, strings.Join(cards[:min(3, len(cards))], ", ")))
		}
		f.propose(command(soundRestart), q.say(askRestartSound, soundRestart))
		return f
	}
	return nil
}

// noSoundCard searches the kernel's log for missing firmware.
func (q *inquiry) noSoundCard() *finding {
	if !q.collect(soundKernel) {
		return nil
	}
	f := &finding{verdict: q.say(sayNoCard), evidence: []string{q.say(sayNoCardLine)}}
	for _, line := range journalLines(q.stdout(soundKernel)) {
		if containsAny(line, "intel/sof", "sof firmware", "SOF firmware") && containsAny(line, "failed", "missing") {
			m := journalRegexps().prefix.FindStringSubmatch(line)
			if m != nil {
				line = m[2]
			}
			f.note(q.say(sayFirmwareLine, cutRunes(line, 120)))
			f.meaning = q.say(sayFirmwareMeans)
			f.propose(intent.Call("install_package", "name", "sof-firmware"), q.say(askInstallIt, "sof-firmware"))
			return f
		}
	}
	f.propose(intent.Call("read_logs", "since", "boot", "grep", "snd"), q.say(askSoundLog))
	return f
}

// soundLevel checks the default output: muted, silent, or the wrong one.
func (q *inquiry) soundLevel() *finding {
	sinks, sources, ok := parseAudio(q.stdout(soundState))
	if !ok {
		running, _, _ := strings.Cut(q.toolReply(q.first).Text, "\n") // the unit's state at boot says nothing about sound
		f := &finding{verdict: running}
		f.note(q.say(saySoundUnseen))
		return f
	}
	f := &finding{}
	if q.reportQuietSink(f, currentNode(sinks)) {
		return f
	}
	mic := currentNode(sources)
	switch {
	case mic == nil:
		f.note(q.say(sayMicNone))
	case mic.muted:
		f.verdict = q.say(sayMicMuted, mic.name)
		unmute := "wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 0"
		f.propose(command(unmute), q.say(askUnmute, unmute))
		return f
	default:
		f.note(q.say(saySourceLine, mic.name, mic.volume))
	}
	q.reportSink(f, sinks)
	return f
}

// reportQuietSink reports a default output that is muted or too quiet.
func (q *inquiry) reportQuietSink(f *finding, sink *audioNode) bool {
	if sink == nil {
		return false
	}
	line := saySinkLine
	if sink.muted {
		line = saySinkMuted
	}
	f.note(q.say(line, sink.name, sink.volume))
	switch {
	case sink.muted:
		unmute := "wpctl set-mute @DEFAULT_AUDIO_SINK@ 0"
		f.verdict = q.say(sayMuted, sink.name)
		f.propose(command(unmute), q.say(askUnmute, unmute))
	case sink.volume <= 3:
		louder := "wpctl set-volume @DEFAULT_AUDIO_SINK@ 50%"
		f.verdict = q.say(sayVolumeZero, sink.name, sink.volume)
		f.propose(command(louder), q.say(askVolume, louder))
	default:
		return false
	}
	return true
}

// reportSink reports sound that goes to a monitor although there are speakers.
func (q *inquiry) reportSink(f *finding, sinks []audioNode) {
	f.verdict, f.meaning = q.say(saySoundFine), q.say(saySoundElse)
	sink := currentNode(sinks)
	if sink == nil || !sink.hdmi() {
		return
	}
	f.meaning = q.say(sayOnlyHDMI)
	for _, s := range sinks {
		if !s.hdmi() && s.name != "Dummy Output" {
			to := "wpctl set-default " + s.id
			f.verdict, f.meaning = q.say(sayPlaysHDMI, sink.name, s.name), ""
			f.propose(command(to), q.say(askSpeakers, to))
			return
		}
	}
}
