package intent

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The ways to ask what the assistant did, by language. Korean and Chinese are matched without blanks. They need a
// question word, or words for what was done, with the assistant as the subject: what others did is in the logs.
const (
	englishYou  = `(?:you|u|ya|the (?:assistant|helper|ai|bot)|blunux(?:-ai)?)`
	englishAdv  = `(?:(?:just|really|actually|exactly|even|recently|already|all|last|ever|also|so far|now|today|yesterday|this week|manage to|managed to|get|been|to be) )*`
	englishDone = `(?:do|did|done|doing|make|made|chang(?:e|ed|ing)|modif(?:y|ied)|alter(?:ed)?|edit(?:ed)?|touch(?:ed)?|(?:un)?install(?:ed|ing)?|add(?:ed)?|remov(?:e|ed|ing)|delet(?:e|ed|ing)|updat(?:e|ed|ing)|upgrad(?:e|ed|ing)|run|ran|execut(?:e|ed)|configur(?:e|ed)|set up|fix(?:ed)?|repair(?:ed)?|(?:re)?start(?:ed)?|stop(?:ped)?|enabled?|disabled?|tweak(?:ed)?|br[eo]ak|broke|broken|mess(?:ed)? up|work(?:ed)? on|up to|accomplish(?:ed)?|perform(?:ed)?)`
	koreanTime  = `(?:방금|조금전에?|아까|금방|오늘|어제|그저께|엊그제|지금까지|그동안|최근에?|이번주에?|지난[가-힣]{1,4}에?)`
	koreanAdv   = `(?:좀|또|더|막|직접|새로|대신|도대체|대체|혹시|에서|` + koreanTime + `)*`
	koreanDone  = `(?:바꾼|바꿨던|변경한|고친|고쳤던|수정한|한|했던|해준|해놓은|해둔|건드린|만진|작업한|처리한|조치한|실행한|돌린)`
	koreanThing = `(?:거|것|게|걸|건|일|작업|내용|내역|변경|짓|설정|명령|목록|사항|기록|파일|패키지|프로그램)`
	chineseYou  = `(?:你|您|助手|助理)`
	chineseDone = `(?:做|干|搞|弄|改动|改变|更改|修改|变更|调整|改|动|安装|装|卸载|删除|移除|删|更新|升级|执行|运行|设置|配置|处理|操作|启动|停止|重启|修复|修)`
	chineseWhat = `(?:些|哪些|什么|啥|多少|几个|哪个|哪)`
	chineseTime = `(?:刚才|刚刚|刚|昨天|昨晚|前天|今天|这周|本周|上周|最近|之前|到目前为止)`
)

var didEnglish = pattern(`\bwhat(?:ever|'?d| all)?\b(?: (?:the |kind of |sort of )?(?:else|exactly|stuff|things?|changes?|work|commands?|packages?|programs?|apps?|services?|settings?|files?|updates?|actions?)){0,2}(?: (?:did|have|had|has|were|was|'ve))? ` + englishYou + `(?:'ve| have|'d| had)? ` + englishAdv + englishDone + `\b` +
	`|\bwhich (?:changes|commands|packages|programs|apps|services|settings|files|updates|actions)(?: (?:did|have|had|has|were|was))? ` + englishYou + ` ` + englishAdv + englishDone + `\b` +
	`|\b(?:did|have|had|has) ` + englishYou + ` ` + englishAdv + englishDone + ` (?:anything|something|stuff|things|any (?:changes|updates|commands|packages|programs|settings|files|work))\b` +
	`|(?:\b(?:show|list|see|tell|give|display|print|summari[sz]e|recap|review|report|explain|describe|know)\b.*|^\s*)\b(?:everything|all|anything|things?|stuff|changes|actions|commands|packages|programs|apps|files|settings)(?: that| which)? ` + englishYou + `(?:'ve| have|'d| had)? ` + englishAdv + englishDone + `\b` +
	`|(?:\b(?:show|list|see|tell|give|display|print|summari[sz]e|recap|review|what (?:are|is|were|was))\b.*|^\s*)\byour (?:(?:last|latest|most recent|recent|own|previous|past|today'?s|yesterday'?s) )*(?:changes?|actions?|activity|activities|modifications?|edits)\b` +
	`|\bthe (?:last|latest|most recent) (?:thing|change|action|command)s?(?: that)? ` + englishYou + `\b` +
	`|\b(?:what|changes?)\b.*\bby (?:you|the assistant|the helper)\b`)

