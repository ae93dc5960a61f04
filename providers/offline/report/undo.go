package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// shownUndoable is how many changes an answer lists.
const shownUndoable = 10

// undo takes the change back that the request means, or lists those that can be taken back. What this program did not change
// it explains with pacman's log.
func (q *inquiry) undo() Reply {
	r := q.resultOf(q.first)
	if r == nil || r.out == nil || r.out.Refusal != "" || len(r.steps) == 0 {
		return q.firstReply()
	}
	all, _, _ := parsePastChanges(r.steps[0].Stdout)
	list := filter(all, pastChange.canBeTakenBack)
	if q.Request == nil || q.Request.AsksWhatToUndo() {
		return q.undoable(list)
	}
	meant := filter(list, q.means)
	if n := q.Request.Name(); n != nil && n.Package != "" && q.Request.AsksForVersion() && (len(meant) == 0 || !meant[0].isOnlyOf(n.Package)) {
		return q.downgrade(n.Package)
	}
	if len(meant) == 0 {
		return q.notMine(list)
	}
	back := intent.Call("undo", "id", meant[0].ID)
	if !q.collect(back) {
		return Reply{}
	}
	if done := q.resultOf(back); done != nil {
		return done.compose()
	}
	return q.undoable(list) // the tool is unavailable
}

func (q *inquiry) undoable(list []pastChange) Reply {
	if len(list) == 0 {
		return Reply{Text: q.say(i18n.HelperRepairNothingToUndo)}
	}
	rows := each(list[:min(shownUndoable, len(list))], func(c pastChange) string {
		return q.say(i18n.HelperRepairChangeLine(c.ID, c.Time, c.about(q.Lang)))
	})
	return Reply{Text: joinBlocks(q.say(i18n.HelperRepairCanUndo(len(list))), bullets(rows), q.howToUndo(list))}
}

// notMine explains how to revert a change that was not made here.
func (q *inquiry) notMine(list []pastChange) Reply {
	history := intent.Call("read_logs", "log", "packages")
	if !q.collect(history) {
		return Reply{}
	}
	head := i18n.HelperRepairNothingToUndo
	if len(list) > 0 {
		head = i18n.HelperRepairNoSuchChange
	}
	rep := Reply{Text: q.say(head)}
	if q.resultOf(history) != nil {
		rep.Text = paragraphs(rep.Text, q.packageHistory(history, true).Text)
	}
	return rep
}

// means reports whether the request can mean a change: the named program or service, or the kind of change that it names.
func (q *inquiry) means(c pastChange) bool {
	has := func(fits func(plan.Effect) bool) bool { return slices.ContainsFunc(c.Effects, fits) }
	if n := q.Request.Name(); n != nil {
		named := has(func(e plan.Effect) bool {
			name := strings.TrimSuffix(e.Name, ".service")
			return e.Kind == plan.KindPackage && name == n.Package || name == n.Service && n.Service != ""
		})
		if !named {
			return false
		}
	}
	isPackage := func(e plan.Effect) bool { return e.Kind == plan.KindPackage }
	switch {
	case q.Request.AsksForVersion():
		return has(func(e plan.Effect) bool { return isPackage(e) && e.Before != "" && e.After != "" })
	case q.asksAbout("@install", "installed"):
		return has(func(e plan.Effect) bool { return isPackage(e) && e.Before == "" })
	case q.asksAbout("@remove"):
		return has(func(e plan.Effect) bool { return e.After == "" })
	case q.asksAbout("@update", "update"):
		return has(func(e plan.Effect) bool { return isPackage(e) && e.Before != "" && e.After != "" })
	case q.asksAbout("service", "@start", "@stop", "@restart", "@enable", "@disable"):
		return has(func(e plan.Effect) bool { return e.Kind == plan.KindUnit || e.Kind == plan.KindUnitFile })
	}
	return true
}

// isOnlyOf reports whether a change is about one package and nothing else.
func (c pastChange) isOnlyOf(name string) bool {
	return !slices.ContainsFunc(c.Effects, func(e plan.Effect) bool { return e.Kind != plan.KindPackage || e.Name != name })
}

// howToUndo says how the latest of some changes that can be taken back is taken back, "" if there is none.
func (q *inquiry) howToUndo(list []pastChange) string {
	i := slices.IndexFunc(list, pastChange.canBeTakenBack)
	if i < 0 {
		return ""
	}
	return q.say(i18n.HelperRepairUndoHow(list[i].ID))
}
