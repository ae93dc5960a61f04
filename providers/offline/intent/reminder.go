package intent

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// reminderMarks are words of which at least one occurs in every request about reminders. The regular expressions are
// compiled when the first such word is seen.
var reminderMarks = strings.Fields(`remind remnd nag poke nudge ping wake tell let notify alert message timer alarm forget
	알려 알림 알람 말해 얘기해 상기 리마인드 리마인더 깨워 귀띔 잔소리 타이머 까먹 잊지 라고 提醒 叫我 喊我 叫醒 闹钟 鬧鐘 定时器 倒计时 计时器 告诉我 通知我 跟我说 说一声`)

// Verbs of reminders. The strong ones ask for nothing else; the weak ones can also ask for a figure of the machine.
var (
	strongReminders = patterns(
		`(?i)\b(?:please |pls |can you |could you |would you |will you |hey )*(?:remind|remnd|remid|nag|poke|nudge|wake) me(?: up)?\b(?: again\b)?`,
		`(?i)\b(?:please |pls |can you |could you |would you |hey )*(?:set|create|add|make|start|put)(?: me)?(?: up)? (?:an? |the )?(?:new )?(?:reminder|timer|alarm)\b`,
		`(?i)\b(?:please |pls )*(?:don'?t|do not|dont) let me forget\b`,
		`(?i)\b(?:reminder|timer|alarm)\b`,
		`(?:(?:으)?라고|다고|자고)(\s*(?:좀\s*|꼭\s*|나한테\s*)*(?:알려|말해|얘기해|해)(?:\s*줘|\s*주세요|\s*줄래|\s*주라|\s*줄\s*수\s*있)?\S*)\s*$`,
		`(?:나\s*|저\s*)?(?:좀\s*|꼭\s*)*(?:상기시켜|리마인드\s*(?:해)?|깨워|귀띔\s*(?:해)?|잔소리\s*(?:해)?)\s*(?:줘|주세요|줄래|주라|줄\s*수\s*있|줬으면)?\S*\s*$`,
		`(?:알림|알람|리마인더|타이머)(?:을|를|도|으로)?\s*(?:로\s|에\s|좀\s|하나\s|\s)*(?:설정|맞춰|맞추|걸어|등록|추가|예약|만들어|울려|울리게|넣어|해|줘|부탁|켜)\s*\S*(?:\s*(?:줘|주세요|줄래|줄래요|놔|둬|놔줘))?\s*$`,
		`(?:알림|알람|리마인더|타이머)\s*$`,
		`(?:(?:야|해야)?\s*(?:되|하)는데\s*)?(?:까먹을|잊을|잊어버릴)\s*(?:것|거)?\s*같\S*\s*$`,
		`(?:잊지|까먹지|잊어버리지)\s*(?:않게|말게|않도록)\s*(?:해|알려|말해)?\s*(?:줘|주세요|줄래)?\S*\s*$`,
		`(?:请|麻烦|记得|记着|帮我|给我|到时候|到时|再|要|能不能|可以)*(?:提醒|叫醒|叫|喊)(?:一下我|我一下|我一声|我)(?:一下|一声|要)?`,
		`(?:请|麻烦|帮我|给我)*(?:设置?|定|订|开|加|创建|添加)(?:一?个|一下)?(?:新的?)?`+zhAlarm,
		`的?`+zhAlarm,
	)
	weakReminders = patterns(
		`(?i)\b(?:please |pls |can you |could you |would you |hey )*(?:tell|notify|alert|message|ping|text) me\b|\b(?:please |pls )*let me know\b`,
		`(?:나한테\s*|저한테\s*|좀\s*|꼭\s*|다시\s*)*(?:알려|말해|얘기해|알림)\s*(?:줘|주세요|줄래|주라|줄\s*수\s*있|줬으면|다오)?\S*\s*$`,
		`(?:请|麻烦|记得|到时候|到时|就|再)*(?:告诉|通知|跟)我(?:说)?(?:一声|一下)?|(?:就|请)?说一声`,
	)
)

