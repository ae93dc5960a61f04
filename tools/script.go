package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// File is a file whose content decides what a command does, as it was when the person was asked.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hex
}

// Limits on the files that an approval is bound to, larger than what a person reads.
const (
	maxScripts     = 64
	maxScriptBytes = 64 << 20
	maxPlaces      = 16 // directories to look up names in
	maxValues      = 16 // values of the variables of one word
	maxTexts       = 4  // nesting of shell sources in shell sources
)

// warnUncovered warns that an approval does not cover everything that decides what runs. Its detail lists the
// programs that read more.
const warnUncovered = "not-covered"

// readsText reports whether a program can read from a file what to do.
func readsText(program string) bool {
	return program == "." || strings.Contains(program, "/") || readerPrograms[baseProgram(program)] || implicitFiles[baseProgram(program)] != ""
}

// readerPrograms start other programs or read a program's text from a file.
var readerPrograms = set(`
	sh bash dash zsh fish ksh mksh ash yash rbash csh tcsh nu elvish xonsh busybox toybox
	env xargs find fd parallel watch script timeout nice ionice nohup setsid stdbuf chrt taskset flock unshare nsenter chroot arch-chroot systemd-run
	command exec builtin eval source time trap sudo doas su pkexec run0 runuser ssh scp sftp rsync docker podman distrobox flatpak at batch crontab
	python pypy perl ruby node deno bun lua luajit php tclsh wish expect awk gawk mawk nawk gdb guile R Rscript julia m4 ghc runghc scala groovy java kotlin swift racket sbcl
	npm npx yarn pnpm cargo go pip pipx uv poetry gem bundle composer mvn gradle ant rake sbt cabal stack mix rebar3 dotnet
	vi vim nvim view ex ed emacs git tmux screen ansible ansible-playbook terraform vagrant nix nix-build nix-shell direnv strace ltrace perf valgrind`)

// scriptOptions are the options that make a program read a script file: letters, then long names.
var scriptOptions = map[string]string{
	"sed": "f file", "gsed": "f file", "jq": "f L from-file", "psql": "f file",
	"tar": "I F to-command use-compress-program checkpoint-action info-script new-volume-script rsh-command", "bsdtar": "I use-compress-program",
}

// implicitFiles are the files that a program reads in its working directory by default.
var implicitFiles = map[string]string{
	"make": "GNUmakefile makefile Makefile", "gmake": "GNUmakefile makefile Makefile", "bmake": "BSDmakefile makefile Makefile",
	"makepkg": "PKGBUILD *.install ~/.makepkg.conf ~/.config/pacman/makepkg.conf", "updpkgsums": "PKGBUILD", "extra-x86_64-build": "PKGBUILD",
	"just": "justfile Justfile .justfile", "ninja": "build.ninja", "cmake": "CMakeLists.txt CMakePresets.json", "meson": "meson.build", "scons": "SConstruct",
	"rake": "Rakefile rakefile", "bundle": "Gemfile Gemfile.lock", "gem": "Gemfile", "npm": "package.json package-lock.json .npmrc", "npx": "package.json .npmrc",
	"yarn": "package.json yarn.lock .yarnrc.yml", "pnpm": "package.json pnpm-lock.yaml .npmrc", "bun": "package.json bunfig.toml", "deno": "deno.json",
	"cargo": "Cargo.toml Cargo.lock build.rs .cargo/config.toml", "go": "go.mod go.work", "pip": "setup.py setup.cfg pyproject.toml", "uv": "pyproject.toml uv.lock setup.py",
	"poetry": "pyproject.toml poetry.lock", "tox": "tox.ini", "nox": "noxfile.py", "pytest": "conftest.py pytest.ini pyproject.toml",
	"mvn": "pom.xml", "gradle": "build.gradle build.gradle.kts settings.gradle settings.gradle.kts", "ant": "build.xml", "sbt": "build.sbt",
	"docker": "Dockerfile compose.yaml compose.yml docker-compose.yaml docker-compose.yml .env", "podman": "Containerfile Dockerfile",
	"vagrant": "Vagrantfile", "terraform": "*.tf", "task": "Taskfile.yml Taskfile.yaml", "direnv": ".envrc", "nix": "flake.nix flake.lock", "nix-build": "default.nix",
	"nix-shell": "shell.nix default.nix", "composer": "composer.json", "mix": "mix.exs", "git": ".git/config .git/hooks/* .gitattributes ~/.gitconfig ~/.config/git/config", "ansible": "ansible.cfg",
	"tmux": "~/.tmux.conf", "vi": "~/.vimrc .vimrc .exrc", "vim": "~/.vimrc .vimrc .exrc", "nvim": "~/.config/nvim/init.lua ~/.config/nvim/init.vim .nvim.lua .exrc",
	"emacs": "~/.emacs ~/.emacs.d/init.el", "ssh": "~/.ssh/config", "scp": "~/.ssh/config", "sftp": "~/.ssh/config", "gdb": "~/.gdbinit .gdbinit",
}

