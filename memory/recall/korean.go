package recall

import (
	"slices"
	"strings"
	"sync"
)

// particles follow Korean nouns, the longest first.
var particles = sync.OnceValue(func() []string {
	list := strings.Fields(`
		이라고는 이라는데 에서부터 으로부터 이었더라 이었는지 이었지요
		에게서는 에서는요 한테서는 이라면서 이랑은요 로부터는
		에서는 에서도 에서만 에서의 에게서 에게는 에게도 한테서 한테는 한테도 으로는 으로도 으로만 까지는 까지도 부터는 부터가
		이라고 이라는 이라서 이라도 이라면 이었지 이었어 이에요 이예요 입니다 입니까 이였지 이니까 이지만 이랑은 마다는 처럼은 보다는 보다도 이더라 이었나
		라고는 라는데 였더라 였는지 인가요 인데요 이던가 이던데 짜리가 짜리를
		에서 에게 한테 께서 으로 까지 부터 마다 처럼 보다 이나 이랑 하고 라고 라는 라서 라도 라면 이란 였지 였어 예요 에요 이야 이지 인지 인가 인데 이고 이며
		이면 든지 조차 마저 밖에 대로 만큼 같이 로는 로도 로만 에는 에도 에만 에의 과는 와는 과의 와의 들은 들이 들을 들의 들에 만은 만이 만을 이요 짜리 쯤에 쯤은 께는 라며 니까 더라 던가 이네 치고 인들 이든 으론 에선 에겐 한텐 까진 부턴
		은 는 이 가 을 를 의 에 도 만 로 와 과 랑 나 야 며 고 요 들 쯤 님 씨 께 란 면 지`)
	longestFirst(list)
	return list
})

func longestFirst(list []string) {
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
}

// noun removes the particle from a word's end, but leaves at least that many syllables.
func noun(w string, least int) string {
	for _, p := range particles() {
		if rest, ok := strings.CutSuffix(w, p); ok && len(rest) >= 3*least && isParticleAllowed(rest, p) {
			return rest
		}
	}
	return w
}

// isParticleAllowed reports whether a particle can follow a syllable: 은, 이, 을, 과 and 으로 after a final consonant,
// 는, 가, 를, 와 and 로 after a vowel.
func isParticleAllowed(before, particle string) bool {
	rs := []rune(before)
	last := rs[len(rs)-1]
	if !isSyllable(last) {
		return true
	}
	final := split(last).final
	switch particle {
	case "은", "이", "을", "과", "이나", "이랑", "이라고", "이라는", "이야", "이지", "입니다":
		return final != 0 || particle == "입니다"
	case "는", "가", "를", "와", "랑", "나", "야", "라고", "라는", "란", "면", "며", "요":
		return final == 0
	case "로":
		return final == 0 || final == finalL
	case "으로":
		return final != 0 && final != finalL
	}
	return true
}

// afterPast are the endings after the past form of a verb (고쳤-).
var afterPast = endings(`지 지요 죠 어 어요 습니다 습니까 다 다고 다는 다면 다가 나 나요 니 는지 는데 는데요 던 던데 던가 던지 더라 더니 더라고 을까 을 을때 지만 고 고요 으면 으니 으니까 거든 거든요 잖아 잖아요 네 네요 군 군요 냐 냐고 음 대 대요 어서 었지 었어 었던 었다 었는데 었더라 구나 으며 으나 기 기에 을걸 단 던거 던것`)

// afterA are the endings after a verb's form in 아 or 어 (고쳐-).
var afterA = endings(`서 야 야지 야해 야하는 야돼 요 도 줘 줘요 주세요 줘라 줬어 줬지 줬던 준 주는 주던 달라고 달라던 달래 라 봐 봤어 봤지 본 보는 보니 버렸어 버린 놨어 놨지 놓은 놓고 놨던 둔 뒀어 뒀지 두고 뒀던 있는 있어 있지 있던 있었지 있고 있나 있다 졌어 진 지는 진다 서는 서도 지지 야겠 봐야 내는 낸 냈어 오는 온 왔어 왔지 가는 간 갔어 갔지`)

// afterStem are the endings after a verb's stem (고치-).
var afterStem = endings(`고 고서 고는 고있는 고있어 고있다 고싶은 고싶어 고싶다 는 는데 는지 는거 는것 는법 는방법 는중 는가 던 던데 던거 지 지요 죠 지만 지말 지마 지않는 지않아 니 니까 네 네요 면 면서 려고 려면 려는 려다 러 게 게끔 기 기로 기가 기는 기전 기로한 기로했 다 다가 다고 다는 다던 다면 자 자고 자던 나 나요 냐 냐고 며 거나 거든 도록 더라 더니 던가 듯 습니다 습니까 은 은거 은것 은게 은데 은지 은적 을 을까 을때 을게 을게요 을거 을것 을수 을지 을지도 을래 음 으면 으니 으니까 으려고 으러 으며 으라고 라고 라는 시는 시던 세요 셔 십시오 겠다 겠어 겠지 겠습니다 잖아 군 구나 자마자 자던`)

