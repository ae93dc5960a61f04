package offline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

// A doubt is a set of machines with one untrustworthy output. The answer must not claim anything that only this
// output could show.
var doubts = []struct {
	machines, says, command string // command is a prefix
	not                     string
}{
	{"wifi-laptop", "와이파이가 자꾸 끊겨요", "journalctl --no-pager -b -n 300", "끊긴 기록도 없"},
	{"wifi-laptop", "와이파이 상태", "ping", "인터넷도 돼요"},
	{"wifi-laptop", "와이파이 안 돼요", "nmcli -t -f DEVICE", "연결되어 있지 않아요"},
	{"wifi-laptop", "인터넷 돼?", "ping", "네"},
	{"wifi-laptop net-dns", "인터넷 돼?", "getent", "DNS 서버("},
	{"wifi-laptop net-gateway", "인터넷 돼?", "ping -c 1 -W 2 192.168.0.1", "게이트웨이 192.168.0.1(wlan0)이 대답하지"},
	{"bt-fine", "블루투스 상태", "bluetoothctl devices Connected", "연결된 기기가 없어요"},
	{"bt-fine bt-idle", "블루투스 상태", "bluetoothctl devices", "페어링된 기기가 없어요"},
	{"bt-fine", "블루투스 상태", "bluetoothctl show", "어댑터가 꺼져"},
	{"bt-fine bt-noadapter", "블루투스 상태", "ls /sys/class/bluetooth", "블루투스 장치가 보이지 않아요"},
	{"sound-fine", "소리 상태 확인해줘", "wpctl", "문제가 보이지 않"},
	{"sound-fine sound-nocard", "소리 상태 확인해줘", "cat /proc/asound/cards", "하나도 찾지 못했어요"},
	{"print-fine", "인쇄가 안 돼요", "lpstat", "켜져 있고"},
	{"print-fine", "인쇄가 안 돼요", "lpstat", "등록된 프린터가 하나도 없어요"},
	{"laptop calm crash-none", "what crashed?", "coredumpctl list", "No program crash"},
	{"laptop calm crash-none", "what crashed?", "journalctl -k --no-pager -q -o short-iso --since -7d", "the kernel killed"},
	{"laptop calm orderly", "why did my computer shut down?", "journalctl -b -1", "The last shutdown was normal"},
	{"laptop calm abrupt", "why did my computer shut down?", "journalctl -b -1", "ended abruptly"},
	{"laptop calm orderly", "why did my computer shut down?", "journalctl -b -1", "ended abruptly"},
	{"laptop calm updates-none", "업데이트 있어?", "checkupdates", "최신"},
	{"laptop calm updates-none", "업데이트 있어?", "ls /usr/lib/modules", "재부팅"},
	{"laptop calm updates-none", "업데이트 있어?", "uname -r", "재부팅"},
	{"approved heat/sound", "cpu 온도 알려줘", "sensors", "한계보다 낮"},
	{"laptop calm battery-draining", "배터리 얼마나 남았어", "upower", "남았어요"},
	{"approved slow/sound", "컴퓨터가 왜 이렇게 느려?", "top", "지금은 느려질 만한"},
	{"approved slow/sound", "컴퓨터가 왜 이렇게 느려?", "cat /proc/meminfo", "지금은 느려질 만한"},
	{"laptop calm errors-none", "show me errors", "journalctl", "No errors in the log"},
	{"drive-fine", "디스크 건강 상태", "journalctl -k -b --no-pager -q -o cat -n 3000", "오류가 없어요"},
	{"approved clock/none", "시계가 틀려요", "timedatectl status", "맞춰져 있어요"},
	{"approved locale/none", "글자가 깨져요", "locale -a", "찾지 못했어요"},
	{"approved input/none", "한글 입력이 안 돼요", "ps -C", "돌고 있고"},
	{"approved input/not-installed", "한글 입력이 안 돼요", "pacman", "설치돼 있지 않"},
	{"failed-none", "실패한 서비스 있어?", "systemctl --failed", "실패한 서비스가 없어요"},
	{"usb-fine usb-silent", "usb 꽂았는데 인식이 안 돼요", "journalctl", "꽂은 기록이 없어요"},
	{"usb-fine usb-kernel", "usb 꽂았는데 인식이 안 돼요", "ls /usr/lib/modules", "업데이트로 지워졌어요"},
	{"laptop disk-nearly-full", "디스크 꽉 찼어?", "df", "꽉"},
	{"laptop disk-nearly-full", "디스크 꽉 찼어?", "timeout --foreground 20 du -shx", "비울 만한 것이 없어요"},
	{"laptop disk-nearly-full", "디스크 꽉 찼어?", "paccache", "가운데 이전 버전"},
	{"laptop calm boot-slow", "부팅이 왜 이렇게 느려?", "systemd-analyze time", "걸렸어요"},
	{"laptop calm", "뭐가 CPU를 먹고 있어?", "top", "지금 CPU를 많이 쓰는 프로그램은 없어요"},
	{"wifi-laptop wifi-hard", "와이파이가 안 잡혀요", "grep", "스위치나 비행기 모드 키로 꺼져"},
}

var distrusted = map[string]providers.Step{
	"empty":   {},
	"missing": {Exit: -1, MissingProgram: "program"},
	"late":    {Exit: -1, TimedOut: true},
	"killed":  {Exit: 137},
	"denied":  {Exit: 1, Stderr: "permission denied\n"},
	"noise":   {Stdout: "??? ���\n"},
	"Korean":  {Stdout: "상태: 알 수 없음\n", Stderr: "경고: 읽을 수 없습니다\n", Exit: 1},
}

func TestNothingIsSaidOfAnOutputThatCannotBeTrusted(t *testing.T) {
	for _, d := range doubts {
		for kind, broken := range distrusted {
			m := loadMachine(t, strings.Fields(d.machines))
			if kind == "empty" && (strings.HasPrefix(d.command, "bluetoothctl devices") || d.command == "ls /sys/class/bluetooth") {
				continue // this is the regular output for no devices
			}
			touched := false
			for c := range m {
				if strings.HasPrefix(c, d.command) {
					step := broken
					step.Command = c
					m[c], touched = &step, true
				}
			}
			require.True(t, touched, d.command)
			k := newTalker(t, m, "")
			k.say(d.says)
			_, answer, _ := strings.Cut(k.out.String(), "\n")
			if strings.Contains(withoutCommands(answer), d.not) {
				t.Errorf("%s: %s is %s: %q in\n%s", d.says, d.command, kind, d.not, withoutCommands(answer))
			}
		}
	}
}

// TestEveryDoubtIsInATextOfTheHelper finds doubts that a change of the texts has made useless.
func TestEveryDoubtIsInATextOfTheHelper(t *testing.T) {
	var texts strings.Builder
	for _, pattern := range []string{"testdata/talks/*.txt", "../../i18n/catalogue/helper/*.toml", "../../i18n/catalogue/causes-*.toml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			texts.Write(text)
		}
	}
	for _, d := range doubts {
		require.True(t, strings.Contains(texts.String(), d.not), d.not)
	}
}

func withoutCommands(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "$ ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}
