package intent

import "strings"

// An order is carried out only if it is the user's own, immediate and unconditional. Anything quoted, reported,
// conditional or part of a question about a cause leads to a read-only step instead: an unwanted check costs a
// moment, an unwanted change costs more.

// veto changes the form of acts that are not orders.
func (r *Reading) veto() {
	for i := range r.acts {
		a := &r.acts[i]
		if a.form == formDo && (r.isImpossible(*a) || r.isOnlyQuestion() || r.isQuoted(*a) || r.isConditional(*a) || r.isReported(*a) || r.isOnlySince(*a) || r.asksCause()) {
			a.form, a.bare = formMay, false
		}
	}
	if koreanDenial().MatchString(r.u.raw) {
		r.forbidLastOrders()
	}
}

// isOnlySince reports whether an update only says since when something is wrong: "stutters since yesterday's update".
func (r *Reading) isOnlySince(a act) bool {
	return a.verb == "update" && afterUpdate().MatchString(r.u.raw)
}

// isImpossible reports whether a Chinese verb is said to be impossible: 启动不起来.
func (r *Reading) isImpossible(a act) bool {
	return r.u.lang == "zh" && a.end < len(r.u.flat) && r.u.flat[a.end] == '不'
}

// koreanDenial matches a Korean sentence that ends with a prohibition.
var koreanDenial = pattern(`(?:지|는|진)\s*(?:마|마요|마세요|마라|말아|말아요|말아줘|말아주세요|말자|말라고|말아 줘|말아 주세요)\s*[.!~]*$`)

// forbidLastOrders marks the orders of the last clause as forbidden.
func (r *Reading) forbidLastOrders() {
	for i := range r.acts {
		if a := &r.acts[i]; a.form == formDo && r.u.words[r.u.wordAt[a.start]].clause == r.u.words[len(r.u.words)-1].clause {
			a.form, a.bare = formNeg, false
		}
	}
}

var englishPlea = pattern(`(?i)\b(?:(?:can|could|would|will|can't|couldn't|won't)\s+(?:you|u|ya|we)|please|pls|plz|mind|why\s+don'?t\s+you|let'?s|kindly|how\s+about|go\s+ahead)\b`)

// isOnlyQuestion reports whether a request is a question that requests no action: an English one ends in a question
// mark and has no plea, a Chinese one has a question word and no plea.
func (r *Reading) isOnlyQuestion() bool {
	switch r.u.lang {
	case "en":
		raw := strings.TrimRight(r.u.raw, " )!\"'")
		return strings.HasSuffix(raw, "?") && !englishPlea().MatchString(raw)
	case "zh":
		return r.asks() && !containsAny(string(r.u.flat), "请", "帮我", "麻烦", "给我", "能不能帮", "可以帮", "替我", "劳驾")
	}
	return false
}

var quotation = pattern(`"[^"\n]{2,}"|“[^”\n]{2,}”|「[^」\n]{2,}」|『[^』\n]{2,}』|«[^»\n]{2,}»`)

// isQuoted reports whether an act is inside quotation marks with other text around them.
func (r *Reading) isQuoted(a act) bool {
	if r.u.lang == "" || !strings.ContainsAny(r.u.raw, `"“「『«`) {
		return false
	}
	verb := squeezeBlanks(actText(r.u, a))
	outside, inside := quotation().ReplaceAllString(r.u.raw, " "), ""
	for _, q := range quotation().FindAllString(r.u.raw, -1) {
		inside += q
	}
	return strings.Contains(squeezeBlanks(inside), verb) && !strings.Contains(squeezeBlanks(outside), verb) && len(strings.Fields(outside)) > 1
}

