package report

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// pastChange is a change as the tool recent_changes lists it, one JSON object a line (tools/action, listedChange).
type pastChange struct {
	Time  string `json:"time"`
	ID    string `json:"id"`
	Goal  string `json:"goal"`
	Steps []struct {
		Command string `json:"command"`
	} `json:"steps"`
	Effects   []plan.Effect `json:"effects"`
	TakesBack string        `json:"takes_back"`
	TakenBack string        `json:"taken_back"`
}

// receiptID matches the id of a change.
var receiptID = pattern(`^U[0-9A-HJKMNP-TV-Z]{4}$`)

// parsePastChanges returns the changes that can be taken back, the latest first.
func parsePastChanges(text string) (list []pastChange) {
	for line := range strings.Lines(text) {
		var c pastChange
		if json.Unmarshal([]byte(line), &c) == nil && receiptID().MatchString(c.ID) && len(c.Effects) > 0 && c.TakenBack == "" && c.TakesBack == "" {
			list = append(list, c)
		}
	}
	return list
}

// about names what a change did.
func (c pastChange) about() string {
	if c.Goal != "" {
		return cutRunes(machine.CleanLine(c.Goal), 80)
	}
	commands := strings.Join(each(c.Steps, func(s struct {
		Command string `json:"command"`
	},
	) string {
		return machine.CleanLine(s.Command)
	}), "; ")
	return "`" + cutRunes(strings.ReplaceAll(commands, "`", "'"), 80) + "`"
}

// shownUndoable is how many changes an answer lists.
const shownUndoable = 10

// undo takes the change back that the request means, or lists those that can be taken back. What this program did not change
// it explains with pacman's log.
func (q *inquiry) undo() Reply {
	r := q.resultOf(q.first)
	if r == nil || r.out == nil || r.out.Refusal != "" || len(r.steps) == 0 {
		return q.firstReply()
	}
	list := parsePastChanges(r.steps[0].Stdout)
	if q.Request == nil || q.Request.AsksWhatToUndo() {
		return q.undoable(list)
	}
	meant := filter(list, q.means)
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
		return q.say(i18n.HelperRepairChangeLine(c.ID, c.Time, c.about()))
	})
	return Reply{Text: joinBlocks(q.say(i18n.HelperRepairCanUndo(len(list))), bullets(rows), q.say(i18n.HelperRepairUndoHow(list[0].ID)))}
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
