package recall

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// hangul adds a Korean word: unchanged, without its particle, by its stem, and by its sound.
func (p *parser) hangul(i int) {
	w := p.words[i].text
	switch keys := typedInLatin(w); {
	case areInitials(w):
		p.add(1, append(runAlts(w, 1), term(markInitials+w, 0.9))...)
		return
	case keys != "":
		p.add(1, append(runAlts(w, 1), wordForms(word{text: keys, class: latin}, weightKeyboard)...)...)
		return
	}
	if !p.literal {
		if w = p.withoutTail(w); p.fillers[w] || !p.words[i].start && isParticle(w) {
			return
		}
	}
	n := noun(w, 2)
	if one := noun(w, 1); p.isOneSyllableNoun(w, one) {
		w, n = one, one
	}
	s := stem(w)
	if verbal, ok := cutVerbal(s); ok && n == w {
		n = verbal
	}
	if !p.literal && p.fillers[n] {
		return
	}
	weight := 1.0
	switch {
	case p.vague[w] || p.vague[n] || p.isCounter(i):
		weight = weightVague
	case p.verbs[markStem+s] && utf8.RuneCountInString(w) > 1 && p.byWord[w] == nil && p.byWord[n] == nil:
		weight = weightVerb
	}
	alts := runAlts(w, 1)
	if n != w {
		alts = append(runAlts(n, 0.97), alts...)
	}
	if utf8.RuneCountInString(n) > 1 {
		alts = append(alts, term(markStem+n, 1))
	}
	if s != "" && s != n {
		alts = append(alts, term(markStem+s, 0.9))
	}
	if one := noun(w, 1); utf8.RuneCountInString(one) == 1 && one != w {
		alts = append(alts, alt{kind: kindFirst, text: one, weight: 0.7, exprs: []expr{{quoted(one) + "*", "", 1}}})
	}
	for _, key := range []string{w, n, noun(w, 1), markStem + s} {
		alts = append(alts, p.members(key, key)...)
	}
	alts = append(alts, p.neighbours(i)...)
	if sd := sound(n); sd != "" {
		alts = append(alts, term(markLatinSound+sd, weightSound))
		if b := skeleton(sd); b != "" {
			alts = append(alts, term(markLatinSkeleton+b, 0.4))
		}
	}
	p.add(weight, alts...)
	p.addCompound(n)
}

// isOneSyllableNoun reports whether a word is a noun of one syllable with a particle: 약을.
func (p *parser) isOneSyllableNoun(w, one string) bool {
	return one != w && utf8.RuneCountInString(one) == 1 && p.byWord[w] == nil && p.byWord[one] != nil
}

// isCounter reports whether a word is only a counter: 몇 개, 3번.
func (p *parser) isCounter(i int) bool {
	if i == 0 || utf8.RuneCountInString(noun(p.words[i].text, 1)) > 1 {
		return false
	}
	before := p.words[i-1]
	return before.class == digit || before.text == "몇" || numerals[before.text]
}

// isParticle reports whether a piece after a Latin word is only a particle: nas에.
func isParticle(w string) bool {
	return slices.Contains(particles(), w)
}

// withoutTail removes a question from a word's end: 비번뭐였지 → 비번.
func (p *parser) withoutTail(w string) string {
	for _, t := range p.tails {
		if rest, ok := strings.CutSuffix(w, t); ok && rest != "" {
			return rest
		}
	}
	return w
}

// cutVerbal removes 하 or 되 from a stem: 설치 for 설치했지.
func cutVerbal(s string) (string, bool) {
	for _, v := range []string{"흐", "하", "되", "시키"} {
		if rest, ok := strings.CutSuffix(s, v); ok && utf8.RuneCountInString(rest) >= 2 {
			return rest, true
		}
	}
	return s, false
}

// runAlts returns the ways to find consecutive letters: all of them, or as many pairs as possible.
func runAlts(w string, weight float64) []alt {
	grams := pairs(word{text: w, class: han})
	if len(grams) == 1 {
		a := alt{kind: kindRun, text: w, weight: weight, exprs: []expr{{quoted(w), "", 1}}}
		if utf8.RuneCountInString(w) == 1 {
			a.kind, a.exprs[0].match = kindFirst, quoted(w)+"*"
			a.exprs = append(a.exprs, expr{quoted(w), "", 0.95}) // at the end of a word
		}
		return []alt{a}
	}
	partly := alt{kind: kindGrams, text: w, weight: 0.7 * weight, exprs: nil}
	for _, g := range grams {
		partly.exprs = append(partly.exprs, expr{quoted(g), g, 1 / float64(len(grams))})
	}
	return []alt{{kind: kindRun, text: w, weight: weight, exprs: []expr{{quoted(strings.Join(grams, " ")), "", 1}}}, partly}
}

