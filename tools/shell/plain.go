package shell

import (
	"slices"
	"strings"
)

// builtins are bash's builtin commands, bash(1), "Shell Builtin Commands".
var builtins = strings.Fields(`
	. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable
	eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd
	read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias
	unset wait`)

// keywords are bash's reserved words, bash(1), "Reserved Words".
var keywords = strings.Fields("! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while")

// IsBuiltin reports whether bash runs a command of this name itself.
func IsBuiltin(name string) bool { return slices.Contains(builtins, name) }

// Plain returns the words of a shell source that bash only splits, and then executes the program that the first one
// names: one simple command of literal words. It refuses everything with another meaning in any place, because a
// source that is wrongly plain would do something else than it was judged by.
func Plain(source string) (argv []string, plain bool) {
	if strings.ContainsFunc(source, isControl) {
		return nil, false
	}
	argv, literal := ParseLiteral(source)
	if !literal || IsBuiltin(argv[0]) || slices.Contains(keywords, argv[0]) {
		return nil, false
	}
	// bash reads options after -c, and %1 is a job.
	return argv, !strings.ContainsRune("-+%", rune(argv[0][0]))
}

// isControl reports whether the parser and bash can read a character differently: bash uses some of them to mark quoted
// text, and drops others. U+FFFD represents bytes that are not UTF-8.
func isControl(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }
