package report

import (
	"encoding/json"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/timeline"
)

// shownEvents is how many changes of this machine an answer lists.
const shownEvents = 15

// timeline reports what changed on this machine, by anyone.
func (q *inquiry) timeline() Reply {
	res := q.find(q.first)
	if res == nil || res.IsError || res.Output == nil || len(res.Output.Steps) == 0 {
		return q.toolReply(q.first)
	}
	var rows, unseen []string
	more := 0
	for line := range strings.Lines(res.Output.Steps[0].Stdout) {
		var e timeline.Event
		var end struct {
			More   int      `json:"earlier_changes_not_listed"`
			Unseen []string `json:"not_looked_at"`
		}
		switch {
		case json.Unmarshal([]byte(line), &e) == nil && e.Kind != "" && len(rows) < shownEvents:
			rows = append(rows, cutRunes(strings.Join(append([]string{e.Row(q.Lang)}, e.Lines...), " · "), 240))
		case e.Kind != "":
			more++
		case json.Unmarshal([]byte(line), &end) == nil:
			unseen, more = end.Unseen, more+end.More
		}
	}
	head := i18n.TimelineNone
	if len(rows) > 0 {
		head = i18n.TimelineList
	}
	return Reply{Text: joinBlocks(
		q.say(head), bullets(rows), q.sayIf(more > 0, i18n.TimelineMore(more)),
		q.sayIf(len(unseen) > 0, i18n.TimelineUnseen(strings.Join(unseen, ", "))),
	)}
}
