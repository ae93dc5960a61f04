package intent

import (
	"regexp"
	"sync"
)

// hostnameQuestion matches a complete question for the name of this computer.
var hostnameQuestion = sync.OnceValue(func() *regexp.Regexp {
	const (
		ko = `(?:호스트\s*(?:이름|명|네임)|(?:이|내|제)?\s*(?:컴퓨터|노트북|피시|pc|머신|서버)(?:의)?\s*(?:호스트\s*)?이름|host\s?name)`
		zh = `(?:主机名称?|主機名稱?|计算机名称?|電腦名稱|电脑(?:的)?(?:名字|名称)|主机的?名字|host\s?name)`
	)
	return regexp.MustCompile(`(?i)^\s*(?:(?:please|show|tell|give|me|print|display|get|check|and|what(?:'s|s)?|is|are|the|my|this|current|system|system's|computer's|machine's|of|do you know)[, ]+)*(?:host\s?name|(?:computer|machine|host|laptop|pc)(?:'s)?\s+name)\s*(?:of (?:this|my|the) (?:computer|machine|laptop|pc|system|box)|please|again|here|is)?\s*[?.!]*\s*$` +
		`|^\s*what(?:'s| is) (?:this|my|the) (?:computer|machine|laptop|pc|box)(?: called| named)\s*[?.!]*\s*$|^\s*(?:what(?:'s| is) )?the name of (?:this|my|the) (?:computer|machine|laptop|pc|box)\s*[?.!]*\s*$` +
		`|^\s*(?:지금|현재|이|내|제)?\s*` + ko + `\s*(?:은|는|이|가|을|를|좀)?\s*(?:뭐|뭔|무엇|어떻게|알려|보여|말해|확인|궁금|출력)?[\p{Hangul} ]{0,8}[?.!~]*\s*$` +
		`|^\s*(?:请|帮我|现在|当前|本机|这台|我的|查看|显示|看看|告诉我|查一下|看一下|电脑|机器|的|\s)*` + zh + `\s*(?:是|叫)?(?:什么|啥|多少)?(?:呢|啊|吗)?\s*[?？。!]*\s*$`)
})

// renames reports whether the request is to rename the computer.
func (r *Reading) renames() bool {
	return r.settingVerb() != "" || r.mentions("settings") || r.has["@do"]
}

// decideHostname answers questions for the name of this computer.
func (r *Reading) decideHostname() (Plan, bool) {
	if !hostnameQuestion().MatchString(r.u.raw) || r.u.data != "" || r.hasAny("recall", "remember") || r.renames() || r.otherDevice() != "" {
		return Plan{}, false
	}
	return callPlan(sureScore, Call("run_command", "command", "uname -n")).because("asks for the host name"), true
}
