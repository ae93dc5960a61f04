package manual

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

// program is a small program that uses most features.
func program(lang i18n.Lang) *cobra.Command { return programFor(lang, nil) }

func programFor(lang i18n.Lang, args []string) *cobra.Command {
	root := &cobra.Command{Use: "prog", Short: "the program", Version: "1.2", SilenceErrors: true, SilenceUsage: true, Args: NoArgs, RunE: nothing}
	ask := &cobra.Command{Use: "ask WORDS...", Short: "ask", Args: AtLeastTwoArgs, RunE: nothing}
	ask.Flags().IntP("lines", "n", 50, "how many")
	ask.Flags().Duration("timeout", time.Minute, "how long")
	ask.Flags().String("edit", "", "edit it")
	ask.Flags().Lookup("edit").NoOptDefVal = "x"
	one := &cobra.Command{Use: "one NAME", Short: "one", Args: OneArg, RunE: nothing}
	most := &cobra.Command{Use: "most", Short: "most", Args: AtMostOneArg, RunE: nothing}
	leaf := &cobra.Command{Use: "leaf", Short: "leaf", Args: NoArgs, RunE: nothing}
	root.AddCommand(ask, one, most, leaf)
	Guide{Lang: lang, Tree: program, Args: args}.AddHelp(root)
	return root
}

func nothing(*cobra.Command, []string) error { return nil }

// run runs a command line and returns its output, the failing command and the error.
func run(lang i18n.Lang, args ...string) (out string, cmd *cobra.Command, err error) {
	root := programFor(lang, args)
	var b bytes.Buffer
	root.SetOut(&b)
	root.SetArgs(args)
	cmd, err = root.ExecuteC()
	return b.String(), cmd, err
}

// mistakes are wrong command lines with the messages in Korean and English.
var mistakes = []struct{ line, ko, en string }{
	{"asc", "prog에 'asc' 명령은 없어요.\n혹시 이것인가요: prog ask", "prog has no command 'asc'.\nDid you mean: prog ask"},
	{"leaf foo", "prog leaf에는 인자를 쓸 수 없어요: 'foo'", "prog leaf takes no arguments: 'foo'"},
	{"help nope", "prog에 'nope' 명령은 없어요.", "prog has no command 'nope'."},
	{"ask --liens 3", "--liens 옵션은 없어요.\n혹시 이것인가요: --lines", "unknown flag --liens.\nDid you mean: --lines"},
	{"ask -Z", "-Z 옵션은 없어요.", "unknown flag -Z."},
	{"ask -n", "-n 옵션에는 값이 필요해요: 정수 (예: 20)", "-n needs a value: a whole number (for example 20)"},
	{"ask --lines", "--lines 옵션에는 값이 필요해요: 정수 (예: 20)", "--lines needs a value: a whole number (for example 20)"},
	{"ask --lines many", "--lines에 'many'는 쓸 수 없어요. 쓸 수 있는 값: 정수 (예: 20)", "--lines cannot be 'many'; use a whole number (for example 20)."},
	{"ask --=x", "'--=x'는 올바른 옵션이 아니에요.", "'--=x' is not a valid flag."},
	{"ask one", "prog ask WORDS...: 인자가 2개 이상 필요한데 1개예요.", "prog ask WORDS...: expected at least 2 arguments, got 1."},
	{"one", "prog one NAME: 인자가 1개 필요한데 0개예요.", "prog one NAME: expected 1 argument, got 0."},
	{"most a b", "prog most: 인자는 1개까지 쓸 수 있는데 2개예요.", "prog most: expected at most 1 argument, got 2."},
	{"completion tcsh", "prog completion에 'tcsh'는 쓸 수 없어요. 쓸 수 있는 값: bash, zsh, fish", "prog completion does not accept 'tcsh'. Use one of: bash, zsh, fish"},
}

// TestMistakesAreToldInThePersonsLanguage covers all errors of arguments and flags: the mistake, a suggestion, and
// the command that helps.
func TestMistakesAreToldInThePersonsLanguage(t *testing.T) {
	for _, c := range mistakes {
		for lang, want := range map[i18n.Lang]string{i18n.Korean: c.ko, i18n.English: c.en} {
			_, cmd, err := run(lang, strings.Fields(c.line)...)
			require.Error(t, err, c.line)
			said := Guide{Lang: lang}.ExplainMistake(cmd, err)
			require.Equal(t, i18n.UsageError(want).In(lang)+"\n"+i18n.SeeHelp(cmd.CommandPath()).In(lang), said, c.line)
		}
		_, cmd, err := run(i18n.Chinese, strings.Fields(c.line)...)
		require.True(t, IsUsageError(err), c.line)
		require.NotRegexp(t, `arg\(s\)|not set|unknown|needs an`, Guide{Lang: i18n.Chinese}.ExplainMistake(cmd, err), c.line)
	}
}

func TestHelpVersionAndCompletionSayWhatTheyAre(t *testing.T) {
	for _, args := range [][]string{{"ask", "--help"}, {"help", "ask"}} {
		out, _, err := run(i18n.Korean, args...)
		require.NoError(t, err)
		require.Contains(t, out, "사용법:\n  prog ask WORDS... [옵션]\n")
		require.Contains(t, out, "  -n, --lines 수      how many (기본값 50)\n")
		require.Contains(t, out, "      --edit[=글]     edit it\n")
		require.Contains(t, out, "전역 옵션:\n  -h, --help  이 도움말을 보여줘요\n")
	}
	out, _, err := run(i18n.Korean, "--version")
	require.NoError(t, err)
	require.Equal(t, "prog 1.2\n", out)
	out, _, err = run(i18n.English, "version", "--json")
	require.NoError(t, err)
	require.Contains(t, out, `"version":"1.2"`)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		out, _, err = run(i18n.Korean, "completion", shell)
		require.NoError(t, err)
		require.Contains(t, out, "__complete", shell)
	}
	out, _, err = run(i18n.Korean, "__complete", "completion", "")
	require.NoError(t, err)
	require.Contains(t, out, "zsh\n")
	out, _, err = run(i18n.Korean, "__complete", "version", "")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(out, ":4\n"), "no file names where there is no argument: %s", out)
}

func TestAPageForEachCommandInEachLanguage(t *testing.T) {
	dir := t.TempDir()
	_, _, err := run(i18n.English, "man", dir)
	require.NoError(t, err)
	for place, name := range map[string]string{"man1": "# NAME", "ko/man1": "# 이름", "zh_CN/man1": "# 名称"} {
		for _, page := range []string{"prog", "prog-ask", "prog-completion", "prog-version"} {
			text, err := os.ReadFile(filepath.Join(dir, place, page+".1.md"))
			require.NoError(t, err)
			require.Contains(t, string(text), name+"\n\n"+page+" - ")
		}
		_, err := os.Stat(filepath.Join(dir, place, "prog-man.1.md"))
		require.ErrorIs(t, err, os.ErrNotExist, "hidden commands have no page")
	}
	require.Error(t, WritePages(filepath.Join(dir, "man1", "prog.1.md"), program), "a file is no directory")
}

func FuzzMistake(f *testing.F) {
	for _, c := range mistakes {
		f.Add(c.line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "man") {
			return // writes files
		}
		_, cmd, err := run(i18n.Korean, strings.Fields(line)...)
		if err != nil {
			require.NotEmpty(t, Guide{Lang: i18n.Korean}.ExplainMistake(cmd, err))
		}
	})
}
