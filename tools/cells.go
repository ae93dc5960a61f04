package tools

import (
	"slices"

	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
)

// ReasonMixedCells is the reason to confirm a reading command whose parts need different openings but cannot be
// started separately.
const ReasonMixedCells = "mixed-cells"

// Cell is a part of a command with its own openings.
type Cell struct {
	After string // ";", "&&" or "||"; "" for the first part
	Command
	Needs sandbox.Needs
}

// cellsOf returns the cells of a SAFE command, one for each part that can be started separately. apart is false
// if parts that cannot be separated need openings that must not be shared.
func cellsOf(c Command, v safety.Verdict) (cells []Cell, apart bool) {
	apart = true
	for _, p := range v.Parts {
		part := Cell{After: p.After, Command: c}
		if c.Shell != "" {
			part.Shell = p.Source
		}
		needs, ok := needsOf(p, part.String())
		part.Needs = needs
		apart = apart && ok
		cells = append(cells, part)
	}
	return cells, apart
}

// needsOf returns the openings of one part, which are those of its commands.
//
// Openings that only read can be shared (mounts, processes, the network as this machine sees it, a read-only
// bus). A service's socket, a device or access to other hosts is only for the commands that need it, and for
// commands that only process their input. A cell with a service also accepts a command without path operands
// that is no script: no text written by others decides what it does.
func needsOf(p safety.Part, text string) (sandbox.Needs, bool) {
	var names []string
	var special []sandbox.Needs
	for _, u := range p.Uses {
		names = append(names, u.Programs...)
		if n := sandbox.NeedsOf(u.Programs, ""); n.HasRiskyOpenings() && !slices.ContainsFunc(special, func(m sandbox.Needs) bool { return m.Equal(n) }) {
			special = append(special, n)
		}
	}
	all := sandbox.NeedsOf(names, text)
	if len(special) == 0 {
		return all, true
	}
	if len(special) > 1 {
		return all, false
	}
	reach := special[0].HasNetwork()
	for _, u := range p.Uses {
		if !u.Neutral && !sandbox.NeedsOf(u.Programs, "").Equal(special[0]) && (reach || !u.Plain) {
			return all, false
		}
	}
	return all, true
}

// confine adds the cells of one of the plan's commands.
func (j *JudgedPlan) confine(c Command, v safety.Verdict) {
	cells, apart := cellsOf(c, v)
	j.cells = append(j.cells, cells)
	j.isMixed = j.isMixed || !apart
}

// canConfine reports whether the sandbox can confine every part of a plan.
func (g *Gate) canConfine(j *JudgedPlan) bool {
	for _, cells := range j.cells {
		for _, c := range cells {
			if g.executor.CanConfine(c.Needs) != nil {
				return false
			}
		}
	}
	return true
}
