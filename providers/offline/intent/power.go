package intent

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// powerQuestion matches questions whether the machine can be restarted or switched off.
var powerQuestion = sync.OnceValue(func() *regexp.Regexp {
	const off = `(?:re-?boot|restart|shut\s*(?:it|this|the \w+|my \w+)?\s*down|shutdown|power\s*(?:it\s*)?(?:off|cycle)|(?:turn|switch)\s+(?:it|this|the \w+|my \w+)?\s*off|turn off)`
	return regexp.MustCompile(`(?i)\b(?:can|could|may|might|should|shall|dare)\s+(?:i|we)\b[^.,;]*\b` + off + `\b` +
		`|\b(?:is|would|will|be)\b[^.,;]*\b(?:safe|ok|okay|fine|alright|all right|risky|dangerous|a problem|bad|good)\b[^.,;]*\b` + off + `\b` +
		`|^\s*(?:safe|ok|okay|fine)\s+to\s+` + off + `\b` +
		`|\bwill\b[^.,;]*\b(?:boot|come (?:back )?up|start)\b[^.,;]*\b(?:after|again|next)\b|\bwill (?:it|this|the \w+|my \w+) boot\b|\bready to ` + off + `\b` +
		`|(?:재부팅|리부팅|리부트|재시작|재시동|다시\s*시작|다시\s*켜|껐다\s*켜|시스템\s*종료|종료|꺼|끄|셧다운)(?:을|를)?\s*(?:해)?(?:도|면)\s*(?:지금\s*)?(?:돼|되|될|됩|괜찮|상관|문제|안\s*(?:돼|되|될)|안전|위험)` +
		`|(?:재부팅|리부팅|리부트|종료)\s*(?:해도\s*)?(?:가능|안전|괜찮)|(?:재부팅|리부트|껐다\s*켜)(?:하면|면)?\s*(?:다시\s*)?(?:잘\s*)?켜질|다시\s*(?:잘\s*)?켜질까` +
		`|(?:可以|能不能|可不可以|能否|能|现在)\s*(?:现在|马上|直接|安全)?\s*(?:重启|关机|重新启动|重新开机|重開機|關機)[^。]*(?:吗|么|嗎|不|\?|？)|(?:重启|关机|重新启动)[^。]{0,6}(?:安全|有问题|没问题|会不会出问题|行不行|可以吗|行吗|能启动吗)`)
})

// skipRestartQuestion matches questions whether a restart can be skipped. The update check reports whether one is due.
var skipRestartQuestion = pattern(`(?i)\b(?:can|could|may|should) i (?:skip|avoid|put off|postpone|delay) (?:the |a |this )?(?:re-?boot|restart)\w*|\b(?:ok|okay|fine|safe|alright|possible)\b.*\b(?:not to|without) (?:re-?boot|restart)\w*|\bdo i (?:really |still )?(?:have|need) to (?:re-?boot|restart)(?: (?:it|this|now|the (?:computer|machine|pc)))?\s*\?*$` +
	`|(?:재부팅|리부트|재시작|다시\s*시작)(?:을|를|은|는)?\s*(?:꼭\s*)?안\s*(?:해|하)도\s*(?:돼|되|될|괜찮)|(?:不重启|不用重启|不需要重启|可以不重启|不重新启动)[^。]*(?:吗|吧|行|可以|没问题|没关系|？|\?)`)

// isAboutThisMachine reports whether a question about switching off is about this machine and not about a
// service, a program or another device.
func (r *Reading) isAboutThisMachine() bool {
	if r.hasAny("@service", "@unit", "service", "log", "crash", "when", "process", "@path", "remember", "recall", "write") {
		return false
	}
	return r.otherDevice() == "" && !(r.has["@name"] && !r.hasAny("kernel", "update"))
}

