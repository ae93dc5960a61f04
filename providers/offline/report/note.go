package report

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// noteLine is a note as recall prints it.
type noteLine struct {
	date, text, source, key string
	score                   float64
}

func (f noteLine) isDaily() bool { return strings.HasPrefix(f.source, "daily/") }

// foundLine matches a line that recall prints (package tools, noteaction.go).
var foundLine = pattern(`^\[(\d{4}-\d\d-\d\d|undated)\] (.*) \(([^()]*), key (\S+), score ([0-9.]+)\)$`)

func (r *result) notes() []noteLine {
	var list []noteLine
	for line := range strings.Lines(r.lastStep().Stdout) {
		if m := foundLine().FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			score, _ := strconv.ParseFloat(m[5], 64)
			list = append(list, noteLine{m[1], m[2], m[3], m[4], score})
		}
	}
	return list
}

// maxNotes is the maximum number of notes in an answer.
const maxNotes = 3

// recallReply reports the notes that match best.
func (r *result) recallReply() Reply {
	list := r.notes()
	if last := r.lastStep(); len(list) == 0 && last.Exit != 0 {
		return Reply{Text: r.say(i18n.HelperNoteCannotRecall(strings.TrimPrefix(essentialLines(last.Stdout, 2), "cannot look it up: ")))}
	}
	fact := ""
	if r.ask != nil {
		fact = r.ask.OwnFact()
	}
	if len(list) == 0 && fact == "" {
		return Reply{Text: r.say(i18n.HelperNoteNoNote)}
	}
	if r.str("query") == intent.Everything {
		return Reply{Text: r.say(i18n.HelperNoteNotes) + "\n" + strings.Join(noteList(list), "\n")}
	}
	if fact != "" {
		return r.ownFactReply(list, fact)
	}
	list = filter(list, func(f noteLine) bool { return r.mayAnswer(f) })
	if len(list) == 0 { // only what has little to do with the question
		return Reply{Text: r.say(i18n.HelperNoteNoNote)}
	}
	best := bestNotes(list)
	if stored, _ := splitDaily(best); len(stored) > 0 && !slices.ContainsFunc(best, func(f noteLine) bool { return isAnsweredBy(r.ask, f) }) {
		return Reply{Text: r.say(i18n.HelperNoteNearNotes) + "\n" + strings.Join(noteList(best), "\n")}
	}
	if len(best) == 1 || best[0].isDaily() { // a record is no note
		return Reply{Text: r.note(best[0])}
	}
	return Reply{Text: r.say(i18n.HelperNoteNotes) + "\n" + strings.Join(noteList(best), "\n")}
}

// weakScore is the score of notes below which they only share a word with a question.
const weakScore = 0.05

// pastWork matches a question for what was done earlier. Only such a question is answered by daily files: their lines
// are records of requests and answers, not notes.
var pastWork = pattern(`(?i)\bfix(?:ed)?\b|\bsolved?\b|\bhow\b|\bdid (?:i|we|you) do\b|고[쳐쳤]|해결|어떻게|怎么` +
	`|解决|修`)

// mayAnswer reports whether a note has enough to do with the request to be shown.
func (r *result) mayAnswer(f noteLine) bool {
	if !f.isDaily() {
		return f.score >= weakScore || isAnsweredBy(r.ask, f)
	}
	return r.ask != nil && pastWork().MatchString(r.ask.Raw()) && (f.score >= clearScore || isAnsweredBy(r.ask, f))
}

// ownFactReply reports the latest note that says the fact about the person that was asked for. One in the language of
// the question comes before all others.
func (r *result) ownFactReply(list []noteLine, fact string) Reply {
	asked, _ := intent.Language(r.ask.Raw())
	best, order := noteLine{}, ""
	for _, f := range list {
		key := f.date
		if lang, _ := intent.Language(f.text); lang == asked {
			key = "in the language of the question " + key
		}
		if !f.isDaily() && key > order && intent.AnswersOwnFact(fact, f.text) {
			best, order = f, key
		}
	}
	if order != "" {
		return Reply{Text: r.note(best)}
	}
	none := Reply{Text: r.say(i18n.HelperNoteNoNote)}
	query := r.input["query"]
	next := intent.RecallOwnFact(fact, "我") // notes in other languages may have other words
	if next.Input["query"] == query {
		next = intent.RecallOwnFact(fact, "i")
	}
	if query == intent.RecallOwnFact(fact, r.ask.Raw()).Input["query"] && query != next.Input["query"] {
		none.Next = []intent.Step{next}
	}
	return none
}

// clearScore is the minimum score of a note that answers a question which did not ask for notes.
const clearScore = 0.32

