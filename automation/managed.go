package automation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Errors of [Managed].
var (
	ErrUnknownRule = errors.New("no such rule")
	ErrExists      = errors.New("a rule of that name already exists")
)

const (
	managedLockWait = 5 * time.Second
	managedLockTry  = 5 * time.Millisecond
)

var errLocked = errors.New("another program is changing the rules")

// Managed changes rules on behalf of a person. It writes only the managed drop-in and never the person's own
// files. The drop-in contains the rules that it added, and changes to the others.
type Managed struct {
	Files Files
}

// managedHead is the comment at the start of the file.
const managedHead = `# Written by blunux-ai ("blunux-aictl automations", or what you asked for in a
# conversation). Rules here may be changed by hand; comments are not kept.
# Your own rules belong in automations.toml. [[change]] tells what was switched
# or removed of those.
`

// managedFile is the content of the drop-in.
type managedFile struct {
	rules   []map[string]any
	changes []map[string]any
}

// Add adds a new rule. It fails with [ErrExists], or with a [Problem] for an invalid rule or an unreadable
// drop-in.
func (m Managed) Add(ctx context.Context, r Rule) error {
	return m.edit(ctx, "add", r.Name, func(f *managedFile, l *loader) error {
		values := ruleValues(r)
		o := m.Files
		if _, problems := readRule(table{values: values}, o.Managed, &o); len(problems) > 0 {
			return problems[0]
		}
		if _, taken := l.seen[r.Name]; taken || f.rule(r.Name) >= 0 {
			return ErrExists
		}
		f.rules = append(f.rules, values)
		return nil
	})
}

// Enable enables or disables a rule. It fails with [ErrUnknownRule].
func (m Managed) Enable(ctx context.Context, name string, on bool) error {
	return m.edit(ctx, "switch", name, func(f *managedFile, l *loader) error {
		if i := f.rule(name); i >= 0 {
			f.rules[i]["enabled"] = on
			return nil
		}
		if _, known := find(l.set.Rules, name); !known {
			return ErrUnknownRule
		}
		f.changes = append(withoutName(f.changes, name), map[string]any{"name": name, "enabled": on})
		return nil
	})
}

// Remove removes a rule. It fails with [ErrUnknownRule].
func (m Managed) Remove(ctx context.Context, name string) error {
	return m.edit(ctx, "remove", name, func(f *managedFile, l *loader) error {
		r, known := find(l.set.Rules, name)
		mine := f.rule(name)
		if mine < 0 && !known {
			return ErrUnknownRule
		}
		if mine >= 0 {
			f.rules = slices.Delete(f.rules, mine, mine+1)
		}
		if known && !r.Managed {
			f.changes = append(withoutName(f.changes, name), map[string]any{"name": name, "removed": true})
		}
		return nil
	})
}

func find(rules []Rule, name string) (Rule, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Name == name })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

func (f *managedFile) rule(name string) int {
	return slices.IndexFunc(f.rules, func(t map[string]any) bool { return t["name"] == name || t["id"] == name })
}

// forget drops the changes of deleted rules. Otherwise a new rule of the same name would be removed immediately.
// If a file cannot be read, it drops none.
func (f *managedFile) forget(l *loader) {
	if slices.ContainsFunc(l.problems, func(p Problem) bool { return p.Rule == "" }) {
		return
	}
	f.changes = slices.DeleteFunc(f.changes, func(t map[string]any) bool {
		name, _ := t["name"].(string)
		return !l.ownNames[name]
	})
}

func withoutName(tables []map[string]any, name string) []map[string]any {
	return slices.DeleteFunc(tables, func(t map[string]any) bool { return t["name"] == name })
}

// edit changes the drop-in under its lock.
func (m Managed) edit(ctx context.Context, verb, name string, change func(*managedFile, *loader) error) error {
	unlock, err := m.lock(ctx)
	if err != nil {
		return fmt.Errorf("cannot %s the rule %q: %w", verb, name, err)
	}
	defer unlock()
	f, err := m.read()
	if err == nil {
		l := load(m.Files)
		f.forget(l)
		err = change(&f, l)
	}
	if err == nil {
		err = m.write(f)
	}
	if err != nil {
		return fmt.Errorf("cannot %s the rule %q: %w", verb, name, err)
	}
	return nil
}

