package automation

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestThoseWhoWaitGoInTheirOrderWhoeverIsTakenOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w waitQueue
		var model []string
		rules := func() (rules []string) {
			for _, c := range w.line {
				rules = append(rules, c.run.Rule)
			}
			return rules
		}
		for n := range rapid.IntRange(1, 30).Draw(t, "steps") {
			name := strconv.Itoa(n)
			c := candidate{run: Run{Rule: name}}
			if rapid.Bool().Draw(t, "occurrence") {
				c.mark = &mark{Rule: name, Event: "boot", Key: name}
			}
			w.add(c)
			require.True(t, w.has(c.reason()))
			model = append(model, name)
			var places []int
			var stay []string
			for i, rule := range model {
				if rapid.IntRange(0, 3).Draw(t, "goes") == 0 {
					places = append(places, i)
				} else {
					stay = append(stay, rule)
				}
			}
			w.remove(places)
			model = stay
			require.Equal(t, model, rules())
			require.Len(t, w.known, len(model))
		}
	})
}
