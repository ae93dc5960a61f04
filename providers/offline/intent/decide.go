package intent

import (
	"regexp"
	"slices"
	"strings"
)

// decide turns a reading into a plan: that of the first recogniser, or else the classifier's. Refusals and literal
// commands are not corrected.
func (r *Reading) decide() Plan {
	p := r.recognise()
	if p.Kind == KindRefuse || p.Kind == KindLogText || p.Score >= sureScore || len(r.u.flat) == 0 {
		return p
	}
	if several, ok := r.decideSeveral(); ok {
		return several
	}
	p = r.answerProhibition(r.repeatForNames(r.rejectDoubtful(r.correctPlan(p))))
	if p.Kind == KindNone && (p.Topic == "unknown" || p.Topic == "unsure") {
		if last, ok := r.decideLastComplaint(); ok {
			return last
		}
		if p.NearestSteps = r.nearestSteps(p); len(p.NearestSteps) > 0 {
			p.UnderstoodWords, p.UnknownWords = r.splitUnderstood()
		}
	}
	return p
}

// prohibition matches a request that begins with a prohibition, or in Korean ends with one.
var prohibition = pattern(`(?i)^\s*(?:please |hey |no,? )?(?:do ?n[o'’]?t|do not|never|don't you dare)\b|(?:지|진|지는)\s*(?:좀\s*)?(?:마|말)\S{0,5}\s*(?:줘|주세요)?[ .!~]*$|^\s*(?:请|千万|先|你)*(?:别|不要|请勿|勿)`)

// answerProhibition answers a prohibition with no other understood request: change nothing.
func (r *Reading) answerProhibition(p Plan) Plan {
	understood := p.Kind == KindCall || p.Kind == KindRefuse || p.Kind == KindSocial || p.Topic == "device"
	if understood || len(r.orders()) > 0 || !prohibition().MatchString(r.u.raw) || r.u.question {
		return p
	}
	return r.leaveAlonePlan("only a prohibition")
}

// maxNames limits the number of services in one request.
const maxNames = 3

// repeatForNames repeats a check_service or manage_service step for the other services named in the request:
// "caddy랑 redis 상태".
func (r *Reading) repeatForNames(p Plan) Plan {
	if p.Kind != KindCall || len(p.Steps) != 1 || len(r.orders()) > 1 {
		return p
	}
	first := p.Steps[0]
	if first.Tool != "check_service" && first.Tool != "manage_service" || first.Input["name"] == nil {
		return p
	}
	for _, n := range r.namesIn(0, len(r.u.flat)) {
		if n.Service == "" || n.Service == first.Input["name"] || len(p.Steps) >= maxNames {
			continue
		}
		s := Call(first.Tool, "name", n.Service)
		for _, k := range []string{"action", "user"} {
			if v, ok := first.Input[k]; ok {
				s.Input[k] = v
			}
		}
		if !containsStep(p.Steps, s) {
			p.Steps = append(p.Steps, s)
		}
	}
	return p
}

// sureScore is the score of literal commands.
const sureScore = 12

// recognise plans without the classifier. The order is the policy: refusals first, literal requests next, orders
// before questions.
func (r *Reading) recognise() Plan {
	if len(r.u.flat) == 0 {
		if isDestructive(r.u.raw) {
			return otherPlan(KindRefuse, "command", r.u.raw).because("destroys data")
		}
		if r.u.data != "" {
			return otherPlan(KindLogText, "", "").because("only piped text")
		}
		return otherPlan(KindSocial, "empty", "").because("no words")
	}
	for _, try := range []func() (Plan, bool){
		r.decideData, r.decideScam, r.decideOwner, r.decideExplain, r.decideLiteral, r.decideWait, r.decideReminder, r.decideDeviceOrder, r.decideArch, r.decideRecipe, r.decidePreview, r.decideWatch, r.decidePacnew, r.decideShow,
		r.decideHostname, r.decideSelf, r.decideEject, r.decideWish, r.decideTrouble, r.decideRestarts, r.decideComplaint, r.decideStart,
		r.decideHalt, r.decideAutomation, r.decideDanger, r.decideUndo, r.decideTimeline, r.decideDid, r.decideChanges,
		r.decideDevice, r.decidePowerQuestion, r.decideObject, r.decideSearch, r.decideSocial, r.decideForget, r.decideNotes,
		r.decideSchedule,
		r.decideWriting, r.decidePower, r.decideHowto, r.decideChange, r.decideBareService,
	} {
		if p, ok := try(); ok {
			return p
		}
	}
	return r.notUnderstood()
}