func (m Managed) lock(ctx context.Context) (func(), error) {
	dir := filepath.Dir(m.Files.Managed)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if p := checkDir(dir); p != nil {
		return nil, *p
	}
	return lockFile(ctx, filepath.Join(dir, ".lock"))
}

// lockFile takes an exclusive lock. The lock is also released when the process ends.
func lockFile(ctx context.Context, file string) (func(), error) {
	f, err := openOwn(file, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, managedLockWait, errLocked)
	defer cancel()
	if err := disk.WaitLock(ctx, f, managedLockTry); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// read reads the drop-in. It fails for an invalid one, which must not be overwritten.
func (m Managed) read() (managedFile, error) {
	d, _, err := readFile(m.Files.Managed)
	var f managedFile
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if len(d.problems) > 0 {
		return f, d.problems[0]
	}
	for _, t := range d.tables {
		f.rules = append(f.rules, t.values)
	}
	for _, t := range d.changes {
		f.changes = append(f.changes, t.values)
	}
	return f, nil
}

func (m Managed) write(f managedFile) error {
	b := bytes.NewBufferString(managedHead)
	for _, t := range f.rules {
		if err := writeTable(b, "automation", t); err != nil {
			return err
		}
	}
	for _, t := range f.changes {
		if err := writeTable(b, "change", t); err != nil {
			return err
		}
	}
	if _, err := readDocument(m.Files.Managed, b.Bytes()); err != nil {
		return err
	}
	return writeOwn(m.Files.Managed, b.Bytes())
}

// firstKeys come first in a table, in this order. The others follow by name.
var firstKeys = []string{"name", "at", "schedule", "on", "once", "say", "check", "over", "within", "paths", "action", "notify", "enabled"}

func writeTable(b *bytes.Buffer, list string, t map[string]any) error {
	fmt.Fprintf(b, "\n[[%s]]\n", list)
	var keys []string
	for k := range t {
		keys = append(keys, k)
	}
	rank := func(k string) int {
		if i := slices.Index(firstKeys, k); i >= 0 {
			return i
		}
		return len(firstKeys)
	}
	sorting.By(keys, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, k := range keys {
		if err := toml.NewEncoder(b).SetTablesInline(true).Encode(map[string]any{k: t[k]}); err != nil {
			return err
		}
	}
	return nil
}

// ruleValues returns the keys of a rule's table, without defaults.
func ruleValues(r Rule) map[string]any {
	t := map[string]any{"name": r.Name}
	put := func(key string, value any, has bool) {
		if has {
			t[key] = value
		}
	}
	put("schedule", r.Schedule, r.Schedule != "")
	put("at", r.At, r.At != "")
	put("on", anyList(r.On), len(r.On) > 0)
	put("once", r.Once, r.Once)
	put("say", r.Say, r.Say != "")
	put("action", r.Action, r.Action != "")
	put("check", r.Check, r.Check != "")
	if r.Over != nil {
		t["over"] = *r.Over
	}
	put("within", FormatDuration(r.Within), r.Within != 0)
	put("paths", anyList(r.Paths), len(r.Paths) > 0)
	put("notify", anyList(r.Notify), len(r.Notify) > 0)
	put("auto_apply", r.AutoApply, r.AutoApply)
	put("commands", len(r.Commands), len(r.Commands) > 0) // refused later
	put("enabled", r.Enabled, !r.Enabled)
	put("catch_up", string(r.CatchUp), r.CatchUp != "")
	put("jitter", FormatDuration(r.Jitter), r.Jitter != 0)
	put("timeout", FormatDuration(r.Timeout), r.Timeout != 0)
	put("budget", r.BudgetUSD, r.BudgetUSD != 0)
	put("quiet", r.Quiet.String(), r.Quiet != Quiet{})
	put("language", r.Language, r.Language != "")
	put("session", r.Session, r.Session != "")
	put("after", int64(r.After), r.After != 0)
	put("again", FormatDuration(r.Again), r.Again != 0)
	return t
}

func anyList(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
