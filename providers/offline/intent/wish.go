package intent

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// wish is one line of wishes.tsv: how people tell the desktop to do something.
type wish struct {
	verb, act string
	// mode is order, ask (a question counts too) or hint (a complaint counts as a wish).
	mode   string
	object string // its kind, see [Reading.wishObject]
	about  func() *regexp.Regexp
	wished func() *regexp.Regexp // its first group that fits is the object
	other  func() *regexp.Regexp // what it must not contain
	clause string                // the part of the request that fits
}

// wishes are read on first use.
var wishes = sync.OnceValue(func() (all []wish) {
	abouts := map[string]func() *regexp.Regexp{} // lines about the same share an expression
	rows("wishes.tsv", func(f []string) {
		if abouts[f[4]] == nil {
			abouts[f[4]] = pattern(`(?i)` + f[4])
		}
		w := wish{verb: f[0], act: f[1], mode: f[2], object: f[3], about: abouts[f[4]], wished: pattern(`(?i)` + f[5])}
		if len(f) > 6 && f[6] != "" {
			w.other = pattern(`(?i)` + f[6])
		}
		all = append(all, w)
	})
	return all
})

// maxWish bounds a request that is a wish, in words.
const maxWish = 24

// decideWish recognises what a person asks of the desktop. Nothing is done here: the tool looks, and its plan is asked about.
func (r *Reading) decideWish() (Plan, bool) {
	if r.u.data != "" || len(r.u.words) > maxWish || looksLikeCommand(strings.TrimSpace(r.u.raw)) || strings.ContainsAny(r.u.raw, "`\n") || r.isNoDesktop() || nothingThere().MatchString(r.u.raw) {
		return Plan{}, false
	}
	if several, ok := r.severalWishes(); ok {
		return several, true
	}
	if closesAll().MatchString(trimPoliteness(r.u.raw)) {
		all := r.leaveAlonePlan("wishes to close all windows")
		all.Kind, all.Topic = KindAsk, "close_all"
		return all, true
	}
	w, step, ok := r.wished()
	if !ok || !r.mayWish(w) {
		return Plan{}, false
	}
	if w.mode == "order" && r.forbids() && r.lex.read(newUtterance(w.clause)).forbids() {
		return r.leaveAlonePlan("asks not to change the " + w.verb), true
	}
	if !r.whole && !r.isOnePart() && r.hasOtherPart() {
		return Plan{}, false
	}
	return callPlan(sureScore, step).because("wishes: %s %s", w.verb, w.act), true
}

// mayWish reports whether a request asks for no undo and for nothing that destroys. Some wishes have such words.
func (r *Reading) mayWish(w wish) bool {
	ends := slices.Contains([]string{"unmute", "off", "cancel", "disconnect", "previous"}, w.act)
	empties := (w.verb == "trash" || w.verb == "cache") && !r.has["@path"]
	return (!r.RequestsUndo() || ends) && (r.danger() == "" || empties)
}

// wishParts separates several wishes.
var wishParts = pattern(`(?i)\s*,\s*(?:and |then |also )*|\s+(?:and|then|plus|&)\s+(?:also |then )*|[，；]\s*(?:顺便|然后|再|并且|还有)*|然后|顺便|(?:하고|그리고|한\s*다음에?|한\s*뒤에?)\s*|([가-힣])고\s+`)

// closesAll matches a wish to close everything, of which no program is named.
var closesAll = pattern(`(?i)^(?:close|quit|exit|kill) (?:down )?(?:everything|(?:all|every)(?: of)?(?: the| my` +
	`| open| running)* (?:windows?|apps?|programs?))$` +
	`|^(?:열린\s*|켜진\s*|\S+\s*(?:있는|중인)\s*)?(?:모든\s*(?:창|앱|프로그램|윈도우)|(?:창|앱|프로그램)(?:을|를` +
	`|들을?|들)?\s*(?:전부|모두|싹|다))(?:을|를|들을?)?\s*(?:전부|모두|싹|다)*\s*(?:닫아|꺼|종료|끝내)` +
	`|^(?:帮我|请)*(?:关闭|关掉|退出)(?:所有|全部)的?(?:窗口|程序|应用|软件)$|^(?:帮我|请)*把(?:所有` +
	`|全部)?的?(?:窗口|程序|应用|软件)(?:全部|全|都)?(?:关了|关掉|关闭|退出)吧?$`)

