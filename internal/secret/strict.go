package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// RedactStrict returns text without secrets like [Redactor.Redact], and also without passwords that a person states
// in a sentence: "my password is hunter2", "비밀번호는 abcd1234야", "密码是 abc123". It is for stored text, where
// removing too much is better than too little. It would remove too much from the output of programs.
func (r *Redactor) RedactStrict(text string) string {
	text = r.Redact(text)
	text = ReplaceWords(text, plainPasswords(text))
	for _, told := range statements() {
		var out strings.Builder
		done := 0
		for _, m := range told.findAll(text) {
			value := statedValue(text, m)
			if value == "" {
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

// statements are the sentence patterns. The first group is the secret.
var statements = sync.OnceValue(func() []statement {
	const printed = `([!-~]{4,})`
	return []statement{
		// A whole phrase, and the same in reverse order.
		newStatement("phrase words seed mnemonic", `(?i)\b(?:passphrase|(?:seed|recovery|backup) (?:phrase|words?)|mnemonic)s?(?: (?:for|of|to|on)(?: [^\s]+){1,4}?)? (?:is|are|was|=|:)(?: now| still)?:? ["'`+"`"+`“]?((?:[a-z]+ ){2,23}[a-z]+)`),
		newStatement("pass pin secret", `(?i)(?:^|[\s"'(])`+printed+` (?:is|was) (?:my|the|our|his|her|their)(?: [^\s]+){0,3}? (?:pass(?:word|phrase|code)|pin|secret)\b`),
		newStatement("pass pin", `(?i)\buse `+printed+` (?:as|for) (?:my|the|its|a|our)?(?: [^\s]+){0,3}? ?(?:pass(?:word|phrase|code)|pin)\b`),
		newStatement("비밀 비번 패스워드 암호", `(?:^|[\s"'(])`+printed+`(?:가|이|는|은) (?:내 |제 |우리 )?(?:[^\s]+ ){0,3}?(?:비밀\s?번호|비번|패스워드|암호)`),
		newStatement("pass pw code pin psk key token", `(?i)\b(?:pass(?:word|wd|phrase|code)|pwd?|(?:wi-?fi|door|alarm|safe|gate|unlock|access|entry|garage|phone|security|backup|recovery|login|sign-?in) code|pin(?: ?(?:code|number))?|psk|(?:api|access|secret|wi-?fi|wpa) ?key|token)s?(?: (?:for|of|to|on|at)(?: [^\s]+){1,4}?)? (?:is|was|=|:|->)(?: now| still)?:? ["'`+"`"+`“]?`+printed),
		newStatement("비밀 비번 패스워드 암호 핀 pin api 토큰", `(?:비밀\s?번호|비번|패스워드|암호|핀\s?번호|(?i:PIN)|(?i:API)\s?키|토큰)(?:는|은|가|이|를|을|도)?\s*[:=]?\s*["'“‘]?`+printed),
		newStatement("密 口令 pin 令牌", `(?:密[码碼]|口令|PIN\s?码|令牌)\s*(?:是|为|為|叫|改成|[:：=])?\s*["'“‘]?`+printed),
	}
})

// quantityPattern matches what follows a number that is a quantity: 2026년, 90 days.
var quantityPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:년|월|일|시|번|개|층|자리|회|年|月|天|位|次|个| ?(?:days?|weeks?|months?|years?|characters?|digits?|letters?)\b)`)
})

// isStatedPassword reports whether the value in a sentence is a password, and not a word, a path, an address or
// a marker.
func isStatedPassword(v string) bool {
	c := classesOf(v)
	switch {
	case len(v) < 4, isMarker(v), strings.HasPrefix(v, markerStart), isPlaceholder(v), strings.EqualFold(v, "1password"), strings.Contains(v, "://"):
		return false
	}
	if first, _, more := strings.Cut(v, " "); more {
		return !slices.Contains(phraseStopWords, strings.ToLower(first)) && !isDescription(first)
	}
	return c.digit || strings.ContainsAny(v, "!@#$%^&*?+=~") || c.lower && strings.ToLower(v[1:]) != v[1:]
}

// plainPassword matches a plain word that a person states as their own password, at the end of a sentence.
var plainPassword = sync.OnceValue(func() statement {
	return newStatement("pass", `(?i)\bmy(?: [^\s]+){0,3}? pass(?:word|code|phrase) (?:is|was)(?: now| still)? ["'`+"`"+`“]?([a-z]{6,})["'`+"`"+`”]?(?:[.!,;?\n]|$)`)
})

// plainPasswords returns the plain words that a person states as their password.
func plainPasswords(text string) []string {
	var words []string
	for _, m := range plainPassword().findAll(text) {
		if word := text[m[2]:m[3]]; !isDescription(word) {
			words = append(words, word)
		}
	}
	return words
}

// phraseStopWords are words that begin a statement about a phrase instead of the phrase itself.
var phraseStopWords = strings.Fields("in on at the a an not written stored saved kept too very with inside under behind near known lost my your our one what " +
	"something safe for only no still now also as to long here there somewhere easy hard good bad gone never always all")

// descriptionWords are words that describe a password.
var descriptionWords = strings.Fields("strong secure simple complex public private visible unsafe useless personal broken different identical temporary hidden " +
	"obsolete outdated correct random unique short wrong older newer better needed")

// isDescription reports whether a word describes a password or its state.
func isDescription(word string) bool {
	word = strings.ToLower(word)
	for _, end := range []string{"ed", "ing", "able", "ible", "ly", "less"} {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return slices.Contains(descriptionWords, word) || isPlaceholder(word) || isProse(word)
}
