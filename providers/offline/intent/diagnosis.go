package intent

import (
	"fmt"
	"strings"
)

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
