package intent

import (
	"slices"
	"strconv"
	"strings"
)

// Words that ask for a notification.
const (
	enTell = `(?:tell me|let me know|warn me|notify me|alert me|ping me|message me|send me (?:a|an) (?:message|alert|notification|warning)|give me (?:a|an) (?:heads[- ]up|alert|warning|notification)|i want to (?:know|be told|be warned|be notified)|watch|keep an eye on)`
	enSign = `(?:warn me|notify me|alert me|ping me)`
	koTell = `(?:알려|말해|경고|알림|얘기해|통보|통지|메시지|문자|귀띔)`
	zhTell = `(?:告诉我|告訴我|提醒我|通知我|警告我|提醒一下|报警|发消息给我|跟我说)`
)

// notifyPatterns matches requests for a notification. The group "when" is the condition.
var notifyPatterns = patterns(
	`(?i)^(?:please |can you |could you |would you )*`+enTell+`\b.*?\b(?:when|once|whenever|as soon as|the moment|in case|before)\b (?P<when>.+)$`,
	`(?i)^(?:please |can you |could you |would you )*`+enSign+`\b.*?\bif\b (?P<when>.+)$`,
	`(?i)^(?:please |can you |could you |would you )*`+enTell+`\b.*?\bif\b (?P<when>.*\b(?:gets|get|goes|go|reaches|reach|exceeds|exceed|rises|climbs|drops|falls|fails|crashes|dies|stops|ever|runs? out|fills? up|goes down|becomes)\b.*)$`,
	`(?i)^(?:when|once|whenever|as soon as|the moment|if) (?P<when>.+?),? (?:please |then )*`+enTell+`\b`,
	`^(?:혹시\s*|만약에?\s*)?(?P<when>.*(?:[^았었였했됐졌]으면|[^았었였했됐졌으]면|[을ㄹ]\s*때(?:마다)?|거든|자마자|는\s*즉시|는\s*대로))\s*(?:나한테|저한테|나에게|저에게|바로|즉시|꼭|좀|텔레그램으로|폰으로)*\s*`+koTell,
	`^(?:请|麻烦|帮我)*(?:当|如果|要是|一旦|只要|等)?(?P<when>.+?)(?:的时候|时候|时|的话|之后|以后|了)?[,，]?(?:就|请|要|马上|立刻|麻烦)*`+zhTell,
	`^(?:请|麻烦|帮我)*(?:在|当|如果)(?P<when>.+?)(?:的时候|时候|时|的话)[,，]?.*`+zhTell,
)

// condition is a condition of the automation language with the words for it. The first match counts.
type condition struct {
	check  string // "" if it cannot be watched
	cron   string
	figure bool // the condition takes a bound
	words  []string
	also   []string // one of these must occur as well; nil for none
	except []string // none of these may occur
}

// signInWords are words for people who log in and out. They begin like "log".
var signInWords = []string{"login", "log in", "logs in", "logged in", "logging in", "log out", "logs out", "logout", "로그인", "로그아웃", "登录", "登入"}

// completionWords are words for a task that runs once and completes.
var completionWords = []string{"finish", "is done", "are done", "complete", "is ready", "are ready", "끝나", "끝났", "완료", "다 되", "다되", "다 받", "完成", "结束", "做完", "下载完", "好了"}

