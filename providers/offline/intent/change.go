package intent

import (
	"maps"
	"slices"
	"strings"
)

// decideChange plans an order. An order becomes a changing step only if it is neither denied nor a question and
// its object can be named.
func (r *Reading) decideChange() (Plan, bool) {
	if p, ok := r.decideNoAutostart(); ok {
		return p, true
	}
	if p, ok := r.decideAutostart(); ok {
		return p, true
	}
	if r.has["@remove:do"] && r.isAboutStartList() {
		p := r.leaveAlonePlan("asks to take something off what starts by itself")
		p.Topic = "startlist"
		return p, true
	}
	if r.has["@do"] && !slices.ContainsFunc(r.orders(), func(a act) bool { return !r.isDeferred(a) }) {
		return otherPlan(KindNone, "later", "").because("asks for it at a later time"), true
	}
	for _, a := range r.orders() {
		if p, ok := r.planAct(a); ok {
			return r.addOtherOrders(p, a), true
		}
	}
	return Plan{}, false
}

// addOtherOrders adds the steps of the other orders in the same request if they are equally clear: "remove vlc and
// install mpv".
func (r *Reading) addOtherOrders(p Plan, first act) Plan {
	if p.Kind != KindCall {
		return p
	}
	for _, a := range r.orders() {
		if a.start <= first.start || len(p.Steps) >= 3 {
			continue
		}
		if q, ok := r.planAct(a); ok && q.Kind == KindCall && !sameStep(p.Steps[len(p.Steps)-1], q.Steps[0]) && len(r.ownNames(a)) > 0 {
			p.Steps = append(p.Steps, q.Steps...)
		}
	}
	r.addSequel(&p)
	return p
}

// thenStarts matches the wish to start what is installed first: "and open it", 설치하고 켜줘.
var thenStarts = pattern(`(?i)(?:\band\b|\bthen\b|,)\s*(?:then |also )?(?:open|launch|start|run)(?: (?:it|that` +
	`|this|them)(?: up)?)?(?:,? please)?[.!]*$|` +
	`(?:하고|깔고|한\s*(?:다음에?|뒤에?|후에?)|해서|깔아서|[,，])\s*(?:바로\s*|나서\s*|좀\s*)*(?:열어|실행|켜` +
	`|띄워|시작)|(?:然后|再|并且?|之?后|[，,])\s*(?:再|就)?(?:把它)?(?:打开|启动|运行|开启)`)

// addSequel adds what follows with the same program: that it is installed again after its removal, and started or
// enabled after its installation; a service in the same plan, a program with windows when it is there.
func (r *Reading) addSequel(p *Plan) {
	last := p.Steps[len(p.Steps)-1]
	if last.Tool == "remove_package" && r.has["@install:do"] && len(r.names) == 1 { // "remove vlc and install it again"
		p.Steps = append(p.Steps, Step{"install_package", last.Input})
	}
	if last.Tool != "install_package" {
		return
	}
	name := stringOf(last.Input["name"])
	enables := r.u.lang != "en" && r.has["autostart"] && r.hasAny("@start:do", "@enable:do")
	if strings.Contains(name, " ") || !enables && !thenStarts().MatchString(r.u.raw) {
		return
	}
	action := "start"
	if enables {
		action = "enable"
	}
	if n := r.lex.lookUpName(name); n != nil && n.Service != "" {
		p.Steps = append(p.Steps, serviceStep(action, n.Service, n.User))
	} else if !enables {
		opens := r.desktopStep("open", "program")
		opens.Input["object"] = name
		p.FollowUps = []Step{opens}
	}
}

func sameStep(a, b Step) bool { return a.Tool == b.Tool && maps.Equal(a.Input, b.Input) }

// ownNames returns the names inside the act's own span.
func (r *Reading) ownNames(a act) []*Name {
	start, end := r.objectSpan(a)
	return r.namesIn(start, end)
}

func (r *Reading) planAct(a act) (Plan, bool) {
	switch a.verb {
	case "install":
		return r.planInstall(a)
	case "remove":
		return r.planRemove(a)
	case "update":
		return r.planUpdate(a)
	case "start", "stop", "restart", "reload", "enable", "disable":
		return r.planService(a)
	}
	return Plan{}, false
}

