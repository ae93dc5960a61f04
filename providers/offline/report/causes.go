package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
)

// The repairs of known causes. Each is a pure function of the facts that its chain found, and has everything that may be
// done about the cause: no other change is offered.

// removeOrphans removes exactly these packages. lost are those whose files are not in the cache any more.
func removeOrphans(names, lost []string) diagnose.Repair {
	step := diagnose.Step{
		Step:  plan.Step{Verb: "remove", Args: map[string]string{"name": strings.Join(names, " "), "only": "true"}},
		About: i18n.HelperRepairOrphans(strings.Join(names, ", ")), Lost: len(lost) > 0,
	}
	return diagnose.Repair{Goal: i18n.HelperRepairOrphansGoal, Steps: []diagnose.Step{step}}
}