// decideData answers questions about piped text from that text, regardless of other meanings of the question.
func (r *Reading) decideData() (Plan, bool) {
	if r.u.data == "" || r.has["@do"] && r.has["@name"] {
		return Plan{}, false
	}
	return otherPlan(KindLogText, "", "").because("a question about piped text"), true
}

func (r *Reading) decideLiteral() (Plan, bool) {
	lit, ok := findLiteral(r)
	if !ok {
		return Plan{}, false
	}
	if _, repeats := findRecurrence(strings.Replace(r.u.raw, lit.command, "", 1)); repeats && !lit.alone {
		return Plan{}, false // "run `x` every day" is a schedule
	}
	if isDestructive(lit.command) {
		return otherPlan(KindRefuse, "command", lit.command).because("the literal command destroys data"), true
	}
	return callPlan(12, literalStep(lit.command)).withGrant(grantLiteral).because("literal command %q", lit.command), true
}

// literalCalls are the few commands that are identical to a tool's own command, with the call of that tool, whose
// answer is easier to read. All others run as written.
var literalCalls = map[string][]any{
	"df": {"check_disk"}, "df -h": {"check_disk"}, "checkupdates": {"check_updates"},
	"free": {"check_memory"}, "free -h": {"check_memory"}, "free -m": {"check_memory"}, "free -g": {"check_memory"},
	"ps aux": {"check_processes", "sort", "mem"}, "ps -ef": {"check_processes", "sort", "mem"},
	"ps":               {"check_processes", "sort", "mem"},
	"sudo pacman -Syu": {"update_system"}, "sudo pacman -Syu --noconfirm": {"update_system"},
	"systemctl --failed":            {"check_service", "failed", true},
	"systemctl list-units --failed": {"check_service", "failed", true},
	"pacman -Q":                     {"list_packages", "filter", "all"},
	"pacman -Qe":                    {"list_packages", "filter", "explicit"},
	"pacman -Qm":                    {"list_packages", "filter", "foreign"},
	"pacman -Qdt":                   {"list_packages", "filter", "orphans"},
}

func literalStep(command string) Step {
	if call, ok := literalCalls[strings.Join(strings.Fields(command), " ")]; ok {
		return Call(call[0].(string), call[1:]...)
	}
	return Call("run_command", "command", command)
}

func (r *Reading) decideDanger() (Plan, bool) {
	code := r.danger()
	if code == "" {
		return Plan{}, false
	}
	if code == "secret" {
		return otherPlan(KindRefuse, code, "").because("asks to show a private key"), true
	}
	return otherPlan(KindRefuse, code, "").because("asks to destroy: %s", code), true
}

// decideSocial answers greetings, thanks and "what time is it?" if the request contains nothing else.
func (r *Reading) decideSocial() (Plan, bool) {
	if r.has["time"] && len(r.u.words) <= 7 && len(r.names) == 0 && !r.has["@do"] && r.coverage() == 1 {
		return otherPlan(KindSocial, "time", "").because("asks what time it is"), true
	}
	for _, kind := range []string{"help", "greeting", "thanks"} {
		if r.has[kind] && !r.has["@do"] && r.onlyMeans(kind, "look", "greeting", "thanks", "help", "usage", "all", "amount", "full", "info", "it", "crash") {
			return otherPlan(KindSocial, kind, "").because("only %s", kind), true
		}
	}
	return Plan{}, false
}

