package intent

import "strings"

var (
	// leftFiles matches what pacman calls the files that it leaves.
	leftFiles = pattern(`(?i)\bpac(?:new|save)s?(?:\b|[가-힣]|[\x{4e00}-\x{9fff}])|팩뉴|\bpacdiff\b|설정\s*파일\S{0,2}\s*(?:좀\s*)?(?:병합|합[치칠쳐]|머지)|\bmerg\w+\b.*\bconfig(?:uration)? files?\b|\bconfig(?:uration)? files?\b.*\bpacman left|pacman\s*(?:留下|生成)|(?:合并|合併).{0,4}配置文件|配置文件.{0,4}(?:合并|合併)`)
	// leftMeaning matches a question what such files are.
	leftMeaning = pattern(`(?i)\bwhat(?:'s| is| are| does| do) (?:a |an |the )?\.?pac(?:new|save)s?(?: files?)?(?: mean)?\s*\??$|\bexplain\b|\bmean(?:s|ing)?\b|뭐야\??$|뭔가요\??$|무엇|뜻|什么是|是什么|什么意思`)
	// leftPath matches a file in a request.
	leftPath = pattern(`/etc/[A-Za-z0-9@._+:/-]+|[A-Za-z0-9@._+-]+\.pac(?:new|save)\b`)
	// decision matches the side of one or several conflicts: "1 mine", "2번은 새 거", "1和3用新的".
	decision = pattern(`(?i)((?:\d{1,2}(?:\s*(?:번|号|處|处))?(?:은|는|을|를|이|가)?\s*(?:[,，、&]|and|하고|이랑|랑|과|와|和|跟)?\s*)+)(?:[=:]\s*)?(?:(?:은|는|use|take|keep|with|用|选|選|保留|留)\s*)?(?:the\s+|my\s+)?(` + newSide + `|` + mySide + `)`)
	// onlyDecisions matches what may be between decisions.
	onlyDecisions = pattern(`(?i)^(?:[\s,，、;；.。!]|and|then|그리고|하고|으로|로|해\s*줘|할게|요|then|吧|please)*$`)
	wholeMine     = pattern(`(?i)\bkeep (?:mine|my\b|the old)|\bdiscard the (?:new|pacnew)|(?:내|기존|지금|원래)\s*(?:것|거|걸|파일|설정)\S{0,2}\s*(?:그대로|유지|남겨|쓸|써)|保留(?:我的|现有|旧|原)`)
	wholeNew      = pattern(`(?i)\b(?:take|use|accept) (?:the )?(?:new|pacnew)|(?:새|신규)\s*(?:것|거|걸|파일|설정)\S{0,2}\s*(?:쓸|써|사용|바꿔|교체|적용)|(?:使用|用|采用|换成)新的?`)
)

// The words for the sides of a conflict.
const (
	newSide = `new(?:er)?(?: one)?|theirs|새\s*(?:것|거|걸|파일|설정)?|신규|新的?`
	mySide  = `mine|my(?: one)?|old(?: one)?|ours|내\s*(?:것|거|걸|파일|설정)?|제\s*(?:것|거)|기존\s*(?:것|거)?|我的?|旧的?|舊的?|原来的?`
)

var newSideOnly = pattern(`(?i)^(?:` + newSide + `)$`)

// decidePacnew recognises a request about the configuration files that pacman left, and decisions about their conflicts.
func (r *Reading) decidePacnew() (Plan, bool) {
	raw := strings.TrimSpace(r.u.raw)
	if r.u.data != "" || strings.Contains(raw, "\n") || len(r.u.words) > maxWish || looksLikeCommand(raw) {
		return Plan{}, false
	}
	choice, rest := decisionsIn(raw)
	about := leftFiles().MatchString(raw)
	switch {
	case !about && (choice == "" || !onlyDecisions().MatchString(rest)):
		return Plan{}, false
	case leftMeaning().MatchString(raw), r.hasAny("remember", "recall"), r.has["write"] && choice == "" && !wholeNew().MatchString(raw):
		return Plan{}, false
	case about && r.forbids():
		return r.leaveAlonePlan("asks not to change the left files"), true
	}
	step := Call("pacnew", "lang", r.u.lang)
	if file := leftPath().FindString(raw); file != "" {
		step.Input["file"] = strings.TrimRight(file, ".:/")
	}
	switch {
	case choice != "":
		step.Input["choice"] = choice
	case wholeMine().MatchString(raw):
		step.Input["choice"] = "mine"
	case wholeNew().MatchString(raw):
		step.Input["choice"] = "new"
	}
	return callPlan(sureScore, step).because("asks about the configuration files that pacman left"), true
}

// decisionsIn returns the decisions of a request as "1=mine 2=new", and the rest of it.
func decisionsIn(raw string) (choice, rest string) {
	var all []string
	last := 0
	var between strings.Builder
	for _, m := range decision().FindAllStringSubmatchIndex(raw, -1) {
		side := "mine"
		if newSideOnly().MatchString(raw[m[4]:m[5]]) {
			side = "new"
		}
		for _, number := range conflictNumber().FindAllString(raw[m[2]:m[3]], -1) {
			all = append(all, number+"="+side)
		}
		between.WriteString(raw[last:m[0]] + " ")
		last = m[1]
	}
	between.WriteString(raw[last:])
	return strings.Join(all, " "), between.String()
}

var conflictNumber = pattern(`\d+`)
