package intent

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Words for automations and their alerts, in the three languages.
const (
	enAutomations = `(?:automation|(?:automated|recurring) (?:task|job|check)|schedule|scheduled (?:task|job|check|thing|report))`
	koAutomations = `(?:자동화(?:\s*(?:작업|규칙))?|예약(?:\s*(?:된|한|해\s*(?:둔|놓은)|걸어\s*(?:둔|놓은)))?\s*(?:작업|일|거|것|점검|확인)|예약|(?:반복|정기)\s*(?:작업|실행|점검|확인|보고)|자동\s*(?:점검|확인|보고))`
	zhAutomations = `(?:自动化|自動化|定时任务|定時任務|计划任务|計劃任務|定期任务|定期任務|自动任务|自動任務)`
	enAlerts      = `(?:alerts?|alarms?|warnings?|reports?|notifications?)`
	koAlerts      = `(?:경고|알림|알람|보고|리포트)`
	zhAlerts      = `(?:警告|提醒|通知|告警|警报|警報|报告|報告)`
)

// Verbs that change an automation, by language.
const (
	enPause  = `pause|disable|turn off|switch off|stop|suspend|deactivate`
	enResume = `resume|enable|turn on|switch on|unpause|reactivate|restart|start`
	enRemove = `delete|remove|cancel|drop|erase|get rid of`
	koPause  = `꺼|끄|멈춰|멈추|중지|정지|중단|일시\s*(?:정지|중지)|그만|쉬게`
	koResume = `켜|재개|다시\s*(?:켜|시작|돌려|실행)|계속`
	koRemove = `지워|지우|삭제|없애|취소|빼`
	zhPause  = `暂停|暫停|停用|关掉|關掉|关闭|關閉|停止|停掉`
	zhResume = `恢复|恢復|启用|啟用|开启|開啟|打开|打開|继续|繼續`
	zhRemove = `删除|刪除|删掉|刪掉|取消|移除|去掉`
	koEnd    = `(?:\s*(?:해|줘|주|둬|버려|라|자|요|세요|시켜|하고|놔|주세요|줄래|줄래요|봐)*)`

	anyEnglish = enPause + `|` + enResume + `|` + enRemove
	anyKorean  = koPause + `|` + koResume + `|` + koRemove
	anyChinese = zhPause + `|` + zhResume + `|` + zhRemove
	enPlease   = `(?:please |pls |can you |could you |now |then )*`
	zhPlease   = `(?:请|請|麻烦|麻煩|帮我|幫我|给我)*\s*`
)

