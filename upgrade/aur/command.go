package aur

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command.
func (w *walker) call(cmd *syntax.CallExpr, st *syntax.Stmt) effect {
	if len(cmd.Args) == 0 {
		of := effect(0)
		for _, a := range cmd.Assigns {
			of |= w.assign(a)
		}
		return of
	}
	for _, a := range cmd.Assigns { // only for this command
		if a.Value != nil {
			w.wordEffect(a.Value)
		}
		w.environment(a)
	}
	w.checkName(cmd.Args[0])
	inArgs := effect(0)
	for _, word := range cmd.Args {
		inArgs |= w.wordEffect(word)
		w.checkEscapes(word)
	}
	argv := w.argv(cmd.Args)
	return w.invoke(argv, invocation{node: cmd, stmt: st, args: cmd.Args, inArgs: inArgs})
}

// argv returns the words of a command.
func (w *walker) argv(words []*syntax.Word) (argv []string) {
	for i, word := range words {
		if i == 0 {
			if fields := w.vars.fields(word); len(fields) > 0 {
				argv = append(argv, fields...)
			}
			continue
		}
		argv = append(argv, w.vars.fields(word)...)
		if len(argv) > maxFields {
			break
		}
	}
	return argv
}

// invocation is a command that is judged.
type invocation struct {
	node   *syntax.CallExpr
	stmt   *syntax.Stmt
	args   []*syntax.Word
	inArgs effect // of what its words substitute
}

// invoke judges a command by its words.
func (w *walker) invoke(argv []string, in invocation) effect {
	if len(argv) == 0 {
		return in.inArgs
	}
	name, args := path.Base(argv[0]), argv[1:]
	if w.kind == scriptlet {
		w.rootCommand(argv, in)
	}
	if rootPrograms()[name] {
		w.asRoot(name, argv, in)
	}
	if wrappers()[name] {
		if inner := unwrap(argv); len(inner) > 0 {
			w.textOperands(argv, in)
			return w.invoke(inner, in) | in.inArgs
		}
	}
	if w.local[argv[0]] {
		return in.inArgs
	}
	of := w.judge(name, argv, args, in)
	if w.kind == topLevel {
		w.topCommand(name, argv, of, in)
	}
	w.textOperands(argv, in)
	return of
}

// unwrap returns the command that a wrapper starts, without the wrapper's options.
func unwrap(argv []string) []string {
	name, rest := path.Base(argv[0]), argv[1:]
	for len(rest) > 0 {
		switch word := rest[0]; {
		case word == "--":
			return rest[1:]
		case isFlag(word):
			rest = rest[1:]
			if slices.Contains([]string{"-u", "-g", "-n", "-I", "-P", "-L", "-E", "-s", "-k", "-C", "--user"}, word) && len(rest) > 1 &&
				name != "env" && !isFlag(rest[0]) && !isProgram(rest[0]) {
				rest = rest[1:]
			}
			if word == "-c" && name == "su" {
				return nil
			}
		case strings.Contains(word, "=") && !strings.Contains(word, "/") || name == "timeout" && strings.Trim(word, "0123456789.smhd") == "":
			rest = rest[1:]
		default:
			return rest
		}
	}
	return nil
}

