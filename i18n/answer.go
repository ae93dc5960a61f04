package i18n

import (
	"strings"

	"golang.org/x/text/width"
)

// Answer is the meaning of a short reply to a confirmation.
type Answer int

// The answers. Everything that is not exactly one of the known short replies is Unclear, which never means yes.
const (
	Unclear Answer = iota
	Yes
	No
	Session // yes, and do not ask again for the same in this session
	Edit
	Explain
)

var answers = map[string]Answer{
	"y": Yes, "yes": Yes, "yeah": Yes, "yep": Yes, "ok": Yes, "okay": Yes, "sure": Yes, "do it": Yes,
	// The keys y, n, a and e with the Korean input method on (2-set layout).
	"ㅛ": Yes, "ㅜ": No, "ㅁ": Session, "ㄷ": Edit,
	"ㅇ": Yes, "ㅇㅇ": Yes, "ㅇㅋ": Yes, "응": Yes, "어": Yes, "네": Yes, "넵": Yes, "넹": Yes, "예": Yes, "그래": Yes, "좋아": Yes, "좋아요": Yes, "해줘": Yes, "진행": Yes, "진행해": Yes, "진행해줘": Yes,
	"是": Yes, "好": Yes, "好的": Yes, "可以": Yes, "嗯": Yes, "行": Yes,
	"n": No, "no": No, "nope": No, "cancel": No, "stop": No,
	"ㄴ": No, "ㄴㄴ": No, "아니": No, "아니요": No, "아니오": No, "아뇨": No, "싫어": No, "싫어요": No, "안돼": No, "안 돼": No, "취소": No, "취소해": No, "취소해줘": No, "그만": No, "하지마": No, "하지 마": No,
	"不": No, "不要": No, "不行": No, "否": No, "取消": No,
	"a": Session, "always": Session, "세션": Session, "세션 허용": Session,
	"e": Edit, "edit": Edit, "수정": Edit,
	"?": Explain, "h": Explain, "help": Explain, "도움말": Explain,
}

// ParseAnswer reads a short reply in any of the languages. It ignores letter case, full-width forms,
// surrounding blanks and trailing punctuation. Everything longer or different is [Unclear].
func ParseAnswer(s string) Answer {
	s = strings.ToLower(strings.Join(strings.Fields(width.Fold.String(s)), " "))
	if a, ok := answers[s]; ok {
		return a
	}
	return answers[strings.TrimRight(s, ".!~^ ")]
}