// onlyMeans reports whether all concepts are among the allowed ones.
func (r *Reading) onlyMeans(allowed ...string) bool {
	ok := set(allowed...)
	for _, h := range r.concepts {
		if !ok[h.id] && !r.isCoveredBy(h, ok) {
			return false
		}
	}
	return len(r.topics) == 0 && !r.has["@name"]
}

func (r *Reading) isCoveredBy(h hit, ok map[string]bool) bool {
	return slices.ContainsFunc(r.concepts, func(g hit) bool {
		return g.start <= h.start && g.end >= h.end && ok[g.id]
	})
}

// reminderPattern matches requests for a one-time reminder.
var reminderPattern = pattern(`\bremind me (?:in|at|on|tomorrow|tonight|later|to)\b|\bwake me\b|(?:시에|뒤에|후에|때)\s*(?:알려|깨워)|提醒我`)

// memoPattern matches a note introduced by "memo:" or the like.
var memoPattern = pattern(`(?is)^\s*(?:memo|note(?:\s+to\s+self)?|메모|노트|备忘|笔记)\s*(?:[:：]|\s[-–—]\s)\s*(.{3,})$`)

// Everything asks recall for all notes (memory.Everything), mostNotes bounds them.
const (
	Everything = "*"
	mostNotes  = 20
)

var (
	// everyNote matches questions for all that was remembered.
	everyNote = pattern(`(?i)^(?:please |can you |could you )*(?:(?:what|everything|all) (?:do |did |have |that )*(?:you|i) (?:know|remember|remembered|ask(?:ed)?|told|tell|noted?)(?: you| me)?(?: to)?(?: about me| remember| note| so far| for me)*|(?:show|list|see|read)(?: me)? (?:all |everything )?(?:of )?(?:my |your |the |you )*(?:notes|memor(?:y|ies)|remember(?:ed)?)(?: about me)?)\s*[?.!]*$` +
		`|^(?:내가|너|네가|니가|나에\s*대해|나에\s*대해서|지금까지|그동안|\s)*(?:뭐|뭘|무엇을|무슨\s*걸)?\s*(?:기억|메모)\s*(?:하라고|하라|해\s*달라고|하고|해\s*두라고|해\s*둔|한)\s*(?:했지|했어|했더라|했는지|있어|있는|있지|한)?\s*(?:거|것|게|걸|것들|내용)?\s*(?:뭐|다|전부|모두|뭐가)?\s*(?:있어|있지|야|보여\s*줘|알려\s*줘|말해\s*줘|나열해\s*줘)?\s*[?.!]*$|^(?:내\s*)?메모\s*(?:다|전부|모두|목록|리스트|들)?\s*(?:좀\s*)?(?:보여|알려|읽어)\s*(?:줘|주세요)?[?.!]*$|^나에\s*대해(?:서)?\s*(?:뭐|뭘|무엇을)\s*(?:알|기억하)고\s*있(?:어|니|나)\S*$` +
		`|^你(?:都)?(?:记得|记住了?|知道)(?:我的?)?(?:些)?(?:什么|哪些(?:事)?)[?？。]*$|^(?:显示|列出|看看)(?:我的?)?(?:所有)?(?:笔记|备忘|记忆)[?？。]*$|^我(?:都)?让你记(?:住|得)?了?(?:些)?什么[?？。]*$`)
	// personalFact matches a statement about what people want to be reminded of: a birthday, a size, a place.
	personalFact = pattern(`(?i)^(?:my|our) [\w' ]{0,40}?\b(?:birthday|anniversary|shoe size|ring size|blood type|licen[cs]e plate|number plate|favou?rite \w+)(?: number)? (?:is|was|falls on) \S.*[^?]$` +
		`|^(?:내|제|우리|저희|나의|저의)\s*[가-힣 ]{0,20}?(?:생일|생신|기념일|혈액형|신발\s*사이즈|발\s*사이즈|차\s*번호|차량\s*번호|제삿날)(?:은|는|이|가)\s*.*[^?？](?:야|이야|이다|예요|이에요|입니다|임)[.! ]*$` +
		`|^(?:我|我们|我家)的?\p{Han}{0,10}?(?:生日|纪念日|血型|鞋码|车牌号?)(?:是|在)[^?？吗什几哪谁]+$`)
)