func (r *Reading) planInstall(a act) (Plan, bool) {
	weak := wordsOf("weak-install")[actText(r.u, a)]
	names := r.packageNames(a)
	if weak {
		if r.u.lang == "zh" && r.asks() {
			return Plan{}, false
		}
		if r.hasAny("log", "status", "version", "info", "error", "running", "list", "crash", "failed", "update", "port") {
			return Plan{}, false
		}
		if strings.Contains(" gone removed uninstalled deleted off out stopped disabled ", " "+lastWordOf(r.u)+" ") {
			return Plan{}, false
		}
		names = r.adjacentNames(a)
	}
	if r.has["update"] && (len(names) == 0 || r.onlyUpdates(a)) && !weak && r.namesUpdates() {
		if r.has["look"] && r.u.question {
			return Plan{}, false
		}
		return callPlan(10, Call("update_system")).because("order to install updates"), true
	}
	switch {
	case len(names) > 0 && !(r.has["search"] && !r.hasOwnName(a)):
		return callPlan(10, Call("install_package", "name", strings.Join(names, " "))).because("order to install %s", strings.Join(names, ", ")), true
	case weak && !r.has["@topic"]:
		return Plan{}, false
	case len(r.topics) > 0:
		return callPlan(8, Call("search_packages", "query", r.searchQuery())).because("order to install a kind of program: search first"), true
	case r.offTopic() || r.has["file"] && !r.has["package"]:
		return Plan{}, false
	}
	return r.askFor("install", a)
}

// namesUpdates reports whether the request mentions updates explicitly. "The latest" alone can refer to something else.
func (r *Reading) namesUpdates() bool {
	return containsAny(strings.ToLower(r.u.raw), "update", "upgrade", "patch", "업데이트", "업뎃", "업글", "업그레이드", "패치", "更新", "升级", "補丁", "补丁")
}

func lastWordOf(u *utterance) string { return foldWord(u.words[len(u.words)-1].text) }

// onlyUpdates reports whether the object of an install order is "updates".
func (r *Reading) onlyUpdates(a act) bool {
	start, end := r.objectSpan(a)
	for _, h := range r.concepts {
		if h.id == "update" && h.start >= start && h.end <= end {
			return len(r.namesIn(start, end)) == 0
		}
	}
	return false
}

func (r *Reading) hasOwnName(a act) bool { return len(r.ownNames(a)) > 0 || len(r.objectWords(a)) > 0 }

// adjacentNames returns the names directly after a weak verb: "get vlc", "get me vlc and mpv", but not "get
// info about vlc".
func (r *Reading) adjacentNames(a act) []string {
	start, end := r.objectSpan(a)
	if a.korean {
		names := r.packageNames(a)
		if len(r.namesIn(start, end)) == 0 {
			return nil
		}
		return names
	}
	w := r.u.wordAt[a.end-1] + 1
	for w < len(r.u.words) && wordsOf("name-leaders")[foldWord(r.u.words[w].text)] {
		w++
	}
	if w < len(r.u.words) && r.isNameWord(w) && r.u.words[w].clause == r.u.words[r.u.wordAt[a.start]].clause {
		return r.packageNames(a)
	}
	// "I need obs for streaming, get it for me": the object precedes the verb.
	if w < len(r.u.words) && wordsOf("pronouns")[foldWord(r.u.words[w].text)] && len(r.namesIn(0, a.start)) > 0 {
		return each(r.namesIn(0, a.start), func(n *Name) string { return n.Package })
	}
	return nil
}

func (r *Reading) planRemove(a act) (Plan, bool) {
	text := actText(r.u, a)
	if r.has["orphan"] && len(r.ownNames(a)) == 0 {
		return callPlan(8, Call("list_packages", "filter", "orphans")).because("removing orphans: list them first"), true
	}
	names := r.packageNames(a)
	known := len(r.objectNames(a)) > 0
	sure := known || r.hasAny("package", "app") || text == "uninstall" || text == "remove" || text == "get rid of" || text == "purge" || text == "삭제" || text == "제거" || text == "언인스톨" || text == "卸载" || strings.HasPrefix(text, "지")
	if len(names) > 0 && sure && !r.isOffTopicFor(names) {
		return callPlan(10, Call("remove_package", "name", strings.Join(names, " "))).because("order to remove %s", strings.Join(names, ", ")), true
	}
	if r.offTopic() || r.hasAny("update", "write") {
		return Plan{}, false
	}
	return r.askFor("remove", a)
}

