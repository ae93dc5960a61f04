package intent

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// friday is when the requests of these tests are made.
var friday = time.Date(2026, 11, 27, 10, 0, 0, 0, time.FixedZone("KST", 9*3600))

func understood(text string) Plan { return shared().Understand(text, Context{Now: friday}) }

// TestRemindersAreUnderstood has a request, the time (day and time of day, or cron) and the text of its reminder.
func TestRemindersAreUnderstood(t *testing.T) {
	for _, row := range [][3]string{
		{"remind me at 6pm", "27 18:00", ""},
		{"Remind me at 6 to call Ella.", "27 18:00", "call Ella"},
		{"remind me at 9 to call Ella", "27 21:00", "call Ella"},
		{"remind me tomorrow at 9 about the dentist", "28 09:00", "the dentist"},
		{"remind me tomorrow at 3 to pay rent", "28 15:00", "pay rent"},
		{"could you remind me in half an hour", "27 10:30", ""},
		{"remind me in an hour and a half to check the oven", "27 11:30", "check the oven"},
		{"remind me in a couple of hours to drink water", "27 12:00", "drink water"},
		{"in 10 minutes remind me that the tea is ready", "27 10:10", "the tea is ready"},
		{"remind me on Monday at 10:30 to send the report", "30 10:30", "send the report"},
		{"remind me next tuesday at noon about lunch with Kim", "01 12:00", "lunch with Kim"},
		{"remind me on December 3 at 2pm to renew the passport", "03 14:00", "renew the passport"},
		{"remind me to water the plants this evening", "27 18:00", "water the plants"},
		{"wake me up at 7", "28 07:00", ""},
		{"set a timer for 25 minutes", "27 10:25", ""},
		{"set an alarm for 6:30am tomorrow", "28 06:30", ""},
		{"tell me to leave at half past five", "27 17:30", "leave"},
		{"let me know at 4pm that school is out", "27 16:00", "school is out"},
		{"don't let me forget the laundry in 2 hours", "27 12:00", "the laundry"},
		{"remind me about the meeting at quarter to three", "27 14:45", "the meeting"},
		{"every Monday at 9 remind me about standup", "0 9 * * 1", "standup"},
		{"remind me every day at 8pm to take my pills", "0 20 * * *", "take my pills"},
		{"remind me every weekday at 8:15 to feed the cat", "15 8 * * 1-5", "feed the cat"},
		{"30분 뒤에 알려줘", "27 10:30", ""},
		{"30분 뒤에 빨래 꺼내라고 알려줘", "27 10:30", "빨래 꺼내기"},
		{"한 시간 반 뒤에 세탁기 알려줘", "27 11:30", "세탁기"},
		{"반 시간 뒤에 물 마시라고 말해줘", "27 10:30", "물 마시기"},
		{"이십 분 후에 깨워줘", "27 10:20", ""},
		{"내일 아침 9시에 병원 예약 알려줘", "28 09:00", "병원 예약"},
		{"모레 오후 2시에 치과 알려줘", "29 14:00", "치과"},
		{"6시에 회의 있다고 알려줘", "27 18:00", "회의 있다고"},
		{"오늘 저녁 7시 반에 약속 알려줘", "27 19:30", "약속"},
		{"오후 3시 20분에 은행 가라고 해줘", "27 15:20", "은행 가기"},
		{"12월 3일 오전 10시에 여권 갱신 알려줘", "03 10:00", "여권 갱신"},
		{"다음 주 화요일 2시에 면접 알려줘", "01 14:00", "면접"},
		{"금요일 저녁 8시에 영화 알려줘", "27 20:00", "영화"},
		{"아침 7시 알람 맞춰줘", "28 07:00", ""},
		{"5분 타이머 맞춰줘", "27 10:05", ""},
		{"내일 8시에 쓰레기 버리라고 알림 설정해줘", "28 08:00", "쓰레기 버리기"},
		{"정오에 점심 먹으라고 알려줘", "27 12:00", "점심 먹기"},
		{"매주 월요일 9시에 회의 알려줘", "0 9 * * 1", "회의"},
		{"매일 밤 10시에 약 먹으라고 알려줘", "0 22 * * *", "약 먹기"},
		{"평일 저녁 6시에 운동하라고 알려줘", "0 18 * * 1-5", "운동하기"},
		{"매달 25일 오전 10시에 월세 보내라고 알려줘", "0 10 25 * *", "월세 보내기"},
		{"半小时后提醒我关火", "27 10:30", "关火"},
		{"一个半小时后提醒我取快递", "27 11:30", "取快递"},
		{"十五分钟后提醒我", "27 10:15", ""},
		{"两个小时以后叫我起床", "27 12:00", "起床"},
		{"明天早上九点提醒我带伞", "28 09:00", "带伞"},
		{"后天下午三点提醒我去医院", "29 15:00", "去医院"},
		{"晚上八点半提醒我吃药", "27 20:30", "吃药"},
		{"六点提醒我下班", "27 18:00", "下班"},
		{"下周二上午十点提醒我开会", "01 10:00", "开会"},
		{"12月3号上午十点提醒我办护照", "03 10:00", "办护照"},
		{"设一个七点的闹钟", "27 19:00", ""},
		{"定一个二十分钟的倒计时", "27 10:20", ""},
		{"每周一九点提醒我开会", "0 9 * * 1", "开会"},
		{"每天晚上十点提醒我睡觉", "0 22 * * *", "睡觉"},
		{"工作日早上八点提醒我喂猫", "0 8 * * 1-5", "喂猫"},
		{"三十分鐘後提醒我關火", "27 10:30", "關火"},
	} {
		p := understood(row[0])
		require.Len(t, p.Steps, 1, "%s: %s", row[0], p.Why())
		in := p.Steps[0].Input
		require.Equal(t, "schedule", p.Steps[0].Tool, row[0])
		require.Nil(t, in["task"], row[0])
		at, _ := in["cron"].(string)
		if when, ok := in["at"].(string); ok {
			due, err := time.Parse(time.RFC3339, when)
			require.NoError(t, err, row[0])
			require.True(t, due.After(friday) && due.Before(friday.AddDate(0, 0, 8)), "%s: %s", row[0], due)
			at = due.Format("02 15:04")
		}
		require.Equal(t, row[1], at, row[0])
		say, _ := in["say"].(string)
		require.Equal(t, row[2], say, row[0])
	}
}

