package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// stepsOf returns verbs and arguments of the steps of a plan's call.
func stepsOf(s intent.Step) (steps []plan.Step) {
	list, _ := s.Input["steps"].([]any)
	for _, one := range list {
		fields, _ := one.(map[string]any)
		args, _ := fields["args"].(map[string]any)
		step := plan.Step{Args: map[string]string{}}
		step.Verb, _ = fields["verb"].(string)
		step.Description, _ = fields["description"].(string)
		for name, value := range args {
			step.Args[name], _ = value.(string)
		}
		steps = append(steps, step)
	}
	return steps
}

// rootSteps returns what a person would type for a plan's steps if one of them needs root's rights, "" otherwise. units
// reports that only units need them.
func rootSteps(s intent.Step) (command string, units bool) {
	var lines []string
	units = true
	for _, step := range stepsOf(s) {
		line := diagnose.PlanStep{Step: step}.ByHand()
		if !strings.HasPrefix(line, "sudo ") {
			if step.Verb != "run" { // a look is not for a person to repeat
				lines = append(lines, line)
			}
			continue
		}
		units = units && step.Verb == "unit"
		lines = append(lines, line)
	}
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "sudo ") }) {
		return "", false
	}
	return strings.Join(lines, "; "), units
}

// planReply reports how far a plan came. The daemon adds what its checks show.
func (r *result) planReply() Reply {
	failed := slices.IndexFunc(r.steps, func(s providers.Step) bool {
		return s.MissingProgram != "" || s.TimedOut || s.Exit != 0 && !isLook(s.Command)
	})
	if failed < 0 && !r.isContradicted() {
		return r.afterPlan()
	}
	var done []string
	if planned := stepsOf(intent.Step{Input: r.input}); failed > 0 && len(r.steps) <= len(planned) {
		for i, s := range planned[:failed] {
			done = append(done, nonEmpty(r.stepDone(i, s))...)
		}
	}
	parts := []string{r.say(i18n.HelperRepairStopped), bullets(done)}
	if failed >= 0 {
		parts = append(parts, r.failedStep(&r.steps[failed]))
	}
	return Reply{Text: joinBlocks(parts...)}
}

func (r *result) failedStep(s *providers.Step) string {
	if s.MissingProgram != "" {
		return r.missingText(s.MissingProgram)
	}
	if text := r.actionText(s); text != "" {
		return text
	}
	return joinBlocks(r.failureText(s), r.meaningOf(s.Stderr+"\n"+s.Stdout))
}

// stepDone says that step i was done, "" for one that only looked.
func (r *result) stepDone(i int, s plan.Step) string {
	name := s.Args["name"]
	if s.Verb == "install" && name == "" { // of files
		return r.fact(i18n.HelperRepairStepDone, s.Description)
	}
	switch s.Verb {
	case "install":
		return r.say(i18n.HelperChangesDoneInstall(name))
	case "upgrade":
		return r.say(i18n.HelperChangesDoneUpdate)
	case "unit":
		if done := unitDone[s.Args["action"]]; done != nil {
			return r.say(done(name))
		}
	case "remove":
		if s.Description == "" {
			return r.say(i18n.HelperChangesDoneRemove(name))
		}
	case "run":
		if isLook(s.Args["command"]) {
			return ""
		}
		if i < len(r.steps) && r.steps[i].Command == s.Args["command"] {
			return cmp.Or(r.actionText(&r.steps[i]), r.fact(i18n.HelperRepairStepDone, s.Description))
		}
	}
	return r.fact(i18n.HelperRepairStepDone, s.Description)
}

// isLook reports whether a command of a plan only looks, so that its exit status is an answer.
func isLook(command string) bool { return strings.HasPrefix(command, "ps ") }

// afterPlan reports a plan that was carried out, and what remains for the person to do.
func (r *result) afterPlan() Reply {
	if r.tool == "undo" {
		return Reply{Text: r.say(i18n.HelperRepairUndone)}
	}
	var done, then []string
	for i, s := range stepsOf(intent.Step{Input: r.input}) {
		done = append(done, r.stepDone(i, s))
		switch {
		case s.Verb == "run" && strings.HasSuffix(s.Args["command"], "locale-gen"):
			then = append(then, r.say(i18n.HelperRepairLoginAgain))
		case s.Verb == "remove_file" && s.Args["path"] == "/var/lib/pacman/db.lck":
			then = append(then, r.say(i18n.HelperRepairUpdateAgain))
		case s.Verb == "install" && s.Args["name"] != "":
			then = append(then, r.afterInstall(s.Args["name"]))
		}
	}
	if done = nonEmpty(done...); len(done) > 1 {
		done = []string{bullets(done)}
	}
	return Reply{Text: joinBlocks(cmp.Or(joinBlocks(done...), r.say(i18n.HelperRepairDone(len(r.steps)))), joinBlocks(then...))}
}