// isOffTopicFor reports whether unknown words are not package names: "remove the background noise" consists of
// ordinary words.
func (r *Reading) isOffTopicFor(names []string) bool {
	return r.offTopic() && !r.has["@name"] || len(names) > 6
}

// planUpdate updates the whole system. Arch does not support updating a single package (ArchWiki, System
// maintenance, "Partial upgrades are unsupported").
func (r *Reading) planUpdate(a act) (Plan, bool) {
	switch {
	case a.bare && !r.hasAny("whole", "all"):
		if r.has["@terse"] {
			return callPlan(6, Call("check_updates")).because("a bare %q: check first", actText(r.u, a)), true
		}
		if len(r.u.words) > 2 || !r.has["@name"] {
			return Plan{}, false
		}
	case strings.HasPrefix(actText(r.u, a), "올려") && !r.hasAny("update", "version", "whole", "package", "os", "kernel"):
		return Plan{}, false // 온도 좀 올려줘
	case r.hasForeignObject(a), r.updatesUnnamed(a):
		return Plan{}, false
	}
	return callPlan(10, Call("update_system")).because("order to update"), true
}

// updatesUnnamed reports whether the request is to update a single unnamed thing: "update that one".
func (r *Reading) updatesUnnamed(a act) bool {
	w := r.u.wordAt[a.end-1] + 1
	if last := lastWordOf(r.u); (last == "newer" || last == "latest" || last == "newest") && !r.hasAny("whole", "package") {
		return true
	}
	return !a.korean && w < len(r.u.words) && wordsOf("pronouns")[foldWord(r.u.words[w].text)] && !r.hasAny("whole", "package")
}

// hasForeignObject reports whether the object of an update is something other than the system, judged by unknown
// words around the verb.
func (r *Reading) hasForeignObject(a act) bool {
	if r.offTopic() || r.hasAny("log", "write", "file", "@path", "cache") || r.has["time"] {
		return true
	}
	if r.u.lang == "zh" && r.hasForeignChinese(a) {
		return true
	}
	start, end := r.objectSpan(a)
	for _, w := range r.u.words {
		if w.end <= end && w.script == hangul && clauseEndings().MatchString(w.text) {
			start = max(start, w.end) // the part before is the reason
		}
	}
	for _, w := range r.u.words {
		if w.start < start || w.end > end || r.isCovered(w.start, w.end) || r.isFiller(w) || wordsOf("update-fillers")[foldWord(w.text)] {
			continue
		}
		if w.script == latin || !w.attached && !isKoreanFiller(w.text) {
			return true
		}
	}
	return false
}

// clauseEndings matches Korean word endings that end a clause.
var clauseEndings = pattern(`(?:니까|는데|은데|인데|았는데|었는데|했는데|아서|어서|해서|지만|라서|으니|거든|네)$`)

// chineseFillers are characters that can surround an order without being its object.
const chineseFillers = "一下吧了啊呢哦呀请帮我你给把都全部所有这台的机器现在马上立刻赶紧快点先再就要想可以能不麻烦谢到最新版本好吗来个去做次彻底完整今天晚上明天直接开始进行并且和们也还"

// hasForeignChinese reports whether an order has an unknown Chinese object.
func (r *Reading) hasForeignChinese(a act) bool {
	unknown := 0
	for i, c := range r.u.flat {
		switch {
		case i >= a.start && i < a.end || r.isCovered(i, i+1) || !isHan(c) || strings.ContainsRune(chineseFillers, c):
			unknown = 0
		default:
			if unknown++; unknown > 1 {
				return true
			}
		}
	}
	return false
}

func isKoreanFiller(s string) bool {
	return len([]rune(s)) <= 2 || hasAnyPrefix(s, wordList("korean-fillers")...)
}

// askFor asks for the missing object of an order, or reports that the object is not a known program.
func (r *Reading) askFor(verb string, a act) (Plan, bool) {
	subject := r.unknownObject(a)
	if subject == "" && (r.has["it"] || r.coverage() >= 0.6) {
		return askPlan(verb, verb, "").because("%s what?", verb), true
	}
	if subject != "" && r.u.lang != "en" && r.coverage() >= 0.4 {
		return askPlan(verb, verb+"_unknown", subject).because("%q is not a known program", subject), true
	}
	return Plan{}, false
}

