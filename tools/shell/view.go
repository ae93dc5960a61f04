package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

var quotes = strings.NewReplacer(`'`, "", `"`, "", `\`, "")

// StripQuotes removes the characters that only change how a command is written.
func StripQuotes(command string) string { return quotes.Replace(command) }

// Views returns the texts of a canonical command that patterns are matched against: as it is, without quotes
// and backslashes, and with quotes resolved, so that r\m, "rm" and $'\x72m' all are rm.
func Views(command string) []string {
	if !strings.ContainsAny(command, `'"\`) {
		return []string{command}
	}
	list := []string{command, StripQuotes(command)}
	if tree, err := Parse(command); err == nil {
		syntax.Walk(tree, func(n syntax.Node) bool {
			if w, ok := n.(*syntax.Word); ok {
				w.Parts = resolveParts(w.Parts)
			}
			return true
		})
		list = append(list, canonical(command, tree))
	}
	return list
}

// Parse parses a bash source.
func Parse(source string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(source), "")
}

// Canonical returns a command as the checker prints it. It returns a text that cannot be parsed unchanged.
func Canonical(command string) string {
	tree, err := Parse(command)
	if err != nil {
		return command
	}
	return canonical(command, tree)
}

// canonical prints a command like the checker: on one line if it was written on one line and means the same, ""
// if it cannot be printed.
func canonical(source string, tree *syntax.File) string {
	usual := printTree(tree, syntax.Indent(2))
	if strings.Contains(strings.TrimRight(source, "\n"), "\n") {
		return usual
	}
	line := printTree(tree, syntax.SingleLine(true))
	again, err := Parse(line)
	if err != nil || printTree(again, syntax.Indent(2)) != usual {
		return usual
	}
	return line
}

func printTree(tree *syntax.File, layout syntax.PrinterOption) string {
	var b strings.Builder
	if err := syntax.NewPrinter(layout).Print(&b, tree); err != nil {
		return ""
	}
	return strings.TrimRight(b.String(), "\n")
}

// resolveParts replaces quoted parts by their values.
func resolveParts(parts []syntax.WordPart) []syntax.WordPart {
	var out []syntax.WordPart
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out = append(out, &syntax.Lit{Value: strings.ReplaceAll(p.Value, `\`, "")})
		case *syntax.SglQuoted:
			out = append(out, &syntax.Lit{Value: singleQuoted(p)})
		case *syntax.DblQuoted:
			out = append(out, resolveParts(p.Parts)...)
		default:
			out = append(out, part)
		}
	}
	if len(out) == 0 {
		out = append(out, &syntax.Lit{}) // "": the printer needs at least one part
	}
	return out
}

// singleQuoted returns the value of '…' or $'…'.
func singleQuoted(p *syntax.SglQuoted) string {
	if !p.Dollar {
		return p.Value
	}
	text, _, err := expand.Format(nil, p.Value, nil)
	if err != nil {
		return p.Value
	}
	text, _, _ = strings.Cut(text, "\x00")
	return text
}
