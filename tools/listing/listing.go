// Package listing finds files below a directory by a pattern, without those that a .gitignore leaves out. It follows no
// link and never leaves the directory.
package listing

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nidoit/blunux-ai/tools/file"
)

// The bounds of a search.
const (
	MaxEntries = 1000
	maxVisited = 100_000
	maxIgnores = 64 << 10 // bytes of a .gitignore
)

// Query is what is searched for.
type Query struct {
	Pattern string // such as **/*.go, with / between names; "" is everything directly in the directory
	Hidden  bool   // also names that begin with a dot
}

// Check returns why a pattern cannot be used.
func (q Query) Check() error {
	if !doublestar.ValidatePattern(q.Pattern) || path.IsAbs(q.Pattern) || strings.Contains("/"+q.Pattern+"/", "/../") {
		return errors.New("the pattern cannot be used: it is relative to path, like **/*.txt")
	}
	return nil
}

// Entry is a file that was found.
type Entry struct {
	Path   string // below the directory
	Info   fs.FileInfo
	Target string // of a link
}

// Found is the result of a search.
type Found struct {
	Entries []Entry
	Ignored int  // files and directories that a .gitignore leaves out
	Hidden  int  // those whose names begin with a dot
	Cut     bool // there is more
}

// search is a search that is under way.
type search struct {
	Query
	Found
	dir     string
	root    *os.Root
	ignores []ignores
	visited int
}

// Find searches a directory at a path without links.
func Find(ctx context.Context, dir string, q Query) (Found, error) {
	root, err := file.OpenDir(dir)
	if err != nil {
		return Found{}, err
	}
	defer root.Close()
	s := &search{Query: q, dir: dir, root: root, ignores: ignoresAbove(dir)}
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return s.visit(name, entry, err)
	})
	return s.Found, err
}

// ignoresAbove reads the .gitignore files between a directory and the top of its repository.
func ignoresAbove(dir string) (all []ignores) {
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return all
		}
		if top == filepath.Dir(top) {
			return nil // no repository
		}
		above := filepath.Dir(top)
		text, _, err := file.Read(filepath.Join(above, ".gitignore"), maxIgnores)
		rel, relErr := filepath.Rel(above, dir)
		if err == nil && relErr == nil {
			all = append([]ignores{{above: rel, rules: parseIgnores(string(text))}}, all...)
		}
	}
}

// visit takes in one file or directory.
func (s *search) visit(name string, entry fs.DirEntry, err error) error {
	skip := error(nil)
	if entry != nil && entry.IsDir() {
		skip = fs.SkipDir
	}
	switch {
	case err != nil && name == ".":
		return err
	case err != nil:
		return skip // a directory that cannot be read
	case name == ".":
		s.readIgnores(name)
		return nil
	case s.visited == maxVisited:
		s.Cut = true
		return fs.SkipAll
	case strings.HasPrefix(entry.Name(), ".") && !s.Query.Hidden:
		s.Found.Hidden++
		return skip
	case ignored(s.ignores, name, entry.IsDir()):
		s.Ignored++
		return skip
	}
	s.visited++
	if s.Pattern == "" || doublestar.MatchUnvalidated(s.Pattern, name) {
		if len(s.Entries) == MaxEntries {
			s.Cut = true
			return fs.SkipAll
		}
		s.add(name, entry)
	}
	if !s.goesBelow(name) || entry.Name() == ".git" {
		return skip
	}
	if entry.IsDir() {
		s.readIgnores(name)
	}
	return nil
}

// goesBelow reports whether the pattern can match something in a directory.
func (s *search) goesBelow(name string) bool {
	return strings.Contains(s.Pattern, "**") || strings.Contains(s.Pattern, "{") ||
		strings.Count(name, "/") < strings.Count(s.Pattern, "/")
}

func (s *search) add(name string, entry fs.DirEntry) {
	info, err := entry.Info()
	if err != nil {
		return // it is gone
	}
	e := Entry{Path: name, Info: info}
	if info.Mode()&fs.ModeSymlink != 0 {
		e.Target, _ = s.root.Readlink(name) // shown without it
	}
	s.Entries = append(s.Entries, e)
}

// readIgnores reads the .gitignore of a directory that is searched.
func (s *search) readIgnores(name string) {
	text, _, err := file.Read(filepath.Join(s.dir, name, ".gitignore"), maxIgnores)
	if err == nil {
		s.ignores = append(s.ignores, ignores{dir: name, rules: parseIgnores(string(text))})
	}
}
