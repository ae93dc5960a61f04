package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRemindersThatWait(t *testing.T) {
	for text, on := range map[string]string{
		"tell me when ffmpeg finishes": "process:ffmpeg", "let me know once process 4711 ends": "process:4711", "ping me when the build is done": "process:build",
		"when cp is finished, give me a shout": "process:cp", "notify me when train.py has finished": "process:train.py", "tell me when the download is done": "download",
		"let me know when my downloads are finished": "download", "tell me when nas.local is back online": "host:nas.local", "ping me once 192.168.1.20 responds": "host:192.168.1.20",
		"tell me when backup.service fails": "unit:backup.service", "tell me when /srv/out.mkv is complete": "ready:/srv/out.mkv", "let me know when the battery is full": "battery:100",
		"tell me when the battery is charged to 80%": "battery:80", "tell me when the battery reaches 80%": "battery:80", "배터리 90% 되면 알려줘": "battery:90",
		"tell me when the battery is low": "low:20", "tell me when the battery is at 20%": "low:20", "배터리 20% 되면 알려줘": "low:20", "배터리 15% 아래로 떨어지면 알려줘": "low:15",
		"电池低于20%提醒我": "low:20", "warn me when the battery is below 30%": "low:30", "电池到80%的时候告诉我": "battery:80", "tell me when the update is done": "process:update", "alert me when the render is finished": "process:render",
		"빌드 끝나면 알려줘": "process:build", "컴파일 다 되면 말해줘": "process:build", "ffmpeg 끝나면 알려줘": "process:ffmpeg", "4711번 프로세스 종료되면 알려줘": "process:4711",
		"다운로드 다 되면 알려줘": "download", "다운 다 받으면 알려줘": "download", "192.168.0.5 켜지면 알려줘": "host:192.168.0.5", "nas 서버 응답하면 알려줘": "host:nas",
		"배터리 완충되면 알려줘": "battery:100", "배터리 80%까지 충전되면 알려줘": "battery:80", "업데이트 끝나면 알려줘": "process:update", "복사 끝나면 알려줘": "process:copy",
		"~/영상/out.mp4 다 만들어지면 알려줘": "ready:~/영상/out.mp4", "backup.service 끝나면 알려줘": "unit:backup.service", "압축 다 풀리고 끝나면 말해줘": "process:compress",
		"编译完了告诉我": "process:build", "ffmpeg 跑完了通知我": "process:ffmpeg", "下载完成后告诉我": "download", "192.168.1.8 上线了告诉我": "host:192.168.1.8",
		"电池充满了提醒我": "battery:100", "拷贝完成后说一声": "process:copy", "進程 4711 結束後告訴我": "process:4711", "下載完了跟我說一聲": "download",
	} {
		p := shared().Understand(text, Context{Now: weekNow()})
		require.Len(t, p.Steps, 1, "%s: %s", text, p.Why())
		require.Equal(t, "schedule", p.Steps[0].Tool, text)
		require.Equal(t, on, p.Steps[0].Input["on"], "%s: %s", text, p.Why())
		require.NotEmpty(t, p.Steps[0].Input["name"], text)
	}
}

func TestOtherConditionsAreNoWaits(t *testing.T) {
	for _, text := range []string{
		"tell me when the disk is full", "notify me when someone logs in", "let me know as soon as my friend is online", "tell me when firefox was installed",
		"tell me whenever a build finishes", "tell me when the internet is back", "remind me at 6 when work is over", "when did the update finish?", "tell me how to finish the install",
		"디스크 다 차면 알려줘", "빌드 끝날 때마다 알려줘", "누가 로그인하면 알려줘", "인터넷 끊기면 알려줘", "언제 끝났는지 알려줘", "有人登录时告诉我", "每次编译完都告诉我",
	} {
		p := shared().Understand(text, Context{Now: weekNow()})
		for _, s := range p.Steps {
			require.Nil(t, s.Input["on"], "%s: %s", text, p.Why())
		}
	}
}

func TestRemindersAreAskedForAlone(t *testing.T) {
	for text, want := range map[string]bool{
		"what reminders do I have?": true, "알림 뭐 있어?": true, "我都设了哪些提醒？": true, "list my automations": false, "자동화 목록 보여줘": false,
	} {
		require.Equal(t, want, shared().Read(text).AsksForReminders(), text)
	}
}
