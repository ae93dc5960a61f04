package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsSaidOfAutomationsIsUnderstood(t *testing.T) {
	list := Call("list_automations")
	pause := func(name string) Step { return Call("change_automation", "name", name, "enabled", false) }
	resume := func(name string) Step { return Call("change_automation", "name", name, "enabled", true) }
	snooze := func(name, span string) Step { return Call("change_automation", "name", name, "snooze", span) }
	remove := func(name string) Step { return Call("remove_automation", "name", name) }
	for text, want := range map[string]Step{
		"자동화 목록":                        list,
		"자동화 목록 보여줘":                    list,
		"예약된 작업 뭐 있어?":                  list,
		"지금 자동화 뭐 있어":                   list,
		"예약 목록":                         list,
		"정기 점검 뭐 걸려 있나 보여줘":             list,
		"오늘 아침 보고 왔었어?":                 list,
		"what automations do I have?":   list,
		"list automations":              list,
		"show me my scheduled tasks":    list,
		"are there any recurring jobs?": list,
		"what runs by itself?":          list,
		"did the morning report run?":   list,
		"有哪些定时任务":                       list,
		"列出所有自动化":                       list,
		"定时任务有哪些？":                      list,
		"早上的报告来了吗?":                     list,

		"디스크 확인 자동화 꺼줘":                           pause("디스크 확인"),
		"디스크 확인 자동화 잠깐 멈춰줘":                       pause("디스크 확인"),
		"메모리 자동화 일시정지":                            pause("메모리"),
		"디스크 확인 자동화 다시 켜줘":                        resume("디스크 확인"),
		"디스크 자동화 재개해줘":                            resume("디스크"),
		"디스크 확인 자동화 지워줘":                          remove("디스크 확인"),
		"업데이트 확인 예약 취소해줘":                         remove("업데이트 확인"),
		"매일 하는 디스크 확인 그만해":                        pause("디스크 확인"),
		"pause the disk automation":               pause("disk"),
		"please disable my update check schedule": pause("update check"),
		"resume the disk automation":              resume("disk"),
		"turn the disk automation off":            pause("disk"),
		"turn on the disk automation":             resume("disk"),
		"delete the failed services automation":   remove("failed services"),
		"cancel my daily disk check":              remove("disk check"),
		"cancel the nginx task":                   remove("nginx"),
		"cancel the update at 3am":                remove("update"),
		"새벽 3시 업데이트 취소해줘":                         remove("업데이트"),
		"取消凌晨3点的更新":                               remove("更新"),
		"stop the weekly disk report":             pause("disk report"),
		"删除每天的磁盘检查":                               remove("磁盘检查"),
		"暂停磁盘检查自动化":                               pause("磁盘检查"),
		"把磁盘检查的定时任务删掉":                            remove("磁盘检查"),
		"恢复磁盘自动化":                                 resume("磁盘"),

		"디스크 경고 하루만 조용히":                          snooze("디스크", "1d"),
		"디스크 알림은 3시간 동안 꺼줘":                       snooze("디스크", "3h"),
		"메모리 경고 오늘은 그만 울려":                        snooze("메모리", "1d"),
		"디스크 경고 일주일 동안 쉬게 해줘":                     snooze("디스크", "1w"),
		"snooze the disk alert for a day":         snooze("disk", "1d"),
		"mute disk warnings for 3 hours":          snooze("disk", "3h"),
		"don't warn me about the disk for 2 days": snooze("disk", "2d"),
		"磁盘警告先静音一天":                               snooze("磁盘", "1d"),
		"磁盘提醒今天别响了":                               snooze("磁盘", "1d"),

		"30분마다 디스크 90% 넘으면 알려줘":                    Call("schedule", "cron", "*/30 * * * *", "check", "disk", "over", 90),
		"every hour tell me if memory is over 80%": Call("schedule", "cron", "0 * * * *", "check", "memory", "over", 80),
		"每小时磁盘超过90%就提醒我":                           Call("schedule", "cron", "0 * * * *", "check", "disk", "over", 90),
		"매일 아침 9시에 디스크 확인해줘":                       Call("schedule", "cron", "0 9 * * *", "task", "디스크 확인해줘"),
	} {
		t.Run(text, func(t *testing.T) {
			p := shared().Understand(text, Context{})
			require.Equal(t, []Step{want}, p.Steps, p.Why())
		})
	}
}