var didKorean = pattern(`(?:뭐|뭘|뭣|머|뭔가|뭐뭐|뭐를|뭣을|무엇을|무언가|무얼|무슨[가-힣a-z]{1,5}|어떤[가-힣a-z]{1,5})(?:를|을|도)?` + koreanAdv +
	`(?:했|하였|하고있었|바꿨|바꾸었|바꿔놨|바꿔놓았|바꿔줬|고쳤|고쳐놨|수정했|변경했|건드렸|건들였|만졌|손댔|설치했|깔았|지웠|삭제했|제거했|업데이트했|업뎃했|업그레이드했|실행했|돌렸|켰|껐|시작했|중지했|재시작했|설정했|작업했|처리했|진행했|해놨|해놓았|해뒀|해두었|해줬|해주었|추가했|만들었|옮겼|조치했|(?:[가-힣]{0,4}하|바꾸|고치|건드리|만지|까|지우|돌리|켜|끄|옮기|해주)셨)(?:어(?:$|[^야도서])|니|냐|나|지|죠|습니|는지|는거|음|누|는가|다고|$)` +
	`|(?:뭐|뭘|무슨짓을?|무엇을)` + koreanAdv + `(?:` + koreanDone + `|설정한|설치한|지운|삭제한)(?:거|것|건|게)(?:야|에요|예요|이에요|이야|니|냐|지|죠|임|있|$)` +
	`|(?:네|니|너|당신이|비서가|도우미가|어시스턴트가|ai가|블루눅스가|blunux가)(?:가)?` + koreanAdv + `(?:` + koreanDone + `|설치한|깐|깔아놓은|지운|삭제한|제거한|업데이트한)` + koreanThing + `(?:들)?.*(?:보여|알려|뭐|무엇|뭔|말해|목록|정리|요약|있|나열|설명|궁금|$)` +
	`|` + koreanTime + `(?:네가|니가|너가|당신이|도우미가|비서가)?` + koreanDone + `(?:거|것|게|걸|건|일|작업|명령|내용|내역|변경사항|짓)(?:들)?(?:을|를|은|는|이)?(?:좀|다|전부|모두)?(?:보여|알려|뭐|무엇|뭔|말해|목록|정리|요약|있|나열|설명|궁금|$)` +
	`|^(?:바꾼|변경한|고친|건드린|해준)(?:거|것|게|걸)(?:들)?(?:좀|다|전부|모두)?(?:보여|알려|뭐|무엇|뭔|있|말해|목록|정리)` +
	`|^` + koreanTime + `?(?:네|니|너의|당신의|도우미)?(?:작업|활동)(?:내역|기록|이력)|^` + koreanTime + `?(?:네|니|너의|당신의)변경(?:내역|기록|이력|사항|목록)`)

// notDidKorean matches words about a conversation, and subjects other than the assistant.
var notDidKorean = pattern(`얘기|이야기|대화|말했|말을|소리|질문|대답|누가|사용자가|` +
	`(?:친구|엄마|아빠|아들|딸|아이|동생|형|누나|언니|오빠|아내|남편|사람|동료|시스템|커널|업데이트|프로그램|앱|서비스|컴퓨터|자동화|pacman|systemd)[이가]`)

// koreanSelf are the words for the person who asks, as the subject.
var koreanSelf = set("나", "난", "나는", "내가", "저는", "제가", "우리", "우리가", "우리는")

// selfAway matches what a person does while the assistant works: 내가 없는 동안 뭐 했어.
var selfAway = pattern(`(?:내가|제가|나|우리)(?:가)?(?:없|자는|잠|나가|나간|시킨|부탁|자리|외출|퇴근|집에)`)

