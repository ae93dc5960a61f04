package intent

import (
	"cmp"
	"strings"
)

// Minimum probabilities (0 to 1) at which the classifier decides, chosen by cross-validation
// (TestPhrasesUnseenAreUnderstood).
const (
	enoughToLook      = 0.42 // run a read-only step
	enoughToLeave     = 0.80 // reject a request that a recogniser planned
	enoughToLeaveSure = 0.95 // the same for a surer recogniser
	enoughToKeep      = 0.05 // store a note that a recogniser planned
	enoughToChange    = 0.20 // carry out an order that a recogniser planned
	enoughForUnknown  = 0.45 // the same for a package that no list knows
	enoughToOffer     = 0.60 // offer a change after a read-only step that only the classifier chose
	enoughToSwap      = 0.85 // take a different service action than the recogniser chose
)

// verySureScore is the score from which a recogniser counts as sure: notes and schedules have distinctive words.
const verySureScore = 10.5

// changeClasses are the classes of the tools that change something, except those of services.
var changeClasses = map[string]string{
	"install_package": "install", "remove_package": "remove", "update_system": "update", "run_command": "run",
}

func changeClass(s Step) string {
	action, _ := s.Input["action"].(string)
	return cmp.Or(changeClasses[s.Tool], action)
}

func (r *Reading) correctPlan(p Plan) Plan {
	list := r.classify(p)
	if len(list) == 0 {
		return p
	}
	if p.Kind == KindCall && changes(p.Steps[0].Tool) {
		return r.confirmOrder(p, list)
	}
	top := list[0]
	for _, try := range []func(Plan, prediction) (Plan, bool){r.learnedNote, r.learnedSchedule} {
		if q, ok := try(p, top); ok {
			return q
		}
	}
	if p.calls("remember") && chanceOf(list, "remember") < enoughToKeep && top.p >= enoughToLeave {
		p = otherPlan(KindNone, "unknown", "").because("the classifier finds nothing to remember")
	}
	switch {
	case top.class.tool != "" && p.canBeCorrected() && top.p >= lookBound(p):
		return r.learnedPlan(p, top)
	case (top.class.name == "none" || top.class.name == "refuse") && p.Kind == KindCall && top.p >= leaveBound(p.Score):
		return otherPlan(KindNone, "unknown", "").because("the classifier finds nothing to check (%s %.2f)", top.class.name, top.p)
	}
	return p
}

func (p Plan) calls(tool string) bool { return p.Kind == KindCall && p.Steps[0].Tool == tool }

// canBeCorrected reports whether a read-only step can replace a plan.
func (p Plan) canBeCorrected() bool {
	return p.Kind == KindCall || p.Kind == KindNone || p.Kind == KindAsk || p.Kind == KindSocial
}

// lookBound returns the probability that another read-only tool needs to replace a plan.
func lookBound(p Plan) float64 {
	if p.Kind == KindCall && p.Score >= verySureScore {
		return enoughToLeave
	}
	return enoughToLook
}

// confirmOrder confirms an order if the classifier sees an order too. It can also correct the action on a service,
// which the classifier recognises best.
func (r *Reading) confirmOrder(p Plan, list []prediction) Plan {
	s := p.Steps[0]
	chance := chanceOf(list, changeClass(s))
	if s.Tool == "manage_service" {
		if top := list[0]; serviceActions[top.class.name] && top.class.name != changeClass(s) && top.p >= enoughToSwap && r.ordersVerb(top.class.name) {
			s.Input["action"] = top.class.name
			p = p.because("learned %s %.2f", top.class.name, top.p)
		}
		chance = 0
		for action := range serviceActions {
			chance += chanceOf(list, action)
		}
	}
	least := enoughToChange
	if r.isUnlisted(s) {
		least = enoughForUnknown
	}
	if chance < least {
		return r.alternativePlan(p, list, "an order, but the classifier finds none (%.2f)", chance)
	}
	return p
}

