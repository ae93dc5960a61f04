package secret

import (
	"regexp"
	"strings"
	"sync"
)

// Confided returns text without secrets as [Redactor.Redact] does, and without
// passwords that a person tells in a sentence: "my password is hunter2",
// "비밀번호는 abcd1234야", "密码是 abc123". It is for what is kept, where it is
// better to leave out too much; output of programs would lose much that is none.
func (r *Redactor) Confided(text string) string {
	text = r.Redact(text)
	for _, told := range confidences() {
		var out strings.Builder
		done := 0
		for _, m := range told.FindAllStringSubmatchIndex(text, -1) {
			value := strings.TrimRight(text[m[2]:m[3]], `.,;!?)]}"'`)
			if !isTold(value) || counted().MatchString(text[m[2]+len(value):]) {
				continue
			}
			out.WriteString(text[done:m[2]] + marker("password"))
			done = m[2] + len(value)
		}
		out.WriteString(text[done:])
		text = out.String()
	}
	return text
}

// confidences are the sentences; the first group is where the secret stands.
var confidences = sync.OnceValue(func() []*regexp.Regexp {
	const printed = `([!-~]{4,})`
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:pass(?:word|wd|phrase|code)|pwd?|pin(?: ?(?:code|number))?|psk|(?:api|access|secret|wi-?fi|wpa) ?key|token)s?(?: (?:for|of|to|on|at)(?: [^\s]+){1,4}?)? (?:is|was|=|:|->)(?: now| still)?:? ["'` + "`" + `“]?` + printed),
		regexp.MustCompile(`(?:비밀\s?번호|비번|패스워드|암호|핀\s?번호|(?i:PIN)|(?i:API)\s?키|토큰)(?:는|은|가|이|를|을|도)?\s*[:=]?\s*["'“‘]?` + printed),
		regexp.MustCompile(`(?:密[码碼]|口令|PIN\s?码|令牌)\s*(?:是|为|為|叫|改成|[:：=])?\s*["'“‘]?` + printed),
	}
})

// counted finds what makes a number a figure: 2026년, 90 days.
var counted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:년|월|일|시|번|개|층|자리|회|年|月|天|位|次|个| ?(?:days?|weeks?|months?|years?|characters?|digits?|letters?)\b)`)
})

// isTold reports whether what stands where a password would is one: a word of a
// language, a path, an address or a marker is not.
func isTold(v string) bool {
	c := classesOf(v)
	switch {
	case len(v) < 4, isMarker(v), strings.HasPrefix(v, markerStart), placeholder(v), strings.EqualFold(v, "1password"), strings.Contains(v, "://"):
		return false
	}
	return c.digit || strings.ContainsAny(v, "!@#$%^&*?+=~") || c.lower && strings.ToLower(v[1:]) != v[1:]
}