// unknownObject returns the word before a Korean or Chinese verb, or after an English one, that the lexicon
// does not know.
func (r *Reading) unknownObject(a act) string {
	start, end := r.objectSpan(a)
	out := ""
	for _, w := range r.u.words {
		if w.start >= start && w.end <= end && !r.isCovered(w.start, w.end) && !r.isFiller(w) && !isKoreanFiller(w.text) {
			out = stripParticle(w.raw)
		}
	}
	return out
}

func actText(u *utterance, a act) string {
	var b strings.Builder
	last := -1
	for i := a.start; i < a.end; i++ {
		if w := u.wordAt[i]; last >= 0 && w != last && u.words[w].script == latin {
			b.WriteByte(' ')
		}
		last = u.wordAt[i]
		b.WriteRune(u.flat[i])
	}
	return b.String()
}

// isDeferred reports whether an order is for a later time, at which [Lexicon.later] plans it. In an English sentence,
// other clauses only give the reason and do not count.
func (r *Reading) isDeferred(a act) bool {
	s := strings.ToLower(r.u.raw)
	if r.u.lang == "en" && strings.Contains(s, ",") {
		s = " " + strings.Join(append(append(clauseBefore(r.u, r.u.wordAt[a.start]), actText(r.u, a)), clauseAfter(r.u, r.u.wordAt[a.end-1])...), " ")
	}
	return containsAny(s, wordList("later")...) && !containsAny(s, "later than", "or later")
}

// planService plans start, stop, restart, reload, enable and disable.
func (r *Reading) planService(a act) (Plan, bool) {
	if r.has["boot"] && a.verb == "start" && !r.has["@service"] {
		return Plan{}, false
	}
	action := r.serviceAction(a)
	unit, user := r.serviceName(r.objectNames(a))
	if unit == "" && r.mayNameService(a) {
		unit, user = r.objectWords(a)[0].raw, r.has["userscope"]
	}
	if unit == "" && r.isNetwork(a, action) {
		unit = "NetworkManager"
	}
	if unit != "" && !(r.has["file"] && !r.has["service"]) {
		return callPlan(10, serviceStep(action, unit, user)).because("order to %s %s", action, unit), true
	}
	if n := r.objectNames(a); len(n) > 0 && !r.isOrdinaryWord(n[0]) {
		return otherPlan(KindNone, "program", n[0].Package).because("%s is a program, not a service", n[0].Package), true
	}
	return r.answerWithoutService(a)
}

// isOrdinaryWord reports whether a name is said as the word that it also is: "disable the touch screen".
func (r *Reading) isOrdinaryWord(n *Name) bool {
	return slices.ContainsFunc(r.names, func(h hit) bool { return h.name == n && r.isAmbiguous(h) && !r.isNameExpected(h) })
}

func (r *Reading) answerWithoutService(a act) (Plan, bool) {
	switch {
	case endsTrouble().MatchString(r.u.raw):
		return Plan{}, false
	case r.has["wifi"]:
		return otherPlan(KindNone, "radio", "").because("no tool switches radios"), true
	case r.offTopic(), r.hasAny("log", "search", "file"):
		return Plan{}, false
	case r.has["service"] || r.has["it"] || r.has["@terse"]:
		return askPlan(a.verb, a.verb, "").because("%s what?", a.verb), true
	}
	return Plan{}, false
}

// serviceAction returns the action that an act asks for. Switching on or off "at boot" is enabling or
// disabling, and "turn off, then on" is a restart.
func (r *Reading) serviceAction(a act) string {
	opposite, atBoot := "stop", "enable"
	if a.verb == "stop" {
		opposite, atBoot = "start", "disable"
	}
	switch {
	case a.verb != "start" && a.verb != "stop":
		return a.verb
	case r.has["autostart"]:
		return atBoot
	case r.has["@"+opposite+":do"] && r.sameObject(opposite, a):
		return "restart"
	}
	return a.verb
}