// isUnlisted reports whether a change is of a package that no list knows. Such a name can be any word.
func (r *Reading) isUnlisted(s Step) bool {
	names, _ := s.Input["name"].(string)
	for _, name := range strings.Fields(names) {
		if r.lex.index[layerName][name] == nil && !r.lex.packageNames[name] {
			return s.Tool == "install_package" || s.Tool == "remove_package"
		}
	}
	return false
}

var serviceActions = set("start", "stop", "restart", "reload", "enable", "disable")

// leaveBound returns the probability that "nothing" needs to overrule a recogniser.
func leaveBound(score float64) float64 {
	if score < verySureScore-1 {
		return enoughToLeave
	}
	return enoughToLeaveSure
}

func chanceOf(list []prediction, class string) float64 {
	for _, l := range list {
		if l.class.name == class {
			return l.p
		}
	}
	return 0
}

// alternativePlan plans the classifier's read-only step for a request that is not an order.
func (r *Reading) alternativePlan(p Plan, list []prediction, why string, args ...any) Plan {
	for _, l := range list {
		if l.class.tool != "" && l.p >= enoughToLook/2 {
			return r.learnedPlan(p, l).because(why, args...)
		}
		if l.class.name == "none" {
			break
		}
	}
	return otherPlan(KindNone, "unknown", "").because(why, args...)
}

// learnedPlan plans the read-only tool of a class.
func (r *Reading) learnedPlan(p Plan, l prediction) Plan {
	s := r.stepOf(l.class)
	if s.Input["name"] == "linux" && s.Tool == "package_info" && r.has["version"] && !r.hasAny("package", "update") {
		s = Call("system_info") // the version of Linux is the system's
	}
	if s.Tool == "package_info" && s.Input["name"] == nil {
		return p
	}
	q := callPlan(10*l.p, s)
	q.IsUncertain = l.p < enoughToOffer
	if p.Kind == KindCall && sameStep(p.Steps[0], s) {
		q = p
	}
	return q.because("learned %s %.2f from %s", l.class.name, l.p, r.explain(l.class, p, 4))
}

// learnedNote stores or looks up a note where the classifier chooses the other of the two, or the recognisers chose neither.
func (r *Reading) learnedNote(p Plan, l prediction) (Plan, bool) {
	text := noteText(r.u.raw)
	switch {
	case l.p < enoughToLook:
	case l.class.name == "recall" && !p.calls("recall"):
		return callPlan(10*l.p, Call("recall", "query", r.recallQuery())).because("learned recall %.2f", l.p), true
	case l.class.name == "remember" && p.calls("recall") && text != "":
		return callPlan(10*l.p, Call("remember", "text", text)).because("learned remember %.2f", l.p), true
	}
	return p, l.p >= enoughToLook && (l.class.name == "recall" || l.class.name == "remember" && p.calls("recall"))
}

// learnedSchedule plans a schedule whose job the recognisers did not understand, if the classifier recognises a schedule or
// understands the job.
func (r *Reading) learnedSchedule(p Plan, l prediction) (Plan, bool) {
	if p.Kind != KindNone || r.whole {
		return Plan{}, false
	}
	rec, ok := findRecurrence(r.u.raw)
	if !ok || rec.task == "" || r.isTroubleAgain(rec.task) {
		return Plan{}, false
	}
	s := Call("schedule", "cron", rec.cron, "task", rec.task)
	if l.class.name == "schedule" && l.p >= enoughToLook {
		return callPlan(10*l.p, s).because("learned schedule %.2f: every %q", l.p, rec.cron), true
	}
	in := r.lex.read(newUtterance(rec.task))
	in.whole = true
	if job := in.decide(); r.has["write"] || job.Kind != KindCall || job.Score < 4 {
		return Plan{}, false
	}
	return callPlan(8, s).because("every %q do %q", rec.cron, rec.task), true
}
