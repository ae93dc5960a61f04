package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/tools/safety"
)

// Allowance is what autonomy full lets run without a question. All of it must
// hold for every part of a plan; whatever cannot be decided is asked about.
//
// It judges names and paths, not what programs do: a program that runs a text
// of the workspace (make, python FILE) can do whatever the person can. Only
// the person knows which programs to trust that far.
type Allowance struct {
	// Commands are the programs: names as they are typed or, with a slash, the
	// absolute path of the very file.
	Commands []string
	// Workspace is the directory, absolute, that every path and the working
	// directory must lie in; "" allows nothing.
	Workspace string
	// Blocked are absolute paths that nothing may touch, nor anything around
	// them.
	Blocked []string
	// Protected are the program's own files, which are always asked about.
	Protected []string
}

// ByAutonomy is who decided about a command that ran unasked.
const ByAutonomy = "autonomy"

// autonomy answers in the place of a person.
type autonomy struct{}

// Approve says yes, once.
func (autonomy) Approve(context.Context, Judged) Decision {
	return Decision{Action: AllowOnce, By: ByAutonomy}
}

// unasked reports whether a plan that needs a yes may run without one.
func (g *Gate) unasked(j Judged) bool {
	if len(g.full.Commands) == 0 || j.undecided() {
		return false
	}
	plan, literal := j.invocations()
	if !literal || !g.listed(j, plan) || !inOrder(plan) {
		return false
	}
	w, ok := g.walls()
	return ok && w.enters(j.Plan.Dir) && w.admitPlan(j.Plan.Dir, plan)
}

// RunsUnasked reports whether a command typed in the home directory runs without a
// question although it may change something.
func (g *Gate) RunsUnasked(command string) bool {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return false
	}
	j, refused := g.Prepare(Call{Name: "run_command", Input: input}, "", "")
	return refused == nil && g.unasked(j)
}

// invocations are those of all commands of the plan.
func (j Judged) invocations() ([]invocation, bool) {
	var plan []invocation
	for _, c := range j.Plan.Commands {
		list, literal := c.invocations()
		if !literal {
			return nil, false
		}
		plan = append(plan, list...)
	}
	return plan, true
}

// maxParts is how many reasons a verdict gives at least before it leaves some
// out.
const maxParts = 16

// asking are reasons that nothing but a person can settle.
var asking = set(ReasonUserRule + ` ` + ReasonForeign + ` ` + ReasonUntrustedNote + ` ` + ReasonForgetNote + ` ` + ReasonRewriteNote + ` ` + ReasonNewAutomation + ` ` + ReasonChangeAutomation + ` ` + ReasonPauseAutomation + ` ` + ReasonRemoveAutomation + ` ` + ReasonLeaves + ` secret-file environment assignment substitution interpreter function directory background
	network-condition network-operand ` + ReasonUnnamedHost + `
	unknown-command unproven-operand too-many-wrappers too-long control-character unparsed unprintable unstable-print`)

// undecided reports whether a person must look at a plan, whatever it names: a
// warning that nobody sees would be none.
func (j Judged) undecided() bool {
	return j.Class != safety.Confirm || j.unparsed || len(j.Warnings) > 0 || len(j.Parts) >= maxParts ||
		slices.ContainsFunc(j.Parts, func(r safety.Reason) bool { return asking[r.Code] }) ||
		slices.ContainsFunc(j.Reasons, func(code string) bool { return asking[code] })
}

// textual are programs that run their operands or their input as commands, or
// change what the names of later ones mean: paths cannot be found in them.
var textual = set(`
	sh bash dash zsh fish ksh mksh ash yash rbash csh tcsh nu elvish xonsh busybox toybox
	eval exec source . trap command builtin alias unalias hash enable set unset shopt pushd popd bind complete fc read mapfile
	readarray getopts let
	env xargs parallel sem watch script ssh su sg newgrp at batch crontab systemd-run unshare nsenter chroot arch-chroot
	flock rlwrap expect screen tmux`)

