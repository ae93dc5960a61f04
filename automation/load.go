package automation

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/i18n"
)

// Files are the places of rules.
type Files struct {
	Path string // the person's automations.toml
	// Managed is the drop-in that commands write. Its directory contains the other drop-ins.
	Managed string
	// State is the directory for the last valid versions of the files. If empty, none are stored.
	State string
	// Checks reports whether a check exists. If nil, all do.
	Checks func(name string) bool
	// Accepts validates the over, within and paths of a rule with a check. It returns the invalid key and the
	// reason, or nil.
	Accepts func(Rule) (key string, why func(i18n.Lang) string)
}

// Set is the list of valid rules, in the order of the files.
type Set struct {
	Rules []Rule
	Files []string // existing ones
	Stale []string // those read from their last valid version
}

// Load reads the person's file and the drop-ins in order of their names. It skips invalid rules and reports their
// problems. For an unreadable file, it uses the last valid version.
func Load(o Files) (Set, []Problem) {
	l := load(o)
	return l.set, l.problems
}

func load(o Files) *loader {
	l := &loader{o: o, seen: map[string]Rule{}, ownNames: map[string]bool{}}
	files, problems := o.files()
	l.problems = problems
	var docs []document
	for _, file := range files {
		if d, ok := l.read(file); ok {
			docs = append(docs, d)
		}
	}
	changes := l.changes(docs)
	for _, d := range docs {
		l.addRules(d, changes)
	}
	o.removeStaleCopies()
	return l
}

type loader struct {
	o        Files
	set      Set
	problems []Problem
	seen     map[string]Rule // first rule of each name, valid or not
	ownNames map[string]bool // names of rules in the person's own files
}

// files returns the paths of the person's file and the drop-ins.
func (o Files) files() ([]string, []Problem) {
	files := []string{o.Path}
	dir := filepath.Dir(o.Managed)
	if o.Managed == "" {
		return files, nil
	}
	if p := checkDir(dir); p != nil {
		return files, []Problem{*p}
	}
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return files, []Problem{{File: dir, Code: "unreadable", Args: []any{err}}}
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".toml") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// checkDir returns the reason not to use a directory of drop-ins, or nil.
func checkDir(dir string) *Problem {
	fi, err := os.Lstat(dir)
	if err != nil {
		return nil
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return &Problem{File: dir, Code: "link", Args: []any{shellQuote(dir)}}
	case ok && int(st.Uid) != os.Getuid():
		return &Problem{File: dir, Code: "owner", Args: []any{int(st.Uid), shellQuote(dir)}}
	case fi.Mode().Perm()&0o022 != 0:
		return &Problem{File: dir, Code: "writable", Args: []any{fmt.Sprintf("%04o", fi.Mode().Perm()), shellQuote(dir)}}
	}
	return nil
}

// goodFile returns the path of a file's last valid version.
func (o Files) goodFile(file string) string {
	if file == o.Path {
		return filepath.Join(o.State, "good", filepath.Base(file))
	}
	return filepath.Join(o.State, "good", "automations.d", filepath.Base(file))
}

// read reads a file, or its last valid version.
func (l *loader) read(file string) (document, bool) {
	d, text, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return document{}, false
	}
	l.set.Files = append(l.set.Files, file)
	if err == nil {
		l.saveGood(file, text)
		return d, true
	}
	var p Problem
	if !errors.As(err, &p) {
		p = Problem{Code: "unreadable", Args: []any{err}}
	}
	p.File = file
	d, ok := l.lastGood(file)
	p.Stale = ok
	l.problems = append(l.problems, p)
	return d, ok
}

func readFile(file string) (document, []byte, error) {
	text, err := readOwn(file)
	if err != nil {
		return document{}, nil, err
	}
	d, err := readDocument(file, text)
	return d, text, err
}

// saveGood stores a valid version. If that fails, the former one stays.
func (l *loader) saveGood(file string, text []byte) {
	if l.o.State == "" {
		return
	}
	if kept, err := readOwn(l.o.goodFile(file)); err != nil || !bytes.Equal(kept, text) {
		_ = writeOwn(l.o.goodFile(file), text)
	}
}

func (l *loader) lastGood(file string) (document, bool) {
	if l.o.State == "" {
		return document{}, false
	}
	text, err := readOwn(l.o.goodFile(file))
	if err != nil {
		return document{}, false
	}
	d, err := readDocument(file, text)
	if err == nil {
		l.set.Stale = append(l.set.Stale, file)
	}
	return d, err == nil
}

// removeStaleCopies deletes the stored versions of deleted files. Otherwise a new file of the same name could restore
// old rules.
func (o Files) removeStaleCopies() {
	if o.State == "" {
		return
	}
	if _, err := os.Lstat(o.Path); errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(o.goodFile(o.Path))
	}
	if o.Managed == "" {
		return
	}
	dir := filepath.Dir(o.goodFile(o.Managed))
	kept, _ := os.ReadDir(dir)
	for _, e := range kept {
		file := filepath.Join(filepath.Dir(o.Managed), e.Name())
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// change is a command's change to a rule in a file that commands must not write.
type change struct {
	enabled *bool
	removed bool
}

// changes returns the [[change]] tables of the managed drop-in.
func (l *loader) changes(docs []document) map[string]change {
	changes := map[string]change{}
	for _, d := range docs {
		for _, t := range d.changes {
			if d.file != l.o.Managed {
				l.problems = append(l.problems, Problem{File: d.file, Line: t.line, Column: t.column, Code: "change"})
				continue
			}
			name, c := readChange(t.values)
			changes[name] = c
		}
	}
	return changes
}

func readChange(values map[string]any) (string, change) {
	var c change
	name, _ := values["name"].(string)
	if enabled, ok := values["enabled"].(bool); ok {
		c.enabled = &enabled
	}
	c.removed, _ = values["removed"].(bool)
	return name, c
}

// addRules adds a document's rules.
func (l *loader) addRules(d document, changes map[string]change) {
	l.problems = append(l.problems, d.problems...)
	for _, t := range d.tables {
		r, problems := readRule(t, d.file, &l.o)
		c := changes[r.Name]
		l.ownNames[r.Name] = l.ownNames[r.Name] || d.file != l.o.Managed
		if d.file != l.o.Managed && c.removed {
			continue
		}
		if first, taken := l.seen[r.Name]; taken && isValidName(r.Name) {
			at := t.at("name")
			problems = []Problem{{File: d.file, Line: at.line, Column: at.column, Rule: r.Name, Code: "duplicate", Args: []any{fmt.Sprintf("%s:%d", first.File, first.Line)}}}
		} else {
			l.seen[r.Name] = r
		}
		l.problems = append(l.problems, problems...)
		if !isUsable(problems) {
			continue
		}
		if d.file != l.o.Managed && c.enabled != nil {
			r.Enabled = *c.enabled
		}
		l.set.Rules = append(l.set.Rules, r)
	}
}

func isUsable(problems []Problem) bool {
	for _, p := range problems {
		if !p.Used {
			return false
		}
	}
	return true
}
