package report

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// pastChange is a change as the tool recent_changes lists it, one JSON object a line (tools/action, listedChange).
type pastChange struct {
	Time      string        `json:"time"` // 2006-01-02 15:04
	ID        string        `json:"id"`
	Goal      string        `json:"goal"`
	Steps     []pastStep    `json:"steps"`
	Effects   []plan.Effect `json:"effects"`
	TakesBack string        `json:"takes_back"`
	TakenBack string        `json:"taken_back"`
}

type pastStep struct {
	Command string `json:"command"`
	State   string `json:"state"`
}

// The states of a step that did not end (tools/action).
const (
	stateNotRun     = "not run"
	stateEndUnknown = "unknown whether it finished"
)

// pastCounts is the last line of the list: the commands that changed nothing, and the changes that are not listed.
type pastCounts struct {
	Read    *int `json:"commands_that_only_read"`
	Refused int  `json:"commands_not_run"`
	More    int  `json:"earlier_changes_not_listed"`
}

// receiptID matches the id of a change.
var receiptID = pattern(`^U[0-9A-HJKMNP-TV-Z]{4}$`)

// parsePastChanges returns the listed changes, the latest first. complete reports that the list ends with its counts:
// only then an empty list means that nothing was changed.
func parsePastChanges(text string) (list []pastChange, counts pastCounts, complete bool) {
	for line := range strings.Lines(text) {
		var c pastChange
		if json.Unmarshal([]byte(line), &c) == nil && receiptID().MatchString(c.ID) {
			list = append(list, c)
			continue
		}
		var n pastCounts
		if json.Unmarshal([]byte(line), &n) == nil && n.Read != nil {
			counts, complete = n, true
		}
	}
	return list, counts, complete
}

// canBeTakenBack reports whether a change has effects, and is neither taken back nor takes another one back.
func (c pastChange) canBeTakenBack() bool {
	return len(c.Effects) > 0 && c.TakenBack == "" && c.TakesBack == ""
}

// about names what a change did: its goal, or its commands.
func (c pastChange) about(lang i18n.Lang) string {
	if c.Goal != "" {
		return cutRunes(machine.CleanLine(c.Goal), 80)
	}
	return c.commands(lang)
}

// commands returns the commands of a change, marked as such.
func (c pastChange) commands(lang i18n.Lang) string {
	commands := strings.Join(each(c.Steps, func(s pastStep) string { return machine.CleanLine(i18n.StepCommand(s.Command, lang)) }), "; ")
	return "`" + cutRunes(strings.ReplaceAll(commands, "`", "'"), 80) + "`"
}

// has reports whether a step ended in one of the states.
func (c pastChange) has(states ...string) bool {
	return slices.ContainsFunc(c.Steps, func(s pastStep) bool { return slices.Contains(states, s.State) })
}
