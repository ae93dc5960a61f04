package intent

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"github.com/nidoit/blunux-ai/internal/names"
)

type script uint8

const (
	latin script = iota
	hangul
	han
)

// word is a run of one script between blanks: "docker가" is two words, the second attached to the first.
type word struct {
	text      string // lower case, Korean spelling corrected
	raw       string // as typed
	script    script
	attached  bool // no blank before it
	corrected bool // text is a correction of raw
	clause    int  // number of punctuation marks before it
	start     int  // rune range in utterance.flat
	end       int
}

// utterance is one request in the forms that matching needs. Korean and Chinese are matched in flat, the words
// without blanks, because their spacing varies. Latin is matched word by word.
type utterance struct {
	raw      string // without the piped data
	data     string // the piped data, never used to choose an intent
	words    []word
	flat     []rune
	wordAt   []int // flat index → index of its word
	question bool  // contains a question mark
	lang     string
}

const maxUtterance = 4096 // maximum length in runes; the rest is ignored

// newUtterance splits text into request and piped data and prepares the request for matching.
func newUtterance(text string) *utterance {
	u := &utterance{}
	u.raw, u.data = SplitData(text)
	clean := []rune(width.Fold.String(norm.NFC.String(u.raw)))
	if len(clean) > maxUtterance {
		clean = clean[:maxUtterance]
	}
	u.lang = detectLang(string(clean))
	if u.lang == "zh" {
		clean = []rune(simplified(string(clean)))
	}
	u.split(clean)
	u.flatten()
	return u
}

// SplitData separates the fenced section of piped input from a request. The agent appends it after a blank line, from a
// line that starts with "<data " to the line that starts with "</data". Its content is evidence, never a request.
func SplitData(text string) (request, data string) {
	at := 0
	for {
		i := strings.Index(text[at:], "<data ")
		if i < 0 {
			return strings.TrimSpace(text), ""
		}
		at += i
		if at == 0 || text[at-1] == '\n' {
			break
		}
		at++
	}
	body := text[at:]
	if nl := strings.IndexByte(body, '\n'); nl >= 0 {
		body = body[nl+1:]
	} else {
		body = ""
	}
	// The closing marker is random, so the last one is the agent's: a forged "</data" inside the input cannot
	// end the section early.
	if end := strings.LastIndex(body, "</data"); end >= 0 {
		body = body[:end]
	}
	return strings.TrimSpace(text[:at]), strings.Trim(body, "\n")
}

// Language returns the language of a request, or "" and false if it has no letters. Piped text does not count.
func Language(text string) (lang string, ok bool) {
	request, _ := SplitData(text)
	lang = detectLang(request)
	if lang == "en" && !strings.ContainsAny(strings.ToLower(request), "abcdefghijklmnopqrstuvwxyz") {
		return "", false
	}
	return lang, true
}

// detectLang returns the language of a request: Korean if it contains Hangul, else Chinese if it contains Han,
// else English.
func detectLang(s string) string {
	hans := false
	for _, r := range s {
		switch {
		case isHangul(r) || isJamo(r):
			return "ko"
		case isHan(r):
			hans = true
		}
	}
	if hans {
		return "zh"
	}
	return "en"
}

func scriptOf(r rune) (script, bool) {
	switch {
	case isHangul(r):
		return hangul, true
	case isHan(r):
		return han, true
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return latin, true
	}
	return 0, false
}

// isWordJoiner reports whether a character belongs to the Latin word around it: names, paths, units and flags.
func isWordJoiner(r rune) bool { return strings.ContainsRune("-_.+@/~:%#'’=", r) }

func (u *utterance) split(s []rune) {
	clause, glued := 0, false
	for i := 0; i < len(s); {
		r := s[i]
		sc, ok := scriptOf(r)
		if !ok && (r == '/' || r == '~' || r == '.' || r == '-') && i+1 < len(s) && startsPath(s[i+1]) && !glued {
			sc, ok = latin, true
		}
		if !ok {
			u.question = u.question || r == '?'
			if strings.ContainsRune(",.;!?\n:()", r) || r == '。' || r == '，' || r == '、' {
				clause++
			}
			glued = false
			if r == 'ㄱ' && i+1 < len(s) && s[i+1] == 'ㄱ' {
				u.addWord("해줘", hangul, true, clause)
			}
			i++
			continue
		}
		j := i + 1
		for j < len(s) && continuesWord(s, j, sc) {
			j++
		}
		raw := strings.TrimRight(string(s[i:j]), ".,:;!?'’-=")
		u.addWord(raw, sc, glued, clause)
		glued = true
		if len([]rune(raw)) < j-i {
			glued = false
			if strings.ContainsAny(string(s[i:j])[len(raw):], ".,:;!?") {
				clause++
			}
		}
		i = j
	}
}

func startsPath(r rune) bool {
	return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/.-~_", r))
}

func continuesWord(s []rune, j int, sc script) bool {
	if other, ok := scriptOf(s[j]); ok {
		return other == sc
	}
	return sc == latin && isWordJoiner(s[j])
}

func (u *utterance) addWord(raw string, sc script, glued bool, clause int) {
	if raw == "" {
		return
	}
	text := strings.ToLower(raw)
	if sc == hangul {
		text = string(fixSlips([]rune(text)))
	}
	u.words = append(u.words, word{text: text, raw: raw, script: sc, attached: glued, clause: clause})
}

// flatten rebuilds flat and wordAt from the words.
func (u *utterance) flatten() {
	u.flat, u.wordAt = u.flat[:0], u.wordAt[:0]
	for i := range u.words {
		w := &u.words[i]
		w.start = len(u.flat)
		u.flat = append(u.flat, []rune(w.text)...)
		w.end = len(u.flat)
		for range w.end - w.start {
			u.wordAt = append(u.wordAt, i)
		}
	}
}

// startsWord reports whether flat position i begins a word.
func (u *utterance) startsWord(i int) bool { return i < len(u.flat) && u.words[u.wordAt[i]].start == i }

// clauseEnd returns the flat index where the clause of position i ends.
func (u *utterance) clauseEnd(i int) int {
	if i >= len(u.flat) {
		return len(u.flat)
	}
	for w := u.wordAt[i]; w < len(u.words); w++ {
		if u.words[w].clause != u.words[u.wordAt[i]].clause {
			return u.words[w].start
		}
	}
	return len(u.flat)
}

// clauseStart returns the flat index where the clause of position i begins.
func (u *utterance) clauseStart(i int) int {
	for w := u.wordAt[i]; w > 0; w-- {
		if u.words[w-1].clause != u.words[u.wordAt[i]].clause {
			return u.words[w].start
		}
	}
	return 0
}

// foldWord folds a Latin word to the form of the word lists: without apostrophes and inner hyphens.
func foldWord(s string) string {
	if !strings.ContainsAny(s, "'’-") {
		return s
	}
	return strings.NewReplacer("'", "", "’", "", "-", "").Replace(s)
}

// simplified converts Chinese text to the simplified form used in the data files.
func simplified(s string) string { return names.Simplified(s) }