var (
	// automationOrders match an order about an automation: the name and the verb, each exactly once.
	automationOrders = patterns(
		`^예약(?:한|된|해\s*(?:둔|놓은))\s*(?P<name>.+?)(?:을|를|은|는)?\s*(?:좀|이제)?\s*(?P<do>`+koRemove+`)`+koEnd+`$`,
		`^`+zhPlease+`(?P<do>`+zhRemove+`)(?:预约|安排)(?:好)?的?(?P<name>.+?)(?:吧|了)?$`,
		`^`+enPlease+`(?P<do>`+anyEnglish+`) (?:the |my |that )?(?P<name>.+?) `+enAutomations+`s?(?: please)?$`,
		`^`+enPlease+`(?P<do>`+anyEnglish+`) (?:the |my )?`+enAutomations+`s? (?:called |named |for |about |that checks )?(?:the )?(?P<name>.+?)(?: please)?$`,
		`^`+enPlease+`(?P<do>cancel|delete|remove) (?:the |my )?(?P<name>.+?) tasks?(?: please)?$`,
		`^`+enPlease+`(?P<do>cancel) (?:the |my )?(?P<name>.+?) (?:(?:at|for|on) (?:\d|noon|midnight|half|quarter)|tonight|tomorrow|next ).*$`,
		`^(?:오늘|내일|모레)?\s*(?:새벽|아침|점심|저녁|밤|오전|오후)?\s*(?:\d{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)시(?:\s*\d{1,2}분|\s*반)?(?:에|의)?\s*(?:하기로\s*한\s*)?(?P<name>.+?)(?:을|를)?\s*(?P<do>취소)`+koEnd+`$`,
		`^`+zhPlease+`(?P<do>取消)(?:今天|今晚|明天|明早|明晚)?(?:凌晨|早上|上午|中午|下午|晚上|半夜)?(?:[\d一二三四五六七八九十两]+[点點]半?)?的?(?P<name>.+?)任务(?:吧|了)?$`,
		`^`+zhPlease+`(?P<do>取消)(?:今天|今晚|明天|明早|明晚)?(?:凌晨|早上|上午|中午|下午|晚上|半夜)?[\d一二三四五六七八九十两]+[点點]半?的(?P<name>.+?)(?:吧|了)?$`,
		`^`+enPlease+`turn (?:the |my )?(?P<name>.+?) `+enAutomations+`s? (?P<do>off|on)(?: please)?$`,
		`^(?P<name>.+?)\s*`+koAutomations+`(?:을|를|은|는|도)?\s*(?:좀|이제|당분간|잠깐|잠시|전부|다)?\s*(?P<do>`+anyKorean+`)`+koEnd+`$`,
		`^`+koAutomations+`\s*(?:중에서?|에서)?\s*(?P<name>.+?)(?:을|를|은|는|도)?\s*(?:좀|이제)?\s*(?P<do>`+anyKorean+`)`+koEnd+`$`,
		`^`+zhPlease+`(?P<do>`+anyChinese+`)(?P<name>.+?)的?(?:那个|那個|这个|這個)?`+zhAutomations+`(?:吧|了)?$`,
		`^`+zhPlease+`[把将將](?P<name>.+?)的?(?:那个|那個|这个|這個)?`+zhAutomations+`(?:先|都|给|給)?(?P<do>`+anyChinese+`)(?:吧|了|掉)?$`,
	)
	// automationHabits match an order to end something that is repeated.
	automationHabits = patterns(
		`^`+enPlease+`(?P<do>`+enPause+`|`+enResume+`|`+enRemove+`) (?:the |my )?(?:daily|weekly|hourly|nightly|monthly|every ?day|morning|scheduled|recurring) (?P<name>.+?)(?: please)?$`,
		`^(?:매일|매주|매달|매월|매시간|날마다|아침마다|밤마다|정기적으로|자동으로)\s*(?:하는|하던|도는|돌던|오는|오던)\s*(?P<name>.+?)(?:을|를|은|는)?\s*(?:좀|이제)?\s*(?P<do>`+anyKorean+`)`+koEnd+`$`,
		`^`+zhPlease+`(?P<do>`+zhPause+`|`+zhRemove+`)(?:每天|每日|每周|每週|每月|每小时|每小時|每晚|定时|定時|定期)的?(?P<name>.+?)(?:吧|了)?$`,
	)
	automationSnoozes = patterns(
		`^`+enPlease+`(?:snooze|mute|silence|quiet|hush|pause) (?:the |my )?(?P<name>.+?)(?: (?:`+enAlerts+`|`+enAutomations+`s?))* for (?P<span>[a-z0-9 ]+?)(?: please)?$`,
		`^(?:please )?(?:don'?t|do not|stop) (?:warn|tell|notify|alert|remind|bother)(?:ing)? me (?:about|of) (?:the |my )?(?P<name>.+?) for (?P<span>[a-z0-9 ]+)$`,
		`^(?P<name>.+?)\s*(?:`+koAlerts+`|`+koAutomations+`)(?:은|는|을|를|이|가)?\s*(?P<span>(?:오늘|하루|이틀|사흘|나흘|일주일|보름|반나절|\d+\s*(?:일|시간|분|주))[^조끄꺼쉬미알울그멈]*?)\s*(?:조용|끄|꺼|쉬|미뤄|미루|알리지|울리지|그만|멈)(?:.*)$`,
		`^`+zhPlease+`[把将將]?(?P<name>.+?)的?(?:`+zhAlerts+`|`+zhAutomations+`)\s*(?:先|给我|暂时)?(?:静音|安静|别响|不要响|停|关)\s*(?P<span>(?:一|两|兩|三|半|\d+)\s*(?:天|个?小时|個?小時|周|週|分钟|分鐘))(?:吧|了)?$`,
		`^`+zhPlease+`[把将將]?(?P<name>.+?)的?(?:`+zhAlerts+`|`+zhAutomations+`)\s*(?P<span>今天|(?:一|两|兩|三|半|\d+)\s*(?:天|个?小时|個?小時|周|週|分钟|分鐘))(?:内|內|里)?(?:先|都)?(?:别|不要|静音|安静|停)(?:.*)$`,
	)
	automationLists = patterns(
		`^(?:please )?(?:what|which|list|show|display|see|view|tell me|do i have|do we have|are there|is there|any|my|all)\b.*\b(?:`+enAutomations+`s\b|automations?\b).*$`,
		`^(?:`+enAutomations+`s|automations?)(?: list)?$`,
		`^what (?:runs|happens|is done) (?:by itself|automatically|on a schedule)$`,
		`^what(?:'s| is|s| do i have| have i)?(?: currently| still| all)? scheduled(?: for)?(?: now| today| tonight| tomorrow| at the moment| next)?$`,
		`^(?:did|has) (?:the |my )?(?:morning|daily|nightly|weekly|evening)? ?(?:report|automation|check|scheduled \w+) (?:come|run|arrive|happen|work)(?:ed|d)?(?: today| this morning| yet)*$`,
		`^.*`+koAutomations+`(?:은|는|이|가|을|를|들|에|의)?\s*(?:목록|리스트|현황|내역|기록)?(?:을|를|은|는)?\s*(?:좀|다|전부|모두|지금)?\s*(?:목록|뭐|무엇|뭘|어떤|어떻게|있어|있나|있는지|있니|보여|알려|봐|확인해|몇|궁금).*$`,
		`^.*`+koAutomations+`\s*(?:목록|리스트|현황|내역)$`,
		`^(?:오늘|어제|이번\s*주)?\s*(?:아침|점심|저녁|밤)?\s*(?:보고|리포트|자동화|정기\s*점검)(?:은|는|이|가)?\s*(?:왔|돌았|돌아갔|실행됐|됐|했)(?:었|어|니|나|냐|는지|지|요|을까|봤)*(?:\s*알려줘)?$`,
		`^.*(?:有哪些|有什么|有什麼|哪些|列出|列一下|显示|顯示|看看|看一下|查看|我的|所有).*`+zhAutomations+`.*$`,
		`^(?:现在|目前|今晚|今天|明天)?(?:都)?(?:预约|預約|安排|定)了(?:哪些|什么|什麼|啥)(?:任务|任務|事情?)?$`,
		`^.*`+zhAutomations+`(?:有哪些|有什么|有什麼|列表|清单|清單|都有啥|情况|情況)$`,
		`^(?:今天|昨天)?(?:早上|晚上|上午)?的?(?:报告|報告|定时任务|自动化)(?:来了|來了|跑了|执行了|執行了)(?:吗|嗎|没|没有|沒有)$`,
	)
	automationSpan = pattern(`(\d+|[a-z]+|[가-힣]|[一两兩三半])?\s*(minutes?|mins?|hours?|hrs?|days?|weeks?|분|시간|일|주일|주|分钟|分鐘|个?小时|個?小時|天|周|週)`)
)

