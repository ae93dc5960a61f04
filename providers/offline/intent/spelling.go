package intent

import "strings"

// fuzzyMinimum is the minimum length of a word that is corrected.
const fuzzyMinimum = 4

// correct replaces misspelt words of u with the intended word of the lexicon, comparing Latin words by letters
// and Hangul words by jamo. It reports whether anything changed.
func (l *Lexicon) correct(u *utterance, covered func(start, end int) bool) bool {
	changed := false
	for i := range u.words {
		w := &u.words[i]
		switch {
		case w.script == latin:
			if t := foldWord(w.text); wordsOf("search-stops")[t] || wordsOf("function")[t] {
				continue
			} else if better := l.nearestLatin(t); better != "" {
				w.text, w.corrected, changed = better, true, true
			}
		case w.script == hangul && !covered(w.start, w.end):
			if better := l.nearestHangul([]rune(w.text)); better != "" {
				w.text, w.corrected, changed = better, true, true
			}
		}
	}
	if changed {
		u.flatten()
	}
	return changed
}

// nearestLatin returns the lexicon word that w is a typo of, or "".
func (l *Lexicon) nearestLatin(w string) string {
	if len(w) < fuzzyMinimum || l.isKnownWord(w) || strings.ContainsAny(w, "0123456789/._@~+=:%#") {
		return ""
	}
	limit := 1
	if len(w) >= 8 {
		limit = 2
	}
	best, bestDistance := "", limit+1
	for n := len(w) - limit; n <= len(w)+limit; n++ {
		for _, c := range l.typoTargets[n] {
			if c[0] != w[0] && len(w) < 6 {
				continue
			}
			if d := distance([]rune(w), []rune(c), bestDistance-1); d < bestDistance {
				best, bestDistance = c, d
			}
		}
	}
	return best
}

// isKnownWord reports whether w or its stem is a known word: "lines" is not a typo of "line".
func (l *Lexicon) isKnownWord(w string) bool {
	if l.vocab[w] || l.commonWords[w] || l.packageNames[w] {
		return true
	}
	for _, suffix := range []string{"s", "es", "d", "ed", "ing", "er", "ly", "r"} {
		if stem, ok := strings.CutSuffix(w, suffix); ok && len(stem) >= 3 && (l.commonWords[stem] || l.vocab[stem] || l.commonWords[stem+"e"]) {
			return true
		}
	}
	return false
}

// nearestHangul returns w with its beginning replaced by the lexicon word it misspells, or "". The rest of the
// word (particles) is kept.
func (l *Lexicon) nearestHangul(w []rune) string {
	if len(w) < 2 {
		return ""
	}
	lead := jamoOf(w[:1])[0]
	best, bestDistance, bestRest := []rune(nil), 3, 0
	for _, e := range l.hangul[lead] {
		n := len(e.flat)
		if n > len(w) {
			continue
		}
		limit := 1
		if len(e.jamo) >= 10 {
			limit = 2
		}
		d := distance(jamoOf(w[:n]), e.jamo, limit)
		if d <= limit && (d < bestDistance || d == bestDistance && n > len(best)) {
			best, bestDistance, bestRest = e.flat, d, n
		}
	}
	if best == nil {
		return ""
	}
	return string(best) + string(w[bestRest:])
}

// distance returns the optimal string alignment distance (insert, delete, replace, swap neighbours) of a and b,
// or limit+1 as soon as it must exceed limit.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var buf [3][48]int
	if len(b) >= len(buf[0]) || len(a) >= len(buf[0]) {
		return limit + 1
	}
	before, prev, cur := buf[0][:], buf[1][:], buf[2][:]
	for j := 0; j <= len(b); j++ {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
			least = min(least, cur[j])
		}
		if least > limit {
			return limit + 1
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
