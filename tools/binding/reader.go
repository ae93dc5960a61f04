package binding

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/tools/shell"
)

// Limits on the files that an approval is bound to, larger than what a person reads.
const (
	maxScripts = 64
	maxPlaces  = 16 // directories to look up names in
	maxValues  = 16 // values of the variables of one word
	maxTexts   = 4  // nesting of shell sources in shell sources
)

// reader collects the programs, words and directories of commands. It expands words without running anything.
type reader struct {
	home       string
	places     []string            // possible working directories, the plan's own first
	values     map[string][]string // possible values of variables; none if unknown
	words      []string            // all possible values of words
	entered    []string            // directories that the plan changes to
	paths      []string            // files that are started by path or named in an environment
	incomplete bool                // a word is only known at run time, or there are too many
	silent     bool                // the current text only names files and starts nothing
	programs   []string            // started programs
	depth      int
}

// readText reads a shell source. It ignores text that cannot be parsed.
func (r *reader) readText(source string) {
	if r.depth++; r.depth > maxTexts {
		r.incomplete = true
	} else if tree, err := shell.Parse(source); err == nil {
		syntax.Walk(tree, r.readNode)
	}
	r.depth--
}

func (r *reader) readNode(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil && n.Value != nil {
			r.values[n.Name.Value] = append(r.values[n.Name.Value], r.fields(n.Value)...)
		}
	case *syntax.WordIter:
		for _, w := range n.Items {
			r.values[n.Name.Value] = append(r.values[n.Name.Value], r.fields(w)...)
		}
	case *syntax.CallExpr:
		r.readCallExpr(n)
	case *syntax.Redirect:
		if n.Hdoc == nil {
			break
		}
		was := r.silent
		r.silent = true
		for _, text := range r.fields(n.Hdoc) {
			r.readText(text)
		}
		r.silent = was
	case *syntax.Word:
		for _, f := range r.fields(n) {
			r.addWord(f)
		}
	}
	return true
}

func (r *reader) readCallExpr(c *syntax.CallExpr) {
	var argv []string
	for i, w := range c.Args {
		fields := r.fields(w)
		if i == 0 {
			for _, f := range fields[min(1, len(fields)):] {
				r.addProgram(f) // one of several possible programs
			}
		}
		argv = append(argv, fields...)
	}
	for _, a := range c.Assigns { // the program's environment: LD_PRELOAD, BASH_ENV
		if len(c.Args) > 0 {
			for _, f := range r.fields(a.Value) {
				r.paths = append(r.paths, strings.Split(f, ":")...)
			}
		}
	}
	r.readCall(argv)
}

// addProgram adds a program.
func (r *reader) addProgram(program string) {
	if r.silent {
		return
	}
	r.programs = append(r.programs, program)
	if strings.Contains(program, "/") && !isSystemProgram(program) {
		r.paths = append(r.paths, program)
	}
}

// readCall adds the programs and files in the words of one command.
func (r *reader) readCall(argv []string) {
	if len(argv) == 0 {
		return
	}
	r.addProgram(argv[0])
	name := shell.BaseProgram(argv[0])
	if options := scriptOptions[name]; options != "" && slices.ContainsFunc(argv[1:], func(w string) bool { return isOption(w, options) }) {
		r.addProgram("source") // it reads a script, like source does
	}
	for _, w := range argv[1:] {
		if name == "cd" || name == "pushd" {
			r.addEntered(w)
		}
		r.addWord(w)
		switch {
		case !slices.Contains(starterPrograms, name):
		case strings.ContainsAny(w, " \t\n;&|<>"):
			r.readText(w) // sh -c TEXT, eval TEXT
		case strings.Contains(w, "/") && r.isProgram(w):
			r.addProgram(w)
		}
	}
}

// addEntered adds a directory that the plan changes to, even if it does not exist.
func (r *reader) addEntered(word string) {
	for _, dir := range slices.Concat(r.places[:1], r.entered) {
		if p := r.absolute(word, dir); len(r.entered) < maxPlaces && !slices.Contains(r.entered, p) {
			r.entered = append(r.entered, p)
		}
	}
}