// automationMarks are words of which at least one occurs in every request about automations. The regular
// expressions are compiled when the first such word is seen.
var automationMarks = strings.Fields(`
	automat schedul recurring cancel task snooze mute silence quiet hush daily weekly hourly nightly everyday morning itself warn tell notify alert remind bother report
	자동 예약 취소 반복 정기 경고 알림 알람 보고 리포트 매일 매주 매달 매월 매시간 날마다 아침마다 밤마다
	取消 预约 預約 安排 自动 自動 定时 定時 计划 計劃 定期 警告 提醒 通知 告警 警报 警報 报告 報告 每天 每日 每周 每週 每月 每小时 每小時 每晚`)

// vagueNames are names that do not select a single automation.
var vagueNames = set("all", "all the", "all my", "every", "everything", "the", "my", "모든", "모두", "전부", "다", "所有", "全部", "所有的", "全部的")

// decideAutomation recognises requests to list automations and to pause, resume, snooze or remove one.
// [Reading.decideSchedule] handles new ones.
func (r *Reading) decideAutomation() (Plan, bool) {
	raw := strings.ToLower(strings.TrimRight(strings.TrimSpace(r.u.raw), ".!?~ 。！？"))
	if len(raw) > 300 || strings.ContainsAny(raw, "\n") || !containsAny(raw, automationMarks...) {
		return Plan{}, false
	}
	if m := matchForm(automationSnoozes(), raw); m != nil {
		if span := snoozeSpan(m["span"]); span != "" && automationName(m["name"]) != "" {
			return automationPlan(Call("change_automation", "name", automationName(m["name"]), "snooze", span), "asks to snooze an automation"), true
		}
	}
	for _, form := range [][]*regexp.Regexp{automationOrders(), automationHabits()} {
		m := matchForm(form, raw)
		if m == nil || containsAny(raw, "timer", "타이머", "定时器") || automationName(m["name"]) == "" {
			continue
		}
		if _, repeats := findRecurrence(m["name"]); repeats {
			continue
		}
		return automationPlan(automationStep(m["do"], automationName(m["name"])), "an order about an automation"), true
	}
	if _, repeats := findRecurrence(raw); !repeats && matchForm(automationLists(), raw) != nil &&
		!r.hasAny("howto", "explain") {
		return automationPlan(Call("list_automations"), "asks for the automations"), true
	}
	return Plan{}, false
}