// starterPrograms are the readers that start the programs in their arguments, so the command shows what they run.
var starterPrograms = set(`
	env xargs find fd parallel watch script timeout nice ionice nohup setsid stdbuf chrt taskset flock unshare nsenter chroot arch-chroot systemd-run
	command exec builtin eval time trap sudo doas su pkexec run0 runuser busybox toybox
	sh bash dash zsh fish ksh mksh ash yash rbash csh tcsh source strace ltrace perf valgrind`)

// coveredReaders are the readers whose behaviour is completely determined by the command and the implicit files.
var coveredReaders = set(`at batch crontab rsync flatpak awk gawk mawk nawk git ssh scp sftp docker podman distrobox tmux screen bc dc`)

// binder finds the files that decide what a plan does.
type binder struct {
	home       string
	places     []string            // possible working directories, the plan's own first
	values     map[string][]string // possible values of variables; none if unknown
	words      []string            // all possible values of words
	entered    []string            // directories that the plan changes to
	paths      []string            // files that are started by path or named in an environment
	incomplete bool                // a word is only known at run time, or there are too many
	silent     bool                // the current text only names files and starts nothing
	programs   []string            // started programs
	uncovered  []string
	files      []File
	seen       map[string]bool
	depth      int
}

// bind records what an approval of the plan covers: the contents of the scripts it runs and the directories it
// works in. Programs that depend on more are listed in Uncovered.
func (j *JudgedPlan) bind(home string) {
	b := &binder{home: home, places: []string{j.Plan.Dir}, values: map[string][]string{}, seen: map[string]bool{}, programs: slices.Clone(j.Programs)}
	for _, c := range j.Plan.Commands {
		b.readCommand(c)
	}
	dirs := append([]string{j.Plan.Dir}, b.entered...)
	if b.readsFiles() {
		dirs = b.places
		for _, w := range slices.Concat(b.paths, b.words) {
			b.addFile(w)
		}
		b.bindImplicit()
		b.nameUncovered()
	}
	j.Files, j.Uncovered, j.Dirs = b.files, b.uncovered, nil
	for _, dir := range dirs {
		if id := dirIdentity(dir); !slices.Contains(j.Dirs, id) {
			j.Dirs = append(j.Dirs, id)
		}
	}
}

// Notices returns the warnings of a question, including what an approval does not cover.
func (j JudgedPlan) Notices() []string {
	if len(j.Uncovered) == 0 {
		return j.Warnings
	}
	return append(slices.Clip(j.Warnings), warnUncovered+": "+strings.Join(j.Uncovered, ", "))
}

// dirIdentity identifies a directory by device and inode, because another directory can get the same name.
func dirIdentity(dir string) string {
	fi, err := os.Stat(dir)
	if err != nil {
		return dir + " absent"
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%s %d:%d", dir, st.Dev, st.Ino)
	}
	return dir
}

func (b *binder) readCommand(c Command) {
	if c.Shell != "" {
		b.readText(c.Shell)
		return
	}
	b.readCall(c.Argv)
}

// readText reads a shell source. It ignores text that cannot be parsed.
func (b *binder) readText(source string) {
	if b.depth++; b.depth > maxTexts {
		b.incomplete = true
	} else if tree, err := parseShell(source); err == nil {
		syntax.Walk(tree, b.readNode)
	}
	b.depth--
}

func (b *binder) readNode(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil && n.Value != nil {
			b.values[n.Name.Value] = append(b.values[n.Name.Value], b.fields(n.Value)...)
		}
	case *syntax.WordIter:
		for _, w := range n.Items {
			b.values[n.Name.Value] = append(b.values[n.Name.Value], b.fields(w)...)
		}
	case *syntax.CallExpr:
		b.readCallExpr(n)
	case *syntax.Redirect:
		if n.Hdoc != nil {
			b.readSilently(b.fields(n.Hdoc))
		}
	case *syntax.Word:
		for _, f := range b.fields(n) {
			b.addWord(f)
		}
	}
	return true
}

