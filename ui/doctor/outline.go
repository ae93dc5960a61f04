package doctor

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// outlineOf returns a line of commands.log with only the names of programs and options in its command, without
// arguments such as addresses, passwords and file names.
func outlineOf(line string) string {
	r, err := commandlog.Parse(line)
	if err != nil {
		return "[not a line of this log]"
	}
	r.Command = outline(r.Command)
	return commandlog.Format(r)
}

// outline returns the programs and options of a command, with … for arguments. It returns "[no bash]" for a
// command that cannot be parsed.
func outline(command string) string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return "[no bash]"
	}
	var calls []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			calls = append(calls, outlineCall(call.Args))
		}
		return true
	})
	if len(calls) == 0 {
		return "…"
	}
	return strings.Join(calls, "; ")
}

// program matches the name of a program, and option the name of an option without an attached value, such as the
// password after mysql's -p.
var (
	program = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$`)
	option  = regexp.MustCompile(`^(-[A-Za-z]{1,3}|--[a-z][a-z-]{0,39})$`)
)

func outlineCall(args []*syntax.Word) string {
	name := path.Base(args[0].Lit())
	if !program.MatchString(name) {
		name = "[program]"
	}
	words := []string{name}
	for _, arg := range args[1:] {
		text := ""
		if len(arg.Parts) > 0 {
			if lit, ok := arg.Parts[0].(*syntax.Lit); ok {
				text = lit.Value
			}
		}
		text, _, given := strings.Cut(text, "=")
		if option.MatchString(text) && (given || len(arg.Parts) == 1) {
			words = append(words, text)
		} else {
			given = true
		}
		if given && words[len(words)-1] != "…" {
			words = append(words, "…")
		}
	}
	return strings.Join(words, " ")
}

// personalFields matches fields of the daemon's log that contain names that people chose, or their addresses.
var personalFields = regexp.MustCompile(`( (?:session|sender|to|from|automation|rule)=)("(?:[^"\\]|\\.)*"|\S+)`)

// isModelMessage reports whether a line of the daemon's log contains the conversation with a model.
func isModelMessage(line string) bool {
	_, rest, _ := strings.Cut(line, " ")
	return strings.HasPrefix(rest, "TRC ")
}
