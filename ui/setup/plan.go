package setup

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/pelletier/go-toml/v2"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

// Plan has the files to write and the resulting changes.
type Plan struct {
	// File is the settings file and Text its new content; nil keeps the file.
	File string
	Text []byte
	// KeyFile is the file to which Key is written; "" for none.
	KeyFile string
	Key     string
	// Changes are the settings whose effective value changes.
	Changes []Change
	// OverriddenSettings are requested settings that a later file or a variable overrides.
	OverriddenSettings []config.Setting
	// Messengers are those with admitted senders.
	Messengers []string
	// Linked is the key file if it is a symbolic link, which writing replaces.
	Linked string
	// Shadow is the variable whose key takes precedence over the written one.
	Shadow string
}

// Change is a setting before and after; nil for no value.
type Change struct {
	Key    string `json:"key"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// IsEmpty reports whether there is nothing to write.
func (p Plan) IsEmpty() bool { return p.Text == nil && p.KeyFile == "" }

// Plan computes the file changes for answers. It writes nothing. It fails if the current settings
// or an answer are invalid.
func (s *Setup) Plan(a Answers) (Plan, error) {
	now, err := s.CurrentSettings()
	if err != nil {
		return Plan{}, err
	}
	p := Plan{File: s.Paths.Setup(), Messengers: a.messengers(now)}
	if err := s.planKey(&p, a, now); err != nil {
		return Plan{}, err
	}
	below, err := s.settingsBelow()
	if err != nil {
		return Plan{}, err
	}
	mine, before, err := readOwn(p.File)
	if err != nil {
		return Plan{}, err
	}
	wishes := a.changed(now).toSettings(now)
	for _, w := range wishes {
		w.apply(mine, below)
	}
	text, err := config.Render(config.Settings(mine), nil)
	if err != nil {
		return Plan{}, err
	}
	head := i18n.SetupFileHead.In(s.Lang) + "\n"
	whole := []byte(head + "\n" + text)
	if text == "" {
		whole = []byte(head)
	}
	if bytes.Equal(whole, before) || before == nil && text == "" || sameValues(before, whole) {
		return p, nil
	}
	p.Text = whole
	return p, s.compare(&p, wishes)
}

func (s *Setup) planKey(p *Plan, a Answers, now Current) error {
	if a.Key == "" {
		return nil
	}
	provider := cmp.Or(a.Provider, now.Provider)
	e, ok := catalog.Lookup(provider)
	if !ok || e.Keys.Credential == "" {
		return i18n.SetupTakesNone(provider).WithCause(nil)
	}
	if err := CheckKey(a.Key); err != nil {
		return err
	}
	if env := s.inEnv(e); env != "" && s.Getenv(env) != a.Key {
		p.Shadow = env
	}
	if have, err := os.ReadFile(s.keyFile(e)); err == nil && string(bytes.TrimSpace(have)) == a.Key && isPrivate(s.keyFile(e)) {
		return nil
	}
	p.KeyFile, p.Key = s.keyFile(e), a.Key
	if fi, err := os.Lstat(p.KeyFile); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		p.Linked = p.KeyFile
	}
	return nil
}

func isPrivate(file string) bool {
	fi, err := os.Lstat(file)
	return err == nil && fi.Mode().IsRegular() && fi.Mode().Perm()&0o077 == 0
}

// settingsBelow returns the settings without the set-up's file and without this terminal's variables, which
// do not persist.
func (s *Setup) settingsBelow() (map[string]config.Setting, error) {
	src := s.Source.WithText(s.Paths.Setup(), nil)
	src.Getenv = func(string) string { return "" }
	all, err := config.Effective(src)
	if err != nil {
		return nil, err
	}
	return byKey(all), nil
}

func byKey(all []config.Setting) map[string]config.Setting {
	m := map[string]config.Setting{}
	for _, v := range all {
		m[v.Key()] = v
	}
	return m
}

// apply sets a value in the set-up's file, or removes it if it already applies without.
func (w settingChange) apply(mine map[string]any, below map[string]config.Setting) {
	key := config.Setting{Path: w.path}.Key()
	there, said := below[key]
	value := w.value
	switch v := value.(type) {
	case nil:
		clearAt(mine, w.path)
		return
	case defaultModel:
		if !said {
			clearAt(mine, w.path)
			return
		}
		value = string(v)
	case []any:
		said = said || len(v) == 0
		if there.Value == nil {
			there.Value = []any{}
		}
	}
	if said && fmt.Sprint(there.Value) == fmt.Sprint(value) {
		clearAt(mine, w.path)
		return
	}
	for _, name := range w.path[:len(w.path)-1] {
		inner, ok := mine[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			mine[name] = inner
		}
		mine = inner
	}
	mine[w.path[len(w.path)-1]] = value
}

// clearAt removes a value and the tables that become empty.
func clearAt(top map[string]any, path []string) {
	if len(path) == 1 {
		delete(top, path[0])
		return
	}
	inner, ok := top[path[0]].(map[string]any)
	if !ok {
		return
	}
	clearAt(inner, path[1:])
	if len(inner) == 0 {
		delete(top, path[0])
	}
}

// compare fills in the changes and the overruled settings. It fails if the new settings would be invalid.
func (s *Setup) compare(p *Plan, wishes []settingChange) error {
	was, err := config.Effective(s.Source)
	if err != nil {
		return err
	}
	will, err := config.Effective(s.Source.WithText(p.File, p.Text))
	if err != nil {
		return err
	}
	before, after := byKey(was), byKey(will)
	for _, list := range [][]config.Setting{will, was} {
		for _, v := range list {
			c := Change{v.Key(), before[v.Key()].Value, after[v.Key()].Value}
			if fmt.Sprint(c.Before) != fmt.Sprint(c.After) && !slices.ContainsFunc(p.Changes, func(o Change) bool { return o.Key == c.Key }) {
				p.Changes = append(p.Changes, c)
			}
		}
	}
	for _, w := range wishes {
		v, ok := after[config.Setting{Path: w.path}.Key()]
		if _, fallsBack := w.value.(defaultModel); w.value != nil && !fallsBack && ok && fmt.Sprint(v.Value) != fmt.Sprint(w.value) {
			p.OverriddenSettings = append(p.OverriddenSettings, v)
		}
	}
	return nil
}

func readOwn(file string) (top map[string]any, text []byte, err error) {
	top = map[string]any{}
	text, err = os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return top, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read %s: %w", file, err)
	}
	if err := toml.Unmarshal(text, &top); err != nil {
		return nil, nil, fmt.Errorf("cannot read %s: %w", file, err)
	}
	all := map[string]any{}
	config.MergeValues(all, top) // in the new spelling
	return all, text, nil
}

// sameValues reports whether two files have the same values, ignoring comments.
func sameValues(a, b []byte) bool {
	var one, other map[string]any
	return a != nil && toml.Unmarshal(a, &one) == nil && toml.Unmarshal(b, &other) == nil && fmt.Sprint(one) == fmt.Sprint(other)
}

// ErrKey reports that a text is not a single key on one line.
var ErrKey = errors.New("not one key on one line")

// CheckKey returns [ErrKey] if key cannot be a key.
func CheckKey(key string) error {
	if key == "" || len(key) > 4096 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f || r > 0x7f }) {
		return ErrKey
	}
	return nil
}

// Write writes all files of a plan, or none if that fails. Files get mode 0600 and directories
// 0700. Each file is replaced atomically.
func (p Plan) Write(paths config.Paths) error {
	return WriteFiles(paths, p.files())
}

// File is a file and its new content.
type File struct {
	Path string
	Text []byte
}

// WriteFiles writes files below the program's home directory like [Plan.Write].
func WriteFiles(paths config.Paths, files []File) error {
	if len(files) == 0 {
		return nil
	}
	if err := paths.Ensure(); err != nil {
		return err
	}
	var staged []*renameio.PendingFile
	defer func() {
		for _, f := range staged {
			_ = f.Cleanup() // no effect after the replacement
		}
	}()
	for _, f := range files {
		pending, err := stageFile(f.Path, f.Text)
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", f.Path, err)
		}
		staged = append(staged, pending)
	}
	var undo []func()
	for i, f := range files {
		open, err := restrictDir(filepath.Dir(f.Path))
		undo = append(undo, open)
		var back func()
		if err == nil {
			back, err = restorer(f.Path)
		}
		if err == nil {
			err = staged[i].CloseAtomicallyReplace()
		}
		if err != nil {
			for _, u := range undo {
				u()
			}
			return fmt.Errorf("cannot write %s: %w", f.Path, err)
		}
		undo = append(undo, back)
	}
	return nil
}

// files returns the files to write. The key comes first, so that settings never name a provider without a key.
func (p Plan) files() []File {
	var all []File
	if p.KeyFile != "" {
		all = append(all, File{p.KeyFile, []byte(p.Key + "\n")})
	}
	if p.Text != nil {
		all = append(all, File{p.File, p.Text})
	}
	return all
}

// restrictDir restricts a directory's mode to its owner. The returned function restores it.
func restrictDir(dir string) (open func(), err error) {
	fi, err := os.Stat(dir)
	if err != nil || fi.Mode().Perm()&0o077 == 0 {
		return func() {}, err
	}
	return func() { _ = os.Chmod(dir, fi.Mode().Perm()) }, os.Chmod(dir, 0o700)
}

// stageFile writes a temporary file next to its destination.
func stageFile(path string, text []byte) (*renameio.PendingFile, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(text); err != nil {
		_ = f.Cleanup()
		return nil, err
	}
	return f, nil
}

// restorer returns a function that restores a file's current content.
func restorer(path string) (func(), error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return func() { _ = os.Remove(path) }, nil
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = renameio.WriteFile(path, text, 0o600) }, nil
}