// readSilently reads texts that can be shell sources, such as a here-document.
func (b *binder) readSilently(texts []string) {
	was := b.silent
	b.silent = true
	for _, text := range texts {
		b.readText(text)
	}
	b.silent = was
}

func (b *binder) readCallExpr(c *syntax.CallExpr) {
	var argv []string
	for i, w := range c.Args {
		fields := b.fields(w)
		if i == 0 {
			for _, f := range fields[min(1, len(fields)):] {
				b.addProgram(f) // one of several possible programs
			}
		}
		argv = append(argv, fields...)
	}
	for _, a := range c.Assigns { // the program's environment: LD_PRELOAD, BASH_ENV
		if len(c.Args) > 0 {
			for _, f := range b.fields(a.Value) {
				b.paths = append(b.paths, strings.Split(f, ":")...)
			}
		}
	}
	b.readCall(argv)
}

// addProgram adds a program.
func (b *binder) addProgram(program string) {
	if b.silent {
		return
	}
	b.programs = append(b.programs, program)
	if strings.Contains(program, "/") && !isSystemProgram(program) {
		b.paths = append(b.paths, program)
	}
}

// readCall adds the programs and files in the words of one command.
func (b *binder) readCall(argv []string) {
	if len(argv) == 0 {
		return
	}
	b.addProgram(argv[0])
	name := baseProgram(argv[0])
	if options := scriptOptions[name]; options != "" && slices.ContainsFunc(argv[1:], func(w string) bool { return isOption(w, options) }) {
		b.addProgram("source") // it reads a script, like source does
	}
	for _, w := range argv[1:] {
		if name == "cd" || name == "pushd" {
			b.addEntered(w)
		}
		b.addWord(w)
		switch {
		case !starterPrograms[name]:
		case strings.ContainsAny(w, " \t\n;&|<>"):
			b.readText(w) // sh -c TEXT, eval TEXT
		case strings.Contains(w, "/") && b.isProgram(w):
			b.addProgram(w)
		}
	}
}

