package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
)

// TestRepairsNeverHaveWhatWouldHarm compares every repair with advice that is common and harmful.
func TestRepairsNeverHaveWhatWouldHarm(t *testing.T) {
	for _, p := range []diagnose.Repair{
		removeOrphans([]string{"a", "b"}, nil),
	} {
		q := &inquiry{Case: Case{Lang: i18n.English}}
		f := q.proposeRepair(&finding{}, p)
		text := f.question
		for _, s := range p.Steps {
			text += "\n" + (diagnose.PlanStep{Step: s.Step}).ByHand() + "\n" + s.Check + "\n" + s.Undo
		}
		for _, never := range []string{"-Rdd", "-Scc", "-Qdtq)", "rm -r", "777", "chown -R", "User=root", "lpadmin -x", "cancel -a", "LANG=", "$c", "-Sy"} {
			require.NotContains(t, text, never)
		}
	}
}
