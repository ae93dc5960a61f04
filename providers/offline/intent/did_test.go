package intent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWhatWasDoneIsAskedOfTheRecord asks what the assistant did, on which day.
func TestWhatWasDoneIsAskedOfTheRecord(t *testing.T) {
	now := time.Date(2026, 11, 25, 20, 0, 0, 0, time.UTC) // a Wednesday
	for day, requests := range map[string][]string{
		"": {
			"what did you change?", "what have you done", "what have you been up to", "show your changes", "list what you changed", "what was the last thing you changed", "what have you done to my computer",
			"which packages did you install", "show me everything you did", "what changes did you make", "anything you changed",
			"뭘 바꿨어?", "네가 바꾼 거 보여줘", "내가 없는 동안 뭐 했어?", "마지막으로 뭐 바꿨어?", "바꾼 거 있어?", "혹시 뭐 바꾼 거 있어?", "무슨 설정을 바꿨어?", "니가 설치한 프로그램 목록 알려줘", "제 컴퓨터에서 뭘 바꾸셨나요?", "너 지금까지 뭐 했니",
			"你都改了哪些东西", "列出你做的更改", "显示你的改动", "你做过什么", "你对我的电脑做了什么", "你改過什麼",
		},
		"today": {
			"what did you do today", "please show me what you've changed today", "summarize what you did today", "what did you just do?", "did you change anything today?", "tell me what you did today", "what did you do in the last hour",
			"오늘 뭐 했어?", "방금 뭐 바꿨어", "방금 뭐 했어?", "너 방금 뭐 한 거야?", "오늘 한 일 알려줘", "오늘 뭐 하셨어요?", "오늘 실행한 명령 보여줘", "아까 뭐 고쳤어", "너 오늘 뭐했냐",
			"今天你做了什么", "总结一下你今天做的事", "你刚才改了什么", "你刚才干嘛了", "刚才改了什么",
		},
		"yesterday": {"what did you do yesterday", "which packages did you install yesterday", "what did you do last night", "어제 뭐 했어", "어제 뭐 설치했어?", "어제 니가 뭐 지웠지", "어제 네가 한 일 요약해줘", "你昨天做了什么", "你昨天装了什么软件"},
		"week":      {"what did you do this week", "what have you changed in the last 3 days", "이번 주에 뭐 했어", "지난주에 뭐 바꿨어", "최근 3일 동안 뭐 했어", "你这周改了什么"},
		"2026-11-20": {
			"what did you do last friday", "what did you change on friday", "what did you do on November 20", "what did you do on 2026-11-20", "what did you do 5 days ago",
			"지난 금요일에 뭐 했어", "금요일에 뭐 바꿨어?", "11월 20일에 뭐 했어", "5일 전에 뭐 했어", "지난주 금요일에 뭐 했어", "上周五你做了什么", "你11月20日做了什么",
		},
		"2026-11-23": {"what did you do the day before yesterday", "what did you do on monday", "그저께 뭐 했어", "월요일에 뭐 했어", "你前天做了什么", "你星期一改了什么"},
		"2026-11-18": {"what did you do last wednesday", "what did you do on wednesday", "수요일에 뭐 했어"},
		"2025-12-24": {"what did you do on Dec 24", "12월 24일에 뭐 했어"},
	} {
		for _, text := range requests {
			p := shared().Understand(text, Context{Now: now})
			require.Equal(t, []Step{Call("recent_changes", "day", day)}, p.Steps, "%s: %s", text, p.Why())
			require.Equal(t, []string{"did"}, p.Diagnoses, text)
		}
	}
	p := shared().Understand("지난 금요일에 뭐 했어", Context{})
	require.Equal(t, "week", p.Steps[0].Input["day"], "without a clock")
}

// TestOtherPastsAreNotTheAssistants asks about the machine, the conversation, the person who asks, and for changes.
func TestOtherPastsAreNotTheAssistants(t *testing.T) {
	for _, text := range []string{
		"what was updated yesterday", "what happened yesterday on this computer", "what did we talk about yesterday", "what changed yesterday", "what did i install yesterday", "what did the last update change",
		"what can you do", "what do you do", "what are you doing", "what did you mean", "what time did you start", "why did you restart nginx", "undo what you did",
		"어제 무슨 일 있었어", "어제 뭐가 업데이트됐어", "어제 무슨 얘기 했지", "내가 어제 뭐 했지", "어제 설치한 거 보여줘", "최근에 설치한 패키지 뭐야", "뭐 했길래 느려졌어?", "뭐 설치해야 돼?", "네가 설치한 거 지워줘", "네가 바꾼 거 되돌려줘", "뭐 할 수 있어?", "어제 무슨 패키지 업데이트했지?", "누가 뭐 바꿨어?", "커널이 뭐 바꿨어?",
		"昨天发生了什么", "昨天更新了什么", "昨天我们聊了什么", "你能做什么", "你在做什么", "你为什么重启了nginx", "我昨天做了什么", "你说了什么", "撤销你做的更改",
	} {
		require.NotContains(t, shared().Understand(text, Context{}).Diagnoses, "did", text)
	}
}

// TestAQuestionAboutWhatWasDoneAndAnotherAreBothAnswered asks two things at once.
func TestAQuestionAboutWhatWasDoneAndAnotherAreBothAnswered(t *testing.T) {
	for _, text := range []string{"어제 뭐 했어? 그리고 디스크 확인해줘", "what did you do yesterday? and check the disk"} {
		require.Equal(t, []string{"did", "disk"}, shared().Understand(text, Context{}).Diagnoses, text)
	}
}