// isOption reports whether a word is or can be one of the options.
func isOption(word, options string) bool {
	long, isLong := strings.CutPrefix(word, "--")
	name, _, _ := strings.Cut(long, "=")
	for option := range strings.FieldsSeq(options) {
		switch {
		case isLong && len(option) > 1 && name != "" && strings.HasPrefix(option, name):
			return true
		case !isLong && len(option) == 1 && len(word) > 1 && word[0] == '-' && strings.Contains(word, option):
			return true
		}
	}
	return false
}

// addWord adds the files and directories that a word can name, also as the value of an option or a variable.
func (r *reader) addWord(text string) {
	for _, w := range candidates(text) {
		r.words = append(r.words, w)
		r.addPlace(w)
	}
}

// candidates returns the parts of a word that can be a path: -fFILE, --file=FILE, NAME=FILE, @FILE.
func candidates(word string) []string {
	list := []string{word}
	if _, value, ok := strings.Cut(word, "="); ok {
		list = append(list, value)
	}
	if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		list = append(list, word[2:])
	}
	if rest, ok := strings.CutPrefix(word, "@"); ok {
		list = append(list, rest)
	}
	return slices.DeleteFunc(list, func(w string) bool { return w == "" || len(w) > 4096 || strings.ContainsRune(w, 0) })
}

// addPlace adds a directory in which later names can be looked up.
func (r *reader) addPlace(word string) {
	for _, dir := range slices.Clone(r.places) {
		p := r.absolute(word, dir)
		fi, err := os.Stat(p)
		if err != nil || !fi.IsDir() || slices.Contains(r.places, p) {
			continue
		}
		if len(r.places) == maxPlaces {
			r.incomplete = true
			return
		}
		r.places = append(r.places, p)
	}
}

func (r *reader) absolute(word, dir string) string {
	if rest, ok := strings.CutPrefix(word, "~/"); ok {
		return filepath.Join(r.home, rest)
	}
	if filepath.IsAbs(word) {
		return filepath.Clean(word)
	}
	return filepath.Join(dir, word)
}

// fields returns the possible expansions of a word, including file names in each of the directories; none if
// they are only known at run time.
func (r *reader) fields(w *syntax.Word) []string {
	if w == nil {
		return nil
	}
	var out []string
	for _, env := range r.environments(w) {
		for _, dir := range r.places {
			fields, err := expandWord(w, append(slices.Clip(env), "PWD="+dir))
			if err != nil {
				r.incomplete = true
				return nil
			}
			for _, f := range fields {
				if !slices.Contains(out, f) {
					out = append(out, f)
				}
			}
			if len(out) > maxScripts {
				r.incomplete = true
				return out
			}
		}
	}
	return out
}

var errUnbounded = errors.New("too many fields")

// expandWord performs the expansions of a word that run no command.
func expandWord(w *syntax.Word, env []string) (fields []string, err error) {
	defer func() {
		if fault := recover(); fault != nil { // a construct that the library does not know
			err = fmt.Errorf("cannot expand a word: %v", fault)
		}
	}()
	if text := printWord(w); strings.Count(text, "{")-strings.Count(text, "${") > 1 || strings.Contains(text, "{") && (strings.Contains(text, "..") || strings.Count(text, ",") > maxScripts) {
		return nil, errUnbounded
	}
	return expand.Fields(&expand.Config{Env: expand.ListEnviron(env...), ReadDir2: os.ReadDir, NoUnset: true}, w)
}

func printWord(w *syntax.Word) string {
	var s strings.Builder
	_ = syntax.NewPrinter().Print(&s, w) // a Builder never fails
	return s.String()
}

// environments returns the possible combinations of values of a word's variables.
func (r *reader) environments(w *syntax.Word) [][]string {
	envs := [][]string{{"HOME=" + r.home}}
	done := map[string]bool{"HOME": true}
	syntax.Walk(w, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		if !ok || p.Param == nil || done[p.Param.Value] {
			return true
		}
		done[p.Param.Value] = true
		var next [][]string
		for _, v := range r.values[p.Param.Value] {
			for _, env := range envs {
				next = append(next, append(slices.Clip(env), p.Param.Value+"="+v))
			}
		}
		if len(next) > maxValues {
			r.incomplete, next = true, next[:maxValues]
		}
		if len(next) > 0 {
			envs = next
		}
		return true
	})
	return envs
}

// isProgram reports whether a word is the path of an executable file.
func (r *reader) isProgram(word string) bool {
	return slices.ContainsFunc(r.places, func(dir string) bool { return shell.CheckExecutable(r.absolute(word, dir)) == nil })
}
