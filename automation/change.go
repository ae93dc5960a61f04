package automation

import (
	"context"
	"time"
)

// NewRule returns a rule with the defaults of a table that has only a name.
func NewRule(name string) Rule {
	return Rule{Name: name, Notify: []string{"desktop"}, Enabled: true, CatchUp: CatchLatest, Timeout: 10 * time.Minute}
}

// Check returns the first [Problem] that prevents writing a rule to the managed drop-in, or nil.
func (o Files) Check(r Rule) error {
	if len(r.Commands) > 0 { // allowed only in the person's own file
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

// Replace replaces the rule of the same name. A rule in the person's own file stays there, but is disabled by a
// [[change]]. It fails with [ErrUnknownRule] or a [Problem].
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
		f.changes = append(withoutName(f.changes, r.Name), map[string]any{"name": r.Name, "removed": true})
		f.rules = append(f.rules, ruleValues(r))
		return nil
	})
}