// afterFinal are the endings after a consonant that is added to a stem: 고친, 고칠까, 고침, 고칩니다.
var afterFinal = map[int]map[string]bool{
	finalN: endings(`거 것 게 데 지 적 다 다고 다는 다면 다며 후 뒤 채 걸 건 곳 날 때 사람 이유 방법 가 가요 데요 김에`),
	finalL: endings(`까 까요 게 게요 때 때는 거 것 거야 걸 건 지 지도 수 수있는 래 래요 래서 라고 일 만한 테니 텐데 뻔 필요 줄 예정 건데 까봐`),
	finalM: endings(`이 을 은 도 에`),
	finalB: endings(`니다 니까 시다 시오`),
}

func endings(list string) map[string]bool {
	m := map[string]bool{"": true}
	for _, e := range strings.Fields(list) {
		m[e] = true
	}
	return m
}

// stem returns the stem that the forms of a Korean verb or adjective share: 고치 for 고쳤지, 고친, 고쳐서 and 고치는. It uses
// only the ending, no dictionary. It also changes nouns, which is harmless because the result is the same for the
// same noun. It returns "" for a bare ending.
func stem(w string) string {
	rs := []rune(w)
	if len(rs) == 0 || !isSyllable(rs[0]) {
		return w
	}
	if s := pastStem(rs); s != "" {
		return s
	}
	// Find the shortest stem with a valid ending: 고치|고있는, not 고치고있|는.
	for i := 1; i < len(rs); i++ {
		if !isSyllable(rs[i-1]) {
			return w
		}
		rest := string(rs[i:])
		switch last := split(rs[i-1]); {
		case afterA[rest] && isAForm(rs[:i]):
			return canonical(withoutAForm(rs[:i]))
		case afterStem[rest] && (i > 1 || len(rs) > 1):
			return canonical(rs[:i])
		case last.final != 0 && afterFinal[last.final][rest]:
			return canonical(withoutFinal(rs[:i]))
		}
	}
	last := split(rs[len(rs)-1])
	switch {
	case len(rs) > 1 && isAForm(rs):
		return canonical(withoutAForm(rs))
	case len(rs) > 1 && afterFinal[last.final] != nil:
		return canonical(withoutFinal(rs))
	}
	return canonical(rs)
}

// pastStem returns the stem of a past form: a syllable with final ㅆ, followed by an ending. 있 and 겠 are not past forms.
func pastStem(rs []rune) string {
	for i, r := range rs {
		if !isSyllable(r) {
			return ""
		}
		if s := split(r); s.final == finalSS && r != '있' && r != '겠' && (i > 0 || len(rs) > 1) && afterPast[string(rs[i+1:])] {
			return canonical(withoutAForm(withoutFinal(rs[:i+1])))
		}
	}
	return ""
}

// withoutFinal removes the final consonant of the last syllable.
func withoutFinal(rs []rune) []rune {
	rs = slices.Clone(rs)
	s := split(rs[len(rs)-1])
	s.final = 0
	rs[len(rs)-1] = s.rune()
	return rs
}

// isAForm reports whether a word can be a verb's form in 아 or 어.
func isAForm(rs []rune) bool {
	s := split(rs[len(rs)-1])
	if s.final != 0 {
		return false
	}
	switch s.vowel {
	case vowelA, vowelEO, vowelYEO, vowelWA, vowelWO, vowelWAE, vowelAE, vowelE:
		return true
	}
	return false
}

// withoutAForm removes the 아 or 어: 먹어 → 먹, 고쳐 → 고치, 배워 → 배우, 해 → 하.
func withoutAForm(rs []rune) []rune {
	rs = slices.Clone(rs)
	n := len(rs)
	s := split(rs[n-1])
	if n > 1 && s.initial == initialNone && (s.vowel == vowelA || s.vowel == vowelEO || s.vowel == vowelYEO) {
		return rs[:n-1]
	}
	switch s.vowel {
	case vowelYEO:
		s.vowel = vowelI
	case vowelWA:
		s.vowel = vowelO
	case vowelWO:
		s.vowel = vowelU
	case vowelWAE:
		s.vowel = vowelOE
	case vowelAE:
		if s.initial == initialH {
			s.vowel = vowelA
		}
	}
	rs[n-1] = s.rune()
	return rs
}

