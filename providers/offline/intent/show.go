package intent

import (
	"regexp"
	"strings"
	"sync"
)

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
