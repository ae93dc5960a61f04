package intent

import (
	"slices"
	"strings"
)

// form is how a verb is used. Only formDo asks for a change.
type form uint8

const (
	formNone  form = iota
	formDo         // an order or a wish
	formState      // what has happened or is the case
	formMay        // a condition, a question, a plan
	formNeg        // a prohibition
	formStem       // a Korean noun whose form depends on its endings
	formNoun       // a word that mentions the verb without requesting it
)

var formNames = map[string]form{
	"do": formDo, "state": formState, "may": formMay, "neg": formNeg, "stem": formStem, "noun": formNoun,
}

func (f form) String() string {
	for name, g := range formNames {
		if f == g {
			return name
		}
	}
	return "none"
}

// act is a verb of change as used in an utterance.
type act struct {
	verb       string
	form       form
	start, end int // flat range of the verb without its ending
	tail       int // flat end including the ending
	bare       bool
	korean     bool // the object precedes the verb
}

// acts finds the verbs of u and determines the form of each.
func (l *Lexicon) acts(u *utterance, boundary func(int) bool) []act {
	var out []act
	for _, h := range l.match(u, layerVerb, boundary, nil) {
		if !boundary(h.start) && isHangul(u.flat[h.start]) && h.form != formStem {
			continue
		}
		a := act{verb: h.id, form: h.form, start: h.start, end: h.end, tail: h.end}
		sc := u.words[u.wordAt[h.start]].script
		a.korean = sc == hangul
		switch {
		case h.form == formStem || sc == latin && h.form == formDo && mixedIn(u, a):
			a.korean = true
			l.inflect(u, &a)
		case sc == hangul:
			a.form = l.koreanForm(u, a)
		case sc == han:
			a.form = chineseForm(u, a)
		case u.lang == "zh":
			if a.form == formDo {
				a.form = chineseForm(u, a)
			}
		default:
			a.form, a.bare = englishForm(u, a)
		}
		if a.form == formDo && u.lang != "en" && negated(clauseBefore(u, u.wordAt[a.start])) {
			a.form, a.bare = formNeg, false // "don't update 시스템"
		}
		out = append(out, a)
	}
	return out
}

// mixedIn reports whether an English verb is used as a noun in a Korean sentence, so that Korean endings
// determine its form: "update 있는지 check 해줘".
func mixedIn(u *utterance, a act) bool {
	next := u.wordAt[a.end-1] + 1
	return u.lang == "ko" && (next == len(u.words) || u.words[next].script == hangul)
}

// inflect determines the form of a Korean verbal noun from what follows it. Adverbs can come between the noun
// and its 하다.
func (l *Lexicon) inflect(u *utterance, a *act) {
	stop := u.clauseEnd(a.start)
	i := a.end
	for i < stop {
		n := longestPrefix(u.flat, i, wordList("adverbs"))
		if e := l.endingAt(u, i); n == 0 || e != nil && len(e.text) >= n {
			break
		}
		i += n
	}
	if i >= stop {
		a.form, a.bare, a.tail = formDo, true, i
		between := string(u.flat[a.end:i])
		if u.question || strings.HasSuffix(between, "가") || strings.HasSuffix(between, "이") {
			a.form = formNoun
		}
		return
	}
	a.form, a.tail = formNoun, i
	if e := l.endingAt(u, i); e != nil {
		a.form, a.tail = e.form, i+len(e.text)
		a.form = l.koreanForm(u, *a)
	}
}

// longestPrefix returns the length of the longest of words found at position i of flat, or 0 if none matches.
func longestPrefix(flat []rune, i int, words []string) int {
	best := 0
	for _, w := range words {
		if r := []rune(w); hasPrefixAt(flat, i, r) {
			best = max(best, len(r))
		}
	}
	return best
}

func (l *Lexicon) endingAt(u *utterance, i int) *ending {
	k := slices.IndexFunc(l.endings, func(e ending) bool { return hasPrefixAt(u.flat, i, e.text) })
	if k < 0 {
		return nil
	}
	return &l.endings[k]
}