// sharedObject matches what wishes switch on and off, betweenShared what is between two with one verb: "turn off wifi
// and bluetooth", 와이파이랑 블루투스 꺼줘.
var (
	sharedObject = pattern(`(?i)\b(?:wi-?fi|wireless|blue ?tooth|mic(?:rophone)?s?|sounds?|volume|audio|speakers?` +
		`|notifications?|airplane mode|(?:dark|night) (?:light|mode)|touchpad)\b|` +
		`와이\s*파이|블루\s*투스|마이크|소리|스피커|알림|비행기\s*모드|(?:야간|다크)\s*모드|터치\s*패드|无线网?|蓝牙` +
		`|麦克风|话筒|声音|扬声器|通知|飞行模式|(?:夜间|深色)模式|触摸板`)
	betweenShared = pattern(`(?i)^(?:\s*,\s*(?:and )?|\s+and\s+|\s*&\s*|(?:이?랑|하고|와|과)\s*` +
		`|\s*[和跟与、，]\s*)(?:the |my )?$`)
	bothShared = pattern(`(?i)(?:\bboth )?(?:the |my )?$|^(?:\s*(?:을|를)?\s*(?:둘\s*다|모두|전부|다)(?:\s|$)` +
		`| both\b)`)
)

// shareVerb repeats the verb of a part of a request for each of its objects. The parts are separated by zero bytes.
func shareVerb(raw string) string {
	found := sharedObject().FindAllStringIndex(raw, -1)
	first, last := 0, 0 // of the objects with one verb
	for i := 1; i < len(found); i++ {
		if betweenShared().MatchString(raw[found[i-1][1]:found[i][0]]) {
			last = i
		} else if last == 0 {
			first = i
		} else {
			break
		}
	}
	if last == 0 {
		return raw
	}
	from, to := 0, len(raw)
	for _, at := range wishParts().FindAllStringIndex(raw, -1) {
		if at[1] <= found[first][0] {
			from = at[1]
		} else if at[0] >= found[last][1] {
			to = min(to, at[0])
		}
	}
	verb := bothShared().ReplaceAllString(raw[from:found[first][0]], "")
	tail := " " + bothShared().ReplaceAllString(raw[found[last][1]:to], " ")
	all := raw[:from]
	for _, at := range found[first:last] {
		all += verb + raw[at[0]:at[1]] + tail + "\x00"
	}
	return all + verb + raw[found[last][0]:found[last][1]] + tail + raw[to:]
}

// severalWishes plans a request that has several wishes. Parts that are none only give reasons.
func (r *Reading) severalWishes() (Plan, bool) {
	if r.whole {
		return Plan{}, false
	}
	var steps []Step
	for part := range strings.SplitSeq(wishParts().ReplaceAllString(shareVerb(r.u.raw), "$1\x00"), "\x00") {
		in := r.lex.read(newUtterance(part))
		in.whole = true
		switch w, step, ok := in.wished(); {
		case ok && (in.forbids() && w.mode == "order" || !r.mayWish(w) || in.isNoWish(w, r.u.raw, part)):
			return Plan{}, false
		case ok && !slices.ContainsFunc(steps, func(s Step) bool { return s.Input["verb"] == step.Input["verb"] && s.Input["act"] == step.Input["act"] }):
			steps = append(steps, step)
		case !ok && len(in.orders()) > 0 && (len(in.names) > 0 || in.has["file"]):
			return Plan{}, false
		}
	}
	if len(steps) < 2 || len(steps) > maxClauses {
		return Plan{}, false
	}
	return callPlan(sureScore, steps...).because("%d wishes", len(steps)), true
}

