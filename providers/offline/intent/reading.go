package intent

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Reading is an utterance with all its matches in the lexicon.
type Reading struct {
	u             *utterance
	lex           *Lexicon
	concepts      []hit
	names         []hit
	topics        []hit
	excludedNames []hit // names to leave out: "vlc 말고"
	acts          []act
	has           map[string]bool // concept ids and the features that deriveFeatures adds
	covered       []bool          // flat positions covered by a match
	typo          bool            // a misspelling was corrected
	whole         bool            // do not split into parts: it is one
}

// read looks an utterance up in the lexicon, corrects misspellings, and looks it up again if there were any.
func (l *Lexicon) read(u *utterance) *Reading {
	r := &Reading{u: u, lex: l}
	r.lookup()
	if l.correct(u, r.isCovered) {
		r.typo = true
		r.lookup()
	}
	r.deriveFeatures()
	return r
}

func (r *Reading) lookup() {
	u, l := r.u, r.lex
	ends := map[int]bool{}
	boundary := func(i int) bool { return u.startsWord(i) || ends[i] }
	r.acts = l.allActs(u, u.startsWord)
	r.names = l.match(u, layerName, nil, nil)
	r.names = slices.DeleteFunc(r.names, func(h hit) bool {
		if w := u.words[u.wordAt[h.start]]; w.script == latin && w.end == h.end && wordsOf("function")[foldWord(w.text)] {
			return true // the word "at" never means the package
		}
		return isHangul(u.flat[h.start]) && !u.startsWord(h.start) && h.end-h.start < 4
	})
	r.excludedNames = r.excludedNames[:0]
	r.names = slices.DeleteFunc(r.names, func(h hit) bool {
		if !r.isExcluded(h) {
			return false
		}
		r.excludedNames = append(r.excludedNames, h)
		return true
	})
	if len(r.names) == 0 && !slices.ContainsFunc(r.acts, func(a act) bool { return a.form == formDo }) {
		r.names, r.excludedNames = append(r.names, r.excludedNames...), r.excludedNames[:0] // "leave cups alone, show its log"
	}
	r.names = slices.CompactFunc(r.names, func(a, b hit) bool { return a.start == b.start })
	markEnds(u, r.names, ends)
	r.topics = l.match(u, layerTopic, boundary, nil)
	markEnds(u, r.topics, ends)
	r.concepts = l.match(u, layerConcept, boundary, ends)
	r.acts = l.allActs(u, boundary)
	r.acts = slices.DeleteFunc(r.acts, r.isIdle)
	r.veto()
	sorting.Stably(r.acts, func(a, b act) int { return a.start - b.start })
	r.concepts = slices.DeleteFunc(r.concepts, func(h hit) bool { return r.isInsideName(h) || r.isExcluded(h) })
	r.cover()
}

// isIdle reports whether an act is only a weak verb with no object. Weak verbs have many meanings; they are
// orders to a service only if the request names one.
func (r *Reading) isIdle(a act) bool {
	return wordsOf("weak-verbs")[actText(r.u, a)] && a.form == formDo && len(r.names) == 0 && len(r.objectWords(a)) == 0
}

// markEnds marks the end of each hit as a boundary, with and without a particle: particles can come between a
// Korean noun and the text attached to it.

func markEnds(u *utterance, hits []hit, ends map[int]bool) {
	for _, h := range hits {
		ends[h.end] = true
		for _, p := range wordList("particles") {
			if r := []rune(p); hasPrefixAt(u.flat, h.end, r) {
				ends[h.end+len(r)] = true
			}
		}
	}
}

