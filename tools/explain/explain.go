// Package explain says what a command does, from its words and from the manual pages that are installed. It runs nothing.
package explain

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// Explainer explains commands. It is safe for concurrent use.
type Explainer struct {
	// Judge returns the verdict on a command.
	Judge func(command string) safety.Verdict
	// Home is the person's home directory.
	Home string
	// Manuals are the directories of manual pages, such as /usr/share/man; nil for the usual ones.
	Manuals []string
}

// Explanation is what a command does.
type Explanation struct {
	Command  string          `json:"command"`
	Class    safety.Class    `json:"class"`
	Reasons  []safety.Reason `json:"reasons"`
	Programs []Program       `json:"programs"`
	Parsed   bool            `json:"parsed"`
}

// Program is one program that a command starts.
type Program struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary,omitempty"` // in the language that was asked for, or as its manual says
	Effects []Effect `json:"effects"`
}

// Effect is one thing that a program does.
type Effect struct {
	Code string `json:"code"` // a row of the texts "effects" or "effects_of"
	What string `json:"what,omitempty"`
}

// maxPrograms bounds the programs of an explanation. A command with more of them is a script.
const maxPrograms = 20

// Explain explains a command. Summaries are in lang, or in English if there is none.
func (e *Explainer) Explain(command string, lang i18n.Lang) Explanation {
	v := e.Judge(command)
	x := Explanation{Command: command, Class: v.Class, Reasons: slices.Clone(v.Reasons), Programs: []Program{}}
	calls, ok := read(command)
	x.Parsed = ok && v.Source != ""
	for _, c := range calls[:min(len(calls), maxPrograms)] {
		p := Program{Name: c.name, Summary: e.summary(c, lang), Effects: c.effects(e.Home)}
		if p.Summary == "" && len(p.Effects) == 0 {
			p.Effects = []Effect{{Code: "unknown"}}
		}
		if !slices.ContainsFunc(x.Programs, func(q Program) bool { return q.Name == p.Name && slices.Equal(q.Effects, p.Effects) }) {
			x.Programs = append(x.Programs, p)
		}
	}
	if slices.ContainsFunc(v.Reasons, func(r safety.Reason) bool { return r.Code == "fork-bomb" }) {
		x.Programs = []Program{{Name: "bash", Effects: []Effect{{Code: "fork-bomb"}}}}
	}
	if x.Reasons == nil {
		x.Reasons = []safety.Reason{}
	}
	return x
}

// Text returns the explanation for a person.
func (x Explanation) Text(lang i18n.Lang) string {
	if !x.Parsed && x.Class != safety.Blocked {
		return i18n.ExplainUnparsed.In(lang)
	}
	var lines []string
	for _, p := range x.Programs {
		head := p.Name
		if p.Summary != "" {
			head = i18n.ExplainLine(p.Name, p.Summary).In(lang)
		}
		lines = append(lines, head)
		for _, f := range p.Effects {
			lines = append(lines, "- "+i18n.Effect(f.Code, f.What, lang))
		}
	}
	lines = append(lines, "", x.verdict().In(lang))
	for _, r := range x.tellingReasons() {
		lines = append(lines, i18n.ExplainReason(i18n.ReasonAbout(r.Code, r.Part, lang)).In(lang))
	}
	if advice, ok := x.advice(); ok {
		lines = append(lines, advice.In(lang))
	}
	return strings.Join(lines, "\n")
}

// maxReasons bounds the reasons that are shown. The worst are first.
const maxReasons = 3

// plainReasons only say that a command is not on the list of those that are known to read, or what an effect says.
var plainReasons = []string{
	"unknown-program", "unlisted-option", "unlisted-verb", "missing-operand", "missing-value", "operand-count", "version-only",
	"sudo", "interpreter", "write-redirect", "wrapper",
}

// tellingReasons returns the reasons that say more than the effects do, or the first if there are no effects.
func (x Explanation) tellingReasons() []safety.Reason {
	list := slices.DeleteFunc(slices.Clone(x.Reasons), func(r safety.Reason) bool { return slices.Contains(plainReasons, r.Code) })
	if len(list) == 0 && (x.has("unknown") || !slices.ContainsFunc(x.Programs, func(p Program) bool { return len(p.Effects) > 0 })) {
		return x.Reasons[:min(len(x.Reasons), 1)]
	}
	return list[:min(len(list), maxReasons)]
}

func (x Explanation) verdict() i18n.Text {
	switch x.Class {
	case safety.Safe:
		return i18n.ExplainVerdictSafe
	case safety.Blocked:
		return i18n.ExplainVerdictBlocked
	}
	return i18n.ExplainVerdictConfirm
}

// advice returns what a person should do before they type the command.
func (x Explanation) advice() (advice i18n.Text, ok bool) {
	switch {
	case x.has("runs-fetched", "runs-fetched-root"):
		return i18n.ExplainAdviceFetched, true
	case x.has("wipes-disk", "formats", "partitions"):
		return i18n.ExplainAdviceDisk, true
	case x.has("deletes", "deletes-tree", "deletes-found") && x.Class == safety.Confirm:
		return i18n.ExplainAdviceDelete, true
	}
	return i18n.Text{}, false
}

func (x Explanation) has(codes ...string) bool {
	return slices.ContainsFunc(x.Programs, func(p Program) bool {
		return slices.ContainsFunc(p.Effects, func(f Effect) bool { return slices.Contains(codes, f.Code) })
	})
}