// hasOtherPart reports whether a part of a request asks for something that is not a wish.
func (r *Reading) hasOtherPart() bool {
	return slices.ContainsFunc(splitRequests(r.u.raw), func(part string) bool {
		in := r.lex.read(newUtterance(part))
		_, _, isWish := in.wished()
		return !isWish && len(in.orders()) > 0 && (len(in.names) > 0 || in.hasAny("file", "service", "update"))
	})
}

// clauseEnds end a part of a request that only gives a reason, or begin one.
var clauseEnds = pattern(`(?i)[,;!?，。；！？…~]+\s*|\.\s+|\s+-+\s+|\b(?:so|because|cause|since|but|cuz|coz)\b|(?:는데|은데|인데|던데|니까|라서|어서|아서|여서|할거라|거라|거든|텐데|길래|[가-힣]려고|이라)(?:요)?[\s,]+|因为|所以`)

// notThat matches the beginning of a request that says what not to do, before what to do.
var notThat = pattern(`(?i)^.*(?:지\s*(?:는|도)?\s*(?:마|말)(?:고|시고)|란\s*(?:거|게)\s*아니고|필요는?\s*없고)\s*|^(?:please )?(?:do ?n[o']?t|do not|never|not)\b[^,;.]*[,;.]\s*|^(?:不用|先?别|不要)[^,，;；]*[,，;；]\s*`)

// clausesOf returns a request and its parts, the last one first.
func (r *Reading) clausesOf() []string {
	raw := r.u.raw
	if !neverMind().MatchString(raw) {
		raw = notThat().ReplaceAllString(raw, "")
	}
	all := []string{trimPoliteness(raw)}
	parts := clauseEnds().Split(raw, -1)
	if len(parts) > 1 {
		for _, part := range slices.Backward(parts) {
			if part = trimPoliteness(part); part != "" {
				all = append(all, part)
			}
		}
	}
	return all
}

// wished returns the first line that fits the request or a part of it, and its call. One that the person forbids is the last choice.
func (r *Reading) wished() (last wish, step Step, ok bool) {
	forbidden := r.forbids()
	for _, clause := range r.clausesOf() {
		texts := []string{clause}
		if r.u.lang != "en" {
			texts = append(texts, squeezeBlanks(clause)) // words are often written with other blanks
		}
		matches := map[*regexp.Regexp]bool{} // many lines are about the same
		for _, w := range wishes() {
			about := w.about()
			fits, known := matches[about]
			if !known {
				fits = slices.ContainsFunc(texts, about.MatchString)
				matches[about] = fits
			}
			if !fits {
				continue
			}
			for _, text := range texts {
				if w.object == "level" {
					text = digits(text)
				}
				m := w.wished().FindStringSubmatchIndex(text)
				if m == nil || w.isOther(texts, r.u.raw) || r.isNoWish(w, r.u.raw, clause) {
					continue
				}
				call, fits := r.wishStep(w, text, m)
				if w.clause = clause; !fits {
					continue
				}
				if step, last, ok = call, w, true; !forbidden || w.mode != "order" || !r.lex.read(newUtterance(clause)).forbids() {
					return w, call, true
				}
			}
		}
	}
	return last, step, ok // what a request only forbids
}

// isOther reports whether a request with a clause that fits contains what it must not.
func (w wish) isOther(clause []string, raw string) bool {
	return w.other != nil && (slices.ContainsFunc(clause, w.other().MatchString) || w.mode == "hint" && w.other().MatchString(raw))
}

// noDesktop matches what is never a wish: commands, and what strangers want people to install or open.
var noDesktop = pattern(`(?i)아니다\s*(?:됐|돼|그만)|\bnever ?mind\b|폭탄|\bbomb\b|\b(?:sudo|systemctl|journalctl|pacman|yay|mkfs\S*|chmod|chown|usermod|curl|wget|nmcli|rfkill|gsettings|killall|pkill)\b|\b(?:dd if=|rm -|tar -|kill -)|\.(?:exe|scr|apk|bat)\b|\b(?:any ?desk|team ?viewer)\b|애니\s*데스크|팀\s*뷰어|원격\s*(?:제어|지원)|远程(?:控制|协助)`)

