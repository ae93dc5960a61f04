package intent

import (
	"fmt"
	"slices"
	"strings"
)

// need is one condition, which holds if one of the alternatives does.
type need []alternative

type alternative struct {
	id  string
	not bool
}

type slot struct{ key, value string }

func parseNeeds(s string) []need { return each(strings.Fields(s), parseNeed) }

// parseSlots reads "key=value;…".
func parseSlots(s string) []slot {
	var out []slot
	for _, kv := range strings.Split(s, ";") {
		if k, v, ok := strings.Cut(kv, "="); ok {
			out = append(out, slot{k, v})
		}
	}
	return out
}

func parseNeed(s string) need {
	return each(strings.Split(s, "|"), func(alt string) alternative {
		id, not := strings.CutPrefix(alt, "!")
		return alternative{id, not}
	})
}

func (n need) holds(has map[string]bool) bool {
	return slices.ContainsFunc(n, func(a alternative) bool { return has[a.id] != a.not })
}

func allHold(needs []need, has map[string]bool) bool {
	return !slices.ContainsFunc(needs, func(n need) bool { return !n.holds(has) })
}

// offTopic reports whether the request is about something that no tool measures (weather, prices, music),
// outside the names of programs and their kinds.
func (r *Reading) offTopic() bool {
	if r.has["search"] && r.hasAny("@topic", "app", "package") || r.has["internet"] && r.has["cause"] {
		return false
	}
	wanted := r.hasAny("search", "app", "package", "@install")
	return slices.ContainsFunc(r.concepts, func(h hit) bool {
		return h.id == "ood" && !isWithin(h, r.names) && !(wanted && isWithin(h, r.topics))
	})
}

func isWithin(h hit, outer []hit) bool {
	return slices.ContainsFunc(outer, func(o hit) bool { return h.start >= o.start && h.end <= o.end })
}

// chain is one line of diagnoses.tsv: the first call of a diagnosis.
type chain struct {
	name  string
	tool  string
	input []slot
	needs []need
}

func loadChains() []chain {
	var out []chain
	rows("diagnoses.tsv", func(f []string) {
		out = append(out, chain{f[0], f[1], parseSlots(fieldAt(f, 2)), parseNeeds(fieldAt(f, 3))})
	})
	return out
}

// diagnosesOf returns the chain that each of steps starts.
func (r *Reading) diagnosesOf(steps []Step) []string { return each(steps, r.diagnosis) }

// diagnosis returns the name of the chain that a step starts, or "".
func (r *Reading) diagnosis(first Step) string {
	if kind := r.Trouble(); kind != "" && sameStep(first, troubleSteps[kind]) {
		return kind
	}
	for _, c := range r.lex.chains {
		if c.tool == first.Tool && c.inputFits(first) && allHold(c.needs, r.has) {
			return c.name
		}
	}
	return ""
}

func (c chain) inputFits(s Step) bool {
	return !slices.ContainsFunc(c.input, func(kv slot) bool {
		v, given := s.Input[kv.key]
		head, open := strings.CutSuffix(kv.value, "*")
		switch {
		case kv.value == "-":
			return given
		case kv.value == "?", open && strings.HasPrefix(fmt.Sprint(v), head):
			return !given
		}
		return !given || !strings.EqualFold(fmt.Sprint(v), kv.value)
	})
}