// interpreters run a text that may be an operand of theirs. They are taken
// with operands that cannot be much of a program.
var interpreters = set(`
	python pypy perl ruby node deno bun lua luajit php tclsh awk gawk mawk nawk sed gsed ed ex vi vim nvim emacs gdb guile
	R Rscript julia jq m4 bc dc sqlite3 psql mysql ghc runghc scala groovy java kotlin swift racket sbcl`)

// versioned is a program's name without the version that distributions put
// behind it.
func versioned(program string) string {
	return strings.TrimRight(filepath.Base(program), "0123456789.")
}

// listed reports whether every program of a plan is on the list, and none is
// one that no list covers.
func (g *Gate) listed(j Judged, plan []invocation) bool {
	for _, in := range plan {
		if in.program != "cd" && !g.full.lists(in.program, g.executor) {
			return false
		}
	}
	for _, r := range j.Parts {
		if r.Code == "path-program" && !g.full.lists(r.Part, g.executor) {
			return false
		}
	}
	for _, program := range j.Programs {
		if program != "cd" && !startedByPath(program, plan) && !g.full.lists(program, g.executor) {
			return false
		}
		if textual[program] || textual[versioned(program)] || interpreters[versioned(program)] && !plainWords(plan) {
			return false
		}
	}
	return true
}

// lists reports whether a program is on the list as it is written.
func (a Allowance) lists(program string, x *Executor) bool {
	return slices.ContainsFunc(a.Commands, func(entry string) bool {
		if !strings.Contains(entry, "/") {
			return entry == program
		}
		file, err := x.Look(program)
		return err == nil && file == entry
	})
}

// startedByPath reports whether the name stands for a program that the plan
// starts by its path, and nowhere by its name.
func startedByPath(name string, plan []invocation) bool {
	found := false
	for _, in := range plan {
		if in.program == name || slices.ContainsFunc(in.words, func(w literalWord) bool { return w.text == name }) {
			return false
		}
		found = found || strings.Contains(in.program, "/") && filepath.Base(in.program) == name
	}
	return found
}

