// Package i18n contains the texts for users in Korean, English and Chinese, and the language rules: choice of the
// language, Korean particles, English plurals, yes and no.
//
// The texts are rows of catalogue/*.toml. "make catalogue" makes messages.go from them: a variable for each text
// without arguments and a function for each text with arguments, so the compiler reports a missing text, language
// or argument. Packages below the daemon return reason codes; the daemon and its clients translate them here.
package i18n

import (
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Lang is a supported language.
type Lang string

// The languages.
const (
	Korean  Lang = "ko"
	English Lang = "en"
	Chinese Lang = "zh"
	// Traditional is Chinese in traditional characters. Its texts are made from the Chinese ones.
	Traditional Lang = "zh-Hant"
)

// Languages are all languages that a text has.
var Languages = []Lang{Korean, English, Chinese, Traditional}

// Text is a text in all languages, with its arguments. Texts without arguments can be compared.
type Text struct {
	row  string
	args *[]any
}

// A row of the catalogue is one string, which takes the least space: its texts in the order Korean, English, Chinese,
// with a zero byte between them. They can contain arguments {0}, quoted arguments {0q}, English forms {0|line|lines}
// that depend on an argument, and Korean particles {을/를} that depend on the text before them. {{ is a brace.
const verbatim = "{0}\x00{0}\x00{0}"

// Verbatim returns a text that is the same in all languages.
func Verbatim(words string) Text { return Text{verbatim, &[]any{words}} }

// CauseOf returns the [Cause] of an error as a text.
func CauseOf(err error) Text { return Text{verbatim, &[]any{err}} }

// Codes are texts by code: the rows of a table of the catalogue. They are made on first use.
type Codes func() map[string]Text

// In returns the text of a code in a language. An unknown code is returned unchanged.
func (c Codes) In(code string, lang Lang) string { return c.Text(code).In(lang) }

// Text returns the text of a code, or the code.
func (c Codes) Text(code string) Text { return c.orElse(code, Verbatim(code)) }

// fill returns the text of a code with its arguments, or code and arguments if the code is unknown.
func (c Codes) fill(lang Lang, code string, args ...any) string {
	text, ok := c()[code]
	if !ok {
		return strings.TrimSpace(code + " " + fmt.Sprintln(args...))
	}
	return Text{text.row, &args}.In(lang)
}

func (c Codes) orElse(code string, other Text) Text {
	if text, ok := c()[code]; ok {
		return text
	}
	return other
}

// IsZero reports whether there is no text.
func (x Text) IsZero() bool { return x == Text{} }

// In returns the text in a language, or in English for an unknown language.
func (x Text) In(lang Lang) string {
	if x.args == nil {
		return fill(x.row, lang, nil)
	}
	return fill(x.row, lang, *x.args)
}

func pattern(row string, lang Lang) string {
	ko, rest, _ := strings.Cut(row, "\x00")
	en, zh, _ := strings.Cut(rest, "\x00")
	switch lang {
	case Korean:
		return ko
	case Chinese:
		return zh
	case Traditional:
		return traditional(zh)
	}
	return en
}

// fill replaces the arguments, forms and particles of a text.
func fill(row string, lang Lang, args []any) string {
	pattern := pattern(row, lang)
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		return pattern
	}
	var b strings.Builder
	for ; open >= 0; open = strings.IndexByte(pattern, '{') {
		b.WriteString(pattern[:open])
		pattern = pattern[open+1:]
		inner, rest, _ := strings.Cut(pattern, "}")
		switch number, forms, plural := strings.Cut(inner, "|"); {
		case strings.HasPrefix(pattern, "{"):
			b.WriteByte('{')
			rest = pattern[1:]
		case plural:
			one, many, _ := strings.Cut(forms, "|")
			if isOne(argument(args, number, lang)) {
				many = one
			}
			b.WriteString(many)
		case inner != "" && inner[0] >= '0' && inner[0] <= '9':
			b.WriteString(argument(args, number, lang))
		default:
			closed, open, _ := strings.Cut(inner, "/")
			b.WriteString(chooseParticle(b.String(), closed, open))
		}
		pattern = rest
	}
	b.WriteString(pattern)
	return b.String()
}

