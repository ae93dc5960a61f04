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

// ByAutonomy is the recorded approver of a command that ran without a confirmation.
const ByAutonomy = "autonomy"

// autonomyApprover is an approver that allows everything.
type autonomyApprover struct{}

// Approve allows the command once.
func (autonomyApprover) Approve(context.Context, JudgedPlan) Decision {
	return Decision{Action: AllowOnce, By: ByAutonomy}
}

// isAutonomous reports whether a plan that needs a confirmation is covered by full autonomy.
func (g *Gate) isAutonomous(j JudgedPlan) bool {
	if len(g.allowance.Commands) == 0 || j.needsPerson() {
		return false
	}
	plan, literal := j.invocations()
	if !literal || !g.listsAll(j, plan) || !hasStablePaths(plan) {
		return false
	}
	w, ok := g.newBoundary()
	return ok && w.canEnter(j.Plan.Dir) && w.allowsPlan(j.Plan.Dir, plan)
}

// RunsUnasked reports whether a command typed in the home directory runs without a confirmation although it can
// change something.
func (g *Gate) RunsUnasked(command string) bool {
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return false
	}
	j, refused := g.Prepare(Call{Name: "run_command", Input: input}, "", "")
	return refused == nil && g.isAutonomous(j)
}

// invocations returns the invocations of all commands of the plan.
func (j JudgedPlan) invocations() ([]invocation, bool) {
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

// maxParts is the number of reasons from which on a verdict can be incomplete.
const maxParts = 16

// personReasons are reasons that only a person can decide about.
var personReasons = set(ReasonUserRule + ` ` + ReasonForeign + ` ` + ReasonUntrustedNote + ` ` + ReasonForgetNote + ` ` + ReasonRewriteNote + ` ` + ReasonNewAutomation + ` ` + ReasonChangeAutomation + ` ` + ReasonPauseAutomation + ` ` + ReasonRemoveAutomation + ` ` + ReasonSendFile + ` secret-file environment assignment substitution interpreter function directory background
	network-condition network-operand ` + ReasonUnnamedHost + `
	unknown-command unproven-operand too-many-wrappers too-long control-character unparsed unprintable unstable-print`)

// needsPerson reports whether a person must see a plan regardless of its programs and paths, for example because
// it has a warning.
func (j JudgedPlan) needsPerson() bool {
	return j.Class != safety.Confirm || j.isUnparsed || j.Plan.Action != nil || len(j.Warnings) > 0 || len(j.Parts) >= maxParts ||
		slices.ContainsFunc(j.Parts, func(r safety.Reason) bool { return personReasons[r.Code] }) ||
		slices.ContainsFunc(j.Reasons, func(code string) bool { return personReasons[code] })
}

// commandPrograms are programs that run their operands or input as commands, or change the meaning of later names.
// Paths cannot be found in such commands.
var commandPrograms = set(`
	sh bash dash zsh fish ksh mksh ash yash rbash csh tcsh nu elvish xonsh busybox toybox
	eval exec source . trap command builtin alias unalias hash enable set unset shopt pushd popd bind complete fc read mapfile
	readarray getopts let
	env xargs parallel sem watch script ssh su sg newgrp at batch crontab systemd-run unshare nsenter chroot arch-chroot
	flock rlwrap expect screen tmux`)

// interpreters run a program text that can be one of their operands. They are only accepted with operands that
// are too simple for a program.
var interpreters = set(`
	python pypy perl ruby node deno bun lua luajit php tclsh awk gawk mawk nawk sed gsed ed ex vi vim nvim emacs gdb guile
	R Rscript julia jq m4 bc dc sqlite3 psql mysql ghc runghc scala groovy java kotlin swift racket sbcl`)

// baseProgram returns a program's name without the version that distributions append.
func baseProgram(program string) string {
	return strings.TrimRight(filepath.Base(program), "0123456789.")
}

// listsAll reports whether every program of a plan is on the person's list and none is of a kind that the list
// cannot cover.
func (g *Gate) listsAll(j JudgedPlan, plan []invocation) bool {
	for _, in := range plan {
		if in.program != "cd" && !g.allowance.lists(in.program, g.executor) {
			return false
		}
	}
	for _, r := range j.Parts {
		if r.Code == "path-program" && !g.allowance.lists(r.Part, g.executor) {
			return false
		}
	}
	for _, program := range j.Programs {
		if program != "cd" && !isStartedByPath(program, plan) && !g.allowance.lists(program, g.executor) {
			return false
		}
		if commandPrograms[program] || commandPrograms[baseProgram(program)] || interpreters[baseProgram(program)] && !arePlain(plan) {
			return false
		}
	}
	return true
}

// lists reports whether a program is on the list.
func (a Allowance) lists(program string, x *Executor) bool {
	return slices.ContainsFunc(a.Commands, func(entry string) bool {
		if !strings.Contains(entry, "/") {
			return entry == program
		}
		file, err := x.FindProgram(program)
		return err == nil && file == entry
	})
}

// isStartedByPath reports whether the plan only starts the program of this name by its path, never by the name.
func isStartedByPath(name string, plan []invocation) bool {
	found := false
	for _, in := range plan {
		if in.program == name || slices.ContainsFunc(in.words, func(w literalWord) bool { return w.text == name }) {
			return false
		}
		found = found || strings.Contains(in.program, "/") && filepath.Base(in.program) == name
	}
	return found
}

// arePlain reports whether all words only have letters, digits and the characters of names and numbers.
func arePlain(plan []invocation) bool {
	odd := func(w literalWord) bool {
		return strings.Trim(w.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/=:,+@%-") != ""
	}
	return !slices.ContainsFunc(plan, func(in invocation) bool { return slices.ContainsFunc(in.words, odd) })
}

// steadyPrograms are programs that cannot change where a name leads: they create no links and move nothing.
var steadyPrograms = set(`
	cd mkdir touch rm rmdir truncate tee chmod echo printf true false : test [ pwd sleep sync
	ls cat head tail wc sort uniq cut tr grep nl tac rev fold seq stat file du df date basename dirname readlink realpath
	diff cmp comm md5sum sha1sum sha256sum b2sum which uname id whoami`)

// explicitPrograms are further programs that only use the files they are given. Other programs can use the whole
// working directory implicitly, or read names from a file (tar, patch).
var explicitPrograms = set("cp mv ln dd install shred gzip gunzip bzip2 xz zstd kill")

// searchPrograms are programs that search the working directory unless they are given another one.
var searchPrograms = set("find bfs fd fdfind")

// hasStablePaths reports whether the paths of a plan still lead to the same files when they are used. Only the last
// command may change that (ln, mv, tar), and only if no other command runs at the same time.
func hasStablePaths(plan []invocation) bool {
	for i, in := range plan {
		if (i < len(plan)-1 || in.piped) && !steadyPrograms[in.program] {
			return false
		}
	}
	return true
}

// allowsPlan reports whether all paths of a plan are allowed without a confirmation.
func (w *boundary) allowsPlan(dir string, plan []invocation) bool {
	dirs := []string{dir}
	for _, in := range plan {
		if in.program != "cd" {
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
func (w *boundary) allowsInvocation(dirs []string, in invocation, alone bool) bool {
	words := slices.Concat(in.words, in.targets)
	switch {
	case searchPrograms[in.program] || slices.ContainsFunc(in.words, func(w literalWord) bool { return searchPrograms[w.text] }): // timeout 5 find
		words = append(words, literalWord{".", -1})
	case !steadyPrograms[in.program] && !explicitPrograms[in.program] && slices.ContainsFunc(dirs, w.enclosesClosed):
		return false
	}
	return !slices.ContainsFunc(words, func(word literalWord) bool { return !w.allowsWord(dirs, word, alone) })
}

// maxDirs is the maximum number of directories in which a command can run after several cd.
const maxDirs = 8

// followCd returns where a cd leads from each directory. The shell removes ".." together with the name before it;
// the kernel does not.
func (w *boundary) followCd(dirs []string, cd invocation) ([]string, bool) {
	if len(cd.words) != 1 || cd.words[0].glob >= 0 || len(cd.targets) > 0 || len(dirs) > maxDirs {
		return nil, false
	}
	target := cd.words[0].text
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
func (w *boundary) allowsWord(dirs []string, word literalWord, alone bool) bool {
	paths, ok := pathsIn(word.text)
	if !ok || word.glob >= 0 && !alone {
		return false
	}
	if word.glob >= 0 && !w.allowsGlob(dirs, word) {
		return false
	}
	return !slices.ContainsFunc(paths, func(p string) bool { return !w.allowsPath(dirs, p) })
}

// allowsGlob reports whether all files that a wildcard in the last part of a path can match are allowed.
func (w *boundary) allowsGlob(dirs []string, word literalWord) bool {
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
			if !hidden && (option || !w.allowsPath([]string{d}, dir+e.Name())) {
				return false
			}
		}
	}
	return true
}

// Limits of a word that is searched for paths.
const (
	maxOption = 128 // bytes of an option
	maxPaths  = 512
)

// pathsIn returns everything that can be a path in a word: the word, each part of it between characters that
// are rare in names, each suffix that starts at such a part, and for an option also the text after each of its
// letters. It fails for a word that a program can still expand.
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

// partLength returns the length of the first part of a text.
func partLength(text string) int {
	i := strings.IndexFunc(text, func(r rune) bool {
		return r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._/~-", r))
	})
	if i < 0 {
		return len(text)
	}
	return i
}