// addCompound adds the known words in a longer compound: 백업디스크.
func (p *parser) addCompound(w string) {
	if p.byWord[w] != nil {
		return // a known word is not split
	}
	rs := []rune(w)
	for i := 0; i < len(rs); i++ {
		for j := min(len(rs), i+p.longest); j > i+1; j-- {
			key := string(rs[i:j])
			if j-i == len(rs) || p.byWord[key] == nil {
				continue
			}
			p.add(0.5, append([]alt{{kind: kindRun, text: key, weight: 1, exprs: []expr{{quoted(strings.Join(pairs(word{text: key, class: han}), " ")), "", 1}}}}, p.members(key, key)...)...)
			i = j - 1
			break
		}
	}
}

// han adds a run of Chinese: the pieces between fillers.
func (p *parser) han(w word) {
	rs := []rune(w.text)
	from := 0
	for i := 0; i < len(rs); {
		n, known := p.filler(rs[i:])
		if n == 0 {
			i += known
			continue
		}
		p.piece(rs[from:i])
		i += n
		from = i
	}
	p.piece(rs[from:])
}

// filler returns the length of the longest filler at the beginning, in characters. If a known word or no filler
// begins there, n is 0 and known is the number of characters to skip.
func (p *parser) filler(rs []rune) (n, known int) {
	if p.literal {
		return 0, 1
	}
	for n := min(len(rs), 8); n > 0; n-- {
		key := string(rs[:n])
		if n > 1 && p.byWord[key] != nil {
			return 0, n
		}
		if p.fillers[key] || n == 1 && p.letters[rs[0]] {
			return n, 0
		}
	}
	return 0, 1
}

// piece adds a piece of Chinese between fillers. A longer piece contains more words and weighs more.
func (p *parser) piece(rs []rune) {
	if len(rs) == 0 {
		return
	}
	rs = rs[:min(len(rs), maxGrams)]
	w := string(rs)
	weight := min(0.5+0.25*float64(len(rs)), 2)
	switch {
	case p.vague[w]:
		weight = weightVague
	case p.verbs[w]:
		weight *= weightVerb
	}
	alts := runAlts(w, 1)
	if len(rs) > 1 {
		alts = append(alts, characters(rs))
	}
	alts = append(alts, p.members(w, w)...)
	p.add(weight, alts...)
	p.addCompound(w)
	if len(rs) == 2 && p.verbs[string(rs[:1])] && p.byWord[w] == nil && p.byWord[string(rs[1:])] != nil {
		p.piece(rs[1:]) // 吃肉
	}
}

// characters matches a piece by its single characters: 牙医 and 看牙 share one.
func characters(rs []rune) alt {
	a := alt{kind: kindGrams, text: string(rs), weight: 0.3, exprs: nil}
	for _, r := range rs {
		a.exprs = append(a.exprs, expr{quoted(string(r)) + "*", string(r), 1 / float64(len(rs))})
	}
	return a
}

// Weights of a word that contains the requested syllable (약), relative to the word itself.
const (
	beginsWith = 0.6  // 약상자, 약국
	endsWith   = 0.45 // 혈압약
	mayEndWith = 0.3  // two syllables: 안약, or another word
	isAnother  = 0.15 // a different word: 예약; a counter: 네 개
)

// numerals precede a counter.
var numerals = setOf("한 두 세 네 석 넉 다섯 여섯 일곱 여덟 아홉 열 몇 여러 스무 수십 수백")

func setOf(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// syllable returns how well a text matches a single syllable. A Chinese one is a word anywhere.
func (v *view) syllable(s string) float64 {
	if first, _ := utf8.DecodeRuneInString(s); !isHangul(first) {
		return 1
	}
	best := 0.0
	for _, w := range v.korean {
		if strings.Contains(w.text, s) {
			best = max(best, w.has(s))
		}
	}
	return best
}

func (w korean) has(s string) float64 {
	bare := noun(w.text, 1)
	switch known := len(builtin().byWord[bare]) > 0; {
	case w.counted && strings.HasPrefix(w.text, s):
		return isAnother
	case bare == s:
		return 1
	case known && utf8.RuneCountInString(bare) == 2:
		return isAnother
	case strings.HasPrefix(bare, s):
		return beginsWith
	case !strings.HasSuffix(bare, s):
		return 0
	case utf8.RuneCountInString(bare) > 2:
		return endsWith
	}
	return mayEndWith
}

// syllable is a Hangul syllable as letter indices of the Unicode Standard's table (section 3.12). final is 0 if
// there is none.
type syllable struct{ initial, vowel, final int }

// Letters that identify endings and contractions.
const (
	initialR, initialNone, initialH    = 5, 11, 18
	vowelA, vowelAE, vowelEO, vowelE   = 0, 1, 4, 5
	vowelYEO, vowelO, vowelWA          = 6, 8, 9
	vowelWAE, vowelOE, vowelU, vowelWO = 10, 11, 13, 14
	vowelEU, vowelI                    = 18, 20
	finalN, finalD, finalL             = 4, 7, 8
	finalM, finalB, finalSS            = 16, 17, 20
)

func split(r rune) syllable {
	n := int(r - 0xac00)
	return syllable{n / 588, n % 588 / 28, n % 28}
}

func (s syllable) rune() rune { return rune(0xac00 + s.initial*588 + s.vowel*28 + s.final) }