var conditionTable = []condition{
	{"security_updates", "0 9 * * *", false, []string{"security update", "security fix", "보안 업데이트", "보안업데이트", "安全更新"}, nil, nil},
	{"updates", "0 9 * * *", false, []string{"update", "upgrade", "업데이트", "업뎃", "업그레이드", "更新", "升级"}, nil, nil},
	{"reboot", "0 9 * * *", false, []string{"reboot", "restart the computer", "재부팅", "重启", "重新启动"}, nil, nil},
	{"inodes", "0 * * * *", true, []string{"inode", "아이노드"}, nil, nil},
	{"smart", "0 9 * * *", false, []string{"disk", "drive", "ssd", "디스크", "하드", "磁盘", "硬盘"}, []string{"fail", "die", "dying", "broken", "wear", "smart", "bad sector", "고장", "죽", "수명", "망가", "坏", "故障", "寿命"}, nil},
	{"memory", "*/10 * * * *", true, []string{"memory", "ram", "swap", "메모리", "램", "스왑", "内存", "記憶體", "记忆体", "交换"}, nil, nil},
	{"disk", "*/30 * * * *", true, []string{"disk", "storage", "drive", "ssd", "space", "partition", "filesystem", "file system", "디스크", "하드", "저장공간", "용량", "파티션", "磁盘", "磁碟", "硬盘", "硬碟", "存储", "空间", "分区"}, nil, nil},
	{"temperature", "*/10 * * * *", true, []string{"temperature", "temp", "hot", "overheat", "heat", "degree", "온도", "뜨거", "과열", "발열", "温度", "溫度", "过热", "发烫", "烫"}, nil, []string{"outside", "room", "weather", "heater", "바깥", "실내", "날씨", "방 온도", "방온도", "室外", "室内", "天气", "房间"}},
	{"battery", "0 9 * * *", true, []string{"battery", "배터리", "电池", "電池"}, []string{"health", "wear", "capacity", "건강", "수명", "노화", "健康", "寿命", "老化", "损耗"}, nil},
	{"", "", false, []string{"battery", "배터리", "电池", "电量", "電池"}, nil, nil},
	{"logins", "0 * * * *", false, []string{"login", "log in", "password", "로그인", "登录", "登入"}, []string{"fail", "wrong", "실패", "틀리", "失败", "错误"}, nil},
	{"network", "*/10 * * * *", false, []string{"internet", "network", "online", "offline", "wifi", "connection", "인터넷", "네트워크", "와이파이", "연결", "网络", "網路", "断网", "上网"}, nil, []string{"bluetooth", "usb", "phone", "printer", "vpn", "friend", "블루투스", "폰", "프린터", "친구", "蓝牙", "手机", "打印机", "朋友"}},
	{"certificates", "0 9 * * *", false, []string{"certificate", "cert ", "인증서", "证书"}, nil, nil},
	{"pacnew", "0 9 * * *", false, []string{"pacnew"}, nil, nil},
	{"orphans", "0 9 * * *", false, []string{"orphan", "고아", "孤立", "孤儿"}, nil, nil},
	{"failed_units", "*/10 * * * *", false, []string{"service", "unit", "daemon", "server", "서비스", "유닛", "데몬", "服务"}, failureWords, nil},
	{"journal_errors", "0 * * * *", false, []string{"error", "log", "에러", "오류", "로그", "错误", "报错", "日志"}, nil, signInWords},
}

// failureWords are words for a service that stops.
var failureWords = []string{"down", "broken", "not running", "not respond", "unavailable", "장애", "문제", "안 돌", "응답", "내려", "坏", "挂掉", "不响应", "fail", "crash", "die", "dies", "stop", "goes down", "go down", "is down", "죽", "꺼지", "멈추", "실패", "내려가", "뻗", "挂", "停止", "失败", "崩溃", "停了"}

// decideWatch recognises a request for a notification and proposes the automation that watches for it. Checking
// only the current value would not answer it.
func (r *Reading) decideWatch() (Plan, bool) {
	raw := strings.ToLower(strings.TrimRight(strings.TrimSpace(r.u.raw), ".!?~ 。！？"))
	if len(raw) > 200 || strings.Contains(raw, "\n") || r.u.data != "" || r.hasAny("remember", "recall", "howto", "explain", "write") {
		return Plan{}, false
	}
	if _, repeats := findRecurrence(raw); repeats {
		return Plan{}, false // decideSchedule handles the time
	}
	when := notifyCondition(raw)
	if when == "" || reminderPattern().MatchString(raw) && !clearNotifyRequest().MatchString(raw) && !strings.ContainsAny(raw, "0123456789%") {
		return Plan{}, false
	}
	w, over, ok := conditionOf(when)
	if !ok && len(r.namesIn(0, len(r.u.flat))) > 0 && mentionsAny(when, failureWords) {
		w, ok = condition{check: "failed_units", cron: "*/10 * * * *"}, true
	}
	if (mentionsAny(when, completionWords) || strings.HasSuffix(when, " is over")) && w.check != "certificates" {
		ok = false
	}
	if !ok && !clearNotifyRequest().MatchString(raw) {
		return Plan{}, false
	}
	if !ok {
		p := otherPlan(KindNone, "unwatched", "other")
		p.Score = sureScore
		return p.because("asks for a notification that no condition covers: %q", when), true
	}
	if w.check == "" {
		p := otherPlan(KindNone, "unwatched", "")
		p.Score = sureScore
		return p.because("asks for a notification that no condition covers"), true
	}
	s := Call("schedule", "cron", w.cron, "check", w.check)
	if over > 0 {
		s.Input["over"] = over
	}
	return callPlan(sureScore, s).because("asks for a notification when %q", when), true
}