// judge reports what a program does with its words, and returns the effect of its output.
func (w *walker) judge(name string, argv, args []string, in invocation) effect {
	of := in.inArgs | w.input
	shown := strings.Join(argv, " ")
	switch {
	case argv[0] == unknown && !w.isParameter(in.args[0]):
		of |= w.computedName(in)
	case name == "eval":
		return of | w.evalText(args, in)
	case name == "." || name == "source":
		w.sourceFile(args, in)
	case shells()[name]:
		of |= w.runShell(args, in)
	case interpreters()[name]:
		w.runInterpreter(name, args, in)
		if use, is := useRegistry(name, args); is {
			w.registry(name, use, shown, in)
		}
	case downloaders()[name]:
		of |= w.download(name, args, shown, in)
	case connectors()[name]:
		of |= w.connect(args, shown, in)
	case name == "git" || name == "hg" || name == "svn" || name == "bzr" || name == "fossil":
		of |= w.repository(name, args, shown, in)
	case name == "ssh" || name == "rsync" && slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "::") || isRemote(a) }):
		of |= w.fetch(Fetches, Warn, shown, in)
	case decoders()[name]:
		of |= w.decode(name, args, shown, in)
	case name == "printf" || name == "echo":
		of |= w.printEscapes(name, args, in)
	case name == "tr" && isRotation(args), name == "rev":
		of |= decodes
	case resolvers()[name] && w.kind != program && slices.ContainsFunc(args, hasUnknown):
		w.report(Sends, Red, in.node, shown) // in the name that is asked for
	case senders()[name] && w.kind != program:
		w.send(name, args, shown, in)
	case schedulers()[name]:
		w.report(Persists, Red, in.node, shown)
	case name == "systemctl":
		w.services(args, shown, in)
	case name == "trap" && len(args) > 0:
		w.again(args[0], in.node)
	case name == "cd" || name == "pushd":
		w.changeDir(args)
	default:
		if use, is := useRegistry(name, args); is {
			w.registry(name, use, shown, in)
		}
	}
	w.runsFile(argv, in)
	w.changesFiles(name, args, shown, in)
	return of
}

// changeDir follows cd.
func (w *walker) changeDir(args []string) {
	operands := slices.DeleteFunc(slices.Clone(args), isFlag)
	switch {
	case len(operands) != 1 || strings.Contains(operands[0], unknown):
		w.dir = ""
	case strings.HasPrefix(operands[0], "/"):
		w.dir = path.Clean(operands[0])
	default:
		w.dir = path.Join(w.where(), operands[0])
	}
}

// isRemote reports whether an operand names a file of another host: host:path.
func isRemote(a string) bool {
	host, _, is := strings.Cut(a, ":")
	return is && host != "" && !strings.ContainsAny(host, "/"+unknown)
}

// isRotation reports whether tr replaces letters by others of the alphabet, as ROT13 does.
func isRotation(args []string) bool {
	letters := func(s string) bool {
		return len(s) > 4 && strings.ContainsRune(s, '-') && strings.ContainsFunc(s, unicode.IsLetter)
	}
	return len(args) == 2 && letters(args[0]) && letters(args[1]) && !slices.Contains([]string{"a-z", "A-Z"}, args[0]) && !strings.HasPrefix(args[0], "[:")
}

// isParameter reports whether a command's name is a parameter of a function, or a variable that makepkg or the person sets.
func (w *walker) isParameter(word *syntax.Word) bool {
	parameter := false
	syntax.Walk(word, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		if !ok || p.Param == nil {
			return true
		}
		_, assigned := w.vars.vars[p.Param.Value]
		parameter = !assigned
		return true
	})
	return parameter
}

// computedName reports a program whose name is only known when the recipe runs.
func (w *walker) computedName(in invocation) effect {
	switch {
	case in.inArgs&fetches != 0 && w.nameEffect(in)&fetches != 0:
		w.report(RunsFetched, Red, in.node, w.source(in.node))
	case w.nameEffect(in)&decodes != 0:
		w.report(RunsDecoded, Red, in.node, w.source(in.node))
	case len(in.args[0].Parts) > 0 && hasCommand(in.args[0]):
		w.report(ComputedName, Red, in.node, w.source(in.node))
	default:
		w.report(ComputedName, Note, in.node, w.source(in.node))
	}
	return 0
}

func (w *walker) nameEffect(in invocation) effect {
	quiet := *w
	quiet.checker = &checker{}
	return quiet.wordEffect(in.args[0])
}

func hasCommand(word *syntax.Word) (has bool) {
	syntax.Walk(word, func(n syntax.Node) bool {
		_, is := n.(*syntax.CmdSubst)
		has = has || is
		return !has
	})
	return has
}

// evalText reads what eval runs.
func (w *walker) evalText(args []string, in invocation) effect {
	text := strings.Join(args, " ")
	switch {
	case in.inArgs&fetches != 0:
		w.report(RunsFetched, Red, in.node, w.source(in.node))
	case in.inArgs&decodes != 0:
		w.report(RunsDecoded, Red, in.node, w.source(in.node))
	case strings.Contains(text, unknown):
		w.report(RunsText, Note, in.node, w.source(in.node))
	}
	return w.again(text, in.node)
}