// argument returns an argument in a language. An error is replaced by its [Cause].
func argument(args []any, number string, lang Lang) string {
	number, quoted := strings.CutSuffix(number, "q")
	i, err := strconv.Atoi(number)
	if err != nil || i >= len(args) {
		return "?"
	}
	var text string
	switch arg := args[i].(type) {
	case string:
		text = arg
	case error:
		text = Cause(arg, lang)
	case Text:
		text = arg.In(lang)
	default:
		text = fmt.Sprint(arg)
	}
	if quoted {
		return strconv.Quote(text)
	}
	return text
}

// isOne reports whether a number takes the singular. Of a longer text, its first word counts.
func isOne(number string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(number), " ")
	return first == "1"
}

// octal formats permissions like ls and chmod: 0644.
func octal(mode fs.FileMode) string { return fmt.Sprintf("%04o", mode.Perm()) }

// Failure is an error with a translated text.
type Failure struct {
	Text
	err error // the cause, or nil
}

// WithCause returns an error with this text and the given cause, which can be nil. The text has to include what
// users should know of the cause.
func (x Text) WithCause(because error) error { return &Failure{x, because} }

// Error returns the English text, for logs.
func (f *Failure) Error() string { return f.In(English) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.err }

// ErrorText returns an error's translated text if it has one, else its [Cause].
func ErrorText(err error, lang Lang) string { return Cause(err, lang) }

// traditional converts a text of the catalogue to traditional characters.
func traditional(text string) string { return traditionalForms().Replace(text) }

// script converts a Chinese text to the characters of the language.
func (l Lang) script(text string) string {
	if l == Traditional {
		return traditional(text)
	}
	return text
}

// traditionalForms is made on first use, because most runs need no traditional characters.
var traditionalForms = sync.OnceValue(func() *strings.Replacer {
	pairs := strings.Fields(traditionalWords) // words before their characters: the first match counts
	forms := traditionalChars
	for _, from := range simplifiedChars {
		to, size := utf8.DecodeRuneInString(forms)
		forms = forms[size:]
		pairs = append(pairs, string(from), string(to))
	}
	return strings.NewReplacer(pairs...)
})

// isTraditional reports whether a Chinese text is written in traditional characters: it contains one and none that
// only simplified texts contain.
func isTraditional(text string) bool {
	found := false
	for _, r := range text {
		if strings.ContainsRune(simplifiedChars, r) {
			return false
		}
		found = found || strings.ContainsRune(traditionalChars, r)
	}
	return found
}

// Column returns the width of a column of names in terminal cells: that of the widest name in a language, but
// at least least.
func Column(lang Lang, least int, names ...Text) int {
	for _, name := range names {
		least = max(least, displaywidth.String(name.In(lang)))
	}
	return least
}

// OverviewNames are the row names of `blunux-ai doctor --brief`.
var OverviewNames = []Text{
	StatusProvider, OverviewNotes, OverviewService, OverviewSocket, StatusAutomations, StatusBridges, StatusTasks, StatusApprovals, StatusNotifications,
	StatusConfig, StatusLanguage, StatusFiles, StatusProblem,
}

// chooseParticle returns the form of a particle, such as 을 or 를, for the final sound of the text before it. 로 also
// follows a final ㄹ. Latin letters and digits are read as in Korean (vim이, chrome을, docker를, 3을, 2를). Closing
// quotes, and brackets with their content, are skipped.
func chooseParticle(before, closed, open string) string {
	if sound := soundOf(before); sound == vowel || sound == rieul && closed == "으로" {
		return open
	}
	return closed
}

// sound is the final sound of a text, as far as it matters for particles.
type sound int

const (
	vowel sound = iota
	consonant
	rieul // ㄹ: a consonant, but takes 로
)