// canonical maps the stems of irregular verbs to one form (고마우-/고맙-, 들-/듣-, 써/쓰-, 몰라/모르-). Different verbs rarely
// collide.
func canonical(rs []rune) string {
	rs = slices.Clone(rs)
	n := len(rs)
	if n == 0 || !isSyllable(rs[n-1]) {
		return string(rs)
	}
	s := split(rs[n-1])
	if n > 1 && isSyllable(rs[n-2]) {
		before := split(rs[n-2])
		switch {
		case s == (syllable{initialNone, vowelU, 0}) && before.final == 0:
			before.final = finalB
			return string(append(rs[:n-2], before.rune()))
		case s.initial == initialR && (s.vowel == vowelA || s.vowel == vowelEO) && s.final == 0 && before.final == finalL:
			before.final = 0
			rs[n-2], s.vowel = before.rune(), vowelEU
		case s.final == 0 && s.vowel == vowelA:
			s.vowel = vowelEU
		}
	}
	switch {
	case s.final == 0 && s.vowel == vowelEO:
		s.vowel = vowelEU
	case s.final == 0 && s.vowel == vowelYEO:
		s.vowel = vowelI
	case s.final == finalD:
		s.final = finalL
	}
	rs[n-1] = s.rune()
	return string(rs)
}

// kin returns the stem that related English words share (browser, browsing; allergy, allergic; preference,
// prefers). It has at least five letters, or is "".
func kin(w string) string {
	if len(w) < 5 || len(w) > 24 || !isPlain(w) || strings.IndexFunc(w, func(r rune) bool { return classOf(r) != latin }) >= 0 {
		return ""
	}
	w = strings.TrimSuffix(w, "s")
	for range 2 {
		for _, suffix := range relations {
			if rest, ok := strings.CutSuffix(w, suffix); ok && len(undouble(rest)) >= 5 {
				w = undouble(rest)
				break
			}
		}
	}
	if w = undouble(w); len(w) < 5 {
		return ""
	}
	return w
}

// relations are suffixes of related words, the longest first.
var relations = strings.Fields(`ibility ability ication ization ations ation ition ingly ments ences ances ement ment ness able ible ence ance ency ancy tion sion
	ical ions ings ally ated ates ator ion ing ist ism ity ies ied ers ors ive ous ish ful ant ent ate ize ic al er or ed ly es e y i`)

// american converts British spellings to American ones, in the index and in the tables.
func american(w string) string {
	if len(w) < 4 || !isPlain(w) {
		return w
	}
	return spellings.Replace(w)
}

// spellings are parts that occur in no other words.
var spellings = strings.NewReplacer(
	"colour", "color", "favour", "favor", "neighbour", "neighbor", "behaviour", "behavior", "humour", "humor", "labour", "labor", "flavour", "flavor",
	"harbour", "harbor", "honour", "honor", "rumour", "rumor", "armour", "armor", "savour", "savor", "tumour", "tumor", "odour", "odor",
	"organis", "organiz", "realis", "realiz", "recognis", "recogniz", "customis", "customiz", "synchronis", "synchroniz", "optimis", "optimiz",
	"minimis", "minimiz", "maximis", "maximiz", "initialis", "initializ", "normalis", "normaliz", "apologis", "apologiz", "authoris", "authoriz",
	"categoris", "categoriz", "finalis", "finaliz", "virtualis", "virtualiz", "visualis", "visualiz", "summaris", "summariz", "memoris", "memoriz",
	"prioritis", "prioritiz", "personalis", "personaliz", "digitis", "digitiz", "itemis", "itemiz", "analyse", "analyze", "analysing", "analyzing",
	"centre", "center", "theatre", "theater", "litre", "liter", "kilometre", "kilometer", "millimetre", "millimeter", "centimetre", "centimeter", "fibre", "fiber",
	"licence", "license", "defence", "defense", "catalogue", "catalog", "dialogue", "dialog", "jewellery", "jewelry",
	"pyjama", "pajama", "aeroplane", "airplane", "aluminium", "aluminum", "mould", "mold", "yoghurt", "yogurt", "travell", "travel", "cancell", "cancel",
	"labell", "label", "modell", "model", "counsell", "counsel", "gray", "grey", "tyre", "tire",
)

// base returns the stem that the forms of one English word share (printers, printing, printed; batteries,
// battery), precise enough to compare two forms. It checks the candidates that FTS5's porter tokenizer finds.
func base(w string) string {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "s'"), "'s")
	for _, suffix := range []struct{ from, to string }{
		{"ations", "ate"},
		{"ation", "ate"},
		{"ies", "y"},
		{"ied", "y"},
		{"sses", "ss"},
		{"xes", "x"},
		{"ches", "ch"},
		{"shes", "sh"},
		{"ments", "ment"},
		{"ingly", ""},
		{"edly", ""},
		{"ings", ""},
		{"ing", ""},
		{"ed", ""},
		{"ly", ""},
		{"ers", "er"},
		{"es", "e"},
		{"s", ""},
	} {
		rest, ok := strings.CutSuffix(w, suffix.from)
		if !ok || len(rest)+len(suffix.to) < 3 || suffix.from == "s" && strings.HasSuffix(rest, "s") {
			continue
		}
		w = rest + suffix.to
		break
	}
	return strings.TrimSuffix(undouble(w), "e")
}

