package intent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wishText returns a wish as "verb act object amount".
func wishText(p Plan) string {
	var words []string
	for _, s := range p.Steps {
		if s.Tool != "desktop" {
			return ""
		}
		for _, key := range []string{"verb", "act", "object", "amount"} {
			if text, _ := s.Input[key].(string); text != "" {
				words = append(words, text)
			}
		}
	}
	return strings.Join(words, " ")
}

// TestU10LevelsAreLookedAtAndSet requests changes of volume and brightness.
func TestU10LevelsAreLookedAtAndSet(t *testing.T) {
	for want, texts := range map[string][]string{
		"volume set 50":      {"set volume to 50%", "set the volume to 50", "volume 50 percent", "please change the volume to 50%", "볼륨 50%로 해줘", "음량을 50으로 맞춰줘", "소리 50%로 맞춰줘", "把音量调到50%", "音量设为50%"},
		"volume up":          {"volume up", "turn the volume up", "can you raise the volume?", "make it louder", "소리 키워줘", "볼륨 좀 올려줘", "소리 좀 크게 해줘", "调大音量", "声音大一点"},
		"volume up 5":        {"volume up by 5%", "raise the volume 5%", "소리 5% 올려줘", "소리 조금만 키워줘"},
		"volume down":        {"volume down", "turn down the volume", "볼륨 낮춰줘", "소리 줄여줘", "音量调小"},
		"volume mute":        {"mute", "mute the sound", "음소거", "소리 꺼줘", "静音"},
		"volume unmute":      {"unmute", "unmute the speakers", "음소거 해제해줘", "소리 켜줘", "取消静音"},
		"microphone mute":    {"mute my mic", "마이크 음소거해줘", "麦克风静音"},
		"brightness set 40":  {"set brightness to 40%", "밝기 40%로 해줘", "亮度调到40%"},
		"brightness up":      {"brightness up", "make the screen brighter", "increase the brightness", "화면 밝기 올려줘", "화면 밝게 해줘", "屏幕调亮一点", "调高亮度"},
		"brightness down":    {"dim the screen", "lower the brightness", "밝기 낮춰줘", "화면 어둡게", "屏幕调暗", "亮度低一点"},
		"brightness set 100": {"max brightness", "밝기 최대로", "亮度最大"},
		"volume show":        {"what is the volume?", "음량 얼마야?", "音量是多少？"},
		"brightness show":    {"what's the brightness?", "밝기 몇이야?"},
		"microphone unmute":  {"unmute my microphone", "마이크 음소거 풀어줘"},
	} {
		for _, text := range texts {
			p := shared().Understand(text, Context{})
			require.Equal(t, want, wishText(p), "%s: %s", text, p.Why())
			require.True(t, p.Steps[0].IsReadOnly(), text)
			require.Equal(t, []string{"wish"}, p.Diagnoses, text)
		}
	}
}

// TestU10OtherLevelsAreLeftAlone mentions other volumes and lights, and prohibits changes.
func TestU10OtherLevelsAreLeftAlone(t *testing.T) {
	for _, text := range []string{
		"the volume /data is full", "how full is the docker volume", "btrfs 볼륨 얼마나 찼어", "turn up the heating", "set an alarm volume", "keyboard backlight brightness up", "turn the tv volume up", "티비 소리 줄여줘", "把电视音量调大", "팬 소리 좀 줄여줘",
		"don't mute", "do not change the volume", "음소거하지 마", "밝기 올리지 마", "不要静音", "there is no sound", "소리가 안 나요", "没有声音", "why is the volume so low?",
	} {
		require.Empty(t, wishText(shared().Understand(text, Context{})), text)
	}
}

