package intent

import (
	"regexp"
	"strings"
	"sync"
)

// shownFile is a request to see what one file says; the first group that is there
// is the file.
var shownFile = sync.OnceValue(func() *regexp.Regexp {
	const file = `((?:/(?:etc|proc|sys|usr/share|usr/lib|var/log)|~)/[A-Za-z0-9._/+-]+)`
	return regexp.MustCompile(`(?i)^\s*(?:please |can you |could you )*(?:show(?: me)?|print|display|read|cat|see|view|what(?:'s| is) in) (?:the )?(?:file |contents? of )?` + file + `(?:,? please)?\s*[?.!]*$` +
		`|^\s*` + file + `\s*(?:파일)?\s*(?:의|을|를|은|는)?\s*(?:내용)?(?:을|를)?\s*(?:좀\s*)?(?:보여|읽어|출력해|열어)(?:\s*(?:줘|주세요|줄래|봐|달라고|요))*\s*[?.!]*$` +
		`|^\s*(?:请|帮我)*(?:显示|看看|看一下|查看|打开|读一下)(?:一下)?\s*` + file + `(?:\s*的?内容)?\s*[?？。]*$`)
})

// decideShow reads one named file, as cat does; the gate asks about files with
// secrets, and a directory is not a file.
func (r *Reading) decideShow() (Plan, bool) {
	m := shownFile().FindStringSubmatch(r.u.raw)
	if m == nil || r.u.data != "" {
		return Plan{}, false
	}
	file := strings.Join(m[1:], "")
	if strings.HasSuffix(file, "/") || strings.Contains(file, "..") {
		return Plan{}, false
	}
	return callPlan(sureScore, Call("run_command", "command", "cat "+file)).granted(grantLiteral).because("asks to see %s", file), true
}
