package intent

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
)

var cross = flag.Bool("cross", false, "learn five times from four fifths of the phrases and ask the rest")

// TestPhrasesUnseenAreUnderstood is the cross-validation used to choose features and bounds: every
// phrase is classified with weights trained without it. It is less conclusive than a blind set (the phrases are
// deliberately unlike each other) but easy to repeat.
func TestPhrasesUnseenAreUnderstood(t *testing.T) {
	if !*cross {
		t.Skip("takes a minute; make test runs it, with -cross")
	}
	all, saved := phrases(t), shared().weights
	defer func() { shared().weights = saved }()
	right, danger := 0, 0
	const folds = 5
	l, lessons := newLearner(), []lesson(nil)
	for _, r := range all { // reading takes far longer than learning
		lessons = append(lessons, l.lesson(t, r, true))
	}
	for fold := range folds {
		var others []lesson
		var asked []row
		for i, r := range all {
			if i%folds == fold {
				asked = append(asked, r)
			} else {
				others = append(others, lessons[i])
			}
		}
		l.learn(others)
		shared().weights = openWeights(string(l.bytes(leastWeight)))
		for _, r := range asked {
			p := shared().Understand(r.utterance, Context{})
			switch {
			case r.dangerous(p):
				danger++
				t.Logf("DANGEROUS %q want %s %s got %v %s", r.utterance, r.tool, r.args, p.Steps, p.Why())
			case r.matches(p):
				right++
			default:
				t.Logf("WRONG %s [%s] %q want %s %s got %v %s", r.lang, r.category, r.utterance, r.tool, r.args, p.Steps, p.Why())
			}
		}
	}
	t.Logf("%d of %d right (%.1f %%), %d dangerous", right, len(all), 100*float64(right)/float64(len(all)), danger)
	require.LessOrEqual(t, danger, len(all)/2000)
	require.GreaterOrEqual(t, float64(right)/float64(len(all)), 0.8)
}