// sameObject reports whether the order's opposite has the same object: at most one service is named in the
// whole request.
func (r *Reading) sameObject(verb string, a act) bool {
	names := map[*Name]bool{}
	for _, h := range r.names {
		names[h.name] = true
	}
	if len(names) > 1 {
		return false
	}
	return slices.ContainsFunc(r.orders(), func(b act) bool { return b.verb == verb && b.start != a.start })
}

// mayNameService reports whether an unknown word is a service: the request says so, the word ends like a
// daemon, or the verb only fits services.
func (r *Reading) mayNameService(a act) bool {
	words := r.objectWords(a)
	if len(words) == 0 {
		return false
	}
	if r.hasAny("service", "@unit") || r.has["autostart"] {
		return true
	}
	w := words[0].text
	clear := a.verb == "restart" || a.verb == "reload" || a.verb == "enable" || a.verb == "disable"
	return len(w) > 3 && strings.HasSuffix(w, "d") && len(words) == 1 || clear && len(words) == 1 && r.coverage() >= 0.5 && !r.offTopic()
}

// isNetwork reports whether the request is "restart the network".
func (r *Reading) isNetwork(a act, action string) bool {
	return r.has["internet"] && action == "restart" && !r.hasAny("cause", "wifi", "why") && containsAny(strings.ToLower(r.u.raw), "network", "네트워크", "网络", "網路")
}

// decideAutostart reads "make sure X comes up at boot" as enabling.
func (r *Reading) decideAutostart() (Plan, bool) {
	s := " " + strings.ToLower(r.u.raw)
	if r.has["@install:do"] || !r.has["autostart"] || r.u.lang != "en" && r.asks() || firstWord(r.u) == "will" && !strings.Contains(s, "will you") || !containsAny(s, "해줘", "해주", "부탁", "설정해", "设", "要", "让", " make sure", " ensure", " have ", " let ", " configure", " i want ", " should ", " set ", " i need ") || hasQuestionWord([]string{firstWord(r.u)}) && firstWord(r.u) != "have" || containsAny(s, "?", " don't", " dont", " not ", " never") {
		return Plan{}, false
	}
	unit, user := r.serviceName(r.namesIn(0, len(r.u.flat)))
	if unit == "" {
		return Plan{}, false
	}
	return callPlan(10, serviceStep("enable", unit, user)).because("order to start %s at boot", unit), true
}

func firstWord(u *utterance) string {
	if len(u.words) == 0 {
		return ""
	}
	return foldWord(u.words[0].text)
}

// decideNoAutostart reads the many forms of "keep X from starting at boot" as disabling.
func (r *Reading) decideNoAutostart() (Plan, bool) {
	if !r.hasAny("autostart", "boot") || !r.wantsPrevention() {
		return Plan{}, false
	}
	unit, user := r.serviceName(r.namesIn(0, len(r.u.flat)))
	if unit == "" {
		if unit = r.unknownName(); unit == "" || r.coverage() < 0.5 {
			return Plan{}, false
		}
	}
	return callPlan(10, serviceStep("disable", unit, user)).because("order to keep %s from starting at boot", unit), true
}

func (r *Reading) wantsPrevention() bool {
	flat, s := string(r.u.flat), " "+strings.ToLower(strings.ReplaceAll(r.u.raw, "'", ""))
	if r.u.question && !strings.Contains(s, "can you") && !strings.Contains(s, "could you") || containsAny(s, " why", " is ", "show", "check", "tell me", "just look") {
		return false
	}
	if containsAny(flat, "확인", "보여", "알려", "왜", "상태만") {
		return false
	}
	if containsAny(flat, wordList("no-autostart-ko")...) {
		return !containsAny(flat, "안되게됐", "안돼있", "않게되어")
	}
	if containsAny(flat, wordList("no-autostart-zh")...) {
		return true
	}
	if r.u.lang == "zh" && r.has["autostart"] && containsAny(flat, wordList("prevent-zh")...) {
		return !r.asks()
	}
	prevents := containsAny(s, " stop ", " keep ", " prevent ", " dont ", " do not ", " not start", " never ", " no longer start", " no longer want", " dont need ", " without ", " shouldnt ", "should not", "dont want", " avoid ", " no autostart")
	return prevents && containsAny(s, "start", "launch", "run", "load", "boot", "enabl", "come up", "coming up")
}
