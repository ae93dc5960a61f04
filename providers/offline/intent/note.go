package intent

import "strings"

// forgetPatterns matches requests to remove a note. The first non-empty group is the note's subject.
var forgetPatterns = patterns(
	`(?i)^\s*(?:please |pls |can you |could you |you can |now )*forget (?:about |that |the note (?:about|on|that) |what i (?:said|told you) about |everything about )*(.+?)(?:,? (?:please|now))?$`,
	`(?i)^\s*(?:please |pls |can you |could you )*(?:delete|remove|erase|drop) (?:the|my|that) (?:note|memo)s? (?:about |on |that |of )?(.+?)(?:,? please)?$`,
	`(?i)^\s*(?:please |pls |can you |could you )*(?:delete|remove|erase) (.+?) from (?:your|the|my) (?:memory|notes?|memos?)$`,
	`^(.+?)(?:에\s*대해서?|에\s*관해서?|에\s*대한\s*(?:것|거|건|메모|기억))?(?:은|는|을|를)?\s*(?:이제\s*|그만\s*|다\s*)*잊어(?:\s*줘요?|\s*주세요|\s*줄래\??|버려줘?|도\s*돼요?|라|줘라)?$`,
	`^(.+?)(?:에\s*대한|에\s*관한|에\s*대해\s*(?:적은|기억한))?\s*(?:메모|기억|노트)(?:을|를|에서|는|은)?\s*(?:좀\s*)?(?:지워|삭제해|없애|빼)(?:\s*줘요?|\s*주세요|\s*줄래\??|버려)?$`,
	`^(?:请|請|麻烦|帮我)?\s*(?:忘掉|忘记|忘記|忘了)\s*(?:关于|關於|我说的|我說的)?\s*(.+?)(?:的事情?|这件事|這件事|的笔记|吧|了)*$`,
	`^(?:请|請|麻烦|帮我)?\s*[把将將]\s*(?:关于|關於)?(.+?)(?:的事情?|这件事|這件事)?(?:都|给|給)?\s*(?:忘掉|忘了|忘记|忘記|从(?:记忆|笔记)[里中]?(?:删掉|删除))(?:吧|了)*$`,
	`^(?:请|請|麻烦|帮我)?\s*(?:删掉|删除|刪掉|刪除)\s*(?:关于|關於)?(.+?)的?(?:笔记|筆記|备忘|備忘|记忆)(?:吧|了)*$`,
)

// pronouns are words that do not identify a note.
var pronouns = set("it", "what i said", "what i just said", "what i told you", "what i just told you", "that", "this", "me", "about it", "everything", "all", "그거", "그건", "이거", "이건", "그것", "방금", "방금 거", "아까 거", "다", "전부", "它", "这个", "那个", "我", "这", "刚才的")

// noteToForget returns the subject of the note to remove, or "" if the request does not ask for that.
func (r *Reading) noteToForget() string {
	raw := strings.TrimRight(strings.TrimSpace(r.u.raw), ".!~ 。！")
	if len(raw) > 400 || !containsAny(strings.ToLower(raw), "forget", "delete", "remove", "erase", "drop", "잊어", "지워", "삭제", "없애", "빼", "忘", "删", "刪") {
		return ""
	}
	for _, form := range forgetPatterns() {
		m := form.FindStringSubmatch(raw)
		if m == nil {
			continue
		}
		about := strings.Trim(m[1], " \t,\"'“”‘’`「」")
		about = strings.TrimPrefix(strings.TrimPrefix(about, "my "), "the ")
		if pronouns[strings.ToLower(about)] || about == "" {
			return ""
		}
		return about
	}
	return ""
}

// decideForget recognises "forget my NAS address". The matching notes are looked up first.
func (r *Reading) decideForget() (Plan, bool) {
	about := r.noteToForget()
	if about == "" || !r.has["@forget"] {
		return Plan{}, false
	}
	return callPlan(sureScore, Call("recall", "query", about, "limit", forgetLimit)).because("asks to forget %q", about), true
}

// forgetLimit is how many notes are searched for the one to forget.
const forgetLimit = 10

// quoteEndings lists Korean endings that quote the text to remember, each with the plain ending that replaces it.
var quoteEndings = []struct{ end, instead string }{
	{"다는 것을", "다"},
	{"다는 것", "다"},
	{"다는 걸", "다"},
	{"다는 거", "다"},
	{"이라는 것", ""},
	{"이라는 걸", ""},
	{"이라는 거", ""},
	{"라는 것", ""},
	{"라는 걸", ""},
	{"라는 거", ""},
	{"다고", "다"},
	{"이라고", ""},
	{"라고", ""},
}

func stripQuoteEnding(note string) string {
	for _, s := range quoteEndings {
		if text, ok := strings.CutSuffix(note, s.end); ok && strings.ContainsAny(text, " \t") {
			return strings.TrimSpace(text + s.instead)
		}
	}
	return note
}

// bareForgetPattern matches requests to forget the last statement without naming it.
var bareForgetPattern = pattern(`(?i)^\s*(?:please |no,? |actually,? )*forget (?:it|that|this|what i (?:just )?(?:said|told you))(?: again)?(?:,? please)?[.! ]*$` +
	`|^\s*(?:아니야?,? |그냥 )*(?:(?:그거|그건|그것|이거|그 말|방금 (?:거|것|말|한 말)|아까 (?:거|것|말))(?:은|는|을|를)? ?)?(?:다시 )?잊어(?: ?(?:줘요?|주세요|버려|라))?[.! ]*$` +
	`|^\s*(?:请|請|算了[，,]?)*(?:把(?:它|这个|那个|刚才的)(?:都|给)?)?(?:忘了|忘掉|忘记|忘記)(?:它|这个|那个|这件事|刚才的|吧|了)*[。！ ]*$`)

// lastRemembered returns the text that the previous request stored as a note, if request asks to forget it without
// naming it; else "".
func (c Context) lastRemembered(request string) string {
	if !c.IsRecent || c.Tool != "remember" || !bareForgetPattern().MatchString(request) {
		return ""
	}
	text, _ := c.Input["text"].(string)
	return text
}