func TestWhatIsNotSaidOfAutomationsIsLeftAlone(t *testing.T) {
	for _, text := range []string{
		"도커 꺼줘", "stop docker", "disable the weekly fstrim timer", "알림 꺼줘", "mute", "静音", "예약해줘", "예약 걸어", "모든 자동화 지워줘", "delete all automations",
		"매일 아침 9시에 디스크 확인 자동화 해줘", "how do automations work?", "디스크 꽉 찼어?", "删除 vlc", "매일 새벽 4시 20분에 도커 재시작하게 예약해", "remove firefox",
		"예약 걸지 말고 지금 바로 업데이트 있는지 체크", "定时任务 cronie 昨晚跑了没,查它的日志", "볼륨 하루만 조용히",
	} {
		p := shared().Understand(text, Context{})
		for _, s := range p.Steps {
			require.NotContains(t, []string{"list_automations", "change_automation", "remove_automation"}, s.Tool, "%s: %s", text, p.Why())
		}
	}
}

// TestH7WishesToBeToldBecomeRules requests notifications about future events.
func TestH7WishesToBeToldBecomeRules(t *testing.T) {
	for text, want := range map[string]Step{
		"tell me when disk is over 80%":                   Call("schedule", "cron", "*/30 * * * *", "check", "disk", "over", 80),
		"디스크가 90% 넘으면 알려줘":                                Call("schedule", "cron", "*/30 * * * *", "check", "disk", "over", 90),
		"磁盘超过80%时告诉我":                                     Call("schedule", "cron", "*/30 * * * *", "check", "disk", "over", 80),
		"warn me if memory goes above 90%":                Call("schedule", "cron", "*/10 * * * *", "check", "memory", "over", 90),
		"메모리 사용량이 85퍼센트를 넘으면 알려주세요":                       Call("schedule", "cron", "*/10 * * * *", "check", "memory", "over", 85),
		"let me know when the cpu temperature reaches 80": Call("schedule", "cron", "*/10 * * * *", "check", "temperature", "over", 80),
		"온도가 80도 넘으면 경고해줘":                                Call("schedule", "cron", "*/10 * * * *", "check", "temperature", "over", 80),
		"温度超过85度提醒我":                                      Call("schedule", "cron", "*/10 * * * *", "check", "temperature", "over", 85),
		"notify me when a service fails":                  Call("schedule", "cron", "*/10 * * * *", "check", "failed_units"),
		"서비스가 죽으면 알려줘":                                    Call("schedule", "cron", "*/10 * * * *", "check", "failed_units"),
		"nginx가 죽으면 알려줘":                                  Call("schedule", "cron", "*/10 * * * *", "check", "failed_units"),
		"有服务失败时通知我":                                       Call("schedule", "cron", "*/10 * * * *", "check", "failed_units"),
		"tell me when there are updates":                  Call("schedule", "cron", "0 9 * * *", "check", "updates"),
		"업데이트가 나오면 알려줘":                                   Call("schedule", "cron", "0 9 * * *", "check", "updates"),
		"有更新的时候告诉我":                                       Call("schedule", "cron", "0 9 * * *", "check", "updates"),
		"tell me when a reboot is needed":                 Call("schedule", "cron", "0 9 * * *", "check", "reboot"),
		"인터넷이 끊기면 알려줘":                                    Call("schedule", "cron", "*/10 * * * *", "check", "network"),
		"when the disk gets fuller than 95%, warn me":     Call("schedule", "cron", "*/30 * * * *", "check", "disk", "over", 95),
		"디스크가 10% 밑으로 남으면 알려줘":                            Call("schedule", "cron", "*/30 * * * *", "check", "disk", "over", 90),
		"alert me when battery health drops below 70%":    Call("schedule", "cron", "0 9 * * *", "check", "battery", "over", 70),
		"let me know when there are new errors":           Call("schedule", "cron", "0 * * * *", "check", "journal_errors"),
	} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []Step{want}, p.Steps, "%s: %s", text, p.Why())
	}
	for text, on := range map[string]string{"tell me when the battery is below 20%": "low:20", "배터리가 15% 아래로 떨어지면 알려줘": "low:15", "电量低于30%时提醒我": "low:30"} {
		p := shared().Understand(text, Context{})
		require.Equal(t, []Step{Call("schedule", "on", on, "name", "battery")}, p.Steps, "%s: %s", text, p.Why())
	}
	for _, text := range []string{"cpu 80% 넘으면 알려줘", "tell me when the cpu is over 90%"} {
		require.Equal(t, "unwatched", shared().Understand(text, Context{}).Topic, text)
	}
	for _, text := range []string{"디스크 꽉 찼는지 알려줘", "tell me if the disk is full", "when did the disk fill up?", "디스크 90퍼센트 넘었으면 말해줘", "알려줘"} {
		for _, s := range shared().Understand(text, Context{}).Steps {
			require.NotEqual(t, "schedule", s.Tool, text)
		}
	}
}
