package tools

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// personalDirs are the directories for a person's own programs. Programs there are never found by name, because
// not only the system's packages write there: the person has to write the whole path, which the checker asks
// about.
var personalDirs = []string{
	"~/.local/bin", "~/bin", "~/.cargo/bin", "~/go/bin", "~/.npm-global/bin",
	"~/.local/share/flatpak/exports/bin", "/var/lib/flatpak/exports/bin",
}

// PersonalProgram returns the path of a program in the directories for a person's own programs, or "" if none
// has it.
func PersonalProgram(home, program string) string {
	if program == "" || program == "." || program == ".." || strings.Contains(program, "/") {
		return ""
	}
	for _, dir := range personalDirs {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			if home == "" {
				continue
			}
			dir = filepath.Join(home, rest)
		}
		if file := filepath.Join(dir, program); checkExecutable(file) == nil {
			return file
		}
	}
	return ""
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