// maxAnswers bounds the notes that answer a question together.
const maxAnswers = 3

// AnswerFromNote returns the notes of a recall that clearly answer the question, the latest first: stored on purpose, with a
// sufficient score, and covering everything the question is about.
func (c Case) AnswerFromNote() (text string, clear bool) {
	for _, one := range c.Results {
		if one.Tool != "recall" {
			continue
		}
		r := c.result(one)
		found := filter(r.notes(), func(note noteLine) bool {
			return !note.isDaily() && note.score >= clearScore && isAnsweredBy(c.Request, note)
		})
		sorting.Stably(found, func(a, b noteLine) int { return strings.Compare(b.date, a.date) })
		var lines []string
		for _, note := range found[:min(len(found), maxAnswers)] {
			lines = append(lines, r.note(note))
		}
		if lines != nil {
			return strings.Join(lines, "\n"), true
		}
	}
	return "", false
}

// isAnsweredBy reports whether a note covers everything that a question is about: my name does not answer what my
// sister's name is. Words in another script than the note's are judged by the score only.
func isAnsweredBy(ask *intent.Reading, note noteLine) bool {
	if ask == nil {
		return true
	}
	if kind := ask.OwnFact(); kind != "" {
		return intent.AnswersOwnFact(kind, note.text)
	}
	text, words := strings.ToLower(note.text), ask.SubjectWords()
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !mentionsWord(text, w) })
}

// mentionsWord reports whether a text contains a word with any ending.
func mentionsWord(text, word string) bool {
	rs := []rune(word)
	for _, same := range sameWords {
		if slices.Contains(same, word) && slices.ContainsFunc(same, func(w string) bool { return strings.Contains(text, w) }) {
			return true
		}
	}
	switch {
	case strings.Contains(text, word), slices.Contains(figureWords, word) && strings.ContainsAny(text, "0123456789"):
		return true
	case unicode.Is(unicode.Han, rs[0]):
		return hasChineseChars(text, rs)
	case unicode.Is(unicode.Hangul, rs[0]):
		return strings.Contains(text, string(rs[:min(len(rs), 2)])) || verbEndings().MatchString(word) && hasKoreanStem(text, rs[0])
	case !strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' }), strings.ContainsFunc(text, isEastAsian):
		return true
	case len(rs) > 4:
		return strings.Contains(text, string(rs[:len(rs)-2])) // liked, likes, living
	case len(rs) > 3:
		return strings.Contains(text, string(rs[:len(rs)-1]))
	}
	return false
}

// sameWords are synonyms: one in a question matches another in a note.
var sameWords = [][]string{
	{"생일", "생신"},
	{"이름", "성함"},
	{"나이", "연세"},
	{"엄마", "어머니"},
	{"아빠", "아버지"},
	{"할머니", "할매"},
	{"전화번호", "번호", "연락처"},
	{"mother", "mom", "mum"},
	{"father", "dad"},
	{"phone", "number"},
	{"妈妈", "母亲"},
	{"爸爸", "父亲"},
	{"电话", "号码"},
}

// figureWords ask for something that a note gives as figures without its name.
var figureWords = []string{"address", "number", "주소", "번호", "地址", "号码"}

// isEastAsian reports whether a letter is Korean or Chinese.
func isEastAsian(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hangul) }

// chineseQuestionChars are the characters of a Chinese question that say nothing about its subject.
const chineseQuestionChars = "我你您的是了吗嗎呢吧么麼什甚谁誰哪几幾多少名字里裡在着著个個想知道请請问問还還记得記告诉訴岁歲号號"

// hasChineseChars reports whether a text contains all characters of a question's subject.
func hasChineseChars(text string, question []rune) bool {
	return !slices.ContainsFunc(question, func(r rune) bool {
		return unicode.Is(unicode.Han, r) && !strings.ContainsRune(chineseQuestionChars, r) && !strings.ContainsRune(text, r)
	})
}

// verbEndings matches a Korean verb with a question ending.
var verbEndings = pattern(`^\p{Hangul}{1,3}(는지|니|냐|지|나요|아|어|요)$`)

// hasKoreanStem reports whether a word of a text begins with a syllable that differs only in its final consonant:
// 사는 and 살아.
func hasKoreanStem(text string, first rune) bool {
	if first < '가' || first > '힣' {
		return false
	}
	open := (first - '가') / 28
	return slices.ContainsFunc(strings.Fields(text), func(w string) bool {
		r, _ := utf8.DecodeRuneInString(w)
		return r >= '가' && r <= '힣' && (r-'가')/28 == open && len([]rune(w)) <= 3
	})
}

