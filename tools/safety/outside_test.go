package safety

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// names lists the names in a directory.
func names(t require.TestingT, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// joined draws a few fragments and joins them.
func joined(t *rapid.T, fragments []string, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, most).Draw(t, "parts"), "")
}

// awkPieces form programs that run or write something if a slash, a quote or a line end is misread.
var awkPieces = []string{
	`"`, `"`, `/`, `/`, `[`, `]`, " ", "\n", "x", "1", "++", "length", ";", "{", "}", "(", ")", `system("touch made")`, `system(y)`, "print ", `> "made"`, `>> "made"`, `| "sh"`,
	"#", ",", "?", ":", `\`, `/"/`, "&&", "=", "$1", "~", "!", "-", "if (1) ", "else ", "[:alpha:]", "^", "in ", "printf ", "next", "1e", "e1", "0x1f", ".", "\\\n", "case ", "toupper",
}

// TestAwkProgramsChangeNothing runs accepted programs in the system's awk.
func TestAwkProgramsChangeNothing(t *testing.T) {
	awk, err := exec.LookPath("awk")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("a \"b/ 1\nx y\n"), 0o600))
	rapid.Check(t, func(t *rapid.T) {
		program := rapid.SampledFrom([]string{"", `BEGIN { y = "touch made"; `, "{ y = \"touch made\"\n", `{ y = "touch made"; x = `, "BEGIN { print "}).Draw(t, "start") +
			joined(t, awkPieces, 9) + rapid.SampledFrom([]string{"", "}", " }", `#"}`, "\n}", "#/", `" }`, "/ }"}).Draw(t, "end")
		if !awkReadsOnly(program) {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, awk, "--", program, "in")
		cmd.Dir = dir
		_ = cmd.Run() // most programs are not valid
		require.Equal(t, []string{"in"}, names(t, dir), "%q", program)
	})
}

// psWords are options, values and words that ps can parse as either.
var psWords = []string{
	"-", "--forest", "--headers", "--no-headers", "--deselect", "--cumulative", "--sort=pid", "--sort", "--format", "--pid", "--ppid", "--user", "--tty", "--sid", "--cols", "--quick-pid", "--group",
	"pid,args", "pid", "x", "u", "1", "root", "sleep", "args", "nosuch", "99999", "e", "ex", "f", "aux", "?", "%cpu", "ppid=x", "+1", "1,2", "cmd e",
}

// TestPsShowsNoEnvironment runs accepted invocations of ps while a process has a mark in its environment. ps
// parses arguments that it does not understand a second time, by other rules.
func TestPsShowsNoEnvironment(t *testing.T) {
	ps, err := exec.LookPath("ps")
	require.NoError(t, err)
	sleeper := exec.Command("sleep", "300")
	sleeper.Env = append(os.Environ(), "SAFETY_MARK=shown")
	require.NoError(t, sleeper.Start())
	t.Cleanup(func() {
		_ = sleeper.Process.Kill()
		_ = sleeper.Wait()
	})
	out, err := exec.Command(ps, "axeww").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "SAFETY_MARK", "ps shows it when asked to")
	c := testChecker()
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			if rapid.Bool().Draw(t, "cluster") {
				return "-" + rapid.StringOfN(rapid.RuneFrom([]rune("AaeFfjlyMHLmTcdNrwVeeeuUgGpstCoOqkxnvSh")), 1, 4, -1).Draw(t, "letters")
			}
			return rapid.SampledFrom(psWords).Draw(t, "word")
		}), 1, 4).Draw(t, "args")
		if c.JudgeArgv("/", append([]string{"ps"}, args...)).Class != Safe {
			return
		}
		shown, _ := exec.Command(ps, args...).Output()
		require.NotContains(t, string(shown), "SAFETY_MARK", "%q", args)
	})
}

// seeds are harmless texts with every construct, and shellPieces are inserted into them.
var (
	seeds = []string{
		"echo a b", `echo "$(echo x)"`, "echo `echo x`", "for i in 1 2; do echo $i; done", "if true; then echo a; else echo b; fi", "case a in a) echo 1;; b|c) echo 2;; esac",
		"cat <<EOF\nx $(echo y) $HOME\nEOF", "cat <<'EOF'\n$x `y`\nEOF", "cat <<-EOF\n\tx\n\tEOF\necho z", "x=1; echo $((x+1))", "f() { echo \"$1\"; }; f z", "[[ a == a* ]] && echo y",
		"[ -f in ] && cat in", "echo a | cat | tr a b", "{ echo a; echo b; } | sort -r", "(echo a; echo b) 2>/dev/null", `echo $'a\tb' "q\"r" 'x'\''y'`, `printf '%s\n' {a,b}{1..3}`, `cat <<< "x y"`,
		"diff <(echo a) <(echo b)", `echo "${x:-"a b"}" ${x:+y}`, "echo a # c\necho b", "echo a\\\nb", "a=(x y); echo \"${a[@]}\"", "bash -c 'echo \"$1\"' _ x", "awk '{print $1}' in", "sed -n '1p' in",
		"find . -name in -exec echo {} \\;", "echo a | xargs -n1 echo b", "xargs echo < in", "timeout 5 echo a", "wc -l *", "cat <<A <<B\na\nA\nb\nB", "echo \"a\nb\"",
	}
	shellPieces = []string{
		"'", `"`, "`", "$", "(", ")", "{", "}", "[", "]", "<", ">", "|", "&", ";", "\n", `\`, " ", "\t", "#", "!", "*", "?", "~", "=", "%", "@", "^", ",", "-", "a", "1", "$(", "${", "$((", "))", "<<", "<<<",
		"<(", ">(", "&&", "||", ";;", "\\\n", "do ", "done", "esac", "fi", "then ", "$'", `$"`, "[[ ", " ]]", "EOF", `"$@"`, "$*", "..", "/", "+", "2>", "&>", ">|", "touch made", "-o made", "> made",
	}
)

// TestSafeTextChangesNothing mutates harmless texts at random and runs those that are still Safe, as written
// and as printed.
func TestSafeTextChangesNothing(t *testing.T) {
	needBash(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("a b\nc\n"), 0o600))
	c := New(Options{Home: dir, User: "blu"})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(seeds).Draw(t, "seed")
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			end := min(at+rapid.IntRange(0, 2).Draw(t, "cut"), len(text))
			text = text[:at] + rapid.SampledFrom(shellPieces).Draw(t, "piece") + text[end:]
		}
		v := c.Judge(text)
		if v.Class != Safe {
			return
		}
		for _, source := range []string{text, v.Source} {
			bash(t, dir, dir, source)
			require.Equal(t, []string{"in"}, names(t, dir), "%q printed as %q", text, v.Source)
		}
	})
}
