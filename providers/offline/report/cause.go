package report

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// diagnoseStep returns the call that looks for the causes of a topic.
func (q *inquiry) diagnoseStep(topic, object string) intent.Step {
	s := intent.Call("diagnose", "topic", topic, "lang", string(q.Lang.Base()))
	if object != "" {
		s.Input["object"] = object
	}
	if q.Request == nil {
		return s
	}
	if text := q.Request.Raw(); topic != "start" && len(text) < 2000 {
		s.Input["text"] = text
	}
	if n := q.Request.Name(); topic == "start" && n != nil && quoteWord(n.Package) == n.Package && n.Package != "" {
		s.Input["package"] = n.Package
	}
	return s
}

// diagnosis returns what a call of the tool diagnose found. ok is false while it has not run, and if it could not.
func (q *inquiry) diagnosis(s intent.Step) (found diagnose.Report, ok bool) {
	if !q.collect(s) {
		return found, false
	}
	res := q.find(s)
	if res == nil || res.IsError || res.Output == nil || len(res.Output.Steps) == 0 {
		return found, false
	}
	err := json.Unmarshal([]byte(res.Output.Steps[0].Stdout), &found)
	return found, err == nil && found.Topic != ""
}

// causeReply answers with the first cause and offers its repair. Without a cause it says what was looked at.
func (q *inquiry) causeReply(found diagnose.Report) Reply {
	f := &finding{verdict: found.Text(q.Lang, false)}
	if len(found.Causes) == 0 || found.Causes[0].Repair == nil {
		q.offerRootLook(f, found)
		q.offerNextLook(f, found)
		return f.reply()
	}
	p := *found.Causes[0].Repair
	if len(p.Steps) != 1 || p.Steps[0].Step.Verb != "reboot" {
		return q.proposePlan(f, p).reply()
	}
	if !q.offerPower(f, false) {
		return Reply{}
	}
	return f.reply()
}

// withCauseOf adds the proved cause of what a reply reports.
func (q *inquiry) withCauseOf(rep Reply, step intent.Step) Reply {
	rep.Next = nil
	found, ok := q.diagnosis(step)
	if !ok || len(found.Causes) == 0 || !found.Causes[0].Certain {
		return rep
	}
	cause := q.causeReply(found)
	return Reply{Text: paragraphs(rep.Text, cause.Text), Offer: cause.Offer}
}

// nextLooks are what to look at after a cause without a repair.
func nextLooks() map[string]nextLook {
	updates := nextLook{intent.Call("check_updates"), i18n.HelperCoredumpAskUpdatesNow}
	heat := nextLook{heatStep, i18n.HelperCoredumpAskTempNow}
	return map[string]nextLook{
		"crash/crashed": updates, "crash/graphics": updates, "shutdown/graphics-hung": updates,
		"shutdown/overheated": heat, "shutdown/log-cut": heat,
		"crash/oom-killed": {memoryStep, i18n.HelperErrorsAskMemoryNow},
	}
}

type nextLook struct {
	step intent.Step
	ask  i18n.Text
}

// offerNextLook offers what to look at after the first cause.
func (q *inquiry) offerNextLook(f *finding, found diagnose.Report) {
	if len(found.Causes) == 0 || f.fix != nil {
		return
	}
	if next, ok := nextLooks()[found.Topic+"/"+found.Causes[0].ID]; ok {
		f.propose(next.step, q.say(next.ask))
	}
}

// answerFrom returns a chain that answers from a topic of package diagnose, or with the first result if that shows nothing.
func answerFrom(topic string) func(*inquiry) Reply {
	return func(q *inquiry) Reply {
		found, ok := q.diagnosis(q.diagnoseStep(topic, q.objectOf(topic)))
		unknown := len(found.Causes) == 0 && found.Sound == nil
		if !ok || unknown && !found.LacksLog() && (len(found.Looked) == 0 || q.output(q.first, "") == nil) {
			return q.toolReply(q.first)
		}
		return q.causeReply(found)
	}
}

// answerOrLook returns a chain that answers from a topic of package diagnose if there is a cause, or with the first result.
func answerOrLook(topic string) func(*inquiry) Reply {
	return func(q *inquiry) Reply {
		found, ok := q.diagnosis(q.diagnoseStep(topic, q.objectOf(topic)))
		if !ok || len(found.Causes) == 0 && found.Sound == nil {
			if rep := q.causeReply(found); rep.Offer != nil { // a look that needs more rights
				return rep
			}
			return q.toolReply(q.first)
		}
		if len(found.Causes) > 0 && q.Request != nil && q.Request.HasQuestionMark() && !q.asksAbout("cause", "why") {
			found.Causes[0].Says = q.say(i18n.HelperResultNo) + found.Causes[0].Says
		}
		return q.causeReply(found)
	}
}

// stateOr returns a chain that answers a complaint from a topic, and another request with its first result: the state. Without that
// result, without any cause, or with one of these, the topic answers too.
func stateOr(topic string, urgent ...string) func(*inquiry) Reply {
	return func(q *inquiry) Reply {
		s := q.output(q.first, "")
		byTopic := q.complains() || s == nil || s.Exit != 0 && s.Stdout == ""
		if !byTopic && len(urgent) == 0 {
			return q.toolReply(q.first)
		}
		found, ok := q.diagnosis(q.diagnoseStep(topic, q.objectOf(topic)))
		byTopic = byTopic || found.Sound != nil || len(found.Causes) > 0 && slices.Contains(urgent, found.Causes[0].ID)
		several := len(q.RequestedSteps) > 1 && len(found.Causes) == 0 && found.Sound == nil // what is complained about may be the other
		if ok && byTopic && len(found.Looked) > 0 && !several {
			return q.causeReply(found)
		}
		return q.toolReply(q.first)
	}
}

// cause answers a request that asks for a diagnosis and nothing else.
func (q *inquiry) cause() Reply {
	step := intent.Step{Tool: q.first.Tool, Input: maps.Clone(q.first.Input)}
	step.Input["lang"] = string(q.Lang.Base())
	found, ok := q.diagnosis(step)
	if !ok {
		return q.toolReply(q.first)
	}
	return q.causeReply(found)
}

// startFailure answers why a program does not start.
func (q *inquiry) startFailure(program string) Reply {
	found, ok := q.diagnosis(q.diagnoseStep("start", program))
	if !ok {
		return Reply{}
	}
	return q.causeReply(found)
}

// proposeRepair proposes a plan, with all its steps.
func (q *inquiry) proposeRepair(f *finding, p diagnose.Repair) *finding {
	return q.proposePlan(f, *p.In(q.Lang))
}

func (q *inquiry) proposePlan(f *finding, p diagnose.Plan) *finding {
	question := p.Ask
	if question == "" {
		question = q.say(i18n.HelperRepairAsk)
	}
	rows := append([]string{q.say(i18n.HelperRepairSteps)}, p.Rows(q.Lang)...)
	return f.propose(intent.Call("plan", "goal", p.Goal, "steps", p.Input()), strings.Join(append(rows, question), "\n"))
}
