package intent

import (
	"regexp"
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
		`^`+enPlease+`(?P<do>`+anyEnglish+`) (?:the |my |that )?(?P<name>.+?) `+enAutomations+`s?(?: please)?$`,
		`^`+enPlease+`(?P<do>`+anyEnglish+`) (?:the |my )?`+enAutomations+`s? (?:called |named |for |about |that checks )?(?:the )?(?P<name>.+?)(?: please)?$`,
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
		`^(?:did|has) (?:the |my )?(?:morning|daily|nightly|weekly|evening)? ?(?:report|automation|check|scheduled \w+) (?:come|run|arrive|happen|work)(?:ed|d)?(?: today| this morning| yet)*$`,
		`^.*`+koAutomations+`(?:은|는|이|가|을|를|들|에|의)?\s*(?:목록|리스트|현황|내역|기록)?(?:을|를|은|는)?\s*(?:좀|다|전부|모두|지금)?\s*(?:목록|뭐|무엇|뭘|어떤|어떻게|있어|있나|있는지|있니|보여|알려|봐|확인해|몇|궁금).*$`,
		`^.*`+koAutomations+`\s*(?:목록|리스트|현황|내역)$`,
		`^(?:오늘|어제|이번\s*주)?\s*(?:아침|점심|저녁|밤)?\s*(?:보고|리포트|자동화|정기\s*점검)(?:은|는|이|가)?\s*(?:왔|돌았|돌아갔|실행됐|됐|했)(?:었|어|니|나|냐|는지|지|요|을까|봤)*(?:\s*알려줘)?$`,
		`^.*(?:有哪些|有什么|有什麼|哪些|列出|列一下|显示|顯示|看看|看一下|查看|我的|所有).*`+zhAutomations+`.*$`,
		`^.*`+zhAutomations+`(?:有哪些|有什么|有什麼|列表|清单|清單|都有啥|情况|情況)$`,
		`^(?:今天|昨天)?(?:早上|晚上|上午)?的?(?:报告|報告|定时任务|自动化)(?:来了|來了|跑了|执行了|執行了)(?:吗|嗎|没|没有|沒有)$`,
	)
	automationSpan = pattern(`(\d+|[a-z]+|[가-힣]|[一两兩三半])?\s*(minutes?|mins?|hours?|hrs?|days?|weeks?|분|시간|일|주일|주|分钟|分鐘|个?小时|個?小時|天|周|週)`)
)

// automationMarks are words of which at least one occurs in every request about automations. The regular
// expressions are compiled when the first such word is seen.
var automationMarks = strings.Fields(`
	automat schedul recurring snooze mute silence quiet hush daily weekly hourly nightly everyday morning itself warn tell notify alert remind bother report
	자동 예약 반복 정기 경고 알림 알람 보고 리포트 매일 매주 매달 매월 매시간 날마다 아침마다 밤마다
	自动 自動 定时 定時 计划 計劃 定期 警告 提醒 通知 告警 警报 警報 报告 報告 每天 每日 每周 每週 每月 每小时 每小時 每晚`)

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
	if _, repeats := findRecurrence(raw); !repeats && matchForm(automationLists(), raw) != nil && !r.hasAny("howto", "explain") {
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