// sourceFile judges source FILE.
func (w *walker) sourceFile(args []string, in invocation) {
	switch {
	case in.inArgs&fetches != 0:
		w.report(RunsFetched, Red, in.node, w.source(in.node))
	case in.inArgs&decodes != 0:
		w.report(RunsDecoded, Red, in.node, w.source(in.node))
	case len(args) > 0 && args[0] == "/dev/stdin":
		w.runsInput(in)
	case w.kind == topLevel && len(args) > 0 && !strings.HasPrefix(args[0], "/usr/share/"):
		w.report(TopCommand, Warn, in.node, w.source(in.node))
	}
}

// runsInput judges an interpreter that runs what the commands before it print.
func (w *walker) runsInput(in invocation) {
	var whole syntax.Node = in.stmt
	if w.isPiped && w.pipe != nil {
		whole = w.pipe
	}
	switch {
	case w.input&fetches != 0:
		w.report(RunsFetched, Red, in.stmt, w.source(whole))
	case w.input&decodes != 0:
		w.report(RunsDecoded, Red, in.stmt, w.source(whole))
	case w.isPiped:
		w.report(RunsInput, Warn, in.stmt, w.source(whole))
	}
}

// runShell judges sh and its kind: -c TEXT, a file, or the input.
func (w *walker) runShell(args []string, in invocation) effect {
	for i, a := range args {
		if isFlag(a) && !strings.HasPrefix(a, "--") && strings.Contains(a, "c") && i+1 < len(args) {
			return w.evalText(args[i+1:i+2], in)
		}
		if !isFlag(a) && a != "/dev/stdin" || a == "--" {
			if strings.HasPrefix(a, unknown) || a == "/dev/fd/"+unknown {
				w.substituted(in)
			}
			return 0
		}
		if a == "-s" || a == "-" {
			break
		}
	}
	w.hereText(in, func(text string, n syntax.Node) { w.again(text, n) })
	w.runsInput(in)
	return 0
}

// substituted judges an interpreter whose file is the output of commands: bash <(curl …).
func (w *walker) substituted(in invocation) {
	switch {
	case in.inArgs&fetches != 0:
		w.report(RunsFetched, Red, in.node, w.source(in.node))
	case in.inArgs&decodes != 0:
		w.report(RunsDecoded, Red, in.node, w.source(in.node))
	}
}

// hereText gives the here-documents and here-strings of a command.
func (w *walker) hereText(in invocation, read func(text string, n syntax.Node)) {
	if in.stmt == nil {
		return
	}
	for _, r := range in.stmt.Redirs {
		switch {
		case r.Hdoc != nil:
			read(w.vars.text(r.Hdoc), r.Hdoc)
		case r.Op == syntax.WordHdoc:
			if w.wordEffect(r.Word)&fetches != 0 {
				w.report(RunsFetched, Red, in.stmt, w.source(in.stmt))
			} else if w.wordEffect(r.Word)&decodes != 0 {
				w.report(RunsDecoded, Red, in.stmt, w.source(in.stmt))
			}
			read(w.vars.text(r.Word), r.Word)
		}
	}
}

// runInterpreter judges python and its kind: text of a flag, a file, or the input.
func (w *walker) runInterpreter(name string, args []string, in invocation) {
	for i, a := range args {
		if isFlag(a) && len(a) <= 4 && strings.ContainsAny(a, "ceEprn") && i+1 < len(args) && a != "-m" && name != "bun" {
			w.foreignText(strings.Join(args[i+1:i+2], " "), in)
			return
		}
		if a == "eval" && name == "deno" && i+1 < len(args) {
			w.foreignText(args[i+1], in)
			return
		}
		if !isFlag(a) && a != "/dev/stdin" {
			if strings.HasPrefix(a, unknown) {
				w.substituted(in)
			}
			return
		}
		if a == "-m" && i+1 < len(args) && (args[i+1] == "pip" || args[i+1] == "uv") {
			w.invoke(args[i+1:], in)
		}
		if a == "-m" || a == "--version" || a == "-V" {
			return
		}
		if a == "-" {
			break
		}
	}
	if name == "bun" || name == "deno" {
		return
	}
	w.hereText(in, func(text string, _ syntax.Node) { w.foreignText(text, in) })
	w.runsInput(in)
}