// soundOf returns the final sound of a text read aloud in Korean.
func soundOf(s string) sound {
	if open := strings.LastIndexByte(s, '('); open > 0 && strings.HasSuffix(s, ")") {
		s = s[:open]
	}
	s = strings.TrimRight(s, "`'\")]} *”’")
	if at := clockEnd.FindStringSubmatch(s); at != nil {
		return soundOfClock(at[1], at[2])
	}
	if dateEnd.MatchString(s) {
		return rieul // 일
	}
	rs := []rune(s)
	if len(rs) == 0 {
		return vowel
	}
	switch r := rs[len(rs)-1]; {
	case r >= '가' && r <= '힣':
		return soundOfSyllable(r)
	case r >= '0' && r <= '9':
		return soundOfDigit(r)
	case isLatin(r):
		return soundOfLatin(lastWord(rs))
	}
	return vowel
}

var (
	clockEnd = regexp.MustCompile(`(?:^|[^\d.:])\d{1,2}:(\d\d)(?::(\d\d))?$`)
	dateEnd  = regexp.MustCompile(`(?:^|\D)(?:\d{4}-)?\d{1,2}[-/]\d{1,2}$`)
)

// soundOfClock reads a time of day: 두 시 오십팔 분, 세 시, 두 시 삼 분 이십 초.
func soundOfClock(minute, second string) sound {
	if second != "" && second != "00" {
		return vowel // 초
	}
	if minute == "00" {
		return vowel // 시
	}
	return consonant // 분
}

// soundOfSyllable returns the final of a precomposed syllable (Unicode 3.12, "Conjoining Jamo Behavior": 28
// finals, the 8th is ㄹ).
func soundOfSyllable(r rune) sound {
	switch (r - '가') % 28 {
	case 0:
		return vowel
	case 8:
		return rieul
	}
	return consonant
}

// soundOfDigit reads 영 일 이 삼 사 오 육 칠 팔 구; round numbers end in 십, 백, 천, 만.
func soundOfDigit(r rune) sound {
	switch r {
	case '1', '7', '8':
		return rieul
	case '0', '3', '6':
		return consonant
	}
	return vowel
}

func isLatin(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// lastWord returns the Latin letters and digits at the end.
func lastWord(rs []rune) string {
	i := len(rs)
	for i > 0 && (isLatin(rs[i-1]) || '0' <= rs[i-1] && rs[i-1] <= '9') {
		i--
	}
	return string(rs[i:])
}

// sizeUnits are read as full words: 메가, 기비바이트.
const sizeUnits = " B KB MB GB TB KiB MiB GiB TiB Ki Mi Gi Ti K M G T "

// soundOfLatin guesses the final sound of an English word in Korean: 크롬, 구글, 깃 end in a consonant, 도커, 파이어폭스,
// 디스코드 in a vowel. Abbreviations are read letter by letter, units by their name (15G is 15기가).
func soundOfLatin(w string) sound {
	if strings.Contains(sizeUnits, " "+strings.TrimLeft(w, "0123456789")+" ") {
		return vowel
	}
	low := strings.ToLower(w)
	last := low[len(low)-1]
	if len(low) == 1 || !strings.ContainsAny(low, "aeiouy") || w == strings.ToUpper(w) {
		return soundOfLetter(last)
	}
	before := low[len(low)-2]
	switch {
	case strings.HasSuffix(low, "le") || last == 'l':
		return rieul
	case strings.HasSuffix(low, "me"), strings.HasSuffix(low, "ne"), strings.HasSuffix(low, "ng"), strings.HasSuffix(low, "ck"), last == 'm', last == 'n':
		return consonant
	case strings.IndexByte("ptkcb", last) >= 0 && strings.IndexByte("aeiou", before) >= 0:
		return consonant
	}
	return vowel
}

// soundOfLetter reads a letter's name: 엘, 알 end in ㄹ, 엠, 엔 in a consonant.
func soundOfLetter(c byte) sound {
	switch c {
	case 'l', 'r':
		return rieul
	case 'm', 'n':
		return consonant
	}
	return vowel
}