const zhAlarm = `(?:闹钟|鬧鐘|提醒|定时器|倒计时|计时器|闹铃)`

// Requests about the reminders that there are.
var (
	reminderLists = patterns(
		`^(?:please )?(?:what|which|list|show|see|view|tell me|do i have|are there|any|my|all)\b.*\b(?:reminders?|alarms?|timers?)\b(?: (?:do i have|are (?:there|set|on)|have i(?: set)?|did i set|coming up|left|today|tomorrow|please|set|i have|for me))*$`,
		`^(?:my )?reminders$`,
		`^(?:내\s*|나의\s*|지금\s*|현재\s*|오늘\s*|내일\s*)*(?:걸어\s*둔|걸어둔|맞춰\s*둔|맞춘|설정한|설정해\s*둔|등록한|예약한|등록된|설정된|남은)?\s*(?:알림|알람|리마인더|타이머)(?:은|는|이|가|을|를|들)?\s*(?:걸어\s*둔\s*거|걸어둔거|걸어둔|맞춘|설정한|해\s*둔)?\s*(?:거|것)?\s*(?:목록|리스트|뭐\s*뭐|뭐|무엇|어떤\s*(?:거|것)|몇\s*개|다|전부)?\s*(?:있어|있는\s*거|있지|있나|있니|있는지(?:\s*(?:좀|다))?\s*(?:보여|알려|말해)?|있더라|있는데|있나요|남았|보여|알려|말해|확인|봐|목록|야)\S*(?:\s*(?:줘|주세요|줄래|해줘))?$`,
		`^.*(?:有哪些|有什么|哪些|列出|列一下|显示|看看|看一下|查看|我的|所有).*(?:提醒|闹钟|鬧鐘)(?:吗|呢)?$`,
		`^.*(?:提醒|闹钟)(?:有哪些|有什么|列表|清单|都有啥|有几个)$`,
	)
	reminderCancels = patterns(
		`^(?:please |pls |can you |could you )*(?:cancel|delete|remove|scrap|drop|clear|kill|stop)(?: the| my| that| this)?(?P<name> .+?)??(?: last| latest)? (?:reminder|alarm|timer)s?(?:,? (?:please|already done|i (?:just )?did it|it'?s done|done|now|again))*$`,
		`^(?:please |pls |can you |could you )*(?:cancel|delete|remove|scrap|drop|clear|kill|stop)(?: the| my| that| this)? (?:reminder|alarm|timer)s? (?:about |for |to |at |of |that says |called |named )+(?:the |my )?(?P<name>.+?)(?:,? please)?$`,
		`^(?P<name>.*?)\s*(?:에\s*맞춘\s*|에\s*맞춰\s*둔\s*)?(?:알림|알람|리마인더|타이머)(?:은|는|을|를|도|이|가)?\s*(?:좀\s*|이제\s*|그냥\s*|다시\s*|다\s*|전부\s*|모두\s*|싹\s*)*(?:취소|지워|지우|삭제|없애|빼)\s*\S*(?:\s*(?:줘|주세요|줄래|줄래요))?$`,
		`^(?:请|麻烦|帮我|给我)*(?:取消|删除|删掉|去掉|撤销)(?P<name>.*?)的?(?:那个|这个)?(?:提醒|闹钟|鬧鐘)(?:吧|了)?$`,
		`^(?:请|麻烦|帮我)*[把将](?P<name>.*?)的?(?:那个|这个)?(?:提醒|闹钟|鬧鐘)(?:给|都)?(?:取消|删除|删掉|去掉|撤销)(?:吧|了|掉)?$`,
	)
	// anyReminderWords are descriptions that select no reminder by its text.
	anyReminderWords = pattern(`^(?:the|my|last|latest|previous|that|this|just|all|방금|아까|조금\s*전|마지막|그|이|내|맞춘|설정한|걸어둔|걸어\s*둔|해둔|등록한|전에|에|刚才|刚刚|上一?个|最后一?个|那个|这个|我|设的?|的|所有|全部|一?个|\s)*$`)
)

