package i18n

import (
	"slices"
	"strings"
	"unicode"

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

// familyWords allow a command's family where a question offers that. Unlike other answers the key is in capitals, which is
// the only difference to the narrower [Session].
var familyWords = []string{"A", "family", "종류 허용", "같은 종류 허용", "同类", "同类允许"}

// IsFamily reports whether a short reply allows the family of the command in question.
func IsFamily(s string) bool {
	return slices.Contains(familyWords, strings.Join(strings.Fields(width.Fold.String(s)), " "))
}

// ApprovalPhrases returns text that only approvals may contain in a chat, in all languages. Bridges quote it
// elsewhere, so that it cannot be imitated.
func ApprovalPhrases() []string {
	var all []string
	for _, lang := range Languages {
		reply, _, _ := strings.Cut(AskReply("\n").In(lang), "\n")
		all = append(all, AskQuestion.In(lang), strings.TrimRight(reply, " (（"))
	}
	return all
}

// Prefixes start a message that is addressed to the assistant.
var Prefixes = []string{"/ai", "!ai", "블루눅스", "blunux"}

var (
	cancelWords = []string{"취소", "그만", "중지", "정지", "멈춰", "stop", "cancel", "/cancel", "/stop", "取消", "停止"}
	resetWords  = []string{"reset", "/reset", "/new", "새 대화", "새대화", "新对话", "新對話"}
)

// IsCancel reports whether a message only asks to stop.
func IsCancel(text string) bool { return slices.Contains(cancelWords, shortWords(text)) }

// IsReset reports whether a message only asks to start over.
func IsReset(text string) bool { return slices.Contains(resetWords, shortWords(text)) }

// shortWords normalizes a short message for comparison: case, width, blanks and final punctuation are removed.
func shortWords(text string) string {
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(width.Fold.String(text)), " ")), ".!~ ")
}

// WithoutPrefix removes a prefix that addresses the assistant, and reports whether there was one.
func WithoutPrefix(text string) (rest string, had bool) {
	text = strings.TrimSpace(text)
	for _, prefix := range Prefixes {
		if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
			continue
		}
		rest := text[len(prefix):]
		if prefix == "블루눅스" { // with the vocative particle
			rest = strings.TrimPrefix(rest, "야")
		}
		if rest == "" || strings.ContainsAny(rest[:1], " \t\n,:!.?") {
			return strings.TrimLeft(rest, " \t\n,:!."), true
		}
	}
	return text, false
}

// IsStart reports whether a message is the one that Telegram sends when a user opens a chat with a bot
// (core.telegram.org/bots/features, "Global commands").
func IsStart(text string) bool { return text == "/start" }

// Parse reads a language tag or locale name ("ko", "ko_KR.UTF-8", "zh-Hant", "zh_TW", "en"). It returns false for
// "", "auto", "C" and unsupported languages.
func Parse(tag string) (Lang, bool) {
	tag, _, _ = strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "-", "_"), ".")
	base, region, _ := strings.Cut(tag, "_")
	switch base {
	case "ko", "korean", "한국어":
		return Korean, true
	case "en", "english":
		return English, true
	case "zh", "chinese", "中文":
		if script, _, _ := strings.Cut(region, "_"); slices.Contains([]string{"hant", "tw", "hk", "mo"}, script) {
			return Traditional, true
		}
		return Chinese, true
	case "繁體中文":
		return Traditional, true
	}
	return "", false
}

// Base returns Chinese for both ways to write it, and any other language unchanged.
func (l Lang) Base() Lang {
	if l == Traditional {
		return Chinese
	}
	return l
}

// Choose returns the first tag that names a language, else English. Callers pass the tags in this order: flag,
// BLUNUX_AI_LANG, configuration, the system's locale list (Korean wins there, see [FromLocales]), LC_ALL or LANG.
func Choose(tags ...string) Lang {
	for _, tag := range tags {
		if lang, ok := Parse(tag); ok {
			return lang
		}
	}
	return English
}

// FromLocales returns the language tag for a system's locale list: Korean if any entry is Korean (NARE TDD
// section 4.5, Language::from_locale), else the first supported entry, else "".
func FromLocales(locales []string) string {
	first := ""
	for _, l := range locales {
		lang, ok := Parse(l)
		if ok && lang == Korean {
			return string(Korean)
		}
		if ok && first == "" {
			first = string(lang)
		}
	}
	return first
}

// Detect returns the language of a text: Korean if it contains Hangul, Chinese, simplified or traditional, if it
// contains Han and no kana, English if it contains a Latin word of at least three letters. It returns false if it
// cannot decide ("df -h", "?", emoji), so that callers use the user's language.
func Detect(text string) (Lang, bool) {
	var han, kana, latin, longest, run int
	for _, r := range text {
		if r < unicode.MaxASCII && unicode.IsLetter(r) {
			latin++
			run++
			longest = max(longest, run)
			continue
		}
		run = 0
		switch {
		case unicode.Is(unicode.Hangul, r):
			return Korean, true
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		}
	}
	switch {
	case han > 0 && kana == 0 && isTraditional(text):
		return Traditional, true
	case han > 0 && kana == 0:
		return Chinese, true
	case han == 0 && kana == 0 && longest >= 3:
		return English, true
	}
	return "", false
}

// CommandLineLang chooses the language of help and usage errors before the command line is parsed: --lang,
// BLUNUX_AI_LANG, the locale. It does not read the configuration.
func CommandLineLang(args []string, getenv func(string) string) Lang {
	return Choose(LangFlag(args), getenv("BLUNUX_AI_LANG"), getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))
}

// LangFlag returns the last value of --lang on a command line, or "".
func LangFlag(args []string) string {
	said := ""
	for i, a := range args {
		if a == "--" {
			break
		}
		if v, ok := strings.CutPrefix(a, "--lang="); ok {
			said = v
		} else if a == "--lang" && i+1 < len(args) {
			said = args[i+1]
		}
	}
	return said
}

// undoWords are what people write, and nothing else, to take the last change of a conversation back. Anything longer
// is for the model.
var undoWords = []string{
	"undo", "undo that", "undo it", "undo the last change", "take that back", "revert that",
	"되돌려줘", "되돌려 줘", "되돌려", "방금 그거 취소해줘", "방금 그거 취소해 줘", "방금 그거 되돌려줘", "방금 거 취소해줘",
	"방금 거 되돌려줘", "방금 한 거 취소해줘", "방금 한 거 되돌려줘", "방금 한 거 되돌려 줘", "원래대로 돌려줘", "원래대로 해줘", "undo 해줘",
	"撤销", "撤消", "还原", "撤销刚才的更改", "撤销刚才的操作", "取消刚才的更改",
}

// IsUndo reports whether words, in lower case and without punctuation at the end, ask to take the last change back.
func IsUndo(words string) bool { return slices.Contains(undoWords, words) }