// decideNotes recognises "remember that …" and "what did I tell you about …".
func (r *Reading) decideNotes() (Plan, bool) {
	if m := memoPattern().FindStringSubmatch(r.u.raw); m != nil {
		return callPlan(11, Call("remember", "text", strings.TrimSpace(m[1]))).because("a memo"), true
	}
	if everyNote().MatchString(r.u.raw) {
		return callPlan(11, Call("recall", "query", Everything, "limit", mostNotes)).because("asks for all notes"), true
	}
	if personalFact().MatchString(r.u.raw) && !r.u.question {
		return callPlan(11, Call("remember", "text", strings.TrimRight(strings.TrimSpace(r.u.raw), ".!。 "))).because("states a fact about the person"), true
	}
	if topic := r.rememberedTopic(); topic != "" {
		return callPlan(11, Call("recall", "query", topic)).because("asks what was said before"), true
	}
	if r.has["remember"] && !(r.has["recall"] && (r.u.question || r.asksBack())) && !strings.HasPrefix(strings.ToLower(r.u.raw), "do you remember") {
		if text := noteText(r.u.raw); text != "" {
			return callPlan(11, Call("remember", "text", strings.TrimLeft(text, "，,：: "))).because("asks to remember"), true
		}
		return otherPlan(KindAsk, "note", "").because("asks to remember, but not what"), true
	}
	if r.has["recall"] && !r.has["@do"] && (!r.hasAny("log", "error", "crash") || containsAny(string(r.u.flat), "더라", "고쳤", "해결")) && !(r.has["@since"] && r.has["@name"]) && !r.has["uptime"] {
		return callPlan(10, Call("recall", "query", r.recallQuery())).because("asks what was said before"), true
	}
	return Plan{}, false
}

// rememberedTopic returns what a question such as "내 생일 기억해?" asks about, "" for other requests and for ones
// that state something to remember.
func (r *Reading) rememberedTopic() string {
	topic, ok := strings.CutSuffix(strings.TrimRight(r.u.raw, "?？!. "), "기억해")
	topic = strings.TrimSpace(topic)
	if !ok || !r.u.question || statedKorean().MatchString(topic) {
		return ""
	}
	return topic
}

// statedKorean matches the end of a Korean statement: "생일은 3월 2일이야".
var statedKorean = pattern(`(?:야|이다|니다|예요|에요|거든|라고|다고|것|거)$`)

// asksBack reports whether a Korean sentence asks if something is remembered (기억나? 기억해?).
func (r *Reading) asksBack() bool {
	return r.u.question || containsAny(string(r.u.flat), "기억나", "기억하니", "기억하나", "기억하냐", "뭐라고", "뭐였")
}