// clearNotifyRequest matches unambiguous requests for a future notification. "tell me when it was installed" is a
// question.
var clearNotifyRequest = pattern(`(?i)\b(?:notify|alert|warn|ping|message) me\b.*\b(?:when|once|whenever|if|as soon as)\b|\b(?:tell me|let me know) (?:once|as soon as|whenever)\b` +
	`|\b(?:tell me|let me know) when\b.*\b(?:finish\w*|done|ready|over|complete[sd]?|ends?|arrives?|stops?|starts?|comes?|gets?|goes|changes?|logs? in)\b` +
	`|(?:오|나|끝나|되|하|들어오|가|지|뜨|바뀌|멈추|켜지|꺼지)면\s*(?:나한테|저한테|바로|꼭|좀|즉시)*\s*(?:알려|말해|경고|알림|귀띔)` +
	`|(?:的时候|时候|时|后|了就|就)(?:请|马上|立刻)?(?:告诉|提醒|通知|警告)我`)

// notifyCondition returns the condition of a notification request, "" if raw is not one.
func notifyCondition(raw string) string {
	for _, form := range notifyPatterns() {
		if m := form.FindStringSubmatch(raw); m != nil {
			return m[form.SubexpIndex("when")]
		}
	}
	return ""
}

var (
	figurePattern  = pattern(`(?:^|\D)(\d{1,3})(?:\D|$)`)
	percentPattern = pattern(`(?:^|\D)(\d{1,3})\s*(?:%|％|퍼센트|프로|percent)|百分之(\d{1,3})`)
	belowPattern   = pattern(`\b(?:less than|below|under|fewer|only|remain|left|free|available)\b|남|미만|밑|아래|이하|모자라|低于|少于|不足|剩|以下`)
)

// mentionsAny reports whether one of words begins a Latin word of a text, or occurs anywhere in another script.
func mentionsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		if isLatin(w) {
			return strings.Contains(" "+text, " "+w)
		}
		return strings.Contains(text, w)
	})
}

// boundIn returns the number of a condition: the percentage if there is one, else the first number of up to three
// digits, "" for none.
func boundIn(when string) string {
	if m := percentPattern().FindStringSubmatch(when); m != nil {
		return m[1] + m[2]
	}
	if m := figurePattern().FindStringSubmatch(when); m != nil {
		return m[1]
	}
	return ""
}

// conditionOf returns the condition that a clause describes and its bound, 0 for none. Free space is converted
// to used space.
func conditionOf(when string) (w condition, over int, ok bool) {
	for _, w := range conditionTable {
		if !mentionsAny(when, w.words) || w.also != nil && !mentionsAny(when, w.also) || mentionsAny(when, w.except) {
			continue
		}
		if m := boundIn(when); m != "" && w.figure {
			over, _ = strconv.Atoi(m)
			if belowPattern().MatchString(when) && (w.check == "disk" || w.check == "inodes" || w.check == "memory") {
				if !containsAny(when, "%", "퍼센트", "프로", "percent", "％", "百分之") {
					return w, 0, true // free space in gigabytes: use the default bound
				}
				over = 100 - over
			}
			if over > 100 && (w.check == "disk" || w.check == "inodes" || w.check == "memory") {
				over = 0 // a size, not a share: use the default bound
			}
		}
		return w, over, true
	}
	return condition{}, 0, false
}