func TestAReminderWithoutATimeAsksForIt(t *testing.T) {
	for text, topic := range map[string]string{
		"remind me to call mom": "reminder", "set a reminder to buy milk": "reminder", "우유 사라고 알림 설정해줘": "reminder", "提醒我买牛奶": "reminder",
		"2월 31일 오전 9시에 생일 알려줘": "reminder_date", "remind me on 2020-01-05 at 10:00 to laugh": "reminder_past", "remind me on Feb 30 at 9am to laugh": "reminder_date",
		"2月31日上午九点提醒我": "reminder_date", "오늘 새벽 3시에 깨워줘": "reminder_past",
	} {
		p := understood(text)
		require.Equal(t, KindAsk, p.Kind, "%s: %s", text, p.Why())
		require.Equal(t, topic, p.Topic, text)
		require.Empty(t, p.Steps)
	}
	for _, talk := range [][3]string{
		{"remind me to call mom", "in 20 minutes", "call mom"},
		{"우유 사라고 알림 설정해줘", "2시간 뒤", "우유 사기"},
		{"提醒我买牛奶", "明天早上九点", "买牛奶"},
		{"remind me on 2020-01-05 at 10:00 to laugh", "tomorrow at 9", "laugh"},
		{"remind me to stretch", "every day at 8", "stretch"},
	} {
		p := shared().Understand(talk[1], Context{Answered: true, Previous: talk[0], Now: friday})
		require.Len(t, p.Steps, 1, "%s: %s", talk[1], p.Why())
		require.Equal(t, talk[2], p.Steps[0].Input["say"])
	}
}

