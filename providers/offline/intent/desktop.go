package intent

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var (
	settingPercent = pattern(`(\d{1,3})\s*(?:%|％|percent\b|퍼센트|퍼|프로)|百分之\s*(\d{1,3})`)
	settingLevel   = pattern(`\b(?:to|at)\s+(\d{1,3})\b|(\d{1,3})\s*(?:으로|로|까지)|[到为成]\s*(\d{1,3})`)
	settingTarget  = pattern(`\b(?:to|at)\s+\d|\d\s*(?:%|％|퍼센트|퍼|프로)?\s*(?:으로|로|까지)|[到为成]\s*(?:百分之)?\s*\d`)
)

// settingFigure returns the level named in a request.
func settingFigure(raw string) (int, bool) {
	for _, form := range []*regexp.Regexp{settingPercent(), settingLevel()} {
		if m := form.FindStringSubmatch(strings.ToLower(raw)); m != nil {
			n, err := strconv.Atoi(strings.Join(m[1:], ""))
			return n, err == nil
		}
	}
	return 0, false
}

// isOnePart reports whether a request asks for one thing only.
func (r *Reading) isOnePart() bool { return r.whole || len(splitRequests(r.u.raw)) < 2 }

// leaveAlonePlan answers a prohibition: nothing is changed.
func (r *Reading) leaveAlonePlan(why string) Plan { return declinePlan("left", "").because("%s", why) }

// showFilePattern matches a request to show a file. The first non-empty group is the file.
var showFilePattern = sync.OnceValue(func() *regexp.Regexp {
	const file = `((?:/(?:etc|proc|sys|usr|var|opt|srv|run|boot|home|mnt|media|tmp)|~)/[A-Za-z0-9._/+-]+)`
	return regexp.MustCompile(`(?i)^\s*(?:please |can you |could you )*(?:show(?: me)?|print|display|read|cat|see|view|open|what(?:'s| is) in(?:side)?|(?:show me |what(?:'s| is| are) )?the contents? of) (?:the )?(?:file |contents? of )*` + file + `(?:,? please)?\s*[?.!]*$` +
		`|^\s*what does (?:the file )?` + file + ` (?:say|contain|look like)\s*[?.!]*$` +
		`|^\s*(?:cat\s+)?` + file + `\s*(?:파일)?\s*(?:의|을|를|은|는|에|이|가)?\s*(?:내용)?(?:을|를|은|이)?\s*(?:좀\s*)?(?:보여|읽어|출력해|열어|알려|뭐라고\s*(?:써|적혀|돼|되어)\s*있|뭐(?:가)?\s*(?:들어|적혀|써)?\s*있|뭐)[\p{Hangul} ]{0,8}[?.!~]*$` +
		`|^\s*(?:请|帮我|给我)*(?:显示|看看|看一下|查看|打开|读一下|输出|列出)(?:一下)?\s*` + file + `\s*(?:的?内容|文件)*\s*[?？。]*$` +
		`|^\s*` + file + `\s*(?:文件)?(?:的内容是什么|里(?:面)?(?:写了|有)?什么|写了什么|内容是什么)\s*[?？。]*$`)
})

// keyFilePattern matches private key files.
var keyFilePattern = pattern(`/\.ssh/id_[A-Za-z0-9_]+$|/\.gnupg/|/etc/ssh/ssh_host_[a-z0-9]+_key$`)

// decideShow reads one named file with cat. The gate asks about files with secrets. Directories are not shown.
func (r *Reading) decideShow() (Plan, bool) {
	m := showFilePattern().FindStringSubmatch(r.u.raw)
	if m == nil || r.u.data != "" {
		return Plan{}, false
	}
	file := strings.Join(m[1:], "")
	if strings.HasSuffix(file, "/") || strings.Contains(file, "..") {
		return Plan{}, false
	}
	if keyFilePattern().MatchString(file) {
		return otherPlan(KindRefuse, "secret", "").because("asks to show a private key"), true
	}
	return callPlan(sureScore, Call("run_command", "command", "cat "+file)).withGrant(grantLiteral).because("asks to see %s", file), true
}

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
