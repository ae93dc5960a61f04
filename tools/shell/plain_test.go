package shell_test

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/shell"
)

func TestPlainSources(t *testing.T) {
	for source, want := range map[string][]string{
		"df -h":                          {"df", "-h"},
		`grep 'a b' "c d" e\ f`:          {"grep", "a b", "c d", "e f"},
		`cat '' "" '*' "?" \[x\]`:        {"cat", "", "", "*", "?", "[x]"},
		"/usr/bin/uname -a":              {"/usr/bin/uname", "-a"},
		`\ls 'it'"'"s`:                   {"ls", "it's"},
		"ls 파일":                          {"ls", "파일"},
		"dd if=/dev/zero of=x 'a=~'":     {"dd", "if=/dev/zero", "of=x", "a=~"},
		`printenv "a\b\\c\$d"`:           {"printenv", `a\b\c$d`},
		"git log --format=%h -- 'a;b|c'": {"git", "log", "--format=%h", "--", "a;b|c"},
	} {
		argv, plain := shell.Plain(source)
		require.True(t, plain, source)
		require.Equal(t, want, argv, source)
	}
	for _, source := range []string{
		"", " ", "echo a", "printf x", "test -f x", "[ -f x ]", "pwd", "kill 1", "cd /", "exec df", "eval df", ". x", "true", `"true"`, `\kill 1`,
		"df | cat", "df; df", "df && df", "df || df", "df &", "! df", "df\ndf", "coproc df", "time df", "(df)", "{ df; }", "if df; then df; fi",
		"for i in 1; do df; done", "f() { df; }", "function f { df; }", "[[ a ]]", "((1))", "let x=1", "declare x=1", "export x=1",
		"x=1", "x=1 df", "x+=1 df", "a[0]=1 df", "df > x", "df < x", "df 2>&1", "df 2>/dev/null", "df <<< x", "df <<A\nx\nA",
		"df $x", `df "$x"`, "df ${x}", "df $(x)", "df `x`", `df "$(x)"`, "df $((1))", "df $'a'", `df $"a"`, "df <(x)", "$x", "df $", "df a$",
		"df *", "df a?", "df [a]", "*", "df @(a)", "df +(a)", "df ~", "df ~/x", "df a=~/x", "df --x=~", "~/x", "df {a,b}", "df {1..2}", "df {", "df a}",
		"df a\\\nb", "df\ta", "df 'a\nb'", "df \"a\nb\"", "df a\rb", "df 'a\x00b'", "df 'a\x01b'", "df 'a\x7fb'", "df 'a\xffb'", "df '\xc3'",
		"-x", "+x", "%1", "'-x' a", "''", `"" a`, "in", "'if'", `\then`, "df 'a", `df "a`, `df a\`,
	} {
		argv, plain := shell.Plain(source)
		require.False(t, plain, "%q is %q", source, argv)
	}
}

// TestBashsOwnWords compares the lists of words that bash runs itself with those of the installed bash.
func TestBashsOwnWords(t *testing.T) {
	for _, list := range []string{"compgen -b", "compgen -k"} {
		out, err := exec.Command("bash", "--norc", "--noprofile", "-c", list).Output()
		require.NoError(t, err)
		names := strings.Fields(string(out))
		require.Greater(t, len(names), 15, list)
		for _, name := range names {
			_, plain := shell.Plain("'" + name + "' x")
			require.False(t, plain, "%s: %s", list, name)
			require.Equal(t, list == "compgen -b", shell.IsBuiltin(name), name)
		}
	}
}

// TestBashReadsPlainSourcesTheSameWay compares the words with those that bash passes to a program.
func TestBashReadsPlainSourcesTheSameWay(t *testing.T) {
	sources := slices.Concat(corpus(t), randomSources(8_000))
	var plain []string
	var want [][]string
	for _, source := range sources {
		if argv, ok := shell.Plain(source); ok && !strings.Contains(argv[0], "/") && !slices.Contains(plain, source) {
			plain, want = append(plain, source), append(want, argv)
		}
	}
	require.Greater(t, len(plain), 1000)
	const script = `command_not_found_handle() { printf '%s\0' "$@"; }; while IFS= read -r source; do eval "$source"; printf '\1\0'; done`
	cmd := exec.Command("bash", "--norc", "--noprofile", "-c", script)
	cmd.Dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, "a"), nil, 0o600)) // a wildcard could match it
	cmd.Env = []string{"PATH=/nonexistent", "LC_ALL=C.UTF-8", "HOME=/home/blu"}
	cmd.Stdin = strings.NewReader(strings.Join(plain, "\n") + "\n")
	out, err := cmd.Output()
	require.NoError(t, err)
	rest := string(out)
	for i, source := range plain {
		words, after, found := strings.Cut(rest, "\x01\x00")
		require.True(t, found, source)
		require.Equal(t, want[i], strings.Split(strings.TrimSuffix(words, "\x00"), "\x00"), "%q", source)
		rest = after
	}
	require.Empty(t, rest)
}

// corpus returns the commands of the checker's tests.
func corpus(t *testing.T) []string {
	var list []string
	files, err := filepath.Glob("../safety/testdata/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for in := bufio.NewScanner(bytes.NewReader(data)); in.Scan(); {
			source, _, _ := strings.Cut(in.Text(), "\t")
			list = append(list, source)
		}
	}
	return list
}

// randomSources returns sources of characters that have a meaning for bash, and of some that have none.
func randomSources(n int) []string {
	pieces := strings.Split(`a|b|df| | |'|"|\|$|*|=|~|#|!|-|%|{|}|[|]|,|:|/|@|^|.|1|é|&|;|>|''|""|"a"|'b'|\\|\'|\"|ls |x=|(|)`, "|")
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		for range 1 + random.IntN(10) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		list[i] = b.String()
	}
	return list
}
