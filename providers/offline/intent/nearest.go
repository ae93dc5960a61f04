package intent

import "slices"

// maxNearest limits the number of read-only steps that a question back offers.
const maxNearest = 3

// nearestSteps returns the read-only steps nearest to the request: first those with a matching rule, then those
// that the classifier suggests.
func (r *Reading) nearestSteps(p Plan) []Step {
	var out []Step
	add := func(s Step) {
		if len(out) < maxNearest && s.IsReadOnly() && !slices.ContainsFunc(out, func(o Step) bool { return nearKey(o) == nearKey(s) }) {
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
			continue // "forever" is not a question about the boot
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

// nearKey identifies a read-only step by what it checks, ignoring the rest of its input.
func nearKey(s Step) string { return s.Tool + " " + stringOf(s.Input["scope"]) }

// splitUnderstood splits the content words of a request into known and unknown ones.
func (r *Reading) splitUnderstood() (known, unknown []string) {
	for _, w := range r.u.words {
		switch {
		case r.isFiller(w) || w.attached && w.script != latin && w.end-w.start <= 2:
		case r.isCovered(w.start, w.end):
			known = append(known, w.raw)
		default:
			unknown = append(unknown, w.raw)
		}
	}
	return known, unknown
}