// pacmanCache matches a name of a command that is no command.
var pacmanCache = pattern(`(?i)\bpacman(?:'s)? ?(?:cache|캐시|缓存)`)

func (r *Reading) isNoDesktop() bool {
	raw := neverMind().ReplaceAllString(r.u.raw, "")
	return noDesktop().MatchString(pacmanCache().ReplaceAllString(raw, ""))
}

// neverMind matches the beginning of a request that takes back what was said before.
var neverMind = pattern(`(?i)^\s*(?:oh |ah |no,? )?never ?mind[\s,.!;:-]+`)

// The words that make a request no order for now: reasons, ways, conditions, other times.
var (
	asksWay = pattern(`(?i)\bwhy\b|\bhow (?:do|can|to|would|does|come|should|did)\b|\bwhat (?:happens|if|does)\b|\bshould i\b|\bdifference\b|왜\b|왜(?:이|자꾸|안|그)|어떻게|방법|[가-힣]는\s*법|뭐가\s*다|차이|해도\s*(?:돼|되|될|괜찮)|무슨\s*뜻|为什么|为啥|怎么(?:办|样|设置|才|把|打|关|改|调|弄|连|开|截|清|写|做)|如何|什么意思|区别|能(?:打开|运行|跑|用|装|点)吗|\bsafe to\b|열어도\s*(?:돼|되)|\bcan i\b|\bmean(?:s|ing)?\b`)
	// conditionClause matches on which event something is wished, noCondition what is polite, or asks whether it is needed at all.
	conditionClause = pattern(`(?i)\b(?:if|suppose|when(?:ever)?|as soon as|once|unless|until|every|each time)\b|(?:[가-힣]면(?:은)?[\s,]|때마다|마다|[가-힣]\s*때(?:는|만)?\s)|如果|要是|每(?:天|次|周|当)|的时候|一旦|只要`)
	noCondition     = pattern(`(?i)\b(?:if|when(?:ever)?|unless|as soon as) (?:you (?:can|could|don'?t mind|please|like|want|get a chance)|it(?:'s| is) (?:ok(?:ay)?|possible|safe|fine|necessary|needed)|possible|needed|necessary|not)\b` +
		`|\b(?:if|unless) (?:it|that|they|this|there)(?:'s| is| are)?(?: ?n['o]?t| not)? (?:already |still )?(?:installed|running|on|off|there|available|open|stopped|down|enabled|any)\b` +
		`|\b(?:just |only |at )?once(?: more| again)?[.!]*$|\bat once\b|\bevery (?:\w+ )?windows?\b|\bevery(?:thing|one| (?:service|container|program|app|window|package|file|single))` +
		`|(?:부팅|로그인|시작|켤|켜질)(?:할|될)?\s*때(?:마다)?|\b(?:when(?:ever)?|every time) (?:i |the |my |this )?(?:\w+ )?(?:boots?|log ?in|starts? up)\b|开机(?:的)?时候?` +
		`|(?:화|장|측|표|방|정|수|냉|단|전|국)면|면\s*(?:좋(?:겠|을)|안\s*(?:돼|될|되)|돼|되(?:나|니|지|죠|는지|겠|요)|고맙|감사)|[었았였했]으면\s*(?:해|하)|괜찮으(?:면|시면)|가능하(?:면|시면)|되시면|시간\s*되면|(?:없|있)으면\s*(?:설치|깔|만들|추가|켜|시작|꺼|끄|지워|삭제|업데이트)|(?:좋|싶|필요하|그러|아니|웬만하|이왕이)(?:으)?면|[그이]\s?때|때문|如果(?:可以|方便|没有|需要)(?:的话)?|要是(?:可以|方便|没有)`)
	isLater   = pattern(`(?i)\bin (?:\d+|an?|half an|two|three|five|ten|thirty|a few) ?(?:s|sec|min|h|hour|day)|\bat \d{1,2}(?::\d\d| ?(?:am|pm|o'?clock))|\b(?:tomorrow|tonight|later|after \w+|in the (?:evening|morning|afternoon)|at (?:sunset|dusk|noon|midnight))\b|\d+\s*(?:초|분|시간|일)\s*(?:만\s*)?(?:뒤|후|있다|이따|지나|동안)|\d+\s*시(?:\s*\d+\s*분|\s*반)?\s*(?:에|까지|쯤|되)|내일|이따|나중에|오늘\s*밤|\d+\s*(?:秒|分钟|小时|个小时|天)(?:之?后|以后)|\d+\s*点|明天|今晚|稍后`)
	complains = pattern(`(?i)\b(?:won'?t|can'?t|cannot|couldn'?t|doesn'?t|does not|didn'?t|isn'?t|needn'?t|refuses)\b|\bnot (?:work|connect|turn|open|show|start|respond)|\bstopped working\b|\bkeeps?\b|\bby itself\b|\bbroken\b|안\s*(?:돼|되|됨|됩|들어|깨|바뀌|켜[져지]|꺼[져지]|열[려리]|붙|잡|먹|닫[혀히])|(?:이|가)\s*안\s*(?:나|들|떠|보)|못\s*(?:찾|하|해|잡)|끊[겨기]|자꾸|계속|저절로|먹통|고장|不了|不上|不去|不出|不能|没反应|没有反应|无法|坏了|老是|总是|自动(?:断|关)|自己`)
)