// TestU10ProgramsAreOpened asks to open programs, and uses similar phrases with another meaning.
func TestU10ProgramsAreOpened(t *testing.T) {
	frames := []string{"open %s", "please open %s", "can you launch %s?", "start %s", "%s 켜줘", "%s 열어줘", "%s 좀 실행해줘", "打开 %s", "帮我启动 %s"}
	for _, name := range []string{"firefox", "gimp", "vlc"} {
		for _, frame := range frames {
			text := strings.ReplaceAll(frame, "%s", name)
			p := shared().Understand(text, Context{})
			require.Equal(t, "open program "+name, wishText(p), "%s: %s", text, p.Why())
			require.Equal(t, []string{"wish"}, p.Diagnoses, text)
			require.True(t, p.Steps[0].IsReadOnly(), text)
		}
	}
	for _, text := range []string{"open ports", "is firefox open?", "why does firefox not open?", "don't open firefox", "파이어폭스 열지 마", "firefox 켜지 마", "不要打开 firefox", "install firefox", "크롬으로 유튜브 틀어줘", "what is open", "open the garage door", "start docker"} {
		require.Empty(t, wishText(shared().Understand(text, Context{})), text)
	}
}

// TestU10TheHostNameIsTold asks for this computer's name, and to change it.
func TestU10TheHostNameIsTold(t *testing.T) {
	for _, text := range []string{"hostname", "what is my hostname?", "show me the host name", "what's the name of this computer", "what is this machine called?", "my computer name", "호스트 이름 뭐야", "호스트네임 알려줘", "내 컴퓨터 이름이 뭐야?", "主机名", "我的主机名是什么？", "这台电脑的主机名叫什么"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []Step{Call("run_command", "command", "uname -n")}, p.Steps, "%s: %s", text, p.Why())
		require.Equal(t, []string{"hostname"}, p.Diagnoses, text)
	}
	for _, text := range []string{"change the hostname", "set my hostname to tiger", "호스트 이름 바꿔줘", "修改主机名", "what is my name?", "내 이름이 뭐야"} {
		require.NotContains(t, shared().Understand(text, Context{}).Steps, Call("run_command", "command", "uname -n"), text)
	}
}

// TestU10WordsThatOnlyContainAWordAreAskedBack uses words that contain a known word, and words for a duration
// without a subject.
func TestU10WordsThatOnlyContainAWordAreAskedBack(t *testing.T) {
	for _, text := range []string{"forever", "forevermore", "takes forever", "slow", "diskette", "bootlegs", "memorial", "wifiness", "updateless", "batteryish", "영원히", "오래", "永远", "很久", "longer", "quickly"} {
		p := shared().Understand(text, Context{})
		for _, s := range append(p.Steps, p.NearestSteps...) {
			require.NotEqual(t, "check_boot", s.Tool, "%s: %s", text, p.Why())
		}
	}
}

// TestU10KeysAreNotShown asks for files that contain keys, and for others.
func TestU10KeysAreNotShown(t *testing.T) {
	for _, text := range []string{"show me ~/.ssh/id_rsa", "cat ~/.ssh/id_ed25519", "~/.ssh/id_rsa 보여줘", "显示 ~/.ssh/id_rsa", "show me /etc/ssh/ssh_host_rsa_key"} {
		p := shared().Understand(text, Context{})
		if len(p.Steps) > 0 { // the gate judges literal commands
			require.Equal(t, "run_command", p.Steps[0].Tool, text)
			require.Contains(t, text, "cat ", text)
			continue
		}
		require.Equal(t, "secret", p.Topic, text)
	}
	for text, file := range map[string]string{"show me ~/.ssh/id_rsa.pub": "~/.ssh/id_rsa.pub", "/boot/loader/loader.conf 보여줘": "/boot/loader/loader.conf", "/etc/fstab 내용 알려줘": "/etc/fstab", "/etc/fstab 里写了什么？": "/etc/fstab", "what does /etc/fstab say?": "/etc/fstab", "what's the content of /usr/lib/os-release": "/usr/lib/os-release", "open /etc/pacman.conf": "/etc/pacman.conf"} {
		require.Equal(t, []Step{Call("run_command", "command", "cat "+file)}, shared().Understand(text, Context{}).Steps, text)
	}
}