var didChinese = pattern(chineseYou + `[^们说聊讲谈告能会要想该为]{0,10}` + chineseDone + `(?:过|了|完了|好了|掉了)` + chineseWhat +
	`|` + chineseYou + `[^们说聊讲谈告能会要想该为]{0,10}` + chineseDone + chineseWhat + `(?:东西|事情?|软件)?(?:了|来着)` +
	`|` + chineseYou + `.{0,4}` + chineseTime + `.{0,4}` + chineseDone + `的?(?:是)?(?:些|哪些|什么|啥)` +
	`|` + chineseYou + `.{0,6}(?:干嘛|干吗|干啥|做啥)(?:了|来着)` +
	`|^` + chineseTime + `(?:都|又|到底|究竟)?(?:做|干|改动|修改|更改|改|动|搞|弄)(?:了|过)` + chineseWhat +
	`|` + chineseYou + `.{0,6}(?:有没有|是否|有)` + chineseDone + `(?:过|了|动)?(?:什么|啥|任何|东西)` +
	`|(?:显示|列出|列一下|列|看看|看一下|查看|看|告诉|总结|汇报|说说|展示).{0,8}` + chineseYou + `(?:的|所|都|最近|今天|昨天|刚才|刚刚|这周){0,3}(?:更改|改动|修改|变更|操作|动作)(?:记录|内容|过的|了|的|$)` +
	`|` + chineseYou + `(?:所|都|最近|今天|昨天|刚才|刚刚|这周|自己){0,3}` + chineseDone + `(?:过|了)?(?:的|哪些|什么)(?:更改|改动|修改|事情?|东西|操作|变更|内容|软件|一切|所有)?(?:给我看|是什么|有哪些|列|都|$)` +
	`|(?:显示|列出|列一下|看看|看一下|查看|告诉|总结|汇报|展示).{0,6}` + chineseYou + `.{0,6}` + chineseDone + `(?:过|了)?(?:的|哪些|什么|啥)` +
	`|` + chineseYou + `(?:最近)?的(?:更改|改动|修改|变更|操作)(?:记录|历史|有哪些|是什么|给我看|$)`)

// notDidChinese matches words about a conversation, and subjects other than the assistant.
var notDidChinese = pattern(`我们|我(?:昨天|今天|刚才|刚刚|最近|之前|上周)?(?:都)?` + chineseDone + `[了过]|说[了过]|聊|谈`)

// addressKorean matches the assistant as the subject, which Korean leaves out otherwise.
var addressKorean = pattern(`네가|니가|너가|너는|넌|너(?:방금|오늘|어제|아까|지금)|당신|도우미|비서|어시스턴트|ai가|블루눅스|blunux`)

// AddressesAssistant reports whether a question about the past names the assistant as the one who did something. In
// other languages than Korean it has to.
func (r *Reading) AddressesAssistant() bool {
	return r.u.lang != "ko" || addressKorean().MatchString(r.u.flatText())
}

// asksWhatWasDone reports whether a request asks what the assistant did or changed.
func (r *Reading) asksWhatWasDone() bool {
	switch r.u.lang {
	case "ko":
		flat := r.u.flatText()
		if !r.AddressesAssistant() && containsAny(flat, "패키지", "업데이트", "업뎃", "업그레이드") {
			return false // pacman's log has the answer, whoever did it
		}
		self := slices.ContainsFunc(r.u.words, func(w word) bool { return koreanSelf[w.raw] }) && !selfAway().MatchString(flat)
		return !self && didKorean().MatchString(flat) && !notDidKorean().MatchString(flat)
	case "zh":
		flat := string(r.u.flat)
		return didChinese().MatchString(flat) && !notDidChinese().MatchString(flat)
	}
	raw := strings.ReplaceAll(strings.ToLower(r.u.raw), "’", "'")
	return containsAny(raw, "you", "u ", "assistant", "helper", "the ai", "the bot", "blunux") && didEnglish().MatchString(strings.Join(strings.Fields(raw), " "))
}

// summary matches requests for a short list, which need no language model here.
var summary = pattern(`(?i)\b(?:summar|recap|report)|요약|정리|보고|总结|總結|汇报`)

