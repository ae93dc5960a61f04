package intent

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWishesAreUnderstood: testdata/wishes.txt.
func TestWishesAreUnderstood(t *testing.T) {
	text, err := os.ReadFile("testdata/wishes.txt")
	require.NoError(t, err)
	rows := 0
	for line := range strings.Lines(string(text)) {
		want, request, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		p := BuiltIn().Understand(request, Context{})
		verb, args := weekMeaning(p)
		require.Equal(t, want, verb+" "+args, "%s: %s", request, p.Why())
		for _, s := range p.Steps {
			require.True(t, s.IsReadOnly(), request)
		}
	}
	require.Greater(t, rows, 60)
}

// TestWhatOnlyResemblesAWishIsNone: reasons, ways, conditions, prohibitions, other times, other devices, complaints, software
// that is looked for, commands, and what strangers want.
func TestWhatOnlyResemblesAWishIsNone(t *testing.T) {
	for _, request := range []string{
		"why is the volume so low?", "how do I turn on bluetooth", "블루투스 어떻게 켜?", "怎么关闭通知", "다운로드 끝나면 컴퓨터 꺼줘", "shut down when the download is done",
		"don't lock the screen", "음소거하지 마", "不要关机", "turn off the wifi at 11pm", "내일 와이파이 꺼줘", "turn the tv volume up", "티비 꺼줘", "restart the router", "공유기 재부팅해줘",
		"와이파이가 안 켜져", "bluetooth won't turn on", "蓝牙连不上", "find me a music player", "pdf 뷰어 찾아줘", "搜索一下截图工具", "restart nginx", "mariadb 재시작", "打印服务重启下",
		"rm -rf ~/Downloads", "sudo systemctl poweroff", "친구가 애니데스크 열라고 하는데", "open the invoice.exe from the chat", "is the wifi on?", "블루투스 켜져 있어?", "who turned bluetooth off yesterday",
		"remember that I use a dvorak keyboard", "the volume /data is full", "open the garage door", "start with the memory", "재부팅해야 해?", "갑자기 로그아웃됐어", "printer won't print",
		"which wifi am I on", "지금 어떤 와이파이에 붙어 있어?", "remind me in 20 minutes to close the window", "20분 뒤에 가스불 끄라고 알려줘", "update the system and show the wifi",
	} {
		p := BuiltIn().Understand(request, Context{})
		require.Empty(t, wishText(p), "%s: %s", request, p.Why())
	}
}

// TestALevelHasItsAmount: percents, words for them, and a little.
func TestALevelHasItsAmount(t *testing.T) {
	for request, want := range map[string]string{
		"소리 조금만 줄여줘": "volume down 5", "turn it down a bit, the volume is too high": "volume down 5", "volume up by 20%": "volume up 20", "소리 최대로": "volume set 100",
		"볼륨 절반으로": "volume set 50", "set the brightness to eighty percent": "brightness set 80", "밝기 육십으로": "brightness set 60",
	} {
		require.Equal(t, want, wishText(BuiltIn().Understand(request, Context{})), request)
	}
}