var (
	saidBefore   = pattern(`(?i)했더라|말했|알려줬|적어\s*놨|적어\s*뒀|저장해\s*뒀|\bgave you\b|\btold you\b|\bi said\b|说过|告诉过`)
	installs     = pattern(`(?i)설치|깔아|깔자|깔고|깔래|\binstall|\bset (?:it )?up\b|安装|装一?个|装上`)
	hotspot      = pattern(`(?i)핫\s*스팟|\bhot ?spot\b|热点|테더링|tether`)
	asksToRemind = pattern(`(?i)\bremind\b|\blet me know\b|\bnotify me\b|\bwarn me\b|\balert me\b|\bwake me\b|\btimer\b|(?:다고|라고|면|때)\s*(?:좀\s*)?(?:알려|말해|깨워|귀띔)|리마인|타이머|알람\s*(?:맞|설정|해)|提醒|叫我|告诉我一声|说一声`)
)

// waitsForEvent reports whether a request is for an event, not for now.
func waitsForEvent(raw string) bool {
	return conditionClause().MatchString(noCondition().ReplaceAllString(raw, ""))
}

// attachedVerbs are about devices that are attached to this computer.
var attachedVerbs = set("bluetooth", "mount", "print", "output", "screen", "close", "open")

// isNoWish reports whether a request of which a part fits a line is not a wish for now.
func (r *Reading) isNoWish(w wish, raw, clause string) bool {
	cancels := w.verb == "session" && w.act == "cancel"
	idle := w.verb == "autostart" || w.verb == "blank" && (w.act == "after" || w.act == "show") // conditions of their own
	timed := w.object == "when" || w.verb == "find" || w.verb == "clipboard" || cancels || idle
	named := r.has["@service"] || r.has["service"]
	switch {
	case r.has["remember"], r.has["recall"] && (w.verb != "wifi" && w.verb != "clipboard" || saidBefore().MatchString(raw)), installs().MatchString(raw), r.has["log"] && w.act != "logout":
		return true
	case named && w.verb != "bluetooth" && w.verb != "wifi" || r.has["service"], r.hasAny("@app", "@daemon") && w.verb == "session" && w.act != "lock":
		return true
	case w.verb == "find" && r.has["large"]:
		return true
	case asksWay().MatchString(raw), r.otherDevice() != "" && !attachedVerbs[w.verb] && !hotspot().MatchString(raw):
		return true
	case waitsForEvent(raw) && !idle, asksToRemind().MatchString(raw) && !cancels:
		return true
	case !timed && isLater().MatchString(clause):
		return true
	case w.mode != "hint" && w.verb != "find" && w.object != "when" && complains().MatchString(clause):
		return true
	}
	return w.mode == "order" && statePattern().MatchString(clause)
}

