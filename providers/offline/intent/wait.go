package intent

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// waitMarks are words of which at least one occurs in every request to wait for something.
var waitMarks = strings.Fields(`tell notify alert message ping shout know holler buzz say poke nudge remind heads text give 알려 말해 얘기해 알림 귀띔 깨워 불러 告诉 通知 提醒 说一声 跟我说 叫我 喊我 吱一声`)

// Requests to tell when something has happened. The group "when" is the condition.
const (
	enTellMe = `(?:tell|notify|alert|message|ping|text|poke|nudge|buzz|remind) me\b|let me know\b|give me a (?:shout|heads[- ]?up|ping|nudge|buzz|holler)\b|(?:say so|shout|holler)\b`
	koTellMe = `(?:알려|말해|얘기해|알림|귀띔|깨워|불러)`
	zhTellMe = `(?:告诉我|通知我|提醒我|跟我说|叫我|喊我|说一声|吱一声|吱声|告知我)`
)

var waitRequests = patterns(
	`^(?:please |pls |can you |could you |would you |hey )*(?:`+enTellMe+`) ?(?:when|once|as soon as|after|the moment) (?P<when>.+)$`,
	`^(?:and |then |ok )*(?:when|once|as soon as|after|the moment) (?P<when>.+?),? (?:please |then |just )*(?:`+enTellMe+`).*$`,
	`^(?:혹시\s*|이따가?\s*|지금\s*)*(?P<when>.+?(?:으면|면|거든|자마자|는\s*대로|고\s*나면))\s*(?:나한테|저한테|나에게|저에게|바로|즉시|꼭|좀|한번|폰으로)*\s*`+koTellMe+`\s*\S*(?:\s*(?:줘|주세요|줄래|줄래요|주라|요))?$`,
	`^(?:请|麻烦|帮我|等|当)*(?P<when>.+?)(?:的时候|时候|时|之后|以后|后|了)?[,，]?\s*(?:就|再|请|麻烦|马上|立刻|记得|给)*`+zhTellMe+`(?:一声|一下|吧|啊|哦)?$`,
)

