package intent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The outcomes of a weak request.
const (
	outcomeRight  = "right"  // the right call, or a right refusal
	outcomeAsked  = "asked"  // a question back that has a right meaning, or where a question is right
	outcomeBeside = "beside" // a question back without a right meaning
	outcomeShrug  = "shrug"  // neither a call nor a meaning to choose
	outcomeWrong  = "wrong"  // a confident answer to another question
)

// causeChains are the chains of package report that look for a cause without the tool diagnose.
var causeChains = []string{"input", "sound", "printer", "bluetooth", "wifi", "internet", "crash", "service", "usb", "clock"}

func weakOutcome(r row, p Plan) string {
	tools := strings.Split(r.tool, "|")
	switch {
	case len(p.Steps) > 0 && (contains(tools, p.Steps[0].Tool) || contains(tools, "diagnose") && contains(causeChains, p.Diagnoses[0])):
		return outcomeRight
	case len(p.Steps) > 0:
		return outcomeWrong
	case len(p.NearestSteps) == 0 && contains(tools, "none"):
		return outcomeRight
	case len(p.NearestSteps) == 0:
		return outcomeShrug
	case contains(tools, "ask"):
		return outcomeAsked
	}
	for _, s := range p.NearestSteps {
		if contains(tools, s.Tool) {
			return outcomeAsked
		}
	}
	return outcomeBeside
}

// TestWeakRequestsAreAskedBack measures requests that match weakly (testdata/weak.tsv). Of the 60 held ones, 2 were answered
// wrongly when they were first looked at: one was safe to answer (the level of the brightness), the other was fixed.
func TestWeakRequestsAreAskedBack(t *testing.T) {
	for _, half := range []string{"open", "held"} {
		count, total := map[string]int{}, 0
		for _, r := range readCorpus(t, "weak.tsv") {
			if r.category != half {
				continue
			}
			p := shared().Understand(r.utterance, Context{})
			require.False(t, r.dangerous(p), r.utterance)
			outcome := weakOutcome(r, p)
			count[outcome]++
			total++
			if outcome != outcomeRight {
				t.Logf("%s: %q want %s got %v near %v: %s", outcome, r.utterance, r.tool, p.Steps, p.NearestSteps, p.Why())
			}
		}
		t.Logf("%s: %v of %d", half, count, total)
		require.LessOrEqual(t, count[outcomeWrong]*50, total, "at most 2 %% of %s are answered wrongly", half)
		require.LessOrEqual(t, (count[outcomeShrug]+count[outcomeBeside])*12, total, half)
	}
}