// decideSchedule recognises a recurring time together with a job.
func (r *Reading) decideSchedule() (Plan, bool) {
	if raw := strings.ToLower(r.u.raw); reminderPattern().MatchString(raw) && containsAny(raw, wordList("later")...) {
		return otherPlan(KindNone, "later", "").because("a one-time reminder"), true
	}
	rec, ok := findRecurrence(r.u.raw)
	if !ok && r.typo {
		rec, ok = findRecurrence(strings.TrimSpace(spacedLatinOrFlat(r.u)))
	}
	if !ok || r.has["write"] && !r.has["look"] || r.isTroubleAgain(rec.task) {
		return Plan{}, false
	}
	if rec.task == "" {
		return otherPlan(KindAsk, "schedule", "").because("a recurring time without a job"), true
	}
	task := strings.ToLower(rec.task)
	when := notifyCondition(task)
	if when == "" {
		_, when, _ = strings.Cut(task, " me if ") // the question is asked again and again, so it is a condition
	}
	if w, over, ok := conditionOf(when); ok && over > 0 && w.check != "" {
		return callPlan(sureScore, Call("schedule", "cron", rec.cron, "check", w.check, "over", over)).because("every %q watch %q", rec.cron, rec.task), true
	}
	inner := r.lex.read(newUtterance(rec.task)).recognise()
	switch inner.Kind {
	case KindRefuse:
		return inner.because("inside a schedule"), true
	case KindCall:
		return callPlan(11, Call("schedule", "cron", rec.cron, "task", rec.task)).because("every %q do %q", rec.cron, rec.task), true
	}
	return otherPlan(KindNone, "unknown", "").because("a recurring time, but the job %q is not understood", rec.task), true
}

// isTroubleAgain reports whether a recurring time only says how often something goes wrong: "the wifi drops every few
// minutes".
func (r *Reading) isTroubleAgain(task string) bool {
	return (r.has["cause"] || r.has["crash"]) && complains().MatchString(task) && len(r.orders()) == 0 && !r.hasAny("look", "schedule") && notifyCondition(strings.ToLower(task)) == ""
}

// decideWriting declines requests that need a language model: poems, translations, code, explanations.
func (r *Reading) decideWriting() (Plan, bool) {
	if r.u.lang == "ko" && slices.ContainsFunc(r.orders(), func(a act) bool { return len(r.ownNames(a)) > 0 }) {
		return Plan{}, false // 그림 그리게 krita 깔아줘: the purpose of the program
	}
	if word := r.wordForWriting(); word != "" {
		return otherPlan(KindNone, "writing", "").because("asks for writing (%q)", word), true
	}
	return Plan{}, false
}

// wordForWriting returns the word that asks for a text, "" if there is none.
func (r *Reading) wordForWriting() string {
	for _, h := range r.concepts {
		if h.id == "write" && !isWithin(h, r.names) && !isWithin(h, r.topics) && !(r.has["search"] && r.hasAny("@topic", "app", "package")) && !r.isDiagnostic(h) {
			return string(r.u.flat[h.start:h.end])
		}
	}
	return ""
}

// countryCode matches the country of a Wi-Fi card, which is called a code.
var countryCode = pattern(`(?i)\bcountry code|(?:국가|나라)\s*코드|(?:国家|地区)代码`)

// isDiagnostic reports whether a word for writing belongs to a question about the machine: "why does the code
// editor crash", "error code".
func (r *Reading) isDiagnostic(h hit) bool {
	switch string(r.u.flat[h.start:h.end]) {
	case "code", "코드", "代码":
		return r.hasAny("error", "crash", "log") || countryCode().MatchString(r.u.raw)
	case "이야기", "story", "report", "이야", "letter", "요약", "summarize", "summarise", "总结", "보고서":
		return r.hasAny("log", "error", "disk", "memory", "service")
	case "计算":
		return r.has["process"]
	}
	return false
}

// decideHowto declines general questions about how to do something or what it means, unless they are about this
// machine.
func (r *Reading) decideHowto() (Plan, bool) {
	switch {
	case r.has["howto"] && !r.hasAny("mine", "crash", "slow", "error", "log") && r.hasAny("@install", "@remove", "@update", "@start", "@stop", "@restart", "@enable", "@disable", "@wipe", "@reload", "@run"):
		return otherPlan(KindNone, "howto", "").because("asks how to do something"), true
	case r.has["howto"] && r.coverage() < 0.7 && !r.hasAny("disk", "memory"):
		return otherPlan(KindNone, "howto", "").because("asks how to do something"), true
	case r.has["explain"] && !r.hasAny("mine", "error", "log", "crash", "slow", "why", "@since", "package", "installed") && !(r.has["@question"] && r.hasAny("cores", "hardware")):
		return otherPlan(KindNone, "explain", "").because("asks for an explanation, not for this machine's state"), true
	}
	return Plan{}, false
}

