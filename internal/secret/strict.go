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
	text = ReplaceWords(text, slices.Concat(plainPasswords(text), cardNumbers(text)))
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

// statement is a sentence pattern that states a secret. It is matched only near the words that each such
// sentence contains, because matching a megabyte takes seconds.
type statement struct {
	words []string // in lower case
	form  *regexp.Regexp
}

func newStatement(words, form string) statement {
	return statement{strings.Fields(words), regexp.MustCompile(form)}
}

// The number of words to include before and after the matching word.
const (
	wordsBefore = 8
	wordsBehind = 36 // a phrase has 24
)

// findAll returns the matches in a text, like [regexp.Regexp.FindAllStringSubmatchIndex].
func (c statement) findAll(text string) [][]int {
	if strings.ContainsAny(text, "ſ\u212A") { // letters whose lower case is s and k
		return c.form.FindAllStringSubmatchIndex(text, -1)
	}
	var all [][]int
	for _, part := range c.parts(text) {
		for _, m := range c.form.FindAllStringSubmatchIndex(text[part[0]:part[1]], -1) {
			for i := range m {
				m[i] += part[0]
			}
			all = append(all, m)
		}
	}
	return all
}

// parts returns the bounds of the parts of a text that can contain a sentence around one of the words.
func (c statement) parts(text string) [][2]int {
	at := c.wordOffsets(text)
	if len(at) == 0 {
		return nil
	}
	var parts [][2]int
	begins := wordStarts(text)
	word := 0
	for _, place := range at {
		for word+1 < len(begins) && begins[word+1] <= place {
			word++
		}
		first, end := 0, len(text)
		if i := word - wordsBefore; i > 0 {
			first = begins[i]
		}
		if i := word + wordsBehind + 1; i < len(begins) {
			end = begins[i]
		}
		if n := len(parts); n > 0 && first <= parts[n-1][1] {
			parts[n-1][1] = end
			continue
		}
		parts = append(parts, [2]int{first, end})
	}
	return parts
}

// wordOffsets returns the sorted offsets of the words in a text.
func (c statement) wordOffsets(text string) []int {
	var at []int
	small := lowerASCII(text)
	for _, w := range c.words {
		for from := 0; ; {
			i := strings.Index(small[from:], w)
			if i < 0 {
				break
			}
			at = append(at, from+i)
			from += i + len(w)
		}
	}
	slices.Sort(at)
	return at
}

// wordStarts returns the offsets of the whitespace-separated words of a text.
func wordStarts(text string) []int {
	var begins []int
	blank := true
	for i := range len(text) {
		was := blank
		blank = strings.IndexByte(" \t\n\f\r", text[i]) >= 0
		if was && !blank {
			begins = append(begins, i)
		}
	}
	return begins
}

// lowerASCII converts ASCII letters to lower case, which keeps all offsets.
func lowerASCII(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return text
	}
	small := []byte(text)
	for i, b := range small {
		if 'A' <= b && b <= 'Z' {
			small[i] = b + 'a' - 'A'
		}
	}
	return string(small)
}