// Words that make a text with a weak verb a question, or that speak of the past.
var (
	reminderQuestion = pattern(`(?i)^(?:what|what'?s|when|where|who|whose|why|how|which|if|whether|a |an )\b|뭐|뭔|무엇|무슨|언제|어디|누구|누가|왜|어떻게|얼마|몇|어떤|는지|은지|인지|을지|할지|什么|哪|谁|怎么|多少|几个|是否|吗`)
	pastTime         = pattern(`(?i)\b(?:yesterday|ago|last (?:night|week|month|hour|time)|earlier|this morning what)\b|어제|그제|그저께|지난|아까|\d\s*(?:분|시간|일|주)\s*전(?:에|부터|의|\s)|昨天|前天|上周|刚才|之前|以前`)
	pastTense        = pattern(`(?i)\b(?:did|was|were|happened|installed|crashed|failed|changed|rebooted)\b|했|됐|았|었|였|了`)
	// afterIsQuestion matches what follows the verb of "remind me what I said".
	afterIsQuestion = pattern(`^(?:what|when|where|who|whose|why|how|which)\b`)
	recurringWords  = pattern(`(?i)\b(?:every|each)\b|매주|매일|매달|매월|매시|마다|每`)
	// asksNow matches a question that words of reminders occur in.
	asksNow = pattern(`(?i)^(?:why|what|when|who|how|where|which|is|are|did|does|do|was|were|has|have)\b|\bwhat time\b|몇\s*시(?:야|인|예|에요|지|니|냐|$)|几点`)
	// quietOrder matches an order to silence reminders.
	quietOrder = pattern(`(?i)^(?:please )?(?:stop|mute|snooze|turn off|disable|pause|silence)\b|(?:알림|알람|타이머)\S*\s*(?:좀\s*)?(?:꺼|끄|그만|조용|하지\s*마)|울리지|알리지|조용히|(?:提醒|闹钟|通知).*(?:别|不要|静音|安静)|(?:别|不要)再?(?:提醒|叫|通知)`)
	// reminderAddressee matches what follows a weak English verb in a reminder: "tell me to …".
	reminderAddressee = pattern(`(?i)^(?:to|that|about|it'?s|i|i'?m|my|we|there'?s)\b`)
	// onlyWhenWords match a request for a notification about a condition, which has no time.
	onlyWhenWords = pattern(`(?i)\b(?:when|once|if|whenever|as soon as|until)\b|(?:으)?면\s|[을ㄹ]?\s*때\s|때마다|자마자|的时候|如果|一旦|的话|了就|完了`)
)

// decideReminder recognises "remind me at six", "30분 뒤에 알려줘" and "每周一九点提醒我开会", and requests to list or
// cancel reminders. A figure of the machine that is asked for at a later time becomes a task that runs once.
func (r *Reading) decideReminder() (Plan, bool) {
	raw := strings.TrimRight(strings.TrimSpace(r.u.raw), ".!?~ 。！？ㅋㅎㅠㅜ")
	lower := strings.ToLower(raw)
	if len(raw) > 600 || strings.Contains(raw, "\n") || r.u.data != "" || !containsAny(lower, reminderMarks...) {
		return Plan{}, false
	}
	if r.u.lang == "zh" {
		lower = simplified(lower)
	}
	if p, ok := r.aboutReminders(lower); ok {
		return p, true
	}
	if asksNow().MatchString(lower) || pastTime().MatchString(lower) || quietOrder().MatchString(lower) || r.unitWord() != "" {
		return Plan{}, false
	}
	when := notifyCondition(lower)
	if _, _, watched := conditionOf(when); when != "" && watched {
		return Plan{}, false
	}
	if rec, repeats := findRecurrence(raw); repeats {
		return r.recurringReminder(raw, rec)
	}
	if recurringWords().MatchString(lower) {
		return Plan{}, false // a recurrence that is not understood is no single time
	}
	c := cronParse{text: lower, minute: -1, hour: -1}
	m, timed := c.moment()
	strong, found := c.reminderVerb()
	if !found || when != "" && !timed || afterIsQuestion().MatchString(c.afterVerb) {
		return Plan{}, false
	}
	text := nounOf(reminderText(c.taskText(raw)), lower)
	exact := timed && (m.after > 0 || m.hour >= 0)
	if !strong && (!exact || !r.isToldText(text, c.afterVerb)) {
		return r.laterFigure(text, m, exact)
	}
	if wakesUp().MatchString(lower) {
		m.vague = false // in the morning
	}
	if !timed {
		return r.askWhen(lower, text)
	}
	return reminderPlan(Call("schedule", "at", m), text, "a reminder"), true
}

