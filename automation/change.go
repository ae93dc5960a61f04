package automation

import (
	"context"
	"time"
)

// NewRule returns a rule as a table with nothing but its name is one.
func NewRule(name string) Rule {
	return Rule{Name: name, Notify: []string{"desktop"}, Enabled: true, CatchUp: CatchLatest, Timeout: 10 * time.Minute}
}

// Check returns the first [Problem] there is with a rule that is to be written into
// the managed drop-in; nil for none.
func (o Files) Check(r Rule) error {
	if len(r.Commands) > 0 { // they count in the person's own file only
		return Problem{File: o.Managed, Rule: r.Name, Code: "dropin", Args: []any{"commands"}}
	}
	_, problems := readRule(table{values: ruleValues(r)}, o.Managed, &o)
	for _, p := range problems {
		if !p.Used {
			return p
		}
	}
	return nil
}

// Replace writes a rule in the place of the one of its name. One that stands in the
// person's own file stays there, and counts no more. It fails with [ErrUnknownRule],
// and with a [Problem].
func (m Managed) Replace(ctx context.Context, r Rule) error {
	return m.edit(ctx, "change", r.Name, func(f *managedFile, l *loader) error {
		if err := m.Files.Check(r); err != nil {
			return err
		}
		i := f.rule(r.Name)
		if i >= 0 {
			f.rules[i] = ruleValues(r)
			return nil
		}
		if _, known := find(l.set.Rules, r.Name); !known {
			return ErrUnknownRule
		}
		f.changes = append(without(f.changes, r.Name), map[string]any{"name": r.Name, "removed": true})
		f.rules = append(f.rules, ruleValues(r))
		return nil
	})
}