// statePattern matches questions about the state: is it on?
var statePattern = pattern(`(?i)^\s*(?:is|are|was|did|does|do i|am i|has|have|who|should)\b|(?:켜져|꺼져|열려|잠겨|연결돼|연결되어)\s*(?:있|이)|(?:켰|껐|됐|했)\S{0,3}\s*\?|(?:开|关|连)(?:着|了)(?:吗|没)`)

// desktopStep returns a call of the tool that does what people wish of the desktop.
func (r *Reading) desktopStep(verb, act string) Step {
	return Call("desktop", "verb", verb, "act", act, "lang", r.u.lang)
}

// wishStep returns the call of a line that fits. ok is false if its object is missing.
func (r *Reading) wishStep(w wish, text string, m []int) (Step, bool) {
	s := r.desktopStep(w.verb, w.act)
	set := func(key, value string) {
		if value != "" {
			s.Input[key] = value
		}
	}
	kind, optional := strings.CutSuffix(w.object, "?")
	group := ""
	for i := 2; i+1 < len(m) && group == ""; i += 2 {
		if m[i] >= 0 {
			group = text[m[i]:m[i+1]]
		}
	}
	object, amount := "", ""
	switch kind {
	case "-":
		return s, true
	case "level":
		act, percent, ok := r.level(w.act, text)
		s.Input["act"] = act
		set("amount", percent)
		return s, ok
	case "when":
		amount = whenOf(text)
		set("amount", amount)
		return s, optional || amount != ""
	case "minutes":
		amount = minutesOf(text)
	case "scale":
		amount = scaleOf(text)
	case "size":
		amount = sizeOf(text)
	default:
		object = r.wishObject(kind, group, text)
	}
	set("object", object)
	set("amount", amount)
	return s, optional || object != "" || amount != ""
}

var (
	half   = pattern(`(?i)\bhalf(?:way)?\b|절반|반으로|반만|一半`)
	most   = pattern(`(?i)\bmax(?:imum|ed)?\b|\bfull(?:y| volume)?\b|\ball the way up\b|최대|최고|끝까지|만땅|풀로|맥스|最大|最高|最亮|全开`)
	least  = pattern(`(?i)\bmin(?:imum)?\b|\blowest\b|\ball the way down\b|최소|최저|제일\s*(?:낮|어둡|작)|最小|最低|最暗`)
	little = pattern(`(?i)\ba (?:tiny )?(?:bit|little|touch|tad)\b|\bslightly\b|조금|살짝|약간|쪼금|쫌만|稍微|稍稍|一点点`)
	number = pattern(`(?:^|[^\d.:/])(\d{1,3})(?:[^\d:/.]|$)`)
)

// tens are numbers as people say them.
var tens = []struct {
	words  func() *regexp.Regexp
	digits string
}{
	{pattern(`(?i)\bten\b|(?:^|[^가-힣])십\s*(?:퍼|프로)|百分之十$`), " 10%"},
	{pattern(`(?i)\btwenty\b|이십\s*(?:퍼|프로)?|二十`), " 20%"},
	{pattern(`(?i)\bthirty\b|삼십\s*(?:퍼|프로)?|三十`), " 30%"},
	{pattern(`(?i)\bforty\b|사십\s*(?:퍼|프로)?|四十`), " 40%"},
	{pattern(`(?i)\bfifty\b|오십\s*(?:퍼|프로)?|五十`), " 50%"},
	{pattern(`(?i)\bsixty\b|육십\s*(?:퍼|프로)?|六十`), " 60%"},
	{pattern(`(?i)\bseventy\b|칠십\s*(?:퍼|프로)?|七十`), " 70%"},
	{pattern(`(?i)\beighty\b|팔십\s*(?:퍼|프로)?|八十`), " 80%"},
	{pattern(`(?i)\bninety\b|구십\s*(?:퍼|프로)?|九十`), " 90%"},
	{pattern(`(?i)\b(?:a |one )?hundred\b|백\s*(?:퍼|프로)|一百`), " 100%"},
}