// wakesUp matches a request to be woken.
var wakesUp = pattern(`(?i)\bwake me\b|깨워|叫醒|起床|기상`)

// isToldText reports whether a text with a weak verb is to be shown, instead of being a question. after is what follows
// the verb.
func (r *Reading) isToldText(text, after string) bool {
	if r.u.lang == "en" {
		return text == "" || reminderAddressee().MatchString(after)
	}
	if reminderQuestion().MatchString(text) {
		return false
	}
	return text == "" || !r.isFigure(text)
}

// isFigure reports whether a text asks for something that a tool reads, in words that are understood.
func (r *Reading) isFigure(text string) bool {
	in := r.lex.read(newUtterance(text))
	p := in.decide()
	return p.Kind == KindCall && !p.anyChange() && in.coverage() >= leastFigure
}

// leastFigure is how much of a request for a figure must be understood.
const leastFigure = 0.7

// laterFigure plans a task that runs once: a question about the machine, asked at a later time.
func (r *Reading) laterFigure(text string, m moment, timed bool) (Plan, bool) {
	if !timed || text == "" || pastTense().MatchString(text) {
		return Plan{}, false
	}
	if !r.isFigure(text) {
		return Plan{}, false
	}
	return callPlan(sureScore, Call("schedule", "at", m, "task", text)).because("asks for %q at a later time", text), true
}

// askWhen asks for the time of a reminder that has none. Other words with a strong verb ask for something else.
func (r *Reading) askWhen(lower, text string) (Plan, bool) {
	if !wantsReminder().MatchString(lower) || onlyWhenWords().MatchString(lower) || reminderQuestion().MatchString(text) || wakesUp().MatchString(lower) && r.u.lang == "ko" && text != "" || strings.Contains(lower, "remind me of ") || r.u.question && text == "" {
		return Plan{}, false
	}
	return askReminder("reminder", text).because("a reminder without a time"), true
}

// askReminder asks for the time of a reminder.
func askReminder(topic, text string) Plan {
	return Plan{Kind: KindAsk, Topic: topic, Subject: text, Score: sureScore}
}

// wantsReminder matches a request that can only be for a reminder, even without a time.
var wantsReminder = pattern(`(?i)\b(?:remind|remnd|remid|wake) me\b|let me forget|\b(?:set|create|add|make) .*\b(?:reminder|alarm|timer)\b|깨워|상기시켜|리마인드|(?:잊지|까먹지)\s*(?:않|말)|(?:알림|알람|타이머|리마인더)(?:을|를)?\s*(?:좀\s*|하나\s*)?(?:설정|맞춰|걸어|등록|추가|예약)|提醒(?:一下)?我|(?:设置?|定|订|开|加|创建|添加)(?:一?个).*` + zhAlarm)

func reminderPlan(s Step, text, why string) Plan {
	if text != "" {
		s.Input["say"] = text
	}
	return callPlan(sureScore, s).because("%s", why)
}

