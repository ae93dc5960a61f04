package intent

import (
	"slices"
	"strconv"
)

// The kinds of features that the learned weights (weights.bin) refer to.
const (
	kindRun     = 'k' // one to three consecutive letters, Hangul and Han
	kindWord    = 'w' // a Latin word
	kindLetters = 'l' // four consecutive letters of a Latin word, including its boundaries
	kindPair    = 'b' // two consecutive Latin words
	kindMeaning = 'c' // a concept, or a derived feature of the rules
	kindPlan    = 'p' // the plan of the rules
	kindRule    = 'r' // a tool with a matching rule
)

// features calls add with each feature of a request: its letters and words without program names (the name says
// nothing about the kind of request), its concepts, and the plan of the rules.
func (r *Reading) features(plan Plan, add func(kind byte, text string)) {
	r.spelling(add)
	for id, holds := range r.has {
		if holds {
			add(kindMeaning, id)
		}
	}
	if len(plan.Steps) > 0 {
		add(kindPlan, plan.Steps[0].Tool)
		if plan.Score > 7 {
			add(kindPlan, plan.Steps[0].Tool+" surely")
		}
	} else {
		add(kindPlan, string(plan.Kind)+" "+plan.Topic)
	}
	for i, c := range r.candidates() {
		if i < 3 {
			add(kindRule, c.tool)
		}
	}
	add(kindMeaning, "@words:"+strconv.Itoa(min(len(r.u.words)/3, 6)))
}

// spelling adds the letter and word features.
func (r *Reading) spelling(add func(kind byte, text string)) {
	var run []rune
	flush := func() {
		for n := 1; n <= 3; n++ {
			for i := 0; i+n <= len(run); i++ {
				add(kindRun, string(run[i:i+n]))
			}
		}
		run = run[:0]
	}
	last := ""
	for _, w := range r.u.words {
		if r.isProgram(w) {
			flush()
			last = ""
			continue
		}
		if w.script != latin {
			run = append(run, []rune(w.text)...)
			last = ""
			continue
		}
		flush()
		t := foldWord(w.text)
		add(kindWord, t)
		if last != "" {
			add(kindPair, last+" "+t)
		}
		last = t
		edge := []rune(" " + t + " ")
		for i := 0; i+4 <= len(edge); i++ {
			add(kindLetters, string(edge[i:i+4]))
		}
	}
	flush()
}

// isProgram reports whether a word belongs to the name of a program.
func (r *Reading) isProgram(w word) bool {
	return slices.ContainsFunc(r.names, func(h hit) bool {
		return w.start >= h.start && w.start < h.end && !r.isAmbiguous(h)
	})
}

// featureHash is FNV-1a over the kind and the text.
func featureHash(kind byte, text string) uint32 {
	h := (uint32(2166136261) ^ uint32(kind)) * 16777619
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}