func automationPlan(s Step, why string) Plan { return callPlan(sureScore, s).because("%s", why) }

// matchForm returns the named groups of the first form that matches, or nil.
func matchForm(forms []*regexp.Regexp, raw string) map[string]string {
	for _, form := range forms {
		m := form.FindStringSubmatch(raw)
		if m == nil {
			continue
		}
		groups := map[string]string{}
		for i, name := range form.SubexpNames() {
			if name != "" {
				groups[name] = m[i]
			}
		}
		return groups
	}
	return nil
}

// automationName cleans up the name by which a request refers to an automation. It returns "" if s does not name one.
func automationName(s string) string {
	s = strings.Trim(s, " \t,\"'“”‘’`「」")
	for _, lead := range []string{"the ", "my ", "매일 ", "매주 ", "지금 ", "每天的", "每周的", "每天", "我的"} {
		s = strings.TrimPrefix(s, lead)
	}
	s = strings.TrimSpace(strings.TrimSuffix(s, "하는"))
	if vagueNames[s] || pronouns[s] {
		return ""
	}
	return s
}

// automationStep is the call that carries out an order on an automation.
func automationStep(order, name string) Step {
	is := func(forms string) bool { return regexp.MustCompile(`^(?:` + forms + `)$`).MatchString(order) }
	switch {
	case is(enRemove + "|" + koRemove + "|" + zhRemove):
		return Call("remove_automation", "name", name)
	case is(enResume + "|on|" + koResume + "|" + zhResume):
		return Call("change_automation", "name", name, "enabled", true)
	}
	return Call("change_automation", "name", name, "enabled", false)
}