// decideDid recognises a question about what the assistant did: "what did you do yesterday?". The answer is in the
// record of changes, not in the logs of the system.
func (r *Reading) decideDid() (Plan, bool) {
	if r.has["@do"] || r.has["remember"] || r.has["write"] && !summary().MatchString(r.u.raw) || r.u.data != "" || !r.asksWhatWasDone() {
		return Plan{}, false
	}
	if several, ok := r.decideSeveral(); ok {
		return several, true
	}
	return callPlan(sureScore, Call("recent_changes", "day", r.dayAsked())).because("asks what was done here"), true
}

// changedPattern matches questions what changed on this machine, by anyone. notChangedPattern matches what would change, and
// what the assistant changed.
var (
	changedPattern = pattern(`(?i)\bwhat(?:'s|’s| has| have| all| else)*\s+(?:been\s+)?changed\b|\bwhat(?:'s|’s| is)\s+(?:new|different)\b.*\b(?:since|this|last|on (?:my|this))\b|\bwhat broke (?:it|this|my|the)\b|\bwhat changes were made\b|\b(?:did|has|have) (?:anything|something|any of it)\b.{0,20}\b(?:change|changed)\b|\banything (?:new|different|changed) (?:since|while|after)\b` +
		`|(?:뭐가|뭐|무엇이|무슨|어떤\s*게|뭔가)\s*(?:좀\s*)?(?:바뀌었|바뀐|바꼈|바껴|달라졌|달라진|변했|변한|변경됐|변경되었)|(?:바뀐|달라진|변경된)\s*(?:게|거|것|점|내용|부분|데)|뭐\s*때문에\s*(?:고장|망가|안\s*[되돼])` +
		`|(?:什么|哪些|啥)(?:东西|地方|设置|配置)?(?:变(?:动|化)?了|被改)|变了(?:什么|哪些|啥)|有(?:什么|哪些|啥|没有|没有什么)(?:变化|改动|变动)`)
	notChangedPattern = pattern(`(?i)\bif\b|\bwould\b|\bwill\b|하면|올리면|되면|미리|预览|如果|会|\byou\b|네가|니가|너가|你|您|助手`)
)

// decideTimeline recognises a question what changed on this machine.
func (r *Reading) decideTimeline() (Plan, bool) {
	if r.has["@do"] || r.u.data != "" || r.hasAny("remember", "recall", "write", "internet", "ip") || r.otherDevice() != "" ||
		!changedPattern().MatchString(r.u.raw) || notChangedPattern().MatchString(r.u.raw) {
		return Plan{}, false
	}
	step := Call("recent_changes", "everything", true, "day", r.dayAsked())
	if app, _ := r.value("$app").(string); app != "" && isLatin(app) {
		step.Input["thing"] = app
	}
	return callPlan(sureScore, step).because("asks what changed on this machine"), true
}

// latestPattern matches questions about the last change only.
var latestPattern = pattern(`(?i)\bjust\b|\b(?:the|your) (?:very )?(?:last|latest|most recent) (?:thing|change|action|command)\b|방금|조금\s*전|아까|금방|마지막으로|刚|最后`)

// AsksForLatest reports whether a question about changes means the last one: "what did you just change?".
func (r *Reading) AsksForLatest() bool { return latestPattern().MatchString(r.u.raw) }

var (
	justNow        = pattern(`\bjust\b|刚|剛`)
	weekdayPattern = pattern(`\b(sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?\b|([일월화수목금토])요일|(?:周|星期|礼拜|週|禮拜)([一二三四五六日天])`)
	lastWeek       = pattern(`\blast week\b|지난\s*주|저번\s*주|上个?(?:周|星期|礼拜|週|禮拜)`)
	monthDay       = pattern(`\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (\d{1,2})(?:st|nd|rd|th)?\b|(\d{1,2})\s*월\s*(\d{1,2})\s*일|(\d{1,2})\s*月\s*(\d{1,2})\s*[日号號]`)
	agoPattern     = pattern(`^(\d+) days? ago$`)
	// spanWords turn "3 days" into a time until now instead of a day.
	spanWords = pattern(`\b(?:last|past|within|since)\b|동안|이내|최근|지난|간\s|부터|最近|过去|過去|以来|以內|以内|这`)
)