// recurringReminder plans a reminder that recurs. Machine checks that recur are left to decideSchedule.
func (r *Reading) recurringReminder(raw string, rec recurrence) (Plan, bool) {
	c := cronParse{text: strings.ToLower(rec.task), minute: -1, hour: -1}
	strong, found := c.reminderVerb()
	if !found {
		return Plan{}, false
	}
	text := nounOf(reminderText(c.taskText(rec.task)), strings.ToLower(rec.task))
	if (!strong || strings.HasPrefix(c.afterVerb, "of ")) && !r.isToldText(text, c.afterVerb) || afterIsQuestion().MatchString(c.afterVerb) || onlyWhenWords().MatchString(strings.ToLower(raw)+" ") {
		return Plan{}, false
	}
	if text == "" {
		return otherPlan(KindAsk, "schedule", "").because("a recurring time without a job"), true
	}
	return reminderPlan(Call("schedule", "cron", rec.cron), text, "a reminder that recurs"), true
}

// reminderVerb cuts the verb of a reminder.
func (c *cronParse) reminderVerb() (strong, found bool) {
	for i, forms := range [][]*regexp.Regexp{strongReminders(), weakReminders()} {
		for _, form := range forms {
			if c.cut(form) {
				return i == 0, true
			}
		}
	}
	return false, false
}

// cut cuts the first match of a form: its first group, if it has one.
func (c *cronParse) cut(form *regexp.Regexp) bool {
	loc := form.FindStringSubmatchIndex(strings.ReplaceAll(c.text, "\x00", " "))
	if loc == nil {
		return false
	}
	if len(loc) > 2 && loc[2] >= 0 {
		loc = loc[2:]
	}
	c.cuts = append(c.cuts, [2]int{loc[0], loc[1]})
	c.afterVerb = strings.Trim(c.text[loc[1]:], "\x00 ,")
	c.text = c.text[:loc[0]] + strings.Repeat("\x00", loc[1]-loc[0]) + c.text[loc[1]:]
	return true
}

// Words at the ends of a reminder's text that are not part of it.
var (
	reminderHead = pattern(`(?i)^(?:[\s,.:;，。：、-]+|(?:to|about|that|of|for|and|then|please|hey|ok|okay|so|but|it'?s time to|나한테|저한테|좀|그때|그리고|이제|에|쯤|정도|有|的|要|时|时候|就|再|记得|请在|请|在|一下|了|(?:请|帮我|给我)*(?:设置?|定|订|开|创建|添加)(?:一?个|一下)?)(?:[\s,]+|$)|에는\s|에\s|쯤에?\s|的|时候?|，)`)
	reminderTail = pattern(`(?i)(?:[\s,.:;，。：、-]+|\s(?:please|pls|thanks|thank you|ok|okay|for me|at|on|in|for|and|so|then|좀|꼭|나한테|저한테|에|거|것|까먹지\s*않게)|的)$`)
)

// reminderText returns a reminder's text without the words around it.
func reminderText(text string) string {
	for before := ""; text != before; {
		before = text
		text = reminderHead().ReplaceAllString(text, "")
		text = reminderTail().ReplaceAllString(text, "")
	}
	return text
}

var (
	// quotedOrder matches a Korean order that is quoted: what stays is its noun, "빨래 꺼내기". The syllables before "라고" are those
	// that end the stems of verbs.
	quotedOrder = pattern(`([가-힣])으라고$|([하내가오보사끄쓰주두치기리지우꾸나타자서켜펴매배대비이시모차피뛰쉬들놀걸열풀갈팔불알살쓸밀빌달돌말털울])(?:라고|자고)$`)
	quotedName  = pattern(`([가-힣])(?:이라고|라고)$`)
	musts       = pattern(`^\s*(?:야\s*)?(?:되|하)(?:는데|지)|^\s*야\s*(?:되|하|해|돼)`)
)

