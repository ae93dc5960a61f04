package aur

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isHook reports whether a path is that of a pacman hook of the package: alpm-hooks(5). pacman runs it as root at later transactions.
func isHook(target string) bool {
	place, below := strings.CutPrefix(target, pkgDir)
	return below && (strings.HasPrefix(place, "/usr/share/libalpm/hooks/") || strings.HasPrefix(place, "/etc/pacman.d/hooks/"))
}

// installsHooks reports the hooks that a command puts into the package. One that is not in the recipe is not read.
func (w *walker) installsHooks(operands, targets []string, shown string, in invocation) {
	if !slices.ContainsFunc(targets, func(target string) bool { return isHook(target) || isHook(target+"/") }) || w.kind == program {
		return
	}
	s := Warn
	for _, from := range operands {
		if !strings.HasPrefix(from, pkgDir) && w.hasHook(path.Base(from)) {
			s = Note
		}
	}
	w.report(Hook, s, in.node, shown)
}

// hasHook reports whether the recipe has a hook of a name or pattern.
func (c *checker) hasHook(name string) bool {
	return slices.ContainsFunc(c.recipe.names(), func(file string) bool {
		is, err := path.Match(name, path.Base(file))
		return err == nil && is && path.Ext(file) == ".hook"
	})
}

// hookText reads the hook that a statement writes: a here-document, or the words of echo and printf.
func (w *walker) hookText(st *syntax.Stmt) {
	if w.kind == program || !slices.ContainsFunc(st.Redirs, func(r *syntax.Redirect) bool { return isHook(w.vars.text(r.Word)) }) {
		return
	}
	read := func(n syntax.Node, text string) {
		for number, command := range starters(text) {
			hook := w.walker(w.file, scriptlet, newScope())
			hook.function = w.function
			w.readStarter(hook, w.line(n)+number-2, command)
		}
	}
	for _, r := range st.Redirs {
		if r.Hdoc != nil {
			read(r.Hdoc, w.vars.text(r.Hdoc))
		}
	}
	if call, ok := st.Cmd.(*syntax.CallExpr); ok {
		for _, word := range call.Args {
			read(word, strings.ReplaceAll(w.vars.text(word), `\n`, "\n"))
		}
	}
}

// hookScripts returns the scripts of the recipe that its hooks start: they run as root too.
func (c *checker) hookScripts() (scripts []string) {
	started := map[string]bool{}
	for name, text := range c.recipe.Files {
		if path.Ext(name) != ".hook" {
			continue
		}
		for _, command := range starters(string(text)) {
			for word := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune(" \t'\"", r) }) {
				started[path.Base(word)] = true
			}
		}
	}
	for name, text := range c.recipe.Files {
		if started[path.Base(name)] && name != pkgbuild && isShellFile(name, text) {
			scripts = append(scripts, name)
		}
	}
	return scripts
}
