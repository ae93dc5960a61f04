package report

import (
	"encoding/json"
	"maps"

	"github.com/nidoit/blunux-ai/providers/offline/intent"
	"github.com/nidoit/blunux-ai/upgrade/pacnew"
)

// pacnew answers with the configuration files that pacman left, and offers to merge them.
func (q *inquiry) pacnew() Reply {
	step := intent.Step{Tool: q.first.Tool, Input: maps.Clone(q.first.Input)}
	step.Input["lang"] = string(q.Lang.Base())
	if !q.collect(step) {
		return Reply{}
	}
	var found pacnew.Report
	res := q.find(step)
	if res == nil || res.IsError || res.Output == nil || len(res.Output.Steps) == 0 || json.Unmarshal([]byte(res.Output.Steps[0].Stdout), &found) != nil {
		return q.toolReply(q.first)
	}
	f := &finding{verdict: found.Text(q.Lang)}
	if found.Plan == nil {
		return f.reply()
	}
	return q.proposePlan(f, *found.Plan).reply()
}