// decidePowerQuestion answers "can I reboot?" by checking whether the machine will boot.
func (r *Reading) decidePowerQuestion() (Plan, bool) {
	if skipRestartQuestion().MatchString(r.u.raw) && r.isAboutThisMachine() {
		return callPlan(sureScore, Call("check_updates")).because("asks whether a restart can be skipped"), true
	}
	if !powerQuestion().MatchString(r.u.raw) || !r.isAboutThisMachine() || r.has["needreboot"] && !r.mentions("safety") || r.hasHappened() {
		return Plan{}, false
	}
	return callPlan(sureScore, r.readyStep()).because("asks whether the machine can be restarted"), true
}

// readyStep checks whether the next boot will work.
func (r *Reading) readyStep() Step { return Call("diagnose", "topic", "reboot", "lang", r.u.lang) }

// decidePower recognises an order to restart the machine or to switch it off. No tool does that directly. The
// answer offers to check first whether the machine will boot again.
func (r *Reading) decidePower() (Plan, bool) {
	if !r.has["shutdown"] || r.hasHappened() || r.hasAny("why", "when", "log", "uptime", "@since", "autostart", "@service", "boot", "slow", "howto", "crash", "update") || r.u.question && r.u.lang == "en" && !r.has["@do"] && !englishPlea().MatchString(r.u.raw) {
		return Plan{}, false
	}
	if !r.forbids() && r.namesUnknownThing() {
		return Plan{}, false // reboot the chromecast
	}
	if r.forbids() {
		return declinePlan("left", "").because("asks not to restart it or switch it off"), true
	}
	p := otherPlan(KindNone, "power", "").because("asks to switch the machine off or restart it")
	step := r.readyStep()
	p.Offer = &step
	return p, true
}

func (r *Reading) denies() bool {
	return slices.ContainsFunc(r.acts, func(a act) bool { return a.form == formNeg })
}

func (r *Reading) forbids() bool {
	if r.denies() {
		return true
	}
	s := r.u.spacedText()
	return containsAny(s, " dont ", " do not ", " never ", " not ") || containsAny(string(r.u.flat), "하지마", "하지말", "하지는마", "지마", "말고", "말아", "안해도", "안할", "不要", "别", "不用", "不想", "先不") ||
		strings.HasPrefix(strings.TrimSpace(s), "no ") && !nothingThere().MatchString(r.u.raw)
}

// nothingThere matches a complaint that something is missing: "no sound on hdmi".
var nothingThere = pattern(`(?i)^\s*no (?:sounds?|audio|wi-?fi|internet|network|signal|connection|picture|display|video|image|power|response|space|bluetooth|mic(?:rophone)?|camera|output|input|battery|icons?|mouse|keyboard)\b`)

// namesUnknownThing reports whether an order to restart or switch off names an unlisted thing, which is not
// this computer.
func (r *Reading) namesUnknownThing() bool {
	if r.unknownName() != "" {
		return true
	}
	first := r.u.words[0]
	return len(r.u.words) == 2 && first.script == hangul && (r.isStrange(first) || r.isNameWord(0)) && first.end-first.start > 2
}

// hasHappened reports whether the machine has already restarted or switched off unexpectedly.
func (r *Reading) hasHappened() bool {
	return containsAny(string(r.u.flat), "재부팅됐", "재부팅되", "재부팅됨", "재부팅했", "재부팅을했", "종료됐", "종료되", "自动重启", "自己重启", "自动关机") || containsAny(strings.ToLower(r.u.raw), "rebooted", "reboots", "rebooting itself", "shuts down", "shut itself")
}

// PowersOff reports whether a request is about switching the machine off, not about restarting it.
func (r *Reading) PowersOff() bool {
	restarts := containsAny(r.u.spacedText(), " reboot ", " restart ", " reboots ", " rebooting ", " restarting ") || containsAny(string(r.u.flat), "재부팅", "리부", "재시작", "재시동", "다시시작", "껐다", "다시켜", "重启", "重新启动", "重開", "重新开")
	return !restarts && (r.has["shutdown"] || powerQuestion().MatchString(r.u.raw))
}