// plainWords reports whether no word holds more than letters, digits and what
// names and numbers are written with.
func plainWords(plan []invocation) bool {
	odd := func(w literalWord) bool {
		return strings.Trim(w.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/=:,+@%-") != ""
	}
	return !slices.ContainsFunc(plan, func(in invocation) bool { return slices.ContainsFunc(in.words, odd) })
}

// steady are programs that cannot make a name lead elsewhere: they make no
// links and move nothing.
var steady = set(`
	cd mkdir touch rm rmdir truncate tee chmod echo printf true false : test [ pwd sleep sync
	ls cat head tail wc sort uniq cut tr grep nl tac rev fold seq stat file du df date basename dirname readlink realpath
	diff cmp comm md5sum sha1sum sha256sum b2sum which uname id whoami`)

// explicit are, besides the steady ones, programs that touch nothing but what
// they are told to. Any other may take the whole working directory for granted,
// or take names out of a file (tar, patch).
var explicit = set("cp mv ln dd install shred gzip gunzip bzip2 xz zstd kill")

// wandering are programs that look through the working directory when they are
// told of no other.
var wandering = set("find bfs fd fdfind")

// inOrder reports whether the paths of a plan still lead, when they are used,
// where they lead now: only its last command may change that (ln, mv, tar), and
// only if nothing runs beside it.
func inOrder(plan []invocation) bool {
	for i, in := range plan {
		if (i < len(plan)-1 || in.piped) && !steady[in.program] {
			return false
		}
	}
	return true
}

// admitPlan reports whether every path of a plan may be touched unasked.
func (w *walls) admitPlan(dir string, plan []invocation) bool {
	dirs := []string{dir}
	for _, in := range plan {
		if in.program != "cd" {
			if !w.admitInvocation(dirs, in, len(plan) == 1) {
				return false
			}
			continue
		}
		entered, ok := w.follow(dirs, in)
		if !ok {
			return false
		}
		// A cd that fails leaves the commands behind it where they were.
		dirs = append(dirs, entered...)
	}
	return true
}

// admitInvocation reports whether a program may run in any of these
// directories with its words.
func (w *walls) admitInvocation(dirs []string, in invocation, alone bool) bool {
	words := slices.Concat(in.words, in.targets)
	switch {
	case wandering[in.program] || slices.ContainsFunc(in.words, func(w literalWord) bool { return wandering[w.text] }): // timeout 5 find
		words = append(words, literalWord{".", -1})
	case !steady[in.program] && !explicit[in.program] && slices.ContainsFunc(dirs, w.encloses):
		return false
	}
	return !slices.ContainsFunc(words, func(word literalWord) bool { return !w.admitWord(dirs, word, alone) })
}

// maxDirs bounds the directories a command may be in after several cd.
const maxDirs = 8

// follow returns where a cd leads from each directory: the shell puts ".."
// together with the name before it, the kernel does not.
func (w *walls) follow(dirs []string, cd invocation) ([]string, bool) {
	if len(cd.words) != 1 || cd.words[0].glob >= 0 || len(cd.targets) > 0 || len(dirs) > maxDirs {
		return nil, false
	}
	target := cd.words[0].text
	if target == "" || strings.HasPrefix(target, "-") {
		return nil, false
	}
	var entered []string
	for _, dir := range dirs {
		places, ok := w.readings(dir, target)
		if !ok || slices.ContainsFunc(places, func(p string) bool { return !w.enters(p) }) {
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

// admitWord reports whether everything in a word that may be a path may be
// touched. Wildcards are taken only where nothing else of the plan can add
// names, and stand for every file of their directory.
func (w *walls) admitWord(dirs []string, word literalWord, alone bool) bool {
	paths, ok := pathsIn(word.text)
	if !ok || word.glob >= 0 && !alone {
		return false
	}
	if word.glob >= 0 && !w.admitGlob(dirs, word) {
		return false
	}
	return !slices.ContainsFunc(paths, func(p string) bool { return !w.admits(dirs, p) })
}

// admitGlob reports whether any file that a wildcard in the last part of a path
// can stand for may be touched.
func (w *walls) admitGlob(dirs []string, word literalWord) bool {
	dir, base := filepath.Split(word.text)
	if word.glob < len(dir) || strings.HasPrefix(dir, "~") {
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
			option := dir == "" && word.glob == 0 && strings.HasPrefix(e.Name(), "-")
			if !hidden && (option || !w.admits([]string{d}, dir+e.Name())) {
				return false
			}
		}
	}
	return true
}

// The bounds of a word that is searched for paths.
const (
	maxOption = 128 // bytes of an option
	maxPaths  = 512
)

// pathsIn returns whatever may be a path in a word: the word, each part of it
// between signs that names seldom have, each part to the word's end, and for an
// option also what may be attached to any of its letters. It fails for a word
// that a program may still expand.
func pathsIn(word string) ([]string, bool) {
	if word == "" {
		return nil, true
	}
	if strings.ContainsAny(word, "$`\x00") {
		return nil, false
	}
	paths := []string{word}
	for start := 0; start < len(word); {
		end := start + partLength(word[start:])
		if start > 0 && end > start {
			paths = append(paths, word[start:end], word[start:])
		}
		if start == 0 && word[0] == '-' {
			if end > maxOption {
				return nil, false
			}
			for i := 1; i < end; i++ {
				paths = append(paths, word[i:end], word[i:])
			}
		}
		start = end + 1
	}
	return paths, len(paths) <= maxPaths
}

// partLength returns how long the part is that a text begins with.
func partLength(text string) int {
	i := strings.IndexFunc(text, func(r rune) bool {
		return r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._/~-", r))
	})
	if i < 0 {
		return len(text)
	}
	return i
}
