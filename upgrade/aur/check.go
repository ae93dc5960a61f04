package aur

import (
	"iter"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// checker reads one recipe.
type checker struct {
	recipe  Recipe
	facts   facts
	vars    *scope // after the top of the PKGBUILD
	sources []source
	strange map[string]bool // directories of repositories of strangers
	install []string        // scriptlets that the PKGBUILD names
}

func newChecker(r Recipe) *checker { return &checker{recipe: r, vars: newScope()} }

// names returns the values of a variable of the PKGBUILD.
func (c *checker) names(variable string) (list []string) {
	if c.vars == nil {
		return nil
	}
	for _, e := range c.vars.vars[variable].list {
		list = append(list, e.text)
	}
	return list
}

// value returns the first value of a variable, and "" if it is not known.
func (c *checker) value(variable string) string {
	list := c.names(variable)
	if len(list) == 0 || strings.Contains(list[0], unknown) {
		return ""
	}
	return list[0]
}

// name returns the name of the package, or of the first of several.
func (c *checker) name() string {
	if base := c.value("pkgbase"); base != "" {
		return base
	}
	return c.value("pkgname")
}

func (c *checker) page() string { return c.value("url") }

// version returns the version as pacman writes it: epoch:pkgver-pkgrel.
func (c *checker) version() string {
	version := c.value("pkgver")
	if rel := c.value("pkgrel"); rel != "" && version != "" {
		version += "-" + rel
	}
	if epoch := c.value("epoch"); epoch != "" && version != "" {
		version = epoch + ":" + version
	}
	return shorten(version)
}

// readPKGBUILD reads the top of the PKGBUILD first, then its functions with the values that the top has at its end, as makepkg does.
func (c *checker) readPKGBUILD() {
	text, ok := c.recipe.Files[pkgbuild]
	if !ok {
		return
	}
	tree := c.parse(pkgbuild, string(text))
	if tree == nil {
		return
	}
	var functions []*syntax.FuncDecl
	w := c.walker(pkgbuild, topLevel, c.vars)
	w.deferred = &functions
	w.declareFunctions(tree)
	w.statements(tree.Stmts)
	if name := c.name(); name != "" {
		for _, v := range []string{"pkgbase", "pkgname"} {
			if _, set := c.vars.vars[v]; !set {
				c.vars.vars[v] = variable{list: []element{{text: name}}}
			}
		}
	}
	c.collectSources(c.vars)
	c.strange = c.strangers()
	c.checkOwners()
	w.deferred = nil
	for _, f := range functions {
		w.enter(f)
	}
	c.collectInstall(tree)
	c.checkWork(pkgbuild)
}

// checkWork holds a recipe whose words expand without end.
func (c *checker) checkWork(file string) {
	if *c.vars.work <= 0 {
		c.facts.add(Fact{Code: Unreadable, Severity: Red, File: file, Detail: errTooMuchWork.Error()})
	}
}

func (c *checker) walker(file string, k kind, vars *scope) *walker {
	return &walker{checker: c, file: file, kind: k, vars: vars, fetched: map[string]effect{}, local: map[string]bool{}}
}

// where returns the directory that a build function is in.
func (w *walker) where() string {
	if w.dir != "" {
		return w.dir
	}
	return srcDir
}

// collectInstall notes the scriptlets that the PKGBUILD names, at its top and in the functions of split packages.
func (c *checker) collectInstall(tree *syntax.File) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		a, ok := n.(*syntax.Assign)
		if !ok || a.Name == nil || a.Name.Value != "install" || a.Value == nil {
			return true
		}
		name := c.vars.text(a.Value)
		if name == "" || strings.Contains(name, unknown) {
			return true
		}
		c.install = append(c.install, path.Clean(name))
		if _, ok := c.recipe.Files[path.Clean(name)]; !ok {
			c.facts.add(Fact{Code: MissingInstall, Severity: Warn, File: pkgbuild, Line: int(a.Pos().Line()), Detail: name})
		}
		return true
	})
}

