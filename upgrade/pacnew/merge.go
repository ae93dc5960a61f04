package pacnew

import (
	"errors"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// Side is one of the two versions of a file.
type Side string

// The sides: the person's version, and that of the package.
const (
	Mine Side = "mine"
	New  Side = "new"
)

// part is a range of lines of a merge. Both sides are the same unless they conflict.
type part struct {
	mine, new []string
	conflict  bool
	line      int // of the person's version, from 1
}

// errChanged reports versions that do not fit the changes: a file has changed since they were compared.
var errChanged = errors.New("the files are not those that were compared")

// merge applies the changes between the person's version, the new version and the base, in this order, which [machine.MergeProbe]
// shows: what only one side changed comes from that side.
func merge(mine, new string, changes []machine.Change3) (parts []part, err error) {
	ours, theirs := splitLines(mine), splitLines(new)
	at, to := 0, 0 // lines read
	same := func(n int) error {
		if n < 0 || at+n > len(ours) || to+n > len(theirs) || !slices.Equal(ours[at:at+n], theirs[to:to+n]) {
			return errChanged
		}
		if n > 0 {
			parts = append(parts, part{mine: ours[at : at+n], new: ours[at : at+n], line: at + 1})
		}
		at, to = at+n, to+n
		return nil
	}
	for _, c := range changes {
		first, second := c.Spans[0], c.Spans[1]
		if err := same(first.From - 1 - at); err != nil {
			return nil, err
		}
		if to != second.From-1 || first.To > len(ours) || second.To > len(theirs) || first.To < at || second.To < to {
			return nil, errChanged
		}
		p := part{mine: ours[at:first.To], new: theirs[to:second.To], line: at + 1}
		switch equal := slices.Equal(p.mine, p.new); {
		case c.Only == 3 && !equal, c.Only != 3 && equal:
			return nil, errChanged
		case c.Only == 1:
			p.new = p.mine
		case c.Only == 2:
			p.mine = p.new
		case c.Only == 0:
			p.conflict = true
		}
		parts = append(parts, p)
		at, to = first.To, second.To
	}
	if err := same(len(ours) - at); err != nil || to != len(theirs) {
		return nil, errChanged
	}
	return parts, nil
}

// splitLines returns the lines of a text with their ends.
func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

// conflicts returns the parts that need a decision, in order.
func conflicts(parts []part) (all []part) {
	for _, p := range parts {
		if p.conflict {
			all = append(all, p)
		}
	}
	return all
}

// resolve returns the merged text with a side for each conflict, by its number from 1. ok is false if one has none.
func resolve(parts []part, sides map[int]Side) (text string, ok bool) {
	var b strings.Builder
	number := 0
	for _, p := range parts {
		lines := p.mine
		if p.conflict {
			number++
			switch sides[number] {
			case Mine:
			case New:
				lines = p.new
			default:
				return "", false
			}
		}
		for _, line := range lines {
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") { // the last line of a version has no end
				b.WriteByte('\n')
			}
			b.WriteString(line)
		}
	}
	return b.String(), true
}