// Words for the end of something, its success and its start.
var (
	endWords = pattern(`\b(?:finish(?:es|ed)?|ends?|ended|exits?|exited|completes?|completed|terminates?|quits|(?:is|are|'s) (?:all )?(?:done|over|finished|complete|completed|through)|has (?:finished|ended|completed|exited)|stops?(?: running)?)\b|` +
		`끝나|끝냈|끝난|완료|다\s*받|다\s*풀|다\s*되|다\s*됐|다\s*돼|종료|마치|마무리|완성|(?:跑|做|编译|下载|拷|复制|拷贝|渲染|压缩|解压|更新|执行|运行|备份|转码|传|下)(?:完|好)|结束|完成|完事|弄完|搞定|退出`)
	failWords   = pattern(`\b(?:fails?|crash(?:es)?|dies|stops?|ends?|finish(?:es)?|goes down|is (?:done|over))\b|끝나|실패|죽|멈추|종료|结束|失败|停|挂|完成`)
	answerWords = pattern(`\b(?:answers?|responds?|is (?:back|up|online|reachable|alive|on)|comes? (?:back|up|online|on)|back (?:online|up)|boots?|wakes? up|online)\b|응답|켜지|살아|돌아오|연결되|온라인|올라오|깨어|부팅되|上线|通了|能通|恢复|有响应|响应|开机|起来|在线`)
	existsWords = pattern(`\b(?:appears?|exists?|shows? up|is (?:there|ready|complete|done|written)|stops? growing|arrives?|created|finish(?:es|ed)?)\b|생기|나타나|만들어지|다\s*되|완성|끝나|안\s*늘|커지지\s*않|출력되|出现|生成|写完|存在|不再变大|完成`)
	fullWords   = pattern(`\b(?:full|fully|charged|charges?|done|topped)\b|다\s*(?:충전|차|되|찼)|완충|충전\s*(?:완료|되|끝)|가득|꽉|충전|充满|充好|充完|满了|满电|充到|充电完成`)
	reachWords  = pattern(`\b(?:at|reaches|hits|gets to|goes (?:over|above)|is (?:over|above|more than)|past)\b|되면|됐|넘으면|이상|도달|찍으면|到|超过|以上|达到`)
	batteryWord = pattern(`\bbattery\b|\bbatt\b|배터리|밧데리|충전|电池|電池|充电|充满电|电量`)
	emptyWords  = pattern(`\b(?:below|under|low|less|empty|drops?|down to|dies|runs out)\b|아래|이하|미만|떨어|부족|없으면|방전|남으면|低于|不足|以下|没电|剩`)
	downloads   = pattern(`\b(?:downloads?|downloading)\b|다운\s*로드|다운\s*(?:받|다\s*되|다\s*받|끝)|내려받|받는\s*(?:거|것|중)|下载|下完|下好`)
	hostToken   = pattern(`\b(?:(?:\d{1,3}\.){3}\d{1,3}|[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+)\b|\b(?:host|server|machine) (?:called |named )?[a-z][a-z0-9-]*\b|[a-z][a-z0-9-]*\s*(?:서버|호스트|服务器|主机)`)
	hostNoun    = pattern(`^(?:host|server|machine) (?:called |named )?|\s*(?:서버|호스트|服务器|主机)$`)
	pathToken   = pattern(`(?:^|\s|["'“])((?:/|~/)[^\s"'”，]+[^\s"'”，.,])`)
	unitToken   = pattern(`\b([a-z0-9][\w@:.-]*\.(?:service|timer|mount|target|socket|scope))\b|\b([a-z0-9][\w@.-]*) (?:unit|service)\b|\b([a-z0-9][\w@.-]*)\s*(?:유닛|서비스|服务|单元)`)
	// processForms match the program in a condition. The first group that fits is its name or number.
	processForms = patterns(
		`\b(?:process|program|pid|job|command|script) (?:called |named |number |no\.? )?([\w][\w.+-]*)`,
		`^(?:the |my |this |that )?([a-z0-9][\w.+-]*?)(?:'s)? (?:process|program|job|command|script|run|task)?\b`,
		`(?:프로세스|피아이디|프로그램|进程|程序|脚本)\s*(?:번호\s*)?([a-z0-9][\w.+-]*)`,
		`([a-z][\w.+-]*|\d{2,7})(?:번)?\s*(?:프로세스|작업|명령|스크립트|进程|程序|脚本|命令|돌|실행|이|가|은|는|다|끝|완료|종료|跑|运行|执行|做|结束|完成|退出)`,
	)
	// notAwaited are words in the place of a program that name none.
	notAwaited = set("the", "my", "this", "that", "it", "its", "he", "she", "they", "you", "i", "we", "there", "all", "everything", "work", "meeting", "movie", "game", "show",
		"class", "school", "song", "music", "timer", "battery", "download", "downloads", "update", "file", "disk", "internet", "network", "wifi", "server", "computer", "laptop",
		"pc", "screen", "someone", "anyone", "something", "anything", "mom", "dad", "dinner", "lunch", "laundry", "rain", "day", "week", "call", "cpu", "memory", "ram", "certificate", "cert", "charging", "process", "program", "job", "command", "task", "script")
)

// waitTask is something that people wait for without naming its program.
type waitTask struct {
	name  string // as the automations know it
	words func() *regexp.Regexp
}

var waitTasks = []waitTask{
	{"build", pattern(`\b(?:build|builds|compile|compiling|compilation|make)\b|빌드|컴파일|编译|構建|构建`)},
	{"render", pattern(`\b(?:render|rendering|encode|encoding|transcode|transcoding|conversion|export)\b|렌더|인코딩|변환|渲染|转码|导出`)},
	{"compress", pattern(`\b(?:compression|compressing|unzip(?:ping)?|extraction|extracting)\b|압축|解压|压缩`)},
	{"copy", pattern(`\b(?:copy|copying|transfer|rsync)\b|복사|파일\s*옮기|전송|复制|拷贝|拷|传输`)},
	{"update", pattern(`\b(?:update|upgrade|updating|installation|installing|install)\b|업데이트|업뎃|업그레이드|설치|更新|升级|安装`)},
}

