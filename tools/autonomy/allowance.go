// Package autonomy decides what full autonomy runs without a confirmation.
package autonomy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/tools/place"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// Allowance is what full autonomy runs without a confirmation. It must cover every part of a plan; parts that
// cannot be decided need a confirmation.
//
// It judges names and paths, not what programs do: a program that executes a file of the workspace (make,
// python FILE) can do everything that the person can. Only the person knows which programs to trust that far.
type Allowance struct {
	// Commands are the allowed programs: names as they are typed or, with a slash, the absolute path of the
	// program file.
	Commands []string
	// Workspace is the absolute path of the directory that must contain every path and the working directory;
	// "" allows nothing.
	Workspace string
	// Blocked are absolute paths. No command may use them or a directory above them.
	Blocked []string
	// Protected are this program's own files, which always need a confirmation.
	Protected []string
}

// Plan is what the commands of a plan are known to do.
type Plan struct {
	Commands []shell.Command
	Programs []string // found by the checker, including wrappers
	ByPath   []string // programs that are started by path
	Dir      string   // working directory
}

// Env is what an allowance is checked with.
type Env struct {
	Home        string
	FindProgram func(program string) (string, error)
	IsSecret    func(path string) bool // reports whether a file can have a secret
}

// Covers reports whether full autonomy runs a plan without a confirmation.
func (a Allowance) Covers(p Plan, env Env) bool {
	if len(a.Commands) == 0 {
		return false
	}
	var list []shell.Invocation
	for _, c := range p.Commands {
		in, literal := c.Invocations()
		if !literal {
			return false
		}
		list = append(list, in...)
	}
	if !a.listsAll(p, list, env) || !hasStablePaths(list) {
		return false
	}
	w, ok := newBoundary(a.Workspace, env.Home, env.IsSecret, slices.Concat(a.Blocked, a.Protected))
	return ok && w.canEnter(p.Dir) && w.allowsPlan(p.Dir, list)
}

// writeFile is the entry of the list that allows to replace the texts of files; [Allowance.Commands] names programs
// otherwise.
const writeFile = "write_file"

// CoversFiles reports whether full autonomy replaces the texts of files with the named tool, given by absolute paths
// without links.
func (a Allowance) CoversFiles(tool string, paths []string, env Env) bool {
	if a.Workspace == "" || len(paths) == 0 || !slices.Contains(a.Commands, tool) && !slices.Contains(a.Commands, writeFile) {
		return false
	}
	w, ok := newBoundary(a.Workspace, env.Home, env.IsSecret, slices.Concat(a.Blocked, a.Protected))
	return ok && !slices.ContainsFunc(paths, func(path string) bool { return !w.allowsAbsolute(path) })
}

// interpreters run a program text that can be one of their operands. They are only accepted with operands that
// are too simple for a program.
var interpreters = strings.Fields(`
	python pypy perl ruby node deno bun lua luajit php tclsh awk gawk mawk nawk sed gsed ed ex vi vim nvim emacs gdb guile
	R Rscript julia jq m4 bc dc sqlite3 psql mysql ghc runghc scala groovy java kotlin swift racket sbcl`)

// isOwn reports whether a program is one of this assistant's, which could answer its own questions. The list never covers
// them.
func isOwn(program string) bool { return strings.HasPrefix(filepath.Base(program), "blunux-ai") }

// listsAll reports whether every program of a plan is on the person's list and none is of a kind that the list
// cannot cover.
func (a Allowance) listsAll(p Plan, list []shell.Invocation, env Env) bool {
	unlisted := func(program string) bool { return program != "cd" && (isOwn(program) || !a.lists(program, env)) }
	if slices.ContainsFunc(list, func(in shell.Invocation) bool { return unlisted(in.Program) }) {
		return false
	}
	if slices.ContainsFunc(p.ByPath, func(program string) bool { return isOwn(program) || !a.lists(program, env) }) {
		return false
	}
	for _, program := range p.Programs {
		if unlisted(program) && !isStartedByPath(program, list) {
			return false
		}
		if shell.RunsCommands(program) || slices.Contains(interpreters, shell.BaseProgram(program)) && !arePlain(list) {
			return false
		}
	}
	return true
}

// lists reports whether a program is on the list.
func (a Allowance) lists(program string, env Env) bool {
	return slices.ContainsFunc(a.Commands, func(entry string) bool {
		if !strings.Contains(entry, "/") {
			return entry == program
		}
		file, err := env.FindProgram(program)
		return err == nil && file == entry
	})
}

// isStartedByPath reports whether the plan only starts the program of this name by its path, never by the name.
func isStartedByPath(name string, plan []shell.Invocation) bool {
	found := false
	for _, in := range plan {
		if in.Program == name || slices.ContainsFunc(in.Words, func(w shell.Word) bool { return w.Text == name }) {
			return false
		}
		found = found || strings.Contains(in.Program, "/") && filepath.Base(in.Program) == name
	}
	return found
}

