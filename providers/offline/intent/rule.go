package intent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// rule is one line of rules.tsv.
type rule struct {
	tool  string
	score float64
	needs []need
	input []slot
	text  string // the conditions as written, for explanations
}

// need is one condition, which holds if one of the alternatives does.
type need struct{ anyOf []alternative }

type alternative struct {
	id  string
	not bool
}

type slot struct{ key, value string }

func loadRules() []rule {
	var out []rule
	rows("rules.tsv", func(f []string) {
		score, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			panic("offline: bad score in rules.tsv: " + f[1])
		}
		r := rule{tool: f[0], score: score, text: f[2], needs: parseNeeds(f[2])}
		if len(f) > 3 {
			r.input = parseSlots(f[3])
		}
		out = append(out, r)
	})
	return out
}

func parseNeeds(s string) []need {
	return each(strings.Fields(s), parseNeed)
}

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
	var n need
	for _, alt := range strings.Split(s, "|") {
		id, not := strings.CutPrefix(alt, "!")
		n.anyOf = append(n.anyOf, alternative{id, not})
	}
	return n
}

func (n need) holds(has map[string]bool) bool {
	return slices.ContainsFunc(n.anyOf, func(a alternative) bool { return has[a.id] != a.not })
}

func allHold(needs []need, has map[string]bool) bool {
	return !slices.ContainsFunc(needs, func(n need) bool { return !n.holds(has) })
}

// candidate is a tool with a matching rule.
type candidate struct {
	tool  string
	score float64
	rule  *rule
}

const (
	threshold    = 4.0 // below it a request is not understood
	oodPenalty   = 9.0
	coverageBase = 0.35
)

// candidates scores every tool by its best rule, weighted by how much of the request was understood.
func (r *Reading) candidates() []candidate {
	cover := coverageBase + (1-coverageBase)*r.coverage()
	best := map[string]*candidate{}
	for i := range r.lex.rules {
		rl := &r.lex.rules[i]
		if c := best[rl.tool]; c != nil && c.rule != nil && c.rule.score >= rl.score || !allHold(rl.needs, r.has) {
			continue
		}
		best[rl.tool] = &candidate{tool: rl.tool, score: rl.score * cover, rule: rl}
	}
	out := make([]candidate, 0, len(best))
	for _, c := range best {
		if r.offTopic() {
			c.score -= oodPenalty
		}
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b candidate) int {
		if a.score != b.score {
			if a.score > b.score {
				return -1
			}
			return 1
		}
		return strings.Compare(a.tool, b.tool)
	})
	return out
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
		c := chain{name: f[0], tool: f[1]}
		if len(f) > 2 {
			c.input = parseSlots(f[2])
		}
		if len(f) > 3 {
			c.needs = parseNeeds(f[3])
		}
		out = append(out, c)
	})
	return out
}

// diagnosesOf returns the chain that each of steps starts.
func (r *Reading) diagnosesOf(steps []Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = r.diagnosis(s)
	}
	return out
}

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
	for _, kv := range c.input {
		v, given := s.Input[kv.key]
		switch kv.value {
		case "?":
			if !given {
				return false
			}
		case "-":
			if given {
				return false
			}
		default:
			if head, open := strings.CutSuffix(kv.value, "*"); open && given && strings.HasPrefix(fmt.Sprint(v), head) {
				continue
			}
			if !given || !strings.EqualFold(fmt.Sprint(v), kv.value) {
				return false
			}
		}
	}
	return true
}