// snoozeSpan converts a duration to the tool's format. It returns "" if s is not a duration.
func snoozeSpan(s string) string {
	for word, span := range map[string]string{"오늘": "1d", "하루": "1d", "이틀": "2d", "사흘": "3d", "나흘": "4d", "일주일": "1w", "보름": "15d", "반나절": "12h", "今天": "1d", "半天": "12h"} {
		if strings.HasPrefix(strings.TrimSpace(s), word) {
			return span
		}
	}
	m := automationSpan().FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	n := numberOf(m[1])
	if m[1] == "" || m[1] == "the" {
		n = 1
	}
	unit := map[rune]string{'m': "m", 'h': "h", 'd': "d", 'w': "w", '분': "m", '시': "h", '일': "d", '주': "w", '分': "m", '个': "h", '個': "h", '小': "h", '天': "d", '周': "w", '週': "w"}[[]rune(m[2])[0]]
	if n < 1 || n > 999 || unit == "" {
		return ""
	}
	return strconv.Itoa(n) + unit
}

// Words that ask for a notification.
const (
	enTell = `(?:tell me|let me know|warn me|notify me|alert me|ping me|message me|shout|holler|poke me|send me (?:a|an) (?:message|alert|notification|warning)|give me (?:a|an) (?:heads[- ]up|alert|warning|notification)|i want to (?:know|be told|be warned|be notified)|watch|keep an eye on)`
	enTold = `(?:warn me|notify me|alert me|ping me|shout|holler)`
	koTell = `(?:알려|말해|경고|알림|얘기해|통보|통지|메시지|문자|귀띔)`
	zhTell = `(?:告诉我|告訴我|提醒我|通知我|警告我|提醒一下|报警|发消息给我|跟我说|叫我|喊我)`
)

// notifyPatterns matches requests for a notification. The group "when" is the condition.
var notifyPatterns = patterns(
	`(?i)^(?:please |can you |could you |would you )*`+enTell+`\b.*?\b(?:when|once|whenever|as soon as|the moment|in case|before)\b (?P<when>.+)$`,
	`(?i)^(?:please |can you |could you |would you )*`+enTold+`\b.*?\bif\b (?P<when>.+)$`,
	`(?i)^(?:please |can you |could you |would you )*`+enTell+`\b.*?\bif\b (?P<when>.*\b(?:gets|get|goes|go|reaches|reach|exceeds|exceed|rises|climbs|drops|falls|fails|crashes|dies|stops|ever|runs? out|fills? up|goes down|becomes)\b.*)$`,
	`(?i)^(?:when|once|whenever|as soon as|the moment|if) (?P<when>.+?),? (?:please |then )*`+enTell+`\b`,
	`^(?:혹시\s*|만약에?\s*)?(?P<when>.*(?:[^았었였했됐졌]으면|[^았었였했됐졌으]면|[을ㄹ]\s*때(?:마다)?|거든|자마자|는\s*즉시|는\s*대로|[갈할될찰]\s*때(?:쯤)?(?:에)?))\s*(?:나한테|저한테|나에게|저에게|바로|즉시|꼭|좀|미리|텔레그램으로|폰으로)*\s*`+koTell,
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
	if !ok && !clearNotifyRequest().MatchString(raw) && !cpuBound().MatchString(when) {
		return Plan{}, false
	}
	if !ok {
		return declinePlan("unwatched", "other").because("asks for a notification that no condition covers: %q", when), true
	}
	if on := waitForCharge(when); w.check == "" && on != "" {
		return callPlan(sureScore, Call("schedule", "on", on, "name", "battery")).because("waits for %q", when), true
	}
	if w.check == "" {
		return declinePlan("unwatched", "").because("asks for a notification that no condition covers"), true
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

// cpuBound matches a load of the processor, which nothing watches.
var cpuBound = pattern(`(?:cpu|gpu|씨피유|프로세서|处理器|显卡)\S{0,6}\s*(?:\S+\s+){0,3}?\d+\s*(?:%|퍼|프로|percent)`)

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