func TestWhatOnlyLooksLikeAReminderIsNone(t *testing.T) {
	for _, text := range []string{
		"remind me what we talked about", "remind me how we fixed the sound last time", "tell me what happened at 6pm", "tell me when vlc was installed", "show me the logs since 9am",
		"tell me the temperature", "what time is it?", "enable fstrim.timer", "list the timers", "why did the timer fail at 6?", "stop reminding me about updates", "turn off notifications",
		"어제 6시에 뭐 했는지 알려줘", "30분 전 로그 알려줘", "디스크 상태 알려줘", "지금 몇 시인지 알려줘", "알림 꺼줘", "내일 기온 알려줘", "블루투스 깨워라", "오늘 뭐 설치했는지 알려줘",
		"昨天六点发生了什么告诉我", "告诉我磁盘情况", "现在几点告诉我", "别提醒我更新",
	} {
		p := understood(text)
		for _, s := range p.Steps {
			require.Nil(t, s.Input["say"], "%s: %s", text, p.Why())
			require.Nil(t, s.Input["at"], "%s: %s", text, p.Why())
		}
		require.False(t, strings.HasPrefix(p.Topic, "reminder"), "%s: %s", text, p.Why())
	}
}

func TestAFigureAtALaterTimeIsATaskThatRunsOnce(t *testing.T) {
	for text, task := range map[string]string{"tell me the disk usage at 6pm": "the disk usage", "6시에 디스크 상태 알려줘": "디스크 상태", "六点告诉我磁盘情况": "磁盘情况"} {
		p := understood(text)
		require.Len(t, p.Steps, 1, "%s: %s", text, p.Why())
		require.Equal(t, Call("schedule", "at", "2026-11-27T18:00:00+09:00", "task", task), p.Steps[0], text)
	}
	require.Nil(t, understood("매일 아침 9시에 디스크 상태 알려줘").Steps[0].Input["say"])
}

func TestRemindersAreListedAndCancelledByWords(t *testing.T) {
	for _, text := range []string{"what reminders do I have?", "show my reminders", "list all alarms", "알림 뭐 있어?", "내 알림 목록", "알람 맞춘 거 보여줘", "我有哪些提醒", "看看我的闹钟"} {
		require.Equal(t, []Step{Call("list_automations")}, understood(text).Steps, text)
	}
	for text, name := range map[string]string{
		"cancel the laundry reminder": "laundry", "cancel the reminder about the laundry": "laundry", "delete my 6pm alarm": "18:00", "cancel the 6:30 alarm": "6:30",
		"cancel the last reminder": "reminder", "빨래 알림 취소해줘": "빨래", "6시 알림 취소해줘": "6:00", "오후 6시 알람 지워줘": "18:00", "아까 맞춘 알람 취소해줘": "reminder", "알림 취소해줘": "reminder",
		"取消关火的提醒": "关火", "把六点的闹钟取消": "6:00", "取消刚才的提醒": "reminder",
	} {
		require.Equal(t, []Step{Call("remove_automation", "name", name)}, understood(text).Steps, text)
	}
}

// TestAWatchIsNeverAnsweredWithTodaysFigure has requests to report a condition.
func TestAWatchIsNeverAnsweredWithTodaysFigure(t *testing.T) {
	for _, text := range []string{
		"tell me when the disk is over 80 %", "warn me if the disk goes over 85%", "let me know once the disk is more than 80% full", "alert me when memory is over 90 percent",
		"디스크가 80% 넘으면 알려줘", "디스크 90퍼 넘으면 알려줘", "CPU 온도가 85도 넘으면 경고해줘", "메모리 90% 넘으면 말해줘",
		"磁盘超过80%的时候告诉我", "硬盘超过90%就提醒我", "内存超过90%时通知我", "温度超过85度提醒我",
	} {
		p := understood(text)
		require.Len(t, p.Steps, 1, "%s: %s", text, p.Why())
		require.Equal(t, "schedule", p.Steps[0].Tool, text)
		require.NotNil(t, p.Steps[0].Input["check"], text)
		require.NotNil(t, p.Steps[0].Input["over"], text)
	}
}
