package intent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAChangeWithATimeIsATaskThatRunsOnce(t *testing.T) {
	for _, c := range []struct{ request, at, task string }{
		{"restart nginx at midnight", "28 00:00", "restart nginx"},
		{"restart nginx tonight at 12", "28 00:00", "restart nginx"},
		{"please restart nginx at 11:30 pm", "27 23:30", "restart nginx"},
		{"tomorrow at 9am install htop", "28 09:00", "install htop"},
		{"update the system tomorrow", "28 09:00", "update the system"},
		{"update the system tonight", "27 21:00", "update the system"},
		{"in 20 minutes mute the sound", "27 10:20", "mute the sound"},
		{"turn the bluetooth off in half an hour", "27 10:30", "turn the bluetooth off"},
		{"can you stop docker at 6pm?", "27 18:00", "can you stop docker?"},
		{"run touch made.txt at 3am", "28 03:00", "run touch made.txt"},
		{"run ~/backup.sh at 3am", "28 03:00", "run ~/backup.sh"},
		{"run `systemctl restart nginx` at 3am", "28 03:00", "run `systemctl restart nginx`"},
		{"systemctl restart nginx at midnight", "28 00:00", "systemctl restart nginx"},
		{"새벽 3시에 업데이트해줘", "28 03:00", "업데이트해줘"},
		{"내일 아침 9시에 nginx 재시작해줘", "28 09:00", "nginx 재시작해줘"},
		{"오늘 밤 12시에 시스템 업데이트해줘", "28 00:00", "시스템 업데이트해줘"},
		{"자정에 도커 멈춰줘", "28 00:00", "도커 멈춰줘"},
		{"30분 뒤에 파이어폭스 꺼줘", "27 10:30", "파이어폭스 꺼줘"},
		{"한 시간 있다가 소리 꺼줘", "27 11:00", "소리 꺼줘"},
		{"오후 6시에 htop 설치해줘", "27 18:00", "htop 설치해줘"},
		{"새벽 3시에 ~/backup.sh 실행해줘", "28 03:00", "~/backup.sh 실행해줘"},
		{"今晚十二点更新系统", "28 00:00", "更新系统"},
		{"明天早上九点重启nginx", "28 09:00", "重启nginx"},
		{"20分钟后静音", "27 10:20", "静音"},
		{"凌晨三点重启 nginx", "28 03:00", "重启 nginx"},
		{"半小时后关闭蓝牙", "27 10:30", "关闭蓝牙"},
		{"凌晨三点运行 ~/backup.sh", "28 03:00", "运行 ~/backup.sh"},
	} {
		p := understood(c.request)
		require.Len(t, p.Steps, 1, "%s: %s", c.request, p.Why())
		require.Equal(t, "schedule", p.Steps[0].Tool, c.request)
		at, err := time.Parse(time.RFC3339, p.Steps[0].Input["at"].(string))
		require.NoError(t, err, c.request)
		require.Equal(t, c.at, at.Format("02 15:04"), c.request)
		require.Equal(t, c.task, p.Steps[0].Input["task"], c.request)
	}
}

// TestAChangeForAnEventIsNeverNow: nothing waits for the event, so nothing is changed. What is only polite, or asks whether the
// change is needed, is no event.
func TestAChangeForAnEventIsNeverNow(t *testing.T) {
	for _, request := range []string{
		"turn off bluetooth when i'm on battery", "restart nginx whenever it crashes", "restart nginx until it works",
		"배터리로 쓸 때 블루투스 꺼줘", "nginx 죽으면 다시 켜줘", "nginx 죽으면 되살려줘", "인터넷이 없으면 nginx 멈춰줘", "shut down when finished", "절전에서 깨면 docker 재시작해줘", "电池供电的时候关掉蓝牙",
	} {
		p := understood(request)
		for _, s := range p.Steps {
			require.False(t, s.changesNow(), "%s: %s", request, p.Why())
		}
	}
	for _, request := range []string{
		"restart nginx once", "if you can, restart nginx", "restart nginx when you get a chance", "restart nginx as soon as possible",
		"괜찮으면 nginx 재시작해줘", "시간 되면 nginx 재시작해줘", "화면 밝기 낮춰줘",
	} {
		p := understood(request)
		require.True(t, len(p.Steps) == 1 && p.Steps[0].changesNow(), "%s: %s", request, p.Why())
	}
}

// TestATimeThatNoPlanUsesIsNeverNow: what cannot be planned for its time is declined, not made at once.
func TestATimeThatNoPlanUsesIsNeverNow(t *testing.T) {
	for _, request := range []string{
		"restart nginx later", "update the system now and restart nginx at midnight", "restart nginx at 3am and docker at 5am",
		"turn on do not disturb until 6pm", "nginx stopped at 3pm, restart it",
		"나중에 업데이트해줘", "6시까지 방해 금지 켜줘", "지금 업데이트하고 자정에 nginx 재시작해줘",
		"run touch made.txt later", "稍后更新系统", "现在更新系统，半夜重启nginx",
		"mute for 30 minutes", "turn on do not disturb for an hour", "30분 동안 소리 꺼줘", "와이파이 10분만 꺼줘", "静音30分钟",
	} {
		p := understood(request)
		for _, s := range p.Steps {
			require.False(t, s.changesNow(), "%s: %s", request, p.Why())
		}
	}
	before := Context{Now: friday, Previous: "install at midnight", Answered: true}
	for _, s := range BuiltIn().Understand("vlc", before).Steps {
		require.True(t, s.IsReadOnly(), s)
	}
	offer := Call("manage_service", "action", "restart", "name", "nginx")
	for _, s := range BuiltIn().Understand("yes, at midnight", Context{Now: friday, Answered: true, IsRecent: true, Offer: &offer}).Steps {
		require.True(t, s.IsReadOnly(), s)
	}
}

// TestOtherTimesAreNoTasks: times of reminders, of what happened, of text that is handed on.
func TestOtherTimesAreNoTasks(t *testing.T) {
	for request, tool := range map[string]string{
		"what happened at 3am": "", "shut down at 11pm": "desktop", "밤 11시에 컴퓨터 꺼줘": "desktop", "should I restart nginx at midnight?": "",
		"don't restart nginx at midnight": "", "copy 'meet me at 5pm' to the clipboard": "desktop", "install at": "install_package",
		"restart nginx": "manage_service", "show the log of nginx since 3pm": "", "hibernate, I want my windows back tomorrow": "desktop", "声音大一点": "desktop", "晚上看着眼睛累，打开护眼模式": "desktop", "set the resolution to 1920x1080": "desktop",
		"undo what you did at 3pm": "",
	} {
		p := understood(request)
		for _, s := range p.Steps {
			require.NotEqual(t, "schedule", s.Tool, "%s: %s", request, p.Why())
			require.True(t, tool == s.Tool || tool == "" && !s.changesNow(), "%s: %s", request, p.Why())
		}
	}
	p := understood("remind me at 6 to restart nginx")
	require.NotNil(t, p.Steps[0].Input["say"], p.Why())
}