// arePlain reports whether all words only have letters, digits and the characters of names and numbers.
func arePlain(plan []shell.Invocation) bool {
	odd := func(w shell.Word) bool {
		return strings.Trim(w.Text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/=:,+@%-") != ""
	}
	return !slices.ContainsFunc(plan, func(in shell.Invocation) bool { return slices.ContainsFunc(in.Words, odd) })
}

// steadyPrograms are programs that cannot change where a name leads: they create no links and move nothing.
var steadyPrograms = strings.Fields(`
	cd mkdir touch rm rmdir truncate tee chmod echo printf true false : test [ pwd sleep sync
	ls cat head tail wc sort uniq cut tr grep nl tac rev fold seq stat file du df date basename dirname readlink realpath
	diff cmp comm md5sum sha1sum sha256sum b2sum which uname id whoami`)

// explicitPrograms are further programs that only use the files they are given. Other programs can use the whole
// working directory implicitly, or read names from a file (tar, patch).
var explicitPrograms = strings.Fields("cp mv ln dd install shred gzip gunzip bzip2 xz zstd kill")

// searchPrograms are programs that search the working directory unless they are given another one.
var searchPrograms = strings.Fields("find bfs fd fdfind")

func isSearch(w shell.Word) bool { return slices.Contains(searchPrograms, w.Text) }

// hasStablePaths reports whether the paths of a plan still lead to the same files when they are used. Only the last
// command may change that (ln, mv, tar), and only if no other command runs at the same time.
func hasStablePaths(plan []shell.Invocation) bool {
	for i, in := range plan {
		if (i < len(plan)-1 || in.Piped) && !slices.Contains(steadyPrograms, in.Program) {
			return false
		}
	}
	return true
}

// allowsPlan reports whether all paths of a plan are allowed without a confirmation.
func (w *boundary) allowsPlan(dir string, plan []shell.Invocation) bool {
	dirs := []string{dir}
	for _, in := range plan {
		if in.Program != "cd" {
			if !w.allowsInvocation(dirs, in, len(plan) == 1) {
				return false
			}
			continue
		}
		entered, ok := w.followCd(dirs, in)
		if !ok {
			return false
		}
		// If a cd fails, the commands after it stay in the previous directory.
		dirs = append(dirs, entered...)
	}
	return true
}

// allowsInvocation reports whether a program with these words is allowed in each of the directories.
func (w *boundary) allowsInvocation(dirs []string, in shell.Invocation, alone bool) bool {
	words := slices.Concat(in.Words, in.Targets)
	switch {
	case slices.Contains(searchPrograms, in.Program) || slices.ContainsFunc(in.Words, isSearch): // timeout 5 find
		words = append(words, shell.Word{Text: ".", Glob: -1})
	case !slices.Contains(steadyPrograms, in.Program) && !slices.Contains(explicitPrograms, in.Program) &&
		slices.ContainsFunc(dirs, w.enclosesClosed):
		return false
	}
	return !slices.ContainsFunc(words, func(word shell.Word) bool { return !w.allowsWord(dirs, word, alone) })
}

// maxDirs is the maximum number of directories in which a command can run after several cd.
const maxDirs = 8

// followCd returns where a cd leads from each directory. The shell removes ".." together with the name before it;
// the kernel does not.
func (w *boundary) followCd(dirs []string, cd shell.Invocation) ([]string, bool) {
	if len(cd.Words) != 1 || cd.Words[0].Glob >= 0 || len(cd.Targets) > 0 || len(dirs) > maxDirs {
		return nil, false
	}
	target := cd.Words[0].Text
	if target == "" || strings.HasPrefix(target, "-") {
		return nil, false
	}
	var entered []string
	for _, dir := range dirs {
		places, ok := w.possiblePaths(dir, target)
		if !ok || slices.ContainsFunc(places, func(p string) bool { return !w.canEnter(p) }) {
			return nil, false
		}
		for _, p := range places {
			if !slices.Contains(entered, p) {
				entered = append(entered, p)
			}
		}
	}
	return entered, true
}

// allowsWord reports whether everything in a word that can be a path is allowed. Wildcards are only accepted if
// no other part of the plan can add names; they match every file of their directory.
func (w *boundary) allowsWord(dirs []string, word shell.Word, alone bool) bool {
	paths, ok := place.PathsIn(word.Text)
	if !ok || word.Glob >= 0 && !alone {
		return false
	}
	if word.Glob >= 0 && !w.allowsGlob(dirs, word) {
		return false
	}
	return !slices.ContainsFunc(paths, func(p string) bool { return !w.allowsPath(dirs, p) })
}

// allowsGlob reports whether all files that a wildcard in the last part of a path can match are allowed.
func (w *boundary) allowsGlob(dirs []string, word shell.Word) bool {
	dir, base := filepath.Split(word.Text)
	if word.Glob < len(dir) || strings.HasPrefix(dir, "~") {
		return false
	}
	for _, d := range dirs {
		listed := d + "/" + dir
		if filepath.IsAbs(dir) {
			listed = dir
		}
		entries, err := os.ReadDir(listed)
		if err != nil {
			return false
		}
		for _, e := range entries {
			hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(base, ".")
			option := dir == "" && word.Glob == 0 && strings.HasPrefix(e.Name(), "-")
			if !hidden && (option || !w.allowsPath([]string{d}, dir+e.Name())) {
				return false
			}
		}
	}
	return true
}
