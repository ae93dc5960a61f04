package safety

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"
)

// coverFragments are pieces of words whose value depends on files, variables
// and commands.
var coverFragments = []string{
	"a", "b", "s", "-x", "/", ".", "..", "sub", "hadow", " ", `\ `, `"`, `'`, "*", "?", "[", "]", "[a-z]", "[!a]", "[]a]", "[!]a]", "[[:lower:]]", "[^s]", `["s"]`, `[s"]"]`, `[\]s]`, `[\s]`,
	"*.txt", "$v", "$w", "$g", "$h", `"$g"`, `"$w"`, "${v}", `"${h}"`, "$o", "]hadow", "[s", "{a,b}", "{a,*}", "~", "~+", "~-", "~0", "~1", "~/", "~root", `""`, `''`, "$@", `"$@"`, `"x$@"`, `"$*"`, "$1", `"$2"`, "${@}", `"${u:-$@}"`,
	"$(echo x)", `"$(echo a b)"`, "$(pidof nothing)", "$(uname -s)", "$(seq 1 2)", `"$(seq 1 2)"`, "$((1+2))", "${#v}", "${v%e}", "${u:-x y}", `"${u:-x y}"`, "${w#one }", "한", "$'\\x2d'", "`echo q`", "=", ":", "%", "x=~", "!", "#",
	`"${l[@]}"`, "${l[@]}", `"x${l[@]}"`, `"${l[@]}y"`, "${l[0]}", `"${l[1]}"`, `"${l[*]}"`, "$l", `"$l"`, "${#l[@]}", `"${l[@]:1}"`, `"${l[@]%b}"`,
}

// wordPattern returns the possible values of an argument according to the checker, as a regular expression.
func wordPattern(v value) string {
	var b strings.Builder
	for _, s := range v {
		b.WriteString("(?:")
		switch s.kind {
		case segLit:
			b.WriteString(regexp.QuoteMeta(s.text))
		case segGlob:
			b.WriteString(map[string]string{anyGlob: `[^/]*`, oneGlob: `(?:[^/]|\[[^/]*\])`}[s.displayText()])
		case segTame, segPath:
			b.WriteString(`[A-Za-z0-9_./][A-Za-z0-9._+:@,/-]*`)
		case segUint:
			b.WriteString(`[0-9]+`)
		case segInt:
			b.WriteString(`-?[0-9]+`)
		default:
			b.WriteString(`(?s:.*)`)
		}
		b.WriteString(")")
		if s.kind != segLit && (s.text == hollow || len(v) > 1) {
			b.WriteString("?") // next to other text a segment can be empty
		}
	}
	return "(?:" + b.String() + ")"
}

// covered reports whether the checker expects an argument list. Arguments are separated by NULs.
func covered(lists []fieldList, got string) bool {
	for _, l := range lists {
		pattern := ""
		for _, f := range l.fields {
			word := wordPattern(f.val) + "\x00"
			if f.many {
				word = "(?:" + word + ")*"
			}
			pattern += word
		}
		if regexp.MustCompile("^" + pattern + "$").MatchString(got) {
			return true
		}
	}
	return false
}

// TestArgumentsAreCovered checks that the checker expects every argument list that bash makes of a command's
// words: no quoting, pattern or variable hides a name.
func TestArgumentsAreCovered(t *testing.T) {
	needBash(t)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	for _, name := range []string{"a", "b", "ab", ".hid", "-x", "x y", "shadow", "[s]hadow", "]hadow", "é", "한", "a.txt", "-o.txt", "sub/c", "sub/-d", "*"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	c := New(Options{Home: dir, User: "blu"})
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(coverFragments), 1, 5).Draw(t, "parts"), "")
		}), 1, 3).Draw(t, "words")
		command := "printf '%s\\0' " + strings.Join(words, " ")
		source := "v=value; w='one two'; g='*'; h='[s'; o=-o; l=('p q' -z a* \"$w\")\nf() { " + command + "\n}\nf 'p q' -r"
		file, err := parse(source)
		if err != nil || len(file.Stmts) != 8 {
			return
		}
		f, ok := file.Stmts[6].Cmd.(*syntax.FuncDecl)
		if !ok {
			return
		}
		block, ok := f.Body.Cmd.(*syntax.Block)
		if !ok || len(block.Stmts) != 1 {
			return
		}
		call, ok := block.Stmts[0].Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) < 3 || len(block.Stmts[0].Redirs) > 0 {
			return
		}
		j := newJudge(c, dir)
		s := newScope(j, nil)
		s.file(file)
		lists := s.arguments(call.Args[2:])
		for _, text := range []string{source, printNode(file)} {
			got := bash(t, dir, dir, text)
			if got == "" || got == "\x00" {
				continue // bash refused the text, or there was no argument
			}
			if !covered(lists, got) {
				t.Fatalf("%q: bash gives %q, the checker %v", text, got, lists)
			}
		}
	})
}
