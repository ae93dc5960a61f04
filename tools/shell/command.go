// Package shell reads commands as bash does, as far as that is possible without running anything: their words, the
// programs that they start, and the forms in which patterns are matched.
package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Command is one program to start: an argument vector, or a shell source that the checker has parsed and
// printed. Exactly one of the two is set.
type Command struct {
	Argv  []string `json:"argv,omitempty"`
	Shell string   `json:"shell,omitempty"`
}

// Args returns the arguments to start. A shell source runs in bash without start-up files, whose grammar it was
// judged by.
func (c Command) Args() []string {
	if c.Shell != "" {
		return []string{"bash", "--norc", "--noprofile", "-c", c.Shell}
	}
	return c.Argv
}

// String returns the command as a person would type it.
func (c Command) String() string {
	if c.Shell != "" {
		return c.Shell
	}
	return CommandLine(c.Argv)
}

// CommandLine quotes an argument vector as a person would type it. bash parses the result into the same words.
func CommandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = arg
		if i == 0 || !isPlainOperand(arg) {
			words[i] = quote(arg)
		}
	}
	return strings.Join(words, " ")
}

// isPlainOperand reports whether bash takes an argument after the program literally. Words like time and --sort=x
// are only special in first place.
func isPlainOperand(arg string) bool {
	return arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == ""
}

// quote quotes one argument for bash.
func quote(arg string) string {
	q, err := syntax.Quote(arg, syntax.LangBash)
	if err != nil { // a NUL byte, which exec refuses
		return "$'" + strings.ReplaceAll(arg, "\x00", `\x00`) + "'"
	}
	return q
}
