package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

func TestU6ANoteAnswersOnlyWhatItIsAbout(t *testing.T) {
	for _, c := range []struct {
		question, note string
		answers        bool
	}{
		{"내 이름이 뭐야", "내 이름은 영희야", true},
		{"내 여동생 이름이 뭐야", "내 이름은 영희야", false},
		{"내 여동생 이름이 뭐야", "내 여동생 이름은 민지야", true},
		{"내가 뭐 좋아하지", "나는 커피를 좋아해", true},
		{"내가 뭐 싫어하지", "나는 커피를 좋아해", false},
		{"나 어디 사는지 알아?", "나는 서울에 살아", true},
		{"what is my name", "my name is Ann", true},
		{"what's my sister's name?", "my name is Ann", false},
		{"what's my sister's name?", "my sister's name is Eve", true},
		{"do you remember the NAS address?", "the NAS is at 192.168.0.20", true},
		{"do you remember my NAS address?", "내 NAS 주소는 192.168.0.20 이야", true},
		{"do you remember the printer address?", "the NAS is at 192.168.0.20", false},
		{"엄마 생일이 언제야?", "엄마 생신은 음력 3월 5일", true},
		{"아빠 생일이 언제야?", "엄마 생신은 음력 3월 5일", false},
		{"where do I live", "I live in Busan", true},
		{"where did I park?", "I live in Busan", false},
		{"who am I?", "I live in Busan", false},
		{"我叫什么名字", "我叫小明", true},
		{"我妹妹叫什么名字", "我叫小明", false},
		{"我住在哪里", "我住在北京", true},
		{"我住在哪里", "我叫小明", false},
	} {
		ask := intent.BuiltIn().Read(c.question)
		require.True(t, ask.IsQuestion(), c.question)
		require.Equal(t, c.answers, isAnsweredBy(ask, noteLine{text: c.note, score: 1}), "%s / %s", c.question, c.note)
	}
}