func squeezeBlanks(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

var conditionPattern = pattern(`(?i)\b(?:if|unless|in\s+case|whenever|should\s+it|provided)\b|如果|要是|假如|万一|的话`)

var koreanConditionPattern = pattern(`(?:았으|었으|였으|했으|졌으|있으|없으|됐으|않으|되|하|이|으|나|가|지|르|리|프|끼|끄|켜|차|오르|내려가)면`)

// courtesies are conditional phrases that do not make an order conditional.
var courtesies = pattern(`(?i)\bif\s+(?:you\s+(?:can|could|would|please|do\s?n.?t\s+mind|have\s+(?:a\s+)?(?:time|moment))|possible|that.?s\s+ok(?:ay)?|it.?s\s+ok(?:ay)?|not\s+too\s+much)|(?:가능하|괜찮으|괜찮으시|되시|시간\s?되|시간\s?나|할\s?수\s?있으|웬만하|이왕이|기왕이|필요하)(?:시)?면|可以的话|方便的话|如果可以|如果方便`)

// isConditional reports whether an order depends on a condition: "if nginx is down, start it", 죽어 있으면 살려줘.
func (r *Reading) isConditional(a act) bool {
	text := courtesies().ReplaceAllString(r.u.raw, " ")
	if conditionPattern().MatchString(text) {
		return true
	}
	if r.u.lang != "ko" {
		return false
	}
	before := string(r.u.flat[:a.start])
	if text != r.u.raw {
		before = courtesies().ReplaceAllString(before, "")
	}
	return koreanConditionPattern().MatchString(before)
}

var reportedSpeech = pattern(`(?i)\b(?:said|says|told\s+(?:me|us|him|her)|according\s+to|suggests?|suggested|recommends?|recommended|claims?|advises?)\b|(?:라는데|라던데|다던데|다는데|라길래|다길래|래서|라고\s?(?:하던데|하는데|해서|써|적|나와|되어|돼|하더라|했)|하라고|시켜서|다고\s?(?:하던데|하는데|들었|하더라|했))|(?:他|她|朋友|同事|老板|别人|教程|论坛|网上).{0,8}(?:说|让|叫|建议)`)

// isReported reports whether the request repeats someone else's words.
func (r *Reading) isReported(a act) bool {
	if !reportedSpeech().MatchString(r.u.raw) {
		return r.u.lang == "zh" && chineseStory().MatchString(r.u.raw)
	}
	// "my boss said I should, so please install it": the order follows the reported part.
	return !asksForIt(clauseBefore(r.u, r.u.wordAt[a.start])) && !(a.korean && hasPlea(r.u, a) && a.tail >= len(r.u.flat)-4)
}

var chineseStory = pattern(`(?:我朋友|同事|他|她|别人|有人|昨天|前天|上周|刚才|之前).{0,12}(?:停|装|卸|删|重启|关|启动|更新|升级)(?:掉|了|过)`)

func (r *Reading) asksCause() bool { return r.has != nil && r.has["why"] && r.u.question }

// asks reports whether a request is phrased as a question, with or without a question mark.
func (r *Reading) asks() bool {
	if r.u.question {
		return true
	}
	flat := string(r.u.flat)
	switch r.u.lang {
	case "en":
		first := firstWord(r.u)
		return wordsOf("question-words")[first] && first != "do" || first == "will" && len(r.u.words) > 1 && foldWord(r.u.words[1].text) != "you" || containsAny(" "+strings.ToLower(r.u.raw), " let me know", " tell me", " show me", " do we ", " do i ", " do you ", " can i ")
	case "zh":
		return asksEither(flat) || containsAny(flat, "吗", "呢", "没有", "了没", "为何", "几时", "何时", "确认", "不劳", "我已经", "卡在", "怎么", "什么", "哪", "多少", "几", "是否", "告诉", "看看", "查")
	}
	return containsAny(flat, "나요", "니까", "을까", "는지", "던데", "인지", "알려", "보여", "뭐", "어때")
}

// startList matches the programs that start with the desktop. To take a program off that list is not to uninstall it.
var startList = pattern(`(?i)시작\s*(?:프로그램|앱|목록|항목)|자동\s*(?:으로\s*)?(?:실행|시작)|부팅\s*(?:프로그램` +
	`|목록)|\bstart-?ups?\b|\bstart up (?:list|apps?|programs?|items?)|` +
	`\bauto-?\s?starts?\b|\b(?:log-?in|boot) items?\b|开机(?:自动|自)?启动|开机自启|自启|自动启动|启动项`)

// isAboutStartList reports whether a request is about the programs that start by themselves.
func (r *Reading) isAboutStartList() bool { return startList().MatchString(r.u.raw) }