// decideBareService looks at a service of which a request has only the name.
func (r *Reading) decideBareService() (Plan, bool) {
	n := r.anyName()
	if n == nil || n.Kind != "daemon" || n.Service == "" || len(r.acts) > 0 || len(r.topics) > 0 || !r.isBareAnswer() {
		return Plan{}, false
	}
	s := Call("check_service", "name", n.Service)
	s.set("user", n.User)
	return callPlan(verySureScore, s).because("only the name of %s", n.Service), true
}

// spacedLatinOrFlat joins the words as they were separated.
func spacedLatinOrFlat(u *utterance) string {
	return strings.Join(each(u.words, func(w word) string {
		if w.attached {
			return w.text
		}
		return " " + w.text
	}), "")
}

// notUnderstood explains why the helper does nothing: an order without an object, a request that no tool
// handles, or unknown words.
func (r *Reading) notUnderstood() Plan {
	for _, a := range r.orders() {
		if a.verb == "wipe" {
			continue
		}
		if r.has["it"] || len(r.u.flat) <= 14 && r.coverage() > 0.6 && !r.offTopic() {
			return askPlan(a.verb, a.verb, "").because("%s without an object", a.verb)
		}
	}
	if r.offTopic() {
		return otherPlan(KindNone, "offtopic", "").because("no tool measures this")
	}
	p := otherPlan(KindNone, "unknown", "").because("no recogniser and no class fits")
	p.Score = 0
	return p
}

var (
	namedSearchFor    = pattern(`(?i)^\s*(?:please\s+|can you\s+|could you\s+)?(?:search|look)\s+(?:the\s+(?:repos|repositories|packages)\s+)?for\s+(?:an?\s+|the\s+)?(?:package\s+(?:called\s+|named\s+)?)?([a-z0-9][a-z0-9@._+-]*)(?:\s+(?:package|please))?\s*[.!]*\s*$`)
	namedKoreanSearch = pattern(`(?i)^\s*([a-z0-9][a-z0-9@._+-]*)\s*(?:패키지|프로그램)?(?:을|를)?\s*(?:좀\s*)?검색\s*(?:좀\s*)?(?:해\s*(?:줘|주세요|봐|줄래|라)?)?\s*[.!]*\s*$`)
)

// decideSearch recognises a request to search for one word that has no other meaning on this
// machine: "search for hello", but not "search for errors".
func (r *Reading) decideSearch() (Plan, bool) {
	word := ""
	for _, re := range []*regexp.Regexp{namedSearchFor(), namedKoreanSearch()} {
		if m := re.FindStringSubmatch(r.u.raw); m != nil {
			word = strings.ToLower(m[1])
		}
	}
	if word == "" || wordsOf("search-stops")[word] || !r.hasNoOtherMeaning(word) {
		return Plan{}, false
	}
	return callPlan(11, Call("search_packages", "query", word)).because("asks to search for the word %q", word), true
}

// hasNoOtherMeaning reports whether a word is neither a program listed under another name nor a concept.
// Greetings count as plain words here.
func (r *Reading) hasNoOtherMeaning(word string) bool {
	for _, w := range r.u.words {
		if !strings.EqualFold(w.raw, word) || w.corrected {
			continue
		}
		for _, hits := range [][]hit{r.concepts, r.names, r.topics} {
			for _, h := range hits {
				if h.start < w.end && h.end > w.start && h.id != "greeting" && h.id != "thanks" && h.id != "help" {
					return false
				}
			}
		}
	}
	return true
}