// isExcluded reports whether a thing is named only to exclude it: "vlc 말고 mpv", 스팀은 놔두고, "everything except
// steam", "keep vlc".
func (r *Reading) isExcluded(h hit) bool {
	rest := string(r.u.flat[h.end:min(len(r.u.flat), h.end+8)])
	for _, p := range []string{"은", "는", "이", "가", "을", "를"} {
		rest = strings.TrimPrefix(rest, p)
	}
	if hasAnyPrefix(rest, "말고", "아니라", "빼고", "아니고", "놔두", "냅두", "내버려", "두고", "남기고", "남겨두", "그대로", "이미있", "이미깔", "됐고", "제외", "건드리지", "빼놓고") {
		return true
	}
	if wordsOf("instruments")[string(r.u.flat[h.start:h.end])] && (hasAnyPrefix(string(r.u.flat[h.end:]), "으로", "로") || h.start > 0 && r.u.flat[h.start-1] == '用') {
		return true
	}
	if i := r.u.wordAt[h.start]; i > 0 && r.u.words[r.u.wordAt[h.start]].script == latin {
		switch before := foldWord(r.u.words[i-1].text); before {
		case "except", "besides", "keep", "leave", "spare", "not":
			return true
		case "with", "using", "via", "through", "in":
			return wordsOf("instruments")[string(r.u.flat[h.start:h.end])]
		}
	}
	return false
}

// isInsideName reports whether a concept is only part of a program's name (the "code" of "visual studio code").
func (r *Reading) isInsideName(h hit) bool {
	return slices.ContainsFunc(r.names, func(n hit) bool {
		return h.start >= n.start && h.end <= n.end && h.end-h.start < n.end-n.start && !r.isAmbiguous(n)
	})
}

// isAmbiguous reports whether a name is also an ordinary English word.
func (r *Reading) isAmbiguous(h hit) bool {
	w := r.u.words[r.u.wordAt[h.start]]
	return w.script == latin && w.end == h.end && (r.lex.commonWords[foldWord(w.text)] || wordsOf("function")[foldWord(w.text)])
}

func (r *Reading) isCovered(start, end int) bool {
	end = min(end, len(r.covered))
	return start < end && slices.Contains(r.covered[start:end], true)
}

// cover marks the flat positions that the lexicon understands.
func (r *Reading) cover() {
	r.covered = make([]bool, len(r.u.flat))
	mark := func(from, to int) {
		for i := from; i < to && i < len(r.covered); i++ {
			r.covered[i] = true
		}
	}
	for _, h := range slices.Concat(r.concepts, r.names, r.topics, r.excludedNames) {
		mark(h.start, h.end)
	}
	for _, a := range r.acts {
		mark(a.start, a.tail)
	}
}

// coverage returns the share of content words that were understood, 0 to 1. It distinguishes "disk full?" from
// a sentence that happens to contain "disk".
func (r *Reading) coverage() float64 {
	known, total := 0.0, 0.0
	for _, w := range r.u.words {
		if r.isFiller(w) {
			continue
		}
		weight := r.weight(w)
		total += weight
		if r.isCovered(w.start, w.end) || w.script == latin && strings.ContainsAny(w.text, "/0123456789") {
			known += weight
		}
	}
	if total == 0 {
		return 0
	}
	return known / total
}

// weight returns how much a word counts. Ordinary words and short Korean ones that are not understood count half.
func (r *Reading) weight(w word) float64 {
	switch {
	case r.isCovered(w.start, w.end):
		return 1
	case w.script == latin && r.lex.commonWords[foldWord(w.text)], w.script == hangul && w.end-w.start <= 2:
		return 0.5
	}
	return 1
}

// isFiller reports whether a word has no content.
func (r *Reading) isFiller(w word) bool {
	if w.script == latin {
		return wordsOf("function")[foldWord(w.text)] && !r.isCovered(w.start, w.end)
	}
	return w.attached && w.end-w.start <= 2 && !r.isCovered(w.start, w.end)
}

