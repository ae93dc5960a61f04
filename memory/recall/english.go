package recall

import "strings"

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
