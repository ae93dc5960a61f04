package intent

import "slices"

// maxNear bounds the looks that a question back offers.
const maxNear = 3

// nearestLooks are looks that come near what was understood: those that some
// rule speaks for, then those that the examples see.
func (r *Reading) nearestLooks(p Plan) []Step {
	var out []Step
	add := func(s Step) {
		if len(out) < maxNear && s.OnlyReads() && !slices.ContainsFunc(out, func(o Step) bool { return nearKey(o) == nearKey(s) }) {
			out = append(out, s)
		}
	}
	for _, c := range r.candidates() {
		if c.score >= threshold/2 {
			add(r.stepOf(c))
		}
	}
	for _, l := range r.classify(p) {
		if l.class.tool == "" || l.p < 0.08 {
			continue
		}
		if of := subjects[l.class.tool]; !r.hasAny(of.things...) {
			continue // "forever" is no question about the boot
		}
		s := Call(l.class.tool)
		for _, kv := range l.class.input {
			if kv.value[0] != '$' {
				s.Input[kv.key] = kv.value
			}
		}
		add(s)
	}
	return out
}

// nearKey tells looks apart as people do: by what is looked at, not by its input.
func nearKey(s Step) string { return s.Tool + " " + stringOf(s.Input["scope"]) }

// heard splits the content words of a request into those that the lexicon
// understood and those that it did not.
func (r *Reading) heard() (known, unknown []string) {
	for _, w := range r.u.words {
		switch {
		case r.isFiller(w) || w.glued && w.script != latin && w.end-w.start <= 2:
		case r.isCovered(w.start, w.end):
			known = append(known, w.raw)
		default:
			unknown = append(unknown, w.raw)
		}
	}
	return known, unknown
}