// nounOf returns what is to be done as a noun, from the words of a Korean request that quote it as an order.
func nounOf(text, lower string) string {
	if _, after, found := strings.Cut(lower, strings.ToLower(text)); found && text != "" && musts().MatchString(after) {
		return text + "기"
	}
	switch {
	case strings.HasSuffix(text, "이라고"):
		return strings.TrimSuffix(text, "이라고")
	case quotedOrder().MatchString(text):
		text = quotedOrder().ReplaceAllString(text, "${1}${2}기")
		return strings.TrimSpace(strings.Replace(text, "좀 하기", "", 1))
	}
	return quotedName().ReplaceAllString(text, "$1")
}

// aboutReminders plans to list or to cancel reminders.
func (r *Reading) aboutReminders(lower string) (Plan, bool) {
	if m := matchForm(reminderCancels(), lower); m != nil {
		return automationPlan(Call("remove_automation", "name", reminderName(m["name"])), "cancels a reminder"), true
	}
	if matchForm(reminderLists(), lower) != nil && !r.hasAny("howto", "explain") {
		return automationPlan(Call("list_automations"), "asks for the reminders"), true
	}
	return Plan{}, false
}

// AsksForReminders reports whether a request is for the reminders, and not for all automations.
func (r *Reading) AsksForReminders() bool {
	lower := strings.ToLower(strings.TrimRight(strings.TrimSpace(r.u.raw), ".!?~ 。！？ㅋㅎㅠㅜ"))
	if r.u.lang == "zh" {
		lower = simplified(lower)
	}
	return matchForm(reminderLists(), lower) != nil
}

// reminderName returns the name by which a request refers to a reminder: a time of day, its words, or any.
func reminderName(words string) string {
	words = strings.Trim(words, " \t,\"'“”‘’「」")
	if anyReminderWords().MatchString(words) {
		return "reminder"
	}
	c := cronParse{text: words, minute: -1, hour: -1}
	m, timed := c.moment()
	rest := reminderText(c.taskText(words))
	switch {
	case timed && anyReminderWords().MatchString(rest) && m.hour >= 0:
		return m.clock()
	case rest != "":
		for _, lead := range []string{"the ", "my ", "아까 ", "방금 ", "아까 맞춘 ", "방금 맞춘 "} {
			rest = strings.TrimPrefix(rest, lead)
		}
		return rest
	}
	return "reminder"
}

// completeReminder reads a time as the answer to the question for a reminder's time.
func (l *Lexicon) completeReminder(c Context, u *utterance) (Plan, bool) {
	if c.Previous == "" || len(u.words) == 0 || len(u.words) > 8 {
		return Plan{}, false
	}
	asked, ok := l.read(newUtterance(c.Previous)).decideReminder()
	asked = asked.dated(c.Now)
	if !ok || asked.Kind != KindAsk || asked.Topic != "reminder" && asked.Topic != "reminder_past" && asked.Topic != "reminder_date" {
		return Plan{}, false
	}
	why := "completes a reminder"
	if rec, repeats := findRecurrence(u.raw); repeats && rec.task == "" && asked.Subject != "" {
		return reminderPlan(Call("schedule", "cron", rec.cron), asked.Subject, why).withGrant(grantAnswered), true
	}
	scan := cronParse{text: strings.ToLower(u.raw), minute: -1, hour: -1}
	m, timed := scan.moment()
	if _, verb := scan.reminderVerb(); !timed || !verb && len(reminderText(scan.taskText(u.raw))) > len("요") {
		return Plan{}, false
	}
	return reminderPlan(Call("schedule", "at", m), asked.Subject, why).withGrant(grantAnswered), true
}

// datedReminder replaces the moments of a plan by times, or asks for another time.
func (p Plan) datedReminder(now time.Time) Plan {
	for i, s := range p.Steps {
		m, ok := s.Input["at"].(moment)
		if !ok {
			continue
		}
		at, topic := m.resolve(now)
		if topic != "" {
			text, _ := s.Input["say"].(string)
			q := askReminder(topic, text)
			q.Reasons = p.Reasons
			return q
		}
		p.Steps = slices.Clone(p.Steps)
		p.Steps[i] = Step{s.Tool, maps.Clone(s.Input)}
		p.Steps[i].Input["at"] = at
	}
	return p
}