// deriveFeatures adds features derived from combinations of concepts, under names that begin with "@".
func (r *Reading) deriveFeatures() {
	r.has = map[string]bool{}
	for _, h := range r.concepts {
		r.has[h.id] = true
	}
	for _, a := range r.acts {
		r.has["@"+a.verb] = true
		r.has["@"+a.verb+":"+a.form.String()] = true
		if a.form == formDo {
			r.has["@do"] = true
		}
	}
	for _, h := range r.names {
		if r.isAmbiguous(h) && !r.isNameExpected(h) {
			continue
		}
		r.has["@name"] = true
		r.has["@"+h.name.Kind] = true
		if h.name.Service != "" {
			r.has["@service"] = true
		}
	}
	if len(r.topics) > 0 {
		r.has["@topic"] = true
	}
	r.has["@forget"] = !r.hasAny("@install", "@run") && r.noteToForget() != ""
	content := len(filter(r.u.words, func(w word) bool { return !r.isFiller(w) }))
	r.has["@short"] = content <= 3
	r.has["@terse"] = content <= 1 || len(r.u.flat) <= 4
	r.has["@question"] = r.u.question
	if r.mentionsPercent() {
		r.has["amount"] = true
	}
	if r.endsInState() {
		r.has["running"] = true
	}
	r.has["@path"] = findPath(r.u) != ""
	r.has["@since"] = findSince(r.u) != ""
	r.has["@unit"] = r.unitWord() != ""
	r.has["@unlisted"] = r.unlistedName() != ""
}

// mentionsPercent reports whether the request contains a percentage.
func (r *Reading) mentionsPercent() bool {
	i := strings.IndexByte(r.u.raw, '%')
	return i > 0 && r.u.raw[i-1] >= '0' && r.u.raw[i-1] <= '9'
}

// endsInState reports whether a question ends in "on" or "up": "is bluetooth on?". Elsewhere these words have
// other meanings.
func (r *Reading) endsInState() bool {
	n := len(r.u.words)
	if n < 3 {
		return false
	}
	first, last := foldWord(r.u.words[0].text), foldWord(r.u.words[n-1].text)
	return (last == "on" || last == "up") && (first == "is" || first == "are" || r.u.question)
}

// isNameExpected reports whether a name that is also an ordinary word ("screen") occurs where only a name can
// occur: next to "package" or "is … installed".
func (r *Reading) isNameExpected(h hit) bool {
	w := r.u.wordAt[h.start]
	last := r.u.wordAt[h.end-1]
	near := func(i int, words ...string) bool {
		return i >= 0 && i < len(r.u.words) && slices.Contains(words, foldWord(r.u.words[i].text))
	}
	if near(w-1, "package", "called", "named", "installed", "is", "about", "version", "install", "uninstall") || near(last+1, "package", "installed", "version", "패키지", "설치") {
		return true
	}
	return last+1 < len(r.u.words) && r.u.words[last+1].script == hangul && r.u.words[last+1].attached
}

// unitWord returns a word that names a unit by its suffix ("foo.service").
func (r *Reading) unitWord() string {
	for _, w := range r.u.words {
		for _, suffix := range []string{".service", ".timer", ".socket", ".mount", ".target"} {
			if name, ok := strings.CutSuffix(w.raw, suffix); ok && name != "" {
				return w.raw
			}
		}
	}
	return ""
}

func (r *Reading) orders() []act { return filter(r.acts, func(a act) bool { return a.form == formDo }) }

// Has reports whether the request contains one of the concepts (data/concepts.tsv) or verbs ("@start").
func (r *Reading) Has(ids ...string) bool { return r.hasAny(ids...) }

// HasQuestionMark reports whether the request contains a question mark.
func (r *Reading) HasQuestionMark() bool { return r.u.question }

// questionPattern matches question words that do not need a question mark.
var questionPattern = pattern(`(?i)^\s*(?:(?:and|so|hey|ok|okay|well|please|tell me|do you (?:know|remember))[, ]+)*(?:what|what's|whats|who|who's|whose|where|where's|when|when's|which|how old)\b` +
	`|뭐|뭔지|무엇|누구|누군|어디|언제|몇\s?(?:살|시|번|월|일|년)|무슨|어느|什么|什麼|谁|誰|哪|几[岁号点月]|幾|多少|何时`)

// IsQuestion reports whether a request is a question, with or without a question mark.
func (r *Reading) IsQuestion() bool { return r.u.question || questionPattern().MatchString(r.u.raw) }