// addEntered adds a directory that the plan changes to, even if it does not exist.
func (b *binder) addEntered(word string) {
	for _, dir := range slices.Concat(b.places[:1], b.entered) {
		if p := b.absolute(word, dir); len(b.entered) < maxPlaces && !slices.Contains(b.entered, p) {
			b.entered = append(b.entered, p)
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
func (b *binder) addWord(text string) {
	for _, w := range candidates(text) {
		b.words = append(b.words, w)
		b.addPlace(w)
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
func (b *binder) addPlace(word string) {
	for _, dir := range slices.Clone(b.places) {
		p := b.absolute(word, dir)
		fi, err := os.Stat(p)
		if err != nil || !fi.IsDir() || slices.Contains(b.places, p) {
			continue
		}
		if len(b.places) == maxPlaces {
			b.incomplete = true
			return
		}
		b.places = append(b.places, p)
	}
}

func (b *binder) absolute(word, dir string) string {
	if rest, ok := strings.CutPrefix(word, "~/"); ok {
		return filepath.Join(b.home, rest)
	}
	if filepath.IsAbs(word) {
		return filepath.Clean(word)
	}
	return filepath.Join(dir, word)
}

// fields returns the possible expansions of a word, including file names in each of the directories; none if
// they are only known at run time.
func (b *binder) fields(w *syntax.Word) []string {
	if w == nil {
		return nil
	}
	var out []string
	for _, env := range b.environments(w) {
		for _, dir := range b.places {
			fields, err := expandWord(w, append(slices.Clip(env), "PWD="+dir))
			if err != nil {
				b.incomplete = true
				return nil
			}
			for _, f := range fields {
				if !slices.Contains(out, f) {
					out = append(out, f)
				}
			}
			if len(out) > maxScripts {
				b.incomplete = true
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
		if r := recover(); r != nil { // a construct that the library does not know
			err = fmt.Errorf("cannot expand a word: %v", r)
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
func (b *binder) environments(w *syntax.Word) [][]string {
	envs := [][]string{{"HOME=" + b.home}}
	done := map[string]bool{"HOME": true}
	syntax.Walk(w, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		if !ok || p.Param == nil || done[p.Param.Value] {
			return true
		}
		done[p.Param.Value] = true
		var next [][]string
		for _, v := range b.values[p.Param.Value] {
			for _, env := range envs {
				next = append(next, append(slices.Clip(env), p.Param.Value+"="+v))
			}
		}
		if len(next) > maxValues {
			b.incomplete, next = true, next[:maxValues]
		}
		if len(next) > 0 {
			envs = next
		}
		return true
	})
	return envs
}

// readsFiles reports whether any part of the plan reads from a file what to do.
func (b *binder) readsFiles() bool {
	return slices.ContainsFunc(b.programs, readsText) || len(b.paths) > 0
}

// bindImplicit binds the files that programs read by default.
func (b *binder) bindImplicit() {
	for _, program := range b.programs {
		for name := range strings.FieldsSeq(implicitFiles[baseProgram(program)]) {
			for _, dir := range b.places {
				found, _ := filepath.Glob(b.absolute(name, quoteGlob(dir)))
				for _, p := range found {
					b.addFile(p)
				}
			}
		}
	}
}

// quoteGlob escapes a path for use in a glob pattern.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// addFile binds the contents of a word's file in each directory that has it.
func (b *binder) addFile(word string) {
	for _, dir := range b.places {
		path := b.absolute(word, dir)
		if b.seen[path] {
			continue
		}
		b.seen[path] = true
		sum, ok := hashFile(path)
		if !ok {
			continue
		}
		if len(b.files) == maxScripts {
			b.incomplete = true
			return
		}
		b.files = append(b.files, File{Path: path, SHA256: sum})
	}
}

// nameUncovered lists the programs that read more than the bound files: modules, included files, their
// configuration.
func (b *binder) nameUncovered() {
	for _, p := range b.programs {
		name := baseProgram(p)
		switch {
		case strings.Contains(p, "/"):
			if !isSystemProgram(p) && b.isProgram(p) {
				b.addUncovered(filepath.Base(p))
			}
		case readsText(p) && (b.incomplete && p != "sudo" || !starterPrograms[name] && !coveredReaders[name] && name != ""):
			b.addUncovered(name)
		}
	}
	for _, f := range b.files {
		if looksLikeScript(f.Path) {
			b.addUncovered(filepath.Base(f.Path))
		}
	}
	slices.Sort(b.uncovered)
}

// isProgram reports whether a word is the path of an executable file.
func (b *binder) isProgram(word string) bool {
	return slices.ContainsFunc(b.places, func(dir string) bool { return checkExecutable(b.absolute(word, dir)) == nil })
}

// looksLikeScript reports whether a file looks like a script, which can read other files.
func looksLikeScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	start := make([]byte, 2)
	n, _ := io.ReadFull(f, start)
	return string(start[:n]) == "#!" || slices.Contains([]string{".sh", ".bash", ".zsh", ".fish", ".py", ".pl", ".rb", ".js", ".lua", ".mk"}, filepath.Ext(path))
}

// isSystemProgram reports whether a path is in the system's program directories.
func isSystemProgram(path string) bool {
	return slices.Contains(fixedPath[:4], filepath.Dir(path))
}

func (b *binder) addUncovered(name string) {
	if !slices.Contains(b.uncovered, name) {
		b.uncovered = append(b.uncovered, name)
	}
}

// hashFile returns the digest of a regular file's content, or false if there is no such file. For a file that
// is unreadable or too large for a script, it uses size and modification time.
func hashFile(path string) (string, bool) {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return "", false
	}
	sum := sha256.New()
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		_, err = io.Copy(sum, io.LimitReader(f, maxScriptBytes))
	}
	if err != nil || fi.Size() > maxScriptBytes {
		fmt.Fprintf(sum, "%d %d", fi.Size(), fi.ModTime().UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)), true
}

// literalValue returns the value of a word, if it is known without running anything.
func literalValue(w *syntax.Word, home string) (string, bool) {
	if w == nil {
		return "", false
	}
	plain := true
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case nil, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			plain = false
		}
		return plain
	})
	if !plain {
		return "", false
	}
	text, err := expand.Literal(&expand.Config{Env: expand.ListEnviron("HOME=" + home)}, w)
	return text, err == nil && text != ""
}
