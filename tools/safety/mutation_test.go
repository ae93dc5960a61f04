package safety

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
)

// rewrites are forms of whole commands that have the same effect.
var rewrites = []string{
	"{ %s\n}", "( %s\n)", "true\n%s\n", "true; %s\n", "true && {\n%s\n}", "false || {\n%s\n}", "if true; then\n%s\nfi",
	"for i in 1; do\n%s\ndone", "case a in a)\n%s\n;; esac", "echo \"$( %s\n)\"", "echo $( %s\n)", "x=$( %s\n)", "cat <( %s\n)", "f() {\n%s\n}; f",
	"g() (\n%s\n); g", "! {\n%s\n}", "time {\n%s\n}", "\n\n%s\n\n", "# a comment\n%s\n# another", "{\n{\n%s\n}\n}", "[[ -n $( %s\n) ]]", "echo ${x:-$( %s\n)}",
	"while read -r l; do\n%s\ndone <<< a", "{\n%s\n} 2>/dev/null", "cat <<EOF\n$( %s\n)\nEOF", "df -h\n%s\ndf -h", "echo `echo a`\n%s\n", ": \\\n; %s\n",
}

// textRewrites pass the command as text.
var textRewrites = []string{"bash -c %s", "sh -c %s", "eval %s", "env bash -c %s", "timeout 9 bash -c %s", "sudo sh -c %s", "bash <<< %s", "nice -n 5 sh -c %s", "command eval %s"}

// prefixes are put before simple commands.
var prefixes = []string{"command", "env", "timeout 9", "nice", "nice -n 3", "stdbuf -oL", "ionice -c3", "env LC_ALL=C", "time", "LC_ALL=C", "sudo", "nohup", "setsid", "exec", "busybox"}

func mutant(rng *rand.Rand, command string) string {
	if rng.IntN(3) > 0 {
		command = mutateWords(rng, command)
	}
	if rng.IntN(4) == 0 {
		command = mutatePrefix(rng, command)
	}
	for range 1 + rng.IntN(2) {
		if rng.IntN(4) == 0 {
			quoted, err := syntax.Quote(command, syntax.LangBash)
			if err != nil {
				continue
			}
			command = fmt.Sprintf(textRewrites[rng.IntN(len(textRewrites))], quoted)
		} else {
			command = fmt.Sprintf(rewrites[rng.IntN(len(rewrites))], command)
		}
	}
	return command
}

// mutateWords changes the spelling of the command's words.
func mutateWords(rng *rand.Rand, command string) string {
	file, err := parse(command)
	if err != nil {
		return command
	}
	var assigns []string
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		for i, w := range call.Args {
			text := w.Lit()
			if text == "" || strings.ContainsAny(text, "~*?[{}\\$='\"") || rng.IntN(2) == 0 || i == 0 && text == "[" {
				continue
			}
			spelled, assign := respell(rng, text, len(assigns))
			w.Parts = []syntax.WordPart{&syntax.Lit{Value: spelled}}
			assigns = append(assigns, assign...)
		}
		return true
	})
	out := printNode(file)
	if len(assigns) > 0 {
		out = strings.Join(assigns, "\n") + "\n" + out
	}
	return out
}

// respell writes a word in another way. Some ways need an assignment before the command.
func respell(rng *rand.Rand, text string, n int) (string, []string) {
	cut := 1 + rng.IntN(len(text))
	var b strings.Builder
	switch rng.IntN(9) {
	case 0:
		return "'" + text + "'", nil
	case 1:
		return `"` + text + `"`, nil
	case 2:
		return text[:cut] + `""` + text[cut:], nil
	case 3:
		return "'" + text[:cut] + "'" + text[cut:], nil
	case 4:
		for _, r := range text {
			b.WriteString(`\` + string(r))
		}
		return b.String(), nil
	case 5:
		for i := range len(text) {
			fmt.Fprintf(&b, `\x%02x`, text[i])
		}
		return "$'" + b.String() + "'", nil
	case 6:
		for i := range len(text) {
			fmt.Fprintf(&b, `\%03o`, text[i])
		}
		return "$'" + b.String() + "'", nil
	case 7:
		return "{" + text + ",}", nil
	}
	name := fmt.Sprintf("v%d", n)
	return "$" + name, []string{name + "=" + text}
}

func mutatePrefix(rng *rand.Rand, command string) string {
	file, err := parse(command)
	if err != nil || len(file.Stmts) != 1 {
		return command
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(call.Assigns) > 0 || file.Stmts[0].Negated {
		return command
	}
	return prefixes[rng.IntN(len(prefixes))] + " " + command
}

// TestMutations rewrites every command that is not Safe in 200 ways with the same effect. None can become Safe,
// and those of the BLOCKED list stay blocked, except for spellings that would need data flow analysis.
func TestMutations(t *testing.T) {
	c := testChecker()
	rng := rand.New(rand.NewPCG(1, 2))
	count := 200
	if testing.Short() {
		count = 20
	}
	blockedTotal, blockedKept := 0, 0
	var commands []string
	for _, r := range corpus(t) {
		if !r.wants(Safe) {
			commands = append(commands, r.command)
		}
	}
	commands = append(commands, lines(t, "blocked.txt")...)
	commands = append(commands, lines(t, "never-safe.txt")[:300]...)
	each := make([]int, len(commands))
	for i := range each {
		each[i] = count
	}
	for _, r := range rows(t, "attack.tsv") {
		commands = append(commands, r.command)
		each = append(each, count/10)
	}
	for i, command := range commands {
		original := c.Judge(command).Class
		for range each[i] {
			m := mutant(rng, command)
			v := c.Judge(m)
			require.NotEqual(t, Safe, v.Class, "%q from %q", m, command)
			if original == Blocked {
				blockedTotal++
				if v.Class == Blocked {
					blockedKept++
				} else if testing.Verbose() && rng.IntN(40) == 0 {
					t.Logf("lost: %q from %q: %v", m, command, v.Reasons)
				}
			}
		}
	}
	t.Logf("%d of %d BLOCKED mutants are BLOCKED", blockedKept, blockedTotal)
	require.Greater(t, float64(blockedKept)/float64(blockedTotal), 0.98)
}