// foreignText judges the text of another language that a command has in its words.
func (w *walker) foreignText(text string, in invocation) {
	if in.inArgs&fetches != 0 {
		w.report(RunsFetched, Red, in.node, w.source(in.node))
		return
	}
	if in.inArgs&decodes != 0 {
		w.report(RunsDecoded, Red, in.node, w.source(in.node))
		return
	}
	switch judgeForeign(text) {
	case foreignRuns:
		w.report(RunsFetched, Red, in.node, w.source(in.node))
	case foreignDecodes:
		w.report(RunsDecoded, Red, in.node, w.source(in.node))
	case foreignFetches:
		w.fetch(Fetches, Warn, w.source(in.node), in)
	}
}

// fetch reports a command that reads from the network, by where it runs.
func (w *walker) fetch(code Code, s Severity, shown string, in invocation) effect {
	switch w.kind {
	case scriptlet:
		code, s = RootFetches, Red
	case topLevel:
		if w.nested == 0 || s == Red {
			code, s = TopFetches, Red
		}
	case naming:
		s = Note
	}
	w.report(code, s, in.node, shown)
	return fetches
}

// download judges curl and its kind.
func (w *walker) download(name string, args []string, shown string, in invocation) effect {
	w.checkAddresses(args, in.node)
	if isUpload(name, args) {
		s := Red
		if w.kind == program { // a program of the package that sends when the person runs it
			s = Note
		}
		w.report(Sends, s, in.node, shown)
	}
	for i, a := range args {
		var target string
		switch {
		case (a == "-o" || a == "--output" || a == "-O" && name == "wget" || a == "--output-document" || a == "--out") && i+1 < len(args):
			target = args[i+1]
		case strings.HasPrefix(a, "--output=") || strings.HasPrefix(a, "--output-document="):
			_, target, _ = strings.Cut(a, "=")
		case strings.Contains(a, "://"):
			target = path.Base(a)
		case isFlag(a) && !strings.HasPrefix(a, "--") && len(a) > 2 && strings.HasSuffix(a, "o") && name == "curl" && i+1 < len(args):
			target = args[i+1]
		}
		w.noteFetched(target, fetches)
	}
	if slices.ContainsFunc(args, func(a string) bool { return a == "--version" || a == "--help" }) {
		return 0
	}
	return w.fetch(Fetches, Warn, shown, in)
}

func hasUnknown(a string) bool { return strings.Contains(a, unknown) }

// send judges programs that put files on other computers.
func (w *walker) send(name string, args []string, shown string, in invocation) {
	has := func(words ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(words, a) })
	}
	switch {
	case name == "gh" && !(has("PUT", "POST", "PATCH", "--input", "-f", "-F", "--field", "--raw-field") || has("create", "upload")):
		w.fetch(Fetches, Warn, shown, in)
	case name != "gh" && has("--version", "--help"):
	default:
		w.report(Sends, Red, in.node, shown)
	}
}

// isUpload reports whether curl or wget sends data.
func isUpload(name string, args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		flag, _, _ := strings.Cut(a, "=")
		switch flag {
		case "--data", "--data-binary", "--data-raw", "--data-urlencode", "--form", "--upload-file", "--json", "--post-data", "--post-file", "--body-file", "--body-data":
			return true
		case "-d", "-F", "-T":
			return name == "curl"
		}
		return false
	})
}

// connect judges nc and its kind.
func (w *walker) connect(args []string, shown string, in invocation) effect {
	if w.isPiped || slices.ContainsFunc(args, func(a string) bool {
		lower := strings.ToLower(a)
		return a == "-e" || a == "-c" || a == "--exec" || a == "--sh-exec" || strings.HasPrefix(lower, "exec:") || strings.HasPrefix(lower, "system:")
	}) {
		w.report(Connects, Red, in.node, shown)
	}
	return w.fetch(Fetches, Warn, shown, in)
}