// undouble reduces a doubled last consonant: stopp → stop.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

// Romanized Hangul letters (Revised Romanization of Korean, 2000), folded to the same classes as Latin letters by
// sound.
var (
	initials = strings.Split("k,k,n,t,t,r,m,p,p,s,s,,c,c,c,k,t,p,h", ",")
	vowels   = strings.Split("a,e,a,e,o,e,o,e,o,oa,oe,oe,o,o,o,oe,i,o,o,i,i", ",")
	finals   = strings.Split(",k,k,k,n,n,n,t,r,k,m,r,r,r,p,r,m,p,p,t,t,n,t,t,k,t,p,t", ",")
)

// surnames are the most frequent surnames. Given names are also indexed without them.
const surnames = "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진지엄채원천방공현함변염"

// givenName returns the given name of a Korean name of three syllables.
func givenName(w string) (string, bool) {
	rs := []rune(w)
	if len(rs) != 3 || !strings.ContainsRune(surnames, rs[0]) {
		return "", false
	}
	return string(rs[1:]), true
}

// sound returns the approximate sound of a Hangul word: the same for 김민수 as for Kim Minsu and Gim Min-soo. It is
// "" for words that are too short or too long.
func sound(w string) string {
	rs := []rune(w)
	if len(rs) < 2 || len(rs) > 5 {
		return ""
	}
	var b strings.Builder
	for _, r := range rs {
		if !isSyllable(r) {
			return ""
		}
		s := split(r)
		b.WriteString(initials[s.initial] + vowels[s.vowel] + finals[s.final])
	}
	return distinctive(collapseRepeats(b.String()), len(rs) == 2)
}

// latinSound is sound for a romanized word.
func latinSound(w string) string {
	if len(w) < 4 || len(w) > 20 || !isPlain(w) {
		return ""
	}
	return distinctive(collapseRepeats(soundClasses.Replace(dropSilentR(w))), len(w) >= 5)
}

// romanized folds what Revised Romanization writes with several letters: the last consonant ㅇ, and ㅕ. In other words
// ng is two sounds.
var romanized = strings.NewReplacer("ng", "n", "yeo", "yo")

// romanizedSound is the sound of a romanized Korean word that [latinSound] reads differently, or "": naengjanggo for 냉장고.
func romanizedSound(w string) string {
	folded := romanized.Replace(w)
	if folded == w {
		return ""
	}
	return latinSound(folded)
}

// dropSilentR removes each r that Hangul drops: after a vowel, unless another vowel follows.
func dropSilentR(w string) string {
	var b strings.Builder
	for i := range len(w) {
		if w[i] == 'r' && i > 0 && strings.IndexByte("aeiou", w[i-1]) >= 0 && (i+1 == len(w) || strings.IndexByte("aeiour", w[i+1]) < 0) {
			continue
		}
		b.WriteByte(w[i])
	}
	return b.String()
}

// soundClasses maps spellings of the same sound to one. The first match wins.
var soundClasses = strings.NewReplacer(
	"tch", "c", "ch", "c", "sh", "s", "ph", "p", "ck", "k", "kk", "k", "tt", "t", "pp", "p", "ss", "s", "jj", "c",
	"ya", "a", "yo", "o", "ye", "e", "yu", "o", "wa", "oa", "wo", "o", "wi", "i", "we", "oe", "oi", "oe",
	"eo", "o", "eu", "o", "oo", "o", "ou", "o", "uh", "o", "ae", "e", "ay", "e", "ee", "i", "ui", "i", "ah", "a", "oh", "o",
	"g", "k", "q", "k", "d", "t", "b", "p", "v", "p", "f", "p", "j", "c", "z", "c", "l", "r", "u", "o", "y", "i", "x", "ks", "c", "k",
)

func collapseRepeats(s string) string {
	var b strings.Builder
	var last rune
	for _, r := range s {
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// distinctive returns a sound that is long enough to be distinctive, else "". Three letters suffice for a given name:
// 도윤 (doyun).
func distinctive(s string, name bool) string {
	if len(s) < 3 || len(s) == 3 && !name {
		return ""
	}
	return s
}

// skeleton returns the consonants of a loanword, which Hangul preserves while the vowels change: mnt for 모니터 and
// monitor. It is "" for fewer than three.
func skeleton(sound string) string {
	s := strings.Map(func(r rune) rune {
		if strings.ContainsRune("aeiou", r) {
			return -1
		}
		return r
	}, sound)
	if len(s) < 3 {
		return ""
	}
	return s
}
