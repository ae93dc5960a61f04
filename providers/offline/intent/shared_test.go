package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAVerbIsForAllItsObjects: what one verb switches is switched together, and nothing else.
func TestAVerbIsForAllItsObjects(t *testing.T) {
	for request, want := range map[string]string{
		"turn off wifi and bluetooth": "wifi off+bluetooth off", "turn wifi and bluetooth off": "wifi off+bluetooth off", "turn off both wifi and bluetooth please": "wifi off+bluetooth off",
		"turn off wifi, bluetooth and sound": "wifi off+bluetooth off+volume mute", "mute the sound and the mic": "volume mute+microphone mute", "mute mic and speakers": "microphone mute+volume mute",
		"关掉wifi和蓝牙": "wifi off+bluetooth off", "把wifi和蓝牙都打开": "wifi on+bluetooth on", "와이파이랑 블루투스 꺼줘": "wifi off+bluetooth off", "와이파이와 블루투스를 모두 켜줘": "wifi on+bluetooth on",
		"와이파이, 블루투스 꺼줘": "wifi off+bluetooth off", "와이파이 끄고 블루투스도 꺼줘": "wifi off+bluetooth off", "소리랑 알림 꺼줘": "volume mute+dnd on", "wifi off and bluetooth on": "wifi off+bluetooth on",
		"turn off wifi and bluetooth and open firefox": "wifi off+bluetooth off+open program", "lock the screen and turn off wifi and bluetooth": "session lock+wifi off+bluetooth off",
		"turn on dark mode and bluetooth": "dark on+bluetooth on", "다크 모드랑 블루투스 켜줘": "dark on+bluetooth on",
		"mute the sound, then turn off wifi and bluetooth": "volume mute+wifi off+bluetooth off",
	} {
		got := ""
		for _, s := range BuiltIn().Understand(request, Context{}).Steps {
			if got != "" {
				got += "+"
			}
			got += stringOf(s.Input["verb"]) + " " + stringOf(s.Input["act"])
		}
		require.Equal(t, want, got, request)
	}
	for _, request := range []string{
		"don't turn off wifi and bluetooth", "why are wifi and bluetooth off", "is wifi and bluetooth on?", "wifi and bluetooth don't work", "why can't I turn off wifi and bluetooth", "turn off notifications and sound at 9pm",
		"와이파이랑 블루투스 켜져 있어?",
	} {
		for _, s := range BuiltIn().Understand(request, Context{}).Steps {
			require.NotEqual(t, "desktop", s.Tool, request)
		}
	}
}

// TestAllWindowsOfAProgramAreClosed: with its name they are, without one it asks.
func TestAllWindowsOfAProgramAreClosed(t *testing.T) {
	for request, program := range map[string]string{
		"close all firefox windows": "firefox", "close every chrome window": "chrome", "close all terminals": "terminal", "close all the windows of firefox": "firefox", "크롬 전부 꺼줘": "chrome", "파이어폭스 창 다 닫아줘": "firefox", "모든 크롬 창 닫아줘": "chrome",
		"关闭所有firefox窗口": "firefox", "把firefox的窗口都关掉": "firefox",
	} {
		p := BuiltIn().Understand(request, Context{})
		require.Equal(t, "close program "+program, wishText(p), "%s: %s", request, p.Why())
	}
	for _, request := range []string{"close everything", "close all windows", "모든 창 닫아줘", "창 다 닫아줘", "열려 있는 창 다 닫아", "모든 프로그램 종료해줘", "关闭所有窗口"} {
		p := BuiltIn().Understand(request, Context{})
		require.Equal(t, "close_all", p.Topic, "%s: %s", request, p.Why())
	}
	for _, request := range []string{"close all tabs", "close all ports", "불 다 꺼줘", "서비스 다 꺼줘", "알림 다 꺼줘", "firefox closes all windows by itself", "why did all firefox windows close"} {
		require.NotContains(t, wishText(BuiltIn().Understand(request, Context{})), "close", request)
	}
}