// repository judges git and its kind.
func (w *walker) repository(name string, args []string, shown string, in invocation) effect {
	verb := ""
	for i, a := range args {
		if !isFlag(a) && !(i > 0 && (args[i-1] == "-C" || args[i-1] == "-c")) {
			verb = a
			break
		}
	}
	switch verb {
	case "config":
		if slices.ContainsFunc(args, runsByGit) {
			w.report(Persists, Red, in.node, shown)
		}
		return 0
	case "push", "send-email":
		w.report(Sends, Red, in.node, shown)
		return fetches
	case "clone", "fetch", "pull", "ls-remote", "checkout", "co", "export", "update", "submodule", "remote", "lfs":
		return w.fetchRepository(name, verb, args, shown, in)
	}
	return 0
}

// runsByGit reports whether a setting of git names a program that git starts: git-config(1).
func runsByGit(name string) bool {
	return slices.Contains([]string{
		"core.hookspath", "core.fsmonitor", "core.sshcommand", "core.editor", "core.pager", "init.templatedir", "credential.helper",
	}, strings.ToLower(name))
}

func (w *walker) fetchRepository(name, verb string, args []string, shown string, in invocation) effect {
	far := slices.ContainsFunc(args, func(a string) bool {
		return strings.Contains(a, "://") && !strings.HasPrefix(a, "file://") || strings.HasPrefix(a, "git@") || strings.HasPrefix(a, "ssh://")
	})
	w.checkAddresses(args, in.node)
	switch {
	case (verb == "checkout" || verb == "co" || verb == "update" || verb == "export") && (name == "git" || !far):
		return 0
	case verb == "clone" && !far, (verb == "submodule" || verb == "lfs") && !far, verb == "remote":
		if verb == "submodule" && slices.Contains(args, "update") || verb == "lfs" && (slices.Contains(args, "fetch") || slices.Contains(args, "pull")) {
			return w.fetch(FetchesLocked, Note, shown, in)
		}
		return 0
	}
	if verb == "clone" && w.kind == building {
		for _, a := range args {
			if !isFlag(a) {
				w.noteFetched(strings.TrimSuffix(path.Base(a), ".git"), 0)
			}
		}
	}
	return w.fetch(Fetches, Warn, shown, in)
}

// registry judges npm, pip, cargo and their kind. What they print is not what they fetch.
func (w *walker) registry(name string, u registryUse, shown string, in invocation) {
	if !u.fetches {
		return
	}
	for _, p := range u.named {
		if slices.Contains(knownBad, p) {
			w.report(KnownBad, Red, in.node, p)
		}
	}
	var strange []string
	for _, p := range u.named {
		if !w.isRelated(p) && !nodeTools()[p] {
			strange = append(strange, p)
		}
	}
	switch {
	case w.kind == scriptlet || w.kind == topLevel:
		w.fetch(RootFetches, Red, shown, in)
	case u.elsewhere, len(strange) > 0 && isNode(name):
		w.fetch(UnrelatedPackage, Red, shown, in)
	case len(u.named) > 0:
		w.fetch(FetchesPackage, Warn, shown, in)
	case u.locked:
		w.fetch(FetchesLocked, Note, shown, in)
	default:
		w.fetch(Fetches, Warn, shown, in)
	}
}

// isNode reports whether a program installs packages whose own scripts run while they are installed.
func isNode(name string) bool {
	return slices.Contains([]string{"npm", "pnpm", "yarn", "bun", "npx", "bunx", "pnpx", "cnpm", "pip", "pip3", "uvx", "pipx", "gem"}, name)
}

// decode judges base64 and its kind.
func (w *walker) decode(name string, args []string, shown string, in invocation) effect {
	has := func(flags ...string) bool {
		return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(flags, a) })
	}
	decoding := false
	switch name {
	case "base64", "base32", "basenc":
		decoding = has("-d", "-D", "--decode", "-di", "-id")
	case "xxd":
		decoding = slices.ContainsFunc(args, func(a string) bool { return isFlag(a) && strings.Contains(a, "r") })
	case "openssl":
		decoding = has("-d") && has("enc", "base64", "aes-256-cbc", "aes-128-cbc", "des3", "rc4")
	case "uudecode":
		decoding = true
	case "gpg":
		decoding = has("-d", "--decrypt")
	}
	if !decoding {
		return 0
	}
	s := Warn
	if w.kind == scriptlet || w.kind == topLevel {
		s = Red
	}
	w.report(Decodes, s, in.node, shown)
	return decodes
}

