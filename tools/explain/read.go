package explain

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/tools/shell"
)

// call is one program of a command.
type call struct {
	name string   // without its directory
	args []string // without quotes; what is only known when it runs stays as it is written
	// via are the programs that start it, such as sudo; user is the one whose rights it gets, "root" for sudo.
	via  []string
	user string
	// fed are the programs whose output it reads, by a pipe, or by a substitution in its arguments.
	fed    []string
	redirs []redirection
}

type redirection struct {
	op     syntax.RedirOperator
	target string
}

// maxNested bounds texts in texts: sh -c "sh -c …".
const maxNested = 8

// read returns the programs of a command in the order in which they are written.
func read(command string) (calls []call, ok bool) { return readNested(command, nil, "", 0) }

func readNested(command string, via []string, user string, depth int) (calls []call, ok bool) {
	tree, err := shell.Parse(command)
	if err != nil || depth > maxNested {
		return nil, false
	}
	fed := map[*syntax.Stmt][]string{}
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				fed[n.Y] = append(programsOf(n.X), fed[n.Y]...)
			}
		case *syntax.Stmt:
			if c, isCall := n.Cmd.(*syntax.CallExpr); isCall && len(c.Args) > 0 {
				calls = append(calls, newCalls(c, n.Redirs, fed[n], via, user, depth)...)
			}
		}
		return true
	})
	return calls, true
}

// programsOf returns the first words of the commands below a node.
func programsOf(n syntax.Node) (names []string) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			names = append(names, path.Base(wordText(c.Args[0])))
		}
		return true
	})
	return names
}

// newCalls returns the program of a simple command, without its wrappers, or the programs of the text that it runs.
func newCalls(c *syntax.CallExpr, redirs []*syntax.Redirect, fed, via []string, user string, depth int) []call {
	out := call{fed: slices.Clone(fed), via: slices.Clone(via), user: user}
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		words[i] = wordText(w)
		if i > 0 {
			out.fed = append(out.fed, programsOf(w)...)
		}
	}
	for _, r := range redirs {
		if r.Word != nil {
			out.redirs = append(out.redirs, redirection{r.Op, wordText(r.Word)})
		}
	}
	for len(words) > 0 {
		name := path.Base(words[0])
		w, wraps := wrappers[name]
		inner := w.inner(words[1:])
		if !wraps || len(inner) == 0 {
			break
		}
		out.via = append(out.via, name)
		if w.rights {
			out.user = "root"
			if i := slices.IndexFunc(words, func(s string) bool { return s == "-u" || s == "--user" }); i > 0 && i+1 < len(words)-len(inner) {
				out.user = words[i+1]
			}
		}
		words = inner
	}
	out.name, out.args = path.Base(words[0]), words[1:]
	if text, isText := out.shellText(); isText {
		if nested, ok := readNested(text, append(out.via, out.name), out.user, depth+1); ok && len(nested) > 0 {
			return nested
		}
	}
	return []call{out}
}

// shellText returns the text that a shell runs, for sh -c TEXT and eval TEXT.
func (c call) shellText() (text string, ok bool) {
	if c.name == "eval" {
		return strings.Join(c.args, " "), len(c.args) > 0 && len(c.fed) == 0
	}
	if !isShell(c.name) || len(c.fed) > 0 {
		return "", false
	}
	for i, a := range c.args {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "c") && i+1 < len(c.args) {
			return c.args[i+1], true
		}
	}
	return "", false
}

func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "zsh", "dash", "fish", "ksh", "ash"}, name)
}

// wrapper starts the program in its arguments.
type wrapper struct {
	values   string // options with a value, one letter each or long
	operands int    // words before the program
	rights   bool   // it gives another user's rights
}

var wrappers = map[string]wrapper{
	"sudo": {values: "u g p C h r t T U D R --user --group", rights: true},
	"doas": {values: "u C", rights: true}, "pkexec": {values: "--user", rights: true}, "run0": {values: "u g D --user --group", rights: true},
	"env": {values: "u C S"}, "nohup": {}, "setsid": {}, "time": {values: "f o"}, "timeout": {values: "k s", operands: 1}, "nice": {values: "n"},
	"ionice": {values: "c n p"}, "exec": {}, "command": {}, "stdbuf": {values: "i o e"}, "xargs": {values: "n I L P d E s a"}, "builtin": {},
	"systemd-run": {values: "p u --property --unit"},
}

// inner returns the program and its arguments.
func (w wrapper) inner(args []string) []string {
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "--":
			return args[min(len(args), 1+w.operands):]
		case strings.HasPrefix(a, "-") && len(a) > 1:
			letter := strings.TrimPrefix(a, "-")
			if slices.Contains(strings.Fields(w.values), letter) || slices.Contains(strings.Fields(w.values), a) {
				args = args[1:]
			}
		case strings.Contains(a, "=") && !strings.Contains(strings.SplitN(a, "=", 2)[0], "/"):
		default:
			return args[min(len(args), w.operands):]
		}
		args = args[min(1, len(args)):]
	}
	return nil
}

// wordText returns a word without its quotes. Parts that are only known when it runs stay as they are written.
func wordText(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		writePart(&b, p)
	}
	return b.String()
}

func writePart(b *strings.Builder, p syntax.WordPart) {
	switch p := p.(type) {
	case *syntax.Lit:
		b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
	case *syntax.SglQuoted:
		b.WriteString(p.Value)
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			writePart(b, inner)
		}
	default:
		_ = syntax.NewPrinter().Print(b, p)
	}
}
