package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOtherDevicesGetNoCommandsHere(t *testing.T) {
	for _, text := range []string{
		"reset the router please", "change the router password", "reboot my router", "turn off the wifi on the router", "set the router's admin password to something better", "update my phone",
		"turn off my phone", "lock my phone", "change my phone's ringtone", "turn down the living room TV", "switch the tv off", "mute the tv", "set the tv to channel 5", "restart the printer",
		"make the printer scan to TV", "turn on the printer", "factory reset my tablet", "put my tablet to sleep", "charge my apple watch", "change the time on my watch", "turn the playstation off", "turn off the lights", "turn up the heater",
		"공유기 비번 바꿔줘", "공유기 재부팅해줘", "우리집 공유기 와이파이 비밀번호 변경해줘", "티비 소리좀 줄여", "티비 볼륨 좀 내려줘", "거실 TV 꺼줘", "핸드폰 화면 밝기 낮춰줘", "내 폰 잠가줘", "휴대폰 초기화해줘",
		"태블릿 업데이트해줘", "프린터 꺼줘", "프린터 재시작해줘", "스마트워치 시간 바꿔줘", "애플워치 충전해줘", "플스 켜줘", "닌텐도 꺼줘", "에어컨 켜줘", "로봇청소기 돌려줘", "냉장고 온도 올려줘",
		"帮我重启一下路由器", "改一下路由器的密码", "把电视关了", "电视声音调小一点", "打开客厅的电视", "把手机锁了", "手机屏幕调暗", "给平板恢复出厂设置", "重启打印机", "关掉空调", "把手表时间改一下", "把電視關了", "游戏机关掉",
	} {
		t.Run(text, func(t *testing.T) {
			p := shared().Understand(text, Context{Now: weekNow()})
			require.Empty(t, p.Steps, p.Why())
			require.Equal(t, "device", p.Topic, p.Why())
			require.NotEmpty(t, p.Subject)
		})
	}
}

func TestThisComputersSideOfADeviceIsItsOwn(t *testing.T) {
	for _, text := range []string{
		"turn the volume down", "mute", "lock the screen", "turn off bluetooth", "restart the computer", "pair my phone over bluetooth", "print report.pdf", "install the printer driver", "list the printers",
		"what's the router's address", "connect to my phone's hotspot", "copy photos from my phone", "set the default printer", "remind me in 10 minutes to charge my phone", "turn the lights theme on",
		"소리 줄여줘", "화면 꺼줘", "블루투스로 폰 연결해줘", "프린터 드라이버 설치해줘", "프린터 대기열 보여줘", "공유기 주소 알려줘", "폰트 키워줘", "휴대폰 사진 복사해줘", "10분 뒤에 티비 끄라고 알려줘",
		"声音调小一点", "关机", "打印机驱动安装一下", "连接手机热点", "把屏幕调暗", "路由器地址是多少", "十分钟后提醒我关电视",
	} {
		p := shared().Understand(text, Context{Now: weekNow()})
		require.NotContains(t, p.Why(), "an order for another device", text)
	}
}

func TestDeviceKinds(t *testing.T) {
	for device, kind := range map[string]string{"공유기": "router", "modem": "router", "프린터": "printer", "手机": "phone", "ipad": "phone", "tv": "screen", "에어컨": "", "watch": ""} {
		require.Equal(t, kind, DeviceKind(device), device)
	}
}

// Another person's computer is not this one.
func TestOtherPeoplesComputersAreLeftAlone(t *testing.T) {
	for _, request := range []string{"엄마 노트북 업데이트해줘", "친구 컴퓨터가 느려", "update my mom's laptop", "给妈妈的电脑更新一下"} {
		p := BuiltIn().Understand(request, Context{})
		require.Equal(t, "device", p.Topic, "%s: %s", request, p.Why())
		require.Empty(t, p.Steps, request)
	}
}
