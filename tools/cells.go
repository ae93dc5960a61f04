package tools

import (
	"slices"

	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
)

// ReasonMixedCells is why a command that only reads is asked about when its parts
// need different openings and cannot be started apart.
const ReasonMixedCells = "mixed-cells"

// Cell is a part of a command with the openings that it alone gets.
type Cell struct {
	After string // ";", "&&" or "||"; "" for the first
	Command
	Needs sandbox.Needs
}

// cellsOf returns the cells that a SAFE command runs in, one for each part that can
// be started by itself. apart is false when parts that cannot be taken apart need
// openings that may not be shared.
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
// What only looks (mounts, processes, the network as this machine sees it, a reading
// bus) may be shared. A service's socket, a device or the way to other hosts is for
// the commands that need it, and for those that work on their input alone. A
// service's cell also takes a command that was given no path and is no script: nothing
// that somebody else wrote says what it does.
func needsOf(p safety.Part, text string) (sandbox.Needs, bool) {
	var names []string
	var special []sandbox.Needs
	for _, u := range p.Uses {
		names = append(names, u.Programs...)
		if n := sandbox.NeedsOf(u.Programs, ""); n.Opens() && !slices.ContainsFunc(special, func(m sandbox.Needs) bool { return m.Equal(n) }) {
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
	reach := special[0].Reaches()
	for _, u := range p.Uses {
		if !u.Neutral && !sandbox.NeedsOf(u.Programs, "").Equal(special[0]) && (reach || !u.Plain) {
			return all, false
		}
	}
	return all, true
}

// confine notes the cells of a plan's command.
func (j *Judged) confine(c Command, v safety.Verdict) {
	cells, apart := cellsOf(c, v)
	j.cells = append(j.cells, cells)
	j.mixed = j.mixed || !apart
}

// holdsAll reports whether the kernel can hold every part of a plan.
func (g *Gate) holdsAll(j *Judged) bool {
	for _, cells := range j.cells {
		for _, c := range cells {
			if g.executor.Confines(c.Needs) != nil {
				return false
			}
		}
	}
	return true
}