// readOthers reads the other files of the recipe: scriptlets, scripts, and files whose lines start programs.
func (c *checker) readOthers() {
	asRoot := append(c.hookScripts(), c.install...)
	for _, name := range c.recipe.names() {
		text := c.recipe.Files[name]
		switch ext := path.Ext(name); {
		case name == pkgbuild:
		case path.Base(name) == ".SRCINFO":
			if name == ".SRCINFO" {
				c.readSrcinfo(string(text))
			}
		case ext == ".install" || slices.Contains(asRoot, name):
			c.readShell(name, string(text), scriptlet)
		case ext == ".hook":
			c.readStarters(name, string(text), scriptlet)
		case slices.Contains([]string{".service", ".desktop", ".timer", ".socket"}, ext):
			c.readStarters(name, string(text), program)
		case isShellFile(name, text):
			c.readShell(name, string(text), program)
		case slices.Contains([]string{".js", ".cjs", ".mjs", ".ts", ".py", ".pl", ".rb", ".php", ".lua"}, ext) || strings.HasPrefix(string(text[:min(len(text), 2)]), "#!"):
			c.readForeign(name, string(text))
		}
	}
}

// readShell reads a scriptlet or a script.
func (c *checker) readShell(name, text string, k kind) {
	tree := c.parse(name, text)
	if tree == nil {
		return
	}
	vars := newScope()
	vars.work = c.vars.work
	delete(vars.vars, "srcdir")
	delete(vars.vars, "pkgdir")
	var functions []*syntax.FuncDecl
	w := c.walker(name, k, vars)
	w.deferred = &functions
	w.declareFunctions(tree)
	w.statements(tree.Stmts)
	w.deferred = nil
	for _, f := range functions {
		w.enter(f)
	}
	c.checkWork(name)
}

// readStarters reads the lines of a unit, an application or a hook that start programs.
func (c *checker) readStarters(name, text string, k kind) {
	for number, command := range starters(text) {
		c.readStarter(c.walker(name, k, newScope()), number-1, command)
	}
}

// readStarter reads a command of such a line with a new walker.
func (c *checker) readStarter(w *walker, base int, command string) {
	tree := c.parse(w.file, command)
	if tree == nil {
		return
	}
	w.base, w.vars.work = base, c.vars.work
	w.statements(tree.Stmts)
}

// starters yields the commands that a unit, an application or a hook starts, with their lines from 1.
func starters(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		number := 0
		for line := range strings.Lines(text) {
			number++
			key, value, is := strings.Cut(line, "=")
			if is && strings.HasPrefix(strings.TrimSpace(key), "Exec") && !yield(number, strings.TrimLeft(strings.TrimSpace(value), "-@:+!")) {
				return
			}
		}
	}
}

// readForeign judges a script of another language.
func (c *checker) readForeign(name, text string) {
	number := 0
	hashed := len(foreignHash.FindAllString(text, 40)) >= 40
	for line := range strings.Lines(text) {
		number++
		if findKnownBad(line) != "" {
			c.facts.add(Fact{Code: KnownBad, Severity: Red, File: name, Line: number, Detail: line})
		}
	}
	judged := judgeForeign(text)
	switch {
	case hashed || judged == foreignDecodes && encoded.MatchString(text):
		c.facts.add(Fact{Code: Obfuscated, Severity: Red, File: name})
	case foreignPipe.MatchString(text):
		c.facts.add(Fact{Code: RunsFetched, Severity: Red, File: name})
	case judged == foreignRuns || judged == foreignDecodes:
		c.facts.add(Fact{Code: Fetches, Severity: Warn, File: name})
	}
}

// readSrcinfo compares .SRCINFO, which the AUR's page and helpers show, with the PKGBUILD, which is built.
func (c *checker) readSrcinfo(text string) {
	built := map[string]bool{}
	for _, s := range c.sources {
		if host, _ := hostOf(s.address); s.far() {
			built[host] = true
		}
	}
	shown := map[string]bool{}
	number := 0
	base := ""
	for line := range strings.Lines(text) {
		number++
		key, value, is := strings.Cut(strings.TrimSpace(line), " = ")
		switch {
		case !is:
		case key == "pkgbase":
			base = value
		case key == "source" || strings.HasPrefix(key, "source_"):
			s := parseSource(element{text: value}, key, 0)
			if host, _ := hostOf(s.address); s.far() {
				shown[host] = true
			}
		}
	}
	if name := c.name(); name != "" && base != "" && base != name {
		c.facts.add(Fact{Code: DiffersSrcinfo, Severity: Warn, File: ".SRCINFO", Detail: base})
	}
	for host := range built {
		if !shown[host] && host != "" && !strings.Contains(host, unknown) {
			c.facts.add(Fact{Code: DiffersSrcinfo, Severity: Warn, File: ".SRCINFO", Detail: host})
		}
	}
}
