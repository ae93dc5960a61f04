package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/desktop"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// wish answers what a person asks of the desktop: what is so now, and the plan with its question.
func (q *inquiry) wish() Reply {
	step := intent.Step{Tool: q.first.Tool, Input: maps.Clone(q.first.Input)}
	step.Input["lang"] = string(q.Lang.Base())
	if !q.collect(step) {
		return Reply{}
	}
	var found desktop.Report
	res := q.find(step)
	if res == nil || res.IsError || res.Output == nil || len(res.Output.Steps) == 0 || json.Unmarshal([]byte(res.Output.Steps[0].Stdout), &found) != nil {
		return q.toolReply(q.first)
	}
	if found.Plan == nil {
		return Reply{Text: found.Text()}
	}
	f := &finding{verdict: found.Text()}
	question := found.Plan.Ask
	if len(found.Plan.Steps) > 1 {
		question = strings.Join(slices.Concat([]string{q.say(i18n.DeskSteps)}, found.Plan.Rows(q.Lang), []string{q.say(i18n.HelperRepairAsk)}), "\n")
	}
	return f.propose(intent.Call("plan", "goal", found.Plan.Goal, "steps", found.Plan.Input()), question).reply()
}

// asOnePlan makes one plan of those of several wishes. Its question lists the steps.
func (c Case) asOnePlan(first, second Reply) (both Reply, ok bool) {
	isWish := func(s intent.Step) bool { return s.Tool == "desktop" }
	if first.Offer == nil || second.Offer == nil || first.Offer.Tool != "plan" || second.Offer.Tool != "plan" || len(filter(c.RequestedSteps, isWish)) < len(c.RequestedSteps) {
		return both, false
	}
	goals := stringOf(first.Offer.Input["goal"]) + ", " + stringOf(second.Offer.Input["goal"])
	steps := slices.Concat(listOf(first.Offer.Input["steps"]), listOf(second.Offer.Input["steps"]))
	offer := intent.Call("plan", "goal", goals, "steps", steps)
	rows := []string{i18n.DeskSteps.In(c.Lang)}
	for i, step := range stepsOf(offer) {
		rows = append(rows, i18n.HelperRepairStep(i+1, step.Description, (diagnose.PlanStep{Step: step}).ByHand()).In(c.Lang))
	}
	rows = append(rows, i18n.HelperRepairAsk.In(c.Lang))
	return Reply{Text: paragraphs(withoutQuestion(first.Text), withoutQuestion(second.Text), strings.Join(rows, "\n")), Offer: &offer}, true
}

func stringOf(v any) string {
	text, _ := v.(string)
	return text
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// withoutQuestion returns an answer without its last paragraph.
func withoutQuestion(text string) string { return text[:max(0, strings.LastIndex(text, "\n\n"))] }
