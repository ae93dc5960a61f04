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