// koreanForm corrects the form of a Korean verb using the words around it.
func (l *Lexicon) koreanForm(u *utterance, a act) form {
	switch {
	case a.form != formDo:
		return a.form
	case isComplaint(u, a):
		return formState
	}
	for _, t := range l.afterEndings {
		if hasPrefixAt(u.flat, a.tail, t.text) {
			return t.form
		}
	}
	switch before := u.flat[:a.start]; {
	case u.question && !hasPlea(u, a):
		return formMay
	case endsWithWord(u, before, "안"), endsWithWord(u, before, "못"):
		return formNeg
	}
	return formDo
}

// isComplaint reports whether the utterance complains about the verb's event: 자꾸 멈춰, 왜 꺼져.
func isComplaint(u *utterance, a act) bool {
	from := 0
	if w := u.wordAt[a.start]; w > 0 {
		from = u.words[max(0, w-3)].start
	}
	return containsAny(string(u.flat[from:a.start]), wordList("by-itself")...)
}

// hasPlea reports whether a Korean sentence requests an action rather than asking about a state: 켜줄래?, 설치해 주실 수
// 있나요?, but not 켜져? or 지워?
func hasPlea(u *utterance, a act) bool {
	return containsAny(string(u.flat[a.start:u.clauseEnd(a.start)]), wordList("pleas")...)
}

// endsWithWord reports whether the flat text before a verb ends with the whole word w.
func endsWithWord(u *utterance, before []rune, w string) bool {
	r := []rune(w)
	return len(before) >= len(r) && string(before[len(before)-len(r):]) == w && u.startsWord(len(before)-len(r))
}

// chineseForm determines the form of a Chinese verb from its neighbours.
func chineseForm(u *utterance, a act) form {
	if a.form != formDo {
		return a.form
	}
	from := max(u.clauseStart(a.start), a.start-10)
	before, after := string(u.flat[from:a.start]), string(u.flat[a.end:min(len(u.flat), a.end+4)])
	polite := containsAny(before, "帮我", "请", "給我", "给我")
	switch {
	case containsAny(before, "不要", "别", "不用", "先不", "不想", "不必", "請勿", "请勿", "無需", "无需"):
		return formNeg
	case strings.HasSuffix(before, "不") && !strings.HasSuffix(before, "要不"), strings.HasSuffix(before, "没"), strings.HasSuffix(before, "停止"):
		return formNeg
	case containsAny(before, "怎么", "如何", "为什么", "什么时候", "怎樣", "是否", "能否", "要不要", "有没有", "多久", "如果", "谁", "何时", "是不是", "会不会", "能不能", "有啥", "有什么", "哪些", "哪个", "推荐", "多少"):
		return formMay
	case strings.HasSuffix(before, "会"), strings.HasSuffix(before, "被"), hasAnyPrefix(after, "哪些", "什么", "有哪", "了哪", "了什么"):
		return formMay
	case asksEither(before) || hasAnyPrefix(after, "之后", "以后", "后", "之前", "以前", "前", "完", "期间", "没"):
		return formMay
	case hasAnyPrefix(after, "时间", "速度", "慢", "情况", "日志", "过", "的", "失败", "列表", "信息", "吗", "了吗", "要多", "需要", "很", "项", "花", "多", "得", "太"):
		return formNoun
	case !polite && strings.HasSuffix(string(u.flat), "吗"), !polite && strings.HasSuffix(string(u.flat), "嗎"):
		return formMay
	case a.verb == "update" && containsAny(strings.ReplaceAll(before, "所有", ""), "有", "可", "检", "查看", "哪些", "什么", "檢查", "能", "看看", "新的", "待"):
		return formNoun
	}
	return formDo
}

// asksEither reports whether a Chinese text contains an A-not-A question: 设没设, 是不是.
func asksEither(s string) bool {
	r := []rune(s)
	for i := 1; i+1 < len(r); i++ {
		if (r[i] == '没' || r[i] == '不') && r[i-1] == r[i+1] {
			return true
		}
	}
	return false
}

func containsAny(s string, subs ...string) bool {
	return slices.ContainsFunc(subs, func(sub string) bool { return strings.Contains(s, sub) })
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