// decideWait recognises "tell me when ffmpeg finishes", "다운로드 다 되면 알려줘" and "192.168.0.5 上线了告诉我". The reminder
// waits; nothing is guessed: the tool asks back for what it does not find.
func (r *Reading) decideWait() (Plan, bool) {
	raw := strings.ToLower(strings.TrimRight(strings.TrimSpace(r.u.raw), ".!?~ 。！？ㅋㅎㅠㅜ"))
	if r.u.lang == "zh" {
		raw = simplified(raw)
	}
	if len(raw) > 200 || strings.Contains(raw, "\n") || r.u.data != "" || !containsAny(raw, waitMarks...) || r.hasAny("howto", "write") {
		return Plan{}, false
	}
	if _, repeats := findRecurrence(raw); repeats || recurringWords().MatchString(raw) || pastTime().MatchString(raw) || quietOrder().MatchString(raw) {
		return Plan{}, false
	}
	m := matchForm(waitRequests(), raw)
	if m == nil || wheneverWords().MatchString(raw) {
		return Plan{}, false
	}
	on, name := waitFor(strings.TrimSpace(m["when"]))
	if on == "" {
		return Plan{}, false
	}
	return callPlan(sureScore, Call("schedule", "on", on, "name", name)).because("waits for %q", m["when"]), true
}

// wheneverWords ask for a report each time.
var wheneverWords = pattern(`\b(?:whenever|every time|each time)\b|때마다|할\s*때\s*마다|每次|每当`)

// waitFor returns what a condition waits for, as the tool takes it, and a name for the reminder. on is "" for other conditions.
func waitFor(when string) (on, name string) {
	host := hostToken().FindString(when)
	ends := endWords().MatchString(when)
	charge := waitForCharge(when)
	switch unit := firstGroup(unitToken(), when); {
	case charge != "":
		return charge, "battery"
	case pathToken().MatchString(when) && existsWords().MatchString(when):
		path := pathToken().FindStringSubmatch(when)[1]
		return "ready:" + path, path[strings.LastIndexByte(path, '/')+1:]
	case downloads().MatchString(when) && (ends || containsAny(when, "done", "ready", "in", "받으면", "받아지", "되면", "完", "好")):
		return "download", "download"
	case unit != "" && unit != "a" && unit != "the" && strings.Contains(unit, ".") && failWords().MatchString(when):
		return "unit:" + unit, unit
	case host != "" && answerWords().MatchString(when) && !strings.HasSuffix(host, ".service"):
		host = hostNoun().ReplaceAllString(host, "")
		return "host:" + host, host
	case unit != "" && ends && !notAwaited[unit]:
		return "unit:" + unit, unit
	case ends:
		return waitForProcess(when)
	}
	return "", ""
}

// lowCharge is the charge of an empty battery without a number, in percent.
const lowCharge = "20"

// waitForCharge returns the charge that a condition names, "" for none. Without a word for charging or for running out, less
// than half is waited for from above, and the rest from below.
func waitForCharge(when string) string {
	if !batteryWord().MatchString(when) || containsAny(when, "health", "수명", "健康") {
		return ""
	}
	bound := boundIn(when)
	percent, err := strconv.Atoi(bound)
	switch {
	case emptyWords().MatchString(when):
		return "low:" + cmp.Or(bound, lowCharge)
	case fullWords().MatchString(when):
		return "battery:" + cmp.Or(bound, "100")
	case err == nil && percent >= 50 && reachWords().MatchString(when):
		return "battery:" + bound
	case err == nil && reachWords().MatchString(when):
		return "low:" + bound
	}
	return ""
}

// waitForProcess returns the program that a condition names: by its own name, or by what it does.
func waitForProcess(when string) (on, name string) {
	for _, form := range processForms() {
		if p := firstGroup(form, when); p != "" && !notAwaited[p] && !isTaskWord(p) {
			return "process:" + p, p
		}
	}
	for _, t := range waitTasks {
		if word := t.words().FindString(when); word != "" {
			return "process:" + t.name, word
		}
	}
	return "", ""
}

func isTaskWord(word string) bool {
	for _, t := range waitTasks {
		if loc := t.words().FindStringIndex(word); loc != nil && loc[1]-loc[0] == len(word) && word != "make" && word != "rsync" {
			return true
		}
	}
	return false
}

// firstGroup returns the first group of a form that is not empty.
func firstGroup(form *regexp.Regexp, text string) string {
	for i, g := range form.FindStringSubmatch(text) {
		if i > 0 && g != "" {
			return g
		}
	}
	return ""
}
