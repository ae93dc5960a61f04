package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatPeopleSayAboutThemselvesIsNoted: a name, a place, an age, a liking, in their own words.
func TestWhatPeopleSayAboutThemselvesIsNoted(t *testing.T) {
	for said, note := range map[string]string{
		"내 이름은 민수야": "내 이름은 민수야", "제 이름은 홍길동입니다.": "제 이름은 홍길동입니다", "안녕하세요, 제 이름은 홍길동입니다. 반갑습니다": "제 이름은 홍길동입니다",
		"나는 지민이라고 해": "나는 지민이라고 해", "민수라고 불러줘": "민수라고 불러줘", "내 이름은 알리야": "내 이름은 알리야", "내 이름은 민수고 서울에 살아": "내 이름은 민수고 서울에 살아",
		"my name is Minsu": "my name is Minsu", "My name is Minsu Kim.": "My name is Minsu Kim", "hi, my name is ann": "my name is ann", "call me Jay": "call me Jay", "You can call me Max": "call me Max", "everyone calls me Jay": "everyone calls me Jay", "just so you know, my name is Lee": "my name is Lee",
		"my name is Minsu and I live in Seoul": "my name is Minsu and I live in Seoul", "my dog's name is Choco": "my dog's name is Choco", "my wife is called Eve": "my wife is called Eve",
		"我叫小明": "我叫小明", "你好，我叫李雷": "我叫李雷", "我的名字是王芳。": "我的名字是王芳", "우리 강아지 이름은 초코야": "우리 강아지 이름은 초코야",
		"나는 서울에 살아": "나는 서울에 살아", "나 서울 살아": "나 서울 살아", "my home town is Busan": "my home town is Busan", "我来自上海": "我来自上海", "저는 부산에 삽니다": "저는 부산에 삽니다", "I live in Seoul": "I live in Seoul", "i live in new york": "i live in new york", "I'm from Korea": "I'm from Korea", "我住在北京": "我住在北京",
		"나는 30살이야": "나는 30살이야", "I am 30 years old": "I am 30 years old", "我今年30岁": "我今年30岁", "나는 커피를 좋아해": "나는 커피를 좋아해", "I like coffee": "I like coffee", "我喜欢喝茶": "我喜欢喝茶",
		"내 전화번호는 010-1234-5678이야": "내 전화번호는 010-1234-5678이야", "I work as a teacher": "I work as a teacher", "나는 회사에서 일해": "나는 회사에서 일해",
	} {
		p := BuiltIn().Understand(said, Context{})
		require.Len(t, p.Steps, 1, "%s: %s", said, p.Why())
		require.Equal(t, Call("remember", "text", note), p.Steps[0], said)
	}
}

// TestWhatIsNoFactAboutAPersonIsNotNoted: complaints, questions, programs, secrets, other orders.
func TestWhatIsNoFactAboutAPersonIsNotNoted(t *testing.T) {
	for _, said := range []string{
		"my name server is broken", "my name is wrong", "my name is wrong on the login screen", "my name is root@localhost", "call me later", "call me an ambulance", "call me on Friday",
		"I am stuck", "나 지금 바빠", "나 못 살아", "나는 어떻게 살아", "can you call me back", "叫我起床", "내 컴퓨터 이름은 뭐야?", "내 컴퓨터 이름은 nuri야", "내 이름은 비밀이야", "내 이름은 안 나와", "내 이름을 nuri로 바꿔줘", "my computer's name is nuri", "my printer is called Bob",
		"I like it", "I like vlc", "i hate this computer", "나 이거 좋아해", "나는 리눅스를 처음 써", "나는 집에서 와이파이가 안 돼", "I live in fear of updates", "i work at night",
		"我叫外卖了", "我叫你停下", "我喜欢这个", "我住在哪里", "내 비밀번호는 hunter2야", "my password is hunter2", "나는 서울에 살아?", "do I live in Seoul?", "",
	} {
		for _, s := range BuiltIn().Understand(said, Context{}).Steps {
			require.NotEqual(t, "remember", s.Tool, said)
		}
	}
}

// TestQuestionsAboutOneselfReadTheNotes: the same search in all wordings.
func TestQuestionsAboutOneselfReadTheNotes(t *testing.T) {
	for fact, questions := range map[string][]string{
		"name": {
			"내 이름이 뭐라고?", "내 이름이 뭐야?", "내 이름 알아?", "너 내 이름 기억해?", "내 이름이 뭐였지", "내 이름 말해봐", "나 이름 뭐야", "내 이름 까먹었어?", "what's my name?", "What is my name", "do you know my name?", "do you remember my name",
			"tell me my name", "我叫什么名字？", "你知道我叫什么吗", "我的名字是什么", "我姓什么",
		},
		"home": {"내가 어디 사는지 알아?", "내가 어디 산다고?", "where do I live", "我住在哪里"},
		"age":  {"내가 몇 살이지?", "내 나이가 몇이라고?", "how old am I?", "我今年几岁"},
	} {
		for _, question := range questions {
			p := BuiltIn().Understand(question, Context{})
			require.Equal(t, []Step{RecallOwnFact(fact, question)}, p.Steps, "%s: %s", question, p.Why())
		}
	}
	for _, other := range []string{"what's my ip?", "what's my wifi name?", "내 아이피 뭐야", "내 여동생 이름이 뭐야", "what is my computer's name", "where is my passport?", "who am I?", "안녕", "?"} {
		require.Empty(t, BuiltIn().Read(other).OwnFact(), other)
	}
}

// TestANoteAnswersOnlyTheFactThatItStates in any of the languages.
func TestANoteAnswersOnlyTheFactThatItStates(t *testing.T) {
	for note, fact := range map[string]string{
		"my name is Ann": "name", "내 이름은 민수": "name", "我叫小明": "name", "call me Jay": "name", "I live in Busan": "home", "나는 서울에 살아": "home", "我住在北京": "home",
		"나는 30살이야": "age", "I'm 30 years old": "age", "我今年30岁": "age", "my dog's name is Choco": "", "내 여동생 이름은 민지야": "", "my name server is ns1": "", "我妹妹叫小红": "", "my son is 3 years old": "",
	} {
		for _, asked := range []string{"name", "home", "age"} {
			require.Equal(t, asked == fact, AnswersOwnFact(asked, note), "%s: %s", asked, note)
		}
	}
}