// digits returns a text with digits in the place of spoken tens.
func digits(text string) string {
	for _, t := range tens {
		text = t.words().ReplaceAllString(text, t.digits)
	}
	return text
}

// fewPercent is how much "a little" is.
const fewPercent = "5"

// level returns what a wish for a level is, and its percents.
func (r *Reading) level(act, text string) (does, percent string, ok bool) {
	text = digits(text)
	figure, given := settingFigure(text)
	if !given {
		if m := number().FindStringSubmatch(text); m != nil {
			figure, _ = strconv.Atoi(m[1])
			given = true
		}
	}
	relative := act == "up" || act == "down"
	switch {
	case given && figure <= 100 && (!relative || settingTarget().MatchString(text)):
		return "set", strconv.Itoa(figure), true
	case given && figure <= 100:
		return act, strconv.Itoa(figure), true
	case half().MatchString(text):
		return "set", "50", true
	case most().MatchString(text) && act != "down":
		return "set", "100", true
	case least().MatchString(text) && act != "up":
		return "set", "0", true
	case !relative:
		return act, "", false
	case little().MatchString(text):
		return act, fewPercent, true
	}
	return act, "", true
}

var (
	inMinutes = pattern(`(?i)\bin (\d+|an?|half an|one|two|three|five|ten|twenty|thirty) ?(min|hour|h\b)|(?:after) (\d+) ?(min|hour)|(\d+|한|두|세)\s*(분|시간)\s*(?:만\s*)?(?:뒤|후|있다|이따|지나)|(\d+|半|一|两|三|十)\s*个?(分钟|小时|鐘頭|钟头)(?:之?后|以后)?`)
	atTime    = pattern(`(?i)\bat (\d{1,2})(?::(\d\d))? ?(am|pm|a\.m\.|p\.m\.|tonight|at night|in the evening|in the morning)?|(오전|오후|아침|저녁|밤|새벽)?\s*(\d{1,2}|열두|열한|열|아홉|여덟|일곱|여섯|다섯|네|세|두|한)\s*(?:시|:)\s*(\d{1,2}|반)?\s*(?:분)?|(上午|下午|早上|晚上|今晚|夜里|半夜|凌晨|中午)?\s*(\d{1,2}|十[一二]?|[一二两三四五六七八九])\s*(?:点|:|：)\s*(\d{1,2}|半)?`)
	midnight  = pattern(`(?i)\bmidnight\b|자정|午夜|半夜(?:12|十二)点`)
	noon      = pattern(`(?i)\b(?:noon|midday)\b|정오|正午`)
	halfHour  = pattern(`(?i)half an hour|半个?小时|半个钟头|반\s*시간`)
)

var spoken = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "twenty": 20, "thirty": 30, "한": 1, "두": 2, "세": 3, "一": 1, "两": 2, "三": 3, "十": 10,
}

func spokenNumber(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	return spoken[strings.ToLower(word)]
}

