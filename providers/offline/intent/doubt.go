package intent

import (
	"fmt"
	"slices"
	"strings"
)

// subject is what a tool reports on: the concepts that name the thing, and those that name an aspect of it that
// the tool reports. A concept in both lists is enough alone.
type subject struct{ things, aspects []string }

var subjects = map[string]subject{
	"check_disk":      {things("disk", "space", "nospace", "inode", "makeroom", "@path", "hwdisk"), things("full", "free", "usage", "nospace", "space", "status", "inode", "makeroom", "takespace", "large")},
	"find_large":      {things("large", "takespace", "file", "space", "disk", "@path"), nil},
	"check_memory":    {things("memory", "swap"), things("free", "usage", "amount", "full", "status", "nospace", "hog", "swap", "large", "cause", "slow", "running", "disk", "cpu", "process", "connect")},
	"check_processes": {things("process", "cpu", "slow", "app", "running", "@name", "memory", "hog", "inputmethod", "temperature"), nil},
	"read_logs":       {things("log", "error", "warning", "critical", "crash", "why", "failed"), nil},
	"check_network":   {things("wifi", "internet", "ip", "port"), nil},
	"list_packages":   {things("package", "app", "installed", "orphan", "foreign", "explicit", "@install"), nil},
	"search_packages": {things("search", "@topic", "app", "package", "@name"), nil},
	"package_info":    {things("@name", "package", "installed", "@install", "@remove", "info"), nil},
	"check_updates":   {things("update", "needreboot", "@update"), nil},
	"check_service":   {things("service", "failed", "@service", "@unit", "userscope", "autostart", "sound", "printer", "running", "status"), nil},
	"system_info":     {things("kernel", "os", "uptime", "version", "specs", "clock", "locale", "boot", "info", "status"), nil},
	"check_hardware":  {things("battery", "temperature", "gpu", "usb", "hwdisk", "cores", "cpu", "hardware", "health", "throttling", "disk"), nil},
	"check_boot":      {things("boot", "autostart"), things("takeslong", "slow", "amount", "why", "cause", "status", "hog")},
}

func things(ids ...string) []string { return ids }

// plainConcepts express how something is asked, not what.
var plainConcepts = set("look", "only", "mine", "filler", "it", "all", "whole", "help", "greeting", "thanks", "info", "list", "amount", "when", "home", "file", "app", "update", "today", "cause", "usage", "search", "installed", "space", "recall")

// Minimum scores at which the classifier alone is trusted for a request without words from the lists.
const (
	sureLearnedScore   = 9.0
	highLearnedScore   = 8.5
	mediumLearnedScore = 6.6 // for tools that are not in commonTools
)

// commonTools are the tools that the classifier chooses for unrelated requests.
var commonTools = set("check_disk", "check_memory", "check_boot", "check_network")

// rejectDoubtful replaces a step that answers a different question with a question back. A step is kept only if its
// thing is named and no other aspect of it is requested.
func (r *Reading) rejectDoubtful(p Plan) Plan {
	if p.Kind != KindCall || p.Score >= sureScore || p.anyChange() || len(r.u.flat) == 0 {
		return p
	}
	for _, s := range p.Steps {
		if why := r.doubt(p, s); why != "" {
			return r.unsurePlan(p).because("not %s: %s", s.Tool, why)
		}
	}
	return p
}

// afterUpdate matches an update that only says since when something is wrong.
var afterUpdate = pattern(`(?i)\b(?:after|since|ever since) (?:[\w'’]+ ){0,3}(?:update|upgrade|updating|upgrading)\b|(?:업데이트|업뎃|업그레이드)\s*(?:를|을)?\s*(?:하고|하니|했더니|한\s*(?:뒤|후|다음)|하고\s*나[서니]|후|이후|뒤)|(?:更新|升级)(?:完|过|了)*(?:之后|以后|后)`)

// doubt returns why a step would answer a different question, or "" if it would not.
func (r *Reading) doubt(p Plan, s Step) string {
	of, known := subjects[s.Tool]
	common, aspect, verb := commonTools[s.Tool], r.mentionedWord("other-aspects"), r.settingVerb()
	named := known && r.hasAny(of.things...)
	switch {
	case s.Tool == "check_updates" && afterUpdate().MatchString(r.u.raw) && !r.has["needreboot"]:
		return "the update only says since when"
	case known && p.IsUncertain && r.asksWhereabouts(s):
		return "it does not know where things are"
	case known && !named && (common && r.has["@short"] ||
		p.Score < highLearnedScore && (p.Score < mediumLearnedScore || common)):
		return "its subject is not named"
	case known && aspect != "" && s.Tool != "read_logs" &&
		!r.hasAny("log", "@name", "@unit", "search", "@topic", "package", "file"):
		return fmt.Sprintf("it does not report %q", aspect)
	case !named:
		return ""
	case verb != "":
		return fmt.Sprintf("%q asks to change a setting", verb)
	case r.asksWhereabouts(s):
		return "it does not know where things are"
	}
	anyService := s.Tool == "check_service" && len(s.Input) == 0
	strange := r.strangeWord(of)
	switch {
	case strange == "" || p.Score >= sureLearnedScore:
		return ""
	case anyService && r.hasAny("running", "enabledq", "@start:state", "@stop:state") &&
		!r.hasAny("list", "all", "whole", "amount", "who"):
		return fmt.Sprintf("%q is not a known service", strange)
	case of.aspects == nil || r.hasAny(of.aspects...) && !r.asksOnlyAmount(of):
		return ""
	}
	return fmt.Sprintf("%q is not understood", strange)
}