// personalPattern matches words for the person who asks.
var personalPattern = pattern(`(?i)\b(?:i|my|mine|our|we)\b|(?:^|\s)(?:내|제|나|저|우리|저희)(?:가|는|의|도|를)?(?:\s|$)|우리\s?집|我|咱`)

// IsPersonal reports whether a request is about the person who asks.
func (r *Reading) IsPersonal() bool { return personalPattern().MatchString(r.u.raw) }

// maxNamed bounds a request that only names something, in words.
const maxNamed = 5

// factPattern matches what people note down about things and people.
var factPattern = pattern(`(?i)\b(?:address|number|code|birthday|name|size|date|place|colou?r)s?\W*$|(?:주소|번호|생일|이름|위치|자리|사이즈|치수|날짜|코드)\W*$|(?:地址|号码|生日|名字|位置|尺寸|日期)\W*$`)

// IsOnlyNamed reports whether a request only names something about the person, or a fact that people note down: "NAS address",
// "내가 싫어하는 음식".
func (r *Reading) IsOnlyNamed() bool {
	return (r.IsPersonal() || factPattern().MatchString(r.u.raw)) && r.u.data == "" && len(r.u.words) > 1 && len(r.u.words) <= maxNamed && len(r.acts) == 0 && !r.forbids() &&
		!complains().MatchString(r.u.raw) && !r.hasAny("cause", "crash", "error", "howto", "greeting", "thanks")
}

// FactQuery returns the query for a note that may answer a question: a Chinese question without its question
// words, any other unchanged.
func (r *Reading) FactQuery() string {
	if r.u.lang == "zh" && !strings.Contains(r.u.raw, " ") {
		return strings.Trim(strings.NewReplacer("叫什么名字", "叫", "叫什麼名字", "叫", "是什么", "", "什么", "", "吗", "", "？", "").Replace(r.u.raw), " ?")
	}
	return r.u.raw
}

// factStopWords are words of a question that say nothing about its subject.
const factStopWords = " what what's whats who who's whose where where's when when's which how old is are was were am do does did i i'm my me mine the a an of to for in on at it its it's that this you know remember tell about please again now called" +
	" name's 내 나 난 나는 내가 제 저 저는 제가 나의 저의 우리 뭐 뭐야 뭐지 뭐였지 뭐더라 뭐라고 뭐라구 뭐랬지 뭐예요 뭔지 무엇 무엇인가요 누구 누구야 누구지 어디 어디야 어디지 어디에 어디서 언제 언제야 언제지 무슨 어느 어떤 알아 알려줘 말해줘 기억나 기억해 기억하니 기억하고 있어 있지 있어요 있나 있나요 있더라 있었지 있니 뒀지 뒀더라 뒀어 어딨어 어딨지 어딨더라 did put leave left "

// chineseAsking matches the parts of a Chinese question that say nothing about its subject.
var chineseAsking = pattern(`什么时候|什麼時候|几月几号|几号|(?:放|停|存)?在(?:哪里|哪裡|哪儿|哪)|怎么|是什么`)

// SubjectWords returns the words that state a question's subject. A note that answers it must contain them.
func (r *Reading) SubjectWords() []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(r.u.raw)) {
		w = strings.Trim(w, ".,!?~'\"“”‘’。！？，")
		if w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s"); w == "" || strings.Contains(factStopWords, " "+w+" ") {
			continue
		}
		out = append(out, stripParticle(chineseAsking().ReplaceAllString(w, "")))
	}
	return slices.DeleteFunc(out, func(w string) bool { return w == "" })
}

// Name returns the first program or service named, nil when none is.
func (r *Reading) Name() *Name { return r.anyName() }

// Path returns the path that the request is about, "" when none is.
func (r *Reading) Path() string { return findPath(r.u) }

// Port returns the port number in the request, "" when there is none.
func (r *Reading) Port() string {
	for _, w := range r.u.words {
		if n, err := strconv.Atoi(strings.TrimPrefix(w.text, ":")); err == nil && n > 0 && n < 65536 {
			return strconv.Itoa(n)
		}
	}
	return ""
}

// Raw returns the request as it was typed.
func (r *Reading) Raw() string { return r.u.raw }