// printEscapes judges printf and echo -e with letters written as numbers.
func (w *walker) printEscapes(name string, args []string, in invocation) effect {
	if name == "echo" && !slices.ContainsFunc(args, func(a string) bool { return isFlag(a) && strings.Contains(a, "e") }) {
		return 0
	}
	for _, a := range args {
		if escapedLetters(a) >= 4 {
			s := Warn
			if w.kind == scriptlet || w.kind == topLevel {
				s = Red
			}
			w.report(Decodes, s, in.node, strings.Join(args, " "))
			return decodes
		}
	}
	return 0
}

// runsFile reports a file that was fetched or decoded and is run, or made ready to be.
func (w *walker) runsFile(argv []string, in invocation) {
	name := path.Base(argv[0])
	file := ""
	switch {
	case strings.Contains(argv[0], "/"):
		file = argv[0]
	case shells()[name] || interpreters()[name] || name == "source" || name == ".":
		for _, a := range argv[1:] {
			if !isFlag(a) {
				file = a
				break
			}
		}
	case name == "chmod" && len(argv) > 2 && makesExecutable(argv[1]):
		file = argv[len(argv)-1]
	}
	if file == "" {
		return
	}
	w.runsStrange(file, in)
	of := w.fetched[path.Base(file)]
	switch {
	case strings.HasPrefix(file, pkgDir) && !strings.Contains(argv[0], "/"):
	case of&fetches != 0:
		w.report(RunsFetched, Red, in.node, w.source(in.node))
	case of&decodes != 0:
		w.report(RunsDecoded, Red, in.node, w.source(in.node))
	}
}

// makesExecutable reports whether a mode of chmod lets a file be run.
func makesExecutable(mode string) bool {
	if strings.Trim(mode, "01234567") == "" {
		return strings.ContainsAny(mode[max(0, len(mode)-3):], "1357")
	}
	return strings.Contains(mode, "x")
}

// services judges systemctl.
func (w *walker) services(args []string, shown string, in invocation) {
	changes := slices.ContainsFunc(args, func(a string) bool {
		return slices.Contains([]string{"enable", "start", "restart", "reenable", "unmask", "link", "edit", "try-restart", "reload-or-restart"}, a)
	})
	switch {
	case w.kind == scriptlet && (slices.Contains(args, "enable") || slices.Contains(args, "start") || slices.Contains(args, "link")):
		w.report(Services, Warn, in.node, shown)
	case w.kind == scriptlet || w.kind == program:
	case changes:
		w.report(Services, Red, in.node, shown)
	}
}

// asRoot reports sudo and its kind. In a scriptlet they drop rights.
func (w *walker) asRoot(name string, argv []string, in invocation) {
	switch w.kind {
	case building, topLevel, naming:
		w.report(AsRoot, Red, in.node, strings.Join(argv, " "))
	case scriptlet:
		if name == "pkexec" || name == "su" || name == "sudo" || name == "runuser" {
			w.report(AsRoot, Note, in.node, strings.Join(argv, " "))
		}
	}
}

// topCommand reports a command that runs when the PKGBUILD is only read.
func (w *walker) topCommand(name string, argv []string, of effect, in invocation) {
	if w.nested > 0 || of&fetches != 0 && !harmless()[name] {
		return
	}
	s := Warn
	if harmless()[name] {
		s = Note
	}
	if s == Note && (name == "echo" || name == "printf" || name == "[" || name == "test" || name == ":" || name == "export" || name == "unset") {
		return
	}
	w.report(TopCommand, s, in.node, strings.Join(argv, " "))
}

// rootCommand lists what a scriptlet runs.
func (w *walker) rootCommand(argv []string, in invocation) {
	name := path.Base(argv[0])
	switch {
	case w.local[argv[0]] || slices.Contains([]string{"echo", "printf", "true", ":", "local", "return", "test", "[", "cat", "exit", "read", "shift", "msg", "plain"}, name):
	case rootUsual()[name] || argv[0] == unknown || strings.HasPrefix(argv[0], "$"):
		w.report(RootCommand, Note, in.node, strings.Join(argv, " "))
	case downloaders()[name] || connectors()[name]:
	default:
		w.report(RootUnknown, Warn, in.node, strings.Join(argv, " "))
	}
}