// whereabouts matches a question where a person's thing is.
var whereabouts = pattern(`(?i)^\s*(?:(?:do you know|tell me|hey|so|and|ok)[, ]+)*where(?:'s|s| is| are| did (?:i|we))\b|어디\S{0,2}\s*(?:있[어지나니더는을었]|뒀|둔|놨|놓|세워|주차|보관|넣)|(?:在|放)(?:哪|什么地方)`)

// asksWhereabouts reports whether a question is where something is, and a step does not look for it.
func (r *Reading) asksWhereabouts(s Step) bool {
	things := slices.Contains([]string{"check_service", "check_hardware", "check_processes", "check_network"}, s.Tool) && !r.hasAny("log", "file", "process", "ip", "connect") ||
		s.Tool == "find_large" && !r.hasAny("disk", "space", "nospace", "file", "large", "@path")
	return things && whereabouts().MatchString(r.u.raw)
}

// asksOnlyAmount reports whether a request asks only "how much" of a thing.
func (r *Reading) asksOnlyAmount(of subject) bool {
	return !slices.ContainsFunc(of.aspects, func(id string) bool { return id != "amount" && id != "list" && r.has[id] })
}

// settingVerb returns the verb of a request to change a setting, or "".
func (r *Reading) settingVerb() string {
	switch first := firstWord(r.u); {
	case r.u.lang != "en" && r.u.question:
		return ""
	case r.u.lang != "en":
		return r.mentionedWord("settings")
	case slices.Contains(wordList("settings-en"), first) && !strings.HasPrefix(r.u.spacedText(), " set me "):
		return first
	}
	for i, w := range r.u.words {
		before, t := clauseBefore(r.u, i), foldWord(w.text)
		iCan := len(before) > 1 && before[len(before)-2] == "can" && before[len(before)-1] == "i"
		if slices.Contains(wordList("settings-en"), t) && (asksForIt(before) || iCan) {
			return t
		}
	}
	return ""
}

// strangeWord returns a content word that belongs to none of the concepts of a subject, or "".
func (r *Reading) strangeWord(of subject) string {
	for _, h := range r.concepts {
		if !plainConcepts[h.id] && !slices.Contains(of.things, h.id) && !slices.Contains(of.aspects, h.id) && !r.isCoveredBy(h, set(append(slices.Clone(of.things), of.aspects...)...)) && !isWithin(h, r.names) && !r.hasPlainSense(h) {
			return string(r.u.flat[h.start:h.end])
		}
	}
	for _, w := range r.u.words {
		if r.isStrange(w) {
			return w.raw
		}
	}
	return ""
}

// hasPlainSense reports whether the words of a hit also have a plain concept.
func (r *Reading) hasPlainSense(h hit) bool {
	return slices.ContainsFunc(r.concepts, func(g hit) bool { return g.start <= h.start && g.end >= h.end && plainConcepts[g.id] })
}

// isStrange reports whether a content word is not understood.
func (r *Reading) isStrange(w word) bool {
	switch w.script {
	case latin:
		t := foldWord(w.text)
		return !r.isCovered(w.start, w.end) && !r.isFiller(w) && !wordsOf("neutral")[t] && !strings.ContainsAny(t, "0123456789/%") && len(t) > 2
	case hangul:
		return !r.isCovered(w.start, w.end) && !w.attached && w.end-w.start >= 2 && !isKoreanFiller(w.text) && w.end-w.start > 2
	}
	run := 0
	for i := w.start; i < w.end; i++ {
		if r.isCovered(i, i+1) || strings.ContainsRune(chineseFillers, r.u.flat[i]) {
			run = 0
		} else if run++; run > 1 {
			return true
		}
	}
	return false
}

const (
	maxNearest      = 3    // read-only steps that a question back offers
	enoughToName    = 0.08 // offer a step whose subject is named
	enoughToSuggest = 0.16 // offer any other step
	enoughForNone   = 0.70 // "nothing to check": offer none
)

// nearestSteps returns the read-only steps that a request may mean, most likely first.
func (r *Reading) nearestSteps(p Plan) []Step {
	var out []Step
	list := r.classify(p)
	if len(list) == 0 || list[0].class.name == "none" && list[0].p >= enoughForNone {
		return nil
	}
	if afterUpdate().MatchString(r.u.raw) {
		out = append(out, Call("recent_changes", "everything", true), Call("read_logs", "priority", "err"))
	}
	for _, l := range list {
		if len(out) == maxNearest || l.class.tool == "" || l.p < enoughToName {
			continue
		}
		named := r.hasAny(subjects[l.class.tool].things...)
		if !named && (l.p < enoughToSuggest || r.has["@terse"] || l.class.tool == "check_boot") {
			continue // "forever" is not a question about the boot
		}
		s := r.stepOf(l.class)
		if isComplete(l.class, s) && !slices.ContainsFunc(out, func(o Step) bool { return nearKey(o) == nearKey(s) }) {
			out = append(out, s)
		}
	}
	return out
}

// isComplete reports whether a step has the name or query that its class is about.
func isComplete(c *class, s Step) bool {
	for _, kv := range c.input {
		if _, given := s.Input[kv.key]; !given && len(c.input) == 1 && (kv.key == "name" || kv.key == "query") {
			return false
		}
	}
	return c.name != "service-status" || s.Input["name"] != nil
}

// nearKey identifies a read-only step by what it checks, ignoring the rest of its input.
func nearKey(s Step) string { return s.Tool + " " + stringOf(s.Input["scope"]) }

// splitUnderstood splits the content words of a request into known and unknown ones.
func (r *Reading) splitUnderstood() (known, unknown []string) {
	for _, w := range r.u.words {
		switch {
		case r.isFiller(w) || w.attached && w.script != latin && w.end-w.start <= 2:
		case r.isCovered(w.start, w.end):
			known = append(known, w.raw)
		default:
			unknown = append(unknown, w.raw)
		}
	}
	return known, unknown
}