// whenOf returns the minutes or the time that a request names, as the tool takes them.
func whenOf(text string) string {
	if halfHour().MatchString(text) {
		return "30"
	}
	if m := inMinutes().FindStringSubmatch(text); m != nil {
		for i := 1; i < len(m); i += 2 {
			if n := spokenNumber(m[i]); n > 0 {
				if unit := strings.ToLower(m[i+1]); strings.HasPrefix(unit, "h") || unit == "시간" || unit == "小时" || strings.HasSuffix(unit, "头") || strings.HasSuffix(unit, "頭") {
					n *= 60
				}
				return strconv.Itoa(n)
			}
		}
	}
	m := atTime().FindStringSubmatch(strings.ReplaceAll(text, "시간", "")) // "3시간" is no time of day
	switch {
	case midnight().MatchString(text):
		return "00:00"
	case m == nil && noon().MatchString(text):
		return "12:00"
	case m == nil:
		return ""
	}
	part, hour, minute := strings.ToLower(m[3]+m[4]+m[7]), m[1]+m[5]+m[8], m[2]+m[6]+m[9]
	h, given := spokenHour(hour)
	if !given || h > 24 {
		return ""
	}
	late := slices.Contains([]string{"pm", "p.m.", "tonight", "at night", "in the evening", "오후", "저녁", "밤", "下午", "晚上", "今晚", "夜里"}, part)
	early := slices.Contains([]string{"am", "a.m.", "in the morning", "오전", "새벽", "上午", "凌晨", "半夜"}, part)
	switch atNight := late && part != "pm" && part != "p.m." && part != "오후" && part != "下午"; {
	case h == 12 && (early || atNight): // 밤 12시 is midnight
		h = 0
	case late && h < 12 && (!atNight || h > 4), part == "" && h > 4 && h < 12 && tonight().MatchString(text):
		h += 12
	}
	if minute == "반" || minute == "半" {
		minute = "30"
	}
	n, _ := strconv.Atoi(minute)
	if n > 59 {
		return ""
	}
	return two(h%24) + ":" + two(n)
}

var span = pattern(`(?i)(\d+|\ban?|one|two|three|five|ten|twenty|thirty|한|두|세|一|两|三|十)[\s-]*(분|시간|min|hour|分钟|个?小时)`)

// minutesOf returns how many minutes a request names.
func minutesOf(text string) string {
	if halfHour().MatchString(text) {
		return "30"
	}
	m := span().FindStringSubmatch(text)
	if m == nil || spokenNumber(m[1]) == 0 {
		return ""
	}
	n := spokenNumber(m[1])
	if unit := strings.ToLower(m[2]); unit == "시간" || unit == "hour" || strings.HasSuffix(unit, "小时") {
		n *= 60
	}
	return strconv.Itoa(n)
}

// tonight matches the day of a time without its half.
var tonight = pattern(`(?i)\btonight\b|오늘\s*밤|오늘\s*저녁|今晚`)

// spokenHour parses an hour in digits or words.
func spokenHour(word string) (hour int, ok bool) {
	if n, err := strconv.Atoi(word); err == nil {
		return n, true
	}
	hours := "한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두 一|二|三|四|五|六|七|八|九|十|十一|十二"
	for list := range strings.FieldsSeq(hours) {
		if i := slices.Index(strings.Split(list, "|"), strings.Replace(word, "两", "二", 1)); i >= 0 {
			return i + 1, true
		}
	}
	return 0, false
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

var (
	sizeWords   = pattern(`(?i)(\d{3,4})\s*(?:x|×|by|\*|곱하기|乘)\s*(\d{3,4})`)
	namedSizes  = map[string]string{"4k": "3840:2160", "uhd": "3840:2160", "fhd": "1920:1080", "full hd": "1920:1080", "풀hd": "1920:1080", "1080p": "1920:1080", "qhd": "2560:1440", "1440p": "2560:1440", "720p": "1280:720", "2k": "2560:1440"}
	scaleWords  = pattern(`(?i)(\d{2,3})\s*(?:%|％|percent|퍼센트|프로|퍼)|(?:^|[^\d.])(\d(?:\.\d+)?)\s*(?:x\b|배|times|倍)?(?:[^\d.]|$)|(\d{3})`)
	scaleDouble = pattern(`(?i)\bdouble\b|두\s*배|两倍`)
)

func sizeOf(text string) string {
	if m := sizeWords().FindStringSubmatch(text); m != nil {
		return m[1] + ":" + m[2]
	}
	low := strings.ToLower(text)
	for name, size := range namedSizes {
		if strings.Contains(low, name) {
			return size
		}
	}
	return ""
}

func scaleOf(text string) string {
	if m := scaleWords().FindStringSubmatch(text); m != nil {
		if m[2] != "" {
			return m[2]
		}
		n, _ := strconv.Atoi(m[1] + m[3])
		return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(float64(n)/100, 'f', 2, 64), "0"), ".")
	}
	if scaleDouble().MatchString(text) {
		return "2"
	}
	return ""
}