func (r *result) note(f noteLine) string {
	switch {
	case f.date == "undated":
		return r.say(i18n.HelperNoteUndatedNote(f.text))
	case f.isDaily():
		return r.say(i18n.HelperNoteDoneThen(f.text, f.date))
	}
	return r.say(i18n.HelperNoteOneNote(f.text, f.date))
}

// bestNotes returns the notes that match nearly as well as the best. If the best was stored on purpose, it skips the
// lines of daily files, which only repeat the request.
func bestNotes(list []noteLine) []noteLine {
	best := filter(list, func(f noteLine) bool {
		return f.score >= list[0].score/2 && (!f.isDaily() || list[0].isDaily())
	})
	return best[:min(maxNotes, len(best))]
}

func noteList(list []noteLine) []string {
	return each(list, func(f noteLine) string { return "- " + f.text + " (" + f.date + ")" })
}

func (r *result) rememberReply() Reply {
	last := r.lastStep()
	switch {
	case last.Exit != 0:
		return Reply{Text: r.say(i18n.HelperNoteNotKept(strings.TrimPrefix(essentialLines(last.Stdout, 2), "not done: ")))}
	case strings.HasPrefix(last.Stdout, "it was remembered already"):
		return Reply{Text: r.say(i18n.HelperNoteKeptAlready)}
	}
	return Reply{Text: r.say(i18n.HelperNoteKept)}
}

func (r *result) forgetReply() Reply {
	if last := r.lastStep(); last.Exit != 0 {
		return Reply{Text: r.failureText(last)}
	}
	return Reply{Text: r.say(i18n.HelperNoteGone)}
}

// forget finds the one note that the request means and has it removed, which asks for approval. It never
// chooses between two.
func (q *inquiry) forget() Reply {
	r := q.resultOf(q.first)
	if r == nil || r.out == nil || r.out.Refusal != "" || len(r.steps) == 0 || r.lastStep().Exit != 0 {
		return q.firstReply()
	}
	stored, days := splitDaily(r.notes())
	about := r.str("query")
	clear := matchNotes(stored, about)
	switch {
	case len(stored) == 0 && len(days) > 0:
		stored, clear, days = days, matchNotes(days, about), nil
	case len(stored) == 0:
		return Reply{Text: q.say(i18n.HelperNoteNoNote)}
	}
	if len(clear) != 1 {
		head := i18n.HelperNoteWhichNote
		if stored[0].isDaily() {
			head = i18n.HelperNoteOnlyDays(editCommands(stored))
		}
		return Reply{Text: q.say(head) + "\n" + strings.Join(noteList(stored[:min(len(stored), maxNotes+2)]), "\n")}
	}
	step := intent.Call("forget", "key", clear[0].key)
	if !q.collect(step) {
		return Reply{}
	}
	done := q.resultOf(step)
	if done == nil {
		return Reply{Text: r.note(clear[0])}
	}
	rep := done.compose()
	left := slices.DeleteFunc(matchNotes(days, about), func(f noteLine) bool { return strings.Contains(f.text, clear[0].text) })
	if len(left) > 0 && done.out != nil && done.out.Refusal == "" && done.lastStep().Exit == 0 {
		rep.Text += " " + q.say(i18n.HelperNoteGoneDays(len(left), editCommands(left)))
	}
	return rep
}

// editCommands returns the commands that open the files containing the notes.
func editCommands(list []noteLine) string {
	var commands []string
	for _, f := range list {
		command := "blunux-ai memory edit " + strings.TrimSuffix(strings.TrimPrefix(f.source, "daily/"), ".md")
		if !slices.Contains(commands, command) && len(commands) < maxNotes {
			commands = append(commands, command)
		}
	}
	return strings.Join(commands, ", ")
}

// firstReply returns the answer if the first step itself failed.
func (q *inquiry) firstReply() Reply {
	if r := q.resultOf(q.first); r != nil {
		return r.compose()
	}
	return Reply{Text: q.say(i18n.HelperResultNoOutput)}
}

// splitDaily separates notes that were stored on purpose from lines of daily files.
func splitDaily(list []noteLine) (stored, days []noteLine) {
	return filter(list, func(f noteLine) bool { return !f.isDaily() }), filter(list, noteLine.isDaily)
}

// matchNotes returns the notes that the request clearly means: those with exactly this text, or else all that contain
// every word of it.
func matchNotes(list []noteLine, about string) []noteLine {
	exact := filter(list, func(f noteLine) bool { return strings.EqualFold(f.text, about) || f.key == about })
	words := strings.Fields(strings.ToLower(about))
	if len(exact) > 0 || len(words) == 0 {
		return exact
	}
	return filter(list, func(f noteLine) bool {
		text := strings.ToLower(f.text + " " + strings.ReplaceAll(f.key, "-", " "))
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
}