// dayAsked returns the day of a question about changes: "", today, yesterday, week or a date as the tool takes them, or
// one of the forms that [absoluteDay] resolves: "3 days ago", "weekday 5", "weekday 5 last week", "11-20".
func (r *Reading) dayAsked() string {
	raw := strings.ToLower(r.u.raw)
	if m := weekdayPattern().FindStringSubmatch(raw); m != nil {
		if m[2] != "" {
			m[2] += "요일"
		}
		day := "weekday " + times().valueOf("weekday", m[1]+m[2]+m[3])
		if lastWeek().MatchString(raw) {
			day += " last week"
		}
		return day
	}
	if m := monthDay().FindStringSubmatch(raw); m != nil {
		if m[1] != "" {
			at, err := time.Parse("Jan 2", strings.ToUpper(m[0][:1])+m[0][1:3]+" "+m[1])
			if err != nil {
				return ""
			}
			return at.Format("01-02")
		}
		return paddedDay(m[2]+m[4]) + "-" + paddedDay(m[3]+m[5])
	}
	since := findSince(r.u)
	switch {
	case strings.Contains(raw, "day before yesterday"):
		since = "2 days ago"
	case since == "" && justNow().MatchString(raw):
		since = "today"
	}
	return dayOfSince(since, raw)
}

func paddedDay(s string) string { return strings.Repeat("0", max(2-len(s), 0)) + s }

// dayOfSince returns the day that a time in journalctl's format is on, or the week that it begins.
func dayOfSince(since, raw string) string {
	switch since {
	case "", "today", "yesterday":
		return since
	case "7 days ago", "boot":
		return "week"
	}
	if date, _, _ := strings.Cut(since, " "); len(date) == len(time.DateOnly) && strings.HasPrefix(date, "20") {
		return date
	}
	m := agoPattern().FindStringSubmatch(since)
	if m == nil {
		return "today" // minutes, hours or a time
	}
	n, err := strconv.Atoi(m[1])
	switch {
	case err != nil || n > 30: // changes are kept for 30 days
		return ""
	case !spanWords().MatchString(raw):
		return since
	case n == 1:
		return "today"
	case n <= 7:
		return "week"
	}
	return ""
}

// absoluteDay returns a day as the tool takes it. Without a clock, a day that depends on it is the last week.
func absoluteDay(day string, now time.Time) string {
	number, lastWeek, weekday := 0, false, false
	if rest, ok := strings.CutPrefix(day, "weekday "); ok {
		rest, lastWeek = strings.CutSuffix(rest, " last week")
		number, _ = strconv.Atoi(rest) // the words' values are numbers
		weekday = true
	}
	ago := agoPattern().FindStringSubmatch(day)
	monthDay, err := time.Parse("01-02", day)
	switch {
	case !weekday && ago == nil && err != nil:
		return day
	case now.IsZero():
		return "week"
	case weekday && lastWeek: // weeks begin on Monday
		sinceMonday := (int(now.Weekday()) + 6) % 7
		return now.AddDate(0, 0, (number+6)%7-sinceMonday-7).Format(time.DateOnly)
	case weekday:
		back := (int(now.Weekday()) - number + 7) % 7
		if back == 0 {
			back = 7
		}
		return now.AddDate(0, 0, -back).Format(time.DateOnly)
	case ago != nil:
		n, _ := strconv.Atoi(ago[1])
		return now.AddDate(0, 0, -n).Format(time.DateOnly)
	}
	at := time.Date(now.Year(), monthDay.Month(), monthDay.Day(), 0, 0, 0, 0, now.Location())
	if at.After(now) {
		at = at.AddDate(-1, 0, 0)
	}
	return at.Format(time.DateOnly)
}

// dated resolves the days of a plan that depend on the clock.
func (p Plan) dated(now time.Time) Plan {
	p = p.datedReminder(now)
	for i, s := range p.Steps {
		if day, ok := s.Input["day"].(string); ok && s.Tool == "recent_changes" {
			p.Steps[i] = Step{s.Tool, maps.Clone(s.Input)} // a step of a user's phrase is shared
			p.Steps[i].Input["day"] = absoluteDay(day, now)
		}
	}
	return p
}
