package intent

import (
	"slices"
	"strings"
)

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
	if n := r.objectNames(a); len(n) > 0 {
		return otherPlan(KindNone, "program", n[0].Package).because("%s is a program, not a service", n[0].Package), true
	}
	return r.answerWithoutService(a)
}

func (r *Reading) answerWithoutService(a act) (Plan, bool) {
	switch {
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
	if !r.has["autostart"] || r.u.lang != "en" && r.asks() || firstWord(r.u) == "will" && !strings.Contains(s, "will you") || !containsAny(s, "해줘", "해주", "부탁", "설정해", "设", "要", "让", " make sure", " ensure", " have ", " let ", " configure", " i want ", " should ", " set ", " i need ") || hasQuestionWord([]string{firstWord(r.u)}) && firstWord(r.u) != "have" || containsAny(s, "?", " don't", " dont", " not ", " never") {
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
